//! Tests of the table as such, and of one encoding or more of each group.

use super::*;
use crate::insn::{Hint, Mode};

fn all_rows(wide: bool) -> Vec<&'static Row> {
    tables(wide).iter().flat_map(|rows| rows.iter()).collect()
}

/// Whether a row is the form of a load whose base is the PC: it wins over the addressing modes of the general form
/// without being one of them.
fn is_literal(row: &Row) -> bool {
    let insn = decode_row(row, row.value);
    insn.mode == Mode::Literal || matches!(row.op, Op::Hint(Hint::Preload) | Op::Udf)
}

fn decode_row(row: &Row, word: u32) -> Insn {
    let mut insn = Insn::new(row.op, 4);
    let fields = Fields { pattern: row.pattern, word };
    fields.place(&mut insn);
    (row.finish)(&mut insn, &fields);
    insn
}

#[test]
fn overlapping_rows_are_nested_and_the_special_one_is_first() {
    for wide in [false, true] {
        let rows = all_rows(wide);
        for (at, first) in rows.iter().enumerate() {
            for second in &rows[at + 1..] {
                let common = first.mask & second.mask;
                if first.value & common != second.value & common {
                    continue;
                }
                let nested = first.mask & second.mask == second.mask && first.mask != second.mask;
                assert!(
                    nested || is_literal(first),
                    "{} overlaps {} without being a case of it",
                    first.pattern,
                    second.pattern
                );
            }
        }
    }
}

#[test]
fn patterns_are_of_their_length() {
    for wide in [false, true] {
        for row in all_rows(wide) {
            let bits = row.pattern.bytes().filter(|&b| b != b' ').count();
            assert_eq!(bits, if wide { 32 } else { 16 }, "{}", row.pattern);
            let first = if wide { row.value >> 16 } else { row.value } as u16;
            assert_eq!(is_wide(first), wide, "{}", row.pattern);
        }
    }
}

#[test]
fn no_input_panics() {
    // Every first halfword; for 32-bit instructions second halfwords that cover every value over all of them.
    let mut state = 1u32;
    for first in 0..=u16::MAX {
        for _ in 0..if is_wide(first) { 64 } else { 1 } {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if let Some(insn) = decode(first, (state >> 16) as u16) {
                let _ = (insn.to_string(), crate::timing::Traits::of(&insn));
                let _ = (crate::exec::handler(&insn, true), crate::exec::handler(&insn, false));
            }
        }
    }
}

#[test]
fn undefined_encodings_have_no_row() {
    // BLX immediate, double-precision arithmetic, a parallel prefix that does not exist, coprocessor 5, STREXD.
    for (first, second) in
        [(0xF000, 0xE800), (0xEE31, 0x0B02), (0xFA81, 0xF032), (0xEE00, 0x0510), (0xE8C0, 0x1F70), (0xB100 | 0x600, 0)]
    {
        let found = decode(first, second);
        assert!(found.is_none_or(|i| i.size == 2 && first < 0xC000), "{first:04x} {second:04x} {found:?}");
    }
    // TT and TTA; SG; VLLDM; LDA; BXNS. The first three lie in the space of other instructions.
    for (first, second) in [(0xE841, 0xF000), (0xE841, 0xF080), (0xE97F, 0xE97F)] {
        assert_eq!(decode(first, second).map(|i| i.op), Some(Op::Udf), "{first:04x} {second:04x}");
    }
    for (first, second) in [(0xEC30, 0x0A00), (0xE8D1, 0x0FAF), (0x4704, 0)] {
        assert_eq!(decode(first, second), None, "{first:04x} {second:04x}");
    }
    for narrow in [0xB650, 0xBA80, 0x4701, 0xB800] {
        assert_eq!(decode(narrow, 0), None, "{narrow:04x}");
    }
}

