//! Secrets by name, by content and by echo (6.10–6.14).

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::chars::{self, Char, Text};
use crate::families;
use crate::layers;
use crate::names::is_sensitive;
use crate::shape;

/// Marks of 6.11.
fn is_mark(c: &Char) -> bool {
    c.plain().is_some_and(|c| " \t\"'\\".contains(c))
}

fn run_end(text: &[Char], from: usize, accept: impl Fn(&Char) -> bool) -> usize {
    text[from..].iter().position(|c| !accept(c)).map_or(text.len(), |length| from + length)
}

fn in_class(c: &Char, signs: &str) -> bool {
    c.is_ascii_alphanumeric() || c.plain().is_some_and(|c| signs.contains(c))
}

/// A credential in a text (6.11).
#[derive(Clone, Copy, Debug)]
struct Credential {
    /// Where its part begins and ends.
    from: usize,
    to: usize,
    /// True if the part is userinfo, which gives what follows its first `:` too (6.14.2).
    userinfo: bool,
}

impl Credential {
    fn new(from: usize, to: usize) -> Credential {
        Credential { from, to, userinfo: false }
    }
}

fn jwt(text: &[Char]) -> Option<Credential> {
    let mut at = 0;
    while at < text.len() {
        let end = run_end(text, at, |c| in_class(c, "_.-"));
        if end == at {
            at += 1;
            continue;
        }
        // Where each part between dots begins and ends.
        let mut parts = Vec::new();
        let mut start = at;
        for part in text[at..end].split(|c| *c == Char::Plain('.')) {
            parts.push((start, start + part.len()));
            start += part.len() + 1;
        }
        for three in parts.windows(3) {
            let (start, stop) = three[0];
            if start == stop {
                continue;
            }
            let head = chars::as_string(&text[start..stop]).unwrap();
            let mut from = vec![0];
            from.extend(head.match_indices("eyJ").map(|(at, _)| at).take(8));
            for offset in from {
                if shape::is_jwt_head(&head[offset..]) {
                    return Some(Credential::new(start + offset, three[2].1));
                }
            }
        }
        at = end;
    }
    None
}

fn known_token(text: &[Char]) -> Option<Credential> {
    (0..text.len()).find_map(|at| {
        let end = families::end_of_token(text, at)?;
        Some(Credential::new(at, end))
    })
}

const SCHEME_WORDS: [&str; 10] = [
    "Bearer",
    "Basic",
    "Digest",
    "Token",
    "Negotiate",
    "AWS4-HMAC-SHA256",
    "ApiKey",
    "SharedKey",
    "SharedKeyLite",
    "Hawk",
];

fn scheme_word(text: &[Char], word: &str) -> Option<Credential> {
    (0..text.len()).find_map(|at| scheme_word_at(text, at, word))
}

fn scheme_word_at(text: &[Char], at: usize, word: &str) -> Option<Credential> {
    if !chars::begins_ignoring_case(&text[at..], word) || (at > 0 && text[at - 1].is_ascii_alphanumeric()) {
        return None;
    }
    let shared = word == "SharedKey" || word == "SharedKeyLite";
    let after = at + word.len();
    let from = run_end(text, after, |c| is_mark(c) || *c == Char::Plain('+'));
    let end = run_end(text, from, |c| in_class(c, "._~+/=-") || (shared && *c == Char::Plain(':')));
    let run = &text[from..end];
    if from == after || run.is_empty() {
        return None;
    }
    let telling =
        run.len() >= 6 || run.iter().any(|c| c.plain().is_some_and(|c| c.is_ascii_digit() || c == '='));
    let fits = match word {
        "Basic" | "Digest" | "Token" | "ApiKey" => telling,
        "Hawk" => run.contains(&Char::Plain('=')),
        _ => !shared || run.contains(&Char::Plain(':')),
    };
    let to = if word == "Digest" || word == "Hawk" { text.len() } else { end };
    fits.then(|| Credential::new(from, to))
}

fn private_key(text: &[Char]) -> Option<Credential> {
    let begin = chars::find_text(text, &chars::text("-----BEGIN"))?;
    let rest = &text[begin..];
    let key = ["PRIVATE KEY", "PRIVATE+KEY"]
        .iter()
        .any(|words| chars::find_text(rest, &chars::text(words)).is_some());
    key.then(|| Credential::new(begin, text.len()))
}

