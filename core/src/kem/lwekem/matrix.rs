//! The public matrix, expanded from its seed a few polynomials at a time and multiplied at once: it is never whole.

use super::params::{MAX_LOG_Q, Params};
use super::rejection::Rejection;
use super::sum::Sum;
use crate::kem::Sampling;
use crate::symmetric::{Batch, MAX_LANES, Phase, Role, Symmetric};

/// Which index of an entry comes first in the message that it is expanded from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Orientation {
    /// A: row, then column.
    Plain,
    /// The transpose of A.
    Transposed,
}

/// Room for what is squeezed lazily at a time, in multiples of N bytes: a polynomial takes less than 2·N on average, and
/// no backend's block is longer than what is left of this. (If one were, a stream would be squeezed in shorter pieces.)
const LAZY: usize = 4;

/// How much to squeeze of the stream of one polynomial, in bytes.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// At first.
    first: usize,
    /// At a time after that.
    next: usize,
    /// In all; then the counter of the message goes up.
    limit: usize,
}

impl Plan {
    /// For first pieces of at most `room` bytes.
    fn new<P: Params, const N: usize>(sampling: Sampling, block: usize, room: usize) -> Self {
        let limit = N * P::LOG_Q;
        match sampling {
            Sampling::Eager => Self { first: limit, next: 0, limit },
            Sampling::Lazy => {
                // N of every q candidates out of 2^LOG_Q, of LOG_Q bits each.
                let expected = ((N * P::LOG_Q) << P::LOG_Q).div_ceil(8 * P::Q as usize);
                Self { first: expected.next_multiple_of(block).min(room).min(limit), next: block.min(LAZY * N), limit }
            }
        }
    }
}

/// Expands the matrix of `seed` and multiplies it with `vector`, summing up as `A` does.
pub(super) fn matvec<P: Params, A: Sum<P, N>, S: Symmetric, const N: usize, const L: usize>(
    sym: &mut S,
    sampling: Sampling,
    seed: &[u8],
    orientation: Orientation,
    vector: &[[u16; N]; L],
    product: &mut [[u16; N]; L],
) {
    // The room for what is squeezed is on the stack: one lane must not pay for eight, nor laziness for eagerness.
    let matvec = match (sampling, sym.lanes(Role::Matrix)) {
        (_, 1) => matvec_in_lanes::<P, A, S, N, L, 1, MAX_LOG_Q>,
        (Sampling::Eager, _) => matvec_in_lanes::<P, A, S, N, L, MAX_LANES, MAX_LOG_Q>,
        (Sampling::Lazy, _) => matvec_in_lanes::<P, A, S, N, L, MAX_LANES, LAZY>,
    };
    matvec(sym, sampling, seed, orientation, vector, product);
}

#[inline(never)]
fn matvec_in_lanes<
    P: Params,
    A: Sum<P, N>,
    S: Symmetric,
    const N: usize,
    const L: usize,
    const LANES: usize,
    const ROOM: usize,
>(
    sym: &mut S,
    sampling: Sampling,
    seed: &[u8],
    orientation: Orientation,
    vector: &[[u16; N]; L],
    product: &mut [[u16; N]; L],
) {
    let mut sampler = Sampler::<N, LANES, ROOM> {
        plan: Plan::new::<P, N>(sampling, sym.squeeze_block(Role::Matrix), ROOM * N),
        lanes: sym.lanes(Role::Matrix).min(LANES),
        firsts: [[[0; N]; ROOM]; LANES],
        next: [[0; N]; LAZY],
        rejection: Rejection::new(),
    };
    let mut polys = [[0; N]; MAX_LANES + 1];
    let mut sum = A::new();
    for start in (0..L * L).step_by(MAX_LANES) {
        let entry = |i: usize| ((start + i) / L, (start + i) % L);
        let suffixes: [[u8; 3]; MAX_LANES] = core::array::from_fn(|i| match (entry(i), orientation) {
            ((row, column), Orientation::Plain) => [row as u8, column as u8, 0],
            ((row, column), Orientation::Transposed) => [column as u8, row as u8, 0],
        });
        let count = MAX_LANES.min(L * L - start);
        sym.phase(Phase::SampleMatrix, |sym| sampler.sample::<P, S>(sym, seed, &suffixes[..count], &mut polys));
        sym.phase(Phase::Matvec, |_| {
            for (i, poly) in polys[..count].iter().enumerate() {
                let (row, column) = entry(i);
                sum.add(column == 0, poly, &vector[column]);
                if column == L - 1 {
                    sum.finish(&mut product[row]);
                }
            }
        });
    }
}

