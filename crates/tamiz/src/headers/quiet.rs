//! Header lines that are finished without being opened.
//!
//! Most header lines of honest clients say what a closed list or a simple grammar expects. Such a *quiet* line raises no flag
//! but those of its name and holds no secret, which is seen from the classes of its bytes. A line that is not seen to be
//! quiet is scanned, and finished too if no secret is in it and a [`Record`] has a place for its flags. [`finish`] returns
//! `None` for all others; those are opened.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of parts of one line")]

use bumpalo::collections::Vec as BumpVec;

use super::in_parts::{self, Found};
use super::{Content, accept, blanks_dropped, content, value, whitespace};
use crate::bytes::{self, ALNUM, COLON, DASH, WAY};
use crate::config::Scheme;
use crate::context::Context;
use crate::decode::layers;
use crate::finished::{Echo, Finished, LAYERED, MOST_WORDS, Rank, Record, Role};
use crate::flags::{self, Flag, FlagSet, Flags};
use crate::hidden;
use crate::known_headers::{Grammar, Kind, Rule};
use crate::lists::FILE_NAME_HEADERS;
use crate::scan::{self, Signs};
use crate::show::escape;
use crate::show::marker;
use crate::text::{Classified, Text};

/// A longer name is not shown.
const LONGEST_NAME: usize = 64;

/// Finishes a line that is quiet: appends its text to `out` and its record to `finished`; `None` for other lines. `scheme`
/// decides which port need not be shown; `found` takes note of hosts and secrets.
pub(super) fn finish<'a>(
    line: &'a [u8],
    scheme: Scheme,
    cx: Context<'a>,
    found: &mut Found<'a>,
    out: &mut Vec<u8>,
    finished: &mut BumpVec<'a, Finished<'a>>,
) -> Option<()> {
    let colon = bytes::position(b':', line)?;
    let (raw_name, value) = (line.get(..colon)?, line.get(colon + 1..)?);
    let mut lower = [0; LONGEST_NAME];
    lower.get_mut(..colon)?.copy_from_slice(raw_name);
    lower.make_ascii_lowercase();
    let name = lower.get(..colon)?;
    let rule = cx.settings.headers.get(name);
    if cx.settings.config.limits.flag_parameters < MOST_WORDS
        || !is_finishable(rule, name)
        || !rule.is_known && !is_quiet_name(raw_name, name, cx)
    {
        return None;
    }
    let (value, classes) = whitespace::as_it_came(Text::untraced(value), true)?;
    if value.is_empty() || classes & COLON != 0 && hides_header(value, cx) {
        return None;
    }
    let value_len = u32::try_from(value.len()).ok()?;
    let line_start = out.len();
    marker::push(out, "H:");
    out.extend_from_slice(name);
    out.push(b'=');
    let Some(written) = write_value(value.with_classes(classes), name, rule, scheme, cx, found, out) else {
        out.truncate(line_start);
        return None;
    };
    let flags = written.flags.union(flags_of_name(rule, cx)).intersection(cx.settings.enabled);
    write_flags(flags, name, &written, out);
    let record = Record {
        flags,
        count: written.count,
        words: written.words,
        value_len,
        len: (colon + 2 + written.len) as u32,
        rank: Rank::new(lower.first_chunk()?),
        name_len: colon as u16,
        // A name that gets here is known, or made of letters, digits and dashes.
        is_plain: classes & LAYERED == 0,
        is_shape: written.is_shape,
        role: role(rule.kind),
        echo: written.echo,
    };
    finished.push(Finished { line, text: (line_start, out.len()), record });
    Some(())
}

