//! Implementations of the symmetric functions, one file each, behind one contract.

mod ascon;
#[cfg(feature = "blake3")]
mod blake3;
mod free;
mod hash_drbg;
mod keccak;
mod ngcc;
mod placeholder;
mod registry;
mod shake;
mod sm3;
mod turboshake;
mod xof;

pub use ascon::Ascon;
#[cfg(feature = "blake3")]
pub use blake3::Blake3;
pub use free::Free;
pub use placeholder::Placeholder;
pub use registry::{Any, AnyDrng, AnyReader};
pub use shake::Shake;
pub use sm3::Sm3;
pub use turboshake::TurboShake;

use crate::symmetric::{Batch, Form, Function, Role};
use core::fmt;

/// A family of symmetric functions for every role.
///
/// Implementors write the required methods; the rest have plain defaults that give the same results, and a backend
/// overrides one only where it can be faster.
pub trait Backend {
    /// An output stream that has absorbed its message.
    type Reader: Reader;
    /// The family's deterministic random number generator.
    type Drng: Drng;

    /// The name on the command line and in evidence.
    fn name(&self) -> &'static str;

    /// What it is, in one line for lists: the functions, where they come from, what they are not fit for.
    fn description(&self) -> &'static str;

    /// Which of its code runs on this machine: `portable`, `sse2`, `sse41`, `avx2`, `avx512`, `neon`, `sha3` or `sm3` (the instructions of
    /// AArch64), `armv7em` (assembly).
    fn code(&self) -> &'static str {
        "portable"
    }

    /// The function that serves `role` in this form. [`Form::Generator`] is the generator's affair, not asked here.
    fn function(&self, form: Form, role: Role) -> Function;

    /// How often its permutation runs for one call of these sizes in bytes.
    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64;

    /// How many of the permutations of extendable output run once for a whole [`Batch`]: those that absorb a prefix of so many
    /// bytes, in a backend that keeps what they gave.
    #[inline]
    fn shared_permutations(&self, role: Role, prefix_bytes: usize) -> u64 {
        let _ = (role, prefix_bytes);
        0
    }

    /// Runs known answers through the same code that profiles run.
    ///
    /// # Errors
    /// The first function that gives a wrong answer.
    fn self_test(&self) -> Result<(), SelfTestError>;

    /// Instantiates the generator.
    fn drng(&self, seed: &[u8]) -> Self::Drng;

    /// Hashes the concatenated parts of `input` to `out.len()` bytes, 32 or 64.
    fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]);

    /// Absorbs the concatenated parts of `input`, at most [`MAX_BATCH_MESSAGE`](crate::symmetric::MAX_BATCH_MESSAGE)
    /// bytes in all.
    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader;

    /// Fills `out` with extendable output of the concatenated parts of `input`.
    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]);

    /// Extendable output of every message of `batch`, one after another in `out`, all of one length.
    #[inline]
    fn xof_batch(&self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        let out_bytes = out.len() / batch.lanes();
        for (suffix, out) in batch.suffixes().zip(out.chunks_exact_mut(out_bytes)) {
            self.xof(role, &[batch.prefix(), suffix], out);
        }
    }

    /// Absorbs every message of `batch`, squeezes the first `first.len() / lanes` bytes of each into `first`, one after
    /// another, and hands the streams to `each`, in order, to continue from there.
    #[inline]
    fn readers(&self, role: Role, batch: &Batch<'_>, first: &mut [u8], mut each: impl FnMut(Self::Reader)) {
        let out_bytes = first.len() / batch.lanes();
        for (suffix, out) in batch.suffixes().zip(first.chunks_exact_mut(out_bytes)) {
            let mut reader = self.reader(role, &[batch.prefix(), suffix]);
            reader.read(out);
            each(reader);
        }
    }

    /// How many messages one batch of this role should have, 1 to [`MAX_LANES`](crate::symmetric::MAX_LANES).
    #[inline]
    fn lanes(&self, role: Role) -> usize {
        let _ = role;
        1
    }

    /// The unit in bytes in which extendable output is produced.
    #[inline]
    fn squeeze_block(&self, role: Role) -> usize {
        self.function(Form::Extendable, role).squeeze_rate
    }
}

/// An output stream.
pub trait Reader {
    /// The next `out.len()` bytes.
    fn read(&mut self, out: &mut [u8]);
}

/// A deterministic random number generator.
pub trait Drng {
    /// The generator's own name in evidence: `hash-drbg-sm3`, ...
    fn name(&self) -> &'static str;

    /// What serves [`Role::Entropy`].
    fn function(&self) -> Function;

    /// How often its permutation runs to generate `out_bytes`.
    fn permutations(&self, out_bytes: usize) -> u64;

    /// The next `out.len()` bytes, as one request.
    fn generate(&mut self, out: &mut [u8]);
}

/// A function of a backend gave a wrong answer to a known question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SelfTestError {
    /// The backend.
    pub backend: &'static str,
    /// The function and question.
    pub what: &'static str,
}

impl fmt::Display for SelfTestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "backend {} failed its self-test: {} gives a wrong answer", self.backend, self.what)
    }
}

impl core::error::Error for SelfTestError {}

/// Fails as `what` unless `got` is `want`.
fn expect(backend: &'static str, what: &'static str, got: &[u8], want: &[u8]) -> Result<(), SelfTestError> {
    if got == want { Ok(()) } else { Err(SelfTestError { backend, what }) }
}

/// Compares the fast paths of backends with their plain twins, on random inputs.
#[cfg(feature = "twins")]
pub(crate) fn check_twins(random: &mut impl Drng) -> Result<(), SelfTestError> {
    keccak::check_twins(random)?;
    sm3::check_twins(random)
}

/// Overwrites `value` with zeros, which the compiler may not leave out.
fn wipe<T: bytemuck::Zeroable>(value: &mut T) {
    *value = T::zeroed();
    zeroize::optimization_barrier(value);
}
