//! Looking at what further decodings reveal (clause 7.7): percent escapes, entities, script escapes and Base64, each
//! alone at first, then all of them.

use std::ops::Range;
use std::sync::LazyLock;

use super::characters::{characters, dangerous};
use super::{Kind, Scan, classes_of_words, overlong};
use crate::bytes::{self, BACKSLASH, ENCODED};
use crate::context::Context;
use crate::decode::layers::{DEPTH, Layer, with_overlong_read};
use crate::decode::{self, base64, percent};
use crate::flags::{Flag, FlagSet, Flags, Weight};
use crate::steps;
use crate::text::{Builder, Text};

/// Raises the flags that further decodings of a value add. `own` are the flags of its undecoded content, without those
/// of single characters; `None` where nothing is encoded.
pub(super) fn flag<'a>(scan: &Scan<'a>, own: Option<Flags<'a>>, flags: &mut Flags<'a>) {
    if let Some(own) = own {
        // Classes of words in the undecoded text add nothing in the decoded one.
        let scan = Scan { known: classes_of_words(&own), ..*scan };
        aside(&scan, flags, |scan, flags| escapes(scan, &own, flags));
        aside(&scan, flags, |scan, flags| references(scan, &own, flags));
    }
    // A backslash may be one that a path keeps encoded.
    if scan.classes & BACKSLASH != 0
        || decode::may_be_guarded(scan.classes) && decode::holds_guarded(scan.text.bytes, b'\\')
    {
        aside(scan, flags, |scan, flags| {
            undo(scan, Layer::Script, DEPTH, flags);
        });
    }
    aside(scan, flags, flag_plain);
}

/// Scans a text by `flag`, with an arena of its own for a long text: what is decoded would stay in the arena of the
/// request for every decoding.
fn aside<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>, flag: impl for<'b> FnOnce(&Scan<'b>, &mut Flags<'b>)) {
    const LONG: usize = 4096;
    if scan.text.len() < LONG {
        return flag(scan, flags);
    }
    scan.cx.spare.with_arena(|arena| {
        let shared = scan.cx.in_arena(arena);
        let cx = Context::new(&shared);
        let mut found = cx.flags();
        flag(&Scan { cx, ..*scan }, &mut found);
        flags.absorb(&found);
    });
}

/// Raises the flags that decoding a text without escapes adds: it can only be Base64.
pub(super) fn flag_plain<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    base64(scan, DEPTH, flags);
}

/// A further percent-decoding: `PCTVALUE` if that adds a telling flag, or changes what a path means.
fn escapes<'a>(scan: &Scan<'a>, own: &Flags<'_>, flags: &mut Flags<'a>) {
    let mut found = scan.cx.flags();
    if !undo(scan, Layer::Percent, DEPTH, &mut found) {
        find_credential_unguarded(scan);
        return;
    }
    if scan.kind == Kind::Path {
        let residues = percent::residues(scan.text.bytes);
        for (range, _) in residues.filter(|(_, byte)| matches!(byte, b'/' | b'\\' | b'.' | b'%')) {
            scan.raise(Flag::PctValue, range, flags);
        }
    }
    if adds(scan, &found, own, *TELLING) {
        scan.raise(Flag::PctValue, 0..scan.text.len(), flags);
    }
    flags.absorb(&found);
}

/// Entities: `HTMLENT` if decoding them adds a flag. `B64TEXT` is a flag of Base64, which entities do not add.
fn references<'a>(scan: &Scan<'a>, own: &Flags<'_>, flags: &mut Flags<'a>) {
    let mut found = scan.cx.flags();
    if !undo(scan, Layer::Entities, DEPTH, &mut found) {
        return;
    }
    if adds(scan, &found, own, *ADDED) {
        scan.raise(Flag::HtmlEnt, 0..scan.text.len(), flags);
        flags.absorb(&found);
    } else {
        // The text as it is may tell a character that is grammar where it stands.
        let is_new = |flag: &Flag| *flag == Flag::B64Text || !flags.set.contains(*flag);
        let new: FlagSet = found.set.iter().filter(is_new).collect();
        flags.absorb_only(&found, new);
    }
}

