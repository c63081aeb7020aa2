//! Targets as HAProxy reads them: kept, but an absolute one has to name the host that `Host` does.

use super::Told;
use crate::bytes::{cut, cut_last};
use crate::refusal::{Refusal, refuse, require};
use crate::request_line::Cut;

pub(super) fn read(request: &Cut<'_>, host: Option<&[u8]>) -> Result<Told, Refusal> {
    let target = request.target;
    require(
        target.iter().all(|byte| matches!(byte, 0x21..=0x7F) && *byte != b'#'),
        "a byte in the target that is not taken",
    )?;
    if request.method == b"CONNECT" {
        return connect(target, host);
    }
    if target == b"*" || target.starts_with(b"/") {
        return Ok(Told::kept(target));
    }
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let len = target.iter().take_while(|byte| is_scheme(byte)).count();
    let (scheme, rest) = target.split_at_checked(len).unwrap_or((target, b""));
    let Some(rest) = rest.strip_prefix(b"://").filter(|_| !scheme.is_empty()) else {
        return refuse("a target that is no path");
    };
    let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, b""));
    let (user, named) =
        cut_last(authority, b'@').map_or((None, authority), |(user, named)| (Some(user), named));
    let port = default_port(scheme);
    let plain = without_port(named, port);
    let Some(host) = host.filter(|host| !host.is_empty()) else { return Ok(Told::kept(target)) };
    require(without_port(host, port).eq_ignore_ascii_case(plain), "a target of another host than Host")?;
    let told =
        [scheme, b"://", user.unwrap_or_default(), if user.is_some() { b"@" } else { b"" }, plain, path]
            .concat();
    Ok(Told { target: told, host: Some(without_port(host, port).to_vec()) })
}

fn connect(target: &[u8], host: Option<&[u8]>) -> Result<Told, Refusal> {
    let bad = "a CONNECT to no host and port";
    require(!target.starts_with(b"/"), bad)?;
    let Some((name, port)) = cut_last(target, b':') else { return refuse(bad) };
    let is_port =
        std::str::from_utf8(port).ok().and_then(|port| port.parse::<u16>().ok()).is_some_and(|port| port > 0);
    require(is_port && !name.is_empty(), bad)?;
    let Some(host) = host.filter(|host| !host.is_empty()) else { return Ok(Told::kept(target)) };
    let is_default = matches!(port, b"80" | b"443");
    let (host_name, host_port) = cut(host, b':').map_or((host, None), |(name, port)| (name, Some(port)));
    let is_same = host_name.eq_ignore_ascii_case(name) && host_port.map_or(is_default, |there| there == port);
    require(is_same, "a target of another host than Host")?;
    let told = if is_default { host_name } else { host };
    Ok(Told { target: target.to_vec(), host: Some(told.to_vec()) })
}

fn default_port(scheme: &[u8]) -> &'static [u8] {
    if scheme.eq_ignore_ascii_case(b"https") { b":443" } else { b":80" }
}

fn without_port<'h>(host: &'h [u8], port: &[u8]) -> &'h [u8] {
    host.strip_suffix(port).unwrap_or(host)
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
        assert_eq!(told("GET", "http://u@ex.com:80/a", "EX.com"), some("http://u@ex.com/a", Some("EX.com")));
        assert_eq!(told("GET", "http://ex.com/", "other.com"), None);
        assert_eq!(told("CONNECT", "ex.com:80", "ex.com:80"), some("ex.com:80", Some("ex.com")));
        assert_eq!(told("CONNECT", "/a", "ex.com"), None);
        assert_eq!(told("GET", "ex.com:80", "ex.com"), None);
    }
}
