//! Checks the lines of a document against each other (clause 9.11).

#![allow(clippy::arithmetic_side_effects, reason = "lines and columns of one text")]

use super::keys::Keys;
use super::lines::{HeaderLine, Lines, read_flag, split_flags};
use super::marker::more;
use super::parse::{Cursor, EVERY_OTHER, Result, cut};
use crate::config::Scheme;
use crate::flags::{Flag, Parameter, Weight};
use crate::show::marker;

/// Checks a whole document: each line, and what the lines say of each other.
pub(crate) fn check(text: &str) -> Result<()> {
    let lines = cut(text)?;
    let at = |tag: &str| {
        let line = text.lines().position(|line| line.starts_with(tag)).map_or(1, |i| i + 1);
        Cursor::at(line, tag.len() + 1)
    };
    check_rollup(&lines, at("FLAGS:"))?;
    check_families(&lines, at("FAM:"))?;
    check_headers(&lines, at("HCNT:"), at("H:"))?;
    check_keys(&lines, at("KEYS_SORTED:"), at("QK:"))?;
    if let Some((body, keys)) = lines.body.as_ref().and_then(|body| Some((body, body.keys?))) {
        body.values.check(keys, at(if body.values.is_empty() { "BQ:" } else { "BK:" }))?;
    }
    check_limits(&lines, at("M:"), at("P:"))?;
    match (lines.url, lines.path) {
        (Some(url), Some(path)) => check_url(url, path, &lines, at("U:")),
        (None, Some(_)) => Ok(()),
        (_, None) if lines.method != "CONNECT" => at("M:").fail("a `P:` line, or a CONNECT"),
        (_, None) if lines.query.is_some() => at("Q:").fail("a `P:` line before it"),
        (Some(url), None) => check_authority(url, at("U:")),
        (None, None) => Ok(()),
    }
}

fn check_rollup(lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    let mut union: Vec<&str> = lines.flags().collect();
    union.sort_unstable();
    union.dedup();
    let written: Vec<&str> = lines.rollup.into_iter().flat_map(|rollup| rollup.split(' ')).collect();
    if union == written {
        return Ok(());
    }
    let (of_lines, of_rollup) = (by_name(&union), by_name(&written));
    let same = of_lines.len() == of_rollup.len()
        && of_lines.iter().zip(&of_rollup).all(|(union, written)| is_capped(union, written));
    if same && written.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    at.fail("the sorted union of the flags of all lines")
}

/// Flags that are sorted, in runs of the same name.
fn by_name<'f, 'd>(flags: &'f [&'d str]) -> Vec<&'f [&'d str]> {
    flags.chunk_by(|a, b| name(a) == name(b)).collect()
}

/// The name of a flag as written.
fn name(flag: &str) -> &str {
    flag.split(':').next().unwrap_or_default()
}

/// Returns whether a flag stands for those of its parameters that are left out.
fn is_every_other(flag: &str) -> bool {
    flag.split_once(':').is_some_and(|(_, parameter)| parameter == EVERY_OTHER)
}

/// Returns whether `written` has the first parameters of `union`, both of one flag, and `NAME:*` exactly
/// where there are others. How many are shown is a matter of configuration.
fn is_capped<'d>(union: &[&'d str], written: &[&'d str]) -> bool {
    let named = |flags: &[&'d str]| -> Vec<&'d str> {
        flags.iter().copied().filter(|flag| !is_every_other(flag)).collect()
    };
    let (all, shown) = (named(union), named(written));
    let left_out = shown.len() < all.len() || all.len() < union.len();
    union.first().map(|flag| name(flag)) == written.first().map(|flag| name(flag))
        && all.starts_with(&shown)
        && left_out == (shown.len() < written.len())
}

fn check_families(lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    let Some(written) = lines.families else {
        return Ok(());
    };
    let mut families: Vec<&str> = lines
        .rollup
        .into_iter()
        .flat_map(|rollup| rollup.split(' '))
        .filter_map(read_flag)
        .map(|(flag, _): (Flag, _)| flag)
        .filter(|flag| flag.weight() != Weight::Structural)
        .map(|flag| flag.family().as_str())
        .collect();
    families.sort_unstable();
    let counts: Vec<String> = families
        .chunk_by(|a, b| a == b)
        .map(|same| format!("{}={}", same.first().copied().unwrap_or_default(), same.len()))
        .collect();
    if counts.join(" ") == written { Ok(()) } else { at.fail("the counts of the flags by family") }
}

fn check_headers(lines: &Lines<'_>, count: Cursor<'_>, first: Cursor<'_>) -> Result<()> {
    let order = |header: &HeaderLine<'_>| (header.name == "?", header.name.to_owned());
    for (i, two) in lines.headers.windows(2).enumerate() {
        if let [a, b] = two
            && order(a) > order(b)
        {
            return Cursor::at(first.line + i + 1, 3).fail("headers sorted by name");
        }
    }
    let more = lines.more_headers.map_or(0, |more| more.count);
    if (lines.headers.len() as u64).checked_add(more) != Some(lines.header_count) {
        return count.fail("the number of headers");
    }
    Ok(())
}

fn check_keys(lines: &Lines<'_>, sorted_at: Cursor<'_>, qk_at: Cursor<'_>) -> Result<()> {
    if let Some(written) = lines.keys_sorted {
        let mut sorted: Vec<&str> = lines.keys().collect();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.join(",") != written {
            return sorted_at.fail("the keys, sorted");
        }
    }
    if lines.query_values.is_empty() {
        return Ok(());
    }
    lines.query_values.check(lines.query.unwrap_or_default(), qk_at)
}

/// Checks that `CAPPED` is there where something is left out.
fn check_limits(lines: &Lines<'_>, method: Cursor<'_>, path: Cursor<'_>) -> Result<()> {
    if split_flags(lines.method_flags).any(|flag| flag == Flag::Capped.name()) {
        return Ok(());
    }
    let body_keys = lines.body.as_ref().and_then(|body| body.keys);
    let more_keys = |keys: Option<Keys<'_>>| keys.is_some_and(|keys| keys.more > 0);
    // The parameter of a header that is named `*` is its name.
    let has_such_name = lines.headers.iter().any(|header| header.name == EVERY_OTHER);
    let is_name = |flag| read_flag(flag).is_some_and(|(flag, _)| flag.parameter_kind() == Parameter::Name);
    if more_keys(lines.query)
        || more_keys(body_keys)
        || lines.more_headers.is_some()
        || lines.flags().any(|flag| is_every_other(flag) && !(has_such_name && is_name(flag)))
    {
        return method.fail("`CAPPED`, since something is left out");
    }
    // A segment of the request may read like that, and is then flagged for its brackets.
    let is_text =
        split_flags(lines.path_flags).any(|flag| flag == Flag::Marker.name() || flag == Flag::Angle.name());
    if !is_text
        && lines.path.into_iter().flat_map(|path| path.split('/')).any(|segment| more(segment).is_some())
    {
        return path.fail("no segments left out without `CAPPED`");
    }
    Ok(())
}

/// `[<SECRET:userinfo:n>@]host[:port]`.
fn check_authority(authority: &str, at: Cursor<'_>) -> Result<()> {
    let host = match authority.split_once('@') {
        Some((userinfo, host)) if is_userinfo(userinfo) => host,
        Some(_) => return at.fail("userinfo as a marker"),
        None => authority,
    };
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_name = match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'))
        }
    };
    if is_name && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0)) {
        Ok(())
    } else {
        at.fail("a host")
    }
}

