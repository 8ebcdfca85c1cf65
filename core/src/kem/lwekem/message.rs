//! The message code B2-Minal: four bits of a message in two coefficients.
//!
//! Two bits choose the half of Z_q that each coefficient is in, two choose a point inside the halves. Everything is
//! computed without branches on the message.

use super::params::Params;
use super::reduce::{Reduce, freeze};
use crate::kem::lattice::vectorised;
use zeroize::Zeroize;

/// The steps of the code.
trait Code: Params {
    /// Half of q, rounded down: the inner points repeat after so much.
    const HALF: i32 = Self::Q as i32 / 2;
    /// Half of q, rounded up: the step of the outer bits.
    const OUTER: i32 = Self::HALF + 1;
    /// The larger step of the inner bits.
    const ALPHA: i32 = Self::HALF / 2;
    /// The smaller one.
    const STEP: i32 = Self::BETA as i32;
    /// The points that an inner word, the two bits high bit first, gives its first coefficient; its second has those of the
    /// word with the bits exchanged.
    const POINTS: [i32; 4] = [0, Self::STEP, Self::ALPHA, Self::STEP + Self::ALPHA - Self::HALF];
}

impl<P: Params> Code for P {}

vectorised! {
    /// Adds the code word of `message`, of SEED bytes, to `poly`.
    pub(super) fn add_message<type P: Params, const N: usize>(message: &[u8], poly: &mut [u16; N]) {
        let (first, second) = poly.split_at_mut(N / 2);
        for (i, (x, y)) in first.iter_mut().zip(second).enumerate() {
            let nibble = i32::from(message[i / 2] >> (4 * (i % 2)));
            let [outer_x, outer_y, inner_x, inner_y] = [3, 2, 1, 0].map(|bit| nibble >> bit & 1);
            *x += (inner_x * P::ALPHA + inner_y * P::STEP + outer_x * P::OUTER) as u16;
            *y += (inner_y * P::ALPHA + inner_x * P::STEP + outer_y * P::OUTER) as u16;
        }
    }

    /// The message of SEED bytes whose code word is nearest to `poly`.
    pub(super) fn decode_message<type P: Reduce, const N: usize>(poly: &[u16; N], message: &mut [u8]) {
        let mut nibbles = [0; N];
        let (first, second) = poly.split_at(N / 2);
        for ((nibble, &x), &y) in nibbles.iter_mut().zip(first).zip(second) {
            *nibble = decode_pair::<P>(i32::from(freeze::<P>(x)), i32::from(freeze::<P>(y))) as u8;
        }
        for (byte, [low, high]) in message.iter_mut().zip(nibbles.as_chunks().0) {
            *byte = low | high << 4;
        }
        nibbles.as_mut_slice().zeroize();
    }
}

/// All ones when `a` is less than `b`, else zero; their difference must not overflow.
#[inline(always)]
const fn less(a: i32, b: i32) -> i32 {
    (a - b) >> 31
}

/// The four bits of two coefficients below q.
#[inline(always)]
fn decode_pair<P: Params>(x: i32, y: i32) -> i32 {
    let (mut word, mut least) = (0, i32::MAX);
    for candidate in 0..4 {
        let exchanged = candidate >> 1 | (candidate & 1) << 1;
        let in_x = distance::<P>(x - P::POINTS[candidate]);
        let in_y = distance::<P>(y - P::POINTS[exchanged]);
        let square = in_x * in_x + in_y * in_y;
        let nearer = less(square, least);
        word ^= (word ^ candidate as i32) & nearer;
        least ^= (least ^ square) & nearer;
    }
    let (inner_x, inner_y) = (word >> 1, word & 1);
    let outer_x = outer::<P>(x - inner_x * P::ALPHA - inner_y * P::STEP);
    let outer_y = outer::<P>(y - inner_y * P::ALPHA - inner_x * P::STEP);
    word | outer_x << 3 | outer_y << 2
}

/// How far `x` is from the nearest multiple of half of q, with the sign that the submitted code gives it.
#[inline(always)]
fn distance<P: Params>(x: i32) -> i32 {
    let magnitude = (x - P::OUTER).abs();
    magnitude - (P::HALF & less(P::HALF / 2, magnitude))
}

/// Whether `x`, between -q and q, is nearer to half of q than to zero modulo q.
#[inline(always)]
fn outer<P: Params>(x: i32) -> i32 {
    let q = i32::from(P::Q);
    let x = x + (q & (x >> 31));
    let nearest = x + ((q - 2 * x) & less(q, 2 * x));
    less(P::OUTER / 2, nearest) & 1
}

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem128, Lwekem256, Lwekem512};
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};

    /// The bits of two coefficients as the submission's model finds them.
    fn model<P: Reduce>(x: i32, y: i32) -> i32 {
        let centred = |x: i32| if x.abs() > P::HALF / 2 { x.abs() - P::HALF } else { x.abs() };
        let words = [(0, 0), (1, 2), (2, 1), (3, 3)];
        let distance = |&word: &usize| {
            let (a, b) = words[word];
            let [a, b] = [x - P::OUTER - P::POINTS[a], y - P::OUTER - P::POINTS[b]].map(centred);
            a * a + b * b
        };
        let best = (0..4).min_by_key(distance).expect("four words") as i32;
        let far = |x: i32| {
            let x = x.rem_euclid(i32::from(P::Q));
            i32::from(x.min(i32::from(P::Q) - x) > P::OUTER / 2)
        };
        let (a, b) = (best >> 1, best & 1);
        best | far(x - a * P::ALPHA - b * P::STEP) << 3 | far(y - b * P::ALPHA - a * P::STEP) << 2
    }

    fn decoding<P: Reduce>() {
        let mut numbers = Numbers::new(4);
        for x in 0..i32::from(P::Q) {
            for _ in 0..40 {
                let y = numbers.between(0, i32::from(P::Q) - 1);
                assert_eq!(decode_pair::<P>(x, y), model::<P>(x, y), "{x}, {y}");
                assert_eq!(decode_pair::<P>(y, x), model::<P>(y, x), "{y}, {x}");
            }
        }
    }

    #[test]
    fn decoding_is_that_of_the_model() {
        decoding::<Lwekem256>();
        decoding::<Lwekem512>();
    }

    fn round_trip<P: Reduce, const N: usize>() {
        let mut numbers = Numbers::new(5);
        for start in 0..=u8::MAX {
            let message: [u8; N] = core::array::from_fn(|i| start.wrapping_mul(3).wrapping_add(i as u8));
            let message = &message[..P::SEED];
            // What is decoded correctly has noise of less than a quarter of the least distance between code words.
            let noise = i32::from(P::BETA) / 4;
            let mut poly: [u16; N] =
                core::array::from_fn(|_| (i32::from(P::Q) + numbers.between(-noise, noise)) as u16);
            add_message::<P, N>(message, &mut poly);
            let mut decoded = [0; N];
            decode_message::<P, N>(&poly, &mut decoded[..P::SEED]);
            assert_eq!(&decoded[..P::SEED], message);
        }
    }

    #[test]
    fn every_message_survives_noise() {
        on_every_path(|| {
            round_trip::<Lwekem128, 64>();
            round_trip::<Lwekem256, 128>();
            round_trip::<Lwekem512, 256>();
        });
    }
}
