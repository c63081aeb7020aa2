//! Lists of the items that nearly all clients send: read once, as numbers that sort as they are written.

use crate::bytes::Positions;
use crate::known_headers::Kind;

/// A list of more items is read item by item.
const MOST_COMMON: usize = 16;
/// A longer list is read item by item.
const LONGEST_COMMON: usize = 256;

/// The media types and charsets that clients ask for, as they are sorted. A list of these raises no flag and holds no credential; a
/// test tries each beside each.
pub(in crate::headers) const COMMON_TYPES: [&[u8]; 45] = [
    b"application/atom+xml",
    b"application/font-woff",
    b"application/font-woff2",
    b"application/javascript",
    b"application/json",
    b"application/ld+json",
    b"application/octet-stream",
    b"application/pdf",
    b"application/rss+xml",
    b"application/signed-exchange",
    b"application/vnd.api+json",
    b"application/vnd.github+json",
    b"application/vnd.github.v3+json",
    b"application/x-ms-application",
    b"application/x-ndjson",
    b"application/x-protobuf",
    b"application/xhtml+xml",
    b"application/xml",
    b"application/xml-dtd",
    b"audio/webm",
    b"image/apng",
    b"image/avif",
    b"image/gif",
    b"image/jpeg",
    b"image/pjpeg",
    b"image/png",
    b"image/svg+xml",
    b"image/webp",
    b"image/x-xbitmap",
    b"iso-8859-1",
    b"text/css",
    b"text/csv",
    b"text/event-stream",
    b"text/html",
    b"text/javascript",
    b"text/plain",
    b"text/xml",
    b"utf-8",
    b"application/*",
    b"audio/*",
    b"image/*",
    b"text/*",
    b"video/*",
    b"*",
    b"*/*",
];

/// The codings that clients ask for, in the order of their names.
pub(in crate::headers) const COMMON_CODINGS: [&[u8]; 11] = [
    b"*",
    b"br",
    b"compress",
    b"deflate",
    b"gzip",
    b"identity",
    b"sdch",
    b"x-compress",
    b"x-deflate",
    b"x-gzip",
    b"zstd",
];

/// The languages that clients ask for, with any region.
pub(in crate::headers) const COMMON_LANGUAGES: [[u8; 2]; 24] = [
    *b"en", *b"es", *b"de", *b"fr", *b"it", *b"pt", *b"nl", *b"pl", *b"ru", *b"uk", *b"ja", *b"ko", *b"zh",
    *b"tr", *b"sv", *b"da", *b"nb", *b"fi", *b"cs", *b"ca", *b"ar", *b"he", *b"vi", *b"th",
];

/// The letters that may follow each letter in a common language, a bit each.
const LANGUAGES: [u32; 32] = {
    let mut rows = [0; 32];
    let mut nth = 0;
    while nth < COMMON_LANGUAGES.len() {
        let [first, second] = COMMON_LANGUAGES[nth];
        rows[(first & 31) as usize] |= 1 << (second & 31);
        nth += 1;
    }
    rows
};

/// No name of these is longer.
const LONGEST_NAME: usize = 32;

/// Finds a name among those of a kind by its hash.
struct Places<const COUNT: usize> {
    /// Places in the table of names, from one on; zero where none is.
    slots: [u8; 256],
    /// Each with its length, and zeros behind it.
    names: [([u8; LONGEST_NAME], u8); COUNT],
}

static TYPES: Places<45> = Places::new(COMMON_TYPES);
static CODINGS: Places<11> = Places::new(COMMON_CODINGS);

