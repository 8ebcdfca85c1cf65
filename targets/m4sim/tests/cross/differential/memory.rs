//! Loads and stores: every kind and addressing mode, with a base that is set so that the access falls into the data area.

use super::image::{MEMORY, MEMORY_BYTES};
use super::random::Random;
use super::unit::Unit;

/// What an access needs set before it, and the access itself: apart, so that the access can stand in an IT block.
pub(crate) struct Access {
    pub(crate) name: &'static str,
    pub(crate) setup: Vec<(u32, u32)>,
    pub(crate) word: u32,
    pub(crate) bits: usize,
}

/// Accesses stay clear of the first words, which the start of a sequence and its end use.
const FIRST: u32 = 0x40;

/// An address for `size` bytes, a multiple of `align`.
fn address(random: &mut Random, size: u32, align: u32) -> u32 {
    let places = (MEMORY_BYTES - FIRST - size) / align;
    MEMORY + FIRST + random.below(places + 1) * align
}

/// A register that none of `others` is.
pub(crate) fn other_register(random: &mut Random, others: &[u32]) -> u32 {
    loop {
        let register = random.register();
        if !others.contains(&register) {
            return register;
        }
    }
}

/// Size in bytes and the bits `s zz l` of a load or store of one register: signed, size, load.
pub(crate) const SINGLES: [(u32, u32, u32, u32); 8] =
    [(4, 0, 2, 1), (4, 0, 2, 0), (2, 0, 1, 1), (2, 0, 1, 0), (1, 0, 0, 1), (1, 0, 0, 0), (2, 1, 1, 1), (1, 1, 0, 1)];

pub(crate) fn access(random: &mut Random) -> Access {
    match random.below(20) {
        0..=6 => single(random),
        7..=11 => narrow(random),
        12..=13 => double(random),
        14..=15 => multiple(random),
        16 => narrow_multiple(random),
        17..=18 => float(random),
        _ => float_multiple(random),
    }
}

/// LDR, STR and their kin in 32 bits.
fn single(random: &mut Random) -> Access {
    let (size, signed, kind, load) = random.pick(&SINGLES);
    let head = 0xF800_0000 | signed << 24 | kind << 21 | load << 20;
    let t = random.register();
    // Mostly unaligned half the time; a byte is always aligned.
    let align = if random.one_in(2) { size } else { 1 };
    let at = address(random, size, align);
    let small = random.below(256);
    match random.below(6) {
        0 => {
            let offset = random.below(4096);
            let n = random.register();
            let word = head | 1 << 23 | n << 16 | t << 12 | offset;
            Access { name: "load, store imm12", setup: vec![(n, at.wrapping_sub(offset))], word, bits: 32 }
        }
        1 => {
            let n = random.register();
            let word = head | n << 16 | t << 12 | 0xC00 | small;
            Access { name: "load, store minus imm8", setup: vec![(n, at + small)], word, bits: 32 }
        }
        2 => {
            let n = random.register();
            let word = head | n << 16 | t << 12 | 0xE00 | small;
            Access { name: "load, store unprivileged", setup: vec![(n, at - small)], word, bits: 32 }
        }
        3 => {
            let n = other_register(random, &[t]);
            let up = random.below(2);
            let word = head | n << 16 | t << 12 | 0xD00 | up << 9 | small;
            let base = if up == 1 { at - small } else { at + small };
            Access { name: "load, store pre-indexed", setup: vec![(n, base)], word, bits: 32 }
        }
        4 => {
            let n = other_register(random, &[t]);
            let word = head | n << 16 | t << 12 | 0x900 | random.below(2) << 9 | small;
            Access { name: "load, store post-indexed", setup: vec![(n, at)], word, bits: 32 }
        }
        _ => {
            let n = random.register();
            let m = other_register(random, &[n]);
            let (index, shift) = (random.integer(), random.below(4));
            let word = head | n << 16 | t << 12 | shift << 4 | m;
            let setup = vec![(n, at.wrapping_sub(index << shift)), (m, index)];
            Access { name: "load, store register", setup, word, bits: 32 }
        }
    }
}

/// The 16-bit loads and stores of one register.
fn narrow(random: &mut Random) -> Access {
    let (n, t, offset) = (random.below(8), random.below(8), random.below(32));
    let load = random.below(2);
    if random.one_in(2) {
        // STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH
        let kind = random.below(8);
        let size = [4, 2, 1, 1, 4, 2, 1, 2][kind as usize];
        let m = (n + 1 + random.below(7)) % 8;
        let index = random.integer();
        let setup = vec![(n, address(random, size, 1).wrapping_sub(index)), (m, index)];
        let word = 0x5000 | kind << 9 | m << 6 | n << 3 | t;
        return Access { name: "load, store register (16)", setup, word, bits: 16 };
    }
    let (size, head) = random.pick(&[(4, 0x6000), (1, 0x7000), (2, 0x8000)]);
    let setup = vec![(n, address(random, size, 1) - offset * size)];
    Access { name: "load, store imm5 (16)", setup, word: head | load << 11 | offset << 6 | n << 3 | t, bits: 16 }
}

