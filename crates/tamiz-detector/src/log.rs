//! The binary logarithm of integers, in fixed point: the same bits on every machine.

/// Bits of the fraction.
pub(crate) const FRACTION: u32 = 16;
/// One, in fixed point.
pub(crate) const ONE: i64 = 1 << FRACTION;

/// The binary logarithm of `n`, rounded down to a multiple of 2^-16; that of 0 is taken to be 0.
///
/// The digits of the fraction come one by one: the square of a mantissa is at least two exactly when the next digit is 1.
pub(crate) fn log2(n: u64) -> i64 {
    if n == 0 {
        return 0;
    }
    let whole = n.ilog2();
    // A mantissa in [1, 2) with 31 bits behind the point.
    let mut mantissa = if whole > 31 { n >> (whole - 31) } else { n << (31 - whole) };
    let mut out = i64::from(whole) << FRACTION;
    for digit in (0..FRACTION).rev() {
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            out |= 1 << digit;
        }
    }
    out
}

/// The binary logarithm of `1 + x`, for `x` in fixed point and not negative.
pub(crate) fn log2_1p(x: i64) -> i64 {
    log2(x.max(0).saturating_add(ONE).unsigned_abs()) - i64::from(FRACTION) * ONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_floating_point() {
        for n in (1..2000).chain([u64::from(u32::MAX), 1 << 40, (1 << 40) + 12345, u64::MAX]) {
            let exact = (n as f64).log2();
            let fixed = log2(n) as f64 / ONE as f64;
            assert!((exact - fixed).abs() < 3.0 / ONE as f64, "{n}: {exact} {fixed}");
        }
        assert_eq!(log2(0), 0);
        assert_eq!(log2(1 << 20), 20 * ONE);
        assert_eq!(log2_1p(0), 0);
        assert_eq!(log2_1p(3 * ONE), 2 * ONE);
        assert_eq!(log2_1p(-5), 0);
    }

    #[test]
    fn never_falls() {
        assert!((1..100_000_u64).all(|n| log2(n) <= log2(n + 1)));
    }
}
