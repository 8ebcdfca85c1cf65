//! The parameter sets, and what follows from them.

use super::encode::{FULL_BYTES, compressed_bytes};
use super::ntt::INVERSE_NTT_BOUND;
use super::poly::PRODUCT_BOUND;

/// The two schemes that share all of their public-key encryption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// ML-KEM (FIPS 203).
    MlKem,
    /// Kyber as submitted to round 3 of the NIST competition (version 3.02).
    Kyber,
}

/// A parameter set (FIPS 203, section 8, table 2).
pub trait ParameterSet: 'static {
    /// The name on the command line and in evidence.
    const NAME: &'static str;
    /// Which scheme's hashes and checks surround the encryption.
    const SCHEME: Scheme;
    /// Polynomials of a vector.
    const K: usize;
    /// The centred binomial distribution of secrets: coefficients from -η₁ to η₁.
    const ETA1: usize;
    /// Bits of a coefficient of the ciphertext's vector u.
    const DU: usize;
    /// Bits of a coefficient of the ciphertext's polynomial v.
    const DV: usize;
}

/// The most polynomials of a vector.
pub(super) const MAX_K: usize = 4;
/// The centred binomial distribution of encryption's noise, of all parameter sets.
pub(super) const ETA2: usize = 2;
/// Bytes of seeds, messages, hashes and shared secrets.
pub(super) const SEED: usize = 32;
/// The longest ciphertext in bytes.
pub(super) const MAX_CIPHERTEXT: usize = MAX_K * compressed_bytes(11) + compressed_bytes(5);

/// What follows from a parameter set. Lengths are in bytes.
pub(super) trait Derived: ParameterSet {
    /// Length of an encoded vector of T_q.
    const VECTOR: usize = Self::K * FULL_BYTES;
    /// Length of the encapsulation key: t̂ and ρ.
    const ENCAPSULATION_KEY: usize = Self::VECTOR + SEED;
    /// Length of the decapsulation key: ŝ, the encapsulation key, its hash, and z.
    const DECAPSULATION_KEY: usize = Self::VECTOR + Self::ENCAPSULATION_KEY + 2 * SEED;
    /// Length of the ciphertext's vector u.
    const U: usize = Self::K * compressed_bytes(Self::DU);
    /// Length of the ciphertext.
    const CIPHERTEXT: usize = Self::U + compressed_bytes(Self::DV);
    /// What every set must fulfil; evaluated at compile time.
    const VALID: () = {
        assert!(Self::K >= 2 && Self::K <= MAX_K && Self::CIPHERTEXT <= MAX_CIPHERTEXT);
        assert!(Self::K as i32 * PRODUCT_BOUND <= INVERSE_NTT_BOUND, "a sum of K products fits a word");
    };
}

impl<P: ParameterSet> Derived for P {}

/// Declares the parameter sets.
macro_rules! parameter_sets {
    ($(
        $(#[$doc:meta])*
        $set:ident: $name:literal, $scheme:ident, $k:literal, $eta1:literal, $du:literal, $dv:literal;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $set {}

        impl ParameterSet for $set {
            const NAME: &'static str = $name;
            const SCHEME: Scheme = Scheme::$scheme;
            const K: usize = $k;
            const ETA1: usize = $eta1;
            const DU: usize = $du;
            const DV: usize = $dv;
        }
    )*};
}

parameter_sets! {
    /// ML-KEM-512: security category 1.
    MlKem512Set: "ml-kem-512", MlKem, 2, 3, 10, 4;
    /// ML-KEM-768: security category 3.
    MlKem768Set: "ml-kem-768", MlKem, 3, 2, 10, 4;
    /// ML-KEM-1024: security category 5.
    MlKem1024Set: "ml-kem-1024", MlKem, 4, 2, 11, 5;
    /// Kyber512.
    Kyber512Set: "kyber512", Kyber, 2, 3, 10, 4;
    /// Kyber768.
    Kyber768Set: "kyber768", Kyber, 3, 2, 10, 4;
    /// Kyber1024.
    Kyber1024Set: "kyber1024", Kyber, 4, 2, 11, 5;
}
