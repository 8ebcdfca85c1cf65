//! A test for each row of the table and for each rule.

use super::*;
use crate::decode::decode;

/// Traits of an instruction by its halfwords.
fn traits(code: &[u16]) -> Traits {
    let second = code.get(1).copied().unwrap_or(0);
    Traits::of(&decode(code[0], second).expect("a known instruction"))
}

/// Cost after nothing in particular.
fn alone(code: &[u16], outcome: Outcome) -> (u32, u32) {
    let spent = cycles(&Traits::NEUTRAL, &traits(code), &outcome);
    (spent.cycles, spent.refills)
}

const NOT_TAKEN: Outcome = Outcome { taken: false, skipped: false, address: 0x2000_0000, quotient_bits: 0 };
const TAKEN: Outcome = Outcome { taken: true, ..NOT_TAKEN };

#[test]
fn rows_are_in_the_order_of_their_classes() {
    for (at, row) in ROWS.iter().enumerate() {
        assert_eq!(row.class as usize, at, "{}", row.instructions);
    }
}

#[test]
fn every_row() {
    use Class::*;
    // An instruction of each class and its cycles, alone and not branching.
    let samples: [(Class, &[u16], u32); 25] = [
        (Simple, &[0x1888], 1),                     // adds r0, r1, r2
        (Multiply, &[0xFBE2, 0x0163], 1),           // umaal
        (Divide, &[0xFB91, 0xF0F2], 2),             // sdiv with a quotient of 0
        (Load, &[0x6808], 2),                       // ldr r0, [r1]
        (StoreOffset, &[0x6008], 1),                // str r0, [r1]
        (StoreIndexed, &[0x5088], 2),               // str r0, [r1, r2]
        (Dual, &[0xE9D2, 0x0102], 3),               // ldrd
        (LoadMultiple, &[0xC906], 1 + 2),           // ldm r1, {r1, r2}
        (StoreMultiple, &[0xE92D, 0x4FF0], 1 + 9),  // push {r4-r11, lr}
        (Branch, &[0xE7FE], 1),                     // b
        (TableBranch, &[0xE8D0, 0xF001], 2),        // tbb
        (ItBlock, &[0xBF08], 1),                    // it eq
        (Exclusive, &[0xE851, 0x0F01], 2),          // ldrex
        (Barrier, &[0xF3BF, 0x8F4F], 1),            // dsb
        (InstructionBarrier, &[0xF3BF, 0x8F6F], 1), // isb
        (SpecialRegister, &[0xF3EF, 0x8011], 2),    // mrs
        (ChangeState, &[0xB672], 1),                // cpsid i
        (Hint, &[0xBF00], 1),                       // nop
        (Trap, &[0xDF03], 1),                       // svc
        (FpSimple, &[0xEE71, 0x0A21], 1),           // vadd
        (FpMoveTwo, &[0xEC51, 0x0A11], 2),          // vmov r0, r1, s2, s3
        (FpMultiplyAdd, &[0xEED1, 0x0A21], 3),      // vfnms
        (FpDivide, &[0xEEF1, 0x0AC1], 14),          // vsqrt
        (FpTransfer, &[0xED50, 0x0A02], 2),         // vldr s1
        (FpMultiple, &[0xED2D, 0x8A05], 1 + 5),     // vpush {s16-s20}
    ];
    for (row, (class, code, expected)) in ROWS.iter().zip(samples) {
        assert_eq!((row.class, traits(code).class), (class, class), "{code:04x?}");
        let (found, refills) = alone(code, NOT_TAKEN);
        assert_eq!(found, expected, "{}", row.instructions);
        assert_eq!(refills, u32::from(class == InstructionBarrier), "{}", row.instructions);
    }
    assert_eq!(alone(&[0xED80, 0x1B02], NOT_TAKEN).0, 3, "vstr of a double");
}

