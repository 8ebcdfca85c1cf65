//! Single-precision arithmetic with Arm's NaNs, flags, rounding modes and flush-to-zero (DDI 0403, A2.5).
//!
//! Each operation is computed in double precision together with the sign of what the double missed. Rounded to odd (the
//! lowest bit set when anything was missed), such a double has enough bits that rounding it once more to single
//! precision gives the correctly rounded result in every mode.

use super::vfp::fpscr::{AHP, DN, DZC, FZ, IDC, IOC, IXC, OFC, UFC};

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7F80_0000;
const QUIET: u32 = 1 << 22;
const DEFAULT_NAN: u32 = 0x7FC0_0000;
/// The smallest normal single, 2^-126.
const SMALLEST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
/// 2^128: what rounds to this or beyond it overflows, even where the mode then gives the largest finite single.
const TOO_LARGE: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

/// Rounding modes in the order of FPSCR.RMode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Nearest,
    Up,
    Down,
    Zero,
}

/// FPSCR as arithmetic sees it.
pub(super) struct Env {
    fpscr: u32,
}

fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

fn is_signalling(x: u32) -> bool {
    is_nan(x) && x & QUIET == 0
}

fn is_infinite(x: u32) -> bool {
    x & !SIGN == INFINITY
}

fn is_zero(x: u32) -> bool {
    x & !SIGN == 0
}

fn value(x: u32) -> f64 {
    f32::from_bits(x).into()
}

/// `a + b` and what the rounding missed, exactly (Knuth's two-sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// Rounds to odd: `x` plus something of the sign of `missed`.
fn to_odd(x: f64, missed: f64) -> f64 {
    let bits = x.to_bits();
    if missed == 0.0 || bits & 1 != 0 {
        return x;
    }
    // Towards what was missed the next double is odd; away from it the truncation is one below and odd too.
    f64::from_bits(if (missed > 0.0) == (x > 0.0) { bits + 1 } else { bits - 1 })
}

impl Env {
    pub(super) fn new(fpscr: u32) -> Self {
        Env { fpscr }
    }

    pub(super) fn fpscr(&self) -> u32 {
        self.fpscr
    }

    fn raise(&mut self, flags: u32) {
        self.fpscr |= flags;
    }

    fn is(&self, bit: u32) -> bool {
        self.fpscr & bit != 0
    }

    fn rounding(&self) -> Round {
        match self.fpscr >> 22 & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// An operand; denormals become zero in flush-to-zero mode.
    fn input(&mut self, x: u32) -> u32 {
        if self.is(FZ) && x & INFINITY == 0 && !is_zero(x) {
            self.raise(IDC);
            return x & SIGN;
        }
        x
    }

    fn invalid(&mut self) -> u32 {
        self.raise(IOC);
        DEFAULT_NAN
    }

    /// The NaN that results from operands of which one is NaN: the first signalling one, else the first quiet one.
    fn propagate(&mut self, operands: &[u32]) -> Option<u32> {
        let signalling = operands.iter().copied().find(|&x| is_signalling(x));
        if signalling.is_some() {
            self.raise(IOC);
        }
        let chosen = signalling.or_else(|| operands.iter().copied().find(|&x| is_nan(x)))?;
        Some(if self.is(DN) { DEFAULT_NAN } else { chosen | QUIET })
    }

    /// Rounds a finite value (already rounded to odd) to single precision.
    fn round(&mut self, exact: f64) -> u32 {
        if exact == 0.0 {
            return if exact.is_sign_negative() { SIGN } else { 0 };
        }
        let tiny = exact.abs() < SMALLEST_NORMAL;
        let sign = if exact < 0.0 { SIGN } else { 0 };
        if tiny && self.is(FZ) {
            self.raise(UFC);
            return sign;
        }
        let nearest = exact as f32;
        let rounded = self.direct(exact, nearest, sign);
        if is_infinite(rounded) || exact.abs() >= TOO_LARGE {
            self.raise(OFC | IXC);
        } else if value(rounded) != exact {
            self.raise(if tiny { UFC | IXC } else { IXC });
        }
        rounded
    }

    /// Moves the nearest single to the one that the rounding mode wants.
    fn direct(&self, exact: f64, nearest: f32, sign: u32) -> u32 {
        let bits = nearest.to_bits();
        let close = f64::from(nearest);
        let mode = self.rounding();
        let outwards = mode == Round::Up && sign == 0 || mode == Round::Down && sign != 0;
        if mode == Round::Nearest || close == exact {
            return bits;
        }
        // Bit patterns grow with the magnitude, through infinity.
        match (outwards, close.abs() < exact.abs()) {
            (true, true) => bits + 1,
            (false, false) => bits - 1,
            _ => bits,
        }
    }

    /// The zero that an exact cancellation gives.
    fn cancelled(&self) -> u32 {
        if self.rounding() == Round::Down { SIGN } else { 0 }
    }

    pub(super) fn add(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.input(a), self.input(b));
        if let Some(nan) = self.propagate(&[a, b]) {
            return nan;
        }
        self.sum(a, b)
    }

