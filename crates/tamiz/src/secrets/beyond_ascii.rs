//! Names beyond ASCII that make a secret of their value (clause 6.10): folded, and by their skeletons.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use bumpalo::collections::String as BumpString;
use unicode_security::skeleton;

use crate::context::Context;
use crate::decode::{self, nfkc, unicode};
use crate::lists::SENSITIVE_NAMES;

/// Entries in one reading, ready to be searched for.
#[derive(Debug)]
struct Entries {
    /// All of them: a name that has none of these in it is not sensitive. `None` only if there were too many for one
    /// automaton.
    all: Option<AhoCorasick>,
    /// Those that may be anywhere.
    anywhere: Vec<String>,
    /// Those that end at anything but ASCII letters and digits.
    words: Vec<String>,
    /// Those that end at anything but letters, marks and digits.
    whole: Vec<String>,
}

/// The built-in entries, folded.
static FOLDED: LazyLock<Entries> = LazyLock::new(|| Entries::new(|entry| fold(entry).collect()));
/// Their skeletons.
static SKELETONS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new(|entry| skeleton(&fold(entry).collect::<String>()).collect()));

impl Entries {
    fn new(read: impl Fn(&str) -> String) -> Self {
        let of = |kind: &'static str| {
            SENSITIVE_NAMES.iter().filter(move |(k, _)| *k == kind).map(|(_, name)| read(name))
        };
        Entries {
            all: AhoCorasick::new(SENSITIVE_NAMES.iter().map(|(_, name)| read(name))).ok(),
            anywhere: of("anywhere").collect(),
            words: of("word").collect(),
            whole: of("whole").collect(),
        }
    }

    fn is_in(&self, name: &str) -> bool {
        self.all.as_ref().is_none_or(|all| all.is_match(name)) && self.is_in_slow(name)
    }

    fn is_in_slow(&self, name: &str) -> bool {
        self.anywhere.iter().any(|entry| name.contains(entry.as_str()))
            || self.words.iter().any(|word| is_word_in(word, name, |c| c.is_ascii_alphanumeric()))
            || self.whole.iter().any(|word| is_word_in(word, name, is_of_word))
    }
}

/// Returns whether a name that is not all ASCII holds a built-in entry, or one of `extra`.
pub(crate) fn matches(name: &[u8], extra: &[String], cx: Context<'_>) -> bool {
    let mut normal = BumpString::new_in(cx.bump);
    cx.spare.with(|nfkc| {
        nfkc::nfkc(name, nfkc);
        cx.spare.with(|plain| {
            for chunk in decode::without_guarded(nfkc, plain).utf8_chunks() {
                if chunk.valid().is_ascii() {
                    normal.push_str(chunk.valid());
                } else {
                    normal.extend(chunk.valid().chars().filter(|c| !unicode::is_ignorable(*c)));
                }
                // What is guarded is one character that no entry has.
                normal.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
            }
        });
    });
    let written = |write: &dyn Fn(&mut BumpString<'_>)| {
        let mut text = BumpString::with_capacity_in(normal.len(), cx.bump);
        write(&mut text);
        text
    };
    let folded = written(&|out| put_folded(&normal, out));
    let is_extra = |name: &str, is_look: bool| {
        extra.iter().filter(|entry| !entry.is_empty()).any(|entry| {
            let entry = written(&|out| put_folded(entry, out));
            let entry = if is_look { written(&|out| put_skeleton(&entry, out)) } else { entry };
            name.contains(entry.as_str())
        })
    };
    if FOLDED.is_in(&folded) || is_extra(&folded, false) {
        return true;
    }
    let looks_sensitive = |look: &str| SKELETONS.is_in(look) || is_extra(look, true);
    let look = written(&|out| put_skeleton(&folded, out));
    if looks_sensitive(&look) {
        return true;
    }
    let seen = if normal == folded { look } else { written(&|out| put_skeleton(&normal, out)) };
    let seen = written(&|out| put_folded(&seen, out));
    seen != folded && looks_sensitive(&written(&|out| put_skeleton(&seen, out)))
}

/// Appends a text without case.
fn put_folded(text: &str, out: &mut BumpString<'_>) {
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
        return;
    }
    let mut rest = text;
    while let Some((caseless, after)) = rest.split_at_checked(nfkc::arabic_length(rest.as_bytes())) {
        out.push_str(caseless);
        let mut others = after.chars();
        let Some(other) = others.next() else { break };
        out.extend(fold(other.encode_utf8(&mut [0; 4])));
        rest = others.as_str();
    }
}

/// The skeletons of ASCII characters.
static ASCII_SKELETONS: LazyLock<Vec<String>> = LazyLock::new(|| skeletons('\0'..='\u{7F}'));
/// Those of the letters of Arabic, which the characters that NFKC makes most of are made of.
static ARABIC_SKELETONS: LazyLock<Vec<String>> = LazyLock::new(|| skeletons(ARABIC));

const ARABIC: RangeInclusive<char> = '\u{620}'..='\u{64A}';

fn skeletons(characters: RangeInclusive<char>) -> Vec<String> {
    characters.map(|c| skeleton(c.encode_utf8(&mut [0; 4])).collect()).collect()
}

/// The skeleton of a character of which it is known. It begins with a character that no mark before it joins with.
fn known_skeleton(c: char) -> Option<&'static str> {
    let nth = |first: char| u32::from(c).wrapping_sub(u32::from(first)) as usize;
    let known = match c {
        '\0'..='\u{7F}' => ASCII_SKELETONS.get(nth('\0')),
        _ if ARABIC.contains(&c) => ARABIC_SKELETONS.get(nth(*ARABIC.start())),
        _ => None,
    };
    known.map(String::as_str)
}

