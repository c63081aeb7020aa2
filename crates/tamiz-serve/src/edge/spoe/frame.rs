//! Frames of HAProxy's stream processing offload protocol, version 2.0 (`doc/SPOE.txt` of HAProxy, section 3.2).
//!
//! What a client sent stays bytes: strings of this protocol are those of a request, and need not be UTF-8.

/// A frame: `<type:1><flags:4><stream-id:varint><frame-id:varint><payload>`, without the length before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) kind: u8,
    /// True if the payload is whole, and not the first of several pieces.
    pub(super) is_whole: bool,
    pub(super) stream: u64,
    pub(super) number: u64,
    pub(super) payload: &'a [u8],
}

pub(super) const HAPROXY_HELLO: u8 = 1;
pub(super) const HAPROXY_DISCONNECT: u8 = 2;
pub(super) const NOTIFY: u8 = 3;
pub(super) const AGENT_HELLO: u8 = 101;
pub(super) const AGENT_DISCONNECT: u8 = 102;
pub(super) const ACK: u8 = 103;

const WHOLE: u32 = 1;

/// A value with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Number(u64),
    Bytes(&'a [u8]),
    /// An address, which nothing here asks for.
    Address,
}

/// Why what came cannot be read: the codes of `doc/SPOE.txt`, section 3.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Normal = 0,
    TooBig = 3,
    Invalid = 4,
    NoVersion = 5,
    NoFrameSize = 6,
    BadVersion = 8,
    BadFrameSize = 9,
    Fragmented = 10,
}

impl Fault {
    /// The word for it, for HAProxy's log.
    pub(super) fn message(self) -> &'static str {
        match self {
            Fault::Normal => "normal",
            Fault::TooBig => "frame is too big",
            Fault::Invalid => "invalid frame received",
            Fault::NoVersion => "version value not found",
            Fault::NoFrameSize => "max-frame-size value not found",
            Fault::BadVersion => "unsupported version",
            Fault::BadFrameSize => "max-frame-size too big or too small",
            Fault::Fragmented => "fragmentation not supported",
        }
    }
}

/// Reads from the start of bytes, which are left behind what was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(Fault::Invalid)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        let (first, rest) = self.0.split_first().ok_or(Fault::Invalid)?;
        self.0 = rest;
        Ok(*first)
    }

    /// A number of variable length: four bits of the first byte, then seven of each.
    pub(super) fn number(&mut self) -> Result<u64, Fault> {
        let first = u64::from(self.byte()?);
        let mut number = first;
        if first >= 0xF0 {
            let mut shift = 4;
            loop {
                let byte = u64::from(self.byte()?);
                let part =
                    byte.checked_shl(shift).filter(|part| part >> shift == byte).ok_or(Fault::Invalid)?;
                number = number.checked_add(part).ok_or(Fault::Invalid)?;
                if byte < 0x80 {
                    break;
                }
                shift += 7;
            }
        }
        Ok(number)
    }

    /// Bytes behind their length.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Fault> {
        let len = usize::try_from(self.number()?).map_err(|_| Fault::Invalid)?;
        self.take(len)
    }

    pub(super) fn value(&mut self) -> Result<Value<'a>, Fault> {
        let kind = self.byte()?;
        Ok(match kind & 0x0F {
            0 => Value::Null,
            1 => Value::Bool(kind & 0x10 != 0),
            2..=5 => Value::Number(self.number()?),
            6 => self.take(4).map(|_| Value::Address)?,
            7 => self.take(16).map(|_| Value::Address)?,
            8 | 9 => Value::Bytes(self.bytes()?),
            _ => return Err(Fault::Invalid),
        })
    }

    /// A name and a value, or nothing at the end.
    pub(super) fn pair(&mut self) -> Result<Option<(&'a [u8], Value<'a>)>, Fault> {
        if self.0.is_empty() {
            return Ok(None);
        }
        Ok(Some((self.bytes()?, self.value()?)))
    }
}

