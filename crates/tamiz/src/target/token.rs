//! Tokens of queries and forms as they came: cut at their first `=`, and those that are told from their bytes alone.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice")]

use std::ops::Range;

use crate::bytes::{
    self, AT, BANG, COLON, CONTROL, DANGER, ENCODED, EQUALS, HIGH, NO_ALNUM, SLASH, SPACE, WAY, WORD_SIGN,
};
use crate::context::{Context, HAS_FAST_PATHS};
use crate::inspect::Key;
use crate::scan;
use crate::show::NameShown;
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
    /// Whether the key, which has a value, is one of the common names, and then whether it makes a secret of that.
    common: Option<bool>,
    /// The union of the classes of the bytes of the key, unless that is one of the common names.
    pub(super) key_classes: u32,
    /// The union of the classes of the bytes of the value.
    pub(super) value_classes: u32,
}

impl<'a> Token<'a> {
    /// Cuts a token of a query, or of a part of it that ends with the token, at its first `=`, if there is one.
    #[inline(always)]
    pub(super) fn cut(query: Text<'a>, range: Range<usize>, cx: Context<'_>) -> Option<Self> {
        let rest = query.bytes.get(range.start..)?;
        let bytes = rest.get(..range.end - range.start)?;
        let equals = bytes::position_near(b'=', bytes);
        let (key, value) = match equals.and_then(|at| bytes.split_at_checked(at)) {
            Some((key, [_, value @ ..])) => (key, Some(value)),
            _ => (bytes, None),
        };
        let common = value.and_then(|_| cx.settings.names.matches_common(rest, key.len()));
        let key_classes = if common.is_some() { 0 } else { bytes::union(key) };
        let value_classes = bytes::union(value.unwrap_or_default());
        Some(Token { text: query.piece(bytes), key, value, common, key_classes, value_classes })
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
        self.common.is_some()
            || HAS_FAST_PATHS
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
        let text = self.key().repaired();
        match self.common {
            Some(_) => Key { text, shown: NameShown::Text },
            None => Key::quiet(text, self.key_classes),
        }
    }

    /// Returns whether the key, which is quiet, is that of an array.
    #[inline(always)]
    pub(super) fn is_array(&self) -> bool {
        self.key_classes & WAY != 0 && self.key.ends_with(b"[]")
    }

    /// Returns whether the value under the key, which is quiet, is a secret.
    #[inline(always)]
    pub(super) fn is_sensitive(&self, cx: Context<'_>) -> bool {
        self.common.unwrap_or_else(|| cx.settings.names.matches_ascii(self.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn common_keys_are_quiet() {
        with_context(|cx| {
            let is_quiet = |name: &&str| {
                let text = format!("a&{name}=1&b=2");
                let token = Token::cut(Text::untraced(text.as_bytes()), 2..name.len() + 4, cx).unwrap();
                let slow = Token { common: None, key_classes: bytes::union(name.as_bytes()), ..token };
                assert!(token.common.is_some() && token.is_quiet(cx) && !token.is_array());
                slow.is_quiet(cx)
                    && !slow.is_array()
                    && token.quiet_key().shown == slow.quiet_key().shown
                    && token.is_sensitive(cx) == slow.is_sensitive(cx)
            };
            let names = crate::names::common::NAMES.split_ascii_whitespace();
            let loud: Vec<&str> = names.filter(|name| !is_quiet(name)).collect();
            assert!(loud.is_empty(), "{loud:?}");
        });
    }
}
