//! A hash that is the same on every machine and in every version of a file: FNV-1a, then the finalizer of SplitMix64,
//! so that each bit depends on all of the input.

/// The hash of some bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(state)
}

/// Makes each bit depend on all of them.
pub(crate) fn mix(mut state: u64) -> u64 {
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_the_same() {
        assert_eq!(hash(b""), 0xf52a_15e9_a9b5_e89b);
        assert_ne!(hash(b"q.id"), hash(b"q.ie"));
    }
}
