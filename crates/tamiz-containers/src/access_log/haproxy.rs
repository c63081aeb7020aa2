//! HAProxy's HTTP log (its manual, 8.2.3 and 8.2.4): the request line is in quotes at the end, and
//! its escapes are `#hh` (8.6).

use super::quoted::{Logged, time_in_brackets};
use crate::{escapes, request_line};

/// `None` when the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let quote = memchr::memchr(b'"', line)?;
    let before = line.get(..quote)?;
    let timers = before.split(|byte| *byte == b' ').filter(|word| is_counters(word, 5)).count();
    if timers == 0 {
        return None;
    }
    let rest = line.get(quote.saturating_add(1)..)?;
    let request = rest.get(..memchr::memchr(b'"', rest)?)?;
    if request == b"<BADREQ>" {
        return Some(Err("a line of a request that HAProxy could not read".into()));
    }
    Some(Ok((request_line::cut(&escapes::undone(request, b"#")), time_in_brackets(before))))
}

/// Returns whether a word is numbers with slashes between them, as timers and counters are.
fn is_counters(word: &[u8], count: usize) -> bool {
    let mut numbers = word.split(|byte| *byte == b'/');
    let is_number = |number: &[u8]| {
        let digits = number.strip_prefix(b"-").or(number.strip_prefix(b"+")).unwrap_or(number);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    numbers.by_ref().take(count).filter(|number| is_number(number)).count() == count
        && numbers.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    const LINE: &str = "Feb  6 12:14:14 lb haproxy[14389]: 10.0.1.2:33317 [06/Feb/2026:12:14:14.655] http-in \
                        static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} ";

    #[test]
    fn request_and_time() {
        let (parts, time) = read(format!(r##"{LINE}"GET /a#22b#23 HTTP/1.1""##).as_bytes()).unwrap().unwrap();
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/a\"b#"[..]));
        assert_eq!(time, Time::parse(b"2026-02-06T12:14:14.655Z"));
        assert!(read(format!(r#"{LINE}"<BADREQ>""#).as_bytes()).unwrap().is_err());
    }

    #[test]
    fn other_lines() {
        assert!(read(br#"192.0.2.1 - - [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.1" 200 1"#).is_none());
        assert!(read(b"").is_none());
    }
}
