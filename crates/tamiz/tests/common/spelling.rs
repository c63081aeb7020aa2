//! Whether bytes of a request spell a character, found out by decoding them. It shares no code with the library.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use icu_normalizer::ComposingNormalizerBorrowed;

const BEST_FIT: &str = include_str!("../../../../spec/lists/best-fit.txt");

/// How many decodings may follow one another. A value in a path has the most: folding, percent signs, folding again,
/// entities, three further looks. One more is for overlong forms, and one for the quoting of a body around it.
const LAYERS: usize = 9;

/// No more texts than this are looked at: what takes more is no spelling that a request has by itself.
const TEXTS: usize = 400;

/// Returns whether `bytes` are one or more of `characters`, and nothing else, once they are decoded: up to nine times,
/// in some order.
pub fn spells(bytes: &[u8], characters: &str) -> bool {
    if let [byte] = bytes {
        return characters.as_bytes().contains(byte);
    }
    let mut texts = vec![bytes.to_vec()];
    texts.extend(without_rest_of_runs(bytes));
    // The characters of a run may be escaped.
    texts.extend(without_rest_of_runs(&replace(bytes, percent)));
    texts.extend(without_chunk_size(bytes));
    any_decoded(texts, |text| stands_for(text, characters))
}

/// Returns whether `bytes`, once they are decoded, are Base64 of a text that has one of `characters` once that is decoded.
pub fn hides(bytes: &[u8], characters: &str) -> bool {
    let has_one = |text: &[u8]| text.iter().any(|byte| characters.as_bytes().contains(byte));
    any_decoded(vec![bytes.to_vec()], |text| {
        base64(text).is_some_and(|plain| any_decoded(vec![plain], has_one))
    })
}

/// Returns whether one of the texts is what is looked for, as it is or decoded up to nine times, in some order.
fn any_decoded(mut texts: Vec<Vec<u8>>, is_it: impl Fn(&[u8]) -> bool) -> bool {
    let mut begin = 0;
    for _ in 0..=LAYERS {
        let end = texts.len();
        for at in begin..end {
            if is_it(&texts[at]) {
                return true;
            }
            for decode in DECODINGS {
                let decoded = decode(&texts[at]);
                if texts.len() < TEXTS && !texts.contains(&decoded) {
                    texts.push(decoded);
                }
            }
        }
        begin = end;
    }
    false
}

/// Decodes Base64 of either alphabet, with padding or without; what is left over of the last character does not count.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii_end();
    let digits = text.iter().take_while(|byte| **byte != b'=');
    let (mut bits, mut count, mut plain) = (0_u32, 0, Vec::new());
    for digit in digits {
        let six = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' | b' ' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            plain.push((bits >> count) as u8);
        }
    }
    (plain.len() >= 4).then_some(plain)
}

/// The text of evidence without the rest of the runs beyond ASCII at its edges. NFKC works on runs, so that an escape that begins
/// with the last character of a run, or ends with the first of one, has all of the run for evidence.
fn without_rest_of_runs(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (first, last) = (text.find(|c: char| c.is_ascii())?, text.rfind(|c: char| c.is_ascii())?);
    let (before, within, after) = (&text[..first], &text[first..=last], &text[last + 1..]);
    let kept: String =
        before.chars().next_back().into_iter().chain(within.chars()).chain(after.chars().next()).collect();
    (kept != text).then(|| kept.into_bytes())
}

/// The texts without the size of a chunk in them, where the chunk before lacks its line end: the size may begin at any of the
/// digits that the chunk ends with.
fn without_chunk_size(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (1..bytes.len()).filter_map(|at| {
        let (before, rest) = bytes.split_at(at);
        let (len, _) = chunk_size(rest)?;
        Some([before, &rest[len..]].concat())
    })
}

/// Returns whether a decoded text is made of the characters alone, or of runs beyond ASCII that have one that looks
/// like them (7.9). There may be several characters: ranges of evidence that touch are one range, and what NFKC changes
/// has the whole run beyond ASCII for evidence, since NFKC works on runs.
fn stands_for(text: &[u8], characters: &str) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    // A look-alike may be more than the character: U+2474 is `(1)`. In a structural field, NFKC may give a look-alike:
    // U+0149 is U+02BC and `n`.
    let is_like = |c: char| folded(c).contains(|folded| characters.contains(folded));
    let looks_like = |c: char| is_like(c) || nfkc(c).contains(is_like);
    let is_one = |c: char| c.is_ascii() && characters.contains(c);
    let is_run =
        |run: &str| run.is_empty() || !run.contains(|c: char| c.is_ascii()) && run.contains(looks_like);
    !text.is_empty() && text.split(is_one).all(is_run)
}

type Decoding = fn(&[u8]) -> Vec<u8>;

const DECODINGS: [Decoding; 9] = [
    |text| replace(text, percent),
    |text| replace(text, entity),
    |text| replace(text, unclosed),
    |text| replace(text, overlong),
    |text| replace(text, script),
    |text| replace(text, quoted),
    |text| replace(text, quoted_printable),
    |text| replace(text, chunk_border),
    fold,
];

/// The escape that a text begins with: its length, and what it stands for.
type Escape = Option<(usize, Vec<u8>)>;

