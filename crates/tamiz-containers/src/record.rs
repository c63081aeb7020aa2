//! Records of containers, and the reasons why some cannot be read.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use serde::Serialize;
use tamiz::{Canonicalizer, Document, Scratch, Source};

use crate::id::Id;
use crate::lines::{self, LineFormat};
use crate::time::Time;

/// A request, and what its container says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The request.
    pub request: Request,
    /// Who handed it over: [`Source::Wire`] for its bytes, else the kind of container.
    pub source: Source,
    /// Its name, where the container gives it one.
    pub id: Option<Id>,
    /// The class that it is known to be of, where the container says so.
    pub label: Option<String>,
    /// When it was sent or logged, where the container says so.
    pub time: Option<Time>,
    /// Which connection it came by, where the container tells them apart: their number, from one.
    pub stream: Option<u64>,
    /// Who sent it, where the container says so.
    pub client: Option<IpAddr>,
    /// Where it is.
    pub place: Place,
}

impl Record {
    /// The request in one line of JSON lines, for whoever gets them one by one; `None` for a blank line.
    /// `number` is the line's, from one, and `limit` the most bytes that it may have.
    ///
    /// ```
    /// use tamiz_containers::Record;
    ///
    /// let record = Record::of_json_line(br#"{"raw":"GET / HTTP/1.1"}"#, 1, 1 << 20).unwrap().unwrap();
    /// assert_eq!(record.source, tamiz::Source::Wire);
    /// let error = Record::of_json_line(b"{}", 2, 1 << 20).unwrap().unwrap_err();
    /// assert_eq!(error.reason, "no method in it");
    /// assert!(Record::of_json_line(b" \r\n", 3, 1 << 20).is_none());
    /// ```
    pub fn of_json_line(line: &[u8], number: u64, limit: usize) -> Option<Result<Record, Unreadable>> {
        let place = Place { file: Arc::default(), record: number, at: At::Line(number) };
        Some(match lines::read(line, &LineFormat::Jsonl(Arc::default()), limit)? {
            Ok(found) => Ok(found.at(place)),
            Err(reason) => Err(Unreadable::because(place, reason)),
        })
    }

    /// Who handed over the request: whoever the configuration of `canonicalizer` names, else the container.
    pub fn source_for(&self, canonicalizer: &Canonicalizer) -> Source {
        match canonicalizer.config().source {
            Source::Wire => self.source,
            named => named,
        }
    }

    /// The document of the request, which knows who handed it over.
    pub fn document(&self, canonicalizer: &Canonicalizer) -> Document {
        self.request.document(canonicalizer).with_source(self.source_for(canonicalizer))
    }

    /// Appends its document as a JSON object, with what the container says of the request, without a line end.
    pub fn write_json(&self, document: &Document, out: &mut Vec<u8>) {
        self.write_json_of_client(document, None, out);
    }

    /// Appends what [`Record::write_json`] does, with as much of who sent it as may be shown.
    pub fn write_json_of_client(&self, document: &Document, client: Option<&str>, out: &mut Vec<u8>) {
        let line = JsonLine {
            id: self.id.as_ref(),
            label: self.label.as_deref(),
            timestamp: self.time.map(|time| time.to_string()),
            place: (!self.place.file.is_empty()).then(|| JsonPlace::of(self, client)),
            document,
        };
        // Writing to memory does not fail, and all keys are text.
        let _ = serde_json::to_writer(out, &line);
    }
}

/// A line of JSON: the document's own object, and what the container says of it.
#[derive(Serialize)]
struct JsonLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(flatten)]
    place: Option<JsonPlace<'a>>,
    #[serde(flatten)]
    document: &'a Document,
}

/// Where a record is.
#[derive(Serialize)]
struct JsonPlace<'a> {
    input: &'a str,
    record: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packet: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
}

impl<'a> JsonPlace<'a> {
    fn of(record: &'a Record, client: Option<&'a str>) -> Self {
        let Place { file, record: number, at } = &record.place;
        JsonPlace {
            input: file,
            record: *number,
            line: if let At::Line(line) = at { Some(*line) } else { None },
            byte: if let At::Byte(byte) = at { Some(*byte) } else { None },
            packet: if let At::Packet(packet) = at { Some(*packet) } else { None },
            stream: record.stream,
            client,
        }
    }
}

/// A request: its bytes, or what someone else has cut it into.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// The bytes that were sent.
    Raw(Vec<u8>),
    /// The parts that a program kept of it.
    Parts(Parts),
}

/// The parts of a request, like [`tamiz::Parts`], which they are made for, but owned.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// The method, or `:method`.
    pub method: Vec<u8>,
    /// The request target, or `:path`.
    pub target: Vec<u8>,
    /// `:scheme`, where it is known.
    pub scheme: Option<Vec<u8>>,
    /// `:authority`, where it is known apart from a `Host` header.
    pub authority: Option<Vec<u8>>,
    /// The version, as `HTTP/1.1`, where it is known.
    pub version: Option<Vec<u8>>,
    /// The headers that were kept.
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body, where it was kept.
    pub body: Option<Vec<u8>>,
}

