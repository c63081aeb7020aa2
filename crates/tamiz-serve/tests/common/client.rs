//! A client that can be as bad as it likes.

#![allow(dead_code, unreachable_pub, reason = "each test uses its own part")]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Ends a test that hangs. No result depends on it: whatever a test waits for comes, sooner or later.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// An answer, as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(there, _)| there == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// That it is an error of this status and code: one of the texts that there are, and nothing else.
    #[track_caller]
    pub fn fails(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let json = self.json();
        assert_eq!(json["code"], code, "{json}");
        assert_eq!(json["status"], status);
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["code", "detail", "status", "title", "type"]);
        self.is_marked();
    }

    /// That it has what every answer has.
    #[track_caller]
    pub fn is_marked(&self) {
        let fingerprint = self.header("x-tamiz-fingerprint").unwrap_or_else(|| panic!("{self:?}"));
        assert!(fingerprint.starts_with("v2-") && fingerprint.len() == 19, "{fingerprint}");
    }
}

/// A connection.
pub struct Client<S> {
    stream: BufReader<S>,
}

pub trait Stream: Read + Write {
    fn set_timeouts(&self);
    fn end_of_input(&self);
}

impl Stream for TcpStream {
    fn set_timeouts(&self) {
        self.set_read_timeout(Some(PATIENCE)).unwrap();
        self.set_write_timeout(Some(PATIENCE)).unwrap();
    }

    fn end_of_input(&self) {
        // The service may have closed it already.
        let _ = self.shutdown(std::net::Shutdown::Write);
    }
}

#[cfg(unix)]
impl Stream for std::os::unix::net::UnixStream {
    fn set_timeouts(&self) {
        self.set_read_timeout(Some(PATIENCE)).unwrap();
        self.set_write_timeout(Some(PATIENCE)).unwrap();
    }

    fn end_of_input(&self) {
        // The service may have closed it already.
        let _ = self.shutdown(std::net::Shutdown::Write);
    }
}

impl<S: Stream> Client<S> {
    pub fn new(stream: S) -> Self {
        stream.set_timeouts();
        Client { stream: BufReader::new(stream) }
    }

    pub fn ask(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.try_ask(method, target, headers, body).unwrap()
    }

    pub fn try_ask(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Answer> {
        let mut request = format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\n");
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        if !body.is_empty() || method == "POST" {
            request += &format!("content-length: {}\r\n", body.len());
        }
        self.try_send(&[request.as_bytes(), b"\r\n", body].concat())?;
        self.answer_to(method)
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.try_send(bytes).unwrap();
    }

    pub fn try_send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    pub fn end_of_input(&mut self) {
        self.stream.get_ref().end_of_input();
    }

    /// The next answer.
    pub fn answer(&mut self) -> Answer {
        self.answer_to("POST").unwrap()
    }

    pub fn answer_to(&mut self, method: &str) -> io::Result<Answer> {
        let (status, headers) = self.head()?;
        let mut answer = Answer { status, headers, body: Vec::new() };
        if method == "HEAD" || status == 304 {
            return Ok(answer);
        }
        if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk()? {
                answer.body.extend(chunk);
            }
        } else {
            let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
            answer.body.resize(length, 0);
            self.stream.read_exact(&mut answer.body)?;
        }
        Ok(answer)
    }

    /// Waits until the service asks for the body of a request with `Expect: 100-continue`.
    pub fn is_told_to_continue(&mut self) {
        assert_eq!(self.line().unwrap(), "HTTP/1.1 100 Continue");
        assert_eq!(self.line().unwrap(), "");
    }

    /// The status and the headers of the next answer.
    pub fn head(&mut self) -> io::Result<(u16, Vec<(String, String)>)> {
        let line = self.line()?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {line}"));
        if status == 100 {
            self.line()?;
            return self.head();
        }
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok((status, headers));
            }
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            // Proxies write names as they like.
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }

    /// The next chunk of a body; `None` at its end.
    pub fn chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let len = usize::from_str_radix(&self.line()?, 16).unwrap();
        let mut chunk = vec![0; len];
        self.stream.read_exact(&mut chunk)?;
        assert_eq!(self.line()?, "");
        Ok(if len == 0 { None } else { Some(chunk) })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Everything that still comes until the service closes the connection, whichever way.
    pub fn rest(&mut self) -> Vec<u8> {
        self.try_rest().unwrap()
    }

    pub fn try_rest(&mut self) -> io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Err(error) if error.kind() != io::ErrorKind::ConnectionReset => Err(error),
            _ => Ok(rest),
        }
    }
}
