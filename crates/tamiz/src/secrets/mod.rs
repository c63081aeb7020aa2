//! Secrets by name and by content (clauses 6.10 to 6.13).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

mod beyond_ascii;
mod jwt;
mod named;
mod names;
mod prefilter;
mod private_key;
mod schemes;
mod userinfo;

use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, BACKSLASH, CREDENTIAL_MARK, ENCODED, HIGH};
use crate::context::Context;
use crate::decode::{base64, layers, utf8};
use crate::families::{self, SHORTEST_TOKEN};
use crate::names::SensitiveNames;
use crate::steps;

use prefilter::Kinds;
pub(crate) use prefilter::{Prefilter, role};

/// At most so many credentials of one text are reported.
const MOST_CREDENTIALS: usize = 16;

/// A credential in a text.
pub(crate) struct Credential {
    /// Its place in the text.
    pub(crate) part: Range<usize>,
    /// Whether it is a name and a password.
    pub(crate) is_userinfo: bool,
}

/// The kinds of credentials, in the order in which they are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Jwt,
    Token,
    Scheme,
    PrivateKey,
    Userinfo,
    DataSource,
    Element,
    Named,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Jwt,
        Kind::Token,
        Kind::Scheme,
        Kind::PrivateKey,
        Kind::Userinfo,
        Kind::DataSource,
        Kind::Element,
        Kind::Named,
    ];
}

impl SensitiveNames {
    /// Finds the credential inside `value`; of several, the first one by kind.
    ///
    /// Searches the value as it is, then its further texts: then the whole value is the credential. `classes` is the union
    /// of the classes of the value's bytes.
    pub(crate) fn find_credential(
        &self,
        value: &[u8],
        classes: u32,
        cx: Context<'_>,
    ) -> Option<Range<usize>> {
        if !may_hold_credential(value, classes) {
            return None;
        }
        self.find_plain(value, classes, cx).or_else(|| self.find_disguised(value, classes, cx))
    }

    /// Returns whether a text holds a credential, and whether the end of it, which follows a sign or white space, does by itself.
    /// `end_classes` is the union of the classes of its bytes.
    pub(crate) fn holds_in_text_and_end(
        &self,
        text: &[u8],
        end: &[u8],
        end_classes: u32,
        cx: Context<'_>,
    ) -> [bool; 2] {
        let classes = bytes::union(text);
        // The end may hold no kind that the text may not.
        let kinds = self.may_hold(text, classes);
        let has_none = kinds == Kinds::default();
        let end_kinds = if has_none { kinds } else { self.may_hold(end, end_classes) };
        let [is_in_text, is_in_end] =
            [(text, classes, kinds), (end, end_classes, end_kinds)].map(|(text, classes, kinds)| {
                may_hold_credential(text, classes)
                    && kinds.iter().any(|kind| self.find_kind(kind, text, classes, cx).is_some())
            });
        // As long as there is nothing to decode before the end and no Base64, what the end is decoded to is the end of
        // what the text is decoded to.
        let before = text.len() - end.len().min(text.len());
        let is_encoded = |text: &[u8], classes: u32| base64::encoded(text, classes).is_some();
        let may_decode =
            bytes::union(text.get(..before).unwrap_or_default()) & (HIGH | ENCODED | BACKSLASH) != 0;
        let mut differs = may_decode || is_encoded(end, end_classes) || is_encoded(text, classes);
        let is_in_text = is_in_text
            || may_hold_credential(text, classes)
                && self.is_any_further(text, classes, cx, |further, kinds| {
                    let end = further.get(before..).unwrap_or_default();
                    differs = differs || kinds != Kinds::default() || is_encoded(end, bytes::union(end));
                });
        let is_in_end = is_in_end
            || (is_in_text || differs)
                && may_hold_credential(end, end_classes)
                && self.find_disguised(end, end_classes, cx).is_some();
        [is_in_text, is_in_end]
    }

    /// Finds a credential in the value as it is.
    fn find_plain(&self, value: &[u8], classes: u32, cx: Context<'_>) -> Option<Range<usize>> {
        let kinds = self.may_hold(value, classes);
        kinds.iter().find_map(|kind| self.find_kind(kind, value, classes, cx))
    }

    /// Finds the first credential of a kind. `classes` may hold more than the classes of the text's bytes.
    fn find_kind(&self, kind: Kind, text: &[u8], classes: u32, cx: Context<'_>) -> Option<Range<usize>> {
        steps::slow("credential searched");
        match kind {
            Kind::Jwt => jwt::find(text),
            Kind::Token => families::find(text, classes),
            Kind::Scheme => schemes::find(text),
            Kind::PrivateKey => private_key::find(text),
            Kind::Userinfo => userinfo::find_in_url(text, cx),
            Kind::DataSource => userinfo::find_in_data_source(text),
            Kind::Element => self.find_without_markers(text, cx, Self::find_element),
            Kind::Named => self.find_without_markers(text, cx, Self::find_named),
        }
    }

