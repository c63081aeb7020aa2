//! Targets as HAProxy reads them: kept, but an absolute one has to name the host that `Host` does.

use super::Told;
use crate::bytes::cut_last;
use crate::refusal::{Refusal, require};
use crate::request_line::Cut;

pub(super) fn read(request: &Cut<'_>, host: Option<&[u8]>) -> Result<Told, Refusal> {
    let target = request.target;
    require(
        target.iter().all(|byte| matches!(byte, 0x21..=0x7F) && *byte != b'#'),
        "a byte in the target that is not taken",
    )?;
    if matches!(target, [b'/' | b'*', ..]) {
        require(request.method != b"CONNECT", "a CONNECT to no host and port")?;
        return Ok(Told::kept(target));
    }
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let len = target.iter().take_while(|byte| is_scheme(byte)).count();
    let (scheme, rest) = target.split_at_checked(len).unwrap_or((target, b""));
    let after_scheme =
        rest.strip_prefix(b"://").filter(|_| !scheme.is_empty() && request.method != b"CONNECT");
    // Whatever else there is, is an authority.
    let rest = after_scheme.unwrap_or(target);
    let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, b""));
    let (user, named) =
        cut_last(authority, b'@').map_or((None, authority), |(user, named)| (Some(user), named));
    let ports: &[&[u8]] = match (after_scheme, request.method) {
        (Some(_), _) if scheme.eq_ignore_ascii_case(b"http") => &[b":80"],
        (Some(_), _) if scheme.eq_ignore_ascii_case(b"https") => &[b":443"],
        (None, b"CONNECT") if named.ends_with(b":80") => &[b":80"],
        (None, b"CONNECT") => &[b":443"],
        _ => &[],
    };
    if request.method == b"CONNECT" {
        let port = cut_last(named, b':').map(|(_, port)| port).unwrap_or_default();
        let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
        require(is_port, "a CONNECT to no host and port")?;
    }
    let plain = without_port(named, ports);
    let has_port = plain.len() < named.len();
    if let Some(host) = host {
        let is_same = without_port(host, ports).eq_ignore_ascii_case(plain);
        require(is_same, "a target of another host than Host")?;
    }
    let told = match user {
        _ if after_scheme.is_none() || !has_port => target.to_vec(),
        Some(user) => [scheme, b"://", user, b"@", plain, path].concat(),
        None => [scheme, b"://", plain, path].concat(),
    };
    // A port that goes without saying is dropped, and with it whatever Host says.
    Ok(Told { target: told, host: host.filter(|_| has_port).map(|_| plain.to_vec()) })
}

/// A host without one of these ports.
fn without_port<'h>(host: &'h [u8], ports: &[&[u8]]) -> &'h [u8] {
    ports.iter().find_map(|port| host.strip_suffix(*port)).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_targets_are_those_of_host() {
        let told = |method: &str, target: &str, host: &str| {
            let cut = Cut { method: method.as_bytes(), target: target.as_bytes(), version: None };
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            read(&cut, Some(host.as_bytes())).ok().map(|told| (text(told.target), told.host.map(text)))
        };
        let some = |target: &str, host: Option<&str>| Some((target.to_owned(), host.map(str::to_owned)));
        assert_eq!(told("GET", "/a", "ex.com:80"), some("/a", None));
        assert_eq!(told("GET", "http://u@ex.com:80/a", "EX.com"), some("http://u@ex.com/a", Some("ex.com")));
        assert_eq!(told("GET", "http://ex.com/", "other.com"), None);
        assert_eq!(told("CONNECT", "ex.com:80", "ex.com:80"), some("ex.com:80", Some("ex.com")));
        assert_eq!(told("CONNECT", "ex.com:443", "ex.com"), some("ex.com:443", Some("ex.com")));
        assert_eq!(told("CONNECT", "ex.com:443", "ex.com:80"), None);
        assert_eq!(told("CONNECT", "/a", "ex.com"), None);
        assert_eq!(told("GET", "ex.com:80", "ex.com"), None);
    }
}
