//! Quiet header lines: finished from the classes of their bytes, without opening them.
//!
//! Most header lines of honest clients say what a closed list or a simple grammar expects. Such a line raises no flag but
//! those of its name and holds no secret, so that its `H:` line can be written at once. [`finish`] returns `None` for every
//! line that is not seen to be one; those are opened.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of parts of one line")]

use super::{blanks_dropped, content, value, whitespace};
use crate::bytes::{self, ALNUM, COLON, DANGER, DASH, WAY};
use crate::context::Context;
use crate::finished::{Finished, LAYERED, Parameter, Rank, Record, Role};
use crate::flags::{self, Flag, FlagSet};
use crate::hidden;
use crate::known_headers::{Grammar, Kind, Rule};
use crate::lists::FILE_NAME_HEADERS;
use crate::scan::{self, Signs};
use crate::show::escape;
use crate::show::marker;
use crate::text::Text;

/// A longer name is not shown.
const LONGEST_NAME: usize = 64;

/// Finishes a line that is quiet.
pub(crate) fn finish<'a>(line: &'a [u8], cx: Context<'a>) -> Option<Finished<'a>> {
    let colon = bytes::position(b':', line)?;
    let (raw_name, value) = (line.get(..colon)?, line.get(colon + 1..)?);
    let mut name = [0; LONGEST_NAME];
    let name = name.get_mut(..colon)?;
    name.copy_from_slice(raw_name);
    name.make_ascii_lowercase();
    let name = &*name;
    let rule = cx.settings.headers.get(name);
    if cx.settings.config.limits.flag_parameters == 0
        || !is_finishable(rule, name)
        || !rule.is_known && !is_quiet_name(raw_name, name, cx)
    {
        return None;
    }
    let (value, classes) = whitespace::as_it_came(Text::untraced(value), true)?;
    let is_vocabulary = classes & DANGER == 0 && is_vocabulary(value.bytes, rule, cx);
    if value.is_empty() || !is_vocabulary && !is_quiet_value(value.bytes, classes, rule, cx) {
        return None;
    }
    let value_len = u32::try_from(value.len()).ok()?;
    let blanks = if cx.settings.beyond_core() { blanks_dropped(value.bytes, rule.kind) } else { 0 };
    let flags = flags_of_name(rule, cx);
    let plain = flags.iter().filter(|flag| flag.parameter_kind() == flags::Parameter::None).collect();
    let named = flags.iter().filter(|flag| flag.parameter_kind() == flags::Parameter::Name);
    let mut is_shape = false;
    let text = cx.written(|out| {
        marker::push(out, "H:");
        out.extend_from_slice(name);
        out.push(b'=');
        let start = out.len();
        if is_vocabulary {
            out.extend_from_slice(value.bytes);
        } else {
            value::write_plain(value.bytes, classes, rule, cx, out);
            if out.len() > start && out.last() == Some(&b' ') {
                out.pop();
            }
            if classes & WAY != 0 {
                escape::guard_flags(out, start, cx);
            }
            is_shape = out.get(start) == Some(&b'<');
        }
        write_flags(flags, name, out);
    });
    let record = Record {
        plain,
        name_len: colon as u16,
        value_len,
        len: colon + 2 + value.len() - blanks,
        rank: Rank::of(name),
        // A name that gets here is known, or made of letters, digits and dashes.
        is_plain: classes & LAYERED == 0,
        is_shape,
        role: role(rule.kind),
        ..Record::default()
    };
    let record = record.with_parameters(named.map(|flag| (flag, Parameter::Name)))?;
    Some(Finished { line, text, record })
}

/// Whether a header without a normaliser says nothing but words of its own list: without a dangerous character, none of them
/// raises a flag.
fn is_vocabulary(value: &[u8], rule: Rule, cx: Context<'_>) -> bool {
    let vocabulary = rule.vocabulary.filter(|vocabulary| rule.kind == Kind::Free && vocabulary.is_quiet());
    vocabulary.is_some_and(|vocabulary| vocabulary.has(value, &cx.settings.headers))
}

/// The part that a header of a kind plays.
pub(super) fn role(kind: Kind) -> Role {
    match kind {
        Kind::Host => Role::Host,
        Kind::ContentType => Role::ContentType,
        Kind::ContentLength => Role::ContentLength,
        _ => Role::None,
    }
}

/// Whether lines of a header may be finished: no other stage reads their values in parts.
fn is_finishable(rule: Rule, name: &[u8]) -> bool {
    let is_kind = !matches!(
        rule.kind,
        Kind::Cookie
            | Kind::SetCookie
            | Kind::Authorization
            | Kind::XForwardedFor
            | Kind::Forwarded
            | Kind::Host
            | Kind::Url
            | Kind::Origin
    );
    is_kind
        && !rule.is_sensitive
        && !rule.overrides_method
        && !matches!(name, b"transfer-encoding" | b"content-encoding")
        && !FILE_NAME_HEADERS.iter().any(|known| known.as_bytes() == name)
}

/// Whether a name that is not known is shown as it is and raises no flag but `UNKHDR`.
fn is_quiet_name(raw: &[u8], lower: &[u8], cx: Context<'_>) -> bool {
    let classes = bytes::union(raw);
    !raw.is_empty()
        && bytes::all(raw, ALNUM | DASH)
        && scan::cannot_flag(raw, classes)
        && (raw == lower || scan::cannot_flag(lower, bytes::union(lower)))
        && !cx.settings.names.matches_ascii(lower)
        && !hidden::is_disguised(lower)
}

/// Whether a value raises no flag and holds no secret. `classes` is the union of the classes of its bytes.
fn is_quiet_value(value: &[u8], classes: u32, rule: Rule, cx: Context<'_>) -> bool {
    let signs = match (rule.kind, rule.grammar) {
        (Kind::UserAgent, _) => Signs::Comments,
        (_, Grammar::Parameters) => Signs::Parameters,
        (_, Grammar::Brands) => Signs::Brands,
        (_, Grammar::Text) => Signs::Text,
    };
    if !scan::cannot_flag_header(value, classes, signs, cx) {
        return false;
    }
    let mut flags = cx.flags();
    if classes & COLON != 0 {
        hidden::check_value(Text::untraced(value).repaired(), &mut flags);
    }
    let has_odd_boundary = || {
        rule.kind == Kind::ContentType
            && cx.settings.beyond_core()
            && content::odd_boundaries(value).next().is_some()
    };
    flags.set.is_empty() && !has_odd_boundary()
}

/// The flags that a name alone raises, as far as they are enabled.
fn flags_of_name(rule: Rule, cx: Context<'_>) -> FlagSet {
    let mut flags = FlagSet::default();
    if rule.is_hop_by_hop(cx.settings.wide_hop_by_hop) {
        flags.insert(Flag::HopByHop);
    }
    if !rule.is_known {
        flags.insert(Flag::UnkHdr);
    }
    flags.intersection(cx.settings.enabled)
}

fn write_flags(flags: FlagSet, name: &[u8], out: &mut Vec<u8>) {
    for flag in flags.iter() {
        marker::push(out, " [");
        marker::push(out, flag.name());
        if flag.parameter_kind() == flags::Parameter::Name {
            out.push(b':');
            out.extend_from_slice(name);
        }
        out.push(b']');
    }
    out.push(b'\n');
}
