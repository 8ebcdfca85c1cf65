//! Results at the edges: flags, carries, saturation, shifts by 0, 32 and more, IT blocks, the PC as an operand, memory.

use crate::bus::{CycleCounter, Map};
use crate::cache::Cache;
use crate::core::Core;
use crate::error::{FaultKind, Stop};
use crate::run::{Progress, run};
use crate::semihost::Host;
use crate::timing::Traits;

mod float;
mod memory;

/// Where test code is.
const CODE: u32 = 0x1000;
/// Where test data is.
const DATA: u32 = 0x2000_0000;

/// A core with a few instructions.
struct Bench {
    core: Core,
}

impl Bench {
    fn new() -> Self {
        let mut core = Core::new(Map::Mps2An386, CycleCounter::Counts, Host::new(25_000_000, true));
        core.r[13] = DATA + 0x1000;
        core.store32(0xE000_ED88, 0xF << 20).expect("CPACR");
        Bench { core }
    }

    fn reg(mut self, n: usize, value: u32) -> Self {
        self.core.r[n] = value;
        self
    }

    /// Flags as a string of those that are set.
    fn flags(mut self, set: &str) -> Self {
        let bit = |c, at: u32| u32::from(set.contains(c)) << at;
        self.core.set_apsr(bit('n', 31) | bit('z', 30) | bit('c', 29) | bit('v', 28) | bit('q', 27), 2);
        self
    }

    fn single(mut self, n: usize, value: f32) -> Self {
        self.core.s[n] = value.to_bits();
        self
    }

    fn word(mut self, address: u32, value: u32) -> Self {
        self.core.mem.poke(address, &value.to_le_bytes()).expect("memory");
        self
    }

