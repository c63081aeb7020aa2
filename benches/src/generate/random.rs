//! Random choices that are the same everywhere: splitmix64, and what is drawn from it.

/// A source of random numbers.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn number(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// Draws a length or count.
    pub(super) fn count(&mut self, low: usize, high: usize) -> usize {
        self.number(low as u64, high as u64) as usize
    }

    /// True so often, of one.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        ((self.next() >> 11) as f64) / ((1_u64 << 53) as f64) < probability
    }

    /// One of them.
    pub(super) fn choice<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.index(of.len())]
    }

    fn index(&mut self, length: usize) -> usize {
        (self.next() % length as u64) as usize
    }

    /// So many characters of an alphabet, ten from each number.
    pub(super) fn string(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        let size = alphabet.len() as u64;
        let mut out = String::with_capacity(length);
        while out.len() < length {
            let mut value = self.next();
            for _ in 0..(length - out.len()).min(10) {
                out.push(alphabet[(value % size) as usize] as char);
                value /= size;
            }
        }
        out
    }

    /// So many of them at most, none twice, in any order.
    pub(super) fn some<T: Clone>(&mut self, of: &[T], count: usize) -> Vec<T> {
        let mut left = of.to_vec();
        (0..count.min(of.len())).map(|_| left.remove(self.index(left.len()))).collect()
    }

    /// Hexadecimal digits in the groups of a UUID.
    pub(super) fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|digits| self.string(super::HEX, digits)).join("-")
    }
}
