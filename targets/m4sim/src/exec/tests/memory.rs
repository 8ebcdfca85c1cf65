//! Loads and stores: alignment, addressing modes, lists, exclusives, aliases, code that is overwritten.

use super::{Bench, CODE, DATA};
use crate::error::FaultKind;

#[test]
fn loads_and_stores_at_any_alignment() {
    let data = || Bench::new().reg(1, DATA).word(DATA, 0x8899_AABB).word(DATA + 4, 0xCCDD_EEFF);
    assert_eq!(data().run(&[0xF8D1, 0x0001]).core.r[0], 0xFF88_99AA, "ldr.w [r1, #1]");
    assert_eq!(data().run(&[0xF9B1, 0x0001]).core.r[0], 0xFFFF_99AA, "ldrsh.w [r1, #1]");
    assert_eq!(data().run(&[0xF991, 0x0003]).core.r[0], 0xFFFF_FF88, "ldrsb.w [r1, #3]");
    let pre = data().run(&[0xF851, 0x0F04]).core;
    assert_eq!((pre.r[0], pre.r[1]), (0xCCDD_EEFF, DATA + 4), "ldr [r1, #4]!");
    let post = data().run(&[0xF851, 0x0B04]).core;
    assert_eq!((post.r[0], post.r[1]), (0x8899_AABB, DATA + 4), "ldr [r1], #4");
    let stored = data().reg(0, 0x1122_3344).run(&[0xF8C1, 0x0003]).core;
    assert_eq!(stored.mem.bytes(DATA, 8), Some(&[0xBB, 0xAA, 0x99, 0x44, 0x33, 0x22, 0x11, 0xCC][..]), "str [r1, #3]");
    let mut trapping = data();
    trapping.core.store32(0xE000_ED14, 0x208).expect("CCR");
    let fault = trapping.steps(&[0xF8D1, 0x0001], 1).err();
    assert_eq!(fault, Some(FaultKind::Unaligned { address: DATA + 1 }), "CCR.UNALIGN_TRP");
    let dual = data().reg(2, DATA + 2).steps(&[0xE9D2, 0x0100], 1).err();
    assert_eq!(dual, Some(FaultKind::Unaligned { address: DATA + 2 }), "ldrd never unaligned");
}

#[test]
fn multiple_loads_and_stores() {
    let pushed = Bench::new().reg(4, 0x44).reg(14, 0xEE).run(&[0xB510]).core;
    let sp = DATA + 0x1000 - 8;
    assert_eq!((pushed.r[13], pushed.mem.bytes(sp, 8)), (sp, Some(&[0x44, 0, 0, 0, 0xEE, 0, 0, 0][..])));
    let popped = Bench::new().word(DATA + 0x1000, 0x44).word(DATA + 0x1004, 0x2001).run(&[0xBD10]).core;
    assert_eq!((popped.r[4], popped.next, popped.r[13]), (0x44, 0x2000, DATA + 0x1008));
    let before = Bench::new().reg(0, DATA + 12).word(DATA, 1).word(DATA + 4, 2).word(DATA + 8, 3);
    let before = before.run(&[0xE930, 0x0106]).core;
    assert_eq!((before.r[1], before.r[2], before.r[8], before.r[0]), (1, 2, 3, DATA), "ldmdb r0!, {{r1, r2, r8}}");
    // LDM with the base in the list loads it.
    let base = Bench::new().reg(1, DATA).word(DATA, 7).word(DATA + 4, 8).run(&[0xC906]).core;
    assert_eq!((base.r[1], base.r[2]), (7, 8), "ldm r1, {{r1, r2}}");
}

#[test]
fn exclusives_need_their_tag() {
    // ldrex r0, [r1]; strex r2, r3, [r1]; strex r4, r3, [r1]
    let code = [0xE851, 0x0F00, 0xE841, 0x3200, 0xE841, 0x3400];
    let c = Bench::new().reg(1, DATA).reg(3, 9).steps(&code, 3).expect("runs").core;
    assert_eq!((c.r[2], c.r[4], c.mem.bytes(DATA, 1)), (0, 1, Some(&[9][..])));
    // ldrex; clrex; strex fails.
    let c = Bench::new().reg(1, DATA).steps(&[0xE851, 0x0F00, 0xF3BF, 0x8F2F, 0xE841, 0x3200], 3).expect("runs").core;
    assert_eq!(c.r[2], 1);
}

#[test]
fn bit_band_aliases() {
    // str r0, [r1] to the alias of bit 5 of DATA + 1, then ldr r2, [r1].
    let alias = 0x2200_0000 + 32 + 4 * 5;
    let c = Bench::new().reg(0, 1).reg(1, alias).steps(&[0x6008, 0x680A], 2).expect("runs").core;
    assert_eq!((c.mem.bytes(DATA + 1, 1), c.r[2]), (Some(&[0x20][..]), 1));
}

#[test]
fn stored_code_is_decoded_again() {
    // strh r0, [r1] overwrites the instruction that follows the second nop, which ran before: loop once over it.
    // CODE: mov r2, #1; strh r0, [r1]; mov r2, #1 (patched to #2 by the store); b back to CODE
    let code = [0x2201, 0x8008, 0x2201, 0xE7FB];
    let c = Bench::new().reg(0, 0x2202).reg(1, CODE + 4).steps(&code, 3).expect("runs").core;
    assert_eq!(c.r[2], 2, "the store comes before the first execution");
    let c = Bench::new().reg(0, 0x2202).reg(1, CODE).steps(&code, 5).expect("runs").core;
    assert_eq!(c.r[2], 2, "the patched instruction had been executed before");
}

#[test]
fn code_may_run_anywhere_and_downwards() {
    // Each piece jumps to the next: high in code memory, in RAM, and lower in code memory.
    let places = [0x3F_0000, DATA + 0x8000, 0x2000, 0x3F_8000];
    let mut bench = Bench::new();
    for (at, next) in places.iter().zip(&places[1..]) {
        // ldr r0, [pc]; bx r0; the target.
        bench = bench.word(*at, 0x4700_4800).word(at + 4, next | 1);
    }
    let c = bench.word(places[3], 0x0000_2107).reg(0, places[0] | 1).steps(&[0x4700], 1 + 6 + 1).expect("runs").core;
    assert_eq!(c.r[1], 7);
}