/// Looks at a text with its escapes undone, and at what follows from it, at most `left` decodings in all; whether there
/// are any escapes.
fn undo<'a>(scan: &Scan<'a>, layer: Layer, left: usize, flags: &mut Flags<'a>) -> bool {
    steps::slow("second decoding");
    let mut reveal = |text: Text<'a>, range: Range<usize>, plain: &[u8]| {
        let scan = Scan { text, ..*scan };
        plain.iter().for_each(|byte| revealed(&scan, char::from(*byte), range.clone(), flags));
    };
    let Some(undone) = layer.undo(scan.text.with_classes(scan.classes), scan.cx, &mut reveal) else {
        return false;
    };
    let read = with_overlong_read(undone, scan.cx, &mut reveal);
    if read.is_some() {
        overlong::flag(&scan.at(undone), flags);
    }
    let undone = read.unwrap_or(undone);
    if scan.kind == Kind::Segment && brings_space(scan.text.bytes, undone.bytes) {
        scan.raise(Flag::Space, 0..scan.text.len(), flags);
    }
    let scan = scan.at(undone);
    find_credential(&scan);
    scan.flag(flags);
    deeper(&scan, left, flags);
    true
}

/// Takes note of a credential in what a value is further decoded to, where one is searched for.
fn find_credential(scan: &Scan<'_>) {
    let Scan { text, classes, cx, .. } = *scan;
    if let Some(found) = scan.credential.filter(|found| !found.get()) {
        found.set(cx.settings.names.holds_plain_credential(text.bytes, classes, cx));
    }
}

/// Returns whether a segment begins or ends with a space only once it is decoded.
fn brings_space(text: &[u8], undone: &[u8]) -> bool {
    let is_space = |byte: Option<&u8>| byte == Some(&b' ');
    is_space(undone.first()) && !is_space(text.first()) || is_space(undone.last()) && !is_space(text.last())
}

/// Decodes once more what a decoding gave, if it was not the last of `left`: Base64, or all escapes at once.
fn deeper<'a>(scan: &Scan<'a>, left: usize, flags: &mut Flags<'a>) {
    let left = left.saturating_sub(1);
    if left == 0 {
        return find_credential_behind_entities(scan);
    }
    if !base64(scan, left, flags) && scan.classes & (ENCODED | BACKSLASH) != 0 {
        undo(scan, Layer::Combined, left, flags);
    }
}

/// Takes note of a credential in a text with its guarded bytes as bytes, and in what that is further decoded to: credentials
/// are searched for there too, though it raises no flags.
fn find_credential_unguarded(scan: &Scan<'_>) {
    let Scan { text, classes, cx, .. } = *scan;
    if let Some(found) = scan.credential.filter(|found| !found.get())
        && decode::may_be_guarded(classes)
        && bytes::position(decode::GUARD, text.bytes).is_some()
    {
        found.set(cx.settings.names.holds_unguarded(text.bytes, cx));
    }
}

/// Takes note of a credential behind entities in the last of the decodings, which raise no flags.
fn find_credential_behind_entities(scan: &Scan<'_>) {
    if scan.classes & ENCODED != 0 && scan.credential.is_some_and(|found| !found.get()) {
        scan.cx.spare.with(|plain| {
            if Layer::Entities.write(scan.text.bytes, plain) {
                let text = Text::untraced(plain);
                find_credential(&Scan { text, classes: bytes::union(plain), ..*scan });
            }
        });
    }
}

/// A character that only a further decoding shows. Those of a segment are told of the path as a whole.
fn revealed<'a>(scan: &Scan<'a>, c: char, range: Range<usize>, found: &mut Flags<'a>) {
    let flag = match c {
        _ if scan.kind == Kind::Segment => None,
        '\0' => Some(Flag::Nul),
        _ if matches!(scan.kind, Kind::Cookie | Kind::Brands) => None,
        ' ' if scan.kind == Kind::Key => Some(Flag::Space),
        c => dangerous(c),
    };
    if let Some(flag) = flag {
        scan.raise(flag, range, found);
    }
}

