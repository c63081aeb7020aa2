//! The requests in one direction of a connection: where each begins and ends.
//!
//! A request is as long as its framing says (RFC 9112, 6.3): the chunked coding goes before a length.
//! Responses, and protocols other than HTTP, have no line that begins a request.

use super::Packet;
use super::framing::end_of_request;
use super::http2::Connection;
use crate::lines::too_long;
use crate::record::{Reason, Request};
use crate::request_line;

/// The longest request line that is waited for.
const LONGEST_LINE: usize = 64 << 10;

/// As much of the preface of HTTP/2 as tells it from a request.
const PREFACE_LINE: &[u8] = b"PRI * HTTP/2.0\r\n";

/// A request, or what is left of one, and the packet that it began in.
pub(super) struct Outcome {
    pub(super) packet: Packet,
    pub(super) result: Result<Request, Reason>,
}

/// Cuts requests out of a stream.
pub(super) struct Cutter {
    buffer: Vec<u8>,
    /// The packet that the buffer's first byte came with.
    packet: Option<Packet>,
    state: State,
    limit: usize,
    /// The length of the buffer from which on its end is looked for again.
    look_at: usize,
    /// The reader of the stream once it speaks HTTP/2.
    http2: Option<Box<Connection>>,
    is_tls: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A request may begin.
    Between,
    /// One has begun.
    Within,
    /// Something else is sent; a segment may begin a request.
    Lost,
    /// A server answers here, or nothing more can be read: nothing is a request.
    Server,
    /// Frames of HTTP/2 are sent.
    Http2,
    /// A request that is too long; it is passed over up to the next segment that begins one.
    TooLong,
}

impl Cutter {
    pub(super) fn new(limit: usize) -> Self {
        Cutter {
            buffer: Vec::new(),
            packet: None,
            state: State::Between,
            limit,
            look_at: 0,
            http2: None,
            is_tls: false,
        }
    }

    /// Returns whether a client has begun TLS here.
    pub(super) fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Counts the bytes that wait.
    pub(super) fn kept(&self) -> usize {
        self.http2.as_ref().map_or(0, |http2| http2.kept()).saturating_add(self.buffer.len())
    }

    /// More bytes of the stream.
    pub(super) fn data(&mut self, bytes: &[u8], packet: Packet, out: &mut Vec<Outcome>) {
        match self.state {
            State::Server => return,
            State::Http2 => return self.frames(bytes, packet, out),
            State::Lost | State::TooLong => {
                if !begins_request(bytes) {
                    return;
                }
                self.state = State::Between;
                self.clear();
            }
            State::Between | State::Within => {}
        }
        if self.buffer.is_empty() {
            self.packet = Some(packet);
        }
        self.buffer.extend_from_slice(bytes);
        while self.step(false, packet, out) {}
    }

    /// Bytes that are not in the capture.
    pub(super) fn gap(&mut self, len: u64, out: &mut Vec<Outcome>) {
        if self.state == State::Within
            && let Some(packet) = self.packet
        {
            let reason = format!("a request of which {len} bytes are not in the capture");
            out.push(Outcome { packet, result: Err(reason.into()) });
        }
        if self.state == State::Http2
            && let (Some(mut http2), Some(packet)) = (self.http2.take(), self.packet)
        {
            http2.end(out);
            let reason = format!("a connection of HTTP/2 of which {len} bytes are not in the capture");
            out.push(Outcome { packet, result: Err(reason.into()) });
            self.state = State::Server;
        }
        if self.state != State::Server {
            self.state = State::Lost;
        }
        self.clear();
    }

    /// More bytes of HTTP/2.
    fn frames(&mut self, bytes: &[u8], packet: Packet, out: &mut Vec<Outcome>) {
        let Some(http2) = &mut self.http2 else { return };
        if let Err(reason) = http2.data(bytes, packet, out) {
            http2.end(out);
            out.push(Outcome { packet, result: Err(reason) });
            self.http2 = None;
            self.state = State::Server;
        }
    }

