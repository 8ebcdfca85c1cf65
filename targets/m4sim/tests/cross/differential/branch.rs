//! Branches of every kind over a few instructions, loops, and IT blocks.

use super::image::MEMORY;
use super::memory::{access, other_register};
use super::pattern::push;
use super::random::Random;
use super::unit::Unit;
use super::{random_row, row_names};

/// What a branch may skip: rows, padded to a multiple of 4 bytes.
fn body(random: &mut Random, spared: Option<u32>) -> Unit {
    let mut body = Unit::default();
    for _ in 0..=random.below(4) {
        let row = random_row(random);
        row.emit(random, spared, &mut body.code);
        body.names.push(row.name);
        body.executed += 1;
    }
    body.align();
    body
}

/// ADR.W: the address `ahead` bytes after this instruction's end (it being at a multiple of 4).
fn address_ahead(unit: &mut Unit, register: u32, ahead: u32) {
    assert!(unit.size().is_multiple_of(4) && ahead < 256, "within reach of a plain ADR");
    unit.wide(0xF20F_0000 | register << 8 | ahead);
}

/// A branch ahead, by one of the ways to branch.
pub(crate) fn branch_unit(random: &mut Random) -> Unit {
    let body = body(random, None);
    let skip = body.size();
    let condition = random.below(14);
    let mut unit = Unit::default();
    let n = random.register();
    let name = match random.below(16) {
        0 => {
            unit.narrow(0xD000 | condition << 8 | (skip / 2)); // over the NOP too
            unit.narrow(0xBF00);
            "b cond (16)"
        }
        1 => {
            unit.wide(0xF000_8000 | condition << 22 | (skip / 2));
            "b cond (32)"
        }
        2 => {
            unit.narrow(0xE000 | (skip / 2));
            unit.narrow(0xBF00);
            "b (16)"
        }
        3 => {
            unit.wide(0xF000_B800 | (skip / 2));
            "b (32)"
        }
        4 => {
            unit.wide(0xF000_F800 | (skip / 2));
            "bl"
        }
        5 | 6 => {
            unit.narrow(0xB100 | random.below(2) << 11 | (skip / 2) << 3 | random.below(8));
            unit.narrow(0xBF00);
            "cbz, cbnz"
        }
        7 => {
            address_ahead(&mut unit, n, 4 + skip + 1);
            unit.narrow(random.pick(&[0x4700, 0x4780]) | n << 3); // bx, blx
            unit.narrow(0xBF00);
            "bx, blx"
        }
        8 => {
            address_ahead(&mut unit, n, 4 + skip + random.below(2));
            unit.narrow(0x4687 | n << 3);
            unit.narrow(0xBF00);
            "mov pc"
        }
        9 => {
            unit.set(n, skip);
            unit.narrow(0x4487 | n << 3);
            unit.narrow(0xBF00);
            "add pc"
        }
        10 | 11 => return table_unit(random, body),
        kind => {
            let m = other_register(random, &[n]);
            load_pc(random, &mut unit, (n, m), kind, skip);
            if kind == 15 { "pop pc" } else { "ldr pc" }
        }
    };
    let executed = unit.executed;
    append(&mut unit, &body);
    unit.executed = executed;
    unit.names.insert(0, name);
    unit
}

/// Loads of the PC: LDR in two modes, LDM, POP.
fn load_pc(random: &mut Random, unit: &mut Unit, (n, m): (u32, u32), kind: u32, skip: u32) {
    let slot = MEMORY + 0x100 + random.below(8) * 4;
    let before = unit.clone();
    // The address is stored first; how far the target is from there depends on how long the load is.
    let mut tail = 0;
    loop {
        unit.clone_from(&before);
        unit.set(n, slot);
        address_ahead(unit, m, 4 + tail + skip + 1);
        unit.wide(0xF8C0_0000 | n << 16 | m << 12); // str m, [n]
        let start = unit.size();
        match kind {
            12 => unit.wide(0xF8D0_F000 | n << 16),
            13 => unit.wide(0xF850_FB08 | n << 16), // post-indexed by 8
            14 => unit.wide(0xE8B0_8000 | n << 16 | if n == 0 { 2 } else { 1 }), // reads pc last
            _ => {
                unit.narrow(0x4685 | n << 3); // mov sp, n
                unit.narrow(0xBD00);
            }
        }
        if kind == 14 {
            // ldmia n!, {low, pc}: begin a word before.
            let load = unit.code.split_off(unit.code.len() - 2);
            unit.wide(0xF1A0_0004 | n << 16 | n << 8); // sub n, #4
            unit.code.extend(load);
        }
        let size = unit.size() - start;
        if size == tail {
            return;
        }
        tail = size;
    }
}