/// Opcodes as the GNU assembler encodes them, and how the trace shows them.
const GROUPS: &[(u16, u16, &str)] = &[
    (0x1888, 0x0000, "adds r0, r1, r2"),
    (0x1FC8, 0x0000, "subs r0, r1, #7"),
    (0x0008, 0x0000, "movs r0, r1"),
    (0x0808, 0x0000, "movs r0, r1, lsr #32"),
    (0x1008, 0x0000, "movs r0, r1, asr #32"),
    (0x4088, 0x0000, "lsls r0, r0, r1"),
    (0x40C8, 0x0000, "lsrs r0, r0, r1"),
    (0x4108, 0x0000, "asrs r0, r0, r1"),
    (0x41C8, 0x0000, "rors r0, r0, r1"),
    (0x4148, 0x0000, "adcs r0, r0, r1"),
    (0x4188, 0x0000, "sbcs r0, r0, r1"),
    (0x4248, 0x0000, "rsbs r0, r1, #0"),
    (0x4348, 0x0000, "muls r0, r1, r0"),
    (0x45C8, 0x0000, "cmp r8, r9"),
    (0x44C8, 0x0000, "add r8, r8, r9"),
    (0x4678, 0x0000, "mov r0, pc"),
    (0x4478, 0x0000, "add r0, r0, pc"),
    (0x4687, 0x0000, "mov pc, r0"),
    (0x4487, 0x0000, "add pc, pc, r0"),
    (0x4700, 0x0000, "bx r0"),
    (0x4780, 0x0000, "blx r0"),
    (0xEB11, 0x1002, "adds r0, r1, r2, lsl #4"),
    (0xEA5F, 0x0031, "movs r0, r1, rrx"),
    (0xF05F, 0x4000, "movs r0, #2147483648"),
    (0xF011, 0x10FF, "ands r0, r1, #16711935"),
    (0xF010, 0x4F7F, "tst r0, #4278190080"),
    (0xEA90, 0x2F31, "teq r0, r1, ror #8"),
    (0xF061, 0x00FF, "orn r0, r1, #255"),
    (0xF64A, 0x30CD, "mov r0, #43981"),
    (0xF2C1, 0x2034, "movt r0, #4660"),
    (0xF301, 0x1007, "ssat r0, #8, r1, lsl #4"),
    (0xF3A1, 0x1008, "usat r0, #8, r1, asr #4"),
    (0xF321, 0x0003, "ssat16 r0, #4, r1"),
    (0xF3A1, 0x0004, "usat16 r0, #4, r1"),
    (0xF341, 0x1007, "sbfx r0, r1, #4, #8"),
    (0xF3C1, 0x1007, "ubfx r0, r1, #4, #8"),
    (0xF361, 0x100B, "bfi r0, r1, #4, #8"),
    (0xF36F, 0x100B, "bfc r0, #4, #8"),
    (0xF20F, 0x0002, "adr r0, pc, #2"),
    (0xF6A1, 0x70FF, "sub r0, r1, #4095"),
    (0xEAC1, 0x4002, "pkhbt r0, r1, r2, lsl #16"),
    (0xEAC1, 0x4022, "pkhtb r0, r1, r2, asr #16"),
    (0xFA21, 0xF092, "sxtab16 r0, r1, r2, ror #8"),
    (0xFA3F, 0xF081, "uxtb16 r0, r1"),
    (0xFA1F, 0xF0A8, "uxth r0, r8, ror #16"),
    (0xFA91, 0xF0A1, "rbit r0, r1"),
    (0xFA91, 0xF091, "rev16 r0, r1"),
    (0xFAB1, 0xF081, "clz r0, r1"),
    (0xFAA1, 0xF082, "sel r0, r1, r2"),
    (0xFB71, 0xF002, "usad8 r0, r1, r2"),
    (0xFB71, 0x3002, "usada8 r0, r1, r2, r3"),
    (0xFA81, 0xF002, "sadd8 r0, r1, r2"),
    (0xFAD1, 0xF012, "qsub16 r0, r1, r2"),
    (0xFAA1, 0xF062, "uhasx r0, r1, r2"),
    (0xFAE1, 0xF052, "uqsax r0, r1, r2"),
    (0xFA82, 0xF091, "qdadd r0, r1, r2"),
    (0xFB11, 0x3012, "smlabt r0, r1, r2, r3"),
    (0xFB11, 0xF032, "smultt r0, r1, r2"),
    (0xFBC2, 0x0183, "smlalbb r0, r1, r2, r3"),
    (0xFB31, 0x3012, "smlawt r0, r1, r2, r3"),
    (0xFB21, 0xF012, "smuadx r0, r1, r2"),
    (0xFB41, 0x3002, "smlsd r0, r1, r2, r3"),
    (0xFBC2, 0x01D3, "smlaldx r0, r1, r2, r3"),
    (0xFBD2, 0x01C3, "smlsld r0, r1, r2, r3"),
    (0xFB51, 0xF012, "smmulr r0, r1, r2"),
    (0xFB61, 0x3002, "smmls r0, r1, r2, r3"),
    (0xFBE2, 0x0163, "umaal r0, r1, r2, r3"),
    (0xFBC2, 0x0103, "smlal r0, r1, r2, r3"),
    (0xFB91, 0xF0F2, "sdiv r0, r1, r2"),
    (0xFBB1, 0xF0F2, "udiv r0, r1, r2"),
    (0xF851, 0x0C04, "ldr r0, [r1, #-4]"),
    (0xF851, 0x0F04, "ldr r0, [r1, #4]!"),
    (0xF851, 0x0B04, "ldr r0, [r1], #4"),
    (0xF931, 0x0032, "ldrsh r0, [r1, r2, lsl #3]"),
    (0xF851, 0x0E04, "ldr r0, [r1, #4]"),
    (0xE9F2, 0x0102, "ldrd r0, r1, [r2, #8]!"),
    (0xE862, 0x0102, "strd r0, r1, [r2], #-8"),
    (0xE930, 0x0106, "ldmdb r0!, {r1, r2, r8}"),
    (0xE900, 0x000E, "stmdb r0, {r1, r2, r3}"),
    (0xB510, 0x0000, "stmdb sp!, {r4, lr}"),
    (0xBD10, 0x0000, "ldmia sp!, {r4, pc}"),
    (0xE851, 0x0F01, "ldrex r0, [r1, #4]"),
    (0xE842, 0x1001, "strex r0, r1, [r2, #4]"),
    (0xE8C2, 0x1F40, "strexb r0, r1, [r2]"),
    (0xE8D0, 0xF001, "tbb [r0, r1]"),
    (0xE8D0, 0xF011, "tbh [r0, r1, lsl #1]"),
    (0xF000, 0x87FE, "beq .+4096"),
    (0xF6FF, 0xBFFE, "b .-1048576"),
    (0xF0FF, 0xFFFE, "bl .+1048576"),
    (0xB118, 0x0000, "cbz r0, .+10"),
    (0xB918, 0x0000, "cbnz r0, .+10"),
    (0xBF1A, 0x0000, "it #0x1a"),
    (0xBF00, 0x0000, "nop"),
    (0xF380, 0x8814, "msr special 20, r0"),
    (0xF3EF, 0x8011, "mrs r0, special 17"),
    (0xF3BF, 0x8F4F, "dsb"),
    (0xF3BF, 0x8F6F, "isb"),
    (0xB672, 0x0000, "cpsid i"),
    (0xDF03, 0x0000, "svc #0x3"),
    (0xF890, 0xF004, "preload"),
    (0xEE71, 0x0A21, "vadd s1, s2, s3"),
    (0xEEFF, 0x0A08, "vmov s1, #-1.5"),
    (0xEEF5, 0x0AC0, "vcmpe s1, #0"),
    (0xEEFD, 0x0AC1, "vcvt s1, s2, s32"),
    (0xEEFC, 0x0A41, "vcvtr s1, s2, u32"),
    (0xEEF8, 0x0A41, "vcvt s1, u32, s2"),
    (0xEEFE, 0x0A46, "vcvt s1, #4"),
    (0xEEF3, 0x0AC1, "vcvtt s1, s2"),
    (0xEE10, 0x0A90, "vmov r0, s1"),
    (0xEE00, 0x0A90, "vmov s1, r0"),
    (0xEC51, 0x0A11, "vmov r0, r1, s2, s3"),
    (0xEC41, 0x0B11, "vmov s2, s3, r0, r1"),
    (0xED50, 0x0A02, "vldr s1, [r0, #-8]"),
    (0xED80, 0x1B02, "vstr s2, [r0, #8]"),
    (0xED2D, 0x8A05, "vstmdb sp!, {s16-s20}"),
    (0xECB0, 0x0B08, "vldmia r0!, {s0-s7}"),
    (0xEEF1, 0xFA10, "vmrs apsr, fpscr"),
    (0xEED1, 0x0A21, "vfnms s1, s2, s3"),
    (0xEEF1, 0x0AC1, "vsqrt s1, s2"),
];

#[test]
fn groups_decode_to_their_operands() {
    for &(first, second, text) in GROUPS {
        let insn = decode(first, second).unwrap_or_else(|| panic!("{first:04x} {second:04x}: {text}"));
        assert_eq!(insn.to_string().trim_end(), text, "{first:04x} {second:04x}");
    }
}
