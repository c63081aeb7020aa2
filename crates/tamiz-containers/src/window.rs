//! The part of an input that is in memory: what readers look at, and move along.

use std::io::{self, Read};

use crate::memory::Promise;

/// The bytes that are read at once.
const STEP: usize = 256 << 10;
/// The most bytes that are read at once.
const LONGEST_STEP: usize = 8 << 20;
/// The bytes from which on memory is asked for.
const LONG: usize = 4 * STEP;
/// The copies of a long record that its reader, and the buffer that grows, may take.
const COPIES: usize = 4;

/// A window on an input.
pub(crate) struct Window {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Where in the buffer the window begins.
    start: usize,
    /// Where in the input it begins.
    offset: u64,
    end: End,
}

/// The state of the input's end.
enum End {
    Unknown,
    Reached,
    Failed(io::Error),
    /// There is no memory for more beside so many bytes; once some of them were passed, there may be.
    NoMemory(io::Error, usize),
}

impl Window {
    pub(crate) fn new(input: Box<dyn Read + Send>) -> Self {
        Window { input, buffer: Vec::new(), start: 0, offset: 0, end: End::Unknown }
    }

    /// The bytes that are in it.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Where in the input it begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads until at least `want` bytes are there; whether they are.
    pub(crate) fn fill(&mut self, want: usize) -> bool {
        while self.bytes().len() < want {
            if !self.read_more() {
                return false;
            }
        }
        true
    }

    /// Reads some more; whether there was any.
    pub(crate) fn read_more(&mut self) -> bool {
        match self.end {
            End::Unknown => {}
            End::NoMemory(_, there) if self.bytes().len() < there => self.end = End::Unknown,
            _ => return false,
        }
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let step = self.buffer.len().clamp(STEP, LONGEST_STEP);
        let len = self.buffer.len();
        // Readers make copies of what is here. A few steps are always tried: all that is behind a long record needs them.
        let has_room = len < LONG || Promise::for_copies(len.saturating_add(step), COPIES).is_some();
        if !has_room || self.buffer.try_reserve(step).is_err() {
            self.end = End::NoMemory(io::ErrorKind::OutOfMemory.into(), len);
            return false;
        }
        let step = u64::try_from(step).unwrap_or(u64::MAX);
        match (&mut self.input).take(step).read_to_end(&mut self.buffer) {
            Ok(0) => self.end = End::Reached,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => self.end = End::NoMemory(error, len),
            // Bytes that came before the fault are kept.
            Err(error) => self.end = End::Failed(error),
        }
        self.buffer.len() > len
    }

    /// Moves its beginning along.
    pub(crate) fn consume(&mut self, len: usize) {
        let len = len.min(self.bytes().len());
        self.start = self.start.saturating_add(len);
        self.offset = self.offset.saturating_add(len as u64);
    }

    /// Hands over the first bytes, without a copy of them, and moves past them.
    pub(crate) fn take(&mut self, len: usize) -> Vec<u8> {
        let end = self.start.saturating_add(len).min(self.buffer.len());
        let rest = self.buffer.get(end..).unwrap_or_default();
        let mut buffer = Vec::with_capacity(rest.len().saturating_add(STEP));
        buffer.extend_from_slice(rest);
        let mut taken = std::mem::replace(&mut self.buffer, buffer);
        taken.truncate(end);
        // Nothing, unless what is before was passed over one by one.
        taken.drain(..self.start);
        self.start = 0;
        self.offset = self.offset.saturating_add(taken.len() as u64);
        taken
    }

    /// The input from where the window begins.
    pub(crate) fn into_input(mut self) -> Box<dyn Read + Send> {
        self.buffer.drain(..self.start);
        Box::new(io::Cursor::new(self.buffer).chain(self.input))
    }

