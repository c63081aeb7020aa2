//! The flags of a value (section 7): the one scanner, called with the kind of the text.
//!
//! [`scan`] scans decoded text as it is, then what other layers may make of it: characters that
//! NFKC or a best-fit mapping turns into others, and up to three further decodings of percent escapes,
//! entities, script escapes and Base64.

mod calls;
mod characters;
mod inclusion;
mod lookalike;
mod names;
mod overlong;
mod quiet;
mod redirect;
mod second_decode;
mod serial;
mod structure;
mod urls;

use std::cell::Cell;
use std::ops::Range;

use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::keywords;
use crate::secrets;
use crate::steps;
use crate::text::{Classified, Text};

pub(crate) use characters::{characters, may_flag_characters};
pub(crate) use names::{method_key, name, names};
pub(crate) use quiet::{
    Signs, cannot_flag, cannot_flag_but_url, cannot_flag_cookie, cannot_flag_guarded, cannot_flag_header,
    cannot_flag_part,
};
pub(crate) use redirect::{LastName, redirect};
pub(crate) use second_decode::{absorb_in_cookie, decode_base64};

/// The kind of text that is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A path segment: one token, in which a space is odd.
    Segment,
    /// A key of a query or form: one token, in which a space is odd.
    Key,
    /// A value of a query: judged word by word.
    Value,
    /// A value of a form: the same, but line ends and tabs are ordinary.
    Form,
    /// A whole path, separators included: its characters were scanned segment by segment.
    Path,
    /// Free text: of a header, a fragment, userinfo.
    Free,
    /// A header with a grammar of its own, whole: its characters were scanned piece by piece.
    Structured,
    /// A header of brands, whole: any character may be in a brand, in every spelling.
    Brands,
    /// A cookie's value: characters, operators and templates are its own grammar.
    Cookie,
    /// A value of a body other than a form, or the name of one: line ends and tabs are ordinary.
    Leaf,
    /// Text whose characters are its own grammar (an odd method): only controls, invisible
    /// characters and scripts are told.
    Opaque,
}

impl Kind {
    /// Returns whether the characters of clause 7.2 are told.
    fn flags_characters(self) -> bool {
        !matches!(self, Kind::Path | Kind::Structured | Kind::Brands | Kind::Cookie | Kind::Opaque)
    }

    /// Returns whether `;` and `/*` are what the text is made of.
    fn has_own_grammar(self) -> bool {
        matches!(self, Kind::Structured | Kind::Brands | Kind::Path)
    }

    /// Returns whether line ends and tabs are ordinary.
    fn has_lines(self) -> bool {
        matches!(self, Kind::Leaf | Kind::Form)
    }
}

/// A text to scan, and how.
#[derive(Clone, Copy)]
struct Scan<'a> {
    text: Text<'a>,
    kind: Kind,
    /// The evidence is then all of the text.
    secret: bool,
    /// The union of the classes of its bytes.
    classes: u32,
    /// The classes of words that nothing is added by, where no evidence is kept.
    known: keywords::Classes,
    /// True if it is, or is decoded from, a key without a value.
    is_bare_key: bool,
    /// Is set where a text that it is further decoded to holds a credential; `None` where none is searched for.
    credential: Option<&'a Cell<bool>>,
    cx: Context<'a>,
}

impl<'a> Scan<'a> {
    /// A text that is no secret. `classes` is the union of the classes of its bytes.
    fn new(text: Text<'a>, classes: u32, kind: Kind, cx: Context<'a>) -> Self {
        Scan { text, kind, secret: false, classes, known: 0, is_bare_key: false, credential: None, cx }
    }

    /// Scans another text in the way of this one.
    fn at(&self, text: Text<'a>) -> Self {
        Scan { text, classes: bytes::union(text.bytes), ..*self }
    }

    fn raise(&self, flag: Flag, range: Range<usize>, flags: &mut Flags<'a>) {
        flags.raise_at(flag, self.text, if self.secret { 0..self.text.len() } else { range });
    }

    fn raise_word(&self, flag: Flag, word: &'static str, range: Range<usize>, flags: &mut Flags<'a>) {
        let range = if self.secret { 0..self.text.len() } else { range };
        flags.raise_word(flag, word, self.text, range);
    }

    /// Raises the flags of the content, without those of single characters. Most flags of a segment are raised for the
    /// path as a whole.
    fn flag(&self, flags: &mut Flags<'a>) {
        serial::flag(self, flags);
        if self.classes & bytes::HIGH != 0 {
            overlong::flag(self, flags);
        }
        if self.kind == Kind::Segment {
            return;
        }
        structure::flag(self, flags);
        urls::flag(self, flags);
        inclusion::flag(self, flags);
        self.flag_words(flags);
    }

