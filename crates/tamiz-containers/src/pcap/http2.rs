//! Requests of HTTP/2 that are sent in clear: the frames of a client (RFC 9113, 4 and 6), with its header blocks
//! decoded by an HPACK crate (RFC 7541).

use std::collections::BTreeMap;

use loona_hpack::Decoder;

use super::Packet;
use super::requests::Outcome;
use crate::lines::too_long;
use crate::record::{Parts, Reason, Request};

/// The beginning of a connection (RFC 9113, 3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The types of frames that are looked at, and their flags.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 0x01;
const END_HEADERS: u8 = 0x04;
const PADDED: u8 = 0x08;
const PRIORITY: u8 = 0x20;

/// The most streams that are open at a time; the oldest gives way.
const MOST_STREAMS: usize = 1 << 10;
/// The largest dynamic table that a client may ask for.
const LARGEST_TABLE: usize = 1 << 20;

/// The client's side of a connection.
pub(super) struct Connection {
    buffer: Vec<u8>,
    decoder: Decoder<'static>,
    streams: BTreeMap<u32, Stream>,
    /// A header block that is not whole yet: of which stream, whether that ends with it, its bytes.
    block: Option<(u32, bool, Vec<u8>)>,
    /// The number of bytes that the streams hold.
    held: usize,
    limit: usize,
    has_begun: bool,
}

struct Stream {
    packet: Packet,
    parts: Parts,
    held: usize,
    is_too_long: bool,
}

/// A frame of the buffer.
#[derive(Clone, Copy)]
struct Frame {
    len: usize,
    kind: u8,
    flags: u8,
    stream: u32,
}

impl Connection {
    pub(super) fn new(limit: usize) -> Self {
        let mut decoder = Decoder::new();
        decoder.set_max_allowed_table_size(LARGEST_TABLE);
        Connection {
            buffer: Vec::new(),
            decoder,
            streams: BTreeMap::new(),
            block: None,
            held: 0,
            limit,
            has_begun: false,
        }
    }

    /// Counts the bytes that it holds.
    pub(super) fn kept(&self) -> usize {
        let block = self.block.as_ref().map_or(0, |(_, _, block)| block.len());
        self.buffer.len().saturating_add(self.held).saturating_add(block)
    }

    /// More bytes.
    ///
    /// # Errors
    /// When the rest of the connection cannot be read.
    pub(super) fn data(
        &mut self,
        bytes: &[u8],
        packet: Packet,
        out: &mut Vec<Outcome>,
    ) -> Result<(), Reason> {
        self.buffer.extend_from_slice(bytes);
        let mut at = 0_usize;
        if !self.has_begun {
            if self.buffer.len() < PREFACE.len() {
                return Ok(());
            }
            if !self.buffer.starts_with(PREFACE) {
                return Err("a connection of HTTP/2 that does not begin as one".into());
            }
            self.has_begun = true;
            at = PREFACE.len();
        }
        let buffer = std::mem::take(&mut self.buffer);
        let done = loop {
            let Some(frame) = buffer.get(at..).and_then(frame) else { break Ok(()) };
            if frame.len > self.limit {
                break Err(too_long(self.limit));
            }
            let start = at.saturating_add(9);
            let Some(payload) = buffer.get(start..start.saturating_add(frame.len)) else { break Ok(()) };
            at = start.saturating_add(frame.len);
            if let Err(reason) = self.frame(frame, payload, packet, out) {
                break Err(reason);
            }
        };
        self.buffer = buffer.get(at..).unwrap_or_default().to_vec();
        done
    }

    /// The end of the connection: what has begun is told as far as it came.
    pub(super) fn end(&mut self, out: &mut Vec<Outcome>) {
        while let Some((id, _)) = self.streams.first_key_value() {
            let id = *id;
            self.finish(id, out);
        }
    }

