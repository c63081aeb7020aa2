//! Archives of ZIP, and Fiddler's session archives (SAZ), which are such: of these the requests, `raw/1_c.txt`, are read. The
//! `zip` crate reads the directory; entries are read from their places by themselves.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::{Content, Entries, Entry};
use crate::compressed::Bounded;
use crate::format::Format;
use crate::record::Reason;
use crate::seekable::Seekable;

/// Returns whether bytes begin such an archive.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

fn reader(place: &Seekable) -> io::Result<Box<dyn ReadSeek>> {
    Ok(match place {
        Seekable::File(path) => Box::new(File::open(path)?),
        Seekable::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
    })
}

pub(crate) struct Zip {
    place: Seekable,
    archive: ZipArchive<Box<dyn ReadSeek>>,
    next: usize,
    is_saz: bool,
}

impl Zip {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub(crate) fn open(place: Seekable) -> Result<Self, Reason> {
        let reader = reader(&place).map_err(|error| crate::compressed::reason(&error))?;
        let archive =
            ZipArchive::new(reader).map_err(|_| "a ZIP archive whose directory is damaged or missing")?;
        let is_saz = archive.file_names().flatten().any(|name| is_request_of_saz(&name));
        Ok(Zip { place, archive, next: 0, is_saz })
    }

    fn entry(&mut self, at: usize) -> Result<Entry, Reason> {
        let file = self.archive.by_index_raw(at).map_err(|_| "an entry that is damaged")?;
        let name = file.name().map(|name| name.into_owned()).unwrap_or_else(|_| format!("entry {at}"));
        let is_of_saz = self.is_saz && is_request_of_saz(&name);
        if file.is_dir() || file.size() == 0 || self.is_saz && !is_of_saz {
            return Ok(Entry { name, content: Content::Nothing });
        }
        if file.encrypted() {
            return Ok(Entry { name, content: Content::Unreadable("an encrypted entry".into()) });
        }
        let (start, packed, size, crc, method) =
            (file.data_start(), file.compressed_size(), file.size(), file.crc32(), file.compression());
        drop(file);
        let content = match self.data(start, packed, method) {
            Ok(reader) => {
                let checked =
                    Checked { input: Bounded::new(reader, packed), crc: Crc::new(), expected: (crc, size) };
                Content::File(Box::new(checked), is_of_saz.then_some(Format::Http))
            }
            Err(reason) => Content::Unreadable(reason),
        };
        Ok(Entry { name, content })
    }

    fn data(
        &self,
        start: Option<u64>,
        packed: u64,
        method: CompressionMethod,
    ) -> Result<Box<dyn Read + Send>, Reason> {
        let mut reader = reader(&self.place).map_err(|error| crate::compressed::reason(&error))?;
        let start = start.ok_or("an entry that is damaged")?;
        reader.seek(SeekFrom::Start(start)).map_err(|error| crate::compressed::reason(&error))?;
        let data = reader.take(packed);
        match method {
            CompressionMethod::Stored => Ok(Box::new(data)),
            CompressionMethod::Deflated => Ok(Box::new(DeflateDecoder::new(data))),
            _ => Err("an entry of a compression that is not read".into()),
        }
    }
}

impl Entries for Zip {
    fn next_entry(&mut self) -> Option<Result<Entry, Reason>> {
        let at = self.next;
        if at >= self.archive.len() {
            return None;
        }
        self.next = at.saturating_add(1);
        Some(Ok(self.entry(at).unwrap_or_else(|reason| Entry {
            name: format!("entry {at}"),
            content: Content::Unreadable(reason),
        })))
    }
}

/// `raw/1_c.txt`: what the client sent.
fn is_request_of_saz(name: &str) -> bool {
    let number = name.strip_prefix("raw/").and_then(|name| name.strip_suffix("_c.txt"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Checks, at the end of an entry, that it is what was put in.
struct Checked {
    input: Bounded,
    crc: Crc,
    expected: (u32, u64),
}

impl Read for Checked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(out)?;
        self.crc.update(out.get(..read).unwrap_or_default());
        if read == 0 && !out.is_empty() && self.crc.sum() != self.expected.0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(read)
    }
}
