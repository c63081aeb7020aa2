//! Server access logs of Amazon S3, which keep the Host header behind everything else.

use super::quoted::{self, Logged};

/// `owner bucket [time] client requester id operation key "request" …`; `None` when the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let mut words = line.split(|byte| *byte == b' ');
    let (owner, _bucket, time) = (words.next()?, words.next()?, words.next()?);
    let is_owner = owner.len() == 64 && owner.iter().all(u8::is_ascii_hexdigit);
    if !is_owner || !time.starts_with(b"[") {
        return None;
    }
    if let Some(at) = memchr::memmem::find(line, b" \"-\" ")
        && memchr::memchr(b'"', line) == at.checked_add(1)
    {
        return Some(Err("a line of what S3 did by itself".into()));
    }
    let logged = quoted::read(line)?;
    Some(logged.map(|(mut parts, time)| {
        if let Some(host) = host(line) {
            parts.add_missing("host", host);
        }
        (parts, time)
    }))
}

/// The sixth word behind the user agent: `version host-id signature cipher authentication host`.
fn host(line: &[u8]) -> Option<&[u8]> {
    let request = memchr::memchr(b'"', line)?;
    let (_, rest) = quoted::string(line.get(request..)?)?;
    let (_, rest) = quoted::next_string(rest);
    let (_, rest) = quoted::next_string(rest);
    let mut words = rest.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.nth(5).filter(|host| *host != b"-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_s3() {
        let owner = "79a5".repeat(16);
        let line = format!(
            r#"{owner} bucket [06/Feb/2026:00:00:38 +0000] 192.0.2.3 {owner} 3E57427F3 REST.GET.OBJECT a.txt "GET /a.txt?x HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" - s9lzHYrFp76 SigV4 ECDHE AuthHeader bucket.s3.us-west-1.amazonaws.com TLSV1.2 - -"#
        );
        let (parts, time) = read(line.as_bytes()).unwrap().unwrap();
        assert_eq!((&parts.target[..], time.is_some()), (&b"/a.txt?x"[..], true));
        assert_eq!(parts.headers.len(), 2);
        assert!(parts.headers.contains(&(b"host".to_vec(), b"bucket.s3.us-west-1.amazonaws.com".to_vec())));
        let own = format!(
            r#"{owner} bucket [06/Feb/2026:00:00:38 +0000] - - 3E5 S3.EXPIRE.OBJECT a.txt "-" - - - -"#
        );
        assert!(read(own.as_bytes()).unwrap().is_err());
        assert!(read(br#"192.0.2.1 - - [t] "GET / HTTP/1.1" 200 1"#).is_none());
    }
}