    /// The end of the stream: what has begun is told as far as it came.
    pub(super) fn end(&mut self, out: &mut Vec<Outcome>) {
        if let Some(mut http2) = self.http2.take() {
            http2.end(out);
        }
        let Some(packet) = self.packet else { return };
        while self.step(true, packet, out) {}
    }

    fn clear(&mut self) {
        self.buffer = Vec::new();
        self.packet = None;
        self.look_at = 0;
    }

    /// Moves on by a request or to another state; whether there may be more to do.
    fn step(&mut self, is_end: bool, packet: Packet, out: &mut Vec<Outcome>) -> bool {
        match self.state {
            State::Between => self.begin(is_end, packet, out),
            State::Within => {
                let Some(end) = self.end_of_present(is_end) else {
                    if self.buffer.len() > self.limit {
                        let result = Err(too_long(self.limit));
                        out.push(Outcome { packet: self.packet.unwrap_or(packet), result });
                        self.clear();
                        self.state = State::TooLong;
                    }
                    return false;
                };
                let rest = self.buffer.split_off(end);
                let request = std::mem::replace(&mut self.buffer, rest);
                out.push(Outcome {
                    packet: self.packet.unwrap_or(packet),
                    result: Ok(Request::Raw(request)),
                });
                self.packet = Some(packet);
                self.look_at = 0;
                self.state = State::Between;
                !self.buffer.is_empty()
            }
            State::Lost | State::Server | State::TooLong | State::Http2 => false,
        }
    }

    /// Where the request that the buffer begins with ends, if that is in the buffer.
    fn end_of_present(&mut self, is_end: bool) -> Option<usize> {
        /// Up to this length looking again costs nothing; beyond it, the work has to stay linear.
        const SHORT: usize = 16 << 10;
        let len = self.buffer.len();
        if len < self.look_at && !is_end {
            return None;
        }
        match end_of_request(&self.buffer) {
            Some(end) if end <= len => return Some(end),
            Some(end) => self.look_at = end,
            None if len > SHORT => self.look_at = len.saturating_add(len / 8),
            None => {}
        }
        is_end.then_some(len)
    }

    /// Looks for a request line at the beginning; whether there is one.
    fn begin(&mut self, is_end: bool, packet: Packet, out: &mut Vec<Outcome>) -> bool {
        let blank = self.buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        self.buffer.drain(..blank);
        if self.buffer.is_empty() {
            return false;
        }
        if self.buffer.starts_with(b"HTTP/") {
            self.state = State::Server;
            self.clear();
            return false;
        }
        if self.buffer.starts_with(PREFACE_LINE) {
            self.state = State::Http2;
            self.http2 = Some(Box::new(Connection::new(self.limit)));
            let bytes = std::mem::take(&mut self.buffer);
            self.frames(&bytes, self.packet.unwrap_or(packet), out);
            return false;
        }
        // The record of a handshake, and in it a client's hello (RFC 8446, 5.1 and 4).
        if matches!(self.buffer.get(..6), Some([0x16, 0x03, _, _, _, 0x01])) {
            self.is_tls = true;
        }
        let line_end = memchr::memchr(b'\n', &self.buffer);
        let line = line_end.and_then(|end| self.buffer.get(..end));
        let is_one = line.is_some_and(|line| {
            request_line::is_one_of_any_version(line.strip_suffix(b"\r").unwrap_or(line))
        });
        let is_bare = request_line::begins_without_target(&self.buffer);
        if is_one || is_bare == Some(true) {
            self.state = State::Within;
            return true;
        }
        let may_become_one = is_bare.is_none()
            && !is_end
            && self.buffer.len() <= LONGEST_LINE
            && request_line::can_begin_one(&self.buffer);
        if !may_become_one {
            self.state = State::Lost;
            self.clear();
        }
        false
    }
}

