use super::*;
use crate::kem::lattice::testing::{Numbers, on_every_path};
use crate::kem::lwekem::params::{Lwekem128, Lwekem256, Lwekem512};

/// Coefficients of a stream bit by bit, and how many bits it took to find them.
fn by_definition<P: Params, const N: usize>(stream: &[u8]) -> ([u16; N], usize, usize) {
    let bit = |i: usize| {
        let byte = i / 8;
        u16::from(stream[byte / 8 * 8 + 7 - byte % 8] >> (i % 8) & 1)
    };
    let (mut poly, mut filled, mut used) = ([0; N], 0, 0);
    while filled < N && used + P::LOG_Q <= 8 * stream.len() {
        let candidate = (0..P::LOG_Q).fold(0, |value, i| value | bit(used + i) << i);
        used += P::LOG_Q;
        if candidate < P::Q {
            poly[filled] = candidate;
            filled += 1;
        }
    }
    (poly, filled, used)
}

fn any_pieces_give_the_same<P: Params, const N: usize>() {
    let mut numbers = Numbers::new(6);
    let mut stream = [[0; MAX_LOG_Q]; N];
    let stream = &mut stream.as_flattened_mut()[..N * P::LOG_Q];
    for round in 0..300 {
        // Some streams are mostly rejected, so that they end before the polynomial is full.
        let ones = if round % 3 == 0 { numbers.between(0, 10) } else { 0 };
        stream.fill_with(|| if numbers.between(1, 10) <= ones { 0xff } else { numbers.byte() });
        let (expected, filled, used) = by_definition::<P, N>(stream);
        let longest = [1, 7, 8, 40, 168, 256, N as i32 * P::LOG_Q as i32][round % 7];
        let mut poly = [[0; N]; 2];
        let mut state = Rejection::new();
        state.begin(0);
        let mut rest = &*stream;
        while !rest.is_empty() && state.filled() < N {
            let (piece, after) = rest.split_at(rest.len().min(numbers.between(1, longest) as usize));
            state.feed::<P, N>(piece, poly.as_flattened_mut());
            rest = after;
        }
        assert_eq!(state.filled(), filled);
        assert_eq!(state.used_bits::<P>() as usize, used);
        assert_eq!(poly[0][..filled], expected[..filled]);
    }
}

#[test]
fn any_pieces_of_a_stream_give_the_same() {
    on_every_path(|| {
        any_pieces_give_the_same::<Lwekem128, 64>();
        any_pieces_give_the_same::<Lwekem256, 128>();
        any_pieces_give_the_same::<Lwekem512, 256>();
    });
}

#[test]
fn a_second_stream_goes_on_where_the_first_ended() {
    on_every_path(|| {
        let mut numbers = Numbers::new(7);
        let streams: [[u8; 200]; 2] = core::array::from_fn(|_| core::array::from_fn(|_| numbers.byte()));
        let mut poly = [[0; 256]; 2];
        let mut state = Rejection::new();
        let mut filled = 0;
        for stream in &streams {
            state.begin(filled);
            state.feed::<Lwekem512, 256>(stream, poly.as_flattened_mut());
            let (expected, more, used) = by_definition::<Lwekem512, 256>(stream);
            let more = more.min(256 - filled);
            assert_eq!(poly[0][filled..filled + more], expected[..more]);
            filled += more;
            assert_eq!(state.filled(), filled);
            assert!(filled == 256 || state.used_bits::<Lwekem512>() as usize == used);
        }
    });
}
