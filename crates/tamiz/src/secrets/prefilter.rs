//! Decides in one walk over a text which kinds of credentials it may hold, so that each is searched for only there.

use super::schemes::{self, SCHEMES};
use super::{Kind, jwt, named};
use crate::bytes::{self, AT, BACKSLASH, COLON, DOT, EQUALS, HIGH, NO_ALNUM, SLASH, UPPER, WORD_SIGN};
use crate::decode::GUARD;
use crate::families::{self, SHORTEST_ANCHORED, SHORTEST_TOKEN};
use crate::lists::CREDENTIAL_PREFIXES;
use crate::shape;
use crate::show::marker;
use crate::steps;
use crate::swar::eight_at;
use crate::walk::{Visitor, walk};

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(super) fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 != 0
    }

    fn add(&mut self, kind: Kind, is_there: bool) {
        self.0 |= u8::from(is_there) << kind as u8;
    }

    /// The kinds in the order of the search.
    pub(super) fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}

/// The parts of credentials that a sign may be, a bit each.
const DELIMITER: u8 = 1;
const ANCHOR: u8 = 1 << 1;
const HYPHEN: u8 = 1 << 2;
const GUARDED: u8 = 1 << 3;
const OPENING: u8 = 1 << 4;
const HEAD: u8 = 1 << 5;

const ROLES: [u8; 256] = {
    let mut roles = [0; 256];
    let mut byte = 0_u8;
    loop {
        roles[byte as usize] |= match byte {
            b'=' | b':' => DELIMITER,
            b'-' => HYPHEN,
            b'<' => OPENING,
            GUARD => GUARDED,
            _ => 0,
        };
        if families::is_anchor(byte) {
            roles[byte as usize] |= ANCHOR;
        }
        if families::is_head_sign(byte) {
            roles[byte as usize] |= HEAD;
        }
        if byte == u8::MAX {
            break;
        }
        byte = byte.wrapping_add(1);
    }
    roles
};

/// The parts of credentials that a byte may be, as bits.
#[inline]
#[allow(clippy::indexing_slicing, reason = "a u8 cannot leave a table of 256")]
pub(crate) const fn role(byte: u8) -> u8 {
    ROLES[byte as usize]
}

/// The number of bits of [`STARTS`], as a power of two.
const START_BITS: u32 = 16;

/// The first three characters of the words that credentials begin with, hashed, a bit each: heads of well-known tokens,
/// names of schemes in upper and lower case, and the first segments of JSON Web Tokens.
static STARTS: [u64; 1 << (START_BITS - 6)] = {
    let mut starts = [0; 1 << (START_BITS - 6)];
    let mut row = 0;
    while row < CREDENTIAL_PREFIXES.len() {
        let head = CREDENTIAL_PREFIXES[row].0.as_bytes();
        if head[0].is_ascii_alphabetic() {
            let is_short = head.len() == 2 || head[2] == b'{';
            let third = if is_short { None } else { Some(head[2]) };
            starts = with_start(starts, head[0], head[1], third);
        }
        row += 1;
    }
    let mut nth = 0;
    while nth < SCHEMES.len() {
        let word = SCHEMES[nth].word;
        let mut upper = 0;
        while upper < 8 {
            let [first, second, third] = [
                word[0] ^ (upper & 1) << 5,
                word[1] ^ (upper >> 1 & 1) << 5,
                word[2] ^ (upper >> 2 & 1) << 5,
            ];
            starts = with_start(starts, first, second, Some(third));
            upper += 1;
        }
        nth += 1;
    }
    let mut nth = 0;
    while nth < shape::JSON_STARTS.len() {
        let [first, second] = shape::JSON_STARTS[nth];
        starts = with_start(starts, first, second, None);
        nth += 1;
    }
    starts
};

/// Adds three characters to [`STARTS`]; any character may be the third where that is `None`.
const fn with_start(
    mut starts: [u64; 1 << (START_BITS - 6)],
    first: u8,
    second: u8,
    third: Option<u8>,
) -> [u64; 1 << (START_BITS - 6)] {
    let (mut next, last) = match third {
        Some(third) => (third, third),
        None => (0, 0x7F),
    };
    while next <= last {
        let bit = hash_start(u32::from_le_bytes([first, second, next, 0]));
        starts[bit >> 6] |= 1 << (bit & 63);
        next = next.wrapping_add(1);
    }
    starts
}

