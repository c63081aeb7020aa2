//! Tags and attributes of XML.

use super::{Open, Reader, Stop};
use crate::bytes::{self, ALNUM};
use crate::formats::step::{Leaf, Sink, Step};
use crate::scan::Kind;

impl<'a, S: Sink<'a>> Reader<'a, '_, S> {
    pub(super) fn start_tag(&mut self) -> Result<(), Stop> {
        let start = self.cursor.at;
        self.cursor.at += b"<".len();
        let name = self.cursor.name()?;
        self.end_run();
        match self.open.last_mut() {
            Some(parent) => parent.is_empty = false,
            None => {
                self.is_faulty |= self.has_root;
                self.has_root = true;
            }
        }
        if self.open.len() == self.limits.depth {
            self.deep_start = start;
            self.is_capped = true;
        }
        self.open.push(Open { name: name.bytes, is_empty: true });
        if self.is_deep() {
            self.scan(name, Kind::Leaf);
        } else {
            self.sink.enter(Step::Name(name));
        }
        self.attributes.clear();
        loop {
            let is_spaced = self.cursor.skip_space();
            match self.cursor.peek()? {
                b'>' => {
                    self.cursor.at += 1;
                    break;
                }
                b'/' => {
                    self.cursor.at += 1;
                    self.cursor.expect(b'>')?;
                    self.close();
                    break;
                }
                _ if is_spaced => self.attribute()?,
                _ => return Err(Stop::Bad),
            }
        }
        self.attributes.sort_unstable();
        self.is_faulty |= self.attributes.windows(2).any(|two| matches!(two, [a, b] if a == b));
        Ok(())
    }

    fn attribute(&mut self) -> Result<(), Stop> {
        let (name, raw) = self.cursor.attribute()?;
        self.attributes.push(name.bytes);
        self.is_faulty |= bytes::position(b'<', raw.text.bytes).is_some();
        let value = self.decode(raw.text, !raw.is_ended);
        if name.bytes == b"xmlns" || name.bytes.starts_with(b"xmlns:") {
            if !is_plain_namespace(value.bytes) {
                self.scan(value, Kind::Leaf);
            }
        } else {
            if self.is_deep() {
                self.scan(name, Kind::Leaf);
            }
            self.sink.enter(Step::Attribute(name));
            self.scan_value(value);
            self.sink.leave();
        }
        if raw.is_ended { Ok(()) } else { Err(Stop::Early) }
    }

    pub(super) fn end_tag(&mut self) -> Result<(), Stop> {
        let start = self.cursor.at;
        self.cursor.at += b"</".len();
        let name = self.cursor.name()?;
        self.cursor.skip_space();
        self.cursor.expect(b'>')?;
        if self.open.last().is_none_or(|open| open.name != name.bytes) {
            self.cursor.at = start;
            return Err(Stop::Bad);
        }
        self.end_run();
        self.close();
        Ok(())
    }

    /// Takes leave of the innermost element, behind whose end the cursor is.
    fn close(&mut self) {
        let Some(element) = self.open.pop() else { return };
        match self.open.len().cmp(&self.limits.depth) {
            std::cmp::Ordering::Less => {
                if element.is_empty {
                    let nothing = self.cursor.since(self.cursor.at);
                    self.sink.leaf(Leaf::Text(nothing));
                }
                self.sink.leave();
            }
            std::cmp::Ordering::Equal => {
                self.sink.leaf(Leaf::Deep(self.cursor.since(self.deep_start)));
            }
            std::cmp::Ordering::Greater => {}
        }
    }
}

/// Returns whether a namespace is named by an ordinary URL or URN, as they all are.
fn is_plain_namespace(name: &[u8]) -> bool {
    let starts = |start: &[u8]| name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    (starts(b"http://") || starts(b"https://") || starts(b"urn:"))
        && name.iter().all(|&b| bytes::is(b, ALNUM) || b"-._~/:#?=&+,".contains(&b))
        && memchr::memmem::find(name, b"..").is_none()
}
