//! Targets as nginx reads them. It keeps the request line, but refuses what its path would not be a file's.

use super::Told;
use crate::bytes::hex;
use crate::host;
use crate::refusal::{Refusal, refuse, require};

pub(super) fn read(target: &[u8]) -> Result<Told, Refusal> {
    require(!target.iter().any(u8::is_ascii_control), "a control character in the target")?;
    let path = match target {
        [b'/', ..] => target,
        [first, ..] if first.is_ascii_alphabetic() => after_authority(target)?,
        _ => return refuse("a target that is no path"),
    };
    check_path(path)?;
    Ok(Told::kept(target))
}

/// The path of an absolute target, which may be empty.
fn after_authority(target: &[u8]) -> Result<&[u8], Refusal> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let scheme = target.iter().take_while(|byte| is_scheme(byte)).count();
    let Some(rest) = target.get(scheme..).and_then(|rest| rest.strip_prefix(b"://")) else {
        return refuse("a target that is no path");
    };
    let len = match rest {
        [b'[', literal @ ..] => {
            let is_in = |byte: &u8| byte.is_ascii_alphanumeric() || b":-._~!$&'()*+,;=".contains(byte);
            literal.iter().take_while(|byte| is_in(byte)).count().saturating_add(2)
        }
        _ => rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte)).count(),
    };
    let (host, after) = rest.split_at_checked(len).unwrap_or((rest, b""));
    require(!host.starts_with(b"[") || host.ends_with(b"]"), "an absolute target without a host")?;
    host::check_as_nginx(host)?;
    let path = match after {
        [b':', port @ ..] => {
            let digits = port.iter().take_while(|byte| byte.is_ascii_digit()).count();
            port.get(digits..).unwrap_or_default()
        }
        _ => after,
    };
    require(matches!(path.first(), None | Some(b'/' | b'?')), "an absolute target without a host")?;
    Ok(path)
}

/// Where in a path the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// In a segment.
    Usual,
    /// Behind a slash.
    Slash,
    /// Behind a slash and a dot.
    Dot,
    /// Behind a slash and two.
    DotDot,
}

/// Decodes the path once, and refuses a NUL in it, a `%` without two digits, and `..` above its root.
fn check_path(path: &[u8]) -> Result<(), Refusal> {
    let (mut at, mut depth) = (At::Usual, 0_usize);
    let mut rest = path;
    let above = "a path above its root";
    while let [first, after @ ..] = rest {
        rest = after;
        let byte = match first {
            b'?' | b'#' => break,
            b'%' => {
                let (Some(high), Some(low)) =
                    (after.first().copied().and_then(hex), after.get(1).copied().and_then(hex))
                else {
                    return refuse("a % without two digits in the path");
                };
                rest = after.get(2..).unwrap_or_default();
                let byte = high.wrapping_mul(16).wrapping_add(low);
                require(byte != 0, "a NUL in the path")?;
                // These are not read again.
                if b"%#?".contains(&byte) {
                    at = At::Usual;
                    continue;
                }
                byte
            }
            byte => *byte,
        };
        at = match (at, byte) {
            (At::DotDot, b'/') => {
                depth = depth.checked_sub(1).filter(|depth| *depth > 0).ok_or(Refusal::new(above))?;
                At::Slash
            }
            (At::Slash | At::Dot, b'/') => At::Slash,
            (At::Usual, b'/') => {
                depth = depth.saturating_add(1);
                At::Slash
            }
            (At::Slash, b'.') => At::Dot,
            (At::Dot, b'.') => At::DotDot,
            _ => At::Usual,
        };
    }
    require(at != At::DotDot || depth > 1, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_above_the_root_are_refused() {
        for (target, is_taken) in [
            ("/", true),
            ("/..", false),
            ("/../a", false),
            ("/a/..", true),
            ("/a/../b", true),
            ("/a/../../b", false),
            ("/a//../b", true),
            ("/a/./../b", true),
            ("/%2e%2e/a", false),
            ("/a%2f..%2f../b", false),
            ("/a?/../..", true),
            ("/a#/../..", true),
            ("/...", true),
            ("/%00", false),
            ("/?%00", true),
            ("/%zz", false),
            ("/%", false),
            ("http://ex.com", true),
            ("http://ex.com/..", false),
            ("http://ex.com?a", true),
            ("http://e_x.com/", false),
            ("http://[::1]:80/", true),
            ("http:///a", false),
            ("*", false),
            ("a/b", false),
        ] {
            assert_eq!(read(target.as_bytes()).is_ok(), is_taken, "{target}");
        }
    }
}
