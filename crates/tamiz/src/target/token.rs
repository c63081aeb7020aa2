//! Tokens of queries and forms as they came: cut at their first `=`, and those that are told from their bytes alone.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice")]

use super::pair::Syntax;
use crate::bytes::{
    self, AT, BANG, BLANK, COLON, CONTROL, DANGER, ENCODED, EQUALS, HIGH, NO_ALNUM, SLASH, SPACE, WAY,
    WORD_SIGN,
};
use crate::context::{Context, HAS_FAST_PATHS};
use crate::inspect::Key;
use crate::scan;
use crate::text::Text;

/// Classes without which nothing in a token is decoded, leads anywhere or raises a flag at once.
const LOUD: u32 = DANGER | CONTROL | HIGH | WORD_SIGN | ENCODED | COLON | BANG | SLASH;

/// A token of a query, `key=value` or `key` alone, in which nothing is decoded.
pub(super) struct Token<'a> {
    pub(super) text: Text<'a>,
    /// The length of the key, and the union of the classes of its bytes.
    pub(super) key_len: usize,
    pub(super) key_classes: u32,
    /// Whether there is a `=`.
    pub(super) has_value: bool,
    /// The union of the classes of the bytes of the value.
    pub(super) value_classes: u32,
}

impl<'a> Token<'a> {
    /// Cuts a token at its first `=`, if there is one; of a form, with its `+` as spaces.
    #[inline]
    pub(super) fn cut(text: Text<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
        let equals = bytes::position(b'=', text.bytes);
        let key_len = equals.unwrap_or(text.len());
        let mut token =
            Token { text, key_len, key_classes: 0, has_value: equals.is_some(), value_classes: 0 };
        token.classify();
        if syntax == Syntax::Form && (token.key_classes | token.value_classes) & BLANK != 0 {
            token.text = syntax.with_spaces(text, cx);
            token.classify();
        }
        token
    }

    #[inline]
    fn classify(&mut self) {
        let (key, rest) = self.text.bytes.split_at_checked(self.key_len).unwrap_or_default();
        self.key_classes = bytes::union(key);
        self.value_classes = bytes::union(rest.get(1..).unwrap_or_default());
    }

    /// The key as it came.
    pub(super) fn key(&self) -> Text<'a> {
        self.text.slice(0..self.key_len)
    }

    /// The value as it came, if there is one.
    pub(super) fn value(&self) -> Option<Text<'a>> {
        self.has_value.then(|| self.text.from(self.key_len + 1))
    }

    /// Returns whether neither key nor value is decoded, is empty, raises a flag or holds a credential: then the value is a
    /// secret if the key is sensitive, and not otherwise.
    #[inline]
    pub(super) fn is_quiet(&self, cx: Context<'_>) -> bool {
        let (key, rest) = self.text.bytes.split_at_checked(self.key_len).unwrap_or_default();
        let [_, value @ ..] = rest else { return false };
        HAS_FAST_PATHS
            && self.value_classes & (LOUD | EQUALS) == 0
            && !value.is_empty()
            && value.len() <= cx.settings.config.limits.long_value
            && self.key_classes & (LOUD | SPACE | AT | WAY) == 0
            // It may be `__proto__` or `_method`.
            && (self.key_classes & NO_ALNUM == 0 || key.first() != Some(&b'_') || key.len() < 7)
            && scan::cannot_flag(key, self.key_classes)
            && scan::cannot_flag(value, self.value_classes)
    }

    /// The key of a quiet token.
    #[inline]
    pub(super) fn quiet_key(&self) -> Key<'a> {
        Key::quiet(self.key().repaired(), self.key_classes)
    }

    /// Returns whether the value of a quiet token is a secret.
    #[inline]
    pub(super) fn is_secret(&self, cx: Context<'_>) -> bool {
        let key = self.text.bytes.get(..self.key_len).unwrap_or_default();
        cx.settings.names.matches_ascii(key)
    }
}
