//! Seeing through gzip and zstd, also where several compressed files were joined.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::record::Reason;

/// How much of an input decides what it is.
const MAGIC_LEN: u64 = 4;
/// RFC 1952, 2.3.1, and the only method there is.
const GZIP: &[u8] = b"\x1F\x8B\x08";
/// RFC 8878, 3.1.1.
const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD";

/// The input behind its compression, if there is one.
pub(crate) fn see_through(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::new();
    (&mut input).take(MAGIC_LEN).read_to_end(&mut magic)?;
    let is_gzip = magic.starts_with(GZIP);
    let is_zstd = magic.starts_with(ZSTD);
    let whole = Cursor::new(magic).chain(input);
    Ok(if is_gzip {
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(64 << 10, whole)))
    } else if is_zstd {
        Box::new(Zstd {
            input: BufReader::with_capacity(64 << 10, whole),
            frame: FrameDecoder::new(),
            is_within: false,
        })
    } else {
        Box::new(whole)
    })
}

/// Why an input ended before its end.
pub(crate) fn reason(error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data ends early; what came before it was read".into(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            "the compressed data is damaged; what came before the damage was read".into()
        }
        kind => format!("the input fails: {kind}").into(),
    }
}

type Rest = BufReader<Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>>;

/// Frames of zstd, one after another.
struct Zstd {
    input: Rest,
    frame: FrameDecoder,
    is_within: bool,
}

impl Zstd {
    /// Goes on to the next frame; whether there is one.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.frame.init(&mut self.input) {
                Ok(()) => {
                    self.is_within = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut (&mut self.input).take(u64::from(length)), &mut io::sink())?;
                }
                Err(_) => return Err(self.fault()),
            }
        }
        Ok(false)
    }

    /// Whether a fault is damage or the end of the input.
    fn fault(&mut self) -> io::Error {
        match self.input.fill_buf() {
            Ok([]) => io::ErrorKind::UnexpectedEof.into(),
            Ok(_) => io::ErrorKind::InvalidData.into(),
            Err(error) => error,
        }
    }
}

impl Read for Zstd {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_within && !self.next_frame()? {
                return Ok(0);
            }
            if self.frame.can_collect() > 0 {
                return self.frame.read(out);
            }
            if self.frame.is_finished() {
                let told = self.frame.get_checksum_from_data();
                if told.is_some() && told != self.frame.get_calculated_checksum() {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                self.is_within = false;
                continue;
            }
            if self.frame.decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1)).is_err() {
                return Err(self.fault());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> (Vec<u8>, Option<io::Error>) {
        let mut out = Vec::new();
        let mut input = see_through(Box::new(Cursor::new(bytes.to_vec()))).unwrap();
        let error = input.read_to_end(&mut out).err();
        (out, error)
    }

    #[test]
    fn plain_gzip_and_zstd_read_alike_also_joined() {
        for bytes in [&b""[..], b"a", b"abcd", b"plain text"] {
            assert!(matches!(read(bytes), (out, None) if out == bytes));
        }
        let skipped = b"\x50\x2A\x4D\x18\x03\0\0\0xyz".to_vec();
        for joined in [
            [gzip(b"one "), gzip(b"two")].concat(),
            [zstd(b"one "), zstd(b"two")].concat(),
            [zstd(b"one "), skipped, zstd(b"two")].concat(),
        ] {
            let (out, error) = read(&joined);
            assert_eq!(out, b"one two");
            assert!(error.is_none());
        }
    }

    #[test]
    fn what_is_cut_or_damaged_says_so() {
        let text: Vec<u8> = (0..200_000_u32).flat_map(|n| (n % 251).to_le_bytes()).collect();
        for whole in [gzip(&text), zstd(&text)] {
            let (out, error) = read(&whole[..whole.len() / 2]);
            assert!(text.starts_with(&out));
            assert!(reason(&error.unwrap()).contains("ends early"));
            let mut damaged = whole.clone();
            let middle = damaged.len() / 2;
            damaged[middle..middle + 9].fill(0xFF);
            assert!(read(&damaged).1.is_some());
        }
    }
}
