//! Decides in one walk over a text which kinds of credentials it may hold, so that each is searched for only there.

use super::{Kind, jwt, named, schemes};
use crate::bytes::{
    self, ALNUM, AT, BACKSLASH, COLON, CREDENTIAL_MARK, DOT, EQUALS, HIGH, NAME_MARK, NO_ALNUM, SLASH,
    WORD_SIGN,
};
use crate::decode::GUARD;
use crate::families::{self, SHORTEST_TOKEN, each_sign};
use crate::swar::eight_at;

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

/// The kinds of credentials that a sign may be part of, a bit each.
const BLANK: u8 = 1;
const PERIOD: u8 = 1 << 1;
const DELIMITER: u8 = 1 << 2;
const ANCHOR: u8 = 1 << 3;
const HYPHEN: u8 = 1 << 4;
const GUARDED: u8 = 1 << 5;
const OPENING: u8 = 1 << 6;

const ROLES: [u8; 256] = {
    let mut roles = [0; 256];
    let mut byte = 0_u8;
    loop {
        roles[byte as usize] |= match byte {
            b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'+' => BLANK,
            b'.' => PERIOD,
            b'=' | b':' => DELIMITER,
            b'-' => HYPHEN,
            b'<' => OPENING,
            GUARD => GUARDED,
            _ => 0,
        };
        if families::is_anchor(byte) {
            roles[byte as usize] |= ANCHOR;
        }
        if byte == u8::MAX {
            break;
        }
        byte = byte.wrapping_add(1);
    }
    roles
};

/// The kinds of credentials that a byte may be part of, as bits.
#[inline]
#[allow(clippy::indexing_slicing, reason = "a u8 cannot leave a table of 256")]
pub(crate) const fn role(byte: u8) -> u8 {
    ROLES[byte as usize]
}

/// Which kinds of credentials a text may hold. `classes` is the union of the classes of its bytes, `may_be_sensitive`
/// whether a name in ASCII may make a secret of its value.
#[inline]
pub(super) fn may_hold(text: &[u8], classes: u32, may_be_sensitive: impl Fn(&[u8]) -> bool) -> Kinds {
    let mut prefilter = Prefilter::new(text, classes, may_be_sensitive);
    if classes & NO_ALNUM != 0 {
        each_sign(text, |at, byte, behind| prefilter.sign(at, byte, role(byte), behind));
    }
    prefilter.finish()
}

/// The state of a walk over the signs of a text.
pub(crate) struct Prefilter<'t, F> {
    text: &'t [u8],
    kinds: Kinds,
    /// The roles of signs that count.
    wanted: u8,
    /// Whether the text is long enough for a token.
    has_token: bool,
    /// Whether a segment before may be the header of a JSON Web Token.
    has_header: bool,
    may_be_sensitive: F,
}

impl<'t, F: Fn(&[u8]) -> bool> Prefilter<'t, F> {
    /// Before a walk over the signs of a text, for which see [`may_hold`].
    #[inline]
    pub(crate) fn new(text: &'t [u8], classes: u32, may_be_sensitive: F) -> Self {
        let mut kinds = Kinds::default();
        let has_token = text.len() >= SHORTEST_TOKEN;
        let first = eight_at(text, 0) as u32;
        kinds.add(Kind::Token, has_token && families::may_begin_token(first) && families::has_head(text, 0));
        let has = |class: u32| classes & class != 0;
        kinds.add(Kind::Userinfo, has(AT) && has(SLASH | BACKSLASH));
        kinds.add(Kind::DataSource, has(AT) && has(WORD_SIGN) && has(COLON));
        // A name or its delimiter may be beyond ASCII.
        kinds.add(Kind::Named, has(HIGH) && (has(EQUALS | COLON) || named::has_wide_delimiter(text)));
        let mut wanted = GUARDED | OPENING;
        wanted |= if has_token { ANCHOR } else { 0 };
        wanted |= if has(CREDENTIAL_MARK | HIGH) { BLANK | HYPHEN } else { 0 };
        wanted |= if has(DOT) { PERIOD } else { 0 };
        wanted |= if has(HIGH) || !has(EQUALS | COLON) { 0 } else { DELIMITER };
        Prefilter { text, kinds, wanted, has_token, has_header: false, may_be_sensitive }
    }

    /// Takes a byte that is no letter or digit, its [`role`], and the four bytes behind it, the first lowest; zero where
    /// there are fewer.
    #[inline(always)]
    pub(crate) fn sign(&mut self, at: usize, byte: u8, role: u8, behind: u32) {
        if families::may_begin_token(behind) && self.has_token && !self.kinds.has(Kind::Token) {
            self.kinds.add(Kind::Token, families::has_head(self.text, at.saturating_add(1)));
        }
        let role = role & self.wanted;
        if role != 0 {
            self.visit(at, byte, role);
        }
    }

    #[inline]
    fn visit(&mut self, at: usize, byte: u8, role: u8) {
        let text = self.text;
        let before = text.get(..at).unwrap_or_default();
        if role & BLANK != 0 && schemes::ends_with_scheme(before) {
            self.kinds.add(Kind::Scheme, true);
        }
        if role & ANCHOR != 0 && families::may_be_anchored(text, at, byte) {
            self.kinds.add(Kind::Token, true);
        }
        if role & DELIMITER != 0
            && !self.kinds.has(Kind::Named)
            && (self.may_be_sensitive)(named::name_before(before))
        {
            self.kinds.add(Kind::Named, true);
        }
        if role & PERIOD != 0 {
            self.kinds.add(Kind::Jwt, self.has_header);
            self.has_header = self.has_header || jwt::may_end_with_header(before);
        }
        if role & (HYPHEN | OPENING | GUARDED) != 0 {
            self.visit_rare(at, role);
        }
    }

    /// The kinds that the text may hold, after the walk.
    pub(crate) fn finish(&self) -> Kinds {
        self.kinds
    }

    fn visit_rare(&mut self, at: usize, role: u8) {
        let rest = self.text.get(at..).unwrap_or_default();
        if role & HYPHEN != 0 {
            self.kinds.add(Kind::PrivateKey, rest.starts_with(b"-----"));
        } else if role & OPENING != 0 {
            // It may open a marker, which may be in the middle of a name.
            let may_open = rest.get(1).is_some_and(|next| bytes::is(*next, ALNUM | NAME_MARK | HIGH));
            self.kinds.add(Kind::Element, may_open);
            self.kinds.add(Kind::Named, may_open);
        } else {
            // The digits of a guarded byte are no part of what follows it.
            self.kinds.add(Kind::Token, families::has_head(self.text, at.saturating_add(3)));
            self.has_header = true;
        }
    }
}