/// Writes a value by the rule of its header; `None` where the line has to be opened.
fn write_value<'a>(
    value: Classified<'a>,
    name: &[u8],
    rule: Rule,
    scheme: Scheme,
    cx: Context<'a>,
    found: &mut Found<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    let start = out.len();
    let written = if in_parts::is_kind(rule.kind) {
        in_parts::write(value, rule, scheme, cx, found, out)
    } else {
        write_quiet(value.text.bytes, value.classes, rule, cx, out)
            .or_else(|| write_loud(value, name, rule, cx, out))
    };
    if value.classes & WAY != 0 {
        escape::guard_flags(out, start, cx);
    }
    written
}

/// The facts about a value that was written.
pub(super) struct Written {
    /// Flags of the value.
    pub(super) flags: FlagSet,
    /// The number of bytes of the value that count.
    pub(super) len: usize,
    /// The parameter of a flag that counts.
    pub(super) count: u32,
    /// The flags that have a word for a parameter.
    pub(super) words: [Option<(Flag, &'static str)>; MOST_WORDS],
    /// Whether it is shown as one marker, whose signs tokens name.
    pub(super) is_shape: bool,
    pub(super) echo: Echo,
}

impl Written {
    /// A value without flags of which `len` bytes count.
    pub(super) fn new(len: usize) -> Self {
        Written {
            flags: FlagSet::default(),
            len,
            count: 0,
            words: [None; MOST_WORDS],
            is_shape: false,
            echo: Echo::InLine,
        }
    }

    /// Adds the flags of a value; `None` where they have parameters that a record has no place for.
    pub(super) fn with_flags(mut self, flags: &Flags<'_>) -> Option<Self> {
        let is_recorded = |flag: Flag| {
            matches!(
                flag.parameter_kind(),
                flags::Parameter::None | flags::Parameter::Number | flags::Parameter::Word
            )
        };
        let mut places = self.words.iter_mut();
        for word in flags.words() {
            *places.next()? = Some(*word);
        }
        self.words.sort_unstable_by_key(|word| word.map(|(flag, word)| (flag.rank(), word)));
        self.flags = flags.set;
        flags.set.iter().all(is_recorded).then_some(self)
    }
}

/// Writes a value that raises no flag and holds no secret; `None` for others.
fn write_quiet<'a>(
    value: &'a [u8],
    classes: u32,
    rule: Rule,
    cx: Context<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    // These two raise a flag whatever they say.
    if matches!(rule.kind, Kind::XForwardedFor | Kind::Forwarded) {
        return None;
    }
    if is_vocabulary(value, classes, rule, cx) {
        out.extend_from_slice(value);
        return Some(Written::new(value.len()));
    }
    let is_quiet = accept::is_common_list(value, rule.kind) || is_quiet_value(value, classes, rule, cx);
    is_quiet.then(|| write_plain(value, classes, rule, cx, out))
}

/// Writes a value that raises flags, but holds no secret that can be found in it; `None` for others.
fn write_loud<'a>(
    value: Classified<'a>,
    name: &[u8],
    rule: Rule,
    cx: Context<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    let Classified { text, classes } = value;
    if layers::hides_base64(text.bytes, cx) {
        return None;
    }
    let mut flags = cx.flags();
    let content = value::inspect(text, classes, name, rule, cx, &mut flags);
    if !matches!(content, Content::Plain) {
        return None;
    }
    write_plain(text.bytes, classes, rule, cx, out).with_flags(&flags)
}

/// Writes a value that is no secret by the rule of its header.
fn write_plain<'a>(value: &'a [u8], classes: u32, rule: Rule, cx: Context<'a>, out: &mut Vec<u8>) -> Written {
    let start = out.len();
    value::write_plain(value, classes, rule, cx, out);
    let is_shape =
        out.get(start) == Some(&b'<') && marker::is_written_marker(out.get(start..).unwrap_or_default());
    if out.len() > start && out.last() == Some(&b' ') {
        out.pop();
    }
    let blanks = if cx.settings.beyond_core() { blanks_dropped(value, rule.kind) } else { 0 };
    Written { is_shape, ..Written::new(value.len() - blanks) }
}

