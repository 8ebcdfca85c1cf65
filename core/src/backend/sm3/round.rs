//! SM3's rounds, written once: every implementation brings its own word type `V` and the operations on it.

use crate::backend::ngcc::BLOCK;

/// A chaining value, or the registers A to H.
pub(super) type State = [u32; 8];
/// The words of a block.
pub(super) type Words = [u32; BLOCK / 4];

/// Rounds of a compression.
pub(super) const ROUNDS: usize = 64;
/// Rounds with the parity functions; the others have majority and choice (GB/T 32905-2016, section 4.3).
pub(super) const PARITY_ROUNDS: usize = 16;

/// The initial value (GB/T 32905-2016, section 4.1).
pub(super) const INITIAL: State =
    [0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e];

/// The round constants (GB/T 32905-2016, section 4.2), turned left by the round's number as rounds use them.
pub(super) const CONSTANTS: [u32; ROUNDS] = {
    let mut constants = [0; ROUNDS];
    let mut j = 0;
    while j < ROUNDS {
        let constant: u32 = if j < PARITY_ROUNDS { 0x79cc_4519 } else { 0x7a87_9d8a };
        constants[j] = constant.rotate_left(j as u32 % u32::BITS);
        j += 1;
    }
    constants
};

/// One round (GB/T 32905-2016, section 5.3.3) on the registers `$s`: `$a` to `$d` say which of the first four are A, B, C and
/// D this time, and with 4 added which are E, F, G and H. Nothing moves: the next round names them one place on.
///
/// What is not defined here (`add`, `rotl!`, ...) is the caller's, for its type of words.
macro_rules! round {
    ($parity:expr, $s:expr, $a:literal $b:literal $c:literal $d:literal, $words:expr, $constant:expr) => {{
        let [a, b, c, d] = [$s[$a], $s[$b], $s[$c], $s[$d]];
        let [e, f, g, h] = [$s[4 + $a], $s[4 + $b], $s[4 + $c], $s[4 + $d]];
        let [word, word_prime] = $words;
        let turned = rotl!(a, 12);
        let ss1 = rotl!(add(add(e, $constant), turned), 7);
        let [ff, gg] = if $parity { [parity(b, c, a), parity(f, g, e)] } else { [majority(a, b, c), choice(e, f, g)] };
        $s[$d] = add(add(add(d, word_prime), ff), xor(ss1, turned));
        $s[4 + $d] = p0(add(add(add(h, word), gg), ss1));
        $s[$b] = rotl!(b, 9);
        $s[4 + $b] = rotl!(f, 19);
    }};
}
pub(super) use round;

/// Four rounds from round `$j`, after which every register is back in its place. The macros `$words` and `$constant` give
/// the pair W and W' and the constant of a round.
macro_rules! four_rounds {
    ($parity:expr, $s:expr, $j:expr, $words:ident, $constant:ident) => {{
        round!($parity, $s, 0 1 2 3, $words!($j), $constant!($j));
        round!($parity, $s, 3 0 1 2, $words!($j + 1), $constant!($j + 1));
        round!($parity, $s, 2 3 0 1, $words!($j + 2), $constant!($j + 2));
        round!($parity, $s, 1 2 3 0, $words!($j + 3), $constant!($j + 3));
    }};
}
pub(super) use four_rounds;

/// Sixteen rounds, the first sixteen if `$parity`. `$window` holds their words before, and those of the next sixteen after:
/// the message expansion (GB/T 32905-2016, section 5.3.2) runs four words ahead.
macro_rules! sixteen_rounds {
    ($parity:expr, $s:expr, $window:expr, $constant:ident) => {{
        macro_rules! words {
            ($i:expr) => {{
                let i: usize = $i;
                let ahead = (i + 4) % 16;
                if !$parity || i >= 12 {
                    let [w13, w9] = [$window[(i + 7) % 16], $window[(i + 11) % 16]];
                    let [w6, w3] = [$window[(i + 14) % 16], $window[(i + 1) % 16]];
                    $window[ahead] = expand_word($window[ahead], w13, w9, w6, w3);
                }
                [$window[i], xor($window[i], $window[ahead])]
            }};
        }
        four_rounds!($parity, $s, 0, words, $constant);
        four_rounds!($parity, $s, 4, words, $constant);
        four_rounds!($parity, $s, 8, words, $constant);
        four_rounds!($parity, $s, 12, words, $constant);
    }};
}
pub(super) use sixteen_rounds;
