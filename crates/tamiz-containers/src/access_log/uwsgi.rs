//! uWSGI: `[pid: 1|app: 0|req: 1/1] client () {…} [time] GET /a => generated … (HTTP/1.1 200) …`.

use super::quoted::Logged;
use crate::record::Parts;
use crate::time::Time;

/// `None` when the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let arrow = memchr::memmem::find(line, b" => generated ")?;
    let start = memchr::memmem::rfind(line.get(..arrow)?, b"} [")?.saturating_add(3);
    let rest = line.get(start..arrow)?;
    let close = memchr::memmem::find(rest, b"] ")?;
    let time = Time::parse(rest.get(..close)?);
    let request = rest.get(close.saturating_add(2)..)?;
    let space = memchr::memchr(b' ', request)?;
    let mut parts = Parts {
        method: request.get(..space)?.to_vec(),
        target: request.get(space.saturating_add(1)..)?.to_vec(),
        ..Parts::default()
    };
    let after = line.get(arrow..)?;
    if let Some(at) = memchr::memmem::find(after, b"(HTTP/") {
        let version = after.get(at.saturating_add(1)..)?;
        parts.version = Some(version.get(..memchr::memchr(b' ', version)?)?.to_vec());
    }
    Some(Ok((parts, time)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_uwsgi() {
        let line = b"[pid: 31|app: 0|req: 1/1] 192.0.2.1 () {36 vars in 608 bytes} [Sat Oct 10 13:55:36 2026] GET /a?b=[1] => generated 13 bytes in 2 msecs (HTTP/1.1 200) 2 headers in 79 bytes (1 switches on core 0)";
        let (parts, time) = read(line).unwrap().unwrap();
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/a?b=[1]"[..]));
        assert_eq!((parts.version.as_deref(), time.is_some()), (Some(&b"HTTP/1.1"[..]), true));
        assert!(read(b"*** Starting uWSGI ***").is_none() && read(b"x => generated y").is_none());
    }
}
