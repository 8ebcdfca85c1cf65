//! Keccak-p\[1600\] on four states, two at a time with the SHA3 instructions of Armv8.2 (`FEAT_SHA3`).
//!
//! What runs is the `keccak` crate's: EOR3, RAX1, XAR and BCAX on registers that hold a word of two states. The crate runs one
//! state the same way, beside an empty one, so a second state costs nothing more.

use super::four::LANES;
use keccak::State1600;

/// Four states, one after another.
#[derive(Clone)]
pub(super) struct FourStates(pub(super) [State1600; LANES]);

impl FourStates {
    /// States that all begin with these words; the rest is zero.
    pub(super) fn all_of(words: impl IntoIterator<Item = u64>) -> Self {
        let mut state = [0; 25];
        state.iter_mut().zip(words).for_each(|(word, first)| *word = first);
        Self([state; LANES])
    }

    /// Word `i` of state `lane`.
    #[inline]
    pub(super) fn word(&self, i: usize, lane: usize) -> u64 {
        self.0[lane][i]
    }

    /// Word `i` of state `lane`, to change.
    #[inline]
    pub(super) fn word_mut(&mut self, i: usize, lane: usize) -> &mut u64 {
        &mut self.0[lane][i]
    }
}

/// Proof that this machine runs two states at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together(detected::Token);

impl Together {
    /// Why there is none.
    #[cfg(test)]
    pub(super) const MISSING: &str = "no SHA3 instructions";

    /// Looks whether the machine does: once, later calls read a flag.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        detected::token().map(Self)
    }

    /// Applies the last `ROUNDS` rounds of Keccak-f\[1600\] to the first `lanes` states.
    #[inline]
    pub(super) fn permute<const ROUNDS: usize>(self, states: &mut FourStates, lanes: usize) {
        detected::permute::<ROUNDS>(self.0, &mut states.0[..lanes]);
    }
}

#[cfg(not(target_arch = "aarch64"))]
mod detected {
    use keccak::State1600;

    /// There is none.
    pub(super) type Token = core::convert::Infallible;

    pub(super) const fn token() -> Option<Token> {
        None
    }

    pub(super) fn permute<const ROUNDS: usize>(token: Token, _states: &mut [State1600]) {
        match token {}
    }
}

#[cfg(target_arch = "aarch64")]
mod detected {
    use digest::array::Array;
    use digest::typenum::Unsigned;
    use keccak::{Backend, BackendClosure, Keccak, State1600};

    /// The crate's own proof.
    pub(super) type Token = Keccak;

    pub(super) fn token() -> Option<Token> {
        /// Sets whether the crate's way on this machine takes several states.
        struct Several<'a>(&'a mut bool);

        impl BackendClosure for Several<'_> {
            #[inline]
            fn call_once<B: Backend>(self) {
                *self.0 = B::ParSize1600::USIZE > 1;
            }
        }

        let keccak = Keccak::new();
        let mut several = false;
        keccak.with_backend(Several(&mut several));
        several.then_some(keccak)
    }

    pub(super) fn permute<const ROUNDS: usize>(token: Token, states: &mut [State1600]) {
        struct Permute<'a, const ROUNDS: usize>(&'a mut [State1600]);

        impl<const ROUNDS: usize> BackendClosure for Permute<'_, ROUNDS> {
            #[inline]
            fn call_once<B: Backend>(self) {
                let (together, alone) = Array::slice_as_chunks_mut(self.0);
                together.iter_mut().for_each(B::get_par_p1600::<ROUNDS>());
                alone.iter_mut().for_each(B::get_p1600::<ROUNDS>());
            }
        }

        token.with_backend(Permute::<ROUNDS>(states));
    }
}
