//! Timing as programs see it: sequences timed by CYCCNT against the manual's counts, and the counters themselves.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::run::m4sim;
use crate::tools::{GCC, compile, present, scratch, source};

/// Sequences of `programs/timing.S`: cycles at least, cycles at most, and how many pipeline refills come on top.
///
/// The numbers follow from the tables of the Cortex-M4 Technical Reference Manual (instruction set summary, load and
/// store timings) for memory without wait states. Where it gives a range, so does this.
#[rustfmt::skip]
const CASES: &[(&str, u32, u32, u32)] = &[
    ("empty", 0, 0, 0),
    ("10 data processing", 10, 10, 0),
    ("20 bit fields, saturation, parallel", 20, 20, 0),
    ("13 multiplications", 13, 13, 0),
    ("udiv 0 bits", 2, 2, 0),
    ("udiv 1 bit", 2, 12, 0),
    ("udiv 4 bits", 2, 12, 0),
    ("udiv 8 bits", 2, 12, 0),
    ("udiv 16 bits", 2, 12, 0),
    ("udiv 24 bits", 2, 12, 0),
    ("udiv 32 bits", 12, 12, 0),
    ("udiv by 0", 2, 12, 0),
    ("sdiv 4 bits", 2, 12, 0),
    ("sdiv 31 bits", 2, 12, 0),
    // A load is 2, but 1 behind another that does not give its address.
    ("8 dependent loads", 16, 16, 0),
    ("8 independent loads", 9, 9, 0),
    ("6 independent loads by register", 7, 7, 0),
    ("4 loads, each used at once", 12, 12, 0),
    // A store goes into the buffer; one by register takes another cycle for its address, but behind a load.
    ("8 stores", 8, 8, 0),
    ("8 stores by register", 16, 16, 0),
    ("load, store", 3, 3, 0),
    ("load, store by register", 3, 3, 0),
    ("load of an index, store by it", 4, 4, 0),
    ("store, load", 3, 3, 0),
    ("ldrd, strd", 6, 6, 0),
    ("ldm of 4", 5, 5, 0),
    ("ldm of 8, ldm of 2", 12, 12, 0),
    ("stm of 5", 6, 6, 0),
    ("ldm of 2, load", 5, 5, 0),
    ("load, ldm of 2", 5, 5, 0),
    ("push and pop of 4", 10, 10, 0),
    ("literal load", 2, 2, 0),
    ("3 literal loads", 4, 4, 0),
    // Split into two or three aligned accesses.
    ("load word at 2", 3, 3, 0),
    ("load word at 1", 4, 4, 0),
    ("load word at 3", 4, 4, 0),
    ("load half at 1", 3, 3, 0),
    ("load half at 2", 2, 2, 0),
    ("store word at 2", 2, 2, 0),
    ("store word at 1", 3, 3, 0),
    ("store half at 3", 2, 2, 0),
    ("ldrex, nop, strex", 5, 5, 0),
    ("b", 1, 1, 1),
    ("b.w", 1, 1, 1),
    ("bl", 1, 1, 1),
    ("b cond taken", 1, 1, 1),
    ("2 b cond not taken", 2, 2, 0),
    ("cbz taken", 1, 1, 1),
    ("2 cbnz not taken", 2, 2, 0),
    ("bx", 1, 1, 1),
    ("blx", 1, 1, 1),
    ("mov pc", 1, 1, 1),
    ("add pc over 3 of 4 nops", 2, 2, 1),
    ("blx and bx lr", 2, 2, 2),
    ("bl, push of 2, pop with pc", 7, 7, 2),
    ("ldr pc", 2, 2, 1),
    ("ldm of 3 with pc", 4, 4, 1),
    ("tbb", 2, 4, 1),
    ("tbh", 2, 4, 1),
    ("loop of 100", 200, 200, 99),
    ("copy loop of 50", 300, 300, 49),
    ("nop, it, executed", 1, 1, 0),
    ("nop, itte, 2 skipped, 1 executed", 3, 3, 0),
    ("32 bits, it, executed", 3, 3, 0),
    ("nop, itt, load and store skipped", 2, 2, 0),
    ("6 float arithmetic", 6, 6, 0),
    ("vcmp", 1, 1, 0),
    ("vcvt", 1, 1, 0),
    ("2 vmov of one register", 2, 2, 0),
    ("vmov of two registers", 2, 2, 0),
    ("vmla, nop, vfma", 7, 7, 0),
    ("vdiv", 14, 14, 0),
    ("vsqrt", 14, 14, 0),
    ("vldr, nop, vstr", 5, 5, 0),
    ("vldm of 5", 6, 6, 0),
    ("vpush and vpop of 4", 10, 10, 0),
];