    /// Subtraction is not the addition of a negated NaN.
    pub(super) fn sub(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.input(a), self.input(b));
        if let Some(nan) = self.propagate(&[a, b]) {
            return nan;
        }
        self.sum(a, b ^ SIGN)
    }

    fn sum(&mut self, a: u32, b: u32) -> u32 {
        match (is_infinite(a), is_infinite(b)) {
            (true, true) if a != b => return self.invalid(),
            (true, _) => return a,
            (_, true) => return b,
            _ => {}
        }
        if is_zero(a) && is_zero(b) {
            return if a == b { a } else { self.cancelled() };
        }
        let (sum, missed) = two_sum(value(a), value(b));
        if sum == 0.0 {
            return self.cancelled();
        }
        self.round(to_odd(sum, missed))
    }

    pub(super) fn mul(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.input(a), self.input(b));
        if let Some(nan) = self.propagate(&[a, b]) {
            return nan;
        }
        let sign = (a ^ b) & SIGN;
        if is_infinite(a) || is_infinite(b) {
            return if is_zero(a) || is_zero(b) { self.invalid() } else { sign | INFINITY };
        }
        // 24 by 24 bits fit a double.
        self.round(value(a) * value(b))
    }

    pub(super) fn div(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.input(a), self.input(b));
        if let Some(nan) = self.propagate(&[a, b]) {
            return nan;
        }
        let sign = (a ^ b) & SIGN;
        match (is_infinite(a), is_infinite(b), is_zero(a), is_zero(b)) {
            (true, true, ..) | (_, _, true, true) => return self.invalid(),
            (true, ..) => return sign | INFINITY,
            (_, true, ..) | (_, _, true, _) => return sign,
            (_, _, _, true) => {
                self.raise(DZC);
                return sign | INFINITY;
            }
            _ => {}
        }
        let (n, m) = (value(a), value(b));
        let quotient = n / m;
        let residue = (-quotient).mul_add(m, n);
        self.round(to_odd(quotient, residue * m.signum()))
    }

    /// `acc + a * b`, rounded once.
    pub(super) fn fma(&mut self, acc: u32, a: u32, b: u32) -> u32 {
        let (acc, a, b) = (self.input(acc), self.input(a), self.input(b));
        let bad_product = is_infinite(a) && is_zero(b) || is_zero(a) && is_infinite(b);
        if bad_product && is_nan(acc) && !is_signalling(acc) {
            return self.invalid();
        }
        if let Some(nan) = self.propagate(&[acc, a, b]) {
            return nan;
        }
        let sign = (a ^ b) & SIGN;
        let infinite_product = is_infinite(a) || is_infinite(b);
        if bad_product || infinite_product && is_infinite(acc) && acc & SIGN != sign {
            return self.invalid();
        }
        if is_infinite(acc) || infinite_product {
            return if infinite_product { sign | INFINITY } else { acc };
        }
        let product = value(a) * value(b);
        if product == 0.0 && is_zero(acc) {
            return if acc & SIGN == sign { sign } else { self.cancelled() };
        }
        let (sum, missed) = two_sum(product, value(acc));
        if sum == 0.0 {
            return self.cancelled();
        }
        self.round(to_odd(sum, missed))
    }

    pub(super) fn sqrt(&mut self, a: u32) -> u32 {
        let a = self.input(a);
        if let Some(nan) = self.propagate(&[a]) {
            return nan;
        }
        if is_zero(a) || a == INFINITY {
            return a;
        }
        if a & SIGN != 0 {
            return self.invalid();
        }
        let x = value(a);
        let root = x.sqrt();
        self.round(to_odd(root, (-root).mul_add(root, x)))
    }

    /// NZCV of a comparison; a quiet NaN is invalid only when `signal` is set.
    pub(super) fn compare(&mut self, a: u32, b: u32, signal: bool) -> u32 {
        let (a, b) = (self.input(a), self.input(b));
        if is_nan(a) || is_nan(b) {
            if signal || is_signalling(a) || is_signalling(b) {
                self.raise(IOC);
            }
            return 0b0011 << 28;
        }
        let (a, b) = (value(a), value(b));
        if a == b {
            0b0110 << 28
        } else if a < b {
            0b1000 << 28
        } else {
            0b0010 << 28
        }
    }

    /// To an integer of `bits` bits with `fraction` of them after the point; saturates.
    pub(super) fn fixed_of_float(&mut self, a: u32, bits: u32, fraction: u32, signed: bool, to_zero: bool) -> u32 {
        let a = self.input(a);
        if is_nan(a) {
            self.raise(IOC);
            return 0;
        }
        let scaled = value(a) * f64::from(1u32 << (fraction / 2)) * f64::from(1u32 << (fraction - fraction / 2));
        let rounded = match if to_zero { Round::Zero } else { self.rounding() } {
            Round::Nearest => scaled.round_ties_even(),
            Round::Up => scaled.ceil(),
            Round::Down => scaled.floor(),
            Round::Zero => scaled.trunc(),
        };
        let (low, high) = if signed {
            (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1) - 1.0)
        } else {
            (0.0, 2f64.powi(bits as i32) - 1.0)
        };
        if rounded < low || rounded > high {
            self.raise(IOC);
        } else if rounded != scaled {
            self.raise(IXC);
        }
        // A 16-bit result is extended to the register by its sign.
        rounded.clamp(low, high) as i64 as u32
    }

    /// From the low `bits` bits of a register, `fraction` of them after the point.
    pub(super) fn float_of_fixed(&mut self, x: u32, bits: u32, fraction: u32, signed: bool, nearest: bool) -> u32 {
        let unused = 32 - bits;
        let integer =
            if signed { i64::from((x << unused) as i32 >> unused) } else { i64::from((x << unused) >> unused) };
        let scale = 2f64.powi(-(fraction as i32));
        let saved = self.fpscr;
        if nearest {
            self.fpscr &= !(3 << 22); // fixed-point conversions round to nearest
        }
        let result = self.round(integer as f64 * scale);
        self.fpscr |= saved;
        result
    }

    pub(super) fn half_to_single(&mut self, x: u16) -> u32 {
        let (sign, exponent, fraction) = (u32::from(x >> 15) << 31, u32::from(x >> 10 & 31), u32::from(x & 0x3FF));
        match exponent {
            0 => {
                let magnitude = (f64::from(fraction) * 2f64.powi(-24)) as f32;
                sign | magnitude.to_bits()
            }
            31 if !self.is(AHP) && fraction == 0 => sign | INFINITY,
            31 if !self.is(AHP) => {
                let nan = sign | INFINITY | fraction << 13;
                self.propagate(&[nan]).unwrap_or(DEFAULT_NAN)
            }
            _ => sign | (exponent + 112) << 23 | fraction << 13,
        }
    }

    pub(super) fn single_to_half(&mut self, x: u32) -> u16 {
        let x = self.input(x);
        let sign = (x >> 16 & 0x8000) as u16;
        let alternative = self.is(AHP);
        if is_nan(x) {
            if is_signalling(x) || alternative {
                self.raise(IOC);
            }
            return match (alternative, self.is(DN)) {
                (true, _) => sign,
                (_, true) => 0x7E00,
                _ => sign | 0x7E00 | (x >> 13 & 0x1FF) as u16,
            };
        }
        let largest = if alternative { 131_008.0 } else { 65_504.0 };
        if is_infinite(x) {
            if alternative {
                self.raise(IOC);
                return sign | 0x7FFF;
            }
            return sign | 0x7C00;
        }
        let exact = value(x).abs();
        // The unit in the last place: 10 bits below the leading one, not below 2^-24.
        let exponent = ((exact.to_bits() >> 52) as i32 - 1023).max(-14);
        let units = exact * 2f64.powi(10 - exponent);
        let rounded = self.round_units(units, sign != 0);
        let result = rounded * 2f64.powi(exponent - 10);
        if result > largest {
            return self.half_overflow(sign, alternative);
        }
        if rounded != units {
            self.raise(if exact < 2f64.powi(-14) { UFC | IXC } else { IXC });
        }
        // A carry out of the fraction moves into the exponent by itself.
        let biased = if exponent == -14 && rounded < 1024.0 { 0 } else { (exponent + 15) as u16 };
        sign | if biased == 0 { rounded as u16 } else { (biased << 10) + (rounded as u16 - 1024) }
    }

    /// Rounds a magnitude to an integer in the current mode.
    fn round_units(&self, units: f64, negative: bool) -> f64 {
        match self.rounding() {
            Round::Nearest => units.round_ties_even(),
            Round::Up if !negative => units.ceil(),
            Round::Down if negative => units.ceil(),
            _ => units.trunc(),
        }
    }

    fn half_overflow(&mut self, sign: u16, alternative: bool) -> u16 {
        if alternative {
            self.raise(IOC);
            return sign | 0x7FFF;
        }
        self.raise(OFC | IXC);
        let outwards = match self.rounding() {
            Round::Nearest => true,
            Round::Up => sign == 0,
            Round::Down => sign != 0,
            Round::Zero => false,
        };
        sign | if outwards { 0x7C00 } else { 0x7BFF }
    }
}
