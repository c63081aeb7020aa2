//! What a value tells (section 7): the one scanner, called with what it looks at.
//!
//! [`scan`] looks at decoded text as it is, then at what other layers may make of it: characters that
//! NFKC or a best-fit mapping turns into others, and up to three further decodings of percent escapes,
//! entities, script escapes and Base64.

mod again;
mod calls;
mod characters;
mod inclusion;
mod lookalike;
mod names;
mod overlong;
mod quiet;
mod redirect;
mod serial;
mod structure;
mod urls;

use std::ops::Range;

use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::keywords;
use crate::text::Text;

pub(crate) use again::{absorb_in_cookie, decode_base64};
pub(crate) use characters::{characters, may_tell_characters};
pub(crate) use inclusion::bare_key;
pub(crate) use names::{method_key, name, names};
pub(crate) use quiet::{Signs, cannot_flag, cannot_flag_header, cannot_flag_part};
pub(crate) use redirect::{LastName, redirect};
pub(crate) use structure::doubles_dot_or_dash;

/// What is being looked at.
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
    /// A whole path, separators included: its characters were looked at segment by segment.
    Path,
    /// Free text: of a header, a fragment, userinfo.
    Free,
    /// A header with a grammar of its own, whole: its characters were looked at piece by piece.
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
    /// Whether the characters of clause 7.2 are told.
    fn tells_characters(self) -> bool {
        !matches!(self, Kind::Path | Kind::Structured | Kind::Brands | Kind::Cookie | Kind::Opaque)
    }

    /// Whether `;` and `/*` are what the text is made of.
    fn has_own_grammar(self) -> bool {
        matches!(self, Kind::Structured | Kind::Brands | Kind::Path)
    }

    /// Whether line ends and tabs are ordinary.
    fn has_lines(self) -> bool {
        matches!(self, Kind::Leaf | Kind::Form)
    }
}

/// One look at one text.
#[derive(Clone, Copy)]
struct Look<'a> {
    text: Text<'a>,
    kind: Kind,
    /// The evidence is then all of the text.
    secret: bool,
    /// The union of the classes of its bytes.
    seen: u32,
    /// The classes of words that nothing is added by, where no evidence is kept.
    known: keywords::Classes,
    cx: Context<'a>,
}

impl<'a> Look<'a> {
    /// The same look at another text.
    fn at(&self, text: Text<'a>) -> Self {
        Look { text, seen: bytes::union(text.bytes), ..*self }
    }

    fn raise(&self, flag: Flag, range: Range<usize>, flags: &mut Flags<'a>) {
        flags.raise_at(flag, self.text, if self.secret { 0..self.text.len() } else { range });
    }

    fn raise_word(&self, flag: Flag, word: &'static str, range: Range<usize>, flags: &mut Flags<'a>) {
        let range = if self.secret { 0..self.text.len() } else { range };
        flags.raise_word(flag, word, self.text, range);
    }

    /// What the text says, beyond its characters. Most of what a segment says is told of the path as a whole.
    fn tell(&self, flags: &mut Flags<'a>) {
        if self.kind == Kind::Segment {
            serial::tell(self, flags);
            return;
        }
        structure::tell(self, flags);
        urls::tell(self, flags);
        inclusion::tell(self, flags);
        serial::tell(self, flags);
        if self.seen & bytes::HIGH != 0 {
            overlong::tell(self, flags);
        }
        self.tell_words(flags);
    }

    /// The same of letters and digits alone, with what they would be decoded: they have no structure, no scheme, no
    /// look-alikes and no escapes.
    fn tell_plain(&self, flags: &mut Flags<'a>) {
        serial::tell(self, flags);
        if self.kind != Kind::Segment {
            self.tell_words(flags);
        }
        again::tell_plain(self, flags);
    }

    fn tell_words(&self, flags: &mut Flags<'a>) {
        let known = if self.cx.traced { 0 } else { self.known | classes_of_words(flags) };
        let found = keywords::scan(self.text.bytes, self.seen, known, self.cx);
        for (class, range) in found.iter() {
            self.raise_word(Flag::Kw, class, range, flags);
        }
        if self.seen & bytes::WORD_SIGN != 0 {
            calls::find(self.text.bytes, known | found.classes(), |class, range| {
                self.raise_word(Flag::Kw, class, range, flags);
            });
        }
    }
}

/// The classes of words that are told already, a bit each.
fn classes_of_words(flags: &Flags<'_>) -> keywords::Classes {
    let words = flags.words().iter().filter(|(flag, _)| *flag == Flag::Kw);
    words.fold(0, |classes, (_, word)| classes | keywords::class_of(word))
}

/// Only the words: for data that is no text.
pub(crate) fn words<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    Look { text, kind: Kind::Leaf, secret: false, seen: bytes::union(text.bytes), known: 0, cx }
        .tell_words(flags);
}

/// Looks at the host that a path begins with, which collapsing would take for a segment.
pub(crate) fn net_path<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let look = Look { text, kind: Kind::Path, secret: false, seen: bytes::union(text.bytes), known: 0, cx };
    urls::tell_net_path(&look, flags);
}

/// Raises the flags of decoded text. For a secret the evidence is all of it.
pub(crate) fn scan<'a>(text: Text<'a>, kind: Kind, secret: bool, cx: Context<'a>, flags: &mut Flags<'a>) {
    scan_seen(text, bytes::union(text.bytes), kind, secret, cx, flags);
}

/// The same, where the union of the classes of its bytes is known.
pub(crate) fn scan_seen<'a>(
    text: Text<'a>,
    seen: u32,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    characters::characters_seen(text, seen, kind, secret, cx, flags);
    content_seen(text, seen, kind, secret, cx, flags);
}

/// The same, but for the characters of the text as it is: they are told already.
pub(crate) fn content<'a>(text: Text<'a>, kind: Kind, secret: bool, cx: Context<'a>, flags: &mut Flags<'a>) {
    content_seen(text, bytes::union(text.bytes), kind, secret, cx, flags);
}

/// The same, where the union of the classes of its bytes is known.
pub(crate) fn content_seen<'a>(
    text: Text<'a>,
    seen: u32,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    if !cx.settings.beyond_core() || kind == Kind::Opaque || text.is_empty() {
        return;
    }
    let look = Look { text, kind, secret, seen, known: 0, cx };
    if seen & bytes::NO_ALNUM == 0 {
        look.tell_plain(flags);
        return;
    }
    // What the text tells as it is, which what it decodes to is compared with.
    let own = if seen & bytes::ENCODED == 0 {
        look.tell(flags);
        None
    } else {
        let mut own = cx.flags();
        look.tell(&mut own);
        flags.absorb(&own);
        Some(own)
    };
    if kind != Kind::Segment {
        lookalike::tell(&look, flags);
    }
    again::tell(&look, own, flags);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

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
                    let look =
                        Look { text, kind, secret: false, seen: bytes::union(text.bytes), known: 0, cx };
                    let (mut plain, mut all) = (cx.flags(), cx.flags());
                    look.tell_plain(&mut plain);
                    look.tell(&mut all);
                    lookalike::tell(&look, &mut all);
                    again::tell(&look, None, &mut all);
                    assert_eq!(plain.set, all.set);
                    assert_eq!(plain.words(), all.words());
                });
            }
        }
    }
}
