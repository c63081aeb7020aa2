//! Squid's own log: `time elapsed client result/status bytes method URL user hierarchy/peer type`.

use super::quoted::Logged;
use crate::record::Parts;
use crate::time::Time;
use crate::url;

/// `None` when the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let time = words.next().filter(|word| word.len() >= 12 && word.contains(&b'.'))?;
    let time =
        Time::parse(time).filter(|_| time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))?;
    words.next().filter(|elapsed| elapsed.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'))?;
    let _client = words.next()?;
    let result = words.next().filter(|result| {
        result.first().is_some_and(u8::is_ascii_uppercase) && result.contains(&b'/') && result.contains(&b'_')
            || result.starts_with(b"NONE/")
    })?;
    words.next().filter(|bytes| bytes.iter().all(u8::is_ascii_digit))?;
    let (method, whole) = (words.next()?, words.next()?);
    if whole.starts_with(b"error:") {
        return Some(Err("a line of a request that Squid could not read".into()));
    }
    if result.starts_with(b"UDP_") {
        return Some(Err("a line of a query between caches".into()));
    }
    let mut parts = Parts { method: method.to_vec(), ..Parts::default() };
    url::put(whole, &mut parts);
    if method == b"CONNECT" {
        parts.target = whole.to_vec();
    }
    Some(Ok((parts, Some(time))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_squid() {
        let line = b"1791640536.450    180 192.0.2.1 TCP_MISS/200 411 GET http://ex.com/a?b - HIER_DIRECT/192.0.2.2 text/html";
        let (parts, time) = read(line).unwrap().unwrap();
        assert_eq!((&parts.target[..], parts.authority.as_deref()), (&b"/a?b"[..], Some(&b"ex.com"[..])));
        assert_eq!(time.unwrap().micros(), 1_791_640_536_450_000);
        let connect =
            b"1791640536.450 1 192.0.2.1 TCP_TUNNEL/200 39 CONNECT ex.com:443 - HIER_DIRECT/192.0.2.2 -";
        assert_eq!(read(connect).unwrap().unwrap().0.target, b"ex.com:443");
        let bad =
            b"1791640536.450 0 192.0.2.1 NONE/400 3500 GET error:invalid-request - HIER_NONE/- text/html";
        assert!(read(bad).unwrap().is_err());
        let query = b"1791640536.450 3 192.0.2.1 UDP_HIT/000 50 ICP_QUERY http://ex.com/ - HIER_NONE/- -";
        assert!(read(query).unwrap().is_err());
        for line in [&b""[..], b"1791640536.450 180 192.0.2.1 x", b"a b c d e f g"] {
            assert!(read(line).is_none());
        }
    }
}
