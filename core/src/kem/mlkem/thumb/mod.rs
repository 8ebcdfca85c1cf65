//! Transforms and products in assembly, for ARMv7E-M.

use super::field::{Q, Q_INVERSE, zeta};
use super::ntt::{SCALE, SCALE_DIFFERENCE, reverse};
use super::poly::{NttPoly, Poly, ROOTS};
use crate::kem::lattice::inverse_of_odd;

/// A factor of Plantard's multiplication of words (T. Plantard, "Efficient Word Size Modular Multiplication"; J. Huang et
/// al., "Improved Plantard Arithmetic for Lattice-based Cryptography"): times -2^32 modulo q, then times 1/q modulo 2^32.
const fn factor(value: u32) -> u32 {
    let q = Q as u64;
    let form = value as u64 * (q - (1 << 32) % q) % q;
    (form as u32).wrapping_mul(Q_INVERSE_32)
}

/// 1/q modulo 2^32.
const Q_INVERSE_32: u32 = inverse_of_odd(Q as u32);

/// Numbers of the butterflies of three layers on eight words: block `block` of the first of them, layer `layer`.
const fn three_layers(layer: u32, block: usize) -> [usize; 7] {
    let first = (1 << layer) + block;
    [first, 2 * first, 2 * first + 1, 4 * first, 4 * first + 1, 4 * first + 2, 4 * first + 3]
}

/// Twiddles of [`ntt`] in the order in which it meets them.
static TWIDDLES: [u32; 128] = {
    let mut factors = [0; 128];
    let mut at = 0;
    let mut block = 0;
    while block <= 8 {
        let numbers = if block == 0 { three_layers(0, 0) } else { three_layers(3, block - 1) };
        let mut i = 0;
        while i < 7 {
            factors[at] = factor(zeta(reverse(numbers[i])));
            (at, i) = (at + 1, i + 1);
        }
        block += 1;
    }
    factors[at] = factor(1);
    at += 1;
    while at < 128 {
        factors[at] = factor(zeta(reverse(at)));
        at += 1;
    }
    factors
};

/// Twiddles of [`inverse_ntt`] in the order in which it meets them.
static INVERSE_TWIDDLES: [u32; 129] = {
    let mut factors = [0; 129];
    factors[0] = factor(1);
    let mut at = 1;
    let mut block = 0;
    while block < 16 + 2 {
        let numbers = if block < 16 { three_layers(4, block) } else { three_layers(1, block - 16) };
        let mut i = 0;
        while i < 7 {
            // Last layer first.
            factors[at] = factor(zeta(-reverse(numbers[[3, 4, 5, 6, 1, 2, 0][i]])));
            (at, i) = (at + 1, i + 1);
        }
        block += 1;
    }
    factors[at] = factor(SCALE);
    factors[at + 1] = factor(SCALE_DIFFERENCE);
    factors
};

/// [`ntt::ntt`](super::ntt::ntt).
pub(super) fn ntt(from: &mut Poly, to: &mut NttPoly) {
    assembly::ntt(&mut from.0, &mut to.0, &TWIDDLES);
}

/// [`ntt::inverse_ntt`](super::ntt::inverse_ntt).
pub(super) fn inverse_ntt(from: &mut NttPoly, to: &mut Poly) {
    assembly::inverse_ntt(&mut from.0, &mut to.0, &INVERSE_TWIDDLES);
}

/// [`poly::add_product`](super::poly::add_product).
pub(super) fn add_product(sum: &mut NttPoly, a: &NttPoly, b: &NttPoly) {
    assembly::add_product(&mut sum.0, &a.0, &b.0, ROOTS.values());
}

/// Words in registers have 32 bits: arrays of coefficients are aligned to that by their types.
#[expect(unsafe_code, reason = "assembly")]
mod assembly {
    use super::super::poly::{N, PAIRS};
    use super::{Q, Q_INVERSE};
    use core::arch::naked_asm;

    type Words = [i16; N];

    /// `from` is used up. Both are aligned to four bytes.
    pub(super) fn ntt(from: &mut Words, to: &mut Words, factors: &[u32; 128]) {
        // SAFETY: reads and writes 256 halfwords from each of the first two, and reads 128 words from the third.
        unsafe { ntt_rounds(from, to, factors) }
    }

    /// `from` is used up. Both are aligned to four bytes.
    pub(super) fn inverse_ntt(from: &mut Words, to: &mut Words, factors: &[u32; 129]) {
        // SAFETY: reads 256 halfwords from the first, writes them to the second, and reads 129 words from the third.
        unsafe { inverse_ntt_rounds(from, to, factors) }
    }

    pub(super) fn add_product(sum: &mut Words, a: &Words, b: &Words, roots: &[i16; PAIRS]) {
        // SAFETY: reads 256 halfwords from each of the first three and writes them to the first, and reads 128 from the last.
        unsafe { product(sum, a, b, roots) }
    }

    #[unsafe(naked)]
    unsafe extern "C" fn ntt_rounds(from: *mut Words, to: *mut Words, factors: *const [u32; 128]) {
        naked_asm!(concat!(include_str!("ntt_macros.s"), include_str!("ntt_forward.s")), q = const Q)
    }

    #[unsafe(naked)]
    unsafe extern "C" fn inverse_ntt_rounds(from: *mut Words, to: *mut Words, factors: *const [u32; 129]) {
        naked_asm!(concat!(include_str!("ntt_macros.s"), include_str!("ntt_inverse.s")), q = const Q)
    }

    #[unsafe(naked)]
    unsafe extern "C" fn product(sum: *mut Words, a: *const Words, b: *const Words, roots: *const [i16; PAIRS]) {
        naked_asm!(include_str!("product.s"), q = const Q, q_inverse = const Q_INVERSE as u16)
    }
}
