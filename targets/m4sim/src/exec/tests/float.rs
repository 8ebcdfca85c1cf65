//! The floating-point unit: moves, rounding, exception flags, NaNs, conversions, comparisons.

use super::{Bench, DATA, MAX, ONES};

#[test]
fn floating_point_moves() {
    let c = Bench::new().single(1, 2.5).run(&[0xEE10, 0x0A90]).core;
    assert_eq!(c.r[0], 2.5f32.to_bits(), "vmov r0, s1");
    let c = Bench::new().reg(0, 1).reg(1, 2).run(&[0xEC41, 0x0B11]).core;
    assert_eq!((c.s[2], c.s[3]), (1, 2), "vmov d1, r0, r1");
    let c = Bench::new().single(16, 1.0).single(20, 5.0).run(&[0xED2D, 0x8A05]).core;
    assert_eq!(c.r[13], DATA + 0x1000 - 20);
    assert_eq!(c.mem.bytes(c.r[13] + 16, 4), Some(&5.0f32.to_le_bytes()[..]), "vpush {{s16-s20}}");
    let c = Bench::new().run(&[0xEEFF, 0x0A08]).core;
    assert_eq!(f32::from_bits(c.s[1]), -1.5, "vmov.f32 s1, #-1.5");
}

#[test]
fn floating_point_arithmetic_and_flags() {
    let run = |code: &[u16], a: f32, b: f32, fpscr: u32| {
        let mut bench = Bench::new().single(2, a).single(3, b);
        bench.core.control |= 4; // the context is a floating-point one already
        bench.core.fpscr = fpscr;
        let c = bench.run(code).core;
        (c.s[1], c.fpscr & 0x9F)
    };
    const ADD: &[u16] = &[0xEE71, 0x0A21];
    const DIV: &[u16] = &[0xEEC1, 0x0A21];
    const MUL: &[u16] = &[0xEE61, 0x0A21];
    const SQRT: &[u16] = &[0xEEF1, 0x0AC1];
    let bits = f32::to_bits;
    assert_eq!(run(ADD, 1.5, 2.25, 0), (bits(3.75), 0));
    assert_eq!(run(ADD, 1.0, f32::EPSILON / 4.0, 0), (bits(1.0), 0x10), "inexact");
    assert_eq!(run(ADD, 1.0, f32::EPSILON / 4.0, 1 << 22), (bits(1.0) + 1, 0x10), "towards plus infinity");
    assert_eq!(run(ADD, 1.0, -f32::EPSILON / 8.0, 3 << 22), (bits(1.0) - 1, 0x10), "towards zero");
    assert_eq!(run(ADD, 1.0, -1.0, 0), (0, 0));
    assert_eq!(run(ADD, 1.0, -1.0, 2 << 22), (1 << 31, 0), "minus zero when rounding down");
    assert_eq!(run(ADD, f32::INFINITY, f32::NEG_INFINITY, 0), (0x7FC0_0000, 1), "invalid");
    assert_eq!(run(ADD, f32::from_bits(0x7F80_0001), 1.0, 0), (0x7FC0_0001, 1), "signalling NaN");
    assert_eq!(run(ADD, f32::from_bits(0x7FC0_0005), 1.0, 1 << 25), (0x7FC0_0000, 0), "default NaN");
    assert_eq!(run(MUL, f32::MAX, 2.0, 0), (bits(f32::INFINITY), 0x14), "overflow");
    assert_eq!(run(MUL, f32::MAX, 2.0, 3 << 22), (bits(f32::MAX), 0x14), "overflow towards zero");
    assert_eq!(run(MUL, f32::MIN_POSITIVE, 0.5, 0), (bits(f32::MIN_POSITIVE / 2.0), 0), "exact denormal");
    assert_eq!(run(MUL, f32::from_bits(3), 0.5, 0), (2, 0x18), "underflow");
    assert_eq!(run(MUL, f32::MIN_POSITIVE, 0.5, 1 << 24), (0, 8), "flushed to zero");
    assert_eq!(run(MUL, f32::from_bits(3), 1.0, 1 << 24), (0, 0x80), "input denormal");
    assert_eq!(run(DIV, 1.0, 0.0, 0), (bits(f32::INFINITY), 2), "division by zero");
    assert_eq!(run(DIV, 1.0, 3.0, 0), (bits(1.0 / 3.0), 0x10));
    assert_eq!(run(SQRT, 2.0, 0.0, 0), (bits(std::f32::consts::SQRT_2), 0x10));
    assert_eq!(run(SQRT, -1.0, 0.0, 0), (0x7FC0_0000, 1));
}

#[test]
fn conversions_and_comparisons() {
    let to_int = |code: &[u16], x: f32| {
        let c = Bench::new().single(2, x).run(code).core;
        (c.s[1], c.fpscr & 0x1F)
    };
    const TO_SIGNED: &[u16] = &[0xEEFD, 0x0AC1];
    const TO_UNSIGNED_ROUNDED: &[u16] = &[0xEEFC, 0x0A41];
    assert_eq!(to_int(TO_SIGNED, -1.9), (ONES, 0x10));
    assert_eq!(to_int(TO_SIGNED, 3e9), (MAX, 1));
    assert_eq!(to_int(TO_SIGNED, f32::NAN), (0, 1));
    assert_eq!(to_int(TO_UNSIGNED_ROUNDED, 2.5), (2, 0x10), "ties to even");
    assert_eq!(to_int(TO_UNSIGNED_ROUNDED, -0.6), (0, 1));
    let from = Bench::new().single(2, f32::from_bits(ONES)).run(&[0xEEF8, 0x0A41]).core;
    assert_eq!((from.s[1], from.fpscr & 0x1F), (4_294_967_296f32.to_bits(), 0x10), "vcvt.f32.u32");
    let mut half = Bench::new().single(2, 65_520.0);
    half.core.s[1] = 0x1234;
    let half = half.run(&[0xEEF3, 0x0AC1]).core;
    assert_eq!((half.s[1], half.fpscr & 0x1F), (0x7C00_1234, 0x14), "vcvtt.f16.f32 overflows to infinity");
    // vcmp.f32 s1, s2; vmrs apsr, fpscr
    for (a, b, flags) in [(1.0, 1.0, "zc"), (1.0, 2.0, "n"), (2.0, 1.0, "c"), (f32::NAN, 1.0, "cv")] {
        let c = Bench::new().single(1, a).single(2, b).steps(&[0xEEF4, 0x0A41, 0xEEF1, 0xFA10], 2).expect("runs");
        assert_eq!(c.set_flags(), flags, "{a} against {b}");
    }
}
