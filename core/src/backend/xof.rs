//! What backends over one extendable-output function of a crate have in common.

use super::{Drng, Reader};
use crate::symmetric::{Form, Function, Role};
use core::fmt;
use digest::{Update, XofReader};
use zeroize::ZeroizeOnDrop;

/// Bytes that [`label`] puts in front of a message.
pub(super) const LABEL_BYTES: usize = 1;

/// Domain separation for functions that have none of their own: a byte in front of the message, which no other pair of
/// form and role has. So a hash is no prefix of an output stream, and equal seeds of two roles give unrelated outputs.
pub(super) const fn label(form: Form, role: Role) -> [u8; LABEL_BYTES] {
    let form = match form {
        Form::Fixed(32) => 1,
        Form::Fixed(_) => 2,
        Form::Extendable => 3,
        Form::Generator => 4,
    };
    [(form << 4) | role as u8]
}

const _: () = assert!(Role::ALL.len() <= 1 << 4, "a role fits into the label's lower half");

/// Absorbs `prefix` and the concatenated parts of `input`.
pub(super) fn absorb<H: Default + Update>(prefix: &[u8], input: &[&[u8]]) -> H {
    let mut hasher = H::default();
    hasher.update(prefix);
    for part in input {
        hasher.update(part);
    }
    hasher
}

/// An output stream of a crate's function. It does not print its state.
#[derive(Clone)]
pub struct XofStream<R>(pub(super) R);

impl<R> fmt::Debug for XofStream<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XofStream").finish_non_exhaustive()
    }
}

impl<R: XofReader> Reader for XofStream<R> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) {
        self.0.read(out);
    }
}

/// An extendable-output function that a generator can run on.
pub trait GeneratorXof {
    /// Its output stream.
    type Reader: Reader;
    /// The name of the generator over it.
    const GENERATOR: &'static str;
    /// The generator as a function: its permutation and rates.
    const FUNCTION: Function;

    /// Absorbs `label` and the concatenated parts of `input`.
    fn absorb(label: &[u8], input: &[&[u8]]) -> Self::Reader;

    /// How often its permutation runs from `in_bytes` to `out_bytes`.
    fn permutations(in_bytes: usize, out_bytes: usize) -> u64;
}

/// A generator over an extendable-output function: each request squeezes the next state and its output from the state
/// before, so that earlier output cannot be computed from a later state.
#[derive(Clone, ZeroizeOnDrop)]
pub struct XofDrng<H> {
    state: [u8; STATE],
    #[zeroize(skip)]
    xof: core::marker::PhantomData<H>,
}

/// Bytes of state: twice the largest security strength, 256 bits.
const STATE: usize = 2 * 256 / 8;
/// Says that what follows is a state, not the message of a role.
const STATE_LABEL: [u8; LABEL_BYTES] = label(Form::Generator, Role::Entropy);
/// Says that what follows is a seed.
const SEED_LABEL: &[u8] = &[STATE_LABEL[0], b's', b'e', b'e', b'd'];

impl<H: GeneratorXof> XofDrng<H> {
    /// A generator whose first state is squeezed from `seed`.
    pub(super) fn instantiate(seed: &[u8]) -> Self {
        let mut state = [0; STATE];
        H::absorb(SEED_LABEL, &[seed]).read(&mut state);
        Self { state, xof: core::marker::PhantomData }
    }
}

impl<H> fmt::Debug for XofDrng<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XofDrng").finish_non_exhaustive()
    }
}

impl<H: GeneratorXof> Drng for XofDrng<H> {
    fn name(&self) -> &'static str {
        H::GENERATOR
    }

    fn function(&self) -> Function {
        H::FUNCTION
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        H::permutations(LABEL_BYTES + STATE, STATE + out_bytes)
    }

    fn generate(&mut self, out: &mut [u8]) {
        let mut reader = H::absorb(&STATE_LABEL, &[&self.state]);
        reader.read(&mut self.state);
        reader.read(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_unique() {
        let forms = [Form::Fixed(32), Form::Fixed(64), Form::Extendable, Form::Generator];
        let labels = || forms.iter().flat_map(|&form| Role::ALL.iter().map(move |&role| label(form, role)[0]));
        for wanted in labels() {
            assert_eq!(labels().filter(|&other| other == wanted).count(), 1);
        }
    }
}