    /// Why the input ended before its end, if it did.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        match &self.end {
            End::Failed(error) | End::NoMemory(error, _) => Some(error),
            End::Unknown | End::Reached => None,
        }
    }

    /// Returns whether there is no memory for more of the input.
    pub(crate) fn lacks_memory(&self) -> bool {
        matches!(self.end, End::NoMemory(..))
    }

    /// Gives back the memory of a record that was long.
    pub(crate) fn shrink(&mut self) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.shrink_to(STEP.saturating_mul(2));
    }

    /// The first byte, reading it if need be.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        if self.fill(1) { self.bytes().first().copied() } else { None }
    }

    /// Returns whether the window begins with `prefix`.
    pub(crate) fn starts_with(&mut self, prefix: &[u8]) -> bool {
        self.fill(prefix.len()) && self.bytes().starts_with(prefix)
    }

    /// Moves past bytes as long as they are what `skipped` says.
    pub(crate) fn skip_while(&mut self, skipped: impl Fn(u8) -> bool) {
        loop {
            let len = self.bytes().len();
            let n = self.bytes().iter().position(|byte| !skipped(*byte)).unwrap_or(len);
            self.consume(n);
            if n < len || !self.read_more() {
                return;
            }
        }
    }

    /// Finds `needle`, reading more until there are `limit` bytes; where it is.
    pub(crate) fn find(&mut self, needle: &[u8], limit: usize) -> Option<usize> {
        let finder = memchr::memmem::Finder::new(needle);
        let mut from = 0_usize;
        loop {
            let bytes = self.bytes();
            if let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
                return Some(from.saturating_add(at));
            }
            from = bytes.len().saturating_sub(needle.len().saturating_sub(1));
            if bytes.len() >= limit || !self.read_more() {
                return None;
            }
        }
    }

    /// Takes the next line with its end, cut where it is longer than `limit`; `None` at the end.
    pub(crate) fn line(&mut self, limit: usize) -> Option<Vec<u8>> {
        let end = self.find(b"\n", limit.saturating_add(1));
        let len = end.map_or(self.bytes().len(), |end| end.saturating_add(1));
        let line = self.bytes().get(..len).unwrap_or_default().to_vec();
        self.consume(len);
        (!line.is_empty()).then_some(line)
    }

    /// Moves past so many bytes; whether they were there.
    pub(crate) fn skip(&mut self, mut len: u64) -> bool {
        while len > 0 {
            if self.peek().is_none() {
                return false;
            }
            let step = self.bytes().len().min(usize::try_from(len).unwrap_or(usize::MAX));
            self.consume(step);
            len = len.saturating_sub(step as u64);
        }
        true
    }

    /// Moves past the next `needle`, keeping nothing; whether there was one.
    pub(crate) fn skip_past(&mut self, needle: &[u8]) -> bool {
        loop {
            let bytes = self.bytes();
            if let Some(at) = memchr::memmem::find(bytes, needle) {
                self.consume(at.saturating_add(needle.len()));
                return true;
            }
            let seen = bytes.len().saturating_sub(needle.len().saturating_sub(1));
            self.consume(seen);
            if !self.read_more() {
                let rest = self.bytes().len();
                self.consume(rest);
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time, and fails in the end if asked to.
    struct Drip(Vec<u8>, bool);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return if self.1 { Err(io::Error::other("broken")) } else { Ok(0) };
            }
            buffer[0] = self.0.remove(0);
            Ok(1)
        }
    }

    #[test]
    fn moves_along_and_knows_where_it_is() {
        let mut window = Window::new(Box::new(Drip(b"one two three".to_vec(), false)));
        assert!(window.starts_with(b"one") && !window.starts_with(b"two"));
        window.consume(3);
        window.skip_while(|byte| byte == b' ');
        assert_eq!((window.peek(), window.offset()), (Some(b't'), 4));
        assert!(window.skip_past(b" th"));
        assert_eq!((window.bytes(), window.offset()), (&b"ree"[..], 10));
        assert!(!window.skip_past(b"x") && window.peek().is_none() && window.failure().is_none());
        assert_eq!(window.offset(), 13);
    }

    #[test]
    fn bytes_are_handed_over() {
        let mut window = Window::new(Box::new(Drip(b"one two three".to_vec(), false)));
        assert!(window.fill(13));
        assert_eq!(
            (window.take(4), window.bytes(), window.offset()),
            (b"one ".to_vec(), &b"two three"[..], 4)
        );
        window.consume(1);
        assert_eq!((window.take(3), window.bytes(), window.offset()), (b"wo ".to_vec(), &b"three"[..], 8));
        assert_eq!((window.take(usize::MAX), window.offset()), (b"three".to_vec(), 13));
        assert_eq!(window.take(1), b"");
    }

    #[test]
    fn what_came_before_a_fault_is_there() {
        let mut window = Window::new(Box::new(Drip(b"abc".to_vec(), true)));
        assert!(!window.fill(9));
        assert_eq!(window.bytes(), b"abc");
        assert!(window.failure().is_some());
    }
}
