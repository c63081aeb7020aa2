//! A container, opened: its records one by one, or in chunks for several threads.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::archive::{Archive, Entries, tar, zip};
use crate::chunk::{Chunk, ChunkRecords, Pieces, placed};
use crate::compressed::Trailing;
use crate::format::Format;
use crate::input::Input;
use crate::lines::{LineFormat, LineReader, Piece};
use crate::mapping::Mapping;
use crate::record::{At, Found, Place, Reason, Record, Unreadable};
use crate::seekable::Seekable;
use crate::table::{self, Table};
use crate::whole::Whole;
use crate::window::Window;
use crate::{
    burp, compressed, concatenated, csv, curl, detect, har, http, http_file, json, mitmproxy, modsecurity,
    openapi, pcap, postman, warc, zap,
};

/// Choices for reading containers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The format of the container; found out from its first bytes when it is not said.
    pub format: Option<Format>,
    /// The most bytes that one record may have; a longer one is unreadable. 16 MiB when nothing is
    /// said.
    pub record_limit: usize,
    /// Names of parts that nobody else uses.
    pub mapping: Arc<Mapping>,
    /// Grows with the bytes that are read, compressed as they are, for whoever shows progress.
    pub progress: Arc<AtomicU64>,
}

impl Options {
    /// The most archives and compressions around a container.
    pub const ARCHIVE_DEPTH: usize = 4;
    /// The most entries of an archive that are read.
    pub const ARCHIVE_ENTRIES: u64 = 100_000;
    /// Up to so many bytes, compressed data may expand as it likes.
    pub const FREE_EXPANSION: u64 = 256 << 20;
    /// Beyond them, data may expand to so many times its size: logs come nowhere near, and bombs live on it.
    pub const MOST_EXPANSION: u64 = 400;
}

impl Default for Options {
    fn default() -> Self {
        Options { format: None, record_limit: 16 << 20, mapping: Arc::default(), progress: Arc::default() }
    }
}

/// An open container.
pub struct Container {
    file: Arc<str>,
    format: Format,
    content: Content,
    records: u64,
    /// A fault that is told behind the last record, once.
    trailing: Option<Trailing>,
}

enum Content {
    Lines(LineReader),
    Records(Box<dyn Reader>),
    Archive(Box<Archive>),
}

/// A reader of a format that is not made of lines.
pub(crate) trait Reader: Send {
    /// The next one; where it begins, and what it is.
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)>;

    /// Something beside the records that should be known, once; asked for after each record and at the end.
    fn next_notice(&mut self) -> Option<(At, Reason)> {
        None
    }
}

impl Container {
    /// Opens an input.
    ///
    /// # Errors
    /// When it cannot be opened, or is no container that is known.
    pub fn open(input: &Input, options: &Options) -> Result<Container, Unreadable> {
        let name = input.to_string();
        let opened: io::Result<Box<dyn Read + Send>> = match input {
            Input::Stdin => Ok(Box::new(io::stdin())),
            Input::File(path) => File::open(path).map(|file| Box::new(file) as Box<dyn Read + Send>),
        };
        match opened {
            Ok(reader) => {
                let path = if let Input::File(path) = input { Some(path.as_path()) } else { None };
                Self::open_reader(&name, reader, path, options, 0)
            }
            Err(error) => Err(refused(name.into(), format!("cannot be opened: {}", error.kind()).into())),
        }
    }

    /// Reads a container from anything that gives its bytes; `name` is what messages call it.
    ///
    /// # Errors
    /// When it cannot be read, or is no container that is known.
    pub fn read(
        name: &str,
        input: impl Read + Send + 'static,
        options: &Options,
    ) -> Result<Container, Unreadable> {
        Self::open_reader(name, Box::new(input), None, options, 0)
    }

    /// Opens an entry of an archive.
    pub(crate) fn open_entry(
        name: &str,
        input: Box<dyn Read + Send>,
        options: &Options,
        depth: usize,
    ) -> Result<Container, Unreadable> {
        Self::open_reader(name, input, None, options, depth)
    }

