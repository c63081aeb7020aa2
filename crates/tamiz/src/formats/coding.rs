//! Content codings and charsets (clause 8.30): their names, and how codings are undone, within limits.

use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::Crc;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_COMPUTE_ADLER32, TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_PARSE_ZLIB_HEADER,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::bytes;
use crate::context::Context;
use crate::steps;
use crate::text::{Builder, Text};

/// More codings than this are not undone.
pub(crate) const MOST: usize = 4;

/// How much is inflated at a time.
const STEP: usize = 16 * 1024;

/// RFC 1951 section 2: how far back a stream may refer.
const WINDOW: usize = 32 * 1024;

/// RFC 9659 section 3: the largest window of the coding `zstd`.
const ZSTD_WINDOW: u64 = 8 * 1024 * 1024;

/// The result of decoding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Inflated {
    /// The decoded text; where there was more than the limit, its beginning.
    Text { capped: bool },
    /// The body is not what its coding says it is.
    Failed,
    /// The coding is none of those that are undone.
    NotUndone,
}

/// The words of a `content-encoding`, in the order they were applied: `gzip`, `deflate`, `br`,
/// `zstd`, `compress`, or `other`.
pub(crate) fn codings(header: &[u8]) -> impl Iterator<Item = &'static str> {
    header.split(|&b| b == b',').map(bytes::trim).filter_map(|name| {
        let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
        match name {
            [] => None,
            _ if is(&["identity"]) => None,
            _ if is(&["gzip", "x-gzip"]) => Some("gzip"),
            _ if is(&["deflate"]) => Some("deflate"),
            _ if is(&["br"]) => Some("br"),
            _ if is(&["zstd"]) => Some("zstd"),
            _ if is(&["compress", "x-compress"]) => Some("compress"),
            _ => Some("other"),
        }
    })
}

/// `text`, which was cut short, without the beginning of a character that the cut left at its end.
#[allow(clippy::arithmetic_side_effects, reason = "what is taken off is a part of it")]
pub(crate) fn without_half_character(text: Text<'_>) -> Text<'_> {
    for len in 1..=3.min(text.len()) {
        let whole = text.len() - len;
        let tail = text.bytes.get(whole..).unwrap_or_default();
        let starts_character = tail.first().is_some_and(|&b| b >= 0xC0);
        if starts_character && std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none()) {
            return text.slice(0..whole);
        }
    }
    text
}

/// The layers of a body that codings are undone of, one after the other: only the last is kept.
pub(crate) struct Layers<'a> {
    body: Text<'a>,
    /// The last, once there is one, and memory for the next.
    last: Option<Vec<u8>>,
    spare: Vec<u8>,
}

impl<'a> Layers<'a> {
    pub(crate) fn new(body: Text<'a>) -> Self {
        Layers { body, last: None, spare: Vec::new() }
    }

    /// Undoes one coding more, by a word of [`codings`], as far as `most` bytes.
    pub(crate) fn undo(&mut self, coding: &'static str, most: usize) -> Inflated {
        let mut bytes = std::mem::take(&mut self.spare);
        bytes.clear();
        let mut output = Output { bytes, most };
        let input = self.last.as_deref().unwrap_or(self.body.bytes);
        let end = match coding {
            "gzip" | "x-gzip" => gunzip(input, &mut output),
            "deflate" => inflate_deflate(input, &mut output),
            "br" => unbrotli(input, &mut output),
            "zstd" => unzstd(input, &mut output),
            _ => return Inflated::NotUndone,
        };
        if end.is_none() && output.bytes.len() < most {
            return Inflated::Failed;
        }
        // A stream that breaks right at the limit had more to give, for all one can know.
        let capped = end.is_none() || output.is_full();
        output.bytes.truncate(most);
        self.spare = self.last.replace(output.bytes).unwrap_or_default();
        Inflated::Text { capped }
    }