    fn frame(
        &mut self,
        frame: Frame,
        payload: &[u8],
        packet: Packet,
        out: &mut Vec<Outcome>,
    ) -> Result<(), Reason> {
        let ends = frame.flags & END_STREAM != 0;
        match frame.kind {
            HEADERS => {
                let mut block = unpadded(frame, payload)?;
                if frame.flags & PRIORITY != 0 {
                    block = block.get(5..).ok_or("a frame of HTTP/2 that is too short")?;
                }
                self.block = Some((frame.stream, ends, block.to_vec()));
                if !self.streams.contains_key(&frame.stream) {
                    self.open(frame.stream, packet, out);
                }
            }
            CONTINUATION => match &mut self.block {
                Some((stream, _, block)) if *stream == frame.stream => {
                    block.extend_from_slice(payload);
                    if block.len() > self.limit {
                        return Err(too_long(self.limit));
                    }
                }
                _ => return Err("a header block of HTTP/2 that goes on before it begins".into()),
            },
            DATA => {
                let bytes = unpadded(frame, payload)?;
                if let Some(stream) = self.streams.get_mut(&frame.stream) {
                    if stream.held.saturating_add(bytes.len()) > self.limit {
                        stream.is_too_long = true;
                    } else {
                        stream.held = stream.held.saturating_add(bytes.len());
                        self.held = self.held.saturating_add(bytes.len());
                        stream.parts.body.get_or_insert_default().extend_from_slice(bytes);
                    }
                }
                if ends {
                    self.finish(frame.stream, out);
                }
                return Ok(());
            }
            RST_STREAM => {
                self.finish(frame.stream, out);
                return Ok(());
            }
            _ => return Ok(()),
        }
        if frame.flags & END_HEADERS != 0
            && let Some((stream, ends, block)) = self.block.take()
        {
            self.headers(stream, &block)?;
            if ends {
                self.finish(stream, out);
            }
        }
        Ok(())
    }

    fn open(&mut self, id: u32, packet: Packet, out: &mut Vec<Outcome>) {
        if self.streams.len() >= MOST_STREAMS
            && let Some((oldest, _)) = self.streams.first_key_value()
        {
            let oldest = *oldest;
            self.finish(oldest, out);
        }
        let parts = Parts { version: Some(b"HTTP/2".to_vec()), ..Parts::default() };
        self.streams.insert(id, Stream { packet, parts, held: 0, is_too_long: false });
    }

    /// Decodes a header block. Those behind the first are trailers, which only keep the table in step.
    fn headers(&mut self, id: u32, block: &[u8]) -> Result<(), Reason> {
        let Connection { decoder, streams, held, limit, .. } = self;
        let mut stream = streams.get_mut(&id).filter(|stream| stream.held == 0);
        let add = |name: std::borrow::Cow<'_, [u8]>, value: std::borrow::Cow<'_, [u8]>| {
            let Some(stream) = stream.as_deref_mut().filter(|stream| !stream.is_too_long) else { return };
            // As much as each takes of a table (RFC 7541, 4.1), so that none costs nothing.
            let len = name.len().saturating_add(value.len()).saturating_add(32);
            if stream.held.saturating_add(len) > *limit {
                stream.is_too_long = true;
                return;
            }
            stream.held = stream.held.saturating_add(len);
            *held = held.saturating_add(len);
            put(&name, &value, &mut stream.parts);
        };
        decoder
            .decode_with_cb(block, add)
            .map_err(|_| "a header block of HTTP/2 that cannot be decoded".into())
    }

    fn finish(&mut self, id: u32, out: &mut Vec<Outcome>) {
        let Some(Stream { packet, mut parts, held, is_too_long }) = self.streams.remove(&id) else { return };
        self.held = self.held.saturating_sub(held);
        // RFC 9113, 8.5: the request to connect has no path.
        if parts.target.is_empty() && parts.method == b"CONNECT" {
            parts.target = parts.authority.clone().unwrap_or_default();
        }
        let result = if is_too_long {
            Err(too_long(self.limit))
        } else if parts.method.is_empty() {
            Err("a request of HTTP/2 without a method".into())
        } else {
            Ok(Request::Parts(parts))
        };
        out.push(Outcome { packet, result });
    }
}

/// RFC 9113, 4.1.
fn frame(bytes: &[u8]) -> Option<Frame> {
    let [a, b, c, kind, flags, d, e, f, g] = *bytes.first_chunk::<9>()?;
    Some(Frame {
        len: usize::try_from(u32::from_be_bytes([0, a, b, c])).ok()?,
        kind,
        flags,
        stream: u32::from_be_bytes([d, e, f, g]) & 0x7FFF_FFFF,
    })
}

/// The payload without its padding (RFC 9113, 6.1).
fn unpadded(frame: Frame, payload: &[u8]) -> Result<&[u8], Reason> {
    if frame.flags & PADDED == 0 {
        return Ok(payload);
    }
    let unpadded = payload
        .split_first()
        .and_then(|(padding, rest)| rest.get(..rest.len().checked_sub(usize::from(*padding))?));
    unpadded.ok_or_else(|| "a frame of HTTP/2 with more padding than it has bytes".into())
}