/// TBB or TBH over one to four bodies of which one is taken.
fn table_unit(random: &mut Random, body: Unit) -> Unit {
    let mut unit = Unit::new("tbb, tbh");
    let m = random.register();
    let (wide, choice) = (random.below(2), random.below(4));
    unit.set(m, choice);
    unit.wide(0xE8D0_F000 | 15 << 16 | wide << 4 | m);
    let entries = [0, body.size() / 2, body.size(), body.size() / 2];
    let table = if wide == 1 { 4 } else { 2 };
    for pair in entries.chunks(2) {
        let places: Vec<u32> = pair.iter().map(|entry| entry + table).collect();
        if wide == 1 {
            unit.code.extend(places.iter().map(|place| *place as u16));
        } else {
            unit.code.push((places[0] | places[1] << 8) as u16);
        }
    }
    let executed = unit.executed;
    append(&mut unit, &body);
    append(&mut unit, &body);
    unit.executed = executed;
    unit
}

/// A loop of some rounds, counted in a register that its body spares.
pub(crate) fn loop_unit(random: &mut Random) -> Unit {
    let counter = random.below(8);
    let rounds = random.below(6) + 1;
    let mut unit = Unit::new("loop");
    unit.set(counter, rounds);
    let body = body(random, Some(counter));
    append(&mut unit, &body);
    if random.one_in(2) {
        unit.narrow(0x3801 | counter << 8); // subs counter, #1
        unit.narrow(0xD100 | (256 - body.size() / 2 - 3)); // bne
    } else {
        unit.wide(0xF1B0_0001 | counter << 16 | counter << 8);
        let back = 0u32.wrapping_sub(body.size() / 2 + 4);
        unit.wide(0xF440_A000 | back & 0x7FF | (back >> 11 & 0x3F) << 16 | 1 << 11 | 1 << 13);
    }
    unit.executed += (body.executed + 2) * (rounds as usize - 1);
    unit
}

/// An IT block: one to four rows, the first perhaps an access to memory, the last perhaps a branch.
pub(crate) fn it_unit(random: &mut Random) -> Unit {
    let mut unit = Unit::new("it");
    let count = random.below(4) + 1;
    let condition = random.below(15);
    // "Else" does not go with "always".
    let elses = if condition == 14 { 0 } else { random.below(16) };
    let first = random.one_in(3).then(|| access(random));
    for &(register, value) in first.iter().flat_map(|access| &access.setup) {
        unit.set(register, value);
    }
    unit.align();
    let lowest = condition & 1;
    let mut mask = 0;
    for slot in 1..count {
        mask |= (lowest ^ (elses >> slot & 1)) << (4 - slot);
    }
    mask |= 1 << (4 - count);
    unit.narrow(0xBF00 | condition << 4 | mask);
    for slot in 0..count {
        match &first {
            Some(access) if slot == 0 => {
                push(&mut unit.code, access.word, access.bits);
                unit.names.push(access.name);
            }
            _ => {
                let row = loop {
                    let row = random_row(random);
                    if row.in_it {
                        break row;
                    }
                };
                row.emit(random, None, &mut unit.code);
                unit.names.push(row.name);
            }
        }
        unit.executed += 1;
    }
    unit
}

/// An IT block that ends by a branch.
pub(crate) fn it_branch_unit(random: &mut Random) -> Unit {
    let mut unit = Unit::new("it branch");
    let condition = random.below(14);
    let body = body(random, None);
    if random.one_in(2) {
        unit.narrow(0xBF08 | condition << 4);
        unit.narrow(0xE000 | ((body.size() - 2) / 2));
    } else {
        unit.narrow(0xBF00);
        unit.narrow(0xBF08 | condition << 4);
        unit.wide(0xF000_B800 | (body.size() / 2));
    }
    let executed = unit.executed;
    append(&mut unit, &body);
    unit.executed = executed;
    unit
}

fn append(unit: &mut Unit, body: &Unit) {
    unit.code.extend(&body.code);
    unit.names.extend(row_names(body));
    unit.executed += body.executed;
}