    /// Opens what `path`, if there is one, leads to.
    fn open_reader(
        name: &str,
        input: Box<dyn Read + Send>,
        path: Option<&Path>,
        options: &Options,
        depth: usize,
    ) -> Result<Container, Unreadable> {
        let file: Arc<str> = name.into();
        let input = Counting { input, read: Arc::clone(&options.progress) };
        let trailing = Trailing::default();
        let input = compressed::see_through(Box::new(input), &trailing)
            .map_err(|error| refused(Arc::clone(&file), compressed::reason(&error)))?;
        let mut window = Window::new(input);
        window.fill(ARCHIVE_HEADER);
        let is_tar = tar::begins(window.bytes());
        if is_tar || zip::begins(window.bytes()) {
            if depth >= Options::ARCHIVE_DEPTH {
                return Err(refused(file, "archives that are too deep in one another".into()));
            }
            let entries: Box<dyn Entries> = if is_tar {
                Box::new(tar::Tar::new(window.into_input()))
            } else {
                let place = Seekable::of(window, path, zip::begins, options.record_limit)
                    .map_err(|reason| refused(Arc::clone(&file), reason))?;
                Box::new(zip::Zip::open(place).map_err(|reason| refused(Arc::clone(&file), reason))?)
            };
            let archive = Archive::new(Arc::clone(&file), entries, options, depth);
            let content = Content::Archive(Box::new(archive));
            return Ok(Container {
                file,
                format: Format::Archive,
                content,
                records: 0,
                trailing: Some(trailing),
            });
        }
        let format = match options.format {
            Some(format) => format,
            None => detect::detect(&mut window, name, &options.mapping)
                .map_err(|reason| refused(Arc::clone(&file), reason))?,
        };
        let limit = options.record_limit;
        let mapping = Arc::clone(&options.mapping);
        let lines = |window, format| Content::Lines(LineReader::new(window, format, limit));
        let content = match format {
            Format::Http => Content::Records(Box::new(http::Single::new(window, limit))),
            Format::Concatenated => Content::Records(Box::new(concatenated::Blank::new(window, limit))),
            Format::Nul => Content::Records(Box::new(concatenated::Nul::new(window, limit))),
            Format::Jsonl => lines(window, LineFormat::Jsonl(mapping)),
            Format::AccessLog => lines(window, LineFormat::AccessLog(mapping)),
            Format::W3c => lines(window, LineFormat::Table(Arc::new(Table::new(table::Kind::W3c)))),
            Format::Zeek => lines(window, LineFormat::Table(Arc::new(Table::new(table::Kind::Zeek)))),
            Format::Urls => lines(window, LineFormat::Urls),
            Format::Parquet => parquet_rows(window, path, mapping, limit)
                .map_err(|reason| refused(Arc::clone(&file), reason))?,
            Format::Archive => return Err(refused(file, "neither a ZIP nor a tar archive".into())),
            Format::Json => Content::Records(Box::new(json::Json::new(window, mapping, limit))),
            Format::Csv => Content::Records(Box::new(csv::Csv::new(window, mapping, limit))),
            Format::Postman => Content::Records(Box::new(Whole::new(window, limit, postman::parse))),
            Format::HttpFile => Content::Records(Box::new(Whole::new(window, limit, http_file::parse))),
            Format::Curl => Content::Records(Box::new(Whole::new(window, limit, curl::parse))),
            Format::OpenApi => Content::Records(Box::new(Whole::new(window, limit, openapi::parse))),
            Format::Warc => Content::Records(Box::new(warc::Warc::new(window, limit))),
            Format::Mitmproxy => Content::Records(Box::new(mitmproxy::Flows::new(window, limit))),
            Format::Zap => Content::Records(Box::new(zap::Zap::new(window, limit))),
            Format::Har => Content::Records(Box::new(har::Har::new(window, limit))),
            Format::Burp => Content::Records(Box::new(burp::Burp::new(window, limit))),
            Format::Pcap => Content::Records(Box::new(pcap::Capture::new(window, limit))),
            Format::ModSecurity => Content::Records(Box::new(modsecurity::Audit::new(window, limit))),
        };
        Ok(Container { file, format, content, records: 0, trailing: Some(trailing) })
    }