/// Returns whether a value with a colon holds a header that steers framing.
fn hides_header<'a>(value: Text<'a>, cx: Context<'a>) -> bool {
    let mut flags = cx.flags();
    hidden::check_value(value, &mut flags);
    !flags.set.is_empty()
}

/// Returns whether a header without a normaliser says nothing but words of its own list, none of which raises a flag.
fn is_vocabulary(value: &[u8], classes: u32, rule: Rule, cx: Context<'_>) -> bool {
    rule.kind == Kind::Free
        && rule.vocabulary.is_some_and(|vocabulary| vocabulary.is_quiet(value, classes, &cx.settings.headers))
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

/// Returns whether lines of a header may be finished.
fn is_finishable(rule: Rule, name: &[u8]) -> bool {
    rule.kind != Kind::SetCookie
        && (!rule.is_sensitive || matches!(rule.kind, Kind::Cookie | Kind::Authorization))
        && !rule.overrides_method
        && !matches!(name, b"transfer-encoding" | b"content-encoding")
        && !FILE_NAME_HEADERS.iter().any(|known| known.as_bytes() == name)
}

/// Returns whether a name that is not known is shown as it is and raises no flag but `UNKHDR`.
fn is_quiet_name(raw: &[u8], lower: &[u8], cx: Context<'_>) -> bool {
    let classes = bytes::union(raw);
    !raw.is_empty()
        && bytes::all(raw, ALNUM | DASH)
        && scan::cannot_flag(raw, classes)
        && (raw == lower || scan::cannot_flag(lower, bytes::union(lower)))
        && !cx.settings.names.matches_ascii(lower)
        && !hidden::is_disguised(lower)
}

/// Returns whether a value raises no flag and holds no secret. `classes` is the union of the classes of its bytes.
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
    let has_odd_boundary = rule.kind == Kind::ContentType
        && cx.settings.beyond_core()
        && content::odd_boundaries(value).next().is_some();
    !has_odd_boundary
}

/// The flags that a name alone raises.
fn flags_of_name(rule: Rule, cx: Context<'_>) -> FlagSet {
    let mut flags = FlagSet::default();
    if rule.is_hop_by_hop(cx.settings.wide_hop_by_hop) {
        flags.insert(Flag::HopByHop);
    }
    if !rule.is_known {
        flags.insert(Flag::UnkHdr);
    }
    flags
}