fn userinfo(text: &[Char], core: bool) -> Option<Credential> {
    let mut at = 0;
    let slash = |at: usize| matches!(text.get(at), Some(Char::Plain('/' | '\\')));
    while at + 1 < text.len() {
        if !(slash(at) && slash(at + 1)) || !(at == 0 || text[at - 1] == Char::Plain(':')) {
            at += 1;
            continue;
        }
        let from = at + 2;
        let ends = if text[at..from].contains(&Char::Plain('\\')) { "/?# \\" } else { "/?# " };
        let end = run_end(text, from, |c| !c.plain().is_some_and(|c| ends.contains(c)));
        if let Some(last) = text[from..end].iter().rposition(|c| *c == Char::Plain('@'))
            && last > 0
            && shape::marker_kind(&text[from..from + last], core).is_none()
        {
            return Some(Credential { from, to: from + last, userinfo: true });
        }
        at = end;
    }
    None
}

fn data_source(text: &[Char]) -> Option<Credential> {
    let network = |text: &[Char]| {
        ["tcp(", "tcp4(", "tcp6(", "udp(", "unix(", "cloudsql("]
            .iter()
            .any(|network| chars::begins_ignoring_case(text, network))
    };
    let ends =
        |c: &Char| is_mark(c) || c.plain().is_some_and(|c| chars::is_white_space(c) || chars::is_cc(c));
    (0..text.len()).find_map(|at| {
        if text[at] != Char::Plain('@') || !network(&text[at + 1..]) {
            return None;
        }
        let from = text[..at].iter().rposition(ends).map_or(0, |last| last + 1);
        let run = &text[from..at];
        let inner = run.get(1..run.len().saturating_sub(1))?;
        let found = Credential { from, to: at, userinfo: true };
        inner.contains(&Char::Plain(':')).then_some(found)
    })
}

/// The text of an element whose name is sensitive.
fn element(text: &[Char]) -> Option<Credential> {
    let in_name = |c: &Char| in_class(c, "_.:-") || c.plain().is_some_and(|c| !c.is_ascii());
    (0..text.len()).find_map(|at| {
        if text[at] != Char::Plain('<') {
            return None;
        }
        let end = run_end(text, at + 1, in_name);
        if !is_sensitive(&text[at + 1..end]) || !chars::is(text.get(end), '>') {
            return None;
        }
        let to = run_end(text, end + 1, |c| *c != Char::Plain('<'));
        (to > end + 1).then(|| Credential::new(end + 1, to))
    })
}

/// `=`, `:` and their full-width forms.
fn is_assignment(c: &Char) -> bool {
    matches!(c, Char::Plain('=' | ':' | '\u{FF1D}' | '\u{FF1A}'))
}

/// Every named value, also within the value of another; `also` are names that are sensitive beside those of 6.10.
fn every_named_value(text: &[Char], also: &[&str]) -> Vec<Credential> {
    let mut found = Vec::new();
    let in_name =
        |c: &Char| in_class(c, "_.$@[]-") || (c.plain().is_some_and(|c| !c.is_ascii()) && !is_assignment(c));
    let is_cc = |c: &Char| c.plain().is_some_and(chars::is_cc);
    let mut at = 0;
    while at < text.len() {
        let end = run_end(text, at, in_name);
        if end == at {
            at += 1;
            continue;
        }
        let name = &text[at..end];
        at = end;
        let named = chars::as_string(&chars::lower(name)).unwrap_or_default();
        if !is_sensitive(name) && !also.contains(&&named[..]) {
            continue;
        }
        let sign = run_end(text, end, is_mark);
        if sign - end > 8 || !text.get(sign).is_some_and(is_assignment) {
            continue;
        }
        let from = run_end(text, sign + 1, |c| is_mark(c) || is_cc(c) || *c == Char::Plain('+'));
        let ends = |c: &Char| is_mark(c) || is_cc(c) || c.plain().is_some_and(|c| "&;,".contains(c));
        let stop = run_end(text, from, |c| !ends(c));
        if stop > from {
            found.push(Credential::new(from, stop));
        }
    }
    found
}

fn named_value(text: &[Char]) -> Option<Credential> {
    every_named_value(text, &[]).first().copied()
}