#[test]
fn taken_branches_and_loads_to_the_pc_refill() {
    for code in [&[0xE7FE][..], &[0xD0FE], &[0xF7FF, 0xFFFE], &[0x4700], &[0x4780], &[0xB118], &[0x4687]] {
        assert_eq!(alone(code, TAKEN), (1, 1), "{code:04x?}");
    }
    assert_eq!(alone(&[0xE8D0, 0xF011], TAKEN), (2, 1), "tbh");
    assert_eq!(alone(&[0xF8D1, 0xF000], TAKEN), (2, 1), "ldr pc, [r1]");
    assert_eq!(alone(&[0xBD10], TAKEN), (1 + 2, 1), "pop {{r4, pc}}");
}

#[test]
fn loads_pair_with_independent_loads_before_them() {
    let after_load = |code: &[u16]| cycles(&traits(&[0x6808]), &traits(code), &NOT_TAKEN).cycles; // ldr r0, [r1]
    assert_eq!(after_load(&[0x684A]), 1, "ldr r2, [r1, #4]");
    assert_eq!(after_load(&[0x6802]), 2, "ldr r2, [r0]");
    assert_eq!(after_load(&[0x580A]), 2, "ldr r2, [r1, r0]");
    assert_eq!(after_load(&[0x508A]), 1, "str r2, [r1, r2]");
    assert_eq!(after_load(&[0x5088]), 1, "str r0, [r1, r2] may store what was loaded");
    assert_eq!(after_load(&[0x500A]), 2, "str r2, [r1, r0]");
    assert_eq!(after_load(&[0x6008]), 1, "str r0, [r1]");
    assert_eq!(after_load(&[0x4A00]), 1, "a literal load needs no register");
    let after = |before: &[u16]| cycles(&traits(before), &traits(&[0x684A]), &NOT_TAKEN).cycles;
    assert_eq!(after(&[0x6008]), 2, "a store before does not pair");
    assert_eq!(after(&[0xC906]), 2, "nor does a multiple load");
    assert_eq!(after(&[0x1888]), 2, "nor anything else");
}

#[test]
fn it_folds_behind_16_bit_instructions() {
    let after = |before: &[u16]| cycles(&traits(before), &traits(&[0xBF08]), &NOT_TAKEN).cycles;
    assert_eq!(after(&[0x1888]), 0);
    assert_eq!(after(&[0xEB11, 0x1002]), 1);
    let skipped = Outcome { skipped: true, ..NOT_TAKEN };
    assert_eq!(alone(&[0xFB91, 0xF0F2], skipped), (1, 0), "a skipped instruction costs 1 whatever it is");
    assert_eq!(alone(&[0xBD10], skipped), (1, 0));
}

#[test]
fn divisions_end_early() {
    let cost = |quotient_bits| alone(&[0xFBB1, 0xF0F2], Outcome { quotient_bits, ..NOT_TAKEN }).0;
    assert_eq!((cost(0), cost(1), cost(3), cost(4), cost(32)), (2, 3, 3, 4, 12));
    assert!((0..32).all(|bits| cost(bits) <= cost(bits + 1)));
}

#[test]
fn unaligned_accesses_are_split() {
    let at = |code: &[u16], address| alone(code, Outcome { address, ..NOT_TAKEN }).0;
    let (ldr, ldrh, ldrb, str) = ([0x6808], [0x8808], [0x7808], [0x6008]);
    assert_eq!([0, 1, 2, 3].map(|a| at(&ldr, a)), [2, 4, 3, 4]);
    assert_eq!([0, 1, 2, 3].map(|a| at(&ldrh, a)), [2, 3, 2, 3]);
    assert_eq!([0, 1, 2, 3].map(|a| at(&ldrb, a)), [2, 2, 2, 2]);
    assert_eq!([0, 1, 2, 3].map(|a| at(&str, a)), [1, 3, 2, 3]);
}

#[test]
fn fixed_costs_are_those_of_the_function() {
    // The cache keeps the cost of an instruction that depends on nothing; the function must agree in any neighbourhood.
    for first in (0..=u16::MAX).step_by(7) {
        let Some(insn) = decode(first, 0x1001) else { continue };
        let this = Traits::of(&insn);
        if this.is_fixed() {
            let outcome = Outcome { address: 3, quotient_bits: 32, ..NOT_TAKEN };
            let neutral = cycles(&Traits::NEUTRAL, &this, &Outcome::default());
            assert_eq!(cycles(&traits(&[0x6808]), &this, &outcome), neutral, "{insn}");
        }
    }
}