    /// The evidence of a fault in what is left of the body: all of the body, unless there is nothing left.
    pub(crate) fn evidence(&self) -> Text<'a> {
        if self.last.as_ref().is_some_and(Vec::is_empty) { self.body.slice(0..0) } else { self.body }
    }

    /// Finishes the decoded body. All of it stands for all of the body.
    pub(crate) fn finish(self, cx: Context<'a>) -> Text<'a> {
        let Layers { body, last, spare } = self;
        drop(spare);
        let Some(last) = last else { return body };
        let mut builder = Builder::new(cx.bump, body.is_traced(), last.len());
        builder.put(&last, body);
        builder.finish()
    }
}

/// The output so far.
struct Output {
    bytes: Vec<u8>,
    most: usize,
}

impl Output {
    /// Appends bytes. Room grows by doubling, but never beyond what is needed when it is full.
    fn extend(&mut self, bytes: &[u8]) {
        let needed = self.bytes.len().saturating_add(bytes.len());
        if needed > self.bytes.capacity() {
            let most = self.most.saturating_add(WINDOW).max(needed);
            let room = self.bytes.capacity().saturating_mul(2).clamp(needed, most);
            self.bytes.reserve_exact(room.saturating_sub(self.bytes.len()));
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns whether there is more than the limit: nothing further is needed.
    fn is_full(&self) -> bool {
        self.bytes.len() > self.most
    }
}

/// The decoders below are `Some` when they came to the end of the stream or the output is full,
/// and `None` when the stream is broken or ends early. What follows a whole stream is left alone.
type End = Option<()>;

/// RFC 1952: one or more members.
fn gunzip(mut input: &[u8], output: &mut Output) -> End {
    let mut inflater = Inflater::new();
    loop {
        input = skip_gzip_header(input)?;
        let start = output.bytes.len();
        input = inflater.inflate(Wrapper::None, input, output)?;
        if output.is_full() {
            return Some(());
        }
        let mut crc = Crc::new();
        let inflated = output.bytes.get(start..)?;
        steps::count(inflated.len());
        crc.update(inflated);
        let (trailer, rest) = input.split_first_chunk::<8>()?;
        let expected = (u64::from(crc.amount()) << 32 | u64::from(crc.sum())).to_le_bytes();
        if *trailer != expected {
            return None;
        }
        input = rest;
        if !input.starts_with(b"\x1F\x8B\x08") {
            return Some(());
        }
    }
}

/// RFC 1952 section 2.3: what is behind the header of a member.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn skip_gzip_header(input: &[u8]) -> Option<&[u8]> {
    const HEADER_CRC: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    const RESERVED: u8 = 0b1110_0000;
    let [0x1F, 0x8B, 8, flags, _, _, _, _, _, _, rest @ ..] = input else {
        return None;
    };
    let mut rest = rest;
    if flags & RESERVED != 0 {
        return None;
    }
    if flags & EXTRA != 0 {
        let (len, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(usize::from(u16::from_le_bytes(*len))..)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            rest = rest.get(bytes::position(0, rest)? + 1..)?;
        }
    }
    if flags & HEADER_CRC != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

/// The coding `deflate`: RFC 1950, and the bare RFC 1951 that some clients send under its name.
fn inflate_deflate(input: &[u8], output: &mut Output) -> End {
    let has_zlib_header = matches!(input, [method, flags, ..]
        if method & 15 == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0);
    let mut inflater = Inflater::new();
    if has_zlib_header {
        let end = inflater.inflate(Wrapper::Zlib, input, output);
        if end.is_some() || output.bytes.len() >= output.most {
            return end.map(|_| ());
        }
        output.bytes.clear();
    }
    inflater.inflate(Wrapper::None, input, output).map(|_| ())
}

/// The wrapper around a stream of RFC 1951.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapper {
    None,
    /// RFC 1950.
    Zlib,
}

/// Inflates streams one after the other in the same memory. A stream costs no more to begin than it and the one before
/// it are long: many short ones may be in one body.
struct Inflater {
    decoder: Box<DecompressorOxide>,
    /// The end of what was inflated, which the stream may refer to; zero where nothing was.
    window: Vec<u8>,
    /// How much of the window the last stream has written to.
    written: usize,
}

impl Inflater {
    fn new() -> Self {
        Inflater { decoder: Box::default(), window: vec![0; WINDOW], written: 0 }
    }