/// The hash of the lowest three bytes.
const fn hash_start(first: u32) -> usize {
    ((first << 8).wrapping_mul(0x9E37_79B1) >> (u32::BITS - START_BITS)) as usize
}

/// The roles that a sign may have by the byte behind it, which is zero at the end of a text.
const ROLES_BEFORE: [u8; 256] = {
    let mut roles = [0; 256];
    let mut next = 0_u8;
    loop {
        roles[next as usize] = GUARDED
            | match next {
                // Here a value ends before it begins.
                b'&' | b';' | b',' => 0,
                b'-' => DELIMITER | HYPHEN,
                _ => DELIMITER,
            };
        if families::may_follow_anchor(next) {
            roles[next as usize] |= ANCHOR;
        }
        if next.is_ascii_alphanumeric()
            || matches!(next, b'_' | b'.' | b'$' | b':' | b'@' | b'[' | b']' | b'-' | 0x80..)
        {
            roles[next as usize] |= OPENING;
        }
        if families::may_follow_head_sign(next) {
            roles[next as usize] |= HEAD;
        }
        if next == u8::MAX {
            break;
        }
        next = next.wrapping_add(1);
    }
    roles
};

/// Which kinds of credentials a text may hold. `classes` is the union of the classes of its bytes, `may_name_value` whether the
/// name that a text ends with, before a delimiter, may make a secret of its value.
#[inline]
pub(super) fn may_hold(text: &[u8], classes: u32, may_name_value: impl Fn(&[u8]) -> bool) -> Kinds {
    let mut prefilter = Prefilter::new(text, classes, may_name_value);
    if classes & NO_ALNUM == 0 {
        prefilter.letters(0, eight_at(text, 0));
    } else {
        walk(text, &mut prefilter);
    }
    prefilter.finish()
}

/// The state of a walk over a text.
pub(crate) struct Prefilter<'t, F> {
    text: &'t [u8],
    kinds: Kinds,
    /// The roles of signs that count.
    wanted: u8,
    /// The place of the last dot, once it was looked for.
    last_dot: Option<Option<usize>>,
    may_name_value: F,
}

impl<F: Fn(&[u8]) -> bool> Visitor for Prefilter<'_, F> {
    #[inline(always)]
    fn letters(&mut self, at: usize, eight: u64, _len: usize) -> bool {
        Prefilter::letters(self, at, eight);
        false
    }

    #[inline(always)]
    fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool {
        let role = role(byte) & self.wanted;
        if role != 0 {
            Prefilter::sign(self, at, byte, next, role);
        }
        false
    }
}

impl<'t, F: Fn(&[u8]) -> bool> Prefilter<'t, F> {
    /// Before a walk over a text, for which see [`may_hold`].
    #[inline]
    pub(crate) fn new(text: &'t [u8], classes: u32, may_name_value: F) -> Self {
        let mut kinds = Kinds::default();
        let has = |class: u32| classes & class != 0;
        kinds.add(Kind::Userinfo, has(AT) && has(SLASH | BACKSLASH));
        kinds.add(Kind::DataSource, has(AT) && has(WORD_SIGN) && has(COLON));
        kinds.add(Kind::Named, has(HIGH) && named::has_wide_delimiter(text));
        kinds.add(Kind::Jwt, has(DOT) && has(UPPER) && jwt::may_be_glued(text));
        let mut wanted = GUARDED | OPENING | HYPHEN;
        wanted |= if text.len() >= SHORTEST_TOKEN { HEAD } else { 0 };
        wanted |= if text.len() >= SHORTEST_ANCHORED { ANCHOR } else { 0 };
        wanted |= if has(EQUALS | COLON) { DELIMITER } else { 0 };
        Prefilter { text, kinds, wanted, last_dot: None, may_name_value }
    }

