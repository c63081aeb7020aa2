//! The elements of an array inside a JSON text, one at a time, however long the text is: what stands
//! around them is passed over without being kept, and so are members that nobody asks for.

use crate::memory;
use crate::window::Window;

/// A fault of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It ends before it should.
    Ended,
    /// It is not JSON here.
    NotJson,
    /// There is no such array.
    NotThere,
    /// An element has more bytes than it may have; it was passed over.
    TooLong,
    /// There is no memory for an element; it was passed over.
    NoMemory,
}

/// A JSON text in which to find an array.
pub(crate) struct Elements {
    window: Window,
    limit: usize,
}

impl Fault {
    /// Returns whether the text goes on behind it.
    pub(crate) fn is_passed_over(self) -> bool {
        matches!(self, Fault::TooLong | Fault::NoMemory)
    }
}

impl Elements {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Elements { window, limit }
    }

    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    pub(crate) fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    /// The bytes of the next value of a text that has several, one behind the other; `None` behind the last.
    pub(crate) fn next_value(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        if self.peek().is_err() && self.window.failure().is_none() {
            return Ok(None);
        }
        let mut out = Kept { limit: self.limit, ..Kept::default() };
        if !matches!(self.peek()?, b'{' | b'[') {
            return Err(Fault::NotJson);
        }
        self.value(Some(&mut out))?;
        out.whole().map(Some)
    }

    /// Goes to the first element of the array that is found by these names from the top.
    pub(crate) fn enter(&mut self, names: &[&str]) -> Result<(), Fault> {
        for name in names {
            self.expect(b'{')
                .map_err(|fault| if fault == Fault::NotJson { Fault::NotThere } else { fault })?;
            loop {
                if self.peek()? == b'}' {
                    return Err(Fault::NotThere);
                }
                let key = self.key()?;
                if key == name.as_bytes() {
                    break;
                }
                self.value(None)?;
                self.skip_comma(b'}')?;
            }
        }
        self.expect(b'[').map_err(|fault| if fault == Fault::NotJson { Fault::NotThere } else { fault })
    }

    /// The bytes of the next element, if it is an object without the values of the members `dropped`,
    /// which are `null` instead; `None` behind the last.
    pub(crate) fn next_element(&mut self, dropped: &[&str]) -> Result<Option<Vec<u8>>, Fault> {
        if self.peek()? == b']' {
            return Ok(None);
        }
        let mut out = Kept { limit: self.limit, ..Kept::default() };
        if self.peek()? == b'{' {
            self.object(dropped, &mut out)?;
        } else {
            self.value(Some(&mut out))?;
        }
        self.skip_comma(b']')?;
        out.whole().map(Some)
    }

    fn object(&mut self, dropped: &[&str], out: &mut Kept) -> Result<(), Fault> {
        self.expect(b'{')?;
        out.push(b"{");
        while self.peek()? != b'}' {
            if !out.bytes.ends_with(b"{") {
                out.push(b",");
            }
            let key = self.key()?;
            out.push(b"\"");
            out.push(&key);
            out.push(b"\":");
            if dropped.iter().any(|name| key == name.as_bytes()) {
                self.value(None)?;
                out.push(b"null");
            } else {
                self.peek()?;
                self.value(Some(out))?;
            }
            self.skip_comma(b'}')?;
        }
        self.expect(b'}')?;
        out.push(b"}");
        Ok(())
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Result<u8, Fault> {
        self.window.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        self.window.peek().ok_or(Fault::Ended)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.peek()? != byte {
            return Err(Fault::NotJson);
        }
        self.window.consume(1);
        Ok(())
    }

    /// Moves past a comma, which has to be there unless `end` is.
    fn skip_comma(&mut self, end: u8) -> Result<(), Fault> {
        match self.peek()? {
            b',' => self.window.consume(1),
            byte if byte == end => {}
            _ => return Err(Fault::NotJson),
        }
        Ok(())
    }

    /// A key, as it is written between its quotes, and the colon after it.
    fn key(&mut self) -> Result<Vec<u8>, Fault> {
        /// A longer key is none that is asked for.
        const LONGEST: usize = 1 << 10;
        if self.peek()? != b'"' {
            return Err(Fault::NotJson);
        }
        let mut key = Kept { limit: LONGEST, ..Kept::default() };
        self.value(Some(&mut key))?;
        self.expect(b':')?;
        Ok(key.bytes.get(1..key.bytes.len().saturating_sub(1)).unwrap_or_default().to_vec())
    }

    /// Moves past a value of any kind, keeping its bytes if asked to. Its brackets are counted, not
    /// matched: whoever parses what was kept finds out about the rest.
    fn value(&mut self, mut kept: Option<&mut Kept>) -> Result<(), Fault> {
        let first = self.peek()?;
        if matches!(first, b'}' | b']' | b',' | b':') {
            return Err(Fault::NotJson);
        }
        let mut depth = 0_u64;
        let (mut in_string, mut escaped) = (false, false);
        loop {
            let bytes = self.window.bytes();
            let mut end = None;
            for (at, byte) in bytes.iter().enumerate() {
                if in_string {
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => {
                            in_string = false;
                            if depth == 0 {
                                end = Some(at.saturating_add(1));
                                break;
                            }
                        }
                        _ => {}
                    }
                    continue;
                }
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth = depth.saturating_add(1),
                    b'}' | b']' if depth > 1 => depth = depth.saturating_sub(1),
                    b'}' | b']' if depth == 1 => {
                        end = Some(at.saturating_add(1));
                        break;
                    }
                    // A number or a word ends before what cannot be in it.
                    b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => {
                        end = Some(at);
                        break;
                    }
                    _ => {}
                }
            }
            let len = end.unwrap_or(bytes.len());
            if let Some(kept) = &mut kept {
                kept.push(bytes.get(..len).unwrap_or_default());
            }
            self.window.consume(len);
            if end.is_some() {
                return Ok(());
            }
            if !self.window.read_more() {
                return Err(Fault::Ended);
            }
        }
    }
}

