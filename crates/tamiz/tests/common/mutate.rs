//! One mutator for everything: changes of bytes, and changes of whole words and signs.

/// Random numbers that are the same everywhere: xorshift64*.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n as u64;
        usize::try_from(number).unwrap_or_default()
    }

    /// Returns a byte.
    pub fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap_or_default()
    }
}

/// Pieces to insert between bytes: delimiters, escapes, keywords.
const PIECES: [&[u8]; 40] = [
    b"\r\n",
    b"\n",
    b"\r",
    b" ",
    b"\t",
    b"\0",
    b"%",
    b"%25",
    b"%2e",
    b"%2F",
    b"%00",
    b"%c3%a9",
    b"\xC3\xA9",
    b"\xFF",
    b"&",
    b"&amp;",
    b"&lt;",
    b"=",
    b";",
    b":",
    b"@",
    b"//",
    b"/",
    b"..",
    b"?",
    b"#",
    b"<",
    b"'",
    b"\"",
    b"\\",
    b"(",
    b"|",
    b"${",
    b"password=hunter2x",
    b"http://127.0.0.1/",
    b"union select",
    b"[",
    b"\xEF\xBC\x8F",
    b",",
    b"+",
];

/// Makes inputs out of others.
#[derive(Clone, Debug)]
pub struct Mutator {
    random: Random,
    /// Every token of the corpus, once.
    words: Vec<Vec<u8>>,
    count: u64,
}

impl Mutator {
    /// Takes words from `corpus`, to put them into inputs.
    pub fn new<'a>(random: Random, corpus: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut words: Vec<&[u8]> = corpus.flat_map(tokens).collect();
        words.sort_unstable();
        words.dedup();
        Mutator { random, words: words.into_iter().map(<[u8]>::to_vec).collect(), count: 0 }
    }

    /// Gives the random numbers, for choices beside the mutation.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Mutates `input`, with pieces of `other`: bytes and tokens by turns.
    pub fn mutate(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        self.count += 1;
        if self.count % 2 == 1 { self.change_bytes(input, other) } else { self.change_tokens(input, other) }
    }

    /// Inserts, removes, replaces and repeats a few bytes.
    fn change_bytes(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let random = &mut self.random;
        let mut input = input.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(input.len() + 1);
            match random.below(5) {
                0 => {
                    let piece = PIECES[random.below(PIECES.len())];
                    input.splice(at..at, piece.iter().copied());
                }
                1 => {
                    let end = (at + 1 + random.below(4)).min(input.len());
                    input.drain(at.min(end)..end);
                }
                2 if at < input.len() => input[at] = random.byte(),
                3 => {
                    let from = random.below(other.len() + 1);
                    let to = (from + random.below(24)).min(other.len());
                    input.splice(at..at, other[from..to].iter().copied());
                }
                _ => {
                    let end = (at + random.below(12)).min(input.len());
                    let piece = input[at..end].to_vec();
                    input.splice(at..at, piece);
                }
            }
        }
        input
    }

    /// Changes whole words and signs, so that the result still has parts that mean something.
    fn change_tokens(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let (random, words) = (&mut self.random, &self.words);
        let other = tokens(other);
        let mut tokens: Vec<Vec<u8>> = tokens(input).into_iter().map(<[u8]>::to_vec).collect();
        for _ in 0..1 + random.below(5) {
            let at = random.below(tokens.len() + 1);
            let end = (at + random.below(6)).min(tokens.len());
            let from = random.below(other.len() + 1);
            let piece = &other[from..(from + random.below(8)).min(other.len())];
            let piece: Vec<Vec<u8>> = piece.iter().map(|token| token.to_vec()).collect();
            match (random.below(8), at < tokens.len()) {
                (0, _) => tokens.insert(at, words[random.below(words.len())].clone()),
                (1, true) => tokens[at] = words[random.below(words.len())].clone(),
                (2, true) => drop(tokens.remove(at)),
                (3, _) => drop(tokens.splice(at..at, piece)),
                (4, _) => drop(tokens.splice(at..end, piece)),
                (5, _) => {
                    let piece = tokens[at..end].to_vec();
                    let to = random.below(tokens.len() + 1);
                    tokens.splice(to..to, piece);
                }
                (6, true) => tokens[at] = percent_encoded(&tokens[at]),
                (_, true) => {
                    let i = random.below(tokens[at].len());
                    tokens[at][i] ^= 1 << random.below(8);
                }
                _ => {}
            }
        }
        tokens.concat()
    }
}

fn percent_encoded(token: &[u8]) -> Vec<u8> {
    token.iter().flat_map(|byte| format!("%{byte:02x}").into_bytes()).collect()
}

/// Cuts an input into words, escapes, line ends and runs beyond ASCII; every other byte is alone.
fn tokens(input: &[u8]) -> Vec<&[u8]> {
    let mut tokens = Vec::new();
    let mut rest = input;
    while !rest.is_empty() {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let run = |is: &dyn Fn(&u8) -> bool| rest.iter().take_while(|byte| is(byte)).count();
        let len = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'%', _, _, ..] => 3,
            _ => run(&is_word).max(run(&|byte| !byte.is_ascii())).max(1),
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_cut_into_tokens() {
        let cut: Vec<&[u8]> = vec![b"GET", b" ", b"/", b"a-b", b"%2f", b"\xC3\xA9", b"\r\n", b"%"];
        assert_eq!(tokens(b"GET /a-b%2f\xC3\xA9\r\n%"), cut);
        assert_eq!(tokens(b""), Vec::<&[u8]>::new());
    }

    #[test]
    fn empty_inputs_are_mutated_too() {
        let mut mutator = Mutator::new(Random::new(1), [&b"a b"[..]].into_iter());
        let inputs: Vec<Vec<u8>> = (0..1000).map(|_| mutator.mutate(b"", b"")).collect();
        assert!(inputs.iter().any(|input| !input.is_empty()));
    }

    /// The sequence of numbers is part of what a seed means: a kept number must give its input for ever.
    #[test]
    fn numbers_of_a_seed_stay() {
        let mut random = Random::new(1);
        let numbers: Vec<usize> = (0..4).map(|_| random.below(1000)).collect();
        assert_eq!(numbers, [537, 388, 273, 955]);
    }
}
