//! Key encapsulation mechanisms, written once over [`Symmetric`].

mod error;
mod lattice;
pub mod lwekem;
pub mod mlkem;
mod registry;

pub use error::{Error, Part};
pub use registry::{INSTANCES, Visitor, visit};

use crate::symmetric::Symmetric;

#[cfg(feature = "twins")]
pub(crate) use mlkem::check_twins;

/// How the public matrix is expanded. Both ways give the same matrix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sampling {
    /// Squeezes as much as the submitted code does, before rejection sampling begins.
    #[default]
    Eager,
    /// Squeezes what rejection sampling consumes, in the backend's own blocks.
    Lazy,
}

impl Sampling {
    /// The name on the command line and in evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::Lazy => "lazy",
        }
    }
}

/// Lengths of a KEM's keys, ciphertext and secret in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// Of the encapsulation (public) key.
    pub public_key: usize,
    /// Of the decapsulation (secret) key.
    pub secret_key: usize,
    /// Of a ciphertext.
    pub ciphertext: usize,
    /// Of the shared secret.
    pub shared_secret: usize,
}

/// A key encapsulation mechanism with fixed parameters. Lengths are in bytes.
///
/// Each operation is one phase of its name on `sym`, which all symmetric functions and all randomness come from.
pub trait Kem: 'static {
    /// The name on the command line and in evidence: `lwekem256`, ...
    fn name() -> &'static str;

    /// The lengths of what it works on.
    fn lengths() -> Lengths;

    /// Seeds a generator of the scheme's own, where it has one that `sym` does not serve.
    fn seed(seed: &[u8]) {
        let _ = seed;
    }

    /// What a call of a function of the scheme's own takes on its way to the probe and back, in ticks that `read` tells.
    fn own_call_cost(read: &mut dyn FnMut() -> u64) -> f32 {
        let _ = read;
        0.0
    }

    /// Generates a key pair.
    ///
    /// # Errors
    /// When a buffer is not of its length.
    fn keygen<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Error>;

    /// Encapsulates a fresh shared secret to `public_key`.
    ///
    /// # Errors
    /// When a buffer is not of its length, or the key fails the scheme's checks.
    fn encapsulate<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        public_key: &[u8],
        ciphertext: &mut [u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error>;

    /// Decapsulates `ciphertext`. A ciphertext that was not made for this key gives a pseudorandom secret (implicit
    /// rejection), in the same time.
    ///
    /// # Errors
    /// When a buffer is not of its length, or the key fails the scheme's checks.
    fn decapsulate<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        secret_key: &[u8],
        ciphertext: &[u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error>;
}