    /// Executes `count` instructions of the code.
    fn steps(mut self, code: &[u16], count: u64) -> Result<Self, FaultKind> {
        for (at, half) in (CODE..).step_by(2).zip(code) {
            self.core.mem.poke(at, &half.to_le_bytes()).expect("code memory");
        }
        self.core.next = CODE;
        let mut cache = Cache::new(&self.core);
        let mut progress = Progress { instructions: 0, refills: 0, previous: Traits::NEUTRAL };
        for _ in 0..count {
            let limit = self.core.cycles;
            match run(&mut self.core, &mut cache, &mut progress, 2, limit, None, &mut ()).map_err(|stop| *stop) {
                Ok(()) => {}
                Err(Stop::Fault(kind)) => return Err(kind),
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(progress.instructions, count);
        Ok(self)
    }

    /// Executes one instruction.
    fn run(self, code: &[u16]) -> Self {
        self.steps(code, 1).expect("no fault")
    }

    fn set_flags(&self) -> String {
        let apsr = self.core.apsr();
        "nzcvq".chars().zip((27..32).rev()).filter(|(_, bit)| apsr >> bit & 1 != 0).map(|(c, _)| c).collect()
    }

    /// R0 and the flags that are set.
    fn result(&self) -> (u32, String) {
        (self.core.r[0], self.set_flags())
    }
}

/// Runs one instruction on R0, R1, R2, R3 and compares R0 and the flags.
fn check(name: &str, code: &[u16], r: [u32; 4], before: &str, expected: (u32, &str)) {
    let bench = (0..4).fold(Bench::new().flags(before), |b, n| b.reg(n, r[n])).run(code);
    assert_eq!(bench.result(), (expected.0, expected.1.to_owned()), "{name} of {r:x?} with flags '{before}'");
}

const MIN: u32 = 0x8000_0000;
const MAX: u32 = 0x7FFF_FFFF;
const ONES: u32 = u32::MAX;

#[test]
fn additions_and_subtractions_set_all_flags() {
    check("adds", &[0x1888], [0, MAX, 1, 0], "", (MIN, "nv"));
    check("adds", &[0x1888], [0, ONES, 1, 0], "", (0, "zc"));
    check("adds", &[0x1888], [0, MIN, MIN, 0], "", (0, "zcv"));
    check("subs", &[0x1A88], [0, 0, 1, 0], "", (ONES, "n"));
    check("subs", &[0x1A88], [0, MIN, 1, 0], "", (MAX, "cv"));
    check("subs", &[0x1A88], [0, 5, 5, 0], "", (0, "zc"));
    check("adcs", &[0x4148], [ONES, 0, 0, 0], "c", (0, "zc"));
    check("adcs", &[0x4148], [MAX, 0, 0, 0], "c", (MIN, "nv"));
    check("sbcs", &[0x4188], [0, 0, 0, 0], "", (ONES, "n"));
    check("sbcs", &[0x4188], [0, 0, 0, 0], "c", (0, "zc"));
    check("rsbs", &[0x4248], [7, MIN, 0, 0], "", (MIN, "nv"));
    check("rsbs", &[0x4248], [7, 0, 0, 0], "", (0, "zc"));
    check("cmp", &[0x4288], [MIN, 1, 0, 0], "", (MIN, "cv"));
    check("subw does not set flags", &[0xF6A1, 0x70FF], [0, 0xFFE, 0, 0], "z", (ONES, "z"));
}

#[test]
fn logical_operations_take_the_carry_of_the_shifter() {
    check("movs #0x80000000", &[0xF05F, 0x4000], [0; 4], "", (MIN, "nc"));
    check("ands #0x00ff00ff leaves the carry", &[0xF011, 0x10FF], [0, 0x1234_5678, 0, 0], "c", (0x0034_0078, "c"));
    check("tst #0xff000000", &[0xF010, 0x4F7F], [MAX, 0, 0, 0], "", (MAX, "c"));
    check("movs rrx", &[0xEA5F, 0x0031], [0, 1, 0, 0], "c", (MIN, "nc"));
    check("movs rrx", &[0xEA5F, 0x0031], [0, 2, 0, 0], "", (1, ""));
    check("orn", &[0xF061, 0x00FF], [0, 0, 0, 0], "", (0xFFFF_FF00, ""));
    check("mvns", &[0x43C8], [0, ONES, 0, 0], "cv", (0, "zcv"));
    check("adds.w lsl #4", &[0xEB11, 0x1002], [0, 1, 0x1000_0001, 0], "", (0x11, ""));
}

#[test]
fn shifts_by_0_32_and_more() {
    // By constants: LSL 0 leaves the carry, LSR and ASR 0 mean 32.
    check("lsls #0", &[0x0008], [0, MIN, 0, 0], "c", (MIN, "nc"));
    check("lsrs #32", &[0x0808], [0, MIN, 0, 0], "", (0, "zc"));
    check("asrs #32", &[0x1008], [0, MIN, 0, 0], "", (ONES, "nc"));
    // By registers: only the low byte counts.
    for (amount, lsl, lsr, asr, ror) in [
        (0, (0x8000_0001, "nc"), (0x8000_0001, "nc"), (0x8000_0001, "nc"), (0x8000_0001, "nc")),
        (1, (2, "c"), (0x4000_0000, "c"), (0xC000_0000, "nc"), (0xC000_0000, "nc")),
        (31, (MIN, "n"), (1, ""), (ONES, "n"), (3, "")),
        (32, (0, "zc"), (0, "zc"), (ONES, "nc"), (0x8000_0001, "nc")),
        (33, (0, "z"), (0, "z"), (ONES, "nc"), (0xC000_0000, "nc")),
        (255, (0, "z"), (0, "z"), (ONES, "nc"), (3, "")),
        (256, (0x8000_0001, "nc"), (0x8000_0001, "nc"), (0x8000_0001, "nc"), (0x8000_0001, "nc")),
    ] {
        for (name, code, expected) in
            [("lsls", 0x4088, lsl), ("lsrs", 0x40C8, lsr), ("asrs", 0x4108, asr), ("rors", 0x41C8, ror)]
        {
            check(name, &[code], [0x8000_0001, amount, 0, 0], "c", expected);
        }
    }
}

#[test]
fn multiplications() {
    check("muls", &[0x4348], [0x10000, 0x8000, 0, 0], "cv", (MIN, "ncv"));
    check("mls", &[0xFB01, 0x3012], [0, 3, 4, 10], "", (ONES - 1, ""));
    check(
        "smlabt saturates nothing but sets q",
        &[0xFB11, 0x3012],
        [0, 0x7FFF, 0x7FFF_0000, MAX],
        "",
        (0xBFFF_0000, "q"),
    );
    check("smultt", &[0xFB11, 0xF032], [0, 0x8000_0000, 0x8000_0000, 0], "", (0x4000_0000, ""));
    check("smlawt", &[0xFB31, 0x3012], [0, MIN, 0x8000_1234, 1], "", (0x4000_0001, ""));
    check("smuadx overflows", &[0xFB21, 0xF012], [0, 0x8000_8000, 0x8000_8000, 0], "", (MIN, "q"));
    check("smlsd", &[0xFB41, 0x3002], [0, 0x0001_0002, 0x0003_0004, 10], "", (15, ""));
    check("smmulr rounds", &[0xFB51, 0xF012], [0, 0x4000_0000, 2, 0], "", (1, ""));
    check("smmls", &[0xFB61, 0x3002], [0, 1, 1, 5], "", (4, ""));
    check("usada8", &[0xFB71, 0x3002], [0, 0x00FF_0010, 0xFF00_0020, 1], "", (0x1FE + 0x10 + 1, ""));
    let wide = |code: [u16; 2], r: [u32; 4]| {
        let c = (0..4).fold(Bench::new(), |b, n| b.reg(n, r[n])).run(&code).core;
        (c.r[1], c.r[0])
    };
    // Low half in R0, high half in R1; operands in R2 and R3.
    assert_eq!(wide([0xFBE2, 0x0163], [ONES, ONES, ONES, ONES]), (ONES, ONES), "umaal cannot overflow");
    assert_eq!(wide([0xFBC2, 0x0103], [0, 0, ONES, 1]), (ONES, ONES), "smlal");
    assert_eq!(wide([0xFBA2, 0x0103], [7, 7, ONES, ONES]), (0xFFFF_FFFE, 1), "umull");
    assert_eq!(wide([0xFBC2, 0x0183], [ONES, 0, 0xFFFF, 2]), (0, 0xFFFF_FFFD), "smlalbb");
    assert_eq!(wide([0xFBD2, 0x01C3], [0, 0, 0x0001_0001, 0x0001_0000]), (ONES, ONES), "smlsld");
}

#[test]
fn divisions() {
    check("sdiv", &[0xFB91, 0xF0F2], [0, MIN, ONES, 0], "", (MIN, ""));
    check("sdiv", &[0xFB91, 0xF0F2], [0, 7u32.wrapping_neg(), 2, 0], "", (3u32.wrapping_neg(), ""));
    check("udiv by zero", &[0xFBB1, 0xF0F2], [9, 7, 0, 0], "", (0, ""));
    let trapped = Bench::new().reg(1, 7).reg(2, 0);
    let mut trapped = trapped;
    trapped.core.store32(0xE000_ED14, 0x210).expect("CCR");
    assert_eq!(trapped.steps(&[0xFBB1, 0xF0F2], 1).err(), Some(FaultKind::DivideByZero));
}

#[test]
fn saturation() {
    check("ssat #8 lsl #4", &[0xF301, 0x1007], [0, 8, 0, 0], "", (127, "q"));
    check("ssat #8 lsl #4", &[0xF301, 0x1007], [0, 0xFFFF_FFF0, 0, 0], "", (0xFFFF_FF80, "q"));
    check("usat #8 asr #4", &[0xF3A1, 0x1008], [0, 0xFF0, 0, 0], "", (255, ""));
    check("usat #8 of a negative", &[0xF3A1, 0x1008], [0, ONES, 0, 0], "", (0, "q"));
    check("ssat16 #4", &[0xF321, 0x0003], [0, 0x0008_FFF8, 0, 0], "", (0x0007_FFF8, "q"));
    check("usat16 #4", &[0xF3A1, 0x0004], [0, 0x0010_FFFF, 0, 0], "", (0x000F_0000, "q"));
    check("qdadd saturates twice", &[0xFA82, 0xF091], [0, 0, MAX, 0], "", (MAX, "q"));
    check("qadd", &[0xFA82, 0xF081], [0, MAX, 1, 0], "", (MAX, "q"));
    check("qsub", &[0xFA82, 0xF0A1], [0, MIN, 1, 0], "", (MIN, "q"));
    check("q is sticky", &[0xFA82, 0xF081], [0, 1, 1, 0], "q", (2, "q"));
}

#[test]
fn parallel_arithmetic_and_sel() {
    let run = |code: &[u16], r1, r2| {
        let c = Bench::new().reg(1, r1).reg(2, r2).run(code).core;
        (c.r[0], c.ge)
    };
    assert_eq!(run(&[0xFA81, 0xF002], 0x7F80_0102, 0x0180_FF01), (0x8000_0003, 0b1011), "sadd8");
    assert_eq!(run(&[0xFA81, 0xF042], 0xFF80_0102, 0x0180_FF01), (0x0000_0003, 0b1110), "uadd8");
    assert_eq!(run(&[0xFAD1, 0xF012], 0x8000_7FFF, 0x0001_FFFF), (0x8000_7FFF, 0), "qsub16 leaves ge");
    assert_eq!(run(&[0xFAD1, 0xF042], 0x0001_0001, 0x0002_0001), (0xFFFF_0000, 0b0011), "usub16");
    assert_eq!(run(&[0xFAA1, 0xF062], 0xFFFF_0000, 0x0001_FFFF), (0xFFFF_FFFF, 0), "uhasx");
    assert_eq!(run(&[0xFAE1, 0xF052], 0x0000_FFFF, 0x0001_0001), (0x0000_FFFF, 0), "uqsax");
    assert_eq!(run(&[0xFA91, 0xF022], 0x7FFF_8000, 0x7FFF_8000), (0x7FFF_8000, 0), "shadd16");
    let mut sel = Bench::new().reg(1, 0x1111_1111).reg(2, 0x2222_2222);
    sel.core.ge = 0b0101;
    assert_eq!(sel.run(&[0xFAA1, 0xF082]).core.r[0], 0x2211_2211);
}

#[test]
fn bits_and_extensions() {
    check("bfi", &[0xF361, 0x100B], [ONES, 0xA5, 0, 0], "", (0xFFFF_FA5F, ""));
    check("bfc", &[0xF36F, 0x100B], [ONES, 0, 0, 0], "", (0xFFFF_F00F, ""));
    check("sbfx", &[0xF341, 0x1007], [0, 0x800, 0, 0], "", (0xFFFF_FF80, ""));
    check("ubfx", &[0xF3C1, 0x1007], [0, 0xFFFF, 0, 0], "", (0xFF, ""));
    check("ubfx of 32 bits", &[0xF3C1, 0x001F], [0, ONES, 0, 0], "", (ONES, ""));
    check("clz of 0", &[0xFAB1, 0xF081], [0, 0, 0, 0], "", (32, ""));
    check("rbit", &[0xFA91, 0xF0A1], [0, 1, 0, 0], "", (MIN, ""));
    check("rev16", &[0xBA48], [0, 0x1122_3344, 0, 0], "", (0x2211_4433, ""));
    check("revsh", &[0xBAC8], [0, 0x1122_33F4, 0, 0], "", (0xFFFF_F433, ""));
    check("sxtab16 ror #8", &[0xFA21, 0xF092], [0, 0x0001_0001, 0x80FF_7F00, 0], "", (0xFF81_0080, ""));
    check("pkhbt lsl #16", &[0xEAC1, 0x4002], [0, 0xAAAA_BBBB, 0xCCCC_DDDD, 0], "", (0xDDDD_BBBB, ""));
    check("pkhtb asr #16", &[0xEAC1, 0x4022], [0, 0xAAAA_BBBB, 0xCCCC_DDDD, 0], "", (0xAAAA_CCCC, ""));
    check("movt", &[0xF2C1, 0x2034], [0xFFFF_5678, 0, 0, 0], "", (0x1234_5678, ""));
}

#[test]
fn the_pc_as_an_operand() {
    check("mov r0, pc", &[0x4678], [0; 4], "", (CODE + 4, ""));
    check("add r0, pc", &[0x4478], [8, 0, 0, 0], "", (CODE + 12, ""));
    check("adr", &[0xF20F, 0x0006], [0; 4], "", (CODE + 10, ""));
    assert_eq!(Bench::new().reg(0, 8).run(&[0x4487]).core.next, CODE + 12, "add pc, r0");
    assert_eq!(Bench::new().reg(0, 0x2001).run(&[0x4687]).core.next, 0x2000, "mov pc, r0");
    let call = Bench::new().reg(0, 0x2001).run(&[0x4780]).core;
    assert_eq!((call.next, call.r[14]), (0x2000, CODE + 3), "blx r0");
    let arm = Bench::new().reg(0, 0x2000).steps(&[0x4700], 1);
    assert_eq!(arm.err(), Some(FaultKind::ArmState { target: 0x2000 }));
    // A literal is found from the PC rounded down to a word: this load is at CODE + 2.
    let literal = Bench::new().word(CODE + 8, 0x1234_5678).steps(&[0xBF00, 0x4801], 2).expect("loads");
    assert_eq!(literal.core.r[0], 0x1234_5678);
}

#[test]
fn branches_reach_both_ways() {
    assert_eq!(Bench::new().flags("z").run(&[0xF000, 0x87FE]).core.next, CODE + 0x1000, "beq.w");
    assert_eq!(Bench::new().run(&[0xF000, 0x87FE]).core.next, CODE + 4, "beq.w not taken");
    assert_eq!(Bench::new().run(&[0xE7FE]).core.next, CODE, "b .");
    assert_eq!(Bench::new().run(&[0xB118]).core.next, CODE + 10, "cbz of zero");
    assert_eq!(Bench::new().run(&[0xB918]).core.next, CODE + 2, "cbnz of zero");
    let table = Bench::new().reg(0, DATA).reg(1, 2).word(DATA, 0x0030_2010).run(&[0xE8D0, 0xF001]).core;
    assert_eq!(table.next, CODE + 4 + 2 * 0x30, "tbb");
    let table = Bench::new().reg(0, DATA).reg(1, 1).word(DATA, 0x0103_0000).run(&[0xE8D0, 0xF011]).core;
    assert_eq!(table.next, CODE + 4 + 2 * 0x103, "tbh");
}

#[test]
fn conditions() {
    // Each flag setting, and the conditions 0 to 13 that hold in it.
    for (flags, holding) in [
        ("", [1, 3, 5, 7, 9, 10, 12]),
        ("z", [0, 3, 5, 7, 9, 10, 13]),
        ("c", [1, 2, 5, 7, 8, 10, 12]),
        ("n", [1, 3, 4, 7, 9, 11, 13]),
        ("nv", [1, 3, 4, 6, 9, 10, 12]),
        ("zcv", [0, 2, 5, 6, 9, 11, 13]),
    ] {
        let core = Bench::new().flags(flags).core;
        let found: Vec<u8> = (0..14).filter(|&c| core.condition(c)).collect();
        assert_eq!(found, holding, "flags '{flags}'");
        assert!(core.condition(14) && core.condition(15));
    }
}

#[test]
fn it_blocks_choose_and_silence_flags() {
    // cmp r0, r0; itte eq; moveq r1, #1; addeq r2, #0; movne r1, #2; adds r3, #0
    let code = [0x4280, 0xBF06, 0x2101, 0x3200, 0x2102, 0x3300];
    let c = Bench::new().reg(3, 5).steps(&code, 5).expect("runs");
    assert_eq!((c.core.r[1], c.core.it), (1, 0));
    assert_eq!(c.set_flags(), "zc", "addeq left the flags");
    let c = Bench::new().reg(3, 5).steps(&code, 6).expect("runs");
    assert_eq!(c.set_flags(), "", "outside the block they are set again");
    // it ne; cmpne r0, #1 sets flags inside the block.
    let c = Bench::new().reg(0, 1).steps(&[0xBF18, 0x2801], 2).expect("runs");
    assert_eq!(c.set_flags(), "zc");
}

#[test]
fn faults_are_typed() {
    let nowhere = Bench::new().reg(1, 0x9000_0000).steps(&[0x6808], 1).err();
    assert!(matches!(nowhere, Some(FaultKind::Bus { address: 0x9000_0000, size: 4, .. })), "{nowhere:?}");
    let unknown = Bench::new().steps(&[0xEE31, 0x0B02], 1).err();
    assert_eq!(unknown, Some(FaultKind::Unknown { opcode: "ee31 0b02".to_owned() }));
    assert_eq!(Bench::new().steps(&[0xDE00], 1).err(), Some(FaultKind::Undefined));
    // mrs r0, msplim; msr psplim, r0; mrs r0, msp_ns; msr msp_ns, r0: of Armv8-M.
    for (first, second) in [(0xF3EF, 0x800A), (0xF380, 0x880B), (0xF3EF, 0x8088), (0xF380, 0x8888)] {
        let found = Bench::new().steps(&[first, second], 1).err();
        assert_eq!(found, Some(FaultKind::Undefined), "{first:04x} {second:04x}");
    }
    assert_eq!(Bench::new().steps(&[0xBE01], 1).err(), Some(FaultKind::Breakpoint(1)));
    assert_eq!(Bench::new().steps(&[0xBF30], 1).err(), Some(FaultKind::Asleep));
    let mut no_fpu = Bench::new();
    no_fpu.core.store32(0xE000_ED88, 0).expect("CPACR");
    assert_eq!(no_fpu.steps(&[0xEE10, 0x0A90], 1).err(), Some(FaultKind::NoFpu));
}

#[test]
fn random_instructions_never_panic() {
    let mut state = 7u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    for _ in 0..2_000 {
        let code: Vec<u16> = (0..4).map(|_| next() as u16 | if next() & 1 == 0 { 0xE800 } else { 0 }).collect();
        let mut bench =
            (0..13).fold(Bench::new(), |b, n| b.reg(n, if n & 1 == 0 { DATA + next() % 64 } else { next() << 3 }));
        bench.core.s.fill_with(&mut next);
        bench.core.next = CODE;
        for (at, half) in (CODE..).step_by(2).zip(&code) {
            bench.core.mem.poke(at, &half.to_le_bytes()).expect("code memory");
        }
        let mut cache = Cache::new(&bench.core);
        let mut progress = Progress { instructions: 0, refills: 0, previous: Traits::NEUTRAL };
        // Faults are results; only panics are failures.
        let _ = run(&mut bench.core, &mut cache, &mut progress, 2, 8, None, &mut ());
    }
}
