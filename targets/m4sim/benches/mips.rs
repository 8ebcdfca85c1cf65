//! How many instructions a second the simulator runs: `cargo bench -p m4sim`.
//!
//! Three programs (`mips.S`): register arithmetic, calls and conditions, loads and stores. Each runs many times,
//! plainly and watched by a profile; the best time counts, since other work on the machine only ever slows a run down.

use std::time::Instant;

use m4sim::{Config, Event, Image, Limits, Machine, Watch};

/// What the simulator is meant to reach on a PC, in millions of instructions a second.
const WANTED: f64 = 60.0;
/// Runs of each program, short ones so that some fall between the slices of whatever else the machine does.
const RUNS: usize = 200;

const ARITHMETIC: &[u16] = &[
    0xF245, 0x6780, 0xF2C0, 0x0700, 0xEA81, 0x20F2, 0xEA24, 0x6370, 0x406B, 0xEB01, 0x01C3, 0xEA4F, 0x12F2, 0xEA63,
    0x0400, 0xEA84, 0x0501, 0xF3C5, 0x06C8, 0xFBA6, 0x8905, 0xFB18, 0xAA09, 0xFA9A, 0xFB41, 0xEACB, 0x4202, 0x1880,
    0xF144, 0x0400, 0x3F01, 0xD1E3, 0x2018, 0xF240, 0x0126, 0xF2C0, 0x0102, 0xBEAB,
];
const CONTROL: &[u16] = &[
    0xF245, 0x6780, 0xF2C0, 0x0700, 0x2400, 0x4638, 0xF000, 0xF811, 0x4404, 0xF017, 0x0103, 0x2902, 0xBF8C, 0x3401,
    0x3C02, 0xB101, 0x404C, 0x3F01, 0xD1F1, 0x2018, 0xF240, 0x0126, 0xF2C0, 0x0102, 0xBEAB, 0xB530, 0xF010, 0x0501,
    0xD001, 0x3003, 0xBD30, 0x0840, 0xBD30, 0xBF00,
];
const MEMORY: &[u16] = &[
    0xF245, 0x6780, 0xF2C0, 0x0700, 0xF240, 0x0600, 0xF2C2, 0x0600, 0x6870, 0x68B1, 0x1840, 0x60F0, 0x7B72, 0xF9B6,
    0x300E, 0x8233, 0xF856, 0x4022, 0xF806, 0x4F04, 0xCE0F, 0xE926, 0x0003, 0xE956, 0x4502, 0xF846, 0x7D0C, 0x3F01,
    0xD1EA, 0x2018, 0xF240, 0x0126, 0xF2C0, 0x0102, 0xBEAB, 0xBF00,
];

/// Vector table at 0 and the program at 0x100.
fn image(program: &[u16]) -> Image {
    let vectors = [0x2001_0000u32, 0x101].iter().flat_map(|w| w.to_le_bytes()).collect();
    Image::from_parts([(0, vectors), (0x100, program.iter().flat_map(|h| h.to_le_bytes()).collect())])
}

/// Millions of instructions a second of one run.
fn speed(image: &Image, watched: bool) -> f64 {
    let mut machine = Machine::new(image, Config::default()).expect("the image has vectors");
    if watched {
        machine.watch(Watch::nothing().with_profile(image.symbols()));
    }
    let started = Instant::now();
    let event = machine.run(Limits::default()).expect("the program is right");
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(event, Event::Exit { status: 0 });
    machine.counters().instructions as f64 / seconds / 1e6
}

fn best(image: &Image, watched: bool) -> f64 {
    (0..RUNS).map(|_| speed(image, watched)).fold(0.0, f64::max)
}

fn main() {
    let mut slowest = f64::INFINITY;
    eprintln!("{:<12} {:>10} {:>10}   million instructions a second", "program", "plain", "profiled");
    for (name, program) in [("arithmetic", ARITHMETIC), ("control", CONTROL), ("memory", MEMORY)] {
        let image = image(program);
        let (plain, profiled) = (best(&image, false), best(&image, true));
        eprintln!("{name:<12} {plain:>10.1} {profiled:>10.1}");
        slowest = slowest.min(plain);
    }
    let verdict = if slowest >= WANTED { "reached" } else { "missed" };
    eprintln!("{WANTED} million a second: {verdict}");
}
