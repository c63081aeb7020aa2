//! A request in the making: places add to it, and it is put together at the end.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Rng;

/// A request under construction.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub method: Option<Vec<u8>>,
    /// Makes the target absolute.
    pub authority: Option<Vec<u8>>,
    /// Stands before the name of the host in its header.
    pub host: Option<Vec<u8>>,
    pub path: Vec<u8>,
    pub query: Vec<Vec<u8>>,
    pub fragment: Option<Vec<u8>>,
    /// Stands right after the request line.
    pub first_line: Vec<u8>,
    /// Header lines, each with its line end.
    pub head: Vec<u8>,
    pub form: Vec<Vec<u8>>,
    pub json: Vec<Vec<u8>>,
    pub xml: Vec<Vec<u8>>,
    /// Before the root element.
    pub prolog: Vec<u8>,
    pub parts: Vec<Vec<u8>>,
    /// A header says how to read a body: there must be none.
    pub steered: bool,
    /// A body of some other type.
    pub other: Option<(&'static str, Vec<u8>)>,
    /// Of the first chunk; makes the body chunked.
    pub extension: Vec<u8>,
    /// A line after the last chunk; makes the body chunked.
    pub trailer: Vec<u8>,
}

/// A transformation of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    None,
    Chunked,
    Gzip,
    GzipChunked,
    /// Its last bytes are missing.
    Cut,
}

impl Wrap {
    pub const ALL: &'static [Wrap] =
        &[Wrap::None, Wrap::None, Wrap::Chunked, Wrap::Gzip, Wrap::GzipChunked, Wrap::Cut];
    pub const WHOLE: &'static [Wrap] =
        &[Wrap::None, Wrap::None, Wrap::Chunked, Wrap::Gzip, Wrap::GzipChunked];
}

/// Pieces joined by something.
fn join(pieces: &[Vec<u8>], by: &[u8]) -> Vec<u8> {
    pieces.join(by)
}

impl Draft {
    /// Adds a header line.
    pub fn header(&mut self, name: &str, value: &[u8]) {
        self.head.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
    }

    /// Adds a header that says how to read a body, to a request without one.
    pub fn steer(&mut self, name: &str, value: &[u8]) {
        self.header(name, value);
        self.steered = true;
    }

    /// Adds a part of a multipart body.
    pub fn part(&mut self, head: &[u8], content: &[u8]) {
        self.parts.push([head, b"\r\n\r\n", content].concat());
    }

    /// The body and its type; `None` if places want bodies of two types.
    fn body(&self) -> Option<Option<(&'static str, Vec<u8>)>> {
        let mut bodies = Vec::new();
        if !self.form.is_empty() {
            bodies.push(("application/x-www-form-urlencoded", join(&self.form, b"&")));
        }
        if !self.json.is_empty() {
            bodies.push(("application/json", [b"{", &join(&self.json, b",")[..], b"}"].concat()));
        }
        if !self.xml.is_empty() || !self.prolog.is_empty() {
            let body = [&self.prolog[..], b"<root>", &join(&self.xml, b" "), b"</root>"].concat();
            bodies.push(("application/xml", body));
        }
        if !self.parts.is_empty() {
            let body = [b"--b1\r\n", &join(&self.parts, b"\r\n--b1\r\n")[..], b"\r\n--b1--\r\n"].concat();
            bodies.push(("multipart/form-data; boundary=b1", body));
        }
        bodies.extend(self.other.clone());
        (bodies.len() < 2).then(|| bodies.pop())
    }

    /// The request; `None` if its places exclude each other.
    pub fn request(&self, wrap: Wrap, rng: &mut Rng) -> Option<Vec<u8>> {
        let is_framed = !self.extension.is_empty() || !self.trailer.is_empty();
        let body = self.body()?.or_else(|| is_framed.then(|| ("text/plain", b"some text".to_vec())));
        let wrap = match wrap {
            Wrap::Gzip if is_framed => Wrap::GzipChunked,
            Wrap::None | Wrap::Cut if is_framed => Wrap::Chunked,
            wrap => wrap,
        };
        if self.steered && body.is_some() {
            return None;
        }
        let method = self.method.clone().unwrap_or_else(|| b"POST".to_vec());
        let mut out = [&method[..], b" "].concat();
        if let Some(authority) = &self.authority {
            out.extend_from_slice(&[b"http://", &authority[..], b"ex.com"].concat());
        }
        out.extend_from_slice(if self.path.is_empty() { b"/" } else { &self.path });
        if !self.query.is_empty() {
            out.extend_from_slice(&[b"?", &join(&self.query, b"&")[..]].concat());
        }
        if let Some(fragment) = &self.fragment {
            out.extend_from_slice(&[b"#", &fragment[..]].concat());
        }
        out.extend_from_slice(b" HTTP/1.1\r\n");
        out.extend_from_slice(&self.first_line);
        let host = self.host.as_deref().unwrap_or_default();
        out.extend_from_slice(&[b"Host: ", host, b"ex.com\r\n"].concat());
        out.extend_from_slice(&self.head);
        let Some((kind, mut body)) = body else {
            return Some([&out[..], b"\r\n"].concat());
        };
        out.extend_from_slice(format!("Content-Type: {kind}\r\n").as_bytes());
        if wrap == Wrap::Cut {
            body.truncate(body.len().saturating_sub(1 + rng.below(4)));
        }
        if matches!(wrap, Wrap::Gzip | Wrap::GzipChunked) {
            out.extend_from_slice(b"Content-Encoding: gzip\r\n");
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&body).expect("memory takes it");
            body = encoder.finish().expect("memory takes it");
        }
        if matches!(wrap, Wrap::Chunked | Wrap::GzipChunked) {
            out.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
            body = self.chunked(&body, rng);
        }
        Some([&out[..], b"\r\n", &body].concat())
    }

    /// In chunks of a few bytes, so that secrets are cut.
    fn chunked(&self, mut body: &[u8], rng: &mut Rng) -> Vec<u8> {
        let mut out = Vec::new();
        while !body.is_empty() {
            let (chunk, rest) = body.split_at((1 + rng.below(24)).min(body.len()));
            out.extend_from_slice(format!("{:x}", chunk.len()).as_bytes());
            if !self.extension.is_empty() {
                out.extend_from_slice(&[b";", &self.extension[..]].concat());
            }
            out.extend_from_slice(&[b"\r\n", chunk, b"\r\n"].concat());
            body = rest;
        }
        let trailer =
            if self.trailer.is_empty() { Vec::new() } else { [&self.trailer[..], b"\r\n"].concat() };
        [&out[..], b"0\r\n", &trailer, b"\r\n"].concat()
    }
}