    /// Returns whether bytes begin a container that cannot be a request: compressed data, a capture, JSON lines, an
    /// archive.
    pub fn is_one(bytes: &[u8]) -> bool {
        detect::is_container(bytes)
    }

    /// The format, as said or found out.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The next few records, to be had from it on any thread; `None` at the end.
    pub fn next_chunk(&mut self) -> Option<Chunk> {
        if let Some(chunk) = self.next_of_content() {
            return Some(chunk);
        }
        let reason = self.trailing.take()?.get()?.clone();
        Some(Chunk::from_iter([Err(refused(Arc::clone(&self.file), reason))]))
    }

    fn next_of_content(&mut self) -> Option<Chunk> {
        let content = match &mut self.content {
            Content::Archive(archive) => return archive.next_chunk(),
            Content::Lines(reader) => match reader.next_piece()? {
                Piece::Lines { bytes, first } => {
                    Pieces::Lines { bytes, first, format: reader.format(), limit: reader.limit() }
                }
                Piece::Unreadable { line, reason } => {
                    let place = Place { file: Arc::clone(&self.file), record: line, at: At::Line(line) };
                    Pieces::Records(vec![Err(Unreadable::because(place, reason))])
                }
            },
            Content::Records(reader) => {
                let mut records = Vec::new();
                let mut weight = 0_usize;
                while records.len() < Chunk::RECORDS && weight < Chunk::BYTES {
                    let found = reader.next_found();
                    while let Some((at, reason)) = reader.next_notice() {
                        let place = Place { file: Arc::clone(&self.file), record: self.records, at };
                        records.push(Err(Unreadable::notice(place, reason)));
                    }
                    let Some((at, result)) = found else { break };
                    self.records = self.records.saturating_add(1);
                    let record = placed(&self.file, self.records, at, result);
                    weight = weight.saturating_add(record.as_ref().map_or(0, |record| record.request.len()));
                    records.push(record);
                }
                if records.is_empty() {
                    return None;
                }
                Pieces::Records(records)
            }
        };
        Some(Chunk { file: Arc::clone(&self.file), content })
    }
}

impl IntoIterator for Container {
    type Item = Result<Record, Unreadable>;
    type IntoIter = Records;

    fn into_iter(self) -> Records {
        Records { container: self, chunk: None }
    }
}

/// The records of a container, one by one.
pub struct Records {
    container: Container,
    chunk: Option<ChunkRecords>,
}

impl Iterator for Records {
    type Item = Result<Record, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.chunk.as_mut().and_then(Iterator::next) {
                return Some(record);
            }
            self.chunk = Some(self.container.next_chunk()?.into_iter());
        }
    }
}

/// The rows of a Parquet file, whose directory is at its end.
#[cfg(feature = "parquet")]
fn parquet_rows(
    window: Window,
    path: Option<&Path>,
    mapping: Arc<Mapping>,
    limit: usize,
) -> Result<Content, Reason> {
    let place = Seekable::of(window, path, crate::parquet::begins, limit)?;
    Ok(Content::Records(Box::new(crate::parquet::Rows::open(place, mapping, limit)?)))
}

#[cfg(not(feature = "parquet"))]
fn parquet_rows(_: Window, _: Option<&Path>, _: Arc<Mapping>, _: usize) -> Result<Content, Reason> {
    Err("Parquet, which this program was built without: build it with '--features columns', or install a released one".into())
}

/// The number of bytes that tell an archive.
const ARCHIVE_HEADER: usize = 512;

/// A container that cannot be read at all.
fn refused(file: Arc<str>, reason: Reason) -> Unreadable {
    Unreadable::because(Place { file, record: 0, at: At::Whole }, reason)
}

/// Counts what passes.
struct Counting {
    input: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.input.read(buffer)?;
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}
