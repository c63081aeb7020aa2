//! Names beyond ASCII that make a secret of their value (clause 6.10): folded, and by their skeletons.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use unicode_security::skeleton;

use crate::context::Context;
use crate::decode::{self, unicode};
use crate::lists::SENSITIVE_NAMES;

/// Entries in one reading, ready to be looked for.
#[derive(Debug)]
struct Entries {
    /// `None` only if there were too many for one automaton: then every name holds one.
    anywhere: Option<AhoCorasick>,
    /// Those that end at anything but ASCII letters and digits.
    words: Vec<String>,
    /// Those that end at anything but letters, marks and digits.
    whole: Vec<String>,
}

/// The built-in entries, folded.
static FOLDED: LazyLock<Entries> = LazyLock::new(|| Entries::new(fold));
/// Their skeletons.
static SKELETONS: LazyLock<Entries> = LazyLock::new(|| Entries::new(|entry| look(&fold(entry))));

impl Entries {
    fn new(read: impl Fn(&str) -> String) -> Self {
        let of = |kind: &'static str| {
            SENSITIVE_NAMES.iter().filter(move |(k, _)| *k == kind).map(|(_, name)| read(name))
        };
        Entries {
            anywhere: AhoCorasick::new(of("anywhere")).ok(),
            words: of("word").collect(),
            whole: of("whole").collect(),
        }
    }

    fn is_in(&self, name: &str) -> bool {
        self.anywhere.as_ref().is_none_or(|anywhere| anywhere.is_match(name))
            || self.words.iter().any(|word| is_word_in(word, name, |c| c.is_ascii_alphanumeric()))
            || self.whole.iter().any(|word| is_word_in(word, name, is_of_word))
    }
}

/// Whether a name that is not all ASCII holds a built-in entry, or one of `extra`.
pub(crate) fn matches(name: &[u8], extra: &[String], cx: Context<'_>) -> bool {
    let normal = cx.spare.with(|normal| {
        unicode::nfkc(name, normal);
        cx.spare.with(|plain| {
            String::from_utf8_lossy(decode::without_guarded(normal, plain))
                .chars()
                .filter(|c| !unicode::is_ignorable(*c))
                .collect::<String>()
        })
    });
    let folded = fold(&normal);
    let has_extra = |name: &str, read: &dyn Fn(&str) -> String| {
        extra.iter().any(|entry| !entry.is_empty() && name.contains(&read(entry)))
    };
    if FOLDED.is_in(&folded) || has_extra(&folded, &fold) {
        return true;
    }
    [look(&folded), look(&fold(&look(&normal)))]
        .iter()
        .any(|name| SKELETONS.is_in(name) || has_extra(name, &|entry| look(&fold(entry))))
}

/// Without case: each character in lower case, `ß` as `ss`, and the dotted capital as `i`.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{130}' => folded.push('i'),
            'ß' | 'ẞ' => folded.push_str("ss"),
            _ => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

/// What a text looks like (UTS 39): equal for texts that are confusable.
fn look(text: &str) -> String {
    skeleton(text).collect()
}

/// A letter, mark or digit.
fn is_of_word(c: char) -> bool {
    unicode::is_letter_or_digit(c) || unicode::is_mark(c)
}

/// Whether `word` stands in a name with nothing beside it that belongs to words.
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
    fn other_names() {
        for name in ["español", "чехасłо", "hasłoń", "şifreli", "pwé", "épw", "имя", "名前", "мdpx", "spinë"]
        {
            assert!(!is_sensitive(name), "{name}");
        }
    }
}
