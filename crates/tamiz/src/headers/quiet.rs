//! Header lines that are finished without being opened.
//!
//! Most header lines of honest clients say what a closed list or a simple grammar expects. Such a *quiet* line raises no flag
//! but those of its name and holds no secret, which is seen from the classes of its bytes. A line that is not seen to be
//! quiet is scanned, and finished too if no secret is in it and a [`Record`] has a place for its flags. [`Quiet::finish`] returns
//! `None` for all others; those are opened.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of parts of one line")]

use bumpalo::collections::Vec as BumpVec;

use super::in_parts::{self, Found};
use super::lines::Named;
use super::{Content, blanks_dropped, content, user_agent, value, whitespace};
use crate::bytes::{self, ALNUM, COLON, DASH, WAY};
use crate::config::Scheme;
use crate::context::Context;
use crate::decode::layers;
use crate::finished::{Finished, LAYERED, MOST_WORDS, NO_WORDS, Record, Role, Words};
use crate::flags::{self, Flag, FlagSet, Flags};
use crate::hidden;
use crate::known_headers::{Grammar, Kind, Rule, ShortName, Vocabulary};
use crate::scan::{self, Signs};
use crate::show::escape;
use crate::show::marker;
use crate::text::{Classified, Text};

/// A longer line is opened; servers refuse most of these.
const LONGEST_LINE: usize = 8 << 10;

/// The state that the lines of a header block are finished with, and the line that is being finished.
pub(super) struct Quiet<'a, 'o> {
    pub(super) cx: Context<'a>,
    /// The scheme that decides which port need not be shown.
    pub(super) scheme: Scheme,
    /// The hosts and secrets so far.
    pub(super) found: Found<'a>,
    /// The texts of all lines so far.
    pub(super) out: &'o mut Vec<u8>,
    pub(super) rule: &'a Rule,
    /// The value, collapsed.
    pub(super) value: &'a [u8],
    /// The union of the classes of its bytes.
    pub(super) classes: u32,
    pub(super) words: &'a Words,
    /// The lines that are finished.
    pub(super) finished: BumpVec<'a, Finished<'a>>,
    /// The facts about the line. Its `len` is that of the value alone, until all of it is written.
    pub(super) record: Record,
}

impl<'a, 'o> Quiet<'a, 'o> {
    pub(super) fn new(scheme: Scheme, cx: Context<'a>, out: &'o mut Vec<u8>) -> Self {
        let (found, rule, record) = (Found::default(), Rule::unknown(), Record::default());
        let finished = BumpVec::new_in(cx.bump);
        Quiet { cx, scheme, found, out, rule, value: &[], classes: 0, words: &NO_WORDS, record, finished }
    }

    /// Finishes a line that is quiet: appends its text and its record to those of the lines before; `None` for other lines.
    /// `short` is its name, and `rule` the rule for that.
    pub(super) fn finish(&mut self, line: &Named<'a>, short: &ShortName, rule: &'a Rule) -> Option<()> {
        let start = u32::try_from(self.out.len()).ok()?;
        if self.write(line, short, rule).is_none() {
            self.out.truncate(start as usize);
            return None;
        }
        self.record.text_len = self.out.len() as u32 - start;
        self.finished.push(Finished { line: line.line, words: self.words, start, record: self.record });
        Some(())
    }

    #[inline(always)]
    fn write(&mut self, line: &Named<'a>, short: &ShortName, rule: &'a Rule) -> Option<()> {
        let lower = short.bytes();
        let colon = line.name().len();
        let name = lower.get(..colon)?;
        if line.line.len() > LONGEST_LINE || !rule.is_known && !is_quiet_name(line.name(), name, self.cx) {
            return None;
        }
        let after_colon = line.line.get(colon + 1..)?;
        let value = after_colon.strip_prefix(b" ").unwrap_or(after_colon);
        (self.rule, self.value, self.words) = (rule, value, &NO_WORDS);
        self.record = Record {
            rank: line.rank,
            len: value.len() as u16,
            name_len: colon as u8,
            // A name that gets here is known, or made of letters, digits and dashes.
            is_plain: true,
            role: role(rule.kind),
            ..Record::default()
        };
        self.begin_text(&lower, colon);
        if !self.write_known() {
            self.write_value(name)?;
        }
        self.record.len += (colon + 2) as u16;
        let flags = self.record.flags().union(flags_of_name(rule, self.cx));
        let flags = flags.intersection(self.cx.settings.enabled);
        self.record.set_flags(flags);
        if !flags.is_empty() {
            self.write_flags(name);
        }
        self.out.push(b'\n');
        Some(())
    }

    /// Writes `H:name=`; `name` has zeros behind its `len` bytes.
    #[inline(always)]
    fn begin_text(&mut self, name: &[u8; 32], len: usize) {
        let start = self.out.len();
        let mut text = [0; 36];
        if let Some((prefix, rest)) = text.split_first_chunk_mut::<2>() {
            *prefix = *b"H:";
            if let Some(place) = rest.first_chunk_mut() {
                *place = *name;
            }
            if let Some(end) = rest.get_mut(len) {
                *end = b'=';
            }
        }
        self.out.extend_from_slice(&text);
        self.out.truncate(start + 3 + len);
    }

