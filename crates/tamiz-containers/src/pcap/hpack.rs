//! Header blocks of HTTP/2 (HPACK, RFC 7541), decoded one header at a time, so that a bomb is bounded by who takes them.

use std::borrow::Cow;
use std::collections::VecDeque;

/// RFC 7541, appendix A; index 1 is the first.
const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

/// RFC 7541, appendix B: how many bits the code of each byte has. The code is canonical, so that the lengths tell it:
/// codes of a length are consecutive, in the order of their bytes, and follow those of shorter ones. That of the end is
/// the last of all, and never written.
#[rustfmt::skip]
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

/// The longest code.
const LONGEST: usize = 30;

/// The code, made of the lengths at compile time.
static CODE: Code = Code::new();

/// The bytes in the order of their codes.
struct Code {
    /// By length: the first code of it, how many there are, and the place of the first one's byte.
    first: [u32; LONGEST + 1],
    count: [u32; LONGEST + 1],
    place: [u32; LONGEST + 1],
    bytes: [u8; 256],
}

impl Code {
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "runs at compile time, where either is an error"
    )]
    const fn new() -> Self {
        let mut code = Code {
            first: [0; LONGEST + 1],
            count: [0; LONGEST + 1],
            place: [0; LONGEST + 1],
            bytes: [0; 256],
        };
        let (mut len, mut next, mut place) = (1, 0, 0);
        while len <= LONGEST {
            next <<= 1;
            code.first[len] = next;
            code.place[len] = place;
            let mut byte = 0_usize;
            while byte < 256 {
                if LENGTHS[byte] as usize == len {
                    code.bytes[place as usize] = byte as u8;
                    place += 1;
                }
                byte += 1;
            }
            code.count[len] = place - code.place[len];
            next += code.count[len];
            len += 1;
        }
        // Nothing but the end is left.
        assert!(place == 256 && next == (1 << LONGEST) - 1);
        code
    }

    /// Returns the byte of a code.
    fn byte(&self, len: usize, code: u32) -> Option<u8> {
        let offset = code.checked_sub(*self.first.get(len)?)?;
        if offset >= *self.count.get(len)? {
            return None;
        }
        let place = self.place.get(len)?.checked_add(offset)?;
        self.bytes.get(usize::try_from(place).ok()?).copied()
    }
}

/// A name, of the table or written out, and a value, which is always written out.
type Header<'d, 'b> = (Cow<'d, [u8]>, Cow<'b, [u8]>);

/// A header block that cannot be decoded: the table of its connection is lost with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Undecodable;

/// One side of a connection: decodes its header blocks in order, with the table that they share.
pub(super) struct Decoder {
    /// The newest first.
    dynamic: VecDeque<(Vec<u8>, Vec<u8>)>,
    size: usize,
    /// How large the table may become, and how large it may be asked to become.
    limit: usize,
    largest: usize,
}

impl Decoder {
    /// Makes a decoder whose table may be asked to become `largest`.
    pub(super) fn new(largest: usize) -> Self {
        // RFC 9113, 6.5.2: the size before anybody says another.
        Decoder { dynamic: VecDeque::new(), size: 0, limit: 4096, largest }
    }

    /// Decodes a block, and hands over each header with its value.
    pub(super) fn decode(
        &mut self,
        block: &[u8],
        mut take: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), Undecodable> {
        let mut rest = block;
        let mut ends_with_size = false;
        // RFC 7541, 6: the first bits tell what comes.
        while let Some(&first) = rest.first() {
            ends_with_size = false;
            match first.leading_zeros() {
                0 => {
                    let (name, value) = self.entry(integer(&mut rest, 7)?)?;
                    take(name, value);
                }
                1 => {
                    let (name, value) = self.literal(&mut rest, 6)?;
                    take(&name, &value);
                    let (name, value) = (name.into_owned(), value.into_owned());
                    self.add(name, value);
                }
                2 => {
                    let limit = integer(&mut rest, 5)?;
                    if limit > self.largest {
                        return Err(Undecodable);
                    }
                    self.limit = limit;
                    self.evict();
                    ends_with_size = true;
                }
                _ => {
                    let (name, value) = self.literal(&mut rest, 4)?;
                    take(&name, &value);
                }
            }
        }
        // RFC 7541, 4.2: a size stands at the beginning.
        if ends_with_size { Err(Undecodable) } else { Ok(()) }
    }

