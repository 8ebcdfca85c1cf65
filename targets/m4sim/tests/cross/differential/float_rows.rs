//! The floating-point instructions that neither load nor store (but for literals).

use super::pattern::{Fields, Row, row};

/// A fixed-point number has no more fraction bits than bits.
fn fraction(f: &Fields) -> bool {
    f.get('x') == 1 || (f.get('k') << 1 | f.get('i')) <= 16
}

/// Two single registers from s31 on do not exist.
fn pair(f: &Fields) -> bool {
    (f.get('s') << 1 | f.get('q')) != 31 && f.get('t') != f.get('u')
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row("vmla, vmls", "111011100 . 00 .... .... 1010 . . . 0 ...."),
    row("vnmla, vnmls", "111011100 . 01 .... .... 1010 . . . 0 ...."),
    row("vmul, vnmul", "111011100 . 10 .... .... 1010 . . . 0 ...."),
    row("vadd, vsub", "111011100 . 11 .... .... 1010 . . . 0 ...."),
    row("vdiv", "111011101 . 00 .... .... 1010 . 0 . 0 ...."),
    row("vfnma, vfnms", "111011101 . 01 .... .... 1010 . . . 0 ...."),
    row("vfma, vfms", "111011101 . 10 .... .... 1010 . . . 0 ...."),
    row("vmov imm", "111011101 . 11 .... .... 10100000 ...."),
    row("vmov reg", "111011101 . 11 0000 .... 101001 . 0 ...."),
    row("vabs", "111011101 . 11 0000 .... 101011 . 0 ...."),
    row("vneg", "111011101 . 11 0001 .... 101001 . 0 ...."),
    row("vsqrt", "111011101 . 11 0001 .... 101011 . 0 ...."),
    row("vcvt half", "111011101 . 11 001. .... 1010 . 1 . 0 ...."),
    row("vcmp", "111011101 . 11 0100 .... 1010 . 1 . 0 ...."),
    row("vcmp zero", "111011101 . 11 0101 .... 1010 . 1000000"),
    row("vcvt from integer", "111011101 . 11 1000 .... 1010 . 1 . 0 ...."),
    row("vcvt to integer", "111011101 . 11 110. .... 1010 . 1 . 0 ...."),
    row("vcvt fixed", "111011101 . 11 1.1. .... 1010 x 1 i 0 kkkk").when(fraction),
    row("vmov core", "11101110000 . .... tttt 1010 . 0010000"),
    row("vmov two singles", "11101100010 . uuuu tttt 101000 q 1 ssss").when(pair),
    row("vmov double", "11101100010 . uuuu tttt 10110001 ....").when(|f| f.get('t') != f.get('u')),
    row("vmov scalar", "1110111000 . . .... tttt 101100010000"),
    row("vmrs", "1110111011110001 tttt 101000010000"),
    row("vmrs flags", "1110111011110001 1111 101000010000"),
    row("vldr literal", "11101101 . . 01 1111 .... 1010 ........"),
    row("vldr double literal", "11101101 . 0 01 1111 .... 1011 ........"),
];
