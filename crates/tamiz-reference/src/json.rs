//! JSON (RFC 8259), read strictly but for stray bytes inside strings (8.34).

use crate::chars::{self, Char, Text};

/// A value and where it stands in the bytes.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// True if it is there to its end.
    pub(crate) whole: bool,
    /// True if there is a leaf in it.
    pub(crate) leaves: bool,
    pub(crate) kind: Kind,
}

/// The kind of a value.
#[derive(Debug)]
pub(crate) enum Kind {
    String(Text),
    Number(Text),
    Bool(bool),
    Null,
    /// No value came, because reading ended after the name.
    Missing,
    Array(Vec<Value>),
    /// Members; a name that a limit cut is a value without a name.
    Object(Vec<(Option<Text>, Value)>),
}

impl Value {
    fn take_children(&mut self) -> Vec<Value> {
        match &mut self.kind {
            Kind::Array(items) => std::mem::take(items),
            Kind::Object(members) => std::mem::take(members).into_iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }
}

impl Drop for Value {
    /// Level by level: nothing recurses as deep as the input nests.
    fn drop(&mut self) {
        let mut left = self.take_children();
        while let Some(mut value) = left.pop() {
            left.extend(value.take_children());
        }
    }
}

/// The reason why reading ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does not follow the grammar.
    Bad,
    /// The bytes end.
    End,
}

/// A reader of values.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
    /// True if the end of the bytes is a limit, and a string that it breaks off counts.
    cut: bool,
    /// The reason why reading ended early.
    pub(crate) fault: Option<Fault>,
    /// True if a string, name or not, has a lone surrogate in it (8.34.2).
    pub(crate) lone_surrogate: bool,
}

/// A container that is open, and what is in it so far.
struct Open {
    start: usize,
    is_object: bool,
    members: Vec<(Option<Text>, Value)>,
    /// The name of the member that comes next.
    name: Option<Text>,
}

impl Open {
    fn put(&mut self, value: Option<Value>) {
        if let Some(value) = value {
            self.members.push((self.name.take(), value));
        }
    }

    fn value(mut self, end: usize, whole: bool) -> Value {
        if self.name.is_some() {
            let missing = Value { start: end, end, whole: false, leaves: false, kind: Kind::Missing };
            self.put(Some(missing));
        }
        let leaves = self.members.iter().any(|(_, value)| value.leaves);
        let kind = if self.is_object {
            Kind::Object(self.members)
        } else {
            Kind::Array(self.members.into_iter().map(|(_, value)| value).collect())
        };
        Value { start: self.start, end, whole, leaves, kind }
    }
}

/// An array or object that has begun.
enum Begun {
    Whole(Value),
    Container(Open),
}

/// Returns whether the bytes are one JSON object in UTF-8.
pub(crate) fn is_object(bytes: &[u8]) -> bool {
    if std::str::from_utf8(bytes).is_err() {
        return false;
    }
    let mut reader = Reader::new(bytes, false);
    reader.skip_space();
    let value = reader.value();
    reader.skip_space();
    reader.fault.is_none()
        && reader.at == bytes.len()
        && value.is_some_and(|value| matches!(value.kind, Kind::Object(_)))
}

fn is_tail(c: &Char) -> bool {
    matches!(c, Char::Stray(0x80..=0xBF))
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], cut: bool) -> Self {
        Reader { bytes, at: 0, cut, fault: None, lone_surrogate: false }
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

    /// The value that begins here. What a fault ends is there as far as it goes, if there is anything in it.
    pub(crate) fn value(&mut self) -> Option<Value> {
        // A list instead of recursion: bodies may nest as deep as they like.
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut last = None;
            if let Some(object) = open.last_mut().filter(|open| open.is_object) {
                self.name_of(object);
            }
            if self.fault.is_none() {
                match self.begin() {
                    Ok(Begun::Whole(value)) => last = Some(value),
                    Ok(Begun::Container(container)) => {
                        open.push(container);
                        continue;
                    }
                    Err(fault) => self.fault = Some(fault),
                }
            }
            // A value has ended, and with it all containers that close here.
            loop {
                let Some(container) = open.last_mut() else { return last };
                container.put(last.take());
                if self.fault.is_none() {
                    self.skip_space();
                    match (self.peek(), container.is_object) {
                        (Some(b','), _) => {
                            self.at += 1;
                            self.skip_space();
                            break;
                        }
                        (Some(b'}'), true) | (Some(b']'), false) => self.at += 1,
                        _ => self.fault = Some(self.fault()),
                    }
                }
                let whole = self.fault.is_none();
                let closed =
                    open.pop().filter(|open| whole || open.name.is_some() || !open.members.is_empty());
                last = closed.map(|open| open.value(self.at, whole));
            }
        }
    }

    /// A scalar, an empty container, or one that opens.
    fn begin(&mut self) -> Result<Begun, Fault> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => Kind::String(self.string()?),
            Some(first @ (b'{' | b'[')) => {
                self.at += 1;
                self.skip_space();
                let is_object = first == b'{';
                if self.peek() != Some(if is_object { b'}' } else { b']' }) {
                    return Ok(Begun::Container(Open { start, is_object, members: Vec::new(), name: None }));
                }
                self.at += 1;
                if is_object { Kind::Object(Vec::new()) } else { Kind::Array(Vec::new()) }
            }
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.fault()),
        };
        Ok(Begun::Whole(Value { start, end: self.at, whole: self.fault.is_none(), leaves: true, kind }))
    }

    /// The name of the next member, also if nothing follows it. One that a limit cut is a value without a name.
    fn name_of(&mut self, object: &mut Open) {
        let start = self.at;
        let name = if self.peek() == Some(b'"') { self.string() } else { Err(self.fault()) };
        let name = match name {
            Ok(name) => name,
            Err(fault) => {
                self.fault = Some(fault);
                return;
            }
        };
        if self.fault.is_some() {
            let kind = Kind::String(name);
            object.put(Some(Value { start, end: self.at, whole: false, leaves: true, kind }));
            return;
        }
        object.name = Some(name);
        self.skip_space();
        if self.peek() != Some(b':') {
            self.fault = Some(self.fault());
            return;
        }
        self.at += 1;
        self.skip_space();
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
            // No other value begins within a number.
            if self.peek().is_some_and(|b| b.is_ascii_digit()) {
                return Err(Fault::Bad);
            }
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
        let text = self.string_inside()?;
        let lone = |three: &[Char]| matches!(three[0], Char::Stray(0xED)) && three[1..].iter().all(is_tail);
        self.lone_surrogate |= text.windows(3).any(lone);
        Ok(text)
    }

    fn string_inside(&mut self) -> Result<Text, Fault> {
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
                    self.fault = Some(Fault::End);
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
}
