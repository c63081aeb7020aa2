//! Secrets by name, by content and by echo (6.10–6.14).

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::chars::{self, Char, Text};
use crate::lists;
use crate::shape;

/// Names of `sensitive-names.txt`, and whether each counts as a whole word only.
static SENSITIVE: LazyLock<Vec<(bool, &str)>> = LazyLock::new(|| {
    let entry = |line: &'static str| line.split_once(' ').map(|(how, word)| (how != "anywhere", word));
    lists::sensitive_names().map(|line| entry(line).unwrap()).collect()
});

/// A name whose value is a secret (6.10), decoded and after NFKC.
pub(crate) fn is_sensitive(name: &[Char]) -> bool {
    holds_sensitive(name) || (!name.iter().all(|c| c.is_ascii()) && holds_sensitive(&nfkc(name)))
}

fn holds_sensitive(name: &[Char]) -> bool {
    // What is no plain character is none of a sensitive name, and ends a word.
    let name: String = name.iter().map(|c| c.plain().unwrap_or('\0').to_ascii_lowercase()).collect();
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    SENSITIVE.iter().any(|(whole, word)| {
        name.match_indices(word).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            let after = name[at + word.len()..].chars().next();
            !whole || (!is_letter(before) && !is_letter(after))
        })
    })
}

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

type Part = (usize, usize);

fn jwt(text: &[Char]) -> Option<Part> {
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
                    return Some((start + offset, three[2].1));
                }
            }
        }
        at = end;
    }
    None
}

fn known_token(text: &[Char]) -> Option<Part> {
    (0..text.len()).find_map(|at| {
        if at > 0 && text[at - 1].is_ascii_alphanumeric() {
            return None;
        }
        lists::credential_prefixes().find_map(|line| {
            let mut words = line.split(' ');
            let prefix = chars::text(words.next()?);
            let signs = match words.next()? {
                "alnum" => "",
                "word" => "_",
                "url" => "_-",
                _ => "_-.",
            };
            let least: usize = words.next()?.parse().ok()?;
            if !text[at..].starts_with(&prefix) {
                return None;
            }
            let from = at + prefix.len();
            let end = run_end(text, from, |c| in_class(c, signs));
            (end - from >= least).then_some((at, end))
        })
    })
}

fn scheme_word(text: &[Char]) -> Option<Part> {
    ["Bearer", "Basic", "Digest", "Token", "Negotiate", "AWS4-HMAC-SHA256"].iter().find_map(|word| {
        (0..text.len()).find_map(|at| {
            if !chars::begins_ignoring_case(&text[at..], word)
                || (at > 0 && text[at - 1].is_ascii_alphanumeric())
            {
                return None;
            }
            let after = at + word.len();
            let from = run_end(text, after, |c| is_mark(c) || *c == Char::Plain('+'));
            let end = run_end(text, from, |c| in_class(c, "._~+/=-"));
            let run = &text[from..end];
            let telling = run.len() >= 6
                || run.iter().any(|c| c.plain().is_some_and(|c| c.is_ascii_digit() || c == '='));
            if from == after || run.is_empty() || (["Basic", "Digest", "Token"].contains(word) && !telling) {
                return None;
            }
            Some(if *word == "Digest" { (from, text.len()) } else { (from, end) })
        })
    })
}

fn private_key(text: &[Char]) -> Option<Part> {
    let begin = chars::find_text(text, &chars::text("-----BEGIN"))?;
    let rest = &text[begin..];
    let key = ["PRIVATE KEY", "PRIVATE+KEY"]
        .iter()
        .any(|words| chars::find_text(rest, &chars::text(words)).is_some());
    key.then_some((begin, text.len()))
}

fn userinfo(text: &[Char]) -> Option<Part> {
    let mut at = 0;
    while at + 1 < text.len() {
        let slashes = chars::is(text.get(at), '/') && chars::is(text.get(at + 1), '/');
        if !slashes || !(at == 0 || text[at - 1] == Char::Plain(':')) {
            at += 1;
            continue;
        }
        let from = at + 2;
        let end = run_end(text, from, |c| !c.plain().is_some_and(|c| "/?# ".contains(c)));
        if let Some(last) = text[from..end].iter().rposition(|c| *c == Char::Plain('@'))
            && last > 0
            && shape::marker_kind(&text[from..from + last]).is_none()
        {
            return Some((from, from + last));
        }
        at = end.max(at + 1);
    }
    None
}

