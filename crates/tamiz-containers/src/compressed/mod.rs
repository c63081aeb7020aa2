//! Seeing through gzip, zstd, bzip2 and xz, also where several compressed files were joined.

mod damage;

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::ahead::Ahead;
use crate::container::Options;
use crate::memory::Promise;
use crate::record::Reason;
use damage::Damage;
pub(crate) use damage::reason;

/// As many bytes of an input as decide what it is.
const MAGIC_LEN: u64 = 6;
/// RFC 1952, 2.3.1, and the only method there is.
const GZIP: &[u8] = b"\x1F\x8B\x08";
/// RFC 8878, 3.1.1.
const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD";

/// The first bytes of bzip2, with the size of its blocks and what begins one or ends all.
const BZIP2: &[u8] = b"BZh";
/// Of xz (The .xz File Format, 2.1.1.1).
const XZ: &[u8] = b"\xFD7zXZ\0";
/// The most memory that a dictionary of xz may take, in KiB.
const XZ_MEMORY: u32 = 256 << 10;
/// The memory that xz gets in any case, in KiB.
const XZ_LEAST: u32 = 8 << 10;

/// A fault behind the last whole byte of an input: told once all of it was read.
pub(crate) type Trailing = Arc<OnceLock<Reason>>;

/// The input behind its compression, if there is one.
pub(crate) fn see_through(
    mut input: Box<dyn Read + Send>,
    trailing: &Trailing,
) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::new();
    (&mut input).take(MAGIC_LEN).read_to_end(&mut magic)?;
    let is_gzip = magic.starts_with(GZIP);
    let is_zstd = magic.starts_with(ZSTD);
    let is_bzip2 = magic.starts_with(BZIP2)
        && magic.get(3).is_some_and(|size| (b'1'..=b'9').contains(size))
        && matches!(magic.get(4), Some(b'1' | 0x17));
    let is_xz = magic.starts_with(XZ);
    let read = Arc::new(AtomicU64::new(0));
    let whole = Cursor::new(magic).chain(input);
    let buffered =
        |whole| BufReader::with_capacity(64 << 10, Counted { input: whole, read: Arc::clone(&read) });
    let expanded: Box<dyn Read + Send> = if is_gzip {
        Box::new(Gzip { member: Some(GzDecoder::new(buffered(whole))), trailing: Arc::clone(trailing) })
    } else if is_zstd {
        Box::new(Zstd { input: buffered(whole), frame: FrameDecoder::new(), is_within: false })
    } else if is_bzip2 {
        Box::new(Located { input: MultiBzDecoder::new(buffered(whole)), read: Arc::clone(&read) })
    } else if is_xz {
        // No more than there is: a dictionary that is larger is refused.
        let mut most = XZ_MEMORY;
        while most > XZ_LEAST && Promise::for_copies((most as usize) << 10, 1).is_none() {
            most /= 2;
        }
        let input = XzReader::new_mem_limit(buffered(whole), true, most);
        Box::new(Located { input, read: Arc::clone(&read) })
    } else {
        return Ok(Box::new(whole));
    };
    Ok(Ahead::begin(Box::new(Bounded { input: expanded, packed: read, given: 0 })))
}

/// Ends data that expands as only bombs do.
pub(crate) struct Bounded {
    input: Box<dyn Read + Send>,
    /// The number of bytes that there are of it, or were read, before it expands.
    packed: Arc<AtomicU64>,
    given: u64,
}

impl Bounded {
    pub(crate) fn new(input: Box<dyn Read + Send>, packed: u64) -> Self {
        Bounded { input, packed: Arc::new(AtomicU64::new(packed)), given: 0 }
    }
}

/// Returns whether so many bytes that come of `packed` ones are more than data ever gives.
pub(crate) fn is_bomb(packed: u64, given: u64) -> bool {
    given > packed.saturating_mul(Options::MOST_EXPANSION).max(Options::FREE_EXPANSION)
}

impl Read for Bounded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if is_bomb(self.packed.load(Ordering::Relaxed), self.given) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, Damage::Bomb));
        }
        let len = self.input.read(out)?;
        self.given = self.given.saturating_add(len as u64);
        Ok(len)
    }
}

/// Tells about where in the file an error is.
struct Located<R> {
    input: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Located<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.input.read(out).map_err(|error| {
            let at = self.read.load(Ordering::Relaxed);
            match error.kind() {
                io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), Damage::EndsEarly(at)),
                io::ErrorKind::Interrupted => error,
                _ => io::Error::new(io::ErrorKind::InvalidData, Damage::Damaged(at)),
            }
        })
    }
}

/// Says that an entry is cut since its archive is.
pub(crate) fn archive_ends() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, Damage::ArchiveEnds)
}

/// Returns whether bytes begin as compressed ones do.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    [GZIP, ZSTD, BZIP2, XZ].iter().any(|magic| bytes.starts_with(magic))
}