/// Returns whether a segment begins a request.
fn begins_request(bytes: &[u8]) -> bool {
    let line = memchr::memchr(b'\n', bytes).and_then(|end| bytes.get(..end));
    line.is_some_and(|line| request_line::is_one(line.strip_suffix(b"\r").unwrap_or(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(segments: &[&str], limit: usize) -> Vec<Result<String, String>> {
        let (mut cutter, mut out) = (Cutter::new(limit), Vec::new());
        for (number, segment) in segments.iter().enumerate() {
            let packet = Packet { number: number as u64 + 1, time: None };
            match segment.strip_prefix("GAP") {
                Some(_) => cutter.gap(9, &mut out),
                None => cutter.data(segment.as_bytes(), packet, &mut out),
            }
        }
        cutter.end(&mut out);
        out.into_iter()
            .map(|outcome| {
                outcome
                    .result
                    .map(|request| match request {
                        Request::Raw(bytes) => String::from_utf8(bytes).unwrap(),
                        Request::Parts(_) => panic!("parts"),
                    })
                    .map_err(|reason| reason.into_owned())
            })
            .collect()
    }

    fn ok(texts: &[&str]) -> Vec<Result<String, String>> {
        texts.iter().map(|text| Ok((*text).to_owned())).collect()
    }

    const GET: &str = "GET /a HTTP/1.1\r\nHost: b\r\n\r\n";
    const POST: &str = "POST /a HTTP/1.1\r\nContent-Length: 005\r\n\r\nGET /";
    const CHUNKED: &str = "POST /a HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 1\r\n\r\n3;x\r\nabc\r\n0\r\nT: u\r\n\r\n";

    #[test]
    fn pipelined_requests_however_they_are_cut() {
        let all = [GET, POST, CHUNKED, GET].concat();
        for size in [1, 2, 7, 1000] {
            let pieces: Vec<&str> =
                (0..all.len()).step_by(size).map(|at| &all[at..(at + size).min(all.len())]).collect();
            assert_eq!(told(&pieces, 1000), ok(&[GET, POST, CHUNKED, GET]), "{size}");
        }
    }

    #[test]
    fn what_is_no_request_is_nothing() {
        assert_eq!(told(&["HTTP/1.1 200 OK\r\n\r\n", GET], 1000), []);
        assert_eq!(told(&["SSH-2.0-x\r\n", "\x16\x03\x01"], 1000), []);
        assert_eq!(told(&["\0\0\0", GET], 1000), ok(&[GET]));
        assert_eq!(told(&["GET /old\r\n"], 1000), ok(&["GET /old\r\n"]));
        assert_eq!(told(&["DELETE\r\n", "STAT\r\n"], 1000), []);
    }

    #[test]
    fn request_lines_without_a_target() {
        for request in
            ["GET\r\nHost: b\r\n\r\n", "GET \r\nHost: b\r\n\r\n", "GET HTTP/1.1\r\nHost: b\r\n\r\n"]
        {
            for size in [1, 4, 100] {
                let all = [request, GET].concat();
                let pieces: Vec<&str> =
                    (0..all.len()).step_by(size).map(|at| &all[at..(at + size).min(all.len())]).collect();
                assert_eq!(told(&pieces, 1000), ok(&[request, GET]), "{request:?} {size}");
            }
        }
    }

    #[test]
    fn holes_cuts_and_lengths() {
        let hole = told(&["GET /a HTTP/1.1\r\nHos", "GAP", "t: x\r\n\r\n", GET], 1000);
        assert_eq!(
            hole,
            [Err("a request of which 9 bytes are not in the capture".to_owned()), Ok(GET.to_owned())]
        );
        assert_eq!(told(&["GAP", GET], 1000), ok(&[GET]));
        let cut = "POST /a HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nabc";
        assert_eq!(told(&[cut], 1000), ok(&[cut]));
        let long = "x".repeat(400);
        let too_long = told(&[&format!("GET /{long} HTTP/1.1\r\n"), &long, GET], 300);
        assert!(too_long[0].as_ref().unwrap_err().contains("longer than 300"));
        assert_eq!(too_long[1..], ok(&[GET]));
    }
}