impl<'a> Frame<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Fault> {
        let mut reader = Reader(bytes);
        let kind = reader.byte()?;
        let flags = reader.take(4)?.iter().fold(0, |flags, byte| flags << 8 | u32::from(*byte));
        let (stream, number) = (reader.number()?, reader.number()?);
        Ok(Frame { kind, is_whole: flags & WHOLE != 0, stream, number, payload: reader.0 })
    }

    /// The frame with its length before it.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut out = vec![0; 4];
        out.push(self.kind);
        out.extend_from_slice(&WHOLE.to_be_bytes());
        push_number(&mut out, self.stream);
        push_number(&mut out, self.number);
        out.extend_from_slice(self.payload);
        let len = u32::try_from(out.len() - 4).unwrap_or(u32::MAX).to_be_bytes();
        out.iter_mut().zip(len).for_each(|(to, from)| *to = from);
        out
    }
}

pub(super) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let low = |number: u64| u8::try_from(number & 0xFF).unwrap_or_default();
    if number < 0xF0 {
        out.push(low(number));
        return;
    }
    out.push(low(number) | 0xF0);
    number = (number - 0xF0) >> 4;
    while number >= 0x80 {
        out.push(low(number) | 0x80);
        number = (number - 0x80) >> 7;
    }
    out.push(low(number));
}

pub(super) fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// A pair of a list, whose value is text.
pub(super) fn push_text(out: &mut Vec<u8>, name: &str, text: &str) {
    push_bytes(out, name.as_bytes());
    out.push(8);
    push_bytes(out, text.as_bytes());
}

/// A pair of a list, whose value is a number.
pub(super) fn push_count(out: &mut Vec<u8>, name: &str, number: u32) {
    push_bytes(out, name.as_bytes());
    out.push(3);
    push_number(out, number.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        let edges = [0, 1, 239, 240, 241, 2287, 2288, 264_431, 264_432, 1 << 32, u64::MAX - 1, u64::MAX];
        for number in edges.into_iter().chain(0..5000) {
            let mut out = Vec::new();
            push_number(&mut out, number);
            let mut reader = Reader(&out);
            assert_eq!((reader.number(), reader.0.len()), (Ok(number), 0), "{number}");
        }
        // What HAProxy's documentation says of lengths.
        for (number, len) in [(239, 1), (240, 2), (2287, 2), (2288, 3), (264_431, 3), (264_432, 4)] {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(out.len(), len, "{number}");
        }
        for endless in
            [&[0xFF; 20][..], &[0xF0], &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]]
        {
            assert_eq!(Reader(endless).number(), Err(Fault::Invalid));
        }
    }

    #[test]
    fn frames_read_back_and_nothing_panics() {
        let mut payload = Vec::new();
        push_text(&mut payload, "a", "\u{e9}");
        push_count(&mut payload, "b", 16_380);
        let frame = Frame { kind: NOTIFY, is_whole: true, stream: 300, number: 1, payload: &payload };
        let bytes = frame.written();
        assert_eq!(bytes[..4], u32::try_from(bytes.len() - 4).unwrap().to_be_bytes());
        assert_eq!(Frame::read(&bytes[4..]), Ok(frame));
        let mut list = Reader(&payload);
        assert_eq!(list.pair(), Ok(Some((&b"a"[..], Value::Bytes("\u{e9}".as_bytes())))));
        assert_eq!(list.pair(), Ok(Some((&b"b"[..], Value::Number(16_380)))));
        assert_eq!(list.pair(), Ok(None));
        for end in 0..payload.len() {
            let mut list = Reader(&payload[..end]);
            while let Ok(Some(_)) = list.pair() {}
        }
        for byte in 0..=255 {
            let _ = Reader(&[byte, 1, 2, 3]).value();
            let _ = Frame::read(&[byte; 7]);
        }
    }
}
