//! JSON (RFC 8259), read strictly but for stray bytes inside strings (8.34).

use crate::chars::{self, Char, Text};

/// A value and where it stands in the bytes.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Kind {
    String(Text),
    Number(Text),
    Bool(bool),
    Null,
    Array(Vec<Value>),
    Object(Vec<(Text, Value)>),
}

/// What ended the reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does not follow the grammar.
    Bad,
    /// The bytes end.
    End,
}

/// A reader of values. What it gave up in the middle of is in `open`.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
    /// Whether the end of the bytes is a limit, and what it breaks off counts.
    cut: bool,
    broken: bool,
    /// Every string so far, names too, in order.
    pub(crate) seen: Vec<Text>,
}

/// Whether the bytes are one JSON object in UTF-8.
pub(crate) fn is_object(bytes: &[u8]) -> bool {
    if std::str::from_utf8(bytes).is_err() {
        return false;
    }
    let mut reader = Reader::new(bytes, false);
    reader.skip_space();
    let Ok(value) = reader.value() else { return false };
    reader.skip_space();
    reader.at == bytes.len() && matches!(value.kind, Kind::Object(_))
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], cut: bool) -> Self {
        Reader { bytes, at: 0, cut, broken: false, seen: Vec::new() }
    }

    /// Whether the limit broke a value off, which then is there as far as it goes.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn fault(&self) -> Fault {
        if self.at >= self.bytes.len() { Fault::End } else { Fault::Bad }
    }

    /// The value that begins here. A container that breaks off is returned as far as it goes, and `broken` is set.
    pub(crate) fn value(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                self.seen.push(text.clone());
                Kind::String(text)
            }
            Some(b'{') => self.object()?,
            Some(b'[') => self.array()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.fault()),
        };
        Ok(Value { start, end: self.at, kind })
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind, Fault> {
        for byte in word.bytes() {
            if self.peek() != Some(byte) {
                return Err(self.fault());
            }
            self.at += 1;
        }
        Ok(kind)
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.fault()) }
    }

    fn number(&mut self) -> Result<Kind, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Kind::Number(chars::read(&self.bytes[start..self.at])))
    }

    fn hex4(&mut self) -> Result<u32, Fault> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|b| char::from(b).to_digit(16)).ok_or_else(|| self.fault())?;
            value = value * 16 + digit;
            self.at += 1;
        }
        Ok(value)
    }

    fn string(&mut self) -> Result<Text, Fault> {
        self.at += 1;
        let mut text = Text::new();
        let mut raw = Vec::new();
        let flush = |raw: &mut Vec<u8>, text: &mut Text| {
            text.extend(chars::read(raw));
            raw.clear();
        };
        loop {
            match self.peek() {
                None if self.cut => {
                    flush(&mut raw, &mut text);
                    self.broken = true;
                    return Ok(text);
                }
                None => return Err(Fault::End),
                Some(b'"') => {
                    self.at += 1;
                    flush(&mut raw, &mut text);
                    return Ok(text);
                }
                Some(0..=0x1F) => return Err(Fault::Bad),
                Some(b'\\') => {
                    flush(&mut raw, &mut text);
                    let before = self.at;
                    match self.escape() {
                        Ok(decoded) => text.extend(decoded),
                        Err(Fault::End) if self.cut => {
                            // An escape that the limit cut through says nothing.
                            self.at = self.bytes.len().max(before);
                        }
                        Err(fault) => return Err(fault),
                    }
                }
                Some(byte) => {
                    raw.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<Text, Fault> {
        self.at += 1;
        let byte = self.peek().ok_or(Fault::End)?;
        self.at += 1;
        let c = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex4()?;
                if (0xD800..0xDC00).contains(&unit) && self.bytes[self.at..].starts_with(b"\\u") {
                    let back = self.at;
                    self.at += 2;
                    let low = self.hex4()?;
                    if (0xDC00..0xE000).contains(&low) {
                        let joined = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        return Ok(vec![Char::Plain(char::from_u32(joined).unwrap())]);
                    }
                    self.at = back;
                }
                match char::from_u32(unit) {
                    Some(c) => c,
                    // A lone surrogate is three stray bytes (8.34.2).
                    None => {
                        return Ok([0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F]
                            .map(|byte| Char::Stray(byte as u8))
                            .to_vec());
                    }
                }
            }
            _ => {
                self.at -= 1;
                return Err(Fault::Bad);
            }
        };
        Ok(vec![Char::Plain(c)])
    }

    fn array(&mut self) -> Result<Kind, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::Array(items));
        }
        loop {
            self.skip_space();
            items.push(self.value()?);
            if self.broken {
                return Ok(Kind::Array(items));
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Kind::Array(items));
                }
                _ => return Err(self.fault()),
            }
        }
    }

    fn object(&mut self) -> Result<Kind, Fault> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.fault());
            }
            let name = self.string()?;
            self.seen.push(name.clone());
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.fault());
            }
            self.at += 1;
            self.skip_space();
            members.push((name, self.value()?));
            if self.broken {
                return Ok(Kind::Object(members));
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Kind::Object(members));
                }
                _ => return Err(self.fault()),
            }
        }
    }
}