    /// Inflates one stream; returns the input behind it.
    #[allow(clippy::arithmetic_side_effects, reason = "offsets into the window; it is not empty")]
    fn inflate<'i>(&mut self, wrapper: Wrapper, input: &'i [u8], output: &mut Output) -> Option<&'i [u8]> {
        self.decoder.init();
        self.window.iter_mut().take(self.written).for_each(|byte| *byte = 0);
        self.written = 0;
        let flags = TINFL_FLAG_HAS_MORE_INPUT
            | match wrapper {
                Wrapper::None => 0,
                Wrapper::Zlib => TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_COMPUTE_ADLER32,
            };
        let (mut rest, mut at) = (input, 0);
        loop {
            let (status, read, filled) = decompress(&mut self.decoder, rest, &mut self.window, at, flags);
            steps::count(read);
            rest = rest.get(read..)?;
            output.extend(self.window.get(at..at + filled)?);
            self.written = self.written.max(at + filled);
            at = (at + filled) % WINDOW;
            match status {
                _ if output.is_full() => return Some(rest),
                TINFLStatus::Done => return Some(rest),
                TINFLStatus::HasMoreOutput => {}
                _ => return None,
            }
        }
    }
}

/// RFC 7932, without the large windows that are no part of it.
fn unbrotli(input: &[u8], output: &mut Output) -> End {
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let mut buffer = vec![0; STEP];
    let (mut left, mut read, mut written) = (input.len(), 0, 0);
    loop {
        let (mut room, mut filled) = (buffer.len(), 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut read,
            input,
            &mut room,
            &mut filled,
            &mut buffer,
            &mut written,
            &mut state,
        );
        output.extend(buffer.get(..filled)?);
        match result {
            _ if output.is_full() => return Some(()),
            BrotliResult::ResultSuccess => return Some(()),
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput | BrotliResult::ResultFailure => return None,
        }
    }
}