impl<const COUNT: usize> Places<COUNT> {
    #[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs at compile time")]
    const fn new(all: [&'static [u8]; COUNT]) -> Self {
        let (mut slots, mut names) = ([0; 256], [([0; LONGEST_NAME], 0); COUNT]);
        let mut nth = 0;
        while nth < COUNT {
            let name = all[nth];
            let mut at = 0;
            while at < name.len() {
                names[nth].0[at] = name[at];
                at += 1;
            }
            names[nth].1 = at as u8;
            let mut slot = slot(name.len(), name[0], name[name.len() / 2], name[name.len() - 1]);
            while slots[slot] != 0 {
                slot = (slot + 1) % 256;
            }
            slots[slot] = nth as u8 + 1;
            nth += 1;
        }
        Places { slots, names }
    }

    /// The place of a name in the table.
    fn get(&self, name: &[u8]) -> Option<usize> {
        let (first, middle, last) = (name.first()?, name.get(name.len() / 2)?, name.last()?);
        let mut slot = slot(name.len(), *first, *middle, *last);
        loop {
            let nth = usize::from(*self.slots.get(slot)?).checked_sub(1)?;
            let (known, len) = self.names.get(nth)?;
            if known.get(..usize::from(*len))? == name {
                return Some(nth);
            }
            slot = slot.wrapping_add(1) % 256;
        }
    }
}

/// The slot of a name by its length and three of its bytes.
const fn slot(len: usize, first: u8, middle: u8, last: u8) -> usize {
    let key = (len as u32) << 24 | (first as u32) << 16 | (middle as u32) << 8 | last as u32;
    (key.wrapping_mul(0x9E37_79B1) >> 24) as usize
}

/// A list of common items: each a number, in the order in which they are written.
struct Common {
    keys: [u64; MOST_COMMON],
    len: usize,
    /// The blanks between items.
    blanks: usize,
}

impl Common {
    /// Reads a list of nothing but common items, with a space or none between them; `None` for others. It is filled where it is.
    #[allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and a count of its items")]
    fn read(&mut self, text: &[u8], kind: Kind) -> Option<()> {
        if text.len() > LONGEST_COMMON {
            return None;
        }
        let ends = Positions::of([b',', b';'], text);
        let mut at = 0;
        loop {
            let end = ends.next(at).unwrap_or(text.len());
            let name = text.get(at..end)?;
            let mut quality = None;
            at = end;
            while text.get(at) == Some(&b';') {
                let end = ends.next(at + 1).unwrap_or(text.len());
                match text.get(at + 1..end)? {
                    [b'q', b'=', value @ ..] if quality.is_none() => quality = Some(common_quality(value)?),
                    b"v=b3" if kind == Kind::Accept => {}
                    _ => return None,
                }
                at = end;
            }
            *self.keys.get_mut(self.len)? = key(name, quality.unwrap_or(1000), kind)?;
            self.len += 1;
            match text.get(at..)? {
                [] => return Some(()),
                [_, b' ', ..] => {
                    self.blanks += 1;
                    at += 2;
                }
                _ => at += 1,
            }
        }
    }
}

/// The quality of a common item in thousandths: no more than two decimals, as in `0.75`; `None` for others.
fn common_quality(value: &[u8]) -> Option<u64> {
    let tenth = |digit: u8| u64::from(digit.wrapping_sub(b'0'));
    match *value {
        [b'0', b'.', tenths @ b'0'..=b'9'] => Some(tenth(tenths).wrapping_mul(100)),
        [b'0', b'.', tenths @ b'0'..=b'9', hundredths @ b'0'..=b'9'] => {
            Some(tenth(tenths).wrapping_mul(100).wrapping_add(tenth(hundredths).wrapping_mul(10)))
        }
        [b'1'] | [b'1', b'.', b'0'] => Some(1000),
        [b'0'] => Some(0),
        _ => None,
    }
}

/// The number of a common item, by which a list of a kind is sorted; it tells the item.
fn key(name: &[u8], quality: u64, kind: Kind) -> Option<u64> {
    let refused = 1000_u64.saturating_sub(quality);
    match kind {
        Kind::Accept => Some((TYPES.get(name)? as u64) << 16 | refused),
        Kind::AcceptEncoding => Some((CODINGS.get(name)? as u64) << 16 | u64::from(quality == 0)),
        _ => {
            let tag = match *name {
                [b'*'] => [b'*', 0, 0, 0, 0],
                [a, b] if is_common_language(a, b) => [a, b, 0, 0, 0],
                [a, b, b'-', c, d]
                    if is_common_language(a, b) && c.is_ascii_alphabetic() && d.is_ascii_alphabetic() =>
                {
                    [a, b, b'-', c.to_ascii_uppercase(), d.to_ascii_uppercase()]
                }
                _ => return None,
            };
            let [a, b, c, d, e] = tag;
            Some(refused << 48 | u64::from_be_bytes([0, 0, a, b, c, d, e, 0]))
        }
    }
}

fn is_common_language(first: u8, second: u8) -> bool {
    let row = LANGUAGES.get(usize::from(first & 31)).copied().unwrap_or_default();
    first.is_ascii_lowercase() && second.is_ascii_lowercase() && row >> (second & 31) & 1 != 0
}

/// Writes a list of nothing but common items, which raises no flag and holds no credential; returns how many blanks of it its
/// normaliser drops. `None` for others, of which nothing is written.
pub(in crate::headers) fn write_common(text: &[u8], kind: Kind, out: &mut Vec<u8>) -> Option<usize> {
    if !matches!(kind, Kind::Accept | Kind::AcceptEncoding | Kind::AcceptLanguage) {
        return None;
    }
    let mut common = Common { keys: [0; MOST_COMMON], len: 0, blanks: 0 };
    common.read(text, kind)?;
    let keys = common.keys.get_mut(..common.len)?;
    keys.sort_unstable();
    let mut last = None;
    for key in keys.iter().copied().filter(|key| last.replace(*key) != Some(*key)) {
        let (place, low) = ((key >> 16) as usize, (key & 0xFFFF) as u16);
        match kind {
            Kind::Accept => {
                let (name, len) = TYPES.names.get(place)?;
                write_item(*name, *len, Some(1000_u16.saturating_sub(low)), out);
            }
            Kind::AcceptEncoding => {
                let (name, len) = CODINGS.names.get(place)?;
                write_item(*name, *len, (low != 0).then_some(0), out);
            }
            _ => {
                let [_, _, tag @ .., _] = key.to_be_bytes();
                let len = match tag {
                    [_, 0, ..] => 1,
                    [_, _, 0, ..] => 2,
                    _ => 5,
                };
                let mut name = [0; LONGEST_NAME];
                if let Some(place) = name.first_chunk_mut() {
                    *place = tag;
                }
                write_item(name, len, Some(1000_u16.saturating_sub((key >> 48) as u16)), out);
            }
        }
    }
    // Behind each item there is a space.
    out.pop();
    Some(common.blanks)
}

/// Writes a name of `len` bytes, its quality, of which there are no thousandths, and a space. All of it is copied at once.
#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "a length in bytes, and decimals")]
fn write_item(name: [u8; LONGEST_NAME], len: u8, quality: Option<u16>, out: &mut Vec<u8>) {
    let mut item = [0; LONGEST_NAME + 8];
    if let Some(place) = item.first_chunk_mut() {
        *place = name;
    }
    let digit = |n: u16| b'0'.saturating_add((n % 10) as u8);
    let (rest, rest_len) = match quality {
        None => ([b' ', 0, 0, 0, 0, 0, 0], 1),
        Some(q) if q % 100 == 0 => ([b';', b'q', digit(q / 1000), b'.', digit(q / 100), b' ', 0], 6),
        Some(q) => ([b';', b'q', digit(q / 1000), b'.', digit(q / 100), digit(q / 10), b' '], 7),
    };
    if let Some(place) = item.get_mut(usize::from(len)..).and_then(|behind| behind.first_chunk_mut()) {
        *place = rest;
    }
    let end = out.len() + usize::from(len) + rest_len;
    out.extend_from_slice(&item);
    out.truncate(end);
}
