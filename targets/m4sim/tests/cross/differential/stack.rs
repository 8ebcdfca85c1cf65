//! What is peculiar to the stack pointer: pushes and pops, accesses relative to it, arithmetic with it.

use super::image::MEMORY;
use super::memory::{SINGLES, other_register};
use super::random::Random;
use super::unit::Unit;

/// Sets sp into the data area, then moves it about within reach.
pub(crate) fn stack_unit(random: &mut Random) -> Unit {
    let mut unit = Unit::new("stack");
    let scratch = random.register();
    unit.set(scratch, MEMORY + 0x80 + random.below(48) * 4);
    unit.narrow(0x4685 | scratch << 3); // mov sp, scratch
    for _ in 0..=random.below(5) {
        step(random, &mut unit);
    }
    unit
}

fn step(random: &mut Random, unit: &mut Unit) {
    let t = random.register();
    let n = random.register();
    let small = random.below(16);
    match random.below(20) {
        0 => unit.narrow(0xB400 | (random.below(511) + 1)),
        1 => unit.narrow(0xBC00 | (random.below(255) + 1)),
        2 => unit.wide(0xE92D_0000 | long_list(random)),
        3 => unit.wide(0xE8BD_0000 | long_list(random)),
        4 => unit.wide(0xF84D_0D04 | t << 12),
        5 => unit.wide(0xF85D_0B04 | t << 12),
        6 => unit.narrow(0x9000 | random.below(2) << 11 | random.below(8) << 8 | random.below(40)),
        7 => unit.narrow(0xB000 | random.below(2) << 7 | small),
        8 => unit.wide(random.pick(&[0xF10D_0D00, 0xF1AD_0D00]) | random.below(2) << 20 | small << 2),
        9 => unit.wide(random.pick(&[0xF20D_0D00, 0xF2AD_0D00]) | small << 2),
        10 => {
            unit.set(n, small << 2);
            unit.narrow(0x4485 | n << 3); // add sp, n
        }
        11 => unit.narrow(0x4668 | (t & 8) << 4 | t & 7), // mov t, sp
        12 => unit.narrow(0x4468 | (t & 8) << 4 | t & 7), // add t, sp
        13 => unit.wide(0xED2D_0A00 | (small & 1) << 22 | random.below(8) << 12 | (random.below(15) + 1)),
        14 => unit.wide(0xECBD_0A00 | (small & 1) << 22 | random.below(8) << 12 | (random.below(15) + 1)),
        15 => {
            let u = other_register(random, &[t]);
            unit.wide(0xE9CD_0000 | random.below(2) << 20 | t << 12 | u << 8 | small);
        }
        16 => {
            // add.w or sub.w sp, sp, n, lsl #1 (with flags or not)
            unit.set(n, small << 2);
            unit.wide(random.pick(&[0xEB0D_0D40, 0xEBAD_0D40]) | random.below(2) << 20 | n);
        }
        17 => {
            let (_, signed, kind, load) = random.pick(&SINGLES);
            unit.wide(0xF88D_0000 | signed << 24 | kind << 21 | load << 20 | t << 12 | random.below(100));
        }
        18 => {
            let (_, signed, kind, load) = random.pick(&SINGLES);
            unit.set(n, small);
            let word = 0xF80D_0000 | signed << 24 | kind << 21 | load << 20;
            unit.wide(word | t << 12 | random.below(4) << 4 | n);
        }
        _ => {
            // ldr or str sp itself, through another base; a stored sp comes back as it was
            unit.set(n, MEMORY + 0x100);
            unit.wide(0xF8C0_D010 | n << 16);
            unit.wide(0xF8D0_D010 | n << 16);
        }
    }
}

fn long_list(random: &mut Random) -> u32 {
    loop {
        let list = random.word() & 0x5FFF & random.word();
        if list.count_ones() >= 2 {
            return list;
        }
    }
}
