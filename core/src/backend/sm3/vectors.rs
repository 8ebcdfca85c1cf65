//! Which vectors the processor has, found out when first asked for.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(unused_variables, reason = "without vectors there is nothing to call")
)]

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::armv8::Sm3Instructions;
use super::lanes::{Digest, Expanded, LANES, LaneState, LaneWords, Start};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::neon;
use super::tally;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::{avx2, avx512};

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
cpufeatures::new!(avx2_feature, "avx2");
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
cpufeatures::new!(avx512_features, "avx2", "avx512f", "avx512vl");

/// Vectors in which lanes are compressed together. On a machine that has none, there is no value of this type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vectors {
    /// Eight lanes in a register.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// The same with AVX-512's operations.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// Four lanes in a register, beside instructions for one compression where there are some.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon(Option<Sm3Instructions>),
}

/// The processor has AVX2: only [`Vectors::all`] can say so.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Avx2(());

/// The processor has AVX-512 F and VL: only [`Vectors::all`] can say so.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Avx512(());

/// Calls `$function` of the module for `$vectors`.
macro_rules! dispatch {
    ($vectors:expr, $function:ident($($argument:expr),*)) => {
        #[allow(unsafe_code, reason = "the functions need features that not every processor has")]
        match $vectors {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: an `Avx2` exists only where the processor has AVX2.
            Self::Avx2(Avx2(())) => unsafe { avx2::$function($($argument),*) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: an `Avx512` exists only where the processor has AVX-512 F and VL.
            Self::Avx512(Avx512(())) => unsafe { avx512::$function($($argument),*) },
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            // SAFETY: NEON is in the target's baseline.
            Self::Neon(_) => unsafe { neon::$function($($argument),*) },
        }
    };
}

impl Vectors {
    /// Those that there are, the best first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let known: [Option<Self>; _] = [
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            avx512_features::get().then_some(Self::Avx512(Avx512(()))),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            avx2_feature::get().then_some(Self::Avx2(Avx2(()))),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Sm3Instructions::detect().map(|instructions| Self::Neon(Some(instructions))),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Some(Self::Neon(None)),
        ];
        known.into_iter().flatten()
    }

    /// The best that there are.
    #[inline]
    pub(super) fn best() -> Option<Self> {
        Self::all().next()
    }

    /// What evidence calls it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => "avx2",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) => "avx512",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon(None) => "neon",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon(Some(_)) => "sm3",
        }
    }

    /// From how many lanes on a compression of all eight is faster than one by one. In instructions: 7000 for eight with NEON,
    /// 2200 for one without, 630 for one with the SM3 instructions.
    const fn enough_lanes(self) -> usize {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) | Self::Avx512(_) => 3,
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon(None) => 6,
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon(Some(_)) => LANES + 1,
        }
    }

    /// Whether `counters` blocks of one message are faster together than one by one.
    pub(super) const fn joins_counters(self, counters: usize) -> bool {
        counters >= self.enough_lanes()
    }

    /// Whether a counter at a time of all messages is faster than a message at a time.
    pub(super) const fn joins_messages(self, messages: usize, counters: usize) -> bool {
        // The shared expansion makes NEON's instructions as few as those for one compression (640 each), which wait for each
        // other and do not run in every vector unit.
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        if let Self::Neon(Some(_)) = self {
            return messages == LANES && counters >= LANES;
        }
        // Several counters share the expansion of the messages, and registers without a message are left out.
        let enough = if counters == 1 { self.enough_lanes() } else { 3 };
        messages >= enough && counters <= messages * counters.div_ceil(LANES)
    }

    /// Compresses a block of each of the first `lanes` lanes; what the others hold afterwards is not defined.
    pub(super) fn compress_lanes(self, state: &mut LaneState, blocks: &LaneWords, lanes: usize) {
        tally(lanes);
        dispatch!(self, compress_lanes(state, blocks));
    }

    /// The digests that the chaining values are.
    pub(super) fn lane_digests(self, state: &LaneState) -> [Digest; LANES] {
        dispatch!(self, lane_digests(state))
    }

    /// Expands a block of each lane.
    pub(super) fn expand(self, blocks: &LaneWords, expanded: &mut Expanded) {
        dispatch!(self, expand(blocks, expanded));
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
        dispatch!(self, counters(start, messages, lanes, counters, count, sink));
    }
}