fn named_value(text: &[Char]) -> Option<Part> {
    let mut at = 0;
    while at < text.len() {
        let end = run_end(text, at, |c| in_class(c, "_.$@[]-"));
        if end == at {
            at += 1;
            continue;
        }
        let name = &text[at..end];
        at = end;
        if !is_sensitive(name) {
            continue;
        }
        let sign = run_end(text, end, is_mark);
        if sign - end > 8 || !matches!(text.get(sign), Some(Char::Plain('=' | ':'))) {
            continue;
        }
        let from = run_end(text, sign + 1, |c| is_mark(c) || *c == Char::Plain('+'));
        let stop = run_end(text, from, |c| !is_mark(c) && !c.plain().is_some_and(|c| "&;,".contains(c)));
        if stop > from {
            return Some((from, stop));
        }
    }
    None
}

fn credential_in(text: &[Char]) -> Option<Part> {
    let found = jwt(text)
        .or_else(|| known_token(text))
        .or_else(|| scheme_word(text))
        .or_else(|| private_key(text))
        .or_else(|| userinfo(text));
    found.or_else(|| {
        let (bare, any) = shape::without_markers(text);
        let part = named_value(&bare)?;
        Some(if any { (0, text.len()) } else { part })
    })
}

/// Whether a JWT or a known token is in a host name (5.8).
pub(crate) fn token_in_host(text: &[Char]) -> bool {
    jwt(text).is_some() || known_token(text).is_some()
}

/// The credential part of a text that has a credential in it (6.11, 6.12).
pub(crate) fn credential(text: &[Char]) -> Option<Part> {
    let texts = chars::further_texts(text);
    credential_in(&texts[0])
        .or_else(|| texts[1..].iter().any(|text| credential_in(text).is_some()).then_some((0, text.len())))
}

/// What has been found in a first pass over the request, and what the second compares with.
#[derive(Default)]
pub(crate) struct Secrets {
    recorded: RefCell<Vec<Text>>,
    needles: BTreeSet<Vec<u8>>,
}

impl Secrets {
    /// The secrets that the pass recorded, ready to be compared with.
    pub(crate) fn after_first_pass(self) -> Secrets {
        let mut needles = BTreeSet::new();
        for text in self.recorded.into_inner() {
            for form in spellings(&text) {
                let form = chars::trim(&form, chars::is_blank);
                if form.len() >= 8 {
                    needles.insert(comparable(&form));
                }
            }
        }
        if needles.len() > 64 {
            needles = needles.into_iter().map(|needle| needle[..8].to_vec()).collect();
        }
        Secrets { recorded: RefCell::default(), needles }
    }

    /// Records a text as it is.
    pub(crate) fn record(&self, text: &[Char]) {
        self.recorded.borrow_mut().push(text.to_vec());
    }

    /// Records the needle of a text that is hidden (6.14), given its credential part.
    pub(crate) fn record_part(&self, text: &[Char], part: Option<Part>) {
        // The userinfo of a URL gives its password, too.
        if let Some((from, to)) = part
            && text[..from].ends_with(&chars::text("//"))
            && chars::is(text.get(to), '@')
            && let Some(colon) = chars::find(&text[from..to], ':')
        {
            self.record(&text[from + colon + 1..to]);
        }
        let needle = match part {
            Some((from, to)) if to - from >= 8 => &text[from..to],
            Some((from, _)) if text.len() - from >= 8 => &text[from..],
            _ => text,
        };
        self.record(needle);
    }

    /// Whether a text contains a needle.
    pub(crate) fn echoes(&self, text: &[Char]) -> bool {
        if self.needles.is_empty() {
            return false;
        }
        spellings(text).iter().any(|form| {
            let bytes = comparable(form);
            self.needles.iter().any(|needle| bytes.windows(needle.len()).any(|window| window == &needle[..]))
        })
    }

    /// Whether a value is a secret (6.13); by name or content it gives a needle.
    pub(crate) fn hides(&self, sensitive: bool, text: &[Char]) -> bool {
        let part = credential(text);
        if sensitive || part.is_some() {
            self.record_part(text, part);
            return true;
        }
        self.echoes(text)
    }
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

/// The texts of 6.12, and each under NFKC.
fn spellings(text: &[Char]) -> BTreeSet<Text> {
    chars::further_texts(text).into_iter().flat_map(|text| [nfkc(&text), text]).collect()
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
