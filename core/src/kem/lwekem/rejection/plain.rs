//! One candidate after another, without branches.

use super::{Examine, GROUP, MAX_PORTION, STEP};
use crate::kem::lwekem::code::mask;
use crate::kem::lwekem::params::Params;

/// A step is loaded as so many bytes.
const LOAD: usize = 16;

/// The bytes of a portion in little-endian order, and some more to load.
pub(super) struct Ordered([u8; MAX_PORTION + LOAD]);

#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Examine for Plain {
    type Ready = Ordered;
    const ROOM: Ordered = Ordered([0; MAX_PORTION + LOAD]);

    #[inline(always)]
    fn ready(self, groups: &[u8], Ordered(ordered): &mut Ordered) {
        for (to, from) in ordered.as_chunks_mut().0.iter_mut().zip(groups.as_chunks::<GROUP>().0) {
            *to = u64::from_be_bytes(*from).to_le_bytes();
        }
    }

    #[inline(always)]
    fn step<P: Params>(self, ordered: &Ordered, _groups: &[u8], step: usize, window: &mut [u16; STEP]) -> usize {
        let load = ordered.0[step * P::LOG_Q..].first_chunk().expect("no more than what follows the longest portion");
        let bits = u128::from_le_bytes(*load);
        let mut count = 0;
        for i in 0..STEP {
            let candidate = (bits >> (i * P::LOG_Q)) as u16 & mask(P::LOG_Q);
            // Written where the next is expected, and kept there only when the count moves on.
            window[count] = candidate;
            count += usize::from(candidate < P::Q);
        }
        count
    }
}