/// Appends the skeleton of a text: what it has in common with all that look like it.
fn put_skeleton(text: &str, out: &mut BumpString<'_>) {
    // Known characters one by one, but for the last before others: these may be marks on it.
    let mut rest = text;
    loop {
        let mut base = 0;
        let mut end = rest.len();
        let mut last = "";
        for (at, c) in rest.char_indices() {
            let Some(known) = known_skeleton(c) else {
                end = at;
                break;
            };
            out.push_str(last);
            (base, last) = (at, known);
        }
        if end == rest.len() {
            out.push_str(last);
            return;
        }
        let others = rest.get(base..).unwrap_or_default();
        let is_known = |(at, c): &(usize, char)| base + at >= end && known_skeleton(*c).is_some();
        let len = others.char_indices().find(is_known).map_or(others.len(), |(at, _)| at);
        let (others, after) = others.split_at_checked(len).unwrap_or_default();
        out.extend(skeleton(others));
        rest = after;
    }
}

/// Without case: each character in lower case, `ß` as `ss`, and the dotted capital as `i`.
fn fold(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(|c| {
        let (lower, double) = match c {
            '\u{130}' => ('i'.to_lowercase(), None),
            'ß' | 'ẞ' => ('s'.to_lowercase(), Some('s')),
            _ => (c.to_lowercase(), None),
        };
        lower.chain(double)
    })
}

/// A letter, mark or digit.
fn is_of_word(c: char) -> bool {
    unicode::is_letter_or_digit(c) || unicode::is_mark(c)
}

/// Returns whether `word` is in a name with nothing beside it that belongs to words.
fn is_word_in(word: &str, name: &str, is_inner: impl Fn(char) -> bool) -> bool {
    name.match_indices(word).any(|(at, word)| {
        let (before, rest) = name.split_at_checked(at).unwrap_or_default();
        let after = rest.strip_prefix(word).unwrap_or_default();
        !before.chars().next_back().is_some_and(&is_inner) && !after.chars().next().is_some_and(&is_inner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn is_sensitive(name: &str) -> bool {
        with_context(|cx| matches(name.as_bytes(), &["Matrícula".to_owned()], cx))
    }

    #[test]
    fn names_in_other_languages_and_look_alikes() {
        for name in [
            "contraseña",
            "CONTRASEÑA",
            "nueva-contrasen\u{303}a",
            "hasło",
            "moje_hasło",
            "HASŁO",
            "şifre",
            "ŞİFRE",
            "пароль",
            "Новый-Пароль",
            "密码",
            "用户密码",
            "パスワード",
            "ﾊﾟｽﾜｰﾄﾞ",
            "새비밀번호",
            "كلمة_المرور",
            "Paßwort",
            "pаssword",
            "РАSSWORD",
            "ｐｗｄ",
            "user_ｐｗ",
            "p\u{200B}wd",
            "p\u{AD}w",
            "p\u{200E}in",
            "ѕіd",
            "НМАС",
            "ⅿdp",
            "МDР",
            "mi-matrícula",
            "MATRÍCULA",
            "keyé",
        ] {
            assert!(is_sensitive(name), "{name}");
        }
    }

    #[test]
    fn skeletons_of_ascii_are_those_of_their_characters() {
        let bump = bumpalo::Bump::new();
        let all: String = ('\0'..'\u{80}').collect();
        let pairs = (0..127).map(|at| &all[at..at + 2]);
        for text in pairs.chain([all.as_str(), "", "t0ken_1Im\"%|"]) {
            let mut out = BumpString::new_in(&bump);
            put_skeleton(text, &mut out);
            assert_eq!(out.as_str(), skeleton(text).collect::<String>(), "{text:?}");
            let mut folded = BumpString::new_in(&bump);
            put_folded(text, &mut folded);
            assert_eq!(folded.as_str(), fold(text).collect::<String>(), "{text:?}");
        }
    }

    #[test]
    fn skeletons_of_runs_are_those_of_the_text() {
        let pieces = [
            "a", "l", "ص", "آ", "أ", "ي", "ـ", "\u{653}", "\u{301}", "\u{323}", "é", "ß", "П", "İ", "密",
            "٪", "ﬁ",
        ];
        let mut random = crate::context::tests::random();
        let bump = bumpalo::Bump::new();
        for round in 0..5_000 {
            let text: String = (0..round % 9).map(|_| pieces[random(pieces.len() as u32) as usize]).collect();
            let (mut look, mut folded) = (BumpString::new_in(&bump), BumpString::new_in(&bump));
            put_skeleton(&text, &mut look);
            assert_eq!(look.as_str(), skeleton(&text).collect::<String>(), "{text:?}");
            put_folded(&text, &mut folded);
            assert_eq!(folded.as_str(), fold(&text).collect::<String>(), "{text:?}");
        }
        for first in ARABIC {
            for second in ('\0'..='\u{7F}').chain(ARABIC) {
                let text = String::from_iter([first, second, first]);
                let mut look = BumpString::new_in(&bump);
                put_skeleton(&text, &mut look);
                assert_eq!(look.as_str(), skeleton(&text).collect::<String>(), "{text:?}");
            }
        }
    }

    #[test]
    fn other_names() {
        for name in ["español", "чехасłо", "hasłoń", "şifreli", "pwé", "épw", "имя", "名前", "мdpx", "spinë"]
        {
            assert!(!is_sensitive(name), "{name}");
        }
    }
}