/// Samples polynomials in batches of up to `LANES`, from first pieces of up to `ROOM`·`N` bytes.
struct Sampler<const N: usize, const LANES: usize, const ROOM: usize> {
    plan: Plan,
    lanes: usize,
    /// Room for what is squeezed of each lane's stream at first.
    firsts: [[[u8; N]; ROOM]; LANES],
    /// Room for what is squeezed at a time of one stream after that.
    next: [[u8; N]; LAZY],
    rejection: Rejection,
}

impl<const N: usize, const LANES: usize, const ROOM: usize> Sampler<N, LANES, ROOM> {
    /// Samples a polynomial for each of `suffixes`: two indices and a counter of zero. One more of `polys` may change.
    fn sample<P: Params, S: Symmetric>(
        &mut self,
        sym: &mut S,
        seed: &[u8],
        suffixes: &[[u8; 3]],
        polys: &mut [[u16; N]],
    ) {
        for (batch, suffixes) in suffixes.chunks(self.lanes).enumerate() {
            let polys = &mut polys[batch * self.lanes..];
            let mut filled = [0; LANES];
            self.batch::<P, S>(sym, seed, suffixes, polys, &mut filled);
            for (lane, &[a, b, _]) in suffixes.iter().enumerate() {
                let mut counter = 0u8;
                while filled[lane] < N {
                    counter = counter.checked_add(1).expect("no polynomial takes 256 streams of its length");
                    // Apart, where what is behind the polynomial is not the next one.
                    let mut apart = [polys[lane], [0; N]];
                    self.batch::<P, S>(sym, seed, &[[a, b, counter]], &mut apart, &mut filled[lane..=lane]);
                    polys[lane] = apart[0];
                }
            }
        }
    }

    /// Samples from one stream for each of `suffixes`, for polynomials of which some coefficients are already `filled`. The
    /// polynomial after them may change.
    fn batch<P: Params, S: Symmetric>(
        &mut self,
        sym: &mut S,
        seed: &[u8],
        suffixes: &[[u8; 3]],
        polys: &mut [[u16; N]],
        filled: &mut [usize],
    ) {
        let Plan { first, next, limit } = self.plan;
        let next = &mut self.next.as_flattened_mut()[..next];
        let batch = Batch::new(seed, suffixes);
        let firsts = &mut self.firsts.as_flattened_mut().as_flattened_mut()[..batch.lanes() * first];
        let mut used_bits = [0; LANES];
        let mut stream = sym.open(Role::Matrix, &batch, firsts);
        for (lane, bytes) in firsts.chunks_exact(first).enumerate() {
            let poly = polys[lane..].as_flattened_mut();
            self.rejection.begin(filled[lane]);
            self.rejection.feed::<P, N>(bytes, poly);
            let mut squeezed = first;
            while self.rejection.filled() < N && squeezed < limit {
                let bytes = next.len().min(limit - squeezed);
                sym.squeeze(&mut stream, lane, &mut next[..bytes]);
                self.rejection.feed::<P, N>(&next[..bytes], poly);
                squeezed += bytes;
            }
            filled[lane] = self.rejection.filled();
            used_bits[lane] = self.rejection.used_bits::<P>();
        }
        sym.close(&mut stream, &used_bits[..batch.lanes()]);
    }
}