impl Parts {
    /// Borrows them, as the canonicalizer takes them.
    pub fn borrowed(&self) -> tamiz::Parts<'_> {
        let mut parts = tamiz::Parts::new(&self.method, &self.target);
        parts.scheme = self.scheme.as_deref();
        parts.authority = self.authority.as_deref();
        parts.version = self.version.as_deref();
        parts.headers = self.headers.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        parts.body = self.body.as_deref();
        parts
    }

    /// Returns whether there is a header of this name, which is in lower case.
    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(there, _)| there.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Adds a header unless there is one of its name.
    pub(crate) fn add_missing(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        if !self.has_header(name) {
            self.headers.push((name.into(), value.into()));
        }
    }
}

impl Request {
    /// The document of the request.
    pub fn document(&self, canonicalizer: &Canonicalizer) -> Document {
        match self {
            Request::Raw(bytes) => canonicalizer.canonicalize(bytes),
            Request::Parts(parts) => canonicalizer.canonicalize_parts(&parts.borrowed()),
        }
    }

    /// Appends the text of its document to `out`, using memory of `scratch`.
    pub fn write_document(&self, canonicalizer: &Canonicalizer, scratch: &mut Scratch, out: &mut Vec<u8>) {
        match self {
            Request::Raw(bytes) => canonicalizer.canonicalize_into(scratch, bytes, out),
            Request::Parts(parts) => canonicalizer.canonicalize_parts_into(scratch, &parts.borrowed(), out),
        }
    }

    /// About how much memory it holds.
    pub fn len(&self) -> usize {
        match self {
            Request::Raw(bytes) => bytes.len(),
            Request::Parts(parts) => {
                let lens = [&parts.method, &parts.target].into_iter().chain(&parts.body).map(Vec::len);
                let headers =
                    parts.headers.iter().map(|(name, value)| name.len().saturating_add(value.len()));
                lens.chain(headers).fold(0, usize::saturating_add)
            }
        }
    }

    /// Returns whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Request {
    /// Without what is in it: requests hold secrets, and debug output ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Request::Raw(_) => "Raw",
            Request::Parts(_) => "Parts",
        };
        write!(f, "{kind}({} bytes)", self.len())
    }
}

impl fmt::Debug for Parts {
    /// Without what is in them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("headers", &self.headers.len()).finish_non_exhaustive()
    }
}

/// Where a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file, as it was named, or `standard input`.
    pub file: Arc<str>,
    /// The number of the record in the file, from one; for lines, that of the line.
    pub record: u64,
    /// Where in the file it begins.
    pub at: At,
}

/// Where in a file something begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum At {
    /// The file as a whole.
    Whole,
    /// A line, from one.
    Line(u64),
    /// A byte, from zero, of what the file is without its compression.
    Byte(u64),
    /// A packet, from one.
    Packet(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::Whole => f.write_str(&self.file),
            At::Line(line) => write!(f, "{}: line {line}", self.file),
            At::Byte(byte) => write!(f, "{}: record {}, byte {byte}", self.file, self.record),
            At::Packet(packet) => write!(f, "{}: record {}, packet {packet}", self.file, self.record),
        }
    }
}

/// Something that holds no request that can be read: where it is, and why. Never what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unreadable {
    /// Where it is.
    pub place: Place,
    /// The reason, without any content.
    pub reason: Reason,
    /// True if no request is lost by it that could be told: something beside the records that a reader should know of,
    /// such as a hidden file in a folder, or packets that are encrypted.
    pub is_notice: bool,
}

impl Unreadable {
    /// A record that is at this place; the reason must have nothing of it.
    pub fn new(place: Place, reason: &'static str) -> Self {
        Unreadable::because(place, reason.into())
    }

    pub(crate) fn because(place: Place, reason: Reason) -> Self {
        Unreadable { place, reason, is_notice: false }
    }

    pub(crate) fn notice(place: Place, reason: Reason) -> Self {
        Unreadable { place, reason, is_notice: true }
    }
}

/// A reason, in words of this library or of the system; nothing of the input is in it.
pub(crate) type Reason = Cow<'static, str>;

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for Unreadable {}

/// A record as a reader makes it: everything but the file's name and the record's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) request: Request,
    pub(crate) source: Source,
    pub(crate) id: Option<Id>,
    pub(crate) label: Option<String>,
    pub(crate) time: Option<Time>,
    pub(crate) stream: Option<u64>,
    pub(crate) client: Option<IpAddr>,
}

impl Found {
    /// A request by its bytes.
    pub(crate) fn raw(bytes: Vec<u8>) -> Self {
        Found::of(Request::Raw(bytes), Source::Wire)
    }

    /// A request by its parts.
    pub(crate) fn parts(parts: Parts, source: Source) -> Self {
        Found::of(Request::Parts(parts), source)
    }

    fn of(request: Request, source: Source) -> Self {
        Found { request, source, id: None, label: None, time: None, stream: None, client: None }
    }

    pub(crate) fn at(self, place: Place) -> Record {
        let Found { request, source, id, label, time, stream, client } = self;
        Record { request, source, id, label, time, stream, client, place }
    }
}