/// Every credential of one kind, from left to right: what follows the part of one, or the first `+` in it, is a text of
/// its own.
fn each(found: &mut Vec<Credential>, text: &[Char], find: impl Fn(&[Char]) -> Option<Credential>) {
    let mut at = 0;
    while let Some(credential) = find(&text[at..]) {
        let (from, to) = (at + credential.from, at + credential.to);
        found.push(Credential { from, to, ..credential });
        at = chars::find(&text[from..to], '+').map_or(to, |plus| from + plus + 1);
    }
}

/// Every credential of a kind for which markers are taken out first; if there is one, the part is the whole text.
fn without_markers(
    text: &[Char],
    core: bool,
    find: impl Fn(&[Char]) -> Option<Credential>,
) -> Vec<Credential> {
    let (bare, any) = shape::without_markers(text, core);
    let mut found = Vec::new();
    each(&mut found, &bare, find);
    if any {
        found.fill(Credential::new(0, text.len()));
    }
    found
}

/// The credentials in a text, by the order of kinds, the first sixteen.
fn credentials_in(text: &[Char], core: bool) -> Vec<Credential> {
    let mut found = Vec::new();
    each(&mut found, text, jwt);
    each(&mut found, text, known_token);
    for word in SCHEME_WORDS {
        each(&mut found, text, |text| scheme_word(text, word));
    }
    each(&mut found, text, private_key);
    each(&mut found, text, |text| userinfo(text, core));
    each(&mut found, text, data_source);
    found.extend(without_markers(text, core, element));
    found.extend(without_markers(text, core, named_value));
    found.truncate(16);
    found
}

/// Returns whether a JWT or a known token is in a host name (5.8).
pub(crate) fn token_in_host(text: &[Char]) -> bool {
    jwt(text).is_some() || known_token(text).is_some()
}

/// The secrets of a first pass over the request, which the second compares with.
pub(crate) struct Secrets {
    /// True if the profile is `core`, which knows fewer markers (6.15).
    core: bool,
    recorded: RefCell<Vec<Text>>,
    needles: BTreeSet<Vec<u8>>,
}

impl Secrets {
    pub(crate) fn new(core: bool) -> Secrets {
        Secrets { core, recorded: RefCell::default(), needles: BTreeSet::new() }
    }

    /// The credentials in a text (6.11, 6.12). One that is only in a further text has all of it as its part.
    fn credentials(&self, text: &[Char]) -> Vec<Credential> {
        let texts = layers::texts(text);
        let found = credentials_in(&texts[0], self.core);
        let further = |text: &Text| !credentials_in(text, self.core).is_empty();
        if found.is_empty() && texts[1..].iter().any(further) {
            return vec![Credential::new(0, text.len())];
        }
        found
    }

    pub(crate) fn has_credential(&self, text: &[Char]) -> bool {
        !self.credentials(text).is_empty()
    }

    /// The secrets that the pass recorded, ready to be compared with.
    pub(crate) fn after_first_pass(self) -> Secrets {
        let texts = self.recorded.into_inner();
        let mut needles: BTreeSet<Vec<u8>> = texts.iter().flat_map(|text| needles_of(text)).collect();
        if needles.len() > 64 {
            needles = needles.into_iter().map(|needle| needle[..8].to_vec()).collect();
        }
        Secrets { core: self.core, recorded: RefCell::default(), needles }
    }

    /// Records a text as it is.
    pub(crate) fn record(&self, text: &[Char]) {
        self.recorded.borrow_mut().push(text.to_vec());
    }

    /// Records userinfo: itself and what follows its first `:` (6.14.2).
    pub(crate) fn record_userinfo(&self, userinfo: &[Char]) {
        self.record(userinfo);
        if let Some(colon) = chars::find(userinfo, ':') {
            self.record(&userinfo[colon + 1..]);
        }
    }

    /// Records what a value that is hidden gives (6.14.1).
    pub(crate) fn record_value(&self, text: &[Char]) {
        self.record_parts(text, &self.credentials(text));
        self.record_spaced(text);
        let texts = layers::texts(text);
        let found = |text: &Text| credentials_in(text, self.core);
        if !found(&texts[0]).is_empty() {
            return;
        }
        // Credentials that are only in a further text give their parts there too.
        if let Some(further) = texts[1..].iter().find(|text| !found(text).is_empty()) {
            self.record_parts(further, &found(further));
            self.record_spaced(further);
        }
    }

