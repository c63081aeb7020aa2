//! Zoraxy: `… [origin:ex.com] [client: 192.0.2.1] [useragent: x] GET /path 200`.

use super::quoted::Logged;
use crate::record::Parts;
use crate::time::Time;

/// `None` when the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let host = named(line, b" [origin:")?;
    let agent = named(line, b" [useragent: ")?;
    let at = memchr::memmem::rfind(line, b"] ")?.saturating_add(2);
    let mut words = line.get(at..)?.split(|byte| *byte == b' ');
    let (method, target, status) = (words.next()?, words.next()?, words.next()?);
    if status.len() != 3 || !status.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut parts = Parts { method: method.to_vec(), target: target.to_vec(), ..Parts::default() };
    for (name, value) in [("host", host), ("user-agent", agent)] {
        if !value.is_empty() {
            parts.add_missing(name, value);
        }
    }
    Some(Ok((parts, line.get(..19).and_then(Time::parse))))
}

/// Cuts the text between a name and the bracket that ends it.
fn named<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find(line, name)?.saturating_add(name.len());
    let rest = line.get(at..)?;
    rest.get(..memchr::memmem::find(rest, b"] ")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_by_name() {
        let line = b"2026/05/01 07:57:03 [2026-05-01 07:57:03.150624] [router:host-http] [origin:ex.com] [client: 192.0.2.1] [useragent: A (b; c)] POST /x?y 404";
        let (parts, _) = read(line).unwrap().unwrap();
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"POST"[..], &b"/x?y"[..]));
        assert_eq!(parts.headers.len(), 2);
        assert!(read(b"2026/05/01 [origin:ex.com] started").is_none());
    }
}
