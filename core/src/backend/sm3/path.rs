//! Which implementation runs, chosen when first asked for.

use super::lanes::{Digest, Expanded, LANES, LaneState, LaneWords, Start};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::neon;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::{avx2, sse2};
use super::{scalar, tally};

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
cpufeatures::new!(avx2_feature, "avx2");

/// An implementation of the compressions of many lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    /// One lane after the other.
    Portable,
    /// Four lanes in a register.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Sse2,
    /// Eight lanes in a register.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// Four lanes in a register.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon,
}

/// The processor has AVX2: only [`Path::best`] can say so.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Avx2(());

/// Calls `$function` of the module of `$path`, but for `Portable` what is given for it.
macro_rules! dispatch {
    ($path:expr, $portable:expr, $function:ident($($argument:expr),*)) => {
        #[allow(unsafe_code, reason = "the functions need features that not every processor has")]
        match $path {
            Self::Portable => $portable,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: SSE2 is in the target's baseline.
            Self::Sse2 => unsafe { sse2::$function($($argument),*) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: an `Avx2` exists only where the processor has AVX2.
            Self::Avx2(Avx2(())) => unsafe { avx2::$function($($argument),*) },
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            // SAFETY: NEON is in the target's baseline.
            Self::Neon => unsafe { neon::$function($($argument),*) },
        }
    };
}

impl Path {
    /// The fastest that runs here.
    #[inline]
    pub(super) fn best() -> Self {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        return if avx2_feature::get() { Self::Avx2(Avx2(())) } else { Self::Sse2 };
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        return Self::Neon;
        #[allow(unreachable_code, reason = "where nothing better is in the baseline")]
        Self::Portable
    }

    /// All that run here.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [
            Some(Self::Portable),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Some(Self::Sse2),
            Some(Self::best()).filter(|&best| best != Self::Portable),
        ]
        .into_iter()
        .flatten()
    }

    /// Whether `counters` blocks of one message are faster together than one by one: a pass over all lanes takes about as long
    /// as two or three compressions.
    pub(super) const fn joins_counters(self, counters: usize) -> bool {
        match self {
            Self::Portable => false,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => counters > 2,
            #[allow(unreachable_patterns, reason = "where nothing else is")]
            _ => counters > 4,
        }
    }

    /// Whether a counter at a time of all messages is faster than a message at a time.
    pub(super) const fn joins_messages(self, messages: usize, counters: usize) -> bool {
        match self {
            // Nothing runs together here, but the expansion is shared.
            Self::Portable => messages > 1 && counters > 1,
            #[allow(unreachable_patterns, reason = "where nothing else is")]
            _ => self.joins_counters(messages) && counters <= messages * counters.div_ceil(LANES),
        }
    }

    /// Compresses a block of each of the first `lanes` lanes; what the others hold afterwards is not defined.
    pub(super) fn compress_lanes(self, state: &mut LaneState, blocks: &LaneWords, lanes: usize) {
        if self == Self::Portable {
            return scalar::compress_lanes(state, blocks, lanes);
        }
        tally(lanes);
        dispatch!(self, (), compress_lanes(state, blocks));
    }

    /// Expands a block of each lane.
    pub(super) fn expand(self, blocks: &LaneWords, expanded: &mut Expanded) {
        dispatch!(self, scalar::expand(blocks, expanded), expand(blocks, expanded));
    }

    /// Gives `sink` the digests of the first `lanes` messages for each of the first `count` counters: some lanes at a time, with
    /// the first of them and the counter's number. See [`lanes`](super::lanes).
    pub(super) fn counters(
        self,
        start: &Start,
        messages: &Expanded,
        lanes: usize,
        counters: &Expanded,
        count: usize,
        sink: impl FnMut(usize, usize, &[Digest]),
    ) {
        tally(lanes * count);
        dispatch!(
            self,
            scalar::counters(start, messages, lanes, counters, count, sink),
            counters(start, messages, lanes, counters, count, sink)
        );
    }
}