/// One pass over a text, with every escape replaced by what it stands for.
fn replace(text: &[u8], escape: fn(&[u8]) -> Escape) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        if let Some((len, decoded)) = escape(rest) {
            out.extend(decoded);
            rest = &rest[len..];
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

/// `%hh`.
fn percent(text: &[u8]) -> Escape {
    Some((3, vec![hex_byte(text.strip_prefix(b"%")?)?]))
}

/// `=hh` of quoted-printable, and `=` at the end of a line.
fn quoted_printable(text: &[u8]) -> Escape {
    let rest = text.strip_prefix(b"=")?;
    if rest.starts_with(b"\r\n") {
        return Some((3, Vec::new()));
    }
    Some((3, vec![hex_byte(rest)?]))
}

/// The end of a chunk and the size of the next: an escape may begin in one chunk and end in another.
fn chunk_border(text: &[u8]) -> Escape {
    let rest = text.strip_prefix(b"\r\n").or_else(|| text.strip_prefix(b"\n"))?;
    let (len, nothing) = chunk_size(rest)?;
    Some((text.len() - rest.len() + len, nothing))
}

/// The size of a chunk.
fn chunk_size(rest: &[u8]) -> Escape {
    let line = &rest[..=rest.iter().position(|&b| b == b'\n')?];
    let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let is_size = digits > 0 && matches!(line[digits], b';' | b'\r' | b'\n');
    is_size.then_some((line.len(), Vec::new()))
}

/// `&#n;`, `&#xh;` and names of HTML.
fn entity(text: &[u8]) -> Escape {
    let len = text.strip_prefix(b"&")?.iter().position(|&b| b == b';')? + 2;
    let whole = &text[..len];
    let Some(number) = whole.strip_prefix(b"&#") else {
        return Some((len, htmlize::ENTITIES.get(whole)?.to_vec()));
    };
    let number = &number[..number.len() - 1];
    let (digits, radix) = match number {
        [b'x' | b'X', digits @ ..] => (digits, 16),
        digits => (digits, 10),
    };
    Some((len, utf8(scalar(digits, radix)?)?))
}

/// `&#n` and `&#xh` with as many digits as there are, as browsers read them.
fn unclosed(text: &[u8]) -> Escape {
    let (prefix, radix) = match text {
        [b'&', b'#', b'x' | b'X', ..] => (3, 16),
        [b'&', b'#', ..] => (2, 10),
        _ => return None,
    };
    let digits = text[prefix..].iter().take_while(|b| char::from(**b).is_digit(radix)).count();
    let end = prefix + digits;
    let closed = usize::from(text.get(end) == Some(&b';'));
    Some((end + closed, utf8(scalar(&text[prefix..end], radix)?)?))
}

/// A character in more bytes of UTF-8 than it needs.
fn overlong(text: &[u8]) -> Escape {
    let len = match text {
        [0xC0 | 0xC1, ..] => 2,
        [0xE0, 0x80..=0x9F, ..] => 3,
        [0xF0, 0x80..=0x8F, ..] => 4,
        _ => return None,
    };
    let (first, more) = text.get(..len)?.split_first()?;
    let code = more.iter().try_fold(u32::from(first & 1), |code, byte| {
        (byte >> 6 == 2).then_some(code << 6 | u32::from(byte & 0x3F))
    })?;
    Some((len, utf8(code)?))
}

/// `\xhh`, `\uhhhh` and `\u{h…}`.
fn script(text: &[u8]) -> Escape {
    match text.strip_prefix(b"\\")? {
        [b'x', rest @ ..] => Some((4, utf8(scalar(rest.get(..2)?, 16)?)?)),
        [b'u', b'{', rest @ ..] => {
            let len = rest.iter().position(|&b| b == b'}').filter(|len| *len <= 6)?;
            Some((len + 4, utf8(scalar(&rest[..len], 16)?)?))
        }
        [b'u', rest @ ..] => {
            let high = scalar(rest.get(..4)?, 16)?;
            if let Some(decoded) = utf8(high) {
                return Some((6, decoded));
            }
            // Two halves of a character beyond U+FFFF.
            let low = scalar(rest.get(4..)?.strip_prefix(b"\\u")?.get(..4)?, 16)?;
            let pair =
                char::decode_utf16([u16::try_from(high).ok()?, u16::try_from(low).ok()?]).next()?.ok()?;
            Some((12, pair.to_string().into_bytes()))
        }
        _ => None,
    }
}

/// A backslash before a sign: JSON, and the quoted strings of headers.
fn quoted(text: &[u8]) -> Escape {
    match text {
        [b'\\', sign, ..] if sign.is_ascii_punctuation() => Some((2, vec![*sign])),
        _ => None,
    }
}

/// Every character beyond ASCII as what it is taken for; bytes that are not UTF-8 stay.
fn fold(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            out.extend(if c.is_ascii() { c.to_string() } else { folded(c) }.bytes());
        }
        out.extend(chunk.invalid());
    }
    out
}

/// A character's entry in `best-fit.txt`, else its NFKC. The quotation marks of typography stay (7.9).
fn folded(c: char) -> String {
    static ENTRIES: LazyLock<BTreeMap<char, String>> = LazyLock::new(|| {
        let entry = |line: &str| {
            let (code, to) = line.strip_prefix("U+")?.split_once(' ')?;
            Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, to.to_owned()))
        };
        BEST_FIT.lines().filter_map(entry).collect()
    });
    if ('\u{2018}'..='\u{201D}').contains(&c) {
        return c.to_string();
    }
    ENTRIES.get(&c).cloned().unwrap_or_else(|| nfkc(c))
}

fn nfkc(c: char) -> String {
    ComposingNormalizerBorrowed::new_nfkc().normalize(c.encode_utf8(&mut [0; 4])).into_owned()
}

fn hex_byte(text: &[u8]) -> Option<u8> {
    u8::try_from(scalar(text.get(..2)?, 16)?).ok()
}

/// A number of digits alone, with any number of zeros before it.
fn scalar(digits: &[u8], radix: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u32, |number, digit| {
        number.checked_mul(radix)?.checked_add(char::from(*digit).to_digit(radix)?)
    })
}

fn utf8(number: u32) -> Option<Vec<u8>> {
    Some(char::from_u32(number)?.to_string().into_bytes())
}
