//! Arithmetic modulo q = 3329 in 16-bit words, by multiplications alone: no division, no branch.

use crate::kem::lattice::inverse_of_odd;

/// The modulus (FIPS 203, section 2.4).
pub(super) const Q: i16 = 3329;
/// The multiplicative order of [`ZETA`]: n of the scheme.
const ZETA_ORDER: u32 = 256;
/// A primitive 256th root of unity modulo q (FIPS 203, section 4.3).
const ZETA: u32 = 17;

/// The Montgomery radix is 2^16, the range of a word.
pub(super) const RADIX: u32 = 1 << 16;

/// `base`^`exponent` modulo q.
pub(super) const fn power(base: u32, mut exponent: u32) -> u32 {
    let (mut base, mut result) = (base, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % Q as u32;
        }
        base = base * base % Q as u32;
        exponent >>= 1;
    }
    result
}

/// The inverse of `value` modulo the prime q (Fermat).
pub(super) const fn inverse(value: u32) -> u32 {
    power(value, Q as u32 - 2)
}

/// `ZETA`^`exponent` modulo q, for any sign of the exponent.
pub(super) const fn zeta(exponent: i32) -> u32 {
    power(ZETA, exponent.rem_euclid(ZETA_ORDER as i32) as u32)
}

const _: () = assert!(power(ZETA, ZETA_ORDER / 2) == Q as u32 - 1, "ZETA is a primitive 256th root of unity");

/// 1/q modulo the radix, as a signed word.
pub(super) const Q_INVERSE: i16 = inverse_of_odd(Q as u32) as i16;

/// A constant factor of a Montgomery multiplication, with what of the multiplication depends on it alone.
#[derive(Clone, Copy)]
pub(super) struct Twiddle {
    /// The factor times the radix, centred modulo q.
    value: i16,
    /// `value`/q modulo the radix.
    quotient: i16,
}

impl Twiddle {
    /// The factor `value` (from 0 to q - 1).
    pub(super) const fn new(value: u32) -> Self {
        let form = (value as u64 * RADIX as u64 % Q as u64) as i16;
        let value = if form > Q / 2 { form - Q } else { form };
        Self { value, quotient: value.wrapping_mul(Q_INVERSE) }
    }
}

/// [`Twiddle`]s of adjacent coefficients, laid out for vector loads.
#[repr(C, align(4))]
pub(super) struct Twiddles<const N: usize> {
    values: [i16; N],
    quotients: [i16; N],
}

impl<const N: usize> Twiddles<N> {
    /// No factors yet.
    pub(super) const ZERO: Self = Self { values: [0; N], quotients: [0; N] };

    /// Sets the factor at `index`.
    pub(super) const fn set(&mut self, index: usize, factor: Twiddle) {
        self.values[index] = factor.value;
        self.quotients[index] = factor.quotient;
    }

    /// The factors alone, times the radix.
    #[cfg(armv7em)]
    pub(super) const fn values(&self) -> &[i16; N] {
        &self.values
    }

    /// The factor at `index`.
    #[inline(always)]
    pub(super) const fn at(&self, index: usize) -> Twiddle {
        Twiddle { value: self.values[index], quotient: self.quotients[index] }
    }
}

/// The upper word of the product.
#[inline(always)]
const fn high(a: i16, b: i16) -> i16 {
    ((a as i32 * b as i32) >> 16) as i16
}

/// `value` · `factor` modulo q, for any word: at most q/2 + |value|/39 in absolute value (q/2 · |value| / 2^16 + q/2).
#[inline(always)]
pub(super) const fn mont_mul_const(value: i16, factor: Twiddle) -> i16 {
    high(value, factor.value) - high(value.wrapping_mul(factor.quotient), Q)
}

/// `a` · `b` / 2^16 modulo q: at most |a · b| / 2^16 + q/2 in absolute value.
#[inline(always)]
pub(super) const fn mont_mul(a: i16, b: i16) -> i16 {
    high(a, b) - high(a.wrapping_mul(b).wrapping_mul(Q_INVERSE), Q)
}

/// `value` modulo q, centred: from -(q - 1)/2 to (q - 1)/2, for any word (Barrett).
#[inline(always)]
pub(super) const fn reduce(value: i16) -> i16 {
    const SHIFT: u32 = 26;
    const FACTOR: i16 = (((1 << SHIFT) + Q as i32 / 2) / Q as i32) as i16;
    const ROUND: i16 = 1 << (SHIFT - 16 - 1);
    let quotient = (high(value, FACTOR) + ROUND) >> (SHIFT - 16);
    value.wrapping_sub(quotient.wrapping_mul(Q))
}

/// `value` modulo q, from 0 to q - 1, for any word.
#[inline(always)]
pub(super) const fn canonical(value: i16) -> u16 {
    let centred = reduce(value);
    (centred + (centred >> 15 & Q)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULUS: i32 = Q as i32;

    fn congruent(a: i32, b: i32) -> bool {
        (a - b) % MODULUS == 0
    }

    #[test]
    fn reduction_is_right_for_every_word() {
        for value in i16::MIN..=i16::MAX {
            let centred = reduce(value);
            assert!(congruent(centred.into(), value.into()) && (-Q / 2..=Q / 2).contains(&centred), "{value}");
            assert_eq!(i32::from(canonical(value)), i32::from(value).rem_euclid(MODULUS));
        }
    }

    #[test]
    fn scaling_is_right_and_bounded_for_every_word() {
        for factor in [0, 1, 2, 17, 1664, 1665, 3303, 3328] {
            for value in i16::MIN..=i16::MAX {
                let scaled = mont_mul_const(value, Twiddle::new(factor));
                assert!(congruent(scaled.into(), i32::from(value) * factor as i32), "{value} by {factor}");
                assert!(
                    i32::from(scaled).abs() <= MODULUS / 2 + 1 + i32::from(value).abs() / 39,
                    "{value} by {factor}"
                );
            }
        }
    }

    #[test]
    fn products_are_right_and_bounded() {
        for a in (i16::MIN..=i16::MAX).step_by(7) {
            for b in [-1664, -1663, -1, 0, 1, 2, 1000, 1664] {
                let product = i32::from(mont_mul(a, b));
                assert!(congruent((product << 16) % MODULUS, i32::from(a) * i32::from(b)), "{a} by {b}");
                let bound = (i32::from(a) * i32::from(b)).abs() / 65536 + MODULUS / 2 + 1;
                assert!(product.abs() <= bound, "{a} by {b}");
            }
        }
    }

    #[test]
    fn inverses_invert() {
        for value in 1..Q as u32 {
            assert_eq!(value * inverse(value) % Q as u32, 1);
        }
        assert_eq!(zeta(5) * zeta(-5) % Q as u32, 1);
    }
}