    /// Raises the flags of letters and digits alone, decodings included: they have no structure, no scheme, no
    /// look-alikes and no escapes.
    fn flag_plain(&self, flags: &mut Flags<'a>) {
        serial::flag(self, flags);
        if self.kind != Kind::Segment {
            self.flag_words(flags);
        }
        second_decode::flag_plain(self, flags);
    }

    fn flag_words(&self, flags: &mut Flags<'a>) {
        let known = if self.cx.traced { 0 } else { self.known | classes_of_words(flags) };
        let found = keywords::scan(self.text.bytes, self.classes, known, self.cx);
        for (class, range) in found.iter() {
            self.raise_word(Flag::Kw, class, range, flags);
        }
        if self.classes & bytes::WORD_SIGN != 0 {
            calls::find(self.text.bytes, known | found.classes(), |class, range| {
                self.raise_word(Flag::Kw, class, range, flags);
            });
        }
    }
}

/// The classes of words that are flagged already, a bit each.
fn classes_of_words(flags: &Flags<'_>) -> keywords::Classes {
    let words = flags.words().iter().filter(|(flag, _)| *flag == Flag::Kw);
    words.fold(0, |classes, (_, word)| classes | keywords::class_of(word))
}

/// Raises the flags of words alone, for data that is no text.
pub(crate) fn words<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    Scan::new(text, bytes::union(text.bytes), Kind::Leaf, cx).flag_words(flags);
}

/// Scans the host that a path begins with, which collapsing would take for a segment.
pub(crate) fn net_path<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let scan = Scan::new(text, bytes::union(text.bytes), Kind::Path, cx);
    urls::flag_net_path(&scan, flags);
}

/// Raises the flags of decoded text, and returns whether it is a secret: one by its name, as the caller knows, or one that
/// holds a credential.
pub(crate) fn scan_for_secret<'a>(
    text: Classified<'a>,
    kind: Kind,
    is_sensitive: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    let Classified { text: Text { bytes, .. }, classes } = text;
    let names = &cx.settings.names;
    // Evidence depends on whether the text is a secret.
    let is_searched_first =
        is_sensitive || cx.traced || !cx.settings.beyond_core() || kind == Kind::Opaque || kind == Kind::Path;
    if is_searched_first || !secrets::may_hold_credential(bytes, classes) {
        let secret = is_sensitive || is_searched_first && names.find_credential(bytes, classes, cx).is_some();
        if secret {
            flags.hide(text.text);
        }
        scan(text, kind, secret, cx, flags);
        return secret;
    }
    characters(text, kind, false, cx, flags);
    if names.holds_plain_credential(bytes, classes, cx) {
        content(text, kind, false, cx, flags);
        return true;
    }
    // What further decodings give is searched for credentials as it is scanned.
    let found = cx.bump.alloc(Cell::new(false));
    content_of(Scan { credential: Some(found), ..Scan::new(text.text, classes, kind, cx) }, flags);
    found.get()
}

/// Raises the flags of decoded text. For a secret the evidence is all of it.
pub(crate) fn scan<'a>(
    text: Classified<'a>,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    characters(text, kind, secret, cx, flags);
    content(text, kind, secret, cx, flags);
}

/// Raises the flags of a value for which [`cannot_flag_but_url`] holds.
pub(crate) fn url<'a>(
    text: Classified<'a>,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    let Classified { text, classes } = text;
    if cx.settings.beyond_core() && classes & bytes::COLON != 0 {
        let scan = Scan { secret, ..Scan::new(text, classes, kind, cx) };
        urls::flag(&scan, flags);
        // Without a `?` at its end, only an odd scheme raises it.
        if classes & bytes::UPPER != 0 {
            inclusion::flag(&scan, flags);
        }
    }
}

/// Raises the flags of a key without a value, of which being a URL is enough.
pub(crate) fn bare_key<'a>(text: Classified<'a>, secret: bool, cx: Context<'a>, flags: &mut Flags<'a>) {
    characters(text, Kind::Key, secret, cx, flags);
    let Classified { text, classes } = text;
    content_of(Scan { secret, is_bare_key: true, ..Scan::new(text, classes, Kind::Key, cx) }, flags);
}

/// Raises the flags of decoded text but for those of its single characters, which the caller raises piece by piece.
pub(crate) fn content<'a>(
    text: Classified<'a>,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    let Classified { text, classes } = text;
    content_of(Scan { secret, ..Scan::new(text, classes, kind, cx) }, flags);
}