/// Counts what passes.
struct Counted {
    input: Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.input.read(buffer)?;
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}

type Rest = BufReader<Counted>;

/// Counts the bytes of the file that were taken.
fn position(rest: &Rest) -> u64 {
    rest.get_ref().read.load(Ordering::Relaxed).saturating_sub(rest.buffer().len() as u64)
}

/// Members of gzip, one after another (RFC 1952, 2.2).
struct Gzip {
    /// `None` behind the last.
    member: Option<GzDecoder<Rest>>,
    trailing: Trailing,
}

impl Gzip {
    /// Goes on to the next member, if there is one. Zeros behind the last are what tapes and blocks are filled with.
    fn next_member(&mut self) -> io::Result<()> {
        let Some(member) = self.member.take() else { return Ok(()) };
        let mut rest = member.into_inner();
        loop {
            let bytes = rest.fill_buf()?;
            if bytes.is_empty() {
                return Ok(());
            }
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            if zeros == 0 {
                break;
            }
            rest.consume(zeros);
        }
        // Both bytes may not be in the buffer; the decoder says what is wrong with the second.
        if rest.fill_buf()?.first() == GZIP.first() {
            self.member = Some(GzDecoder::new(rest));
        } else {
            let _ = self.trailing.set(Damage::Garbage(position(&rest)).to_string().into());
        }
        Ok(())
    }
}

impl Read for Gzip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            match member.read(out) {
                Ok(0) if !out.is_empty() => self.next_member()?,
                Ok(len) => return Ok(len),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    let at = position(member.get_ref());
                    let damage = match error.kind() {
                        io::ErrorKind::UnexpectedEof => Damage::EndsEarly(at),
                        // All of it was given out before it could be checked.
                        io::ErrorKind::InvalidInput if error.to_string().contains("checksum") => {
                            let _ = self.trailing.set(Damage::Checksum(at).to_string().into());
                            self.member = None;
                            return Ok(0);
                        }
                        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Damage::Damaged(at),
                        _ => return Err(error),
                    };
                    return Err(io::Error::new(error.kind(), damage));
                }
            }
        }
    }
}

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

    /// Returns whether a fault is damage or the end of the input.
    fn fault(&mut self) -> io::Error {
        match self.input.fill_buf() {
            Ok([]) => io::Error::new(io::ErrorKind::UnexpectedEof, Damage::EndsEarly(position(&self.input))),
            Ok(_) => self.damaged(),
            Err(error) => error,
        }
    }

    fn damaged(&self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Damage::Damaged(position(&self.input)))
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
                    return Err(self.damaged());
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
        let trailing = Trailing::default();
        let mut input = see_through(Box::new(Cursor::new(bytes.to_vec())), &trailing).unwrap();
        let error = input.read_to_end(&mut out).err();
        // Damage that leaves a stream whole shows in its checksum.
        (out, error.or_else(|| trailing.get().map(|reason| io::Error::other(reason.clone()))))
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
            let told = reason(&error.unwrap());
            assert_eq!(
                told,
                format!(
                    "the compressed data ends early, at byte {}; what came before it was read",
                    whole.len() / 2
                )
            );
            let mut damaged = whole.clone();
            let middle = damaged.len() / 2;
            damaged[middle..middle + 9].fill(0xFF);
            assert!(read(&damaged).1.is_some());
        }
    }

    #[test]
    fn what_follows_gzip_is_told_apart() {
        let tell = |bytes: &[u8]| {
            let (trailing, mut out) = (Trailing::default(), Vec::new());
            let mut input = see_through(Box::new(Cursor::new(bytes.to_vec())), &trailing).unwrap();
            input.read_to_end(&mut out).unwrap();
            (out, trailing.get().map(ToString::to_string))
        };
        let whole = gzip(b"text");
        assert_eq!(tell(&[&whole[..], &[0; 700]].concat()), (b"text".to_vec(), None), "padding");
        let (out, told) = tell(&[&whole[..], b"garbage"].concat());
        assert_eq!(out, b"text");
        assert!(told.unwrap().contains(&format!("from byte {} on is not compressed", whole.len())));
        let mut wrong = whole.clone();
        let checksum = wrong.len() - 8;
        wrong[checksum] ^= 1;
        let (out, told) = tell(&wrong);
        assert_eq!(out, b"text");
        assert!(told.unwrap().contains("checksum"));
    }

    #[test]
    fn bombs_end() {
        let mut bomb = Bounded::new(Box::new(io::repeat(b' ')), 1 << 10);
        let mut buffer = vec![0; 4 << 20];
        let error = loop {
            if let Err(error) = bomb.read(&mut buffer) {
                break error;
            }
        };
        assert!(bomb.given <= Options::FREE_EXPANSION + buffer.len() as u64);
        assert!(reason(&error).contains("as only bombs do"));
    }
}