fn is_userinfo(text: &str) -> bool {
    text.starts_with("<SECRET:userinfo:") && marker::is_written_marker(text.as_bytes())
}

/// `U` is scheme and authority, or neither, the path, then the query with the keys of `Q`, then a fragment.
fn check_url(url: &str, path: &str, lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    if url.starts_with('/') {
        return check_url_tail(url, path, lines, at);
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        return at.fail("a scheme and `://`");
    };
    if scheme.parse::<Scheme>().is_err() {
        return at.fail("http, https, ws or wss");
    }
    let at = at.skip_column(scheme.len() + 3);
    let authority = rest.find('/').unwrap_or(rest.len());
    let (host, rest) = rest.split_at_checked(authority).unwrap_or((rest, ""));
    check_authority(host, at)?;
    check_url_tail(rest, path, lines, at.skip_column(host.len()))
}

/// The text after the authority of `U`.
fn check_url_tail(rest: &str, path: &str, lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    let rooted = if path.starts_with('/') {
        rest.strip_prefix(path)
    } else {
        rest.strip_prefix('/').and_then(|rest| rest.strip_prefix(path))
    };
    let Some(tail) = rooted else {
        return at.fail("the path of the `P:` line");
    };
    let at = at.skip_column(rest.len() - tail.len());
    let (query, fragment) = match tail.find("%23<") {
        Some(hash) => tail.split_at_checked(hash).unwrap_or((tail, "")),
        None => (tail, ""),
    };
    if let Some(fragment) = fragment.strip_prefix("%23")
        && !marker::is_written_marker(fragment.as_bytes())
    {
        return at.skip_column(query.len()).fail("the shape of the fragment");
    }
    check_url_query(query, lines, at)
}

fn check_url_query(query: &str, lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    match (query.strip_prefix('?'), lines.query) {
        (None, None) if query.is_empty() => Ok(()),
        (Some(pairs), Some(keys)) if has_keys(pairs, keys) => check_values(pairs, at.skip_column(1)),
        (Some(_), Some(_)) => at.fail("a query with the keys of the `Q:` line"),
        _ => at.fail("a query exactly when there is a `Q:` line"),
    }
}

/// Each value of a URL's query is a marker, or text that was escaped as one.
fn check_values(pairs: &str, mut at: Cursor<'_>) -> Result<()> {
    for pair in pairs.split('&') {
        let value = pair.split_once('=').map_or("", |(_, value)| value);
        let is_escaped = !value.contains(['#', '=', '<', '>']);
        if !is_escaped && !marker::is_written_marker(value.as_bytes()) {
            return at.skip_column(pair.len().saturating_sub(value.len())).fail("a value of a query");
        }
        at = at.skip_column(pair.len().saturating_add(1));
    }
    Ok(())
}

/// Returns whether the pairs of a URL have these keys, and say how many are left out.
fn has_keys(pairs: &str, keys: Keys<'_>) -> bool {
    let has_some = keys.iter().next().is_some();
    let end = match (keys.more, has_some) {
        (0, _) => String::new(),
        (more, false) => format!("<more:{more}>"),
        (more, true) => format!("&<more:{more}>"),
    };
    let key = |pair: &'_ str| pair.find('=').unwrap_or(pair.len());
    pairs.strip_suffix(&end).is_some_and(|pairs| {
        let of_pairs = pairs.split('&').map(|pair| pair.get(..key(pair)).unwrap_or(pair));
        if has_some { of_pairs.eq(keys.iter()) } else { pairs.is_empty() }
    })
}