    /// Writes the value by the rule of its header; `None` where the line has to be opened.
    fn write_value(&mut self, name: &[u8]) -> Option<()> {
        let classes = whitespace::classes_of_collapsed(self.value)?;
        if self.value.is_empty() || classes & COLON != 0 && self.hides_header() {
            return None;
        }
        self.classes = classes;
        self.record.is_plain = classes & LAYERED == 0;
        let start = self.out.len();
        if in_parts::is_kind(self.rule.kind) {
            in_parts::write(self)?;
        } else if is_vocabulary(self.value, classes, self.rule, self.cx) {
            self.out.extend_from_slice(self.value);
            return Some(());
        } else if self.is_quiet() {
            self.write_plain();
        } else {
            self.write_loud(name)?;
        }
        if classes & WAY != 0 {
            escape::guard_flags(self.out, start, self.cx);
        }
        Some(())
    }

    /// Writes a value that is one known word, or an agent of known words. It raises no flag, holds no secret, and has nothing to
    /// collapse, to decode or to escape. Returns whether it is one.
    #[inline(always)]
    fn write_known(&mut self) -> bool {
        match self.rule.kind {
            Kind::Free => {
                let is_known = is_common_word(self.value, self.rule, self.cx);
                if is_known {
                    self.out.extend_from_slice(self.value);
                }
                is_known
            }
            Kind::UserAgent => {
                let most = self.cx.settings.config.headers.user_agent_words;
                user_agent::write_common(self.value, most, self.out)
            }
            _ => false,
        }
    }

    /// Returns whether the value raises no flag but those of URLs, which are added, and holds no secret.
    fn is_quiet(&mut self) -> bool {
        let mut flags = self.cx.flags();
        // These two raise a flag whatever they say.
        !matches!(self.rule.kind, Kind::XForwardedFor | Kind::Forwarded)
            && is_quiet_value(self.value, self.classes, *self.rule, self.cx, &mut flags)
            && (flags.set.is_empty() || self.add_flags(&flags).is_some())
    }

    /// Writes a value that raises flags, but holds no secret that can be found in it; `None` for others.
    fn write_loud(&mut self, name: &[u8]) -> Option<()> {
        let Classified { text, classes } = self.text();
        if layers::hides_base64(text.with_classes(classes), self.cx) {
            return None;
        }
        let mut flags = self.cx.flags();
        let content = value::inspect(text, classes, name, *self.rule, self.cx, &mut flags);
        if !matches!(content, Content::Plain) {
            return None;
        }
        self.write_plain();
        self.add_flags(&flags)
    }

    /// Writes a value that is no secret by the rule of its header.
    fn write_plain(&mut self) {
        let start = self.out.len();
        value::write_plain(self.value, self.classes, *self.rule, self.cx, self.out);
        self.record.is_shape = self.out.get(start) == Some(&b'<')
            && marker::is_written_marker(self.out.get(start..).unwrap_or_default());
        if self.out.len() > start && self.out.last() == Some(&b' ') {
            self.out.pop();
        }
        if self.cx.settings.beyond_core() {
            self.record.len -= blanks_dropped(self.value, self.rule.kind) as u16;
        }
    }

    /// The value as text.
    pub(super) fn text(&self) -> Classified<'a> {
        Text::untraced(self.value).repaired().with_classes(self.classes)
    }

    /// Adds the flags of the value; `None` where they have parameters that a record has no place for.
    pub(super) fn add_flags(&mut self, flags: &Flags<'a>) -> Option<()> {
        let is_recorded = |flag: Flag| {
            matches!(
                flag.parameter_kind(),
                flags::Parameter::None | flags::Parameter::Number | flags::Parameter::Word
            )
        };
        self.record.set_flags(flags.set);
        if !flags.words().is_empty() {
            let words = self.cx.bump.alloc([None; MOST_WORDS]);
            let mut places = words.iter_mut();
            for word in flags.words() {
                *places.next()? = Some(*word);
            }
            words
                .sort_unstable_by_key(|word| word.map_or((u32::MAX, ""), |(flag, word)| (flag.rank(), word)));
            self.words = words;
        }
        flags.set.iter().all(is_recorded).then_some(())
    }

    /// Returns whether a value with a colon holds a header that steers framing.
    fn hides_header(&self) -> bool {
        let mut flags = self.cx.flags();
        hidden::check_value(Text::untraced(self.value).repaired(), &mut flags);
        !flags.set.is_empty()
    }

    /// Writes flags, those with several words once for each.
    fn write_flags(&mut self, name: &[u8]) {
        let out = &mut *self.out;
        for flag in self.record.flags().iter() {
            let words = self.words.iter().flatten().filter(|(of, _)| *of == flag);
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
                    marker::number(out, u64::from(self.record.count));
                }
                _ => {}
            }
            out.push(b']');
        }
    }
}

