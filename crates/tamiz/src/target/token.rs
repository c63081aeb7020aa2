//! Tokens of queries and forms as they came: cut at their first `=`, and those that are told from their bytes alone.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice")]

use crate::bytes::{
    self, AT, BANG, COLON, CONTROL, DANGER, ENCODED, EQUALS, HIGH, NO_ALNUM, SLASH, SPACE, WAY, WORD_SIGN,
};
use crate::context::{Context, HAS_FAST_PATHS};
use crate::inspect::Key;
use crate::scan;
use crate::text::Text;

/// Classes without which nothing in a token is decoded, leads anywhere or raises a flag at once.
const LOUD: u32 = DANGER | CONTROL | HIGH | WORD_SIGN | ENCODED | COLON | BANG | SLASH;
const LOUD_IN_KEY: u32 = LOUD | SPACE | AT;
const LOUD_IN_VALUE: u32 = LOUD | EQUALS;

/// A token of a query, `key=value` or `key` alone, in which nothing is decoded.
pub(super) struct Token<'a> {
    pub(super) text: Text<'a>,
    key: &'a [u8],
    /// `None` when there is no `=`.
    value: Option<&'a [u8]>,
    /// The union of the classes of the bytes of the key.
    pub(super) key_classes: u32,
    /// The union of the classes of the bytes of the value.
    pub(super) value_classes: u32,
}

impl<'a> Token<'a> {
    /// Cuts a token at its first `=`, if there is one.
    #[inline(always)]
    pub(super) fn cut(text: Text<'a>) -> Self {
        let equals = bytes::position_near(b'=', text.bytes);
        let (key, value) = match equals.and_then(|at| text.bytes.split_at_checked(at)) {
            Some((key, [_, value @ ..])) => (key, Some(value)),
            _ => (text.bytes, None),
        };
        let value_classes = bytes::union(value.unwrap_or_default());
        Token { text, key, value, key_classes: bytes::union(key), value_classes }
    }

    /// The key as it came.
    pub(super) fn key(&self) -> Text<'a> {
        self.text.piece(self.key)
    }

    /// The value as it came, if there is one.
    pub(super) fn value(&self) -> Option<Text<'a>> {
        self.value.map(|value| self.text.piece(value))
    }

    /// Returns whether neither key nor value is decoded, is empty, raises a flag by its content or holds a credential: then the
    /// value is a secret if the key is sensitive, and not otherwise.
    #[inline(always)]
    pub(super) fn is_quiet(&self, cx: Context<'_>) -> bool {
        let Some(value) = self.value.filter(|value| !value.is_empty()) else { return false };
        HAS_FAST_PATHS
            && self.value_classes & LOUD_IN_VALUE == 0
            && value.len() <= cx.settings.config.limits.long_value
            && self.has_quiet_key()
            && scan::cannot_flag(value, self.value_classes)
    }

    /// Returns whether the key is not decoded, raises no flag but by brackets at its end and holds no credential.
    #[inline(always)]
    pub(super) fn has_quiet_key(&self) -> bool {
        HAS_FAST_PATHS
            && self.key_classes & LOUD_IN_KEY == 0
            && (self.key_classes & NO_ALNUM == 0 || self.steers_nothing())
            && scan::cannot_flag(self.key, self.key_classes)
    }

    /// Returns whether a key is none that changes how a program behaves, as far as that is seen quickly: it may be `__proto__`,
    /// `_method` or `constructor.prototype`.
    fn steers_nothing(&self) -> bool {
        (self.key.first() != Some(&b'_') || self.key.len() < 7)
            && (self.key_classes & WAY == 0 || bytes::position(b'p', self.key).is_none())
    }

    /// The key, which is quiet.
    #[inline(always)]
    pub(super) fn quiet_key(&self) -> Key<'a> {
        Key::quiet(self.key().repaired(), self.key_classes)
    }

    /// Returns whether the key, which is quiet, is that of an array.
    #[inline(always)]
    pub(super) fn is_array(&self) -> bool {
        self.key_classes & WAY != 0 && self.key.ends_with(b"[]")
    }

    /// Returns whether the value under the key, which is quiet, is a secret.
    #[inline(always)]
    pub(super) fn is_sensitive(&self, cx: Context<'_>) -> bool {
        cx.settings.names.matches_ascii(self.key)
    }
}
