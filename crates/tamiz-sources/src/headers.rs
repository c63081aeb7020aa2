//! The steps of the header lines: unfolded, cut, their names and values taken or not, renamed, joined, dropped.

use crate::bytes::{cut, is_control, is_token, items, trim, trim_end};
use crate::head::Line;
use crate::refusal::{Refusal, refuse, require};
use crate::rules::{BareCr, Folds, Headers, NameBytes, NameCase, Repeats, Te, Upgrade, ValueBytes};

/// A header.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

impl Field {
    /// Returns whether it has this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    fn is_one_of(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.is(name))
    }
}

/// The values of all headers of a name.
pub(crate) fn values<'f>(fields: &'f [Field], name: &'f str) -> impl Iterator<Item = &'f [u8]> + 'f {
    fields.iter().filter(move |field| field.is(name)).map(|field| &field.value[..])
}

/// Returns whether one of them has this item in its list.
fn has_item(fields: &[Field], name: &str, item: &str) -> bool {
    items(values(fields, name)).any(|there| there.eq_ignore_ascii_case(item.as_bytes()))
}

/// The headers of these lines.
pub(crate) fn read(lines: &[Line<'_>], rules: &Headers) -> Result<Vec<Field>, Refusal> {
    let mut fields = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let [first, after @ ..] = rest {
        require(!first.is_fold(), "a first header line that begins with a space")?;
        let folds = after.iter().take_while(|line| line.is_fold()).count();
        let (folded, next) = after.split_at_checked(folds).unwrap_or((after, &[]));
        rest = next;
        let line = unfold(first, folded, rules.folds)?;
        fields.extend(field(bare_crs(line, rules.bare_cr)?, rules)?);
    }
    Ok(fields)
}

/// A line with those that continue it.
fn unfold(first: &Line<'_>, folded: &[Line<'_>], how: Folds) -> Result<Vec<u8>, Refusal> {
    let mut line = first.text.to_vec();
    if folded.is_empty() {
        return Ok(line);
    }
    let mut has_cr = first.has_cr;
    for next in folded {
        match how {
            Folds::Refused => return refuse("a folded header line"),
            Folds::Space => {
                line.truncate(trim_end(&line).len());
                line.push(b' ');
                line.extend_from_slice(trim(next.text));
            }
            Folds::Spaces => {
                line.extend_from_slice(if has_cr { b"  " } else { b" " });
                line.extend_from_slice(next.text);
            }
            Folds::Joined => line.extend_from_slice(next.text),
        }
        has_cr = next.has_cr;
    }
    Ok(line)
}

fn bare_crs(mut line: Vec<u8>, how: BareCr) -> Result<Vec<u8>, Refusal> {
    let name = line.iter().position(|byte| *byte == b':').unwrap_or_default();
    match how {
        BareCr::Refused => {}
        BareCr::RefusedInside => {
            while line.last() == Some(&b'\r') {
                line.pop();
            }
        }
        BareCr::Removed => {
            let mut at = 0_usize;
            line.retain(|byte| {
                at = at.saturating_add(1);
                *byte != b'\r' || at <= name
            });
        }
    }
    require(!line.contains(&b'\r'), "a CR that no LF follows")?;
    Ok(line)
}

/// The header of a line; `None` where it is dropped for its name.
fn field(line: Vec<u8>, rules: &Headers) -> Result<Option<Field>, Refusal> {
    let (name, value) = match cut(&line, b':') {
        Some(parts) => parts,
        None if rules.colon_optional => (&line[..], &b""[..]),
        None => return refuse("a header line without a colon"),
    };
    let is_taken = match rules.name_bytes {
        NameBytes::Token => is_token(name),
        NameBytes::Visible => !name.is_empty() && !name.iter().any(|byte| *byte <= b' ' || *byte == 0x7F),
    };
    require(is_taken, "a header name that is not taken")?;
    let is_refused = |byte: &u8| match rules.value_bytes {
        ValueBytes::Any => false,
        ValueBytes::NoNul => *byte == 0,
        ValueBytes::NoControl => is_control(*byte) && *byte != b'\t',
    };
    require(!value.iter().any(is_refused), "a header value with a byte that is not taken")?;
    let is_odd = rules.odd_names_dropped
        && !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        || name.iter().any(|byte| rules.names_dropped_with.as_bytes().contains(byte));
    if is_odd {
        return Ok(None);
    }
    let value = if rules.tabs_trimmed { trim(value) } else { trim_spaces(value) };
    Ok(Some(Field { name: in_case(name, rules.name_case), value: value.to_vec() }))
}