/// Returns whether a value is one word of the list of its header, or usual brands, and no quotes or braces raise a flag.
#[inline]
fn is_common_word(value: &[u8], rule: &Rule, cx: Context<'_>) -> bool {
    let is_plain = rule.grammar != Grammar::Text || !matches!(value, [b'"' | b'{', ..]);
    is_plain && rule.vocabulary.is_some_and(|words| words.is_common(value, &cx.settings.headers))
}

/// Returns whether a header without a normaliser says nothing but words of its own list, none of which raises a flag.
fn is_vocabulary(value: &[u8], classes: u32, rule: &Rule, cx: Context<'_>) -> bool {
    let is_quiet = |words: Vocabulary| words.is_quiet(value, classes, &cx.settings.headers);
    rule.kind == Kind::Free && rule.vocabulary.is_some_and(is_quiet)
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

/// Returns whether a value raises no flag but those of URLs, which are raised, and holds no secret. `classes` is the union of the
/// classes of its bytes.
fn is_quiet_value<'a>(
    value: &'a [u8],
    classes: u32,
    rule: Rule,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    let signs = match (rule.kind, rule.grammar) {
        (Kind::UserAgent, _) => Signs::Comments,
        (_, Grammar::Parameters) => Signs::Parameters,
        (_, Grammar::Brands) => Signs::Brands,
        (_, Grammar::Text) => Signs::Text,
    };
    if !scan::cannot_flag_header(value, classes, signs, cx, flags) {
        return false;
    }
    let has_odd_boundary = rule.kind == Kind::ContentType
        && cx.settings.beyond_core()
        && content::odd_boundaries(value).next().is_some();
    !has_odd_boundary
}

/// The flags that a name alone raises.
fn flags_of_name(rule: &Rule, cx: Context<'_>) -> FlagSet {
    let mut flags = FlagSet::default();
    if rule.is_hop_by_hop(cx.settings.wide_hop_by_hop) {
        flags.insert(Flag::HopByHop);
    }
    if !rule.is_known {
        flags.insert(Flag::UnkHdr);
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;
    use crate::lists::{KNOWN_HEADERS, VOCABULARY_HEADERS};

    /// Asserts that a value raises no flag and holds no credential, as it is opened.
    fn assert_is_quiet(name: &str, value: &str, cx: Context<'_>) {
        let rule = cx.settings.headers.get(name.as_bytes());
        let text = Text::untraced(value.as_bytes()).repaired();
        let mut flags = cx.flags();
        let content = value::inspect(text, bytes::union(text.bytes), name.as_bytes(), rule, cx, &mut flags);
        let is_plain = matches!(content, Content::Plain) && flags.set.is_empty();
        assert!(is_plain && !layers::hides_base64(text.classified(), cx), "{name}: {value}");
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
                    assert!(rule.vocabulary.unwrap().is_common(value.as_bytes(), &table), "{value}");
                    with_context(|cx| assert_is_quiet("sec-ch-ua", &value, cx));
                }
            }
        }
        for value in [
            "\"Joe\";v=\"1\"",
            "\"Not;A;Brand\";v=\"1\"",
            "\"Opera\";v=\"1\",",
            "\"Opera\"",
            "\"Opera\";v=\"1\",  \"Brave\";v=\"1\"",
            "\"Opera\";v=\"1\" ,\"Brave\";v=\"1\"",
        ] {
            assert!(!rule.vocabulary.unwrap().is_common(value.as_bytes(), &table), "{value}");
        }
    }

    #[test]
    fn words_of_vocabularies_are_quiet() {
        let mut count = 0;
        for (name, form, words) in VOCABULARY_HEADERS {
            let names = KNOWN_HEADERS.iter().copied().filter(|_| *form == "names");
            for word in words.split('|').filter(|word| !word.is_empty()).chain(names) {
                let title = word.split_at(1);
                for word in
                    [word.to_owned(), word.to_ascii_uppercase(), title.0.to_ascii_uppercase() + title.1]
                {
                    with_context(|cx| {
                        let rule = cx.settings.headers.get(name.as_bytes());
                        if !is_common_word(word.as_bytes(), &rule, cx) {
                            return;
                        }
                        count += 1;
                        assert_is_quiet(name, &word, cx);
                        let classes = whitespace::classes_of_collapsed(word.as_bytes());
                        assert!(classes.is_some_and(|classes| classes & LAYERED == 0), "{word}");
                        let mut flags = cx.flags();
                        hidden::check_value(Text::untraced(word.as_bytes()).repaired(), &mut flags);
                        assert!(flags.set.is_empty(), "{word}");
                        let (text, mut shown) = (word.as_bytes(), Vec::new());
                        value::write_plain(text, bytes::union(text), rule, cx, &mut shown);
                        escape::guard_flags(&mut shown, 0, cx);
                        assert_eq!(shown, text);
                    });
                }
            }
        }
        assert!(count > 300, "{count}");
    }
}
