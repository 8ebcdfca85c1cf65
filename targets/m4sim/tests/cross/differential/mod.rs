//! Random instruction sequences, run here and under QEMU: the same registers, flags and memory must come of them. And
//! run here with and without interrupts.
//!
//! What is not tried, since QEMU and a Cortex-M4 may or do differ: unpredictable encodings, cycle counts and the DWT,
//! which accesses end an exclusive state, faults, WFI and WFE, the stack pointer's low bits.

mod bench;
mod branch;
mod edge;
mod float_rows;
mod image;
mod integer_rows;
mod memory;
mod pattern;
mod random;
mod record;
mod shrink;
mod stack;
mod unit;

use std::collections::BTreeSet;

use self::bench::{Bench, Verdict};
pub(crate) use self::image::elf;
use self::image::{FPSCR, Sequence};
use self::pattern::Row;
pub(crate) use self::random::Random;
use self::unit::Unit;
use crate::tools::{GCC, OBJCOPY, OBJDUMP, QEMU, Tool, present, say};

const SEQUENCES_PER_IMAGE: usize = 2000;
const UNITS_PER_SEQUENCE: u32 = 40;

/// Every row of both tables.
pub(crate) fn all_rows() -> impl Iterator<Item = &'static Row> {
    integer_rows::ROWS.iter().chain(float_rows::ROWS)
}

fn random_row(random: &mut Random) -> &'static Row {
    let rows = if random.below(4) == 0 { float_rows::ROWS } else { integer_rows::ROWS };
    &rows[random.below(rows.len() as u32) as usize]
}

fn row_names(unit: &Unit) -> impl Iterator<Item = &'static str> + '_ {
    unit.names.iter().copied()
}

fn random_unit(random: &mut Random) -> Unit {
    match random.below(100) {
        0..=12 => edge::integer_unit(random),
        13..=20 => edge::float_unit(random),
        21..=49 => {
            let row = random_row(random);
            let mut unit = Unit::new(row.name);
            row.emit(random, None, &mut unit.code);
            unit.executed = 1;
            unit
        }
        50..=57 => {
            let mut unit = Unit::new("fresh value");
            let value = if random.one_in(4) { random.float() } else { random.integer() };
            unit.set(random.register(), value);
            unit
        }
        58..=71 => memory::access_unit(random),
        72..=73 => memory::exclusive_unit(random),
        74..=77 => stack::stack_unit(random),
        78..=84 => branch::branch_unit(random),
        85..=86 => branch::loop_unit(random),
        87..=97 => branch::it_unit(random),
        98 => branch::it_branch_unit(random),
        _ => {
            let mut unit = Unit::new("vmsr");
            let (register, value) = (random.register(), random.word() & FPSCR);
            unit.set(register, value);
            unit.wide(0xEEE1_0A10 | register << 12);
            unit
        }
    }
}

fn random_sequence(random: &mut Random) -> Sequence {
    let count = random.below(UNITS_PER_SEQUENCE) + UNITS_PER_SEQUENCE / 2;
    let units = (0..count).map(|_| random_unit(random)).collect();
    Sequence::new(random, units)
}

/// Runs at least `instructions` random ones, from `seed`, and returns how many they were and the kinds among them.
fn search(bench: &Bench, seed: u64, instructions: usize) -> (usize, BTreeSet<&'static str>) {
    let mut random = Random::new(seed);
    let (mut executed, mut kinds) = (0, BTreeSet::new());
    while executed < instructions {
        let mut sequences: Vec<Sequence> = (0..SEQUENCES_PER_IMAGE).map(|_| random_sequence(&mut random)).collect();
        for sequence in &mut sequences {
            sequence.units.retain(|unit| bench.suits(unit));
        }
        if !matches!(bench.compare(&sequences), Verdict::Same) {
            panic!("{}", shrink::report(bench, &sequences));
        }
        for unit in sequences.iter().flat_map(|sequence| &sequence.units) {
            executed += unit.executed;
            kinds.extend(row_names(unit));
        }
    }
    (executed, kinds)
}

const NEEDED: [Tool; 4] = [GCC, QEMU, OBJCOPY, OBJDUMP];

/// `KEMPROF_RANDOM_INSTRUCTIONS` asks for more than a few seconds' worth, `KEMPROF_RANDOM_SEED` for others.
#[test]
fn random_instructions() {
    if !present(&NEEDED) {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.replace('_', "").parse::<u64>().ok());
    let wanted = number("KEMPROF_RANDOM_INSTRUCTIONS").unwrap_or(500_000) as usize;
    let (executed, kinds) = search(&Bench::against_qemu("short"), number("KEMPROF_RANDOM_SEED").unwrap_or(4), wanted);
    let untried: Vec<&str> = all_rows().map(|row| row.name).filter(|name| !kinds.contains(name)).collect();
    assert!(untried.is_empty(), "not tried: {untried:?}");
    say(&format!("{executed} random instructions of {} kinds agree with qemu", kinds.len()));
}

/// An interrupt at any place, in an IT block or between two halves of a multiplication's result, changes nothing.
#[test]
fn random_instructions_with_interrupts() {
    if !present(&[GCC, OBJCOPY, OBJDUMP]) {
        return;
    }
    // Cycles between interrupts: short ones leave few instructions between, long ones reach every place.
    for (seed, ticks) in [(7, 97), (8, 151), (9, 1009)] {
        search(&Bench::with_interrupts(ticks), seed, 150_000);
    }
}

/// The long run: `cargo test --release -p m4sim --test cross -- --ignored --nocapture ten_million`.
#[test]
#[ignore = "takes minutes; run by hand"]
fn ten_million_random_instructions() {
    if !present(&NEEDED) {
        return;
    }
    let mut total = 0;
    for seed in 1000..1020 {
        total += search(&Bench::against_qemu("long"), seed, 500_000).0;
    }
    say(&format!("{total} random instructions agree with qemu"));
    assert!(total >= 10_000_000, "{total}");
}