/// Compiles programs for the simulator alone.
fn program(name: &str, sources: &[&str]) -> PathBuf {
    let elf = scratch(&format!("timing/{name}.elf"));
    let file = |name: &str| source(&format!("programs/{name}"));
    let sources: Vec<PathBuf> = sources.iter().chain(&["start.c", "support.c"]).map(|name| file(name)).collect();
    let script = format!("-T{}", file("mps2.ld").display());
    let mut flags = vec!["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-O2", "-g"];
    flags.extend(["-nostartfiles", "--specs=nosys.specs", "-Wall", "-Wextra", "-Werror", script.as_str()]);
    compile(&elf, &sources, &[file("support.h"), file("mps2.ld")], &flags);
    elf
}

/// Runs a program and returns the values that it reports, in hexadecimal, by name.
fn values(elf: &std::path::Path, options: &[&str]) -> BTreeMap<String, u32> {
    let outcome = m4sim(elf, options, &[]);
    let text = outcome.text();
    assert_eq!(outcome.status, Some(0), "{text}\n{}", outcome.messages);
    let pair = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        (name.to_owned(), u32::from_str_radix(value, 16).expect("a hexadecimal value"))
    };
    text.lines().map(pair).collect()
}

#[test]
fn sequences_take_the_documented_cycles() {
    if !present(&[GCC]) {
        return;
    }
    let elf = program("timing", &["timing.S", "timing_report.c"]);
    let mut wrong = Vec::new();
    for refill in 1..=3 {
        let measured = values(&elf, &["--refill", &refill.to_string()]);
        assert_eq!(measured.len(), CASES.len(), "the program and the table have the same cases");
        for &(name, least, most, refills) in CASES {
            let cycles = measured[name];
            let (least, most) = (least + refills * refill, most + refills * refill);
            if !(least..=most).contains(&cycles) {
                wrong.push(format!("{name}: {cycles}, not {least} to {most} (refill {refill})"));
            }
        }
        let divisions: Vec<u32> =
            [0, 1, 4, 8, 16, 24, 32].iter().map(|bits| cycles_of_division(&measured, *bits)).collect();
        assert!(divisions.is_sorted(), "a longer quotient takes no less time: {divisions:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn cycles_of_division(measured: &BTreeMap<String, u32>, bits: u32) -> u32 {
    measured[&format!("udiv {bits} {}", if bits == 1 { "bit" } else { "bits" })]
}

#[test]
fn counters_count_when_they_should_and_agree() {
    if !present(&[GCC]) {
        return;
    }
    let measured = values(&program("counters", &["counters.c"]), &[]);
    for (name, value) in [
        ("without trcena", 0),
        ("without cyccntena", 0),
        ("nocyccnt", 0),
        ("enabled", 1),
        ("counts", 1),
        ("wraps around", 1),
        ("stopped again", 0),
        // All three intervals: SysTick, extended by its interrupt, tells CYCCNT's time to the cycle.
        ("short: systick less cycles", 0),
        ("million: systick less cycles", 0),
        ("long: systick less cycles", 0),
    ] {
        assert_eq!(measured[name], value, "{name}");
    }
    let (long, wraps) = (measured["long: cycles"], measured["wraps in long"]);
    assert!(long > 200_000_000, "{long}");
    assert!(wraps == long >> 24 || wraps == (long >> 24) + 1, "{wraps} wraps in {long}");
    // The loop alone takes 4 cycles a round; what is more is the interrupts.
    let interrupts = long - 4 * 60_000_000;
    assert!((20 * wraps..100 * wraps + 100).contains(&interrupts), "{interrupts} cycles for {wraps} interrupts");
}
