//! Decides in one walk over a text which kinds of credentials it may hold, so that each is searched for only there.

use super::{Kind, jwt, named, schemes};
use crate::bytes::{
    self, ALNUM, AT, BACKSLASH, COLON, CREDENTIAL_MARK, DOT, EQUALS, HIGH, NAME_MARK, NO_ALNUM, SLASH, UPPER,
    WORD_SIGN,
};
use crate::decode::GUARD;
use crate::families::{self, SHORTEST_TOKEN, each_sign};
use crate::swar::eight_at;

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u8);

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

/// Which kinds of credentials a text may hold. `classes` is the union of the classes of its bytes, `may_be_sensitive`
/// whether a name in ASCII may make a secret of its value.
#[inline]
pub(super) fn may_hold(text: &[u8], classes: u32, may_be_sensitive: impl Fn(&[u8]) -> bool) -> Kinds {
    let mut kinds = Kinds::default();
    let has_token = text.len() >= SHORTEST_TOKEN;
    let first = eight_at(text, 0) as u32;
    kinds.add(Kind::Token, has_token && families::may_begin_token(first) && families::has_head(text, 0));
    if classes & NO_ALNUM == 0 {
        return kinds;
    }
    let has = |class: u32| classes & class != 0;
    let is_marked = has(CREDENTIAL_MARK | HIGH);
    kinds.add(Kind::Userinfo, has(AT) && has(SLASH | BACKSLASH));
    kinds.add(Kind::DataSource, has(AT) && has(WORD_SIGN) && has(COLON));
    // A name or its delimiter may be beyond ASCII.
    kinds.add(Kind::Named, has(HIGH) && (has(EQUALS | COLON) || named::has_wide_delimiter(text)));
    let mut walk = Walk { text, kinds, has_header: false };
    let mut wanted = GUARDED | OPENING;
    wanted |= if has_token { ANCHOR } else { 0 };
    wanted |= if is_marked { BLANK | HYPHEN } else { 0 };
    wanted |= if has(DOT) { PERIOD } else { 0 };
    wanted |= if has(HIGH) || !has(EQUALS | COLON) { 0 } else { DELIMITER };
    let has_upper = has(UPPER);
    each_sign(text, |at, byte, behind| {
        if families::may_begin_token(behind) && has_token && !walk.kinds.has(Kind::Token) {
            walk.kinds.add(Kind::Token, families::has_head(text, at.saturating_add(1)));
        }
        let role = ROLES.get(usize::from(byte)).copied().unwrap_or_default() & wanted;
        if role != 0 {
            walk.visit(at, byte, role, has_upper, &may_be_sensitive);
        }
    });
    walk.kinds
}

/// The state of the walk.
struct Walk<'t> {
    text: &'t [u8],
    kinds: Kinds,
    /// Whether a segment before may be the header of a JSON Web Token.
    has_header: bool,
}

impl Walk<'_> {
    #[inline]
    fn visit(
        &mut self,
        at: usize,
        byte: u8,
        role: u8,
        has_upper: bool,
        may_be_sensitive: &impl Fn(&[u8]) -> bool,
    ) {
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
            && may_be_sensitive(named::name_before(before))
        {
            self.kinds.add(Kind::Named, true);
        }
        if role & PERIOD != 0 {
            self.kinds.add(Kind::Jwt, self.has_header);
            self.has_header = self.has_header || jwt::may_end_with_header(before, has_upper);
        }
        if role & (HYPHEN | OPENING | GUARDED) != 0 {
            self.visit_rare(at, role);
        }
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