/// Bytes up to a limit.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    limit: usize,
    is_too_long: bool,
    lacks_memory: bool,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        if self.bytes.len().saturating_add(bytes.len()) > self.limit {
            self.is_too_long = true;
            self.bytes = Vec::new();
        }
        if !self.is_too_long && !self.lacks_memory && !memory::add(&mut self.bytes, bytes) {
            self.lacks_memory = true;
            self.bytes = Vec::new();
        }
    }

    /// All of it.
    fn whole(self) -> Result<Vec<u8>, Fault> {
        match (self.is_too_long, self.lacks_memory) {
            (true, _) => Err(Fault::TooLong),
            (false, true) => Err(Fault::NoMemory),
            (false, false) => Ok(self.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn elements(json: &str, limit: usize) -> Vec<Result<String, Fault>> {
        let mut elements = Elements::new(Window::new(Box::new(Cursor::new(json.as_bytes().to_vec()))), limit);
        if let Err(fault) = elements.enter(&["log", "entries"]) {
            return vec![Err(fault)];
        }
        let mut all = Vec::new();
        loop {
            match elements.next_element(&["response"]) {
                Ok(None) => return all,
                Ok(Some(bytes)) => all.push(Ok(String::from_utf8(bytes).unwrap())),
                Err(fault) => {
                    all.push(Err(fault));
                    if fault != Fault::TooLong {
                        return all;
                    }
                }
            }
        }
    }

    #[test]
    fn elements_without_what_is_dropped() {
        let json = r#" {"a":[1,{"entries":[9]}],"log":{"b":"]}\"","entries":[ {"x": {"y":"}"}, "response":{"z":[1]} , "q":1.5 } , 7, "s,",{}],"c":1}}"#;
        let all: Vec<_> = elements(json, 1000).into_iter().map(Result::unwrap).collect();
        assert_eq!(all, [r#"{"x":{"y":"}"},"response":null,"q":1.5}"#, "7", r#""s,""#, "{}"]);
    }

    #[test]
    fn faults_are_told_apart() {
        for (json, fault) in [
            ("", Fault::Ended),
            ("nonsense", Fault::NotThere),
            ("[]", Fault::NotThere),
            (r#"{"log":{}}"#, Fault::NotThere),
            (r#"{"log":{"entries":{}}}"#, Fault::NotThere),
            (r#"{"log":{"entries"#, Fault::Ended),
            (r#"{"log" {"entries":[]}}"#, Fault::NotJson),
            (r#"{"log":{"entries":[{"a":1"#, Fault::Ended),
            (r#"{"log":{"entries":[{"a":1} x]"#, Fault::NotJson),
            (r#"{"log":{"entries":[{"a" 1}]"#, Fault::NotJson),
        ] {
            assert_eq!(elements(json, 1000).last(), Some(&Err(fault)), "{json}");
        }
    }

    #[test]
    fn long_elements_are_passed_over() {
        let json = format!(r#"{{"log":{{"entries":[{{"a":"{}"}},{{"b":1}}]}}}}"#, "x".repeat(500));
        assert_eq!(elements(&json, 100), [Err(Fault::TooLong), Ok(r#"{"b":1}"#.to_owned())]);
        let dropped = format!(r#"{{"log":{{"entries":[{{"response":"{}"}}]}}}}"#, "x".repeat(500));
        assert_eq!(elements(&dropped, 100), [Ok(r#"{"response":null}"#.to_owned())]);
    }
}
