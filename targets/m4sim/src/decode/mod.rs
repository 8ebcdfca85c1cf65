//! Decoding: from one or two halfwords to an [`Insn`], by a table of bit patterns.
//!
//! A row is a pattern as the architecture manual prints it (bits from the top, `0` and `1` fixed, letters for fields),
//! an operation, and a function that gives the fields their meaning. Where two patterns overlap, the one with more fixed
//! bits stands first; a test checks that of every overlapping pair one contains the other and that this order holds.
//!
//! Letters: `d` rd, `n` rn, `m` rm, `a` ra, `i` immediate, `s` set flags, `k` kind of shift, `p`, `u`, `w` the
//! addressing bits of the manual, `x` and `y` small choices, `c` condition.

mod fields;
mod thumb16;
mod thumb32;
mod thumb32_dsp;
mod thumb32_mem;
mod vfp;

use crate::insn::{Insn, Op};
use fields::Fields;

/// One row of the table.
pub(crate) struct Row {
    pattern: &'static str,
    mask: u32,
    value: u32,
    op: Op,
    finish: fn(&mut Insn, &Fields<'_>),
}

/// A row; spaces in the pattern separate the fields for the eye.
const fn row(pattern: &'static str, op: Op, finish: fn(&mut Insn, &Fields<'_>)) -> Row {
    let bytes = pattern.as_bytes();
    let (mut mask, mut value, mut bits, mut i) = (0u32, 0u32, 0, 0);
    while i < bytes.len() {
        if bytes[i] != b' ' {
            mask = mask << 1 | matches!(bytes[i], b'0' | b'1') as u32;
            value = value << 1 | (bytes[i] == b'1') as u32;
            bits += 1;
        }
        i += 1;
    }
    assert!(bits == 16 || bits == 32, "a pattern has 16 or 32 bits");
    Row { pattern, mask, value, op, finish }
}

/// The tables, in the order in which they are searched.
fn tables(wide: bool) -> &'static [&'static [Row]] {
    const NARROW: &[&[Row]] = &[thumb16::ROWS];
    const WIDE: &[&[Row]] = &[thumb32::ROWS, thumb32_mem::ROWS, thumb32_dsp::ROWS, vfp::ROWS];
    if wide { WIDE } else { NARROW }
}

/// Whether a first halfword begins a 32-bit instruction (DDI 0403, A5.1).
pub const fn is_wide(first: u16) -> bool {
    first >> 11 >= 0b11101
}

/// Decodes an instruction; `second` is ignored after a 16-bit one. `None` is an encoding that no row describes.
pub fn decode(first: u16, second: u16) -> Option<Insn> {
    let wide = is_wide(first);
    let word = if wide { u32::from(first) << 16 | u32::from(second) } else { u32::from(first) };
    let row = tables(wide).iter().flat_map(|rows| rows.iter()).find(|r| word & r.mask == r.value)?;
    let fields = Fields { pattern: row.pattern, word };
    let mut insn = Insn::new(row.op, if wide { 4 } else { 2 });
    fields.place(&mut insn);
    (row.finish)(&mut insn, &fields);
    Some(insn)
}

#[cfg(test)]
mod tests;