    /// The roles of the signs that [`Prefilter::sign`] is to be told of.
    pub(crate) fn wanted(&self) -> u8 {
        self.wanted
    }

    /// Takes a run of letters, or what follows its beginning; `eight` are the bytes from there on.
    #[inline(always)]
    pub(crate) fn letters(&mut self, at: usize, eight: u64) {
        let bit = hash_start(eight as u32);
        if STARTS.get(bit >> 6).is_some_and(|bits| bits >> (bit & 63) & 1 != 0) {
            self.try_word(at);
        }
    }

    /// Takes note of the credentials that may begin with the word at `at`.
    #[inline(never)]
    fn try_word(&mut self, at: usize) {
        steps::slow("word may begin a credential");
        let rest = self.text.get(at..).unwrap_or_default();
        self.try_token(at);
        self.kinds.add(Kind::Scheme, schemes::begins_with_scheme(rest));
        let may_be_jwt = shape::begins_like_json(rest) && self.last_dot().is_some_and(|dot| dot > at);
        self.kinds.add(Kind::Jwt, may_be_jwt);
    }

    /// Returns where the last dot of the text is. It is looked for once, however many words begin like a token.
    fn last_dot(&mut self) -> Option<usize> {
        let text = self.text;
        *self.last_dot.get_or_insert_with(|| {
            steps::count(text.len());
            memchr::memrchr(b'.', text)
        })
    }

    /// Takes note of a well-known token at `at`; one is enough.
    fn try_token(&mut self, at: usize) {
        if self.text.len() >= SHORTEST_TOKEN && !self.kinds.has(Kind::Token) {
            self.kinds.add(Kind::Token, families::is_token_at(self.text, at));
        }
    }

    /// Takes a byte that is no letter or digit, with the one behind it and those of its roles that are wanted.
    #[inline(always)]
    pub(crate) fn sign(&mut self, at: usize, byte: u8, next: u8, role: u8) {
        let role = role & ROLES_BEFORE.get(usize::from(next)).copied().unwrap_or_default();
        if role & DELIMITER != 0 {
            self.delimiter(at);
        }
        if role & !DELIMITER != 0 {
            self.rare_sign(at, byte, next, role);
        }
    }

    /// Takes note of a sensitive name before `=` or `:`.
    #[inline(never)]
    fn delimiter(&mut self, at: usize) {
        if !self.kinds.has(Kind::Named) {
            let before = self.text.get(..at).unwrap_or_default();
            self.kinds.add(Kind::Named, (self.may_name_value)(before));
        }
    }

    #[inline(never)]
    fn rare_sign(&mut self, at: usize, byte: u8, next: u8, role: u8) {
        let text = self.text;
        if role & ANCHOR != 0 && families::may_be_anchored(text, at, byte) {
            self.kinds.add(Kind::Token, true);
        }
        if role & HYPHEN != 0 {
            let is_key = text.get(at..).is_some_and(|rest| rest.starts_with(b"-----"));
            self.kinds.add(Kind::PrivateKey, is_key);
        }
        if role & OPENING != 0 {
            let behind = text.get(at.saturating_add(1)..).unwrap_or_default();
            // The part behind a `:` would be judged alone.
            let may_be_element = named::element_name(behind)
                .is_some_and(|name| (self.may_name_value)(name) || bytes::position(b':', name).is_some());
            // A marker may be in the middle of a name.
            let may_be_marker = marker::may_begin(behind);
            self.kinds.add(Kind::Element, may_be_element || may_be_marker);
            self.kinds.add(Kind::Named, may_be_marker);
        }
        if role & HEAD != 0
            && let Some(start) = families::head_around(at, byte, next)
        {
            self.try_token(start);
        }
        if role & GUARDED != 0 {
            // The digits of a guarded byte are no part of what follows it.
            let behind = at.saturating_add(3);
            let eight = eight_at(text, behind);
            self.letters(behind, eight);
            // A head may begin with a digit or a sign.
            if families::may_begin_token(eight as u32) {
                self.try_token(behind);
            }
        }
    }

    /// The kinds that the text may hold, after the walk.
    pub(crate) fn finish(&self) -> Kinds {
        self.kinds
    }
}