/// LDRD and STRD.
fn double(random: &mut Random) -> Access {
    let t = random.register();
    let u = other_register(random, &[t]);
    let n = other_register(random, &[t, u]);
    let (offset, up, load) = (random.below(256), random.below(2), random.below(2));
    let at = address(random, 8, 4);
    let pre_write = random.pick(&[0b10, 0b11, 0b01]);
    let base = match (pre_write, up) {
        (0b01, _) => at,
        (_, 1) => at - offset * 4,
        _ => at + offset * 4,
    };
    let word = 0xE840_0000 | (pre_write >> 1) << 24 | up << 23 | (pre_write & 1) << 21 | load << 20;
    Access { name: "ldrd, strd", setup: vec![(n, base)], word: word | n << 16 | t << 12 | u << 8 | offset, bits: 32 }
}

/// A list of two registers or more, neither sp nor pc.
fn list(random: &mut Random, without: u32) -> u32 {
    loop {
        let list = random.word() & 0x5FFF & !without & (random.word() | random.word());
        if list.count_ones() >= 2 {
            return list;
        }
    }
}

/// LDM and STM in 32 bits, increasing or decreasing.
fn multiple(random: &mut Random) -> Access {
    let (n, load, write, down) = (random.register(), random.below(2), random.below(2), random.below(2));
    let list = list(random, if write == 1 { 1 << n } else { 0 });
    let size = list.count_ones() * 4;
    let base = address(random, size, 4) + if down == 1 { size } else { 0 };
    let head = if down == 1 { 0xE900_0000 } else { 0xE880_0000 };
    let word = head | write << 21 | load << 20 | n << 16 | list;
    Access { name: "ldm, stm", setup: vec![(n, base)], word, bits: 32 }
}

/// LDM and STM in 16 bits: a load of the base does not write it back; its store is predictable only as the lowest.
fn narrow_multiple(random: &mut Random) -> Access {
    let (n, load) = (random.below(8), random.below(2));
    let mut list = random.below(255) + 1;
    if load == 0 && list & (1 << n) != 0 && list & ((1 << n) - 1) != 0 {
        list &= !(1 << n);
    }
    let base = address(random, list.count_ones() * 4, 4);
    let word = 0xC000 | load << 11 | n << 8 | list;
    Access { name: "ldm, stm (16)", setup: vec![(n, base)], word, bits: 16 }
}

/// VLDR and VSTR, of either width.
fn float(random: &mut Random) -> Access {
    let (n, offset, up, load, double) =
        (random.register(), random.below(256), random.below(2), random.below(2), random.below(2));
    let at = address(random, 8, 4);
    let base = if up == 1 { at - offset * 4 } else { at + offset * 4 };
    let d = random.below(32);
    let register = if double == 1 { (d & 15) << 12 } else { (d & 1) << 22 | (d >> 1) << 12 };
    let word = 0xED00_0A00 | up << 23 | load << 20 | double << 8 | n << 16 | register | offset;
    Access { name: "vldr, vstr", setup: vec![(n, base)], word, bits: 32 }
}

/// VLDM and VSTM, of either width.
fn float_multiple(random: &mut Random) -> Access {
    let (n, load, write, down, double) =
        (random.register(), random.below(2), random.below(2), random.below(2), random.below(2));
    let limit = if double == 1 { 16 } else { 32 };
    let first = random.below(limit);
    let count = random.below(limit - first) + 1;
    let words = count << double;
    let base = address(random, words * 4, 4);
    // Decreasing always writes back.
    let (mode, base) = if down == 1 { (1 << 24 | 1 << 21, base + words * 4) } else { (1 << 23 | write << 21, base) };
    let register = if double == 1 { first << 12 } else { (first & 1) << 22 | (first >> 1) << 12 };
    let word = 0xEC00_0A00 | mode | load << 20 | double << 8 | n << 16 | register | words;
    Access { name: "vldm, vstm", setup: vec![(n, base)], word, bits: 32 }
}

/// An access after what it needs.
pub(crate) fn access_unit(random: &mut Random) -> Unit {
    let access = access(random);
    let mut unit = Unit::new(access.name);
    for (register, value) in access.setup {
        unit.set(register, value);
    }
    if access.bits == 32 {
        unit.wide(access.word);
    } else {
        unit.narrow(access.word);
    }
    unit
}

/// Exclusive accesses: a pair that succeeds, a store that fails because there was none before, or after CLREX.
///
/// Which other accesses end an exclusive state is left to the implementation, and not tried.
pub(crate) fn exclusive_unit(random: &mut Random) -> Unit {
    let mut unit = Unit::new("exclusives");
    let n = random.register();
    let t = random.register();
    let d = other_register(random, &[n]);
    let s = other_register(random, &[d]);
    let (kind, size) = random.pick(&[(0, 4), (0x40, 1), (0x50, 2)]);
    let offset = if kind == 0 { random.below(256) } else { 0 };
    let base = address(random, size, size) - offset * 4;
    let fails = random.one_in(3);
    unit.set(n, base);
    let load = if kind == 0 { 0xE850_0F00 | offset } else { 0xE8D0_0F0F | kind };
    unit.wide(load | n << 16 | t << 12);
    if t == n {
        unit.set(n, base);
    }
    if fails {
        unit.wide(0xF3BF_8F2F);
    }
    for _ in 0..=random.below(2) {
        let store = if kind == 0 { 0xE840_0000 | d << 8 | offset } else { 0xE8C0_0F00 | kind | d };
        unit.wide(store | n << 16 | s << 12);
    }
    unit
}
