//! Cutting elements out of XML that is too long to be held: a reader of its markup, which knows where
//! tags, sections and comments end, and keeps what it is asked to keep.

use crate::window::Window;

/// A piece of markup, without the text before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// `<name …>`; whether it is `<name …/>`.
    Open(Vec<u8>, bool),
    /// `</name>`.
    Close(Vec<u8>),
    /// `<!DOCTYPE …>`, its internal subset included.
    Doctype(Vec<u8>),
    /// A section, comment or instruction.
    Other,
}

/// Why there is no more markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The text is over.
    Ended,
    /// A tag or a document type is longer than anybody writes one.
    TooLong,
}

/// The longest tag or document type.
const LONGEST: usize = 256 << 10;

/// The next markup. What is passed, text and markup, goes to `kept` in full.
pub(crate) fn next(window: &mut Window, mut kept: impl FnMut(&[u8])) -> Result<Markup, Stop> {
    text_until(window, b"<", &mut kept)?;
    for (start, end) in [(&b"<![CDATA["[..], &b"]]>"[..]), (b"<!--", b"-->"), (b"<?", b"?>")] {
        if window.starts_with(start) {
            kept(start);
            window.consume(start.len());
            text_until(window, end, &mut kept)?;
            kept(end);
            window.consume(end.len());
            return Ok(Markup::Other);
        }
    }
    let is_doctype = window.starts_with(b"<!");
    let len = if is_doctype { end_of_doctype(window)? } else { end_of_tag(window)? };
    let tag = window.bytes().get(..len).unwrap_or_default().to_vec();
    kept(&tag);
    window.consume(len);
    if is_doctype {
        return Ok(Markup::Doctype(tag));
    }
    let inner = tag.get(1..len.saturating_sub(1)).unwrap_or_default();
    let name = |inner: &[u8]| -> Vec<u8> {
        inner.iter().copied().take_while(|byte| !byte.is_ascii_whitespace() && *byte != b'/').collect()
    };
    Ok(match inner.strip_prefix(b"/") {
        Some(rest) => Markup::Close(name(rest)),
        None => Markup::Open(name(inner), inner.ends_with(b"/")),
    })
}

/// Hands on everything before `end`, and stops before it.
fn text_until(window: &mut Window, end: &[u8], kept: &mut impl FnMut(&[u8])) -> Result<(), Stop> {
    loop {
        let bytes = window.bytes();
        let found = memchr::memmem::find(bytes, end);
        // Without it, its first bytes may be the last that are there.
        let len = found.unwrap_or(bytes.len().saturating_sub(end.len().saturating_sub(1)));
        kept(bytes.get(..len).unwrap_or_default());
        window.consume(len);
        if found.is_some() {
            return Ok(());
        }
        if !window.read_more() {
            return Err(Stop::Ended);
        }
    }
}

/// Where a tag ends: at the first `>` that is not in quotes.
fn end_of_tag(window: &mut Window) -> Result<usize, Stop> {
    scan(window, |state: &mut Option<u8>, byte| match (*state, byte) {
        (None, b'>') => true,
        (None, b'"' | b'\'') => {
            *state = Some(byte);
            false
        }
        (Some(quote), _) if quote == byte => {
            *state = None;
            false
        }
        _ => false,
    })
}

/// Where a document type ends: at the first `>` outside of brackets. Quotes are not looked at: a bracket in
/// one makes it longer, and an entity in it is found all the same.
fn end_of_doctype(window: &mut Window) -> Result<usize, Stop> {
    scan(window, |depth: &mut Option<u8>, byte| {
        match byte {
            b'[' => *depth = Some(byte),
            b']' => *depth = None,
            b'>' => return depth.is_none(),
            _ => {}
        }
        false
    })
}

/// The length of what ends with the first byte for which `is_end` says so.
fn scan(window: &mut Window, is_end: impl Fn(&mut Option<u8>, u8) -> bool) -> Result<usize, Stop> {
    let mut state = None;
    let mut at = 0_usize;
    loop {
        while let Some(byte) = window.bytes().get(at) {
            at = at.saturating_add(1);
            if is_end(&mut state, *byte) {
                return Ok(at);
            }
            if at > LONGEST {
                return Err(Stop::TooLong);
            }
        }
        if !window.read_more() {
            return Err(Stop::Ended);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn markup_in_order() {
        let text = b"<?xml?><!DOCTYPE a [<!ELEMENT a (b)>]><a x='>'>t<![CDATA[</a>]]><!-- <a> --><b/></a>";
        let mut window = Window::new(Box::new(Cursor::new(text.to_vec())));
        let mut kept = Vec::new();
        let mut all = Vec::new();
        let stop = loop {
            match next(&mut window, |bytes| kept.extend_from_slice(bytes)) {
                Ok(markup) => all.push(markup),
                Err(stop) => break stop,
            }
        };
        assert_eq!((stop, &kept[..]), (Stop::Ended, &text[..]));
        let open = |name: &[u8], is_empty| Markup::Open(name.to_vec(), is_empty);
        let doctype = Markup::Doctype(b"<!DOCTYPE a [<!ELEMENT a (b)>]>".to_vec());
        let other = Markup::Other;
        assert_eq!(
            all,
            [
                other.clone(),
                doctype,
                open(b"a", false),
                other.clone(),
                other,
                open(b"b", true),
                Markup::Close(b"a".to_vec())
            ]
        );
    }

    #[test]
    fn endless_tags_end() {
        let text = [b"<a ", &vec![b'x'; LONGEST + 9][..]].concat();
        let mut window = Window::new(Box::new(Cursor::new(text)));
        assert_eq!(next(&mut window, |_| {}), Err(Stop::TooLong));
    }
}