    /// Returns what an index stands for (RFC 7541, 2.3.3).
    fn entry(&self, index: usize) -> Result<(&[u8], &[u8]), Undecodable> {
        let place = index.checked_sub(1).ok_or(Undecodable)?;
        if let Some((name, value)) = STATIC.get(place) {
            return Ok((name.as_bytes(), value.as_bytes()));
        }
        let entry = place.checked_sub(STATIC.len()).and_then(|place| self.dynamic.get(place));
        entry.map(|(name, value)| (name.as_slice(), value.as_slice())).ok_or(Undecodable)
    }

    /// Reads a header whose value, and maybe its name, is written out (RFC 7541, 6.2).
    fn literal<'d, 'b: 'd>(
        &'d self,
        rest: &mut &'b [u8],
        prefix: u32,
    ) -> Result<Header<'d, 'b>, Undecodable> {
        let name = match integer(rest, prefix)? {
            0 => string(rest)?,
            index => Cow::Borrowed(self.entry(index)?.0),
        };
        Ok((name, string(rest)?))
    }

    fn add(&mut self, name: Vec<u8>, value: Vec<u8>) {
        self.size = self.size.saturating_add(size_of_entry(&name, &value));
        self.dynamic.push_front((name, value));
        self.evict();
    }

    /// Lets go of the oldest, until the table is no larger than it may be (RFC 7541, 4.3).
    fn evict(&mut self) {
        while self.size > self.limit
            && let Some((name, value)) = self.dynamic.pop_back()
        {
            self.size = self.size.saturating_sub(size_of_entry(&name, &value));
        }
    }
}

/// RFC 7541, 4.1.
fn size_of_entry(name: &[u8], value: &[u8]) -> usize {
    name.len().saturating_add(value.len()).saturating_add(32)
}

/// Reads a number that begins in the last bits of a byte (RFC 7541, 5.1), of at most five bytes.
fn integer(rest: &mut &[u8], prefix: u32) -> Result<usize, Undecodable> {
    let (&first, mut after) = rest.split_first().ok_or(Undecodable)?;
    let mask = u8::MAX >> 8_u32.saturating_sub(prefix);
    let mut value = u32::from(first & mask);
    if first & mask == mask {
        for shift in [0, 7, 14, 21] {
            let (&byte, behind) = after.split_first().ok_or(Undecodable)?;
            after = behind;
            value = value.saturating_add(u32::from(byte & 0x7F) << shift);
            if byte & 0x80 == 0 {
                *rest = after;
                return usize::try_from(value).map_err(|_| Undecodable);
            }
        }
        return Err(Undecodable);
    }
    *rest = after;
    usize::try_from(value).map_err(|_| Undecodable)
}

/// Reads a text (RFC 7541, 5.2).
fn string<'b>(rest: &mut &'b [u8]) -> Result<Cow<'b, [u8]>, Undecodable> {
    let is_coded = rest.first().is_some_and(|first| first & 0x80 != 0);
    let len = integer(rest, 7)?;
    let (text, after) = rest.split_at_checked(len).ok_or(Undecodable)?;
    *rest = after;
    if is_coded { Ok(Cow::Owned(decoded(text)?)) } else { Ok(Cow::Borrowed(text)) }
}

