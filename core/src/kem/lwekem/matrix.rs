//! The public matrix, expanded from its seed a few polynomials at a time and multiplied at once: it is never whole.

use super::params::{MAX_LOG_Q, Params};
use super::poly::accumulate;
use super::rejection::Rejection;
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
    fn new<P: Params, const N: usize>(sampling: Sampling, block: usize) -> Self {
        let limit = N * P::LOG_Q;
        match sampling {
            Sampling::Eager => Self { first: limit, next: limit, limit },
            Sampling::Lazy => {
                // N of every q candidates out of 2^LOG_Q, of LOG_Q bits each.
                let expected = ((N * P::LOG_Q) << P::LOG_Q).div_ceil(8 * P::Q as usize);
                Self { first: expected.next_multiple_of(block).min(limit), next: block.min(limit), limit }
            }
        }
    }
}

/// Expands the matrix of `seed` and multiplies it with `vector`, of [`prepared`](super::poly::prepare) polynomials.
pub(super) fn multiply<P: Params, S: Symmetric, const N: usize, const L: usize>(
    sym: &mut S,
    sampling: Sampling,
    seed: &[u8],
    orientation: Orientation,
    vector: &[[u16; N]; L],
    product: &mut [[u16; N]; L],
) {
    match sym.lanes(Role::Matrix) {
        // The buffer is on the stack: one lane must not pay for eight.
        1 => multiply_in_lanes::<P, S, N, L, 1>(sym, sampling, seed, orientation, vector, product),
        _ => multiply_in_lanes::<P, S, N, L, MAX_LANES>(sym, sampling, seed, orientation, vector, product),
    }
}

#[inline(never)]
fn multiply_in_lanes<P: Params, S: Symmetric, const N: usize, const L: usize, const LANES: usize>(
    sym: &mut S,
    sampling: Sampling,
    seed: &[u8],
    orientation: Orientation,
    vector: &[[u16; N]; L],
    product: &mut [[u16; N]; L],
) {
    let mut sampler = Sampler::<N, LANES> {
        plan: Plan::new::<P, N>(sampling, sym.squeeze_block(Role::Matrix)),
        lanes: sym.lanes(Role::Matrix).min(LANES),
        buffer: [[[0; N]; MAX_LOG_Q]; LANES],
    };
    let mut polys = [[0; N]; MAX_LANES];
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
                accumulate::<P, N>(&mut product[row], column == 0, poly, &vector[column]);
            }
        });
    }
}

/// Samples polynomials in batches of up to `LANES`.
struct Sampler<const N: usize, const LANES: usize> {
    plan: Plan,
    lanes: usize,
    /// Room for all that may be squeezed of each lane's stream at once.
    buffer: [[[u8; N]; MAX_LOG_Q]; LANES],
}

impl<const N: usize, const LANES: usize> Sampler<N, LANES> {
    /// Samples a polynomial for each of `suffixes`: two indices and a counter of zero.
    fn sample<P: Params, S: Symmetric>(
        &mut self,
        sym: &mut S,
        seed: &[u8],
        suffixes: &[[u8; 3]],
        polys: &mut [[u16; N]],
    ) {
        for (suffixes, polys) in suffixes.chunks(self.lanes).zip(polys.chunks_mut(self.lanes)) {
            let mut states: [Rejection; LANES] = core::array::from_fn(|_| Rejection::new());
            let full = self.batch::<P, S>(sym, seed, suffixes, &mut states, polys);
            for (lane, &suffix) in suffixes.iter().enumerate() {
                if !full[lane] {
                    self.again::<P, S>(sym, seed, suffix, &mut states[lane], &mut polys[lane]);
                }
            }
        }
    }

    /// Samples from one stream for each of `suffixes`, and says which polynomials became full.
    fn batch<P: Params, S: Symmetric>(
        &mut self,
        sym: &mut S,
        seed: &[u8],
        suffixes: &[[u8; 3]],
        states: &mut [Rejection],
        polys: &mut [[u16; N]],
    ) -> [bool; MAX_LANES] {
        let Plan { first, next, limit } = self.plan;
        let buffer = self.buffer.as_flattened_mut().as_flattened_mut();
        let batch = Batch::new(seed, suffixes);
        let mut full = [false; MAX_LANES];
        let mut used_bits = [0; MAX_LANES];
        let mut stream = sym.open(Role::Matrix, &batch, &mut buffer[..batch.lanes() * first]);
        for (lane, bytes) in buffer[..batch.lanes() * first].chunks_exact(first).enumerate() {
            full[lane] = states[lane].feed::<P, N>(bytes, &mut polys[lane]);
        }
        for lane in 0..batch.lanes() {
            let mut squeezed = first;
            while !full[lane] && squeezed < limit {
                let bytes = &mut buffer[..next.min(limit - squeezed)];
                sym.squeeze(&mut stream, lane, bytes);
                squeezed += bytes.len();
                full[lane] = states[lane].feed::<P, N>(bytes, &mut polys[lane]);
            }
            used_bits[lane] = states[lane].used_bits::<P>();
        }
        sym.close(stream, &used_bits[..batch.lanes()]);
        full
    }

    /// Goes on with the streams of the next counters until `poly` is full.
    #[cold]
    fn again<P: Params, S: Symmetric>(
        &mut self,
        sym: &mut S,
        seed: &[u8],
        [a, b, _]: [u8; 3],
        state: &mut Rejection,
        poly: &mut [u16; N],
    ) {
        for counter in 1.. {
            state.restart();
            let states = core::slice::from_mut(state);
            if self.batch::<P, S>(sym, seed, &[[a, b, counter]], states, core::slice::from_mut(poly))[0] {
                return;
            }
        }
    }
}
