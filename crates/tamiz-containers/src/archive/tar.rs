//! Archives of tar: the form of POSIX (ustar, IEEE 1003.1 pax), and GNU's long names. Entries are read as they come, without a
//! place to go back to.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Content, Entries, Entry};
use crate::compressed;
use crate::record::Reason;

/// Headers and the data behind them are in blocks.
const BLOCK: usize = 512;
/// The longest name or further header that is read.
const LONGEST_NAME: u64 = 64 << 10;

/// Returns whether bytes begin such an archive.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar") && bytes.first().is_some_and(|byte| *byte != 0)
}

/// The archive, which entries share: only the present one reads it.
pub(crate) struct Tar {
    shared: Arc<Mutex<Shared>>,
    /// A name that a header of its own gave the next entry.
    long_name: Option<String>,
    is_over: bool,
}

struct Shared {
    input: Box<dyn Read + Send>,
    /// The bytes of the present entry that are left, and of the padding behind it.
    data: u64,
    padding: u64,
    /// Which entry is the present one.
    entry: u64,
}

impl Shared {
    /// Moves past what is left of the present entry.
    fn skip(&mut self) -> io::Result<()> {
        let left = self.data.saturating_add(self.padding);
        let skipped = io::copy(&mut (&mut self.input).take(left), &mut io::sink())?;
        (self.data, self.padding) = (0, 0);
        if skipped < left { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// All of the present entry, if it is short.
    fn short(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(self.data.min(LONGEST_NAME)).read_to_end(&mut bytes)?;
        self.data = self.data.saturating_sub(read as u64);
        Ok(bytes)
    }
}

/// The data of an entry.
struct Data {
    shared: Arc<Mutex<Shared>>,
    entry: u64,
}

impl Read for Data {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.entry != self.entry || shared.data == 0 || out.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(shared.data).unwrap_or(usize::MAX).min(out.len());
        let read = shared.input.read(out.get_mut(..most).unwrap_or_default())?;
        if read == 0 {
            // It is told of the entry; nothing is left to tell of the archive.
            (shared.data, shared.padding) = (0, 0);
            return Err(compressed::archive_ends());
        }
        shared.data = shared.data.saturating_sub(read as u64);
        Ok(read)
    }
}

impl Tar {
    pub(crate) fn new(input: Box<dyn Read + Send>) -> Self {
        let shared = Shared { input, data: 0, padding: 0, entry: 0 };
        Tar { shared: Arc::new(Mutex::new(shared)), long_name: None, is_over: false }
    }

    fn step(&mut self) -> Result<Option<Entry>, Reason> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let cut = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "the archive ends early".into(),
            _ => compressed::reason(&error),
        };
        loop {
            shared.skip().map_err(cut)?;
            let mut header = Vec::new();
            (&mut shared.input).take(BLOCK as u64).read_to_end(&mut header).map_err(cut)?;
            if header.is_empty() || header.iter().all(|byte| *byte == 0) {
                return Ok(None);
            }
            if header.len() < BLOCK {
                return Err("the archive ends early".into());
            }
            let sum = number(header.get(148..156));
            if sum != Some(checksum(&header)) {
                return Err("a header of the archive that is damaged".into());
            }
            let size = number(header.get(124..136)).ok_or("an entry without its length")?;
            shared.data = size;
            shared.padding = size.next_multiple_of(BLOCK as u64).saturating_sub(size);
            shared.entry = shared.entry.saturating_add(1);
            match header.get(156) {
                // GNU's long name, and headers of pax, for the next entry.
                Some(b'L') => {
                    let name = shared.short().map_err(cut)?;
                    self.long_name = Some(text(&name));
                }
                Some(b'x') => {
                    let records = shared.short().map_err(cut)?;
                    self.long_name = pax_path(&records).or(self.long_name.take());
                }
                Some(b'K' | b'g') => {}
                kind => {
                    let name = self.long_name.take().unwrap_or_else(|| ustar_name(&header));
                    let content = match kind {
                        Some(b'0' | 0 | b'7') if size == 0 => Content::Nothing,
                        Some(b'0' | 0 | b'7') => {
                            let data = Data { shared: Arc::clone(&self.shared), entry: shared.entry };
                            Content::File(Box::new(data), None)
                        }
                        Some(b'5') => Content::Nothing,
                        Some(b'1' | b'2') => Content::Unreadable("a link, which is not followed".into()),
                        _ => Content::Unreadable("no regular file, so it is not read".into()),
                    };
                    return Ok(Some(Entry { name, content }));
                }
            }
        }
    }
}

impl Entries for Tar {
    fn next_entry(&mut self) -> Option<Result<Entry, Reason>> {
        if self.is_over {
            return None;
        }
        let step = self.step().transpose();
        self.is_over = !matches!(step, Some(Ok(_)));
        step
    }
}

/// A number in octal digits, or, where the first bit is set, in base 256.
fn number(field: Option<&[u8]>) -> Option<u64> {
    let field = field?;
    if field.first()? & 0x80 != 0 {
        let bytes = field.get(field.len().checked_sub(8)?..)?.first_chunk::<8>()?;
        return Some(u64::from_be_bytes(*bytes));
    }
    let digits: Vec<u8> = field.iter().copied().filter(|byte| !matches!(byte, b' ' | 0)).collect();
    if digits.is_empty() {
        return Some(0);
    }
    u64::from_str_radix(std::str::from_utf8(&digits).ok()?, 8).ok()
}

/// The sum of the bytes of a header, with spaces where it is itself.
fn checksum(header: &[u8]) -> u64 {
    let bytes =
        header.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { b' ' } else { *byte });
    bytes.map(u64::from).fold(0, u64::saturating_add)
}

fn text(bytes: &[u8]) -> String {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

fn ustar_name(header: &[u8]) -> String {
    let name = text(header.get(..100).unwrap_or_default());
    let prefix = text(header.get(345..500).unwrap_or_default());
    let is_posix = header.get(257..263) == Some(b"ustar\0");
    if is_posix && !prefix.is_empty() { format!("{prefix}/{name}") } else { name }
}

/// The path that records of pax, `length key=value`, give.
fn pax_path(records: &[u8]) -> Option<String> {
    let records = std::str::from_utf8(records).ok()?;
    records.lines().find_map(|record| Some(record.split_once(" path=")?.1.to_owned()))
}
