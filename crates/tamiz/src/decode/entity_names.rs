//! The names of HTML5 entities (clause 4.12), looked up in a sorted text.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one text of known length, most of them at compile time"
)]

/// Every name that ends with `;`, without it, in the order of bytes, with what it stands for: `amp &`. `Tab` and `NewLine`
/// are not in it, since a line cannot have them.
static NAMES: &[u8] = include_bytes!("entities.txt");

/// How many lines there are.
const COUNT: usize = 2123;

/// No name is longer.
const LONGEST: usize = 31;

/// Where each line begins, and the end of the text.
static STARTS: [u16; COUNT + 1] = starts();

#[allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "runs at compile time, where a wrong index is an error; the length is asserted"
)]
const fn starts() -> [u16; COUNT + 1] {
    assert!(NAMES.len() <= u16::MAX as usize);
    let mut starts = [0; COUNT + 1];
    let (mut at, mut line) = (0, 0);
    while at < NAMES.len() {
        if NAMES[at] == b'\n' {
            line += 1;
            starts[line] = (at + 1) as u16;
        }
        at += 1;
    }
    assert!(line == COUNT);
    starts
}

/// Returns what a name stands for; neither `&` nor `;` belongs to it.
pub(super) fn expansion(name: &[u8]) -> Option<&'static [u8]> {
    // Most of what stands between `&` and `;` is no name: `a=1`.
    if name.len() > LONGEST || !name.iter().all(u8::is_ascii_alphanumeric) {
        return None;
    }
    match name {
        b"Tab" => return Some(b"\t"),
        b"NewLine" => return Some(b"\n"),
        _ => {}
    }
    let (mut low, mut high) = (0, COUNT);
    while low < high {
        let middle = low.midpoint(high);
        let (known, expansion) = line(middle)?;
        match known.cmp(name) {
            std::cmp::Ordering::Equal => return Some(expansion),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

/// Returns the name and the text of a line.
fn line(at: usize) -> Option<(&'static [u8], &'static [u8])> {
    let start = usize::from(*STARTS.get(at)?);
    let end = usize::from(*STARTS.get(at + 1)?).checked_sub(1)?;
    let line = NAMES.get(start..end)?;
    let space = line.iter().position(|&byte| byte == b' ')?;
    Some((line.get(..space)?, line.get(space + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table is that of the standard, as another crate has it.
    #[test]
    fn every_name_and_no_other() {
        let mut count = 0;
        for (entity, expected) in &htmlize::ENTITIES {
            let name = entity.strip_prefix(b"&").unwrap();
            let Some(name) = name.strip_suffix(b";") else { continue };
            assert_eq!(expansion(name), Some(*expected), "{}", String::from_utf8_lossy(name));
            count += 1;
        }
        assert_eq!(count, COUNT + 2);
        assert_eq!(htmlize::ENTITY_MAX_LENGTH, LONGEST + 2);
        for name in [&b""[..], b"am", b"ampp", b"AMp", b"zzzz", b"A", b"a=1", b"amp ", b"amp;", b"1"] {
            assert_eq!(expansion(name), None, "{}", String::from_utf8_lossy(name));
        }
    }
}