/// Writes flags, those with several words once for each, and the line's end.
fn write_flags(flags: FlagSet, name: &[u8], written: &Written, out: &mut Vec<u8>) {
    if flags.is_empty() {
        return out.push(b'\n');
    }
    for flag in flags.iter() {
        let words = written.words.iter().flatten().filter(|(of, _)| *of == flag);
        if flag.parameter_kind() == flags::Parameter::Word {
            for (_, word) in words {
                marker::push(out, " [");
                marker::push(out, flag.name());
                out.push(b':');
                marker::push(out, word);
                out.push(b']');
            }
            continue;
        }
        marker::push(out, " [");
        marker::push(out, flag.name());
        match flag.parameter_kind() {
            flags::Parameter::Name => {
                out.push(b':');
                out.extend_from_slice(name);
            }
            flags::Parameter::Number => {
                out.push(b':');
                marker::number(out, u64::from(written.count));
            }
            _ => {}
        }
        out.push(b']');
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    /// Asserts that a value raises no flag and holds no credential, as it is opened.
    fn assert_is_quiet(name: &str, value: &str) {
        with_context(|cx| {
            let rule = cx.settings.headers.get(name.as_bytes());
            let text = Text::untraced(value.as_bytes()).repaired();
            let mut flags = cx.flags();
            let content =
                value::inspect(text, bytes::union(text.bytes), name.as_bytes(), rule, cx, &mut flags);
            let is_plain = matches!(content, Content::Plain) && flags.set.is_empty();
            assert!(is_plain && !layers::hides_base64(text.bytes, cx), "{name}: {value}");
        });
    }

    #[test]
    fn common_items_are_quiet_beside_each_other() {
        let lists: [(&str, Kind, &str); 3] = [
            (
                "accept",
                Kind::Accept,
                "*/* text/html text/plain text/css text/javascript text/* application/xhtml+xml application/xml \
                 application/json application/javascript application/* application/signed-exchange image/avif \
                 image/webp image/apng image/svg+xml image/png image/jpeg image/gif image/* video/* audio/* utf-8 \
                 iso-8859-1 *",
            ),
            ("accept-encoding", Kind::AcceptEncoding, "gzip deflate br zstd identity compress sdch *"),
            (
                "accept-language",
                Kind::AcceptLanguage,
                "en es de fr it pt nl pl ru uk ja ko zh tr sv da nb fi cs ca ar he vi th en-US zh-tw *",
            ),
        ];
        for (name, kind, items) in lists {
            for first in items.split_whitespace() {
                for second in items.split_whitespace() {
                    for between in [",", ", ", ";q=0.9,", ";q=0.1, "] {
                        let value = format!("{first}{between}{second};q=0.5,{first}");
                        assert!(accept::is_common_list(value.as_bytes(), kind), "{value}");
                        assert_is_quiet(name, &value);
                    }
                }
            }
        }
        for value in
            ["text/html,", "text/html,,*/*", "text/html;level=1", "a/b", "text/html ,*/*", "", "id", "en-"]
        {
            for (_, kind, _) in lists {
                assert!(!accept::is_common_list(value.as_bytes(), kind), "{value}");
            }
        }
    }

    #[test]
    fn languages_of_any_region_are_quiet() {
        let letters = || (b'a'..=b'z').chain(b'A'..=b'Z').map(char::from);
        for language in ["en", "es", "zh", "ca"] {
            for (first, second) in letters().flat_map(|first| letters().map(move |second| (first, second))) {
                for value in [
                    format!("{language}-{first}{second}"),
                    format!("{language}-{first}{second};q=0.5, {language}-{first}{second},{language}"),
                ] {
                    assert!(accept::is_common_list(value.as_bytes(), Kind::AcceptLanguage));
                    assert_is_quiet("accept-language", &value);
                }
            }
        }
    }

    #[test]
    fn usual_brands_are_quiet_beside_each_other() {
        let signs = " ()-./:=?_";
        let mut brands: Vec<String> =
            ["Chromium", "Google Chrome", "Microsoft Edge", "Opera", "Brave", "YaBrowser", "Vivaldi"]
                .map(str::to_owned)
                .to_vec();
        for (first, second) in
            signs.chars().flat_map(|first| signs.chars().map(move |second| (first, second)))
        {
            brands.push(format!("Not{first}A{second}Brand"));
        }
        let table = with_context(|cx| cx.settings.headers.clone());
        let rule = table.get(b"sec-ch-ua");
        for (nth, first) in brands.iter().enumerate() {
            for second in brands.iter().skip(nth % 7).step_by(7).chain(&brands[..7]) {
                for between in [", ", ","] {
                    let value = format!("\"{first}\";v=\"99\"{between}\"{second}\";v=\"8.0.0.1\"");
                    let vocabulary = rule.vocabulary.unwrap();
                    assert!(
                        vocabulary.is_quiet(value.as_bytes(), bytes::union(value.as_bytes()), &table),
                        "{value}"
                    );
                    assert_is_quiet("sec-ch-ua", &value);
                }
            }
        }
        for value in ["\"Joe\";v=\"1\"", "\"Not;A;Brand\";v=\"1\"", "\"Opera\";v=\"1\",", "\"Opera\""] {
            let vocabulary = rule.vocabulary.unwrap();
            assert!(
                !vocabulary.is_quiet(value.as_bytes(), bytes::union(value.as_bytes()), &table),
                "{value}"
            );
        }
    }
}
