//! Names that make a secret of their value, in every spelling (clause 6.10).

use super::beyond_ascii;
use crate::bytes::{self, ENCODED, HIGH};
use crate::context::Context;
use crate::decode::{self, GUARD, entities, percent, utf8};
use crate::names::SensitiveNames;
use crate::text::Text;

impl SensitiveNames {
    /// Returns whether the value under `name` is a secret. `classes` is the union of the classes of its bytes.
    pub(crate) fn matches(&self, name: &[u8], classes: u32, cx: Context<'_>) -> bool {
        if classes & (HIGH | ENCODED) == 0 {
            return self.matches_ascii(name);
        }
        self.matches_plain(name, cx) || classes & ENCODED != 0 && self.matches_decoded(name, cx)
    }

    /// Returns whether the value under `name` is a secret, where nothing in the name is encoded.
    pub(super) fn matches_plain(&self, name: &[u8], cx: Context<'_>) -> bool {
        if name.is_ascii() { self.matches_ascii(name) } else { beyond_ascii::matches(name, &self.extra, cx) }
    }

    /// Returns whether a name is sensitive once its escapes are decoded, or then its entities.
    fn matches_decoded(&self, name: &[u8], cx: Context<'_>) -> bool {
        let name = cx.bump.alloc_slice_copy(name);
        let decoded = decode_escapes(Text::untraced(name), cx);
        let plain = entities::decode_value(decoded, cx, &mut cx.flags());
        decoded.bytes != name && self.matches_plain(decoded.bytes, cx)
            || plain.bytes != decoded.bytes && self.matches_plain(plain.bytes, cx)
    }
}

/// Decodes the percent escapes of a name that was decoded already: to another layer, guarded bytes are bytes.
fn decode_escapes<'a>(name: Text<'a>, cx: Context<'a>) -> Text<'a> {
    if bytes::position(GUARD, name.bytes).is_none() {
        return percent::decode(name, percent::Field::Other, cx, &mut cx.flags());
    }
    let bytes = decode::replaced(name, GUARD, decode::escape, cx);
    let bytes = decode::replaced(bytes, b'%', bytes::escape, cx);
    utf8::repair(bytes, cx, &mut cx.flags())
}