/// RFC 9113, 8.3.1: names that begin with a colon are parts of their own.
fn put(name: &[u8], value: &[u8], parts: &mut Parts) {
    match name {
        b":method" => parts.method = value.to_vec(),
        b":path" => parts.target = value.to_vec(),
        b":scheme" => parts.scheme = Some(value.to_vec()),
        b":authority" => parts.authority = Some(value.to_vec()),
        _ => parts.headers.push((name.to_vec(), value.to_vec())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loona_hpack::Encoder;

    fn framed(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&len[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    fn told(bytes: &[u8], size: usize, limit: usize) -> Vec<Result<String, String>> {
        let (mut connection, mut out) = (Connection::new(limit), Vec::new());
        let mut failed = None;
        for piece in bytes.chunks(size) {
            if let Err(reason) = connection.data(piece, Packet { number: 1, time: None }, &mut out) {
                failed = Some(reason);
                break;
            }
        }
        connection.end(&mut out);
        assert_eq!(connection.held, 0);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut all: Vec<Result<String, String>> = out
            .into_iter()
            .map(|outcome| match outcome.result {
                Ok(Request::Parts(parts)) => Ok(format!(
                    "{} {} {} {}",
                    text(&parts.method),
                    text(&parts.target),
                    parts.headers.len(),
                    text(parts.body.as_deref().unwrap_or_default())
                )),
                Ok(_) => panic!("not parts"),
                Err(reason) => Err(reason.into_owned()),
            })
            .collect();
        all.extend(failed.map(|reason| Err(reason.into_owned())));
        all
    }

    /// Two requests at once: one with a body and padding, one whose headers are cut in two.
    fn conversation() -> Vec<u8> {
        let mut encoder = Encoder::new();
        let mut encode = |headers: &[(&[u8], &[u8])]| encoder.encode(headers.iter().copied());
        let post =
            encode(&[(b":method", b"POST"), (b":path", b"/a"), (b":authority", b"ex.com"), (b"x-a", b"1")]);
        let get = encode(&[(b":method", b"GET"), (b":path", b"/b?c"), (b"x-a", b"1"), (b"x-b", b"2")]);
        let (first, second) = get.split_at(3);
        let padded = [&[3][..], &[0; 0], &post, &[0; 3]].concat();
        [
            PREFACE.to_vec(),
            framed(4, 0, 0, b""),
            framed(HEADERS, END_HEADERS | PADDED, 1, &padded),
            framed(HEADERS, END_STREAM | PRIORITY, 3, &[&[0; 5], first].concat()),
            framed(CONTINUATION, END_HEADERS, 3, second),
            framed(DATA, 0, 1, b"bo"),
            framed(DATA, END_STREAM, 1, b"dy"),
        ]
        .concat()
    }

    #[test]
    fn streams_become_requests_however_they_are_cut() {
        for size in [1, 7, 1000] {
            let all = told(&conversation(), size, 1000);
            assert_eq!(all, [Ok("GET /b?c 2 ".to_owned()), Ok("POST /a 1 body".to_owned())], "{size}");
        }
        let cut = &conversation()[..conversation().len() - 11];
        assert_eq!(told(cut, 9, 1000)[1], Ok("POST /a 1 bo".to_owned()), "as far as it came");
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let begins = |frames: &[Vec<u8>]| [&[PREFACE.to_vec()], frames].concat().concat();
        for (bytes, reason) in [
            (b"PRI * HTTP/2.0\r\n\r\nnonsense".to_vec(), "does not begin as one"),
            (begins(&[framed(HEADERS, END_HEADERS, 1, &[0xFF; 4])]), "cannot be decoded"),
            (begins(&[framed(HEADERS, END_HEADERS | PADDED, 1, &[9, 0])]), "more padding"),
            (begins(&[framed(CONTINUATION, END_HEADERS, 1, b"")]), "before it begins"),
            (begins(&[framed(HEADERS, END_HEADERS | END_STREAM, 1, b"")]), "without a method"),
        ] {
            let all = told(&bytes, 1000, 1000);
            assert!(all.iter().any(|told| told.as_ref().is_err_and(|told| told.contains(reason))), "{all:?}");
        }
        let data = [framed(DATA, 0, 1, &[b'x'; 200]), framed(DATA, 1, 1, &[b'x'; 200])].concat();
        let long = begins(&[framed(HEADERS, END_HEADERS, 1, &[0x82]), data]);
        assert!(told(&long, 1000, 300)[0].as_ref().unwrap_err().contains("longer than 300"));
    }

    /// A byte that stands for a long header, so often: what comes of it is bounded.
    #[test]
    fn a_bomb_of_headers() {
        let mut block = vec![0x40, 1, b'a', 0x7F, 0x81, 0x1E];
        block.extend_from_slice(&[b'x'; 4000]);
        block.extend_from_slice(&[0xBE; 5000]);
        let bytes = [PREFACE.to_vec(), framed(HEADERS, END_HEADERS | END_STREAM, 1, &block)].concat();
        assert!(told(&bytes, 1 << 20, 1 << 16)[0].as_ref().unwrap_err().contains("longer than"));
    }
}