/// The flags that a decoding may add.
static ADDED: LazyLock<FlagSet> =
    LazyLock::new(|| ALL.iter().filter(|flag| *flag != Flag::B64Text).collect());

/// Every flag.
static ALL: LazyLock<FlagSet> = LazyLock::new(|| Flag::ALL.iter().copied().collect());

/// The flags that ordinary traffic does not raise.
static TELLING: LazyLock<FlagSet> =
    LazyLock::new(|| Flag::ALL.iter().copied().filter(|flag| flag.weight() != Weight::Structural).collect());

/// Returns whether there is a flag among `those` in `found` that the text as it is does not tell: neither its content, which
/// tells `own`, nor a single character.
fn adds(scan: &Scan<'_>, found: &Flags<'_>, own: &Flags<'_>, those: FlagSet) -> bool {
    let is_new = |flag: &Flag| !own.set.contains(*flag);
    let new: FlagSet = found.set.intersection(those).iter().filter(is_new).collect();
    let mut words = found.words().iter();
    words.any(|word| those.contains(word.0) && !own.words().contains(word))
        || !new.is_empty() && {
            let Scan { text, classes, kind, secret, cx, .. } = *scan;
            let mut of_characters = cx.flags();
            if kind.flags_characters() {
                characters(text.with_classes(classes), kind, secret, cx, &mut of_characters);
            }
            new.iter().any(|flag| !of_characters.set.contains(flag))
        }
}

/// `B64TEXT`: the value, or what follows `;base64,`, is Base64 of readable text, which is looked at, and what follows
/// from it, at most `left` decodings in all. Whether it is.
fn base64<'a>(scan: &Scan<'a>, left: usize, flags: &mut Flags<'a>) -> bool {
    let text = scan.text;
    if scan.kind == Kind::Path {
        return false;
    }
    let (encoded, classes) = if !decode::may_be_guarded(scan.classes) {
        (text, scan.classes)
    } else {
        // To another layer, what a path keeps encoded is what it stands for.
        let encoded = decode::unguarded(text, scan.cx);
        (encoded, bytes::union(encoded.bytes))
    };
    let Some(plain) = read_base64(encoded, classes, scan.cx) else { return false };
    scan.raise(Flag::B64Text, 0..text.len(), flags);
    let inner = Scan { kind: Kind::Leaf, ..scan.at(plain) };
    let mut found = scan.cx.flags();
    characters(plain.classified(), Kind::Leaf, scan.secret, scan.cx, &mut found);
    find_credential(&inner);
    inner.flag(&mut found);
    deeper(&inner, left, &mut found);
    flags.absorb_only(&found, readable(scan.kind));
    true
}

/// The flags that decoded text may raise: of single characters only those of clause 7.2 and NUL, and none that the
/// grammar around it uses.
fn readable(kind: Kind) -> FlagSet {
    static READABLE: LazyLock<FlagSet> = LazyLock::new(|| {
        let is_told = |flag: &Flag| !matches!(flag, Flag::Control | Flag::Invisible | Flag::MixedScript);
        ALL.iter().filter(is_told).collect()
    });
    if matches!(kind, Kind::Cookie | Kind::Brands) {
        READABLE.intersection(*NO_CHARACTERS)
    } else {
        *READABLE
    }
}

/// Every flag but those of the characters of clause 7.2.
static NO_CHARACTERS: LazyLock<FlagSet> = LazyLock::new(|| {
    let is_character = |flag: &Flag| {
        matches!(
            flag,
            Flag::Angle
                | Flag::Quote
                | Flag::Semicolon
                | Flag::Paren
                | Flag::Brace
                | Flag::Pipe
                | Flag::Backslash
        )
    };
    ALL.iter().filter(|flag| !is_character(flag)).collect()
});

/// Absorbs flags of a text inside a cookie, where the characters of clause 7.2 are grammar.
pub(crate) fn absorb_in_cookie<'a>(found: &Flags<'a>, flags: &mut Flags<'a>) {
    flags.absorb_only(found, *NO_CHARACTERS);
}

