//! Names beyond ASCII that make a secret of their value (clause 6.10): folded, and by their skeletons.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use bumpalo::collections::String as BumpString;
use unicode_security::skeleton;

use crate::context::Context;
use crate::decode::{self, unicode};
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

/// Whether a name that is not all ASCII holds a built-in entry, or one of `extra`.
pub(crate) fn matches(name: &[u8], extra: &[String], cx: Context<'_>) -> bool {
    let mut normal = BumpString::new_in(cx.bump);
    cx.spare.with(|nfkc| {
        unicode::nfkc(name, nfkc);
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
    let seen = written(&|out| put_skeleton(&normal, out));
    let seen = written(&|out| put_folded(&seen, out));
    let looks_sensitive = |text: &str| {
        let look = written(&|out| put_skeleton(text, out));
        SKELETONS.is_in(&look) || is_extra(&look, true)
    };
    looks_sensitive(&folded) || seen != folded && looks_sensitive(&seen)
}

/// Appends a text without case.
fn put_folded(text: &str, out: &mut BumpString<'_>) {
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
    } else {
        out.extend(fold(text));
    }
}

/// The skeletons of ASCII characters.
static ASCII_SKELETONS: LazyLock<Vec<String>> =
    LazyLock::new(|| ('\0'..'\u{80}').map(|c| skeleton(c.encode_utf8(&mut [0; 4])).collect()).collect());

/// Appends the skeleton of a text: what it has in common with all that look like it.
fn put_skeleton(text: &str, out: &mut BumpString<'_>) {
    if text.is_ascii() {
        // Each character by itself: nothing in ASCII joins with its neighbours.
        for byte in text.bytes() {
            out.push_str(ASCII_SKELETONS.get(usize::from(byte)).map_or("", String::as_str));
        }
    } else {
        out.extend(skeleton(text));
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

/// Whether `word` is in a name with nothing beside it that belongs to words.
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
    fn other_names() {
        for name in ["español", "чехасłо", "hasłoń", "şifreli", "pwé", "épw", "имя", "名前", "мdpx", "spinë"]
        {
            assert!(!is_sensitive(name), "{name}");
        }
    }
}
