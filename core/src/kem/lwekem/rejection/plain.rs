//! One candidate after another, without branches.

use super::{GROUP, MAX_PORTION, PORTION, Progress, candidate};
use crate::kem::lwekem::encode::mask;
use crate::kem::lwekem::params::Params;

/// Candidates of a step: as many bytes as a candidate has bits.
const STEP: usize = 8;
/// A step is loaded as so many bytes.
const LOAD: usize = 16;

/// See [`super::whole_steps`].
pub(super) fn whole_steps<P: Params, const N: usize>(groups: &[u8], from: Progress, poly: &mut [u16]) -> Progress {
    let Progress { mut examined, mut filled } = from;
    // The bytes of a portion in little-endian order, and some more to load.
    let mut ordered = [0; MAX_PORTION + LOAD];
    let portion_bytes = PORTION * P::LOG_Q / 8;
    for portion in groups[examined / PORTION * portion_bytes..].chunks(portion_bytes) {
        for (to, from) in ordered.as_chunks_mut().0.iter_mut().zip(portion.as_chunks::<GROUP>().0) {
            *to = u64::from_be_bytes(*from).to_le_bytes();
        }
        for step in examined % PORTION / STEP..portion.len() / P::LOG_Q {
            let load = ordered[step * P::LOG_Q..].first_chunk().expect("no more than what follows the longest portion");
            let found = examine::<P>(load, poly[filled..].first_chunk_mut().expect("slack"));
            if filled + found >= N {
                while filled < N {
                    filled += usize::from(candidate::<P>(groups, examined) < P::Q);
                    examined += 1;
                }
                return Progress { examined, filled };
            }
            filled += found;
            examined += STEP;
        }
    }
    Progress { examined, filled }
}

/// Puts those of the candidates of a step that are below q to the front of `window`, and counts them. What is behind them is
/// arbitrary.
#[inline(always)]
fn examine<P: Params>(load: &[u8; LOAD], window: &mut [u16; STEP]) -> usize {
    let bits = u128::from_le_bytes(*load);
    let mut found = 0;
    for i in 0..STEP {
        let candidate = (bits >> (i * P::LOG_Q)) as u16 & mask(P::LOG_Q);
        // Written where the next is expected, and kept there only when the count moves on.
        window[found] = candidate;
        found += usize::from(candidate < P::Q);
    }
    found
}