    /// Records the credentials of a text with each `+` as SP.
    fn record_spaced(&self, text: &[Char]) {
        let plus = Char::Plain('+');
        let spaced: Text = text.iter().map(|c| if *c == plus { Char::Plain(' ') } else { *c }).collect();
        let found = credentials_in(&spaced, self.core);
        if text.contains(&plus) && !found.is_empty() {
            self.record_parts(&spaced, &found);
        }
    }

    /// Records the parts of the credentials in a text.
    fn record_parts(&self, text: &[Char], found: &[Credential]) {
        for credential in found.iter().filter(|credential| credential.userinfo) {
            self.record_userinfo(&text[credential.from..credential.to]);
        }
        let mut any = false;
        for credential in found.iter().filter(|credential| credential.to - credential.from >= 8) {
            self.record(&text[credential.from..credential.to]);
            any = true;
        }
        match found.first() {
            _ if any => {}
            Some(first) if text.len() - first.from >= 8 => self.record(&text[first.from..]),
            _ => self.record(text),
        }
    }

    /// Records the named values of `authorization`, where two more names are sensitive (6.14.3).
    pub(crate) fn record_proofs(&self, text: &[Char]) {
        for credential in every_named_value(text, &["mac", "response"]).iter().take(16) {
            self.record(&text[credential.from..credential.to]);
        }
    }

    /// Records what a text that a document has no place for gives (6.14.5).
    pub(crate) fn record_unshown(&self, text: &[Char]) {
        if self.has_credential(text) {
            self.record_value(text);
        }
    }

    /// Returns whether a text contains a needle.
    pub(crate) fn echoes(&self, text: &[Char]) -> bool {
        if self.needles.is_empty() {
            return false;
        }
        spellings(text).iter().any(|form| {
            let bytes = comparable(form);
            self.needles.iter().any(|needle| bytes.windows(needle.len()).any(|window| window == &needle[..]))
        })
    }

    /// Returns whether a value is a secret (6.13); by name or content it gives a needle.
    pub(crate) fn hides(&self, sensitive: bool, text: &[Char]) -> bool {
        if sensitive || self.has_credential(text) {
            self.record_value(text);
            return true;
        }
        self.echoes(text)
    }
}

/// The needles that a recorded text gives (6.14.6).
fn needles_of(text: &[Char]) -> BTreeSet<Vec<u8>> {
    let around = |c: char| chars::is_blank(c) || "\"'`".contains(c);
    let bare = chars::trim(text, around);
    if bare.len() < 8 {
        return BTreeSet::new();
    }
    let forms = spellings(&bare).into_iter().map(|form| chars::trim(&form, around));
    forms.filter(|form| form.len() >= 8).map(|form| comparable(&form)).collect()
}

/// The bytes that are compared: what is no plain character is three of them (6.14).
fn comparable(text: &[Char]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for c in text {
        match *c {
            Char::Plain(c) => bytes.extend(c.to_string().bytes()),
            other => {
                bytes.push(0xFF);
                bytes.extend(chars::hex_escape(&chars::to_bytes(&[other])).trim_start_matches('%').bytes());
            }
        }
    }
    bytes
}

/// The texts of 6.12, and each in its plain form (6.14.6).
fn spellings(text: &[Char]) -> BTreeSet<Text> {
    layers::texts(text).into_iter().flat_map(|text| [plain_form(&text), text]).collect()
}

/// NFKC, `+` as SP, each run of White_Space as one SP, outer ones dropped.
fn plain_form(text: &[Char]) -> Text {
    let is_space = |c: &Char| c.plain().is_some_and(|c| c == '+' || chars::is_white_space(c));
    let normal = nfkc(text);
    let words: Vec<&[Char]> = normal.split(is_space).filter(|word| !word.is_empty()).collect();
    words.join(&Char::Plain(' '))
}

/// NFKC of the plain runs of a text, nothing guarded.
fn nfkc(text: &[Char]) -> Text {
    let mut normal = Text::new();
    let mut run = String::new();
    for c in text.iter().map(|c| Some(*c)).chain([None]) {
        match c {
            Some(Char::Plain(c)) => run.push(c),
            other => {
                normal.extend(chars::nfkc_string(&run).chars().map(Char::Plain));
                run.clear();
                normal.extend(other);
            }
        }
    }
    normal
}
