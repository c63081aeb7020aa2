//! A request that someone else has cut already: parts that no wire parser would give among them.

#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tamiz::Parts;
use tamiz_fuzz::canonicalizer;
use tamiz_fuzz::properties::check_fresh;

/// The input: two bytes that choose, then fields, each behind its length (`cargo x fuzz` writes
/// seeds in this form).
#[derive(Debug)]
struct Input<'a> {
    choice: u8,
    parts: Parts<'a>,
}

const HAS_SCHEME: u8 = 1;
const HAS_AUTHORITY: u8 = 2;
const HAS_VERSION: u8 = 4;
const HAS_BODY: u8 = 8;

impl<'a> Arbitrary<'a> for Input<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let (choice, there): (u8, u8) = (u.arbitrary()?, u.arbitrary()?);
        let mut parts = Parts::new(field(u)?, field(u)?);
        parts.scheme = optional(u, there & HAS_SCHEME)?;
        parts.authority = optional(u, there & HAS_AUTHORITY)?;
        parts.version = optional(u, there & HAS_VERSION)?;
        parts.body = optional(u, there & HAS_BODY)?;
        while !u.is_empty() {
            parts.header(field(u)?, field(u)?);
        }
        Ok(Input { choice, parts })
    }
}

/// Two bytes of length, little-endian, and as many bytes as there are.
fn field<'a>(u: &mut Unstructured<'a>) -> Result<&'a [u8]> {
    let len = usize::from(u.arbitrary::<u16>()?);
    u.bytes(len.min(u.len()))
}

fn optional<'a>(u: &mut Unstructured<'a>, is_there: u8) -> Result<Option<&'a [u8]>> {
    if is_there == 0 { Ok(None) } else { field(u).map(Some) }
}

fuzz_target!(|input: Input<'_>| {
    let parts = &input.parts;
    // The colon and the line end of a header count: the bound is that of a request on the wire.
    let headers = parts.headers.iter().map(|(name, value)| name.len() + value.len() + 2);
    let others = [Some(parts.method), Some(parts.target), parts.scheme, parts.authority, parts.body];
    let len = headers.sum::<usize>() + others.into_iter().flatten().map(<[u8]>::len).sum::<usize>();
    let tamiz = canonicalizer(input.choice);
    let document = tamiz.canonicalize_parts(parts);
    check_fresh(tamiz, &document, len).unwrap();
    assert_eq!(tamiz.canonicalize_parts(parts), document, "the same parts give the same text");
});
