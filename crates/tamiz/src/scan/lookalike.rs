//! Look-alike characters (clause 7.9): what NFKC and best-fit mappings make of a value.

use std::sync::LazyLock;

use super::characters::dangerous;
use super::{Kind, Look};
use crate::bytes;
use crate::decode::{Char, char_indices, unicode};
use crate::flags::{Flag, Flags};
use crate::lists::BEST_FIT;
use crate::text::Builder;

/// The best-fit table, by character.
static TABLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut table: Vec<(char, char)> = BEST_FIT
        .iter()
        .filter_map(|(code, plain)| {
            let code = u32::from_str_radix(code.strip_prefix("U+")?, 16).ok()?;
            Some((char::from_u32(code)?, plain.chars().next()?))
        })
        .collect();
    table.sort_unstable();
    table
});

/// Raises `BESTFIT`, and looks at what the value becomes.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(super) fn tell<'a>(look: &Look<'a>, flags: &mut Flags<'a>) {
    let text = look.text;
    if look.seen & bytes::HIGH == 0 {
        return;
    }
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    look.cx.spare.with(|becomes| {
        for (at, c) in char_indices(text.bytes) {
            let Char::Plain(c) = c else { continue };
            becomes.clear();
            if !put_mapped(c, becomes) {
                continue;
            }
            let range = at..at + c.len_utf8();
            for plain in becomes.iter().filter(|plain| plain.is_ascii()) {
                if let Some(flag) = dangerous(char::from(*plain)).filter(|_| look.kind != Kind::Brands) {
                    look.raise(Flag::BestFit, range.clone(), flags);
                    if look.kind != Kind::Cookie {
                        look.raise(flag, range.clone(), flags);
                    }
                }
            }
            let builder =
                builder.get_or_insert_with(|| Builder::new(look.cx.bump, text.is_traced(), text.len()));
            builder.copy(text.slice(copied..at));
            builder.put(becomes, text.slice(range.clone()));
            copied = range.end;
        }
    });
    if let Some(mut builder) = builder {
        builder.copy(text.from(copied));
        look.at(builder.finish()).tell(flags);
    }
}

/// Appends what another layer makes of a character, where that is something else; whether it is.
/// Typographic quotes, U+2018 to U+201D, are in no table and their own NFKC: prose is full of them.
fn put_mapped(c: char, out: &mut Vec<u8>) -> bool {
    if c.is_ascii() {
        return false;
    }
    let known = TABLE.binary_search_by_key(&c, |(known, _)| *known).ok().and_then(|at| TABLE.get(at));
    match known {
        Some((_, plain)) => out.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes()),
        None => return unicode::put_nfkc_of(c, out),
    }
    true
}
