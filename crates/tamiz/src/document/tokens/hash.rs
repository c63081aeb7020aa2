//! Cuts lines and hashes them in one pass, sixteen bytes at a time.

/// Two odd numbers without a pattern, from the digits of pi. Both have a byte that is a control character, which no
/// text of a document has: nobody can make a factor zero, which would forget all that came before.
const MIX: [u64; 2] = [0x2437_6a88_85a3_08d3, 0x1319_8a2e_0370_7345];
/// The lowest and the highest bit of each byte of a word.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Both halves of a product, so that each bit depends on all of both.
#[inline(always)]
pub(super) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ MIX[1]).wrapping_mul(u128::from(b ^ MIX[0]));
    product as u64 ^ (product >> 64) as u64
}

/// The hash of a text, thirty-two bytes at a time.
pub(super) fn hash_all(seed: u64, text: &[u8]) -> u64 {
    // Two products at once, which do not wait for each other.
    let mut states = (seed, seed.rotate_left(32));
    let (chunks, rest) = text.as_chunks::<32>();
    for chunk in chunks {
        states = hash_chunk(states, chunk);
    }
    let mut last = [0; 32];
    last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
    let (first, second) = hash_chunk(states, &last);
    fold(first ^ text.len() as u64, second)
}

#[inline(always)]
fn hash_chunk((first, second): (u64, u64), chunk: &[u8; 32]) -> (u64, u64) {
    let (Some(left), Some(right)) = (chunk.first_chunk::<16>(), chunk.last_chunk::<16>()) else {
        return (first, second);
    };
    let ((a, b), (c, d)) = (words(left), words(right));
    (fold(first ^ a, b), fold(second ^ c, d))
}

/// The hash of what stands before the first `END` or line end, and how long that is. The hash of a text does not depend
/// on what follows.
#[inline(always)]
pub(super) fn hash_until<const END: u8>(seed: u64, text: &[u8]) -> (u64, usize) {
    let mut state = seed;
    let (chunks, rest) = text.as_chunks::<16>();
    let mut before = 0_usize;
    for chunk in chunks {
        let (low, high) = words(chunk);
        if may_end::<END>(low, high) && (ends::<END>(low) | ends::<END>(high)) != 0 {
            return last::<END>(state, before, low, high);
        }
        state = fold(state ^ low, high);
        before = before.wrapping_add(16);
    }
    let mut padded = [b'\n'; 16];
    padded.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
    let (low, high) = words(&padded);
    last::<END>(state, before, low, high)
}

/// Returns whether one of these bytes may be an end: the only byte of a document below a space is its line end. Bytes
/// beyond ASCII are taken for one too.
#[inline(always)]
fn may_end<const END: u8>(low: u64, high: u64) -> bool {
    END != b'\n' || (low.wrapping_sub(LOW << 5) | high.wrapping_sub(LOW << 5)) & HIGH != 0
}

#[inline(always)]
fn words(chunk: &[u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(*chunk);
    (both as u64, (both >> 64) as u64)
}

/// The last bytes of a text, one of which ends it.
#[inline(always)]
fn last<const END: u8>(state: u64, before: usize, low: u64, high: u64) -> (u64, usize) {
    let in_low = ends::<END>(low);
    // The bits before the first end.
    let (bits, low, high) = if in_low == 0 {
        let bits = ends::<END>(high).trailing_zeros() & !7;
        (bits.wrapping_add(64), low, high & below(bits))
    } else {
        let bits = in_low.trailing_zeros() & !7;
        (bits, low & below(bits), 0)
    };
    let at = before.wrapping_add(bits as usize >> 3);
    (fold(state ^ low, high ^ (at as u64).rotate_left(48)), at)
}

#[inline(always)]
fn below(bits: u32) -> u64 {
    !u64::MAX.checked_shl(bits).unwrap_or_default()
}

/// Has the highest bit of each byte that ends a text; above the first such byte of others, too.
#[inline(always)]
fn ends<const END: u8>(word: u64) -> u64 {
    let same = |byte: u8| {
        let differing = word ^ LOW.wrapping_mul(byte.into());
        differing.wrapping_sub(LOW) & !differing & HIGH
    };
    if END == b'\n' { same(END) } else { same(END) | same(b'\n') }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn texts_are_cut_and_told_apart() {
        let mut seen = BTreeSet::new();
        for length in 0..70 {
            for odd in (0..length).map(Some).chain([None]) {
                let mut text = vec![b'a'; length];
                if let Some(odd) = odd {
                    text[odd] = b'b';
                }
                let (hash, end) = hash_until::<b'\n'>(7, &text);
                assert_eq!(end, length);
                assert!(seen.insert(hash), "{length} {odd:?}");
                for behind in ["\n", "\nb", "\n\n&\x0b\x09aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "&", "&b\n"] {
                    let whole = [&text, behind.as_bytes()].concat();
                    assert_eq!(hash_until::<b'&'>(7, &whole), (hash, length));
                    if behind.starts_with('\n') {
                        assert_eq!(hash_until::<b'\n'>(7, &whole), (hash, length));
                    }
                }
            }
        }
    }

    #[test]
    fn whole_texts_are_told_apart() {
        let mut seen = BTreeSet::new();
        for length in 0..100 {
            for odd in (0..length).map(Some).chain([None]) {
                let mut text = vec![b'a'; length];
                if let Some(odd) = odd {
                    text[odd] = b'b';
                }
                assert!(seen.insert(hash_all(7, &text)), "{length} {odd:?}");
                assert_ne!(hash_all(7, &text), hash_all(8, &text));
            }
        }
    }

    #[test]
    fn no_text_makes_a_factor_zero() {
        assert!(MIX.iter().all(|mix| mix.to_le_bytes().iter().take(6).any(|byte| *byte < b' ')));
    }

    #[test]
    fn bytes_like_a_line_end_are_none() {
        for byte in (0..=255_u8).filter(|byte| *byte != b'\n') {
            for at in 0..17 {
                let mut text = [b'x'; 40];
                text[at] = byte;
                text[20] = b'\n';
                assert_eq!(hash_until::<b'\n'>(1, &text).1, 20);
            }
        }
    }
}
