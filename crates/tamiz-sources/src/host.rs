//! The step of `Host`.

use crate::headers::{Field, values};
use crate::refusal::{Refusal, require};
use crate::request_line::Cut;
use crate::rules::{Host, RepeatedHost, Required};

/// Reads and checks `Host`; `None` where there is none.
pub(crate) fn read(fields: &mut Vec<Field>, cut: &Cut<'_>, rules: &Host) -> Result<Option<Vec<u8>>, Refusal> {
    let mut hosts = values(fields, "host");
    let Some(mut host) = hosts.next().map(<[u8]>::to_vec) else {
        let is_needed = match rules.required {
            Required::Never => false,
            Required::Since11 => cut.is_current() && cut.method != b"CONNECT",
            Required::UnlessAbsolute => cut.target.starts_with(b"/"),
        };
        require(!is_needed, "no Host")?;
        return Ok(None);
    };
    for another in hosts {
        match rules.repeated {
            RepeatedHost::Refused => require(false, "more than one Host")?,
            RepeatedHost::Same => {
                require(another.eq_ignore_ascii_case(&host), "more than one Host")?;
            }
            RepeatedHost::Joined => {
                host.push(b',');
                host.extend_from_slice(another);
            }
        }
    }
    require(rules.empty || !host.is_empty(), "an empty Host")?;
    if let Some(allowed) = &rules.allowed {
        let is_taken = |byte: &u8| byte.is_ascii_alphanumeric() || allowed.as_bytes().contains(byte);
        require(host.iter().all(is_taken), "a byte in Host that is not taken")?;
    }
    if rules.as_nginx {
        check_as_nginx(&host)?;
    }
    let mut is_first = true;
    fields.retain_mut(|field| {
        if !field.is("host") {
            return true;
        }
        field.value.clone_from(&host);
        std::mem::take(&mut is_first)
    });
    Ok(Some(host))
}

/// Returns whether nginx takes a host: no slash, space or control, no two dots side by side, something before the port.
pub(crate) fn check_as_nginx(host: &[u8]) -> Result<(), Refusal> {
    let bad = "a Host that is not taken";
    require(!host.iter().any(|byte| *byte <= b' ' || matches!(byte, b'/' | 0x7F)), bad)?;
    require(!host.windows(2).any(|two| two == b".."), bad)?;
    let name = match host {
        [b'[', ..] => host,
        _ => host.split(|byte| *byte == b':').next().unwrap_or(host),
    };
    require(!name.is_empty() && name != b".", bad)
}
