//! AWS load balancers: the Application Load Balancer's log and the Classic one's, which lacks the type before it.

use super::quoted::{Logged, string};
use crate::record::Parts;
use crate::time::Time;
use crate::url;

/// `type time elb client target t t t status status in out "request" "user-agent" …`, or without the type; `None` when the
/// line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let quote = memchr::memchr(b'"', line)?;
    let words: Vec<&[u8]> =
        line.get(..quote)?.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let time = match words[..] {
        [kind, time, _, _, _, _, _, _, _, _, _, _] if KINDS.contains(&kind) => time,
        [time, _, _, _, _, _, _, _, _, _, _] => time,
        _ => return None,
    };
    let time = Time::parse(time).filter(|_| time.contains(&b'T'))?;
    let (request, rest) = string(line.get(quote..)?)?;
    // The Classic Load Balancer's first logs had none.
    let (agent, _) = string(rest.trim_ascii_start()).unwrap_or_default();
    // The URL is what the load balancer makes of target and Host.
    let mut words = request.split(|byte| *byte == b' ');
    let (method, version) = (words.next()?, request.rsplit(|byte| *byte == b' ').next()?);
    let whole = request.get(method.len()..request.len().saturating_sub(version.len()))?.trim_ascii();
    if method == b"-" || whole.is_empty() {
        return Some(Err("a line of a connection without a request".into()));
    }
    let mut parts = Parts { method: method.to_vec(), ..Parts::default() };
    url::put(whole, &mut parts);
    parts.version = std::str::from_utf8(version).ok().and_then(url::version);
    if agent != b"-" && !agent.is_empty() {
        parts.add_missing("user-agent", agent);
    }
    Some(Ok((parts, Some(time))))
}

/// The kinds of connections, as the Application Load Balancer names them.
const KINDS: [&[u8]; 6] = [b"http", b"https", b"h2", b"grpcs", b"ws", b"wss"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_load_balancers() {
        let rest = r#"app/my-lb/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET https://ex.com:443/a?b=1 HTTP/1.1" "curl/7.46.0" - -"#;
        for line in [
            format!(r#"https 2026-10-10T13:55:36.186641Z {rest} arn:aws:x "Root=1-2" "ex.com" "-" 0"#),
            format!("2026-10-10T13:55:36.186641Z {rest}"),
        ] {
            let (parts, time) = read(line.as_bytes()).expect("of this form").unwrap();
            assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/a?b=1"[..]));
            assert_eq!(parts.authority.as_deref(), Some(&b"ex.com:443"[..]));
            assert_eq!((parts.headers.len(), time.is_some()), (1, true));
        }
    }

    #[test]
    fn other_lines() {
        let none = r#"http 2026-10-10T13:55:36Z app/x 192.0.2.1:1 - -1 -1 -1 400 - 0 272 "- http://ex.com:80- -" "-" - - - "-" "-" "-" -"#;
        assert!(read(none.as_bytes()).unwrap().is_err());
        let old = r#"2014-02-15T23:39:43.945958Z lb 192.0.2.1:2817 10.0.0.1:80 0.1 0.2 0.3 200 200 0 29 "GET http://ex.com:80/a HTTP/1.1""#;
        assert_eq!(read(old.as_bytes()).unwrap().unwrap().0.target, b"/a");
        for line in ["", r#"http "GET / HTTP/1.1""#, r#"a b c d e f g h i j k "GET / HTTP/1.1" "x""#] {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }
}
