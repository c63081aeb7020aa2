//! Values of queries, forms and bodies: scanned, and secret or not.

use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::scan::{self, Kind};
use crate::shape;
use crate::show::marker;
use crate::text::Text;

/// Scans a value and decides whether it is a secret, by the name it goes by or by itself.
pub(crate) fn look_at_value<'a>(
    value: Text<'a>,
    kind: Kind,
    sensitive: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    look_at_value_seen(value, bytes::union(value.bytes), kind, sensitive, cx, flags)
}

/// The same, where the union of the classes of its bytes is known.
pub(crate) fn look_at_value_seen<'a>(
    value: Text<'a>,
    seen: u32,
    kind: Kind,
    sensitive: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    let names = &cx.settings.names;
    if marker::is_left(value.bytes, sensitive, cx) {
        flags.raise(Flag::Marker, value);
        return false;
    }
    let secret = sensitive || names.find_credential_seen(value.bytes, seen, cx).is_some();
    if kind == Kind::Value && seen & bytes::DOT != 0 && shape::is_jwt(value.bytes) {
        flags.raise(Flag::Jwt, value);
    }
    if secret {
        flags.hide(value);
    }
    scan::scan_seen(value, seen, kind, secret, cx, flags);
    secret
}