/// RFC 8878: one or more frames, skippable ones among them.
fn unzstd(mut input: &[u8], output: &mut Output) -> End {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(ZSTD_WINDOW);
    let mut buffer = vec![0; STEP];
    loop {
        match decoder.init(&mut input) {
            Ok(()) => {
                inflate_frame(&mut decoder, &mut input, &mut buffer, output)?;
                if output.is_full() {
                    return Some(());
                }
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => input = input.get(usize::try_from(length).ok()?..)?,
            Err(_) => return None,
        }
        if !matches!(input, [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]) {
            return Some(());
        }
    }
}

fn inflate_frame(
    decoder: &mut FrameDecoder,
    input: &mut &[u8],
    buffer: &mut [u8],
    output: &mut Output,
) -> End {
    while !decoder.is_finished() {
        decoder.decode_blocks(&mut *input, BlockDecodingStrategy::UptoBlocks(1)).ok()?;
        while decoder.can_collect() > 0 {
            let filled = decoder.read(buffer).ok()?;
            output.extend(buffer.get(..filled)?);
            if output.is_full() {
                return Some(());
            }
        }
    }
    let is_sound = decoder
        .get_checksum_from_data()
        .is_none_or(|checksum| decoder.get_calculated_checksum() == Some(checksum));
    is_sound.then_some(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;
    use crate::context::tests::with_context;

    const PLAIN: &[u8] = b"user=alice&note=hello hello hello hello&role=admin";
    const BROTLI: &[u8] = b"\x131\x00\xF8E7\x97\xAA\xC9\xD2\xD6\x82\xC8@a88OAf\x91*\x0F\xA8\x02\x17\x8DQ\xDAf\x9E?1\x94\x1C\x92\xCF\x22.";
    /// A text compressed with a window of 32 MiB, which is no part of RFC 7932.
    const BROTLI_LARGE_WINDOW: &[u8] = b"\x11Y\xC4\x00\xE0\x17\xDD\x5C\xAA&K[\x0B\x22\x03\x85\xE1\xE0<\x05\x99E\xAA<@\x15p\xA11J\xDB\xCC\xF3'\x86\x92C\xF2Y\xC4\x05";
    /// 100 MiB of zeros.
    const BROTLI_BOMB: &[u8] = b"\xCF\xFF\xFF\x7F\x00$\x00\xE2\xB1@r\xEF\xFF\xF9\xFF\xFF\x0F\x80\x04@\x1C\x16\x80\xEE\xFD?\xFF\xFF\xFF\x01\x90\x00\x88\xC3\x02\xD0\xBD\xFF\xE7\xFF\xFF?\x00\x12\x00qX\x00\xBA\xF7\xFF\xFC\xFF\xFF\x07@\x02 \x0E\x0B@\xF7\xFE\x9F\xFF\xFF\xFF\x00H\x00\xC4a\x01\xE8\xDE\xFF\xE7\xFF\xFF\x0F\x00\x09\x808,\x00\xDD\xFB\x1F";
    const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD\x24\x32\x45\x01\x00\x14\x02user=alice&note=hello &role=admin\x01\x00\x32\x97\x26\x1E\xD6\x11\xFB";

    const CODINGS: [&str; 4] = ["gzip", "deflate", "br", "zstd"];

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(plain: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    /// A frame of `blocks` times 128 KiB of zeros.
    fn zstd_bomb(window: u8, blocks: usize) -> Vec<u8> {
        let mut frame = b"\x28\xB5\x2F\xFD\x00".to_vec();
        frame.push(window);
        for _ in 1..blocks {
            frame.extend_from_slice(b"\x02\x00\x10\x00");
        }
        frame.extend_from_slice(b"\x03\x00\x10\x00");
        frame
    }

    /// The bytes and whether they are all, or `None` where it fails.
    fn undo(body: &[u8], coding: &'static str, most: usize) -> Option<(Vec<u8>, bool)> {
        with_context(|cx| {
            let mut layers = Layers::new(Text::request(body, true));
            match layers.undo(coding, most) {
                Inflated::Text { capped } => {
                    let text = layers.finish(cx);
                    assert!(text.len() <= most);
                    if !text.is_empty() {
                        assert_eq!(text.whole_origin(), Some(0..body.len()), "all of it stands for all");
                        assert_eq!(text.origin(0..1), Some(0..body.len()));
                    }
                    Some((text.bytes.to_vec(), capped))
                }
                Inflated::Failed => None,
                Inflated::NotUndone => panic!("{coding} is undone"),
            }
        })
    }

    fn whole(plain: &[u8]) -> Option<(Vec<u8>, bool)> {
        Some((plain.to_vec(), false))
    }

    fn all_codings() -> [(&'static str, Vec<u8>); 6] {
        [
            ("gzip", gzip(PLAIN)),
            ("x-gzip", gzip(PLAIN)),
            ("deflate", zlib(PLAIN)),
            ("deflate", raw_deflate(PLAIN)),
            ("br", BROTLI.to_vec()),
            ("zstd", ZSTD.to_vec()),
        ]
    }

    #[test]
    fn each_is_undone() {
        for (coding, coded) in all_codings() {
            assert_eq!(undo(&coded, coding, 1 << 20), whole(PLAIN), "{coding}");
            assert_eq!(undo(&coded, coding, PLAIN.len()), whole(PLAIN), "{coding}: just enough");
            let some = Some((PLAIN[..20].to_vec(), true));
            assert_eq!(undo(&coded, coding, 20), some, "{coding}: capped");
        }
    }

    #[test]
    fn nothing_coded_is_nothing() {
        assert_eq!(undo(&gzip(b""), "gzip", 10), whole(b""));
        assert_eq!(undo(&zlib(b""), "deflate", 10), whole(b""));
        assert_eq!(undo(b"\x06", "br", 10), whole(b""));
        assert_eq!(undo(b"\x28\xB5\x2F\xFD\x20\x00\x01\x00\x00", "zstd", 10), whole(b""));
        assert_eq!(undo(b"\x50\x2A\x4D\x18\x02\x00\x00\x00xx", "zstd", 10), whole(b""), "a skippable frame");
    }

    #[test]
    fn some_are_not_undone() {
        for coding in ["compress", "other", "identity", ""] {
            let inflated = Layers::new(Text::request(b"abc", true)).undo(coding, 10);
            assert!(matches!(inflated, Inflated::NotUndone), "{coding}");
        }
    }

    #[test]
    fn members_and_frames_follow_each_other() {
        let two = [gzip(b"one,"), gzip(b"two")].concat();
        assert_eq!(undo(&two, "gzip", 100), whole(b"one,two"));
        let skippable = b"\x5F\x2A\x4D\x18\x02\x00\x00\x00xx";
        let frames = [skippable, ZSTD, skippable, ZSTD].concat();
        assert_eq!(undo(&frames, "zstd", 1000), whole(&[PLAIN, PLAIN].concat()));
        // The second member is a promise: a broken one breaks the whole.
        assert_eq!(undo(&two[..two.len() - 1], "gzip", 100), None);
    }

    #[test]
    fn what_follows_the_stream_is_left_alone() {
        for (coding, mut coded) in all_codings() {
            coded.extend_from_slice(b"\0\0garbage");
            assert_eq!(undo(&coded, coding, 1 << 20), whole(PLAIN), "{coding}");
        }
    }

    #[test]
    fn a_gzip_header_may_have_every_field() {
        let mut coded = b"\x1F\x8B\x08\x1E\0\0\0\0\0\x03\x02\0exname\0comment\0hc".to_vec();
        coded.extend_from_slice(&gzip(PLAIN)[10..]);
        assert_eq!(undo(&coded, "gzip", 1000), whole(PLAIN));
        for cut in 0..coded.len() {
            assert_eq!(undo(&coded[..cut], "gzip", 1000), None, "{cut}");
        }
        coded[3] |= 0x20;
        assert_eq!(undo(&coded, "gzip", 1000), None, "a reserved flag");
    }

    #[test]
    fn an_early_end_fails_unless_enough_is_there() {
        for (coding, coded) in all_codings() {
            for cut in 0..coded.len() {
                assert_eq!(undo(&coded[..cut], coding, 1 << 20), None, "{coding} cut at {cut}");
            }
        }
        let coded = gzip(&b"0123456789".repeat(1000));
        let start = undo(&coded[..coded.len() - 1], "gzip", 10_000);
        assert_eq!(start.map(|(text, capped)| (text.len(), capped)), Some((10_000, true)));
        assert_eq!(undo(&coded[..coded.len() - 1], "gzip", 10_001), None);
    }

    #[test]
    fn checksums_are_checked() {
        let spoil = |mut coded: Vec<u8>, from_end: usize| {
            let at = coded.len() - from_end;
            coded[at] ^= 1;
            coded
        };
        assert_eq!(undo(&spoil(gzip(PLAIN), 8), "gzip", 1000), None, "the CRC");
        assert_eq!(undo(&spoil(gzip(PLAIN), 4), "gzip", 1000), None, "the length");
        assert_eq!(undo(&spoil(zlib(PLAIN), 1), "deflate", 1000), None);
        assert_eq!(undo(&spoil(ZSTD.to_vec(), 1), "zstd", 1000), None);
    }

    #[test]
    fn other_bytes_fail() {
        for coding in CODINGS {
            for body in [&b""[..], b"{\"a\":1}", b"a=1&b=2", b"\x1F\x8B", b"\xFF\xFF\xFF\xFF", &[0; 100]] {
                assert_eq!(undo(body, coding, 1 << 20), None, "{coding} {body:?}");
            }
        }
        assert_eq!(undo(BROTLI_LARGE_WINDOW, "br", 1000), None);
        // A window of 16 MiB, and a single segment of 2^62 bytes.
        assert_eq!(undo(&zstd_bomb(14 << 3, 1), "zstd", 1 << 20), None);
        assert_eq!(undo(b"\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\0\0\x40\x03\0\x10\0", "zstd", 1 << 20), None);
    }

    #[test]
    fn random_bytes_do_no_harm() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize
        };
        for _ in 0..300 {
            for (coding, mut coded) in all_codings() {
                for _ in 0..1 + random() % 4 {
                    let at = random() % coded.len();
                    coded[at] = random() as u8;
                }
                undo(&coded, coding, 4096);
                let noise: Vec<u8> = (0..random() % 60).map(|_| random() as u8).collect();
                undo(&noise, coding, 4096);
            }
        }
    }

    #[test]
    fn bombs_are_capped_at_once() {
        let bombs = [
            ("gzip", gzip(&vec![0; 100 << 20])),
            ("br", BROTLI_BOMB.to_vec()),
            ("zstd", zstd_bomb(11 << 3, 800)),
            // All of the window is held back until it is full.
            ("zstd", zstd_bomb(13 << 3, 800)),
        ];
        for (coding, bomb) in bombs {
            let text = undo(&bomb, coding, 1 << 20);
            assert_eq!(text.map(|(text, capped)| (text.len(), capped)), Some((1 << 20, true)), "{coding}");
            let mut output = Output { bytes: Vec::new(), most: 1 << 20 };
            let end = match coding {
                "gzip" => gunzip(&bomb, &mut output),
                "br" => unbrotli(&bomb, &mut output),
                _ => unzstd(&bomb, &mut output),
            };
            assert_eq!(end, Some(()), "{coding}");
            // Inflating stops at the limit; the buffer, which doubles, may be filled before that is looked at.
            assert!(output.bytes.len() <= (2 << 20) + STEP, "{coding}: {} bytes", output.bytes.len());
        }
    }

    #[test]
    fn a_zstd_bomb_is_read_no_further_than_its_window() {
        for (window, len) in [(11 << 3, 2 << 20), (13 << 3, 8 << 20)] {
            let bomb = zstd_bomb(window, 800);
            let mut input = &bomb[..];
            let mut output = Output { bytes: Vec::new(), most: 1 << 20 };
            let mut decoder = FrameDecoder::new();
            decoder.init(&mut input).unwrap();
            inflate_frame(&mut decoder, &mut input, &mut [0; STEP], &mut output).unwrap();
            // Each block is 4 bytes long and gives 128 KiB.
            let blocks = (bomb.len() - input.len()) / 4;
            assert!(blocks <= (len + (1 << 20)) / (128 << 10) + 2, "{blocks} blocks");
        }
    }

    #[test]
    fn many_members_are_read_once() {
        let empty = gzip(b"").repeat(20_000);
        assert_eq!(undo(&empty, "gzip", 1 << 20), whole(b""));
        assert!(steps::of(|| drop(undo(&empty, "gzip", 1 << 20))) <= empty.len());
        let one = gzip(b"a");
        assert_eq!(undo(&one.repeat(20_000), "gzip", 1 << 20), whole(&b"a".repeat(20_000)));
        steps::assert_linear("members", 20_000, |many| drop(undo(&one.repeat(many), "gzip", 1 << 20)));
    }

    #[test]
    fn a_cap_goes_through_no_character() {
        let coded = gzip("aé€😀".as_bytes());
        let length = |most| {
            let (text, capped) = undo(&coded, "gzip", most).unwrap();
            assert!(capped);
            without_half_character(Text::untraced(&text)).len()
        };
        assert_eq!((1..10).map(length).collect::<Vec<_>>(), [1, 1, 3, 3, 3, 6, 6, 6, 6]);
        for (text, len) in [
            (&b"a\xE2\x82"[..], 1),
            (b"a\xFF", 2),
            (b"a\x82", 2),
            (b"\xF0\x9F\x98", 0),
            (b"\xE2\x82\xAC", 3),
            (b"a\xC0", 2),
            (b"", 0),
        ] {
            assert_eq!(without_half_character(Text::untraced(text)).len(), len, "{text:?}");
        }
    }

    #[test]
    fn words_of_content_encoding() {
        for (header, words) in [
            ("gzip", &["gzip"][..]),
            ("GZip , X-GZIP", &["gzip", "gzip"]),
            ("deflate,br,\tzstd", &["deflate", "br", "zstd"]),
            ("x-compress, compress", &["compress", "compress"]),
            ("identity", &[]),
            ("", &[]),
            (" ,,identity, ", &[]),
            ("aws-chunked, gzip;q=1, gzip2", &["other", "other", "other"]),
        ] {
            assert_eq!(codings(header.as_bytes()).collect::<Vec<_>>(), words, "{header}");
        }
        assert_eq!(codings(b"\xFF").collect::<Vec<_>>(), ["other"]);
    }
}