    /// Finds all credentials of a value as it is, by kind and then by place; those of one kind overlap only behind a `+`.
    pub(crate) fn find_credentials<'a>(&self, value: &[u8], cx: Context<'a>) -> BumpVec<'a, Credential> {
        let classes = bytes::union(value);
        let mut all = BumpVec::new_in(cx.bump);
        for kind in self.may_hold(value, classes).iter() {
            let is_userinfo = matches!(kind, Kind::Userinfo | Kind::DataSource);
            let mut collect = |find: &dyn Fn(&[u8]) -> Option<Range<usize>>| {
                let mut from = 0;
                while all.len() < MOST_CREDENTIALS
                    && let Some(rest) = value.get(from..)
                    && let Some(found) = find(rest)
                {
                    all.push(Credential { part: from + found.start..from + found.end, is_userinfo });
                    let is_all = found.start == 0 && matches!(kind, Kind::Element | Kind::Named);
                    let part = rest.get(found.clone()).filter(|_| !is_all).unwrap_or_default();
                    // A `+` may be a space, behind which another credential begins.
                    let end = bytes::position(b'+', part).map_or(found.end, |at| found.start + at + 1);
                    from += end.max(1);
                }
            };
            if kind == Kind::Scheme {
                // Each word by itself: the credentials of one may end where another begins.
                schemes::SCHEMES.iter().for_each(|scheme| collect(&|rest| scheme.find(rest)));
            } else {
                collect(&|rest| self.find_kind(kind, rest, classes, cx));
            }
        }
        all
    }

    /// The state before a walk over the signs of a text, for which see [`SensitiveNames::holds_one_of`]. `classes` is the
    /// union of the classes of its bytes.
    #[inline]
    pub(crate) fn prefilter<'t>(
        &'t self,
        text: &'t [u8],
        classes: u32,
    ) -> Prefilter<'t, impl Fn(&[u8]) -> bool> {
        Prefilter::new(text, classes, |before: &[u8]| self.may_name_value(before))
    }

    /// Returns whether a text holds a credential of the kinds that a walk left.
    pub(crate) fn holds_one_of(&self, kinds: Kinds, text: &[u8], classes: u32, cx: Context<'_>) -> bool {
        kinds.iter().any(|kind| self.find_kind(kind, text, classes, cx).is_some())
    }

    /// Returns whether a text holds a credential as it is. `classes` is the union of the classes of its bytes.
    pub(crate) fn holds_plain_credential(&self, text: &[u8], classes: u32, cx: Context<'_>) -> bool {
        self.find_plain(text, classes, cx).is_some()
    }

    fn find_disguised(&self, value: &[u8], classes: u32, cx: Context<'_>) -> Option<Range<usize>> {
        steps::slow("encoded credential searched");
        self.is_any_further(value, classes, cx, |_, _| {}).then_some(0..value.len())
    }

    /// Returns whether one of the further texts of a value holds a credential. `look` is told of each text, in UTF-8, and of
    /// the kinds of credentials that it may hold, until one does.
    fn is_any_further(
        &self,
        value: &[u8],
        classes: u32,
        cx: Context<'_>,
        mut look: impl FnMut(&[u8], Kinds),
    ) -> bool {
        let mut is_credential = |text: &[u8], classes: u32| {
            let kinds = self.may_hold(text, classes);
            look(text, kinds);
            kinds.iter().any(|kind| self.find_kind(kind, text, classes, cx).is_some())
        };
        layers::any_further(value, classes, cx, |text, classes| {
            utf8::with_repaired(text, classes, cx, &mut is_credential)
        })
    }

    /// Returns whether a text with its guarded bytes as bytes, or what it is further decoded to, holds a credential.
    pub(crate) fn holds_unguarded(&self, value: &[u8], cx: Context<'_>) -> bool {
        layers::any_unguarded(value, cx, |text, classes| self.holds_in_bytes(text, classes, cx))
    }

    /// Returns whether bytes that may be no UTF-8 hold a credential as they are.
    fn holds_in_bytes(&self, text: &[u8], classes: u32, cx: Context<'_>) -> bool {
        utf8::with_repaired(text, classes, cx, |text, classes| self.find_plain(text, classes, cx).is_some())
    }

    /// The kinds of credentials that a text may hold.
    fn may_hold(&self, text: &[u8], classes: u32) -> Kinds {
        steps::slow("credential prefilter");
        prefilter::may_hold(text, classes, |before| self.may_name_value(before))
    }
}

/// Returns whether a text, or what it is further decoded to, may hold a credential, by its length and the union of the
/// classes of its bytes.
pub(crate) fn may_hold_credential(text: &[u8], classes: u32) -> bool {
    text.len() >= 4 && !is_too_plain(text, classes)
}

/// Returns whether a text is too short and too plain for a credential, by the union of the classes of its bytes.
pub(crate) fn is_too_plain(text: &[u8], classes: u32) -> bool {
    text.len() < SHORTEST_TOKEN && classes & (CREDENTIAL_MARK | HIGH) == 0
}

/// Returns whether a text holds a token that is recognised by itself, whatever is around it. `classes` holds the classes of its
/// bytes.
pub(crate) fn has_token(text: &[u8], classes: u32) -> bool {
    holds_token(prefilter::may_hold(text, classes, |_| false), text, classes)
}

/// Does what [`has_token`] does, behind a walk that left some kinds.
pub(crate) fn holds_token(kinds: Kinds, text: &[u8], classes: u32) -> bool {
    kinds.has(Kind::Jwt) && jwt::find(text).is_some()
        || kinds.has(Kind::Token) && families::find(text, classes).is_some()
}

/// Returns whether a walk left it open that a text holds a credential behind a name.
pub(crate) fn may_be_named(kinds: Kinds) -> bool {
    kinds.has(Kind::Named)
}

/// Returns whether a text without `=`, `:` or full-width forms of them may hold a credential of the kinds that a walk left.
pub(crate) fn holds_unnamed(kinds: Kinds, text: &[u8], classes: u32) -> bool {
    kinds.has(Kind::Jwt)
        || kinds.has(Kind::Scheme)
        || kinds.has(Kind::Token) && families::find(text, classes).is_some()
}

#[cfg(test)]
mod tests;
