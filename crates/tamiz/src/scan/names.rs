//! Keys that steer what reads them (clause 8.34): prototypes and query operators.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::bytes;
use crate::flags::{Flag, Flags};
use crate::lists::QUERY_OPERATORS;
use crate::text::Text;

/// Raises `PROTO` and `JOPER` by the names a key is made of: `a[$ne]`, `x.__proto__.y`. `above` is the key that it is in, which may be
/// made of several names too. Returns whether it raised one.
pub(crate) fn names<'a>(
    key: Text<'a>,
    above: impl FnOnce() -> Option<&'a [u8]>,
    flags: &mut Flags<'a>,
) -> bool {
    let is_cut = |byte: &u8| matches!(byte, b'.' | b'[' | b']');
    let mut steers = false;
    if may_steer(key.bytes) {
        let mut before = above().and_then(|above| above.split(is_cut).rfind(|name| !name.is_empty()));
        for name in key.split(|byte| is_cut(&byte)).filter(|name| !name.is_empty()) {
            steers |= self::name(name, || before, flags);
            before = Some(name.bytes);
        }
    }
    steers
}

/// Returns whether a key has what one of the names that steer has: `$`, or `proto`.
fn may_steer(key: &[u8]) -> bool {
    static PROTO: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("proto"));
    bytes::position(b'$', key).is_some() || PROTO.find(key).is_some()
}

/// `METHODOVERRIDE`: the key that frameworks read another method from.
pub(crate) fn method_key<'a>(key: Text<'a>, flags: &mut Flags<'a>) {
    if key.bytes.eq_ignore_ascii_case(b"_method") {
        flags.raise(Flag::MethodOverride, key);
    }
}

/// Does what [`names`] does, for one name that is not cut and the one above it.
pub(crate) fn name<'a>(
    name: Text<'a>,
    above: impl FnOnce() -> Option<&'a [u8]>,
    flags: &mut Flags<'a>,
) -> bool {
    let bytes = name.bytes;
    let is_prototype = bytes == b"__proto__" || bytes == b"prototype" && above() == Some(b"constructor");
    if is_prototype {
        flags.raise(Flag::Proto, name);
    }
    let is_operator =
        bytes.first() == Some(&b'$') && QUERY_OPERATORS.iter().any(|known| known.as_bytes() == bytes);
    if is_operator {
        flags.raise(Flag::JOper, name);
    }
    is_prototype || is_operator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_steers_is_looked_at() {
        for name in QUERY_OPERATORS.iter().copied().chain(["__proto__", "constructor.prototype"]) {
            assert!(may_steer(name.as_bytes()), "{name}");
        }
        assert!(!may_steer(b"user_name"));
    }
}