/// Decodes the Huffman code. What is left of the last byte are at most seven bits, all of them set.
fn decoded(text: &[u8]) -> Result<Vec<u8>, Undecodable> {
    let mut out = Vec::with_capacity(text.len());
    let (mut code, mut len) = (0_u32, 0_usize);
    for &byte in text {
        for bit in (0..8).rev() {
            code = code << 1 | u32::from(byte >> bit & 1);
            len = len.saturating_add(1);
            if let Some(byte) = CODE.byte(len, code) {
                out.push(byte);
                (code, len) = (0, 0);
            } else if len >= LONGEST {
                return Err(Undecodable);
            }
        }
    }
    if len <= 7 && code.trailing_ones() as usize >= len { Ok(out) } else { Err(Undecodable) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loona_hpack::Encoder;
    use proptest::prelude::*;

    const LARGEST: usize = 1 << 20;

    type Headers = Vec<(Vec<u8>, Vec<u8>)>;

    fn ours(decoder: &mut Decoder, block: &[u8]) -> (Headers, bool) {
        let mut headers = Vec::new();
        let result = decoder.decode(block, |name, value| headers.push((name.to_vec(), value.to_vec())));
        (headers, result.is_ok())
    }

    fn theirs(decoder: &mut loona_hpack::Decoder<'_>, block: &[u8]) -> (Headers, bool) {
        let mut headers = Vec::new();
        let result =
            decoder.decode_with_cb(block, |name, value| headers.push((name.to_vec(), value.to_vec())));
        (headers, result.is_ok())
    }

    fn peer() -> loona_hpack::Decoder<'static> {
        let mut decoder = loona_hpack::Decoder::new();
        decoder.set_max_allowed_table_size(LARGEST);
        decoder
    }

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        data_encoding::HEXLOWER.decode(&digits).unwrap()
    }

    /// RFC 7541, C.4 and C.2.1: three requests with the Huffman code, and a literal without it.
    #[test]
    fn the_examples_of_the_specification() {
        let mut decoder = Decoder::new(LARGEST);
        for (block, expected) in [
            ("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", ":authority: www.example.com"),
            ("8286 84be 5886 a8eb 1064 9cbf", "cache-control: no-cache"),
            ("8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf", "custom-key: custom-value"),
        ] {
            let (headers, is_whole) = ours(&mut decoder, &hex(block));
            let (name, value) = headers.last().unwrap();
            let last = format!("{}: {}", String::from_utf8_lossy(name), String::from_utf8_lossy(value));
            assert_eq!((last.as_str(), is_whole), (expected, true));
        }
        assert_eq!(decoder.size, 164);
        let literal = hex("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572");
        assert_eq!(ours(&mut decoder, &literal).0, [(b"custom-key".to_vec(), b"custom-header".to_vec())]);
    }

    /// The longest codes, padding and the end, which no byte has.
    #[test]
    fn texts_end_as_they_must() {
        for (text, expected) in [
            (&[0x07_u8][..], Some(&b"0"[..])),
            (&[0x00], None),
            (&[0xFF], None),
            (&[0xFF; 4], None),
            (&[0xFF, 0xFF, 0xFF, 0xF3], Some(b"\n")),
            (&[], Some(b"")),
        ] {
            assert_eq!(decoded(text).ok().as_deref(), expected, "{text:?}");
        }
    }

    proptest! {
        /// Blocks of any bytes, several for one table, decode as by another implementation.
        #[test]
        fn any_bytes_decode_as_elsewhere(
            blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..6)
        ) {
            let (mut decoder, mut peer) = (Decoder::new(LARGEST), peer());
            for block in &blocks {
                let (ours, theirs) = (ours(&mut decoder, block), theirs(&mut peer, block));
                prop_assert_eq!(&ours, &theirs);
                if !ours.1 {
                    break;
                }
            }
        }

        /// Texts in the Huffman code, good ones and others.
        #[test]
        fn coded_texts_decode_as_elsewhere(text in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut block = vec![0x00, 0x01, b'a', 0x80 | u8::try_from(text.len()).unwrap()];
            block.extend_from_slice(&text);
            prop_assert_eq!(ours(&mut Decoder::new(LARGEST), &block), theirs(&mut peer(), &block));
        }

        /// What an encoder writes is read back, whatever the table lets go.
        #[test]
        fn encoded_headers_are_read_back(
            headers in prop::collection::vec(
                (prop::collection::vec(any::<u8>(), 0..20), prop::collection::vec(any::<u8>(), 0..900)), 0..30
            )
        ) {
            let block = Encoder::new().encode(headers.iter().map(|(name, value)| (&name[..], &value[..])));
            prop_assert_eq!(ours(&mut Decoder::new(LARGEST), &block), (headers, true));
        }
    }
}
