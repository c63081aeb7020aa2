//! Values of queries, forms and bodies: scanned, and secret or not.

use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::scan::{self, Kind};
use crate::shape;
use crate::show::marker;
use crate::text::Classified;

/// Scans a value and decides whether it is a secret, by the name it goes by or by itself.
pub(crate) fn scan_value<'a>(
    classified: Classified<'a>,
    kind: Kind,
    sensitive: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    let Classified { text: value, classes } = classified;
    if marker::is_left(value.bytes, sensitive, cx) {
        flags.raise(Flag::Marker, value);
        return false;
    }
    if kind == Kind::Value && classes & bytes::DOT != 0 && shape::is_jwt(value.bytes) {
        flags.raise(Flag::Jwt, value);
    }
    scan::scan_for_secret(classified, kind, sensitive, cx, flags)
}
