//! The integer instructions that neither load, store nor branch.

use super::pattern::{Fields, Row, row};

/// A modified immediate of a repeated zero byte is unpredictable.
fn constant(f: &Fields) -> bool {
    !(f.get('i') == 0 && matches!(f.get('j'), 1..=3) && f.get('k') == 0)
}

/// A field's end lies within the word.
fn extract(f: &Fields) -> bool {
    (f.get('j') << 2 | f.get('k')) + f.get('z') <= 31
}

fn insert(f: &Fields) -> bool {
    f.get('z') >= (f.get('j') << 2 | f.get('k'))
}

/// An arithmetic shift by 0 is the encoding of the saturation of halfwords.
fn saturate(f: &Fields) -> bool {
    f.get('s') == 0 || (f.get('j') | f.get('k')) != 0
}

fn same_operand(f: &Fields) -> bool {
    f.get('n') == f.get('m')
}

fn two_results(f: &Fields) -> bool {
    f.get('d') != f.get('u')
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    // 16 bits.
    row("lsl imm (16)", "00000iiiii mmm ddd").when(|f| f.get('i') != 0),
    row("movs (16)", "0000000000 mmm ddd").not_in_it(),
    row("lsr imm (16)", "00001..... mmm ddd"),
    row("asr imm (16)", "00010..... mmm ddd"),
    row("add, sub reg (16)", "000110. mmm nnn ddd"),
    row("add, sub imm3 (16)", "000111. ... nnn ddd"),
    row("mov imm8 (16)", "00100 ddd ........"),
    row("cmp imm8 (16)", "00101 nnn ........"),
    row("add, sub imm8 (16)", "0011. ddd ........"),
    row("two registers (16)", "010000 .... mmm ddd"),
    row("shift by register (16)", "010000 oooo mmm ddd").when(|f| matches!(f.get('o'), 2 | 3 | 4 | 7)),
    row("add high (16)", "01000100 d mmmm ddd").when(|f| !matches!(f.get('d'), 13 | 15)),
    row("cmp high (16)", "01000101 x mmmm yyy").when(|f| {
        let n = f.get('x') << 3 | f.get('y');
        n != 15 && n != 13 && (n >= 8 || f.get('m') >= 8)
    }),
    row("mov high (16)", "01000110 d mmmm ddd").when(|f| !matches!(f.get('d'), 13 | 15)),
    row("adr (16)", "10100 ddd ........"),
    row("add sp imm8 (16)", "10101 ddd ........"),
    row("extend (16)", "10110010.. mmm ddd"),
    row("rev (16)", "1011101000 mmm ddd"),
    row("rev16 (16)", "1011101001 mmm ddd"),
    row("revsh (16)", "1011101011 mmm ddd"),
    row("cps", "10110110011 . 00 ff").when(|f| f.get('f') != 0).not_in_it(),
    row("nop (16)", "1011111100000000"),
    row("yield", "1011111100010000"),
    row("sev", "1011111101000000"),
    // Modified immediates.
    row("and imm", "11110 i 0 0000 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("bic imm", "11110 i 0 0001 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("orr imm", "11110 i 0 0010 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("orn imm", "11110 i 0 0011 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("eor imm", "11110 i 0 0100 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("add imm", "11110 i 0 1000 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("adc imm", "11110 i 0 1010 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("sbc imm", "11110 i 0 1011 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("sub imm", "11110 i 0 1101 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("rsb imm", "11110 i 0 1110 . nnnn 0 jjj dddd kkkkkkkk").when(constant),
    row("mov imm", "11110 i 0 0010 . 1111 0 jjj dddd kkkkkkkk").when(constant),
    row("mvn imm", "11110 i 0 0011 . 1111 0 jjj dddd kkkkkkkk").when(constant),
    row("tst imm", "11110 i 0 0000 1 nnnn 0 jjj 1111 kkkkkkkk").when(constant),
    row("teq imm", "11110 i 0 0100 1 nnnn 0 jjj 1111 kkkkkkkk").when(constant),
    row("cmn imm", "11110 i 0 1000 1 nnnn 0 jjj 1111 kkkkkkkk").when(constant),
    row("cmp imm", "11110 i 0 1101 1 nnnn 0 jjj 1111 kkkkkkkk").when(constant),
    row("add sp imm", "11110 i 0 1000 . 1101 0 jjj dddd kkkkkkkk").when(constant),
    row("sub sp imm", "11110 i 0 1101 . 1101 0 jjj dddd kkkkkkkk").when(constant),
    // Plain immediates.
    row("addw", "11110 . 100000 nnnn 0 ... dddd ........"),
    row("subw", "11110 . 101010 nnnn 0 ... dddd ........"),
    row("addw sp", "11110 . 100000 1101 0 ... dddd ........"),
    row("subw sp", "11110 . 101010 1101 0 ... dddd ........"),
    row("adr forwards", "11110 . 100000 1111 0 ... dddd ........"),
    row("adr backwards", "11110 . 101010 1111 0 ... dddd ........"),
    row("movw", "11110 . 100100 .... 0 ... dddd ........"),
    row("movt", "11110 . 101100 .... 0 ... dddd ........"),
    row("ssat", "1111001100 s 0 nnnn 0 jjj dddd kk 0 .....").when(saturate),
    row("usat", "1111001110 s 0 nnnn 0 jjj dddd kk 0 .....").when(saturate),
    row("ssat16", "111100110010 nnnn 0000 dddd 0000 ...."),
    row("usat16", "111100111010 nnnn 0000 dddd 0000 ...."),
    row("bfi", "111100110110 nnnn 0 jjj dddd kk 0 zzzzz").when(insert),
    row("bfc", "111100110110 1111 0 jjj dddd kk 0 zzzzz").when(insert),
    row("sbfx", "111100110100 nnnn 0 jjj dddd kk 0 zzzzz").when(extract),
    row("ubfx", "111100111100 nnnn 0 jjj dddd kk 0 zzzzz").when(extract),
    // Shifted registers.
    row("and reg", "1110101 0000 . nnnn 0 ... dddd .. .. mmmm"),
    row("bic reg", "1110101 0001 . nnnn 0 ... dddd .. .. mmmm"),
    row("orr reg", "1110101 0010 . nnnn 0 ... dddd .. .. mmmm"),
    row("orn reg", "1110101 0011 . nnnn 0 ... dddd .. .. mmmm"),
    row("eor reg", "1110101 0100 . nnnn 0 ... dddd .. .. mmmm"),
    row("pkh", "1110101 0110 0 nnnn 0 ... dddd .. .0 mmmm"),
    row("add reg", "1110101 1000 . nnnn 0 ... dddd .. .. mmmm"),
    row("adc reg", "1110101 1010 . nnnn 0 ... dddd .. .. mmmm"),
    row("sbc reg", "1110101 1011 . nnnn 0 ... dddd .. .. mmmm"),
    row("sub reg", "1110101 1101 . nnnn 0 ... dddd .. .. mmmm"),
    row("rsb reg", "1110101 1110 . nnnn 0 ... dddd .. .. mmmm"),
    row("mov and shifts", "1110101 0010 . 1111 0 ... dddd .. .. mmmm"),
    row("rrx", "1110101 0010 . 1111 0 000 dddd 00 11 mmmm"),
    row("mvn reg", "1110101 0011 . 1111 0 ... dddd .. .. mmmm"),
    row("tst reg", "1110101 0000 1 nnnn 0 ... 1111 .. .. mmmm"),
    row("teq reg", "1110101 0100 1 nnnn 0 ... 1111 .. .. mmmm"),
    row("cmn reg", "1110101 1000 1 nnnn 0 ... 1111 .. .. mmmm"),
    row("cmp reg", "1110101 1101 1 nnnn 0 ... 1111 .. .. mmmm"),
    row("add sp reg", "1110101 1000 . 1101 0 ... dddd .. .. mmmm"),
    row("sub sp reg", "1110101 1101 . 1101 0 ... dddd .. .. mmmm"),
    row("shift by register", "111110100 .. . nnnn 1111 dddd 0000 mmmm"),
    // Extends, parallel arithmetic, saturating arithmetic, miscellaneous.
    row("extend and add", "111110100 ooo nnnn 1111 dddd 10 .. mmmm").when(|f| f.get('o') < 6),
    row("extend", "111110100 ooo 1111 1111 dddd 10 .. mmmm").when(|f| f.get('o') < 6),
    row("parallel", "111110101 ooo nnnn 1111 dddd 0 . pp mmmm")
        .when(|f| matches!(f.get('o'), 0 | 1 | 2 | 4 | 5 | 6) && f.get('p') != 3),
    row("qadd, qdadd, qsub, qdsub", "111110101000 nnnn 1111 dddd 10.. mmmm"),
    row("rev, rev16, rbit, revsh", "111110101001 nnnn 1111 dddd 10.. mmmm").when(same_operand),
    row("sel", "111110101010 nnnn 1111 dddd 1000 mmmm"),
    row("clz", "111110101011 nnnn 1111 dddd 1000 mmmm").when(same_operand),
    // Multiplication and division.
    row("mla", "111110110000 nnnn aaaa dddd 0000 mmmm"),
    row("mls", "111110110000 nnnn aaaa dddd 0001 mmmm"),
    row("mul", "111110110000 nnnn 1111 dddd 0000 mmmm"),
    row("smla halves", "111110110001 nnnn aaaa dddd 00.. mmmm"),
    row("smul halves", "111110110001 nnnn 1111 dddd 00.. mmmm"),
    row("smlad", "111110110010 nnnn aaaa dddd 000. mmmm"),
    row("smuad", "111110110010 nnnn 1111 dddd 000. mmmm"),
    row("smlaw", "111110110011 nnnn aaaa dddd 000. mmmm"),
    row("smulw", "111110110011 nnnn 1111 dddd 000. mmmm"),
    row("smlsd", "111110110100 nnnn aaaa dddd 000. mmmm"),
    row("smusd", "111110110100 nnnn 1111 dddd 000. mmmm"),
    row("smmla", "111110110101 nnnn aaaa dddd 000. mmmm"),
    row("smmul", "111110110101 nnnn 1111 dddd 000. mmmm"),
    row("smmls", "111110110110 nnnn aaaa dddd 000. mmmm"),
    row("usada8", "111110110111 nnnn aaaa dddd 0000 mmmm"),
    row("usad8", "111110110111 nnnn 1111 dddd 0000 mmmm"),
    row("smull", "111110111000 nnnn uuuu dddd 0000 mmmm").when(two_results),
    row("umull", "111110111010 nnnn uuuu dddd 0000 mmmm").when(two_results),
    row("smlal", "111110111100 nnnn uuuu dddd 0000 mmmm").when(two_results),
    row("smlal halves", "111110111100 nnnn uuuu dddd 10.. mmmm").when(two_results),
    row("smlald", "111110111100 nnnn uuuu dddd 110. mmmm").when(two_results),
    row("smlsld", "111110111101 nnnn uuuu dddd 110. mmmm").when(two_results),
    row("umlal", "111110111110 nnnn uuuu dddd 0000 mmmm").when(two_results),
    row("umaal", "111110111110 nnnn uuuu dddd 0110 mmmm").when(two_results),
    row("sdiv", "111110111001 nnnn 1111 dddd 1111 mmmm"),
    row("udiv", "111110111011 nnnn 1111 dddd 1111 mmmm"),
    // System.
    row("mrs", "11110011111011111000 dddd ssssssss")
        .when(|f| matches!(f.get('s'), 0..=3 | 5..=7 | 16 | 17 | 19)),
    row("msr apsr", "111100111000 nnnn 1000 ww 0000000000").when(|f| f.get('w') != 0),
    row("dmb", "11110011101111111000111101011111"),
    row("dsb", "11110011101111111000111101001111"),
    row("isb", "11110011101111111000111101101111"),
    row("clrex", "11110011101111111000111100101111"),
    row("nop (32)", "11110011101011111000000000000000"),
    row("pld", "111110001001 nnnn 1111 ............"),
    row("pli", "111110011001 nnnn 1111 ............"),
    // Loads from among the code.
    row("ldr literal (16)", "01001 ttt ........"),
    row("ldr literal", "11111000 . 1011111 tttt ............"),
    row("ldrh literal", "1111100 . . 0111111 tttt ............"),
    row("ldrb literal", "1111100 . . 0011111 tttt ............"),
    row("ldrd literal", "11101001 . 1011111 tttt uuuu ........").when(|f| f.get('t') != f.get('u')),
];
