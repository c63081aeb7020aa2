//! Targets as Envoy reads them: the host of an absolute one takes the place of `Host`.

use super::Told;
use crate::bytes::{cut, cut_last};
use crate::refusal::{Refusal, refuse, require};

pub(super) fn read(target: &[u8]) -> Result<Told, Refusal> {
    require(
        target.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#'),
        "a byte in the target that is not taken",
    )?;
    if target.starts_with(b"/") {
        return Ok(Told::kept(target));
    }
    // Another scheme than that of the connection is refused too.
    const SCHEME: &[u8] = b"http://";
    let start = target.get(..SCHEME.len()).unwrap_or_default();
    let Some(rest) = target.get(SCHEME.len()..).filter(|_| start.eq_ignore_ascii_case(SCHEME)) else {
        return refuse("a target that is no path");
    };
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, b""));
    require(!path.starts_with(b"?"), "an absolute target without a path")?;
    let host = match cut_last(authority, b'@') {
        Some((user, host)) => {
            let is_user = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%".contains(byte);
            require(user.iter().all(is_user), "user information that is not taken")?;
            host
        }
        None => authority,
    };
    check_host(host)?;
    let path = if path.is_empty() { b"/" } else { path };
    Ok(Told { target: path.to_vec(), host: Some(host.to_vec()) })
}

fn check_host(host: &[u8]) -> Result<(), Refusal> {
    let (name, port) = if host.starts_with(b"[") {
        let (name, port) = cut_last(host, b']').unwrap_or((host, b"?"));
        (name, port.strip_prefix(b":").or(port.is_empty().then_some(b"80")))
    } else {
        cut(host, b':').map_or((host, Some(&b"80"[..])), |(name, port)| (name, Some(port)))
    };
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || b".-".contains(byte) || host.starts_with(b"[") && b":[".contains(byte)
    };
    let port = port.and_then(|port| std::str::from_utf8(port).ok()?.parse::<u16>().ok());
    require(!name.is_empty() && name.iter().all(is_name) && port.is_some(), "a host that is not taken")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_absolute_target_is_told() {
        let told = |target: &str| {
            read(target.as_bytes()).ok().map(|told| {
                let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
                (text(told.target), told.host.map(text))
            })
        };
        let some = |target: &str, host: Option<&str>| Some((target.to_owned(), host.map(str::to_owned)));
        assert_eq!(told("/a?b"), some("/a?b", None));
        assert_eq!(told("HTTP://u:p@EX.com:8080/a"), some("/a", Some("EX.com:8080")));
        assert_eq!(told("http://ex.com"), some("/", Some("ex.com")));
        assert_eq!(told("http://[::1]:80/"), some("/", Some("[::1]:80")));
        for refused in [
            "*",
            "a/b",
            "/a#b",
            "/\u{e9}",
            "https://ex.com/",
            "http://e_x.com/",
            "http://ex.com:99999/",
            "http://ex.com?a",
        ] {
            assert_eq!(told(refused), None, "{refused}");
        }
    }
}
