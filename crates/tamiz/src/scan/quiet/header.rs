//! Values whose signs are grammar: of headers, and of cookies.

use super::{BRACKET, DOUBLED, LOUD, MARKS, ROLES, cannot_flag, facts_of, may_be_base64};
use crate::bytes::{self, BACKSLASH, BANG, COLON, CONTROL, ENCODED, HIGH};
use crate::context::{Context, HAS_FAST_PATHS};
use crate::decode::layers::{DEPTH, Layer};
use crate::decode::{base64, entities};
use crate::flags::Flags;
use crate::keywords::{self, Walked};
use crate::scan::{Kind, Scan, calls, inclusion, serial, urls};
use crate::secrets;
use crate::text::Text;
use crate::walk::{Visitor, walk};

/// The signs that are grammar in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signs {
    /// Free text.
    Text = 1,
    /// `;name=value` parameters and quoted strings.
    Parameters = 2,
    /// Products with comments in brackets, as in `user-agent`.
    Comments = 4,
    /// Brands with versions, as in `sec-ch-ua`.
    Brands = 8,
    /// The value of a cookie, in which most signs tell nothing.
    Cookies = 64,
}

/// Returns whether a header value, whose signs of a kind are grammar, raises no flag by its content but those of URLs, which are
/// raised, and holds no credential, as far as that is seen quickly. `classes` is the union of the classes of its bytes.
#[inline(never)]
pub(crate) fn cannot_flag_header<'a>(
    text: &'a [u8],
    classes: u32,
    signs: Signs,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    if classes & LOUD == 0 {
        return cannot_flag(text, classes);
    }
    if text.starts_with(b"//")
        || text == b"c__builtin__"
        || text.len() >= base64::SHORTEST && may_be_base64(text, classes)
        || serial::may_begin_stream(text, classes) && serial::holds_stream(text)
    {
        return false;
    }
    let credentials = cx.settings.names.prefilter(text, classes);
    let mut header = Header {
        text,
        signs,
        special: signs as u32 | BRACKET | DOUBLED | u32::from(credentials.wanted()) << ROLES,
        facts: 0,
        depth: 0,
        is_quoted: false,
        has_arguments: false,
        may_match: false,
        words: keywords::Prefilter::new(text),
        credentials,
    };
    if walk(text, &mut header)
        || header.depth > 0
        || header.is_quoted
        || cx.settings.names.holds_one_of(header.credentials.finish(), text, classes, cx)
    {
        return false;
    }
    let walked = Walked::new(header.may_match, (header.facts >> MARKS) as u8);
    let has_word = !walked.cannot_match(text, classes)
        && keywords::scan_walked(text, classes, walked, false, 0, cx).classes() != 0;
    let mut has_call = false;
    if header.has_arguments {
        calls::find(text, 0, |_, _| has_call = true);
    }
    let mut others = cx.flags();
    if classes & (COLON | BANG) != 0 {
        let kind = if signs == Signs::Cookies { Kind::Cookie } else { Kind::Structured };
        let scan = Scan::new(Text::untraced(text).repaired(), classes, kind, cx);
        inclusion::flag(&scan, &mut others);
        // Java streams and the heads of binary data were looked for.
        serial::flag_written(&scan, &mut others);
        if cx.settings.beyond_core() {
            urls::flag(&scan, flags);
        }
    }
    !has_word && !has_call && others.set.is_empty()
}

/// Returns whether the value of a cookie, as it is and decoded further, raises no flag and holds no credential, as far as that
/// is seen quickly. `classes` is the union of the classes of its bytes.
pub(crate) fn cannot_flag_cookie(value: &[u8], classes: u32, cx: Context<'_>) -> bool {
    HAS_FAST_PATHS && cannot_flag_decoded(value, classes, DEPTH, cx)
}

/// Does what [`cannot_flag_cookie`] does, with at most `left` decodings.
fn cannot_flag_decoded(text: &[u8], classes: u32, left: usize, cx: Context<'_>) -> bool {
    let mut flags = cx.flags();
    classes & (HIGH | CONTROL | BACKSLASH) == 0
        && cannot_flag_header(text, classes, Signs::Cookies, cx, &mut flags)
        && flags.set.is_empty()
        && (classes & ENCODED == 0
            || cx.spare.with(|plain| {
                // An entity is no grammar, so that only escapes are left.
                !Layer::Percent.write(text, plain)
                    || left
                        .checked_sub(1)
                        .is_some_and(|left| cannot_flag_decoded(plain, bytes::union(plain), left, cx))
            }))
}

/// The state of a walk over a header value; a sign that is no grammar ends it.
struct Header<'t, F> {
    text: &'t [u8],
    signs: Signs,
    /// The bits of [`FACTS`] that are looked at.
    special: u32,
    /// The union of what its signs mean.
    facts: u32,
    /// How many comments are open.
    depth: usize,
    /// Whether a quoted string is open: inside, a `;` is no separator.
    is_quoted: bool,
    /// Whether a bracket has something behind it that calls have.
    has_arguments: bool,
    /// Whether a word may be in the text.
    may_match: bool,
    words: keywords::Prefilter<'t>,
    credentials: secrets::Prefilter<'t, F>,
}

impl<F> Header<'_, F> {
    /// Takes a bracket, a quote, a semicolon or an ampersand; returns whether it is no grammar.
    fn is_odd(&mut self, at: usize, byte: u8) -> bool {
        let has_comments = self.signs == Signs::Comments;
        let rest = self.text.get(at.saturating_add(1)..).unwrap_or_default();
        match byte {
            b'(' => {
                self.depth = self.depth.saturating_add(usize::from(has_comments));
                self.has_arguments |= calls::begins_arguments(rest);
            }
            b')' if has_comments && self.depth == 0 => return true,
            b')' => self.depth = self.depth.saturating_sub(1),
            b'"' => self.is_quoted ^= self.signs == Signs::Parameters,
            b';' => {
                let begins_data = rest.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"base64"));
                return begins_data || self.is_quoted || has_comments && self.depth == 0;
            }
            b'&' => {
                let rest = self.text.get(at..).unwrap_or_default();
                return entities::at_start_unclosed(rest).is_some();
            }
            _ => {}
        }
        false
    }
}

impl<F: Fn(&[u8]) -> bool> Visitor for Header<'_, F> {
    #[inline(always)]
    fn letters(&mut self, at: usize, eight: u64, len: usize) -> bool {
        self.credentials.letters(at, eight);
        self.may_match = self.may_match || self.words.is_letters(at, eight, len);
        false
    }

    #[inline(always)]
    fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool {
        let facts = facts_of(byte);
        self.facts |= facts;
        let special = facts & self.special;
        if special != 0 {
            if special & self.signs as u32 != 0
                || special & DOUBLED != 0 && byte == next
                || special & BRACKET != 0 && self.is_odd(at, byte)
            {
                return true;
            }
            let role = (special >> ROLES) as u8;
            if role != 0 {
                self.credentials.sign(at, byte, next, role);
            }
        }
        self.may_match = self.may_match || self.words.is_sign(at, byte, next);
        false
    }
}
