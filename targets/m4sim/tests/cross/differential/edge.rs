//! Instructions whose operands are set to edges just before: what overflows, saturates or is a NaN by rare coincidence.

use super::pattern::{Instance, push};
use super::random::Random;
use super::unit::Unit;
use super::{float_rows, integer_rows};

/// Amounts of shifts where results or carries change their rule.
const SHIFTS: [u32; 12] = [0, 1, 31, 32, 33, 63, 64, 255, 256, 257, 288, 0xFFFF_FF20];

fn append(unit: &mut Unit, instance: &Instance) {
    push(&mut unit.code, instance.word, instance.bits);
    unit.executed += 1;
}

/// An integer instruction, the registers of its fields being set to edges (now and then to anything).
pub(crate) fn integer_unit(random: &mut Random) -> Unit {
    let row = &integer_rows::ROWS[random.below(integer_rows::ROWS.len() as u32) as usize];
    let instance = row.instance(random, None);
    let mut unit = Unit::new(row.name);
    for letter in ['n', 'm', 'a', 'd', 'u'] {
        if let Some(register) = instance.fields.find(letter) {
            let value = match random.below(4) {
                _ if letter == 'm' && row.name.starts_with("shift") => random.pick(&SHIFTS),
                0 => random.integer(),
                _ => random.integer_edge(),
            };
            unit.set(register, value);
        }
    }
    append(&mut unit, &instance);
    unit
}

/// A floating-point instruction after the three registers that its fields name (where they name registers) were set.
pub(crate) fn float_unit(random: &mut Random) -> Unit {
    let row = &float_rows::ROWS[random.below(float_rows::ROWS.len() as u32) as usize];
    let instance = row.instance(random, None);
    let mut unit = Unit::new(row.name);
    let word = instance.word;
    let scratch = random.register();
    for (four, one) in [(word >> 12, word >> 22), (word >> 16, word >> 7), (word, word >> 5)] {
        let value = if random.one_in(5) { random.float() } else { random.float_edge() };
        unit.set(scratch, value);
        unit.wide(0xEE00_0A10 | (four & 15) << 16 | (one & 1) << 7 | scratch << 12); // vmov s, scratch
    }
    append(&mut unit, &instance);
    unit
}
