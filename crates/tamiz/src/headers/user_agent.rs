//! `user-agent` (clause 8.13): words, and of comments only `name/version` and `like name`.

mod common;

pub(super) use common::write_common;

use crate::bytes::{self, CONTROL, ENCODED, HIGH, TOKEN};
use crate::context::Context;
use crate::flags::Flags;
use crate::scan::{self, Kind};
use crate::show::escape::{self, Spot};
use crate::text::Text;

/// A piece of a user agent: a word outside comments, or an item inside one.
struct Piece<'a> {
    text: &'a [u8],
    in_comment: bool,
}

/// The bytes that a user agent is cut at, outside comments and inside.
const OUTSIDE: u8 = 1;
const INSIDE: u8 = 2;
const CUTS: [u8; 256] = {
    let mut cuts = [0; 256];
    cuts[b'(' as usize] = OUTSIDE | INSIDE;
    cuts[b'[' as usize] = OUTSIDE | INSIDE;
    cuts[b')' as usize] = OUTSIDE | INSIDE;
    cuts[b']' as usize] = OUTSIDE | INSIDE;
    cuts[b';' as usize] = INSIDE;
    cuts[b',' as usize] = INSIDE;
    cuts[b' ' as usize] = OUTSIDE;
    cuts
};

/// Cuts a user agent at white space, and in comments at `;` and `,`; brackets are dropped.
#[allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of what is in it")]
fn pieces(text: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    let mut depth = 0_usize;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let in_comment = depth > 0;
            let cut = if in_comment { INSIDE } else { OUTSIDE };
            let is_cut = |byte: &u8| CUTS.get(usize::from(*byte)).copied().unwrap_or_default() & cut != 0;
            let len = rest.iter().position(is_cut).unwrap_or(rest.len());
            let (piece, after) = rest.split_at_checked(len)?;
            match after.first() {
                Some(b'(' | b'[') => depth += 1,
                Some(b')' | b']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            rest = after.get(1..).unwrap_or_default();
            let piece = bytes::trim(piece);
            if !piece.is_empty() {
                return Some(Piece { text: piece, in_comment });
            }
        }
        None
    })
}

/// `name/version`, one slash, both sides tokens.
fn is_product(item: &[u8]) -> bool {
    let is_sign = |byte: &u8| !bytes::is(*byte, TOKEN);
    let name = item.iter().position(is_sign).unwrap_or_default();
    match item.get(name..) {
        Some([b'/', version @ ..]) => name > 0 && !version.is_empty() && !version.iter().any(is_sign),
        _ => false,
    }
}

/// The name of `like name`.
fn likeness(item: &[u8]) -> Option<&[u8]> {
    let (word, name) = item.split_at_checked(4)?;
    let name = name.strip_prefix(b" ")?;
    (word.eq_ignore_ascii_case(b"like") && bytes::is_token(name)).then_some(name)
}

/// Writes at most `most` words, lower-case, one space between. `classes` is the union of the classes of its bytes.
pub(crate) fn write(text: &[u8], classes: u32, most: usize, cx: Context<'_>, out: &mut Vec<u8>) {
    let words = pieces(text).filter_map(|piece| {
        if !piece.in_comment || is_product(piece.text) {
            Some((&b""[..], piece.text))
        } else {
            likeness(piece.text).map(|name| (&b"like:"[..], name))
        }
    });
    // Nothing of it is escaped, and there is no escape or marker that keeps its case.
    let is_plain = classes & (CONTROL | HIGH | ENCODED) == 0 && bytes::position(b'<', text).is_none();
    let start = out.len();
    for (i, (prefix, word)) in words.take(most).enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(prefix);
        if is_plain {
            out.extend_from_slice(word);
        } else {
            escape::write_lowercase(word, Spot::Line, cx, out);
        }
    }
    if is_plain {
        out.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
    }
}

/// Scans a user agent: the brackets and `;` of well-formed comments are its grammar.
pub(crate) fn scan<'a>(text: Text<'a>, secret: bool, cx: Context<'a>, flags: &mut Flags<'a>) {
    if !is_balanced(text.bytes, cx) {
        scan::scan(text.classified(), Kind::Free, secret, cx, flags);
        return;
    }
    for piece in pieces(text.bytes) {
        scan::characters(text.part(piece.text).classified(), Kind::Free, secret, cx, flags);
    }
    scan::content(text.classified(), Kind::Structured, secret, cx, flags);
}

/// Returns whether every bracket closes, in the order they opened.
fn is_balanced(text: &[u8], cx: Context<'_>) -> bool {
    cx.spare.with(|open| {
        text.iter().all(|&byte| match byte {
            b'(' | b'[' => {
                open.push(byte);
                true
            }
            b')' => open.pop() == Some(b'('),
            b']' => open.pop() == Some(b'['),
            _ => true,
        }) && open.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        with_context(|cx| write(text.as_bytes(), bytes::union(text.as_bytes()), 16, cx, &mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_and_products() {
        for (text, shown) in [
            (
                "Mozilla/5.0 (compatible; Konqueror/3.5; Linux) KHTML/3.5.8 (like Gecko)",
                "mozilla/5.0 konqueror/3.5 khtml/3.5.8 like:gecko",
            ),
            ("Mozilla 5.0 (X11; Linux)", "mozilla 5.0"),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
                "mozilla/5.0 applewebkit/537.36 like:gecko chrome/120.0.0.0 safari/537.36",
            ),
            ("a [b; C/1] d", "a c/1 d"),
            ("a (b (like X; D/2)", "a like:x d/2"),
            ("curl/8.0", "curl/8.0"),
            ("a) b", "a b"),
            ("", ""),
        ] {
            let once = written(text);
            assert_eq!(once, shown, "{text}");
            assert_eq!(written(&once), once, "its own output stays");
        }
        assert_eq!(written(&"x ".repeat(20)).split(' ').count(), 16);
    }
}