fn trim_spaces(mut value: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = value {
        value = rest;
    }
    value
}

fn in_case(name: &[u8], case: NameCase) -> Vec<u8> {
    match case {
        NameCase::Kept => name.to_vec(),
        NameCase::Lower => name.to_ascii_lowercase(),
        NameCase::Canonical => {
            let mut begins = true;
            let in_case = |byte: &u8| {
                let cased = if begins { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
                begins = *byte == b'-';
                cased
            };
            name.iter().map(in_case).collect()
        }
    }
}

/// Replaces each byte that is not part of UTF-8 by `!`.
fn mark_invalid(value: &[u8]) -> Vec<u8> {
    let mut marked = Vec::with_capacity(value.len());
    for chunk in value.utf8_chunks() {
        marked.extend_from_slice(chunk.valid().as_bytes());
        marked.extend(chunk.invalid().iter().map(|_| b'!'));
    }
    marked
}

/// Changes headers after hosts and framing have been read.
pub(crate) fn hand_over(mut fields: Vec<Field>, rules: &Headers) -> Result<Vec<Field>, Refusal> {
    for name in &rules.once {
        require(values(&fields, name).nth(1).is_none(), "a header that must not repeat")?;
    }
    for name in &rules.first_only {
        let mut is_first = true;
        fields.retain(|field| !field.is(name) || std::mem::take(&mut is_first));
    }
    expect(&mut fields, rules)?;
    let upgrade = upgrade(&mut fields, rules)?;
    if rules.referer_checked {
        fields.retain(|field| !field.is("referer") || is_referer(&field.value));
    }
    fields.retain(|field| !field.value.is_empty() || !field.is_one_of(&rules.dropped_if_empty));
    nominated(&mut fields, rules)?;
    if rules.connection_cleaned {
        clean_connection(&mut fields);
    }
    if rules.pragma_adds_cache_control
        && values(&fields, "pragma").next() == Some(b"no-cache")
        && values(&fields, "cache-control").next().is_none()
    {
        fields.push(Field { name: b"Cache-Control".to_vec(), value: b"no-cache".to_vec() });
    }
    if rules.te != Te::Plain {
        let is_it = |item: &[u8]| match rules.te {
            Te::LowerTrailers => item == b"trailers",
            _ => item.eq_ignore_ascii_case(b"trailers"),
        };
        let is_there = items(values(&fields, "te")).any(is_it);
        fields.retain(|field| !field.is("te"));
        if is_there {
            fields.push(Field { name: b"TE".to_vec(), value: b"trailers".to_vec() });
        }
    }
    let begins = |field: &Field, start: &String| {
        field.name.get(..start.len()).is_some_and(|there| there.eq_ignore_ascii_case(start.as_bytes()))
    };
    fields.retain(|field| {
        !field.is_one_of(&rules.dropped) && !rules.dropped_beginning.iter().any(|start| begins(field, start))
    });
    fields.extend(upgrade);
    for field in &mut fields {
        let value = trim(&field.value);
        field.value = if rules.invalid_utf8_marked { mark_invalid(value) } else { value.to_vec() };
    }
    Ok(match rules.repeats {
        Repeats::Kept => joined(fields, |field| field.is_one_of(&rules.joined)),
        Repeats::Comma => joined(fields, |_| true),
    })
}

fn expect(fields: &mut Vec<Field>, rules: &Headers) -> Result<(), Refusal> {
    let is_continue = |field: &Field| field.value.eq_ignore_ascii_case(b"100-continue");
    if rules.expectations_refused {
        let is_met = !values(fields, "expect").any(|value| !value.is_empty())
            || has_item(fields, "expect", "100-continue");
        require(is_met, "an expectation that is not known")?;
    }
    if rules.continue_dropped {
        fields.retain(|field| !field.is("expect") || !is_continue(field));
    }
    Ok(())
}

/// The headers that are added again where another protocol is asked for.
fn upgrade(fields: &mut Vec<Field>, rules: &Headers) -> Result<Vec<Field>, Refusal> {
    let Some(wanted) = values(fields, "upgrade").next().map(<[u8]>::to_vec) else { return Ok(Vec::new()) };
    let is_asked = has_item(fields, "connection", "upgrade");
    match rules.upgrade {
        Upgrade::Kept if is_asked && !wanted.is_empty() => Ok(vec![
            Field { name: b"Connection".to_vec(), value: b"Upgrade".to_vec() },
            Field { name: b"Upgrade".to_vec(), value: wanted },
        ]),
        Upgrade::Refused if is_asked => {
            require(wanted.eq_ignore_ascii_case(b"h2c"), "a change of protocol that is not allowed")?;
            fields.retain(|field| !field.is("http2-settings"));
            Ok(Vec::new())
        }
        Upgrade::WithKey if is_asked && wanted.eq_ignore_ascii_case(b"websocket") => {
            // RFC 6455, 4.1: sixteen bytes in Base64.
            let has_key = values(fields, "sec-websocket-key").any(|key| key.len() == 24);
            require(has_key, "a WebSocket without a key")?;
            Ok(Vec::new())
        }
        _ => Ok(Vec::new()),
    }
}

/// Returns whether Envoy takes a `Referer`: a URL without user information and fragment, or a reference without a
/// fragment.
fn is_referer(value: &[u8]) -> bool {
    let scheme = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if let Some(rest) = value.get(scheme..).and_then(|rest| rest.strip_prefix(b"://")).filter(|_| scheme > 0)
    {
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
        let host = rest.get(..end).unwrap_or_default();
        // User information of no characters is none.
        let host = host.strip_prefix(b"@").unwrap_or(host);
        let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(byte);
        return !host.is_empty()
            && host.iter().all(is_host)
            && rest.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#');
    }
    let is_reference = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?%".contains(byte);
    let first = value.split(|byte| *byte == b'/').next().unwrap_or_default();
    value.iter().all(is_reference) && !first.contains(&b':')
}

/// Drops what `Connection` names.
fn nominated(fields: &mut Vec<Field>, rules: &Headers) -> Result<(), Refusal> {
    if !rules.nominated_dropped {
        return Ok(());
    }
    let is_in =
        |list: &[String], name: &[u8]| list.iter().any(|there| name.eq_ignore_ascii_case(there.as_bytes()));
    let names: Vec<Vec<u8>> = items(values(fields, "connection")).map(<[u8]>::to_ascii_lowercase).collect();
    for name in &names {
        require(!is_in(&rules.nominated_refused, name), "a Connection that names what it must not")?;
    }
    let mut names: Vec<Vec<u8>> =
        names.into_iter().filter(|name| !is_in(&rules.nominated_kept, name)).collect();
    names.sort();
    fields.retain(|field| names.binary_search(&field.name.to_ascii_lowercase()).is_err());
    Ok(())
}

/// Takes `close` and `keep-alive` out of `Connection`, which is dropped where nothing is left.
fn clean_connection(fields: &mut Vec<Field>) {
    fields.retain_mut(|field| {
        if !field.is("connection") {
            return true;
        }
        let is_ours =
            |item: &[u8]| [&b"close"[..], b"keep-alive"].iter().any(|own| item.eq_ignore_ascii_case(own));
        let all = items(std::iter::once(&field.value[..])).count();
        let left: Vec<&[u8]> =
            items(std::iter::once(&field.value[..])).filter(|item| !is_ours(item)).collect();
        if left.len() < all {
            field.value = left.join(&b", "[..]);
        }
        !field.value.is_empty()
    });
}

/// Headers of the same name as one, where the first was, if they are such that are joined.
fn joined(fields: Vec<Field>, is_joined: impl Fn(&Field) -> bool) -> Vec<Field> {
    let mut at = std::collections::BTreeMap::new();
    let mut joined: Vec<Field> = Vec::with_capacity(fields.len());
    for field in fields {
        if !is_joined(&field) {
            joined.push(field);
            continue;
        }
        let place = *at.entry(field.name.to_ascii_lowercase()).or_insert(joined.len());
        match joined.get_mut(place) {
            Some(first) => {
                if !first.value.is_empty() && !field.value.is_empty() {
                    first.value.push(b',');
                }
                first.value.extend_from_slice(&field.value);
            }
            None => joined.push(field),
        }
    }
    joined
}