/// Decodes a text all of which is Base64 of readable text (clause 7.7.4).
pub(crate) fn decode_base64<'a>(text: Text<'a>, classes: u32, cx: Context<'a>) -> Option<Text<'a>> {
    base64::encoded(text.bytes, classes).filter(|encoded| encoded.len() == text.len())?;
    read_base64(text, classes, cx)
}

fn read_base64<'a>(text: Text<'a>, classes: u32, cx: Context<'a>) -> Option<Text<'a>> {
    steps::slow("Base64 decoded to scan");
    base64::encoded(text.bytes, classes)?;
    cx.spare.with(|decoded| {
        base64::read(text.bytes, classes, decoded).then(|| {
            let mut builder = Builder::new(cx.bump, text.is_traced(), decoded.len());
            builder.put(decoded, text);
            builder.finish().repaired()
        })
    })
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;

    use super::super::scan;
    use super::*;
    use crate::context::tests::with_context;
    use crate::steps;

    fn flags_of(text: &str, kind: Kind) -> Vec<&'static str> {
        with_context(|cx| {
            let mut flags = cx.flags();
            scan(Text::request(text.as_bytes(), true).classified(), kind, false, cx, &mut flags);
            flags.set.iter().map(Flag::name).collect()
        })
    }

    #[test]
    fn the_first_decoding_is_the_one_that_is_told() {
        for (text, expected) in [
            ("%3Cb", &["ANGLE", "PCTVALUE"][..]),
            ("%28b", &["PAREN"]),
            ("&#60b", &["ANGLE", "HTMLENT"]),
            ("%26%2360b", &["ANGLE", "PCTVALUE"]),
            ("&#37;3cb", &["ANGLE", "HTMLENT", "SEMICOLON"]),
            ("\\u00253cb", &["ANGLE", "BACKSLASH"]),
            ("YSUzQ2JjZGVm", &["ANGLE", "B64TEXT"]),
            ("%59WI8Y2RlZmdo", &["ANGLE", "B64TEXT", "PCTVALUE"]),
        ] {
            assert_eq!(flags_of(text, Kind::Leaf), expected, "{text}");
        }
    }

    #[test]
    fn kinds_tell_their_own() {
        assert_eq!(flags_of("%3Cb", Kind::Cookie), [""; 0]);
        assert_eq!(flags_of("YSUzQ2JjZGVm", Kind::Cookie), ["B64TEXT"]);
        assert_eq!(flags_of("%3Cb", Kind::Segment), [""; 0]);
        assert_eq!(flags_of("%59WI8Y2RlZmdo", Kind::Segment), ["ANGLE", "B64TEXT", "PCTVALUE"]);
        assert_eq!(flags_of("%59WI8Y2RlZmdo", Kind::Path), [""; 0]);
        assert_eq!(flags_of("/a%2eb", Kind::Path), ["PCTVALUE"]);
        assert_eq!(flags_of("/a%2eb", Kind::Value), [""; 0]);
    }

    #[test]
    fn layers_take_linear_work() {
        let base64 = |text: String| BASE64.encode(text.as_bytes());
        let escaped = |text: String| text.bytes().map(|byte| format!("\\u{byte:04x}")).collect::<String>();
        let layered: [(&str, &dyn Fn(usize) -> String); 8] = [
            ("a tower of `%25`", &|many| format!("%{}3C", "25".repeat(many))),
            ("many escapes", &|many| "%2525&#x25;25\\u0025".repeat(many)),
            ("many numbers", &|many| "&#60".repeat(many)),
            ("one number", &|many| format!("&#{}", "0".repeat(many))),
            ("percent in Base64", &|many| base64("%3Cb%253C".repeat(many))),
            ("percent in Base64 in script escapes", &|many| escaped(base64("%3Cb".repeat(many)))),
            ("Base64 in Base64 in Base64", &|many| base64(base64(base64("<b>".repeat(many))))),
            ("overlong forms", &|many| "%C0%AE%E0%80%AF".repeat(many)),
        ];
        for (what, text) in layered {
            for kind in [Kind::Value, Kind::Cookie, Kind::Leaf, Kind::Path] {
                steps::assert_linear(what, 4_000, |many| drop(flags_of(&text(many), kind)));
            }
        }
    }
}
