//! What the lines of a document say of each other (clause 9.11).

use super::lines::{HeaderLine, Lines, read_flag, split_flags};
use super::parse::{Cursor, Result, cut};
use crate::config::Scheme;
use crate::flags::{Flag, Weight};
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
    let local = [lines.method_flags, lines.url_flags, lines.path_flags, lines.query_flags];
    let headers = lines.headers.iter().map(|header| header.flags);
    let mut union: Vec<&str> = local.into_iter().chain(headers).flat_map(split_flags).collect();
    union.sort_unstable();
    union.dedup();
    if union.join(" ") != lines.rollup.unwrap_or_default() || lines.rollup == Some("") {
        return at.fail("the sorted union of the flags of all lines");
    }
    Ok(())
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
    if lines.headers.len() as u64 != lines.header_count {
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
    if lines.qk.is_empty() {
        return Ok(());
    }
    let mut counts: Vec<(&str, usize, usize)> =
        lines.keys().enumerate().map(|(i, key)| (key, i, 1)).collect();
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.2 += usize::from(same);
        same
    });
    counts.sort_unstable_by_key(|(_, first, _)| *first);
    let written = lines.qk.iter().map(|(key, shapes)| (*key, shapes.split('|').count()));
    if counts.iter().map(|(key, _, count)| (*key, *count)).eq(written) {
        Ok(())
    } else {
        qk_at.fail("each key once, with one shape for each of its values")
    }
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

/// `U` is scheme, authority, the path, then the query with the keys of `Q`, then a fragment.
fn check_url(url: &str, path: &str, lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
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
    let at = at.skip_column(host.len());
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
        (Some(pairs), Some((count, _))) => {
            let keys = pairs.split('&').map(|pair| pair.split_once('=').map_or(pair, |(key, _)| key));
            if count == 0 && pairs.is_empty() || count > 0 && keys.eq(lines.keys()) {
                Ok(())
            } else {
                at.fail("a query with the keys of the `Q:` line")
            }
        }
        _ => at.fail("a query exactly when there is a `Q:` line"),
    }
}