fn content_of<'a>(scan: Scan<'a>, flags: &mut Flags<'a>) {
    steps::slow("text scanned");
    let Scan { text, kind, classes, cx, .. } = scan;
    if !cx.settings.beyond_core() || kind == Kind::Opaque || text.is_empty() {
        return;
    }
    if classes & bytes::NO_ALNUM == 0 {
        scan.flag_plain(flags);
        return;
    }
    // Flags of the undecoded text: the baseline for the decoded one.
    let own = if classes & bytes::ENCODED == 0 {
        scan.flag(flags);
        None
    } else {
        let mut own = cx.flags();
        scan.flag(&mut own);
        flags.absorb(&own);
        Some(own)
    };
    if kind != Kind::Segment {
        lookalike::flag(&scan, flags);
    }
    second_decode::flag(&scan, own, flags);
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;

    use super::*;
    use crate::context::Shared;
    use crate::context::tests::{random, with_context};

    /// Texts that hold credentials, attacks or neither.
    const PLAIN: [&str; 10] = [
        "password=hunter2",
        "Authorization: Bearer abcdefghijklmnop",
        "https://user:secret@ex.com/",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB",
        "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.abc",
        "<script>alert(1)</script>",
        "' or 1=1 -- ",
        "two plain words",
        "../../etc/passwd",
        "contrase\u{f1}a=x",
    ];

    /// Encodes a text in one of the ways that further decodings undo.
    fn encode(text: &[u8], random: &mut impl FnMut(u32) -> u32) -> Vec<u8> {
        let way = random(8);
        let each = |write: &dyn Fn(u8) -> String| text.iter().map(|byte| write(*byte)).collect::<String>();
        match way {
            0 => each(&|byte| format!("%{byte:02x}")).into_bytes(),
            1 => text
                .iter()
                .flat_map(|byte| [format!("%{byte:02X}").into_bytes(), vec![*byte]])
                .flatten()
                .collect(),
            2 => each(&|byte| format!("&#{byte};")).into_bytes(),
            3 => each(&|byte| format!("\\u00{byte:02x}")).into_bytes(),
            4 => BASE64.encode(text).into_bytes(),
            5 => [b"data:text/plain;base64,", BASE64.encode(text).as_bytes()].concat(),
            6 => text
                .iter()
                .flat_map(|byte| if *byte == b'/' { b"\xC0\xAF" } else { std::slice::from_ref(byte) })
                .copied()
                .collect(),
            _ => [text, b" \xFF&lt;"].concat(),
        }
    }

    #[test]
    fn secrets_are_found_as_texts_are_scanned() {
        let (mut random, mut secrets) = (random(), 0);
        for _ in 0..20_000 {
            let mut text = PLAIN[random(PLAIN.len() as u32) as usize].as_bytes().to_vec();
            for _ in 0..random(6) {
                text = encode(&text, &mut random);
            }
            text.truncate(4_000);
            with_context(|cx| {
                let shared = Shared { traced: false, ..*cx };
                let cx = Context::new(&shared);
                let text = crate::decode::utf8::repair(Text::request(&text, false), cx, &mut cx.flags());
                let text = text.classified();
                let kinds = [Kind::Value, Kind::Form, Kind::Free, Kind::Cookie, Kind::Leaf, Kind::Path];
                let kind = kinds[random(kinds.len() as u32) as usize];
                let (mut separate, mut together) = (cx.flags(), cx.flags());
                let names = &cx.settings.names;
                let is_secret = names.find_credential(text.text.bytes, text.classes, cx).is_some();
                scan(text, kind, is_secret, cx, &mut separate);
                let shown = text.text.bytes.escape_ascii();
                assert_eq!(scan_for_secret(text, kind, false, cx, &mut together), is_secret, "{shown}");
                assert_eq!(separate.set, together.set, "{shown}");
                assert_eq!(separate.words(), together.words(), "{shown}");
                secrets += u32::from(is_secret);
            });
        }
        assert!(secrets > 2_000, "{secrets}");
    }

    #[test]
    fn plain_texts_are_looked_at_alike() {
        for text in [
            "a",
            "hotel",
            "rO0ABXNyABFqYXZh",
            "aced0005",
            "H4sIAAAAAAAA",
            "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg",
            "unionselect",
        ] {
            for kind in [Kind::Key, Kind::Value, Kind::Free, Kind::Leaf, Kind::Cookie, Kind::Path] {
                with_context(|cx| {
                    let text = Text::request(text.as_bytes(), true);
                    let scan = Scan::new(text, bytes::union(text.bytes), kind, cx);
                    let (mut plain, mut all) = (cx.flags(), cx.flags());
                    scan.flag_plain(&mut plain);
                    scan.flag(&mut all);
                    lookalike::flag(&scan, &mut all);
                    second_decode::flag(&scan, None, &mut all);
                    assert_eq!(plain.set, all.set);
                    assert_eq!(plain.words(), all.words());
                });
            }
        }
    }
}
