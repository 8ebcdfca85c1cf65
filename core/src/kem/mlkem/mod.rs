//! ML-KEM (FIPS 203) and Kyber (round 3), from the same public-key encryption.
//!
//! With the `shake` backend these are the standard schemes. With any other they are the same arithmetic over other
//! symmetric functions, and no standard.
//!
//! | use | role | FIPS 203 | asked for |
//! |---|---|---|---|
//! | entries of the matrix | matrix | XOF | a stream each |
//! | secrets and noise | noise | PRF | 64·η bytes for each polynomial |
//! | the encapsulation key; Kyber: m and the ciphertext, too | h | H | 32 bytes |
//! | seeds of key generation; key and coins of encapsulation | g | G | 64 bytes |
//! | the key of implicit rejection (ML-KEM) | j | J | 32 bytes, extendable |
//! | the last step to the shared secret (Kyber) | kdf | | 32 bytes, extendable |

mod encode;
#[cfg_attr(armv7em, allow(dead_code, reason = "assembly takes the place of some of it"))]
mod field;
mod fo_transform;
mod kernels;
mod matrix;
mod noise;
#[cfg_attr(armv7em, allow(dead_code, reason = "assembly takes the place of some of it"))]
mod ntt;
mod params;
mod pke;
#[cfg_attr(armv7em, allow(dead_code, reason = "assembly takes the place of some of it"))]
mod poly;
mod rejection;
#[cfg(armv7em)]
mod thumb;

pub use params::{
    Kyber512Set, Kyber768Set, Kyber1024Set, MlKem512Set, MlKem768Set, MlKem1024Set, ParameterSet, Scheme,
};

#[cfg(feature = "twins")]
pub(crate) use kernels::check_twins;

use super::lattice::SecretBytes;
use super::{Error, Kem, Lengths, Part};
use crate::symmetric::Phase;
use crate::{Sampling, Symmetric};
use core::marker::PhantomData;
use fo_transform::SecretKey;
use params::{Derived, SEED};

/// ML-KEM or Kyber with the parameters `P`.
#[derive(Clone, Copy, Debug)]
pub struct MlKem<P>(PhantomData<P>);

/// ML-KEM-512.
pub type MlKem512 = MlKem<MlKem512Set>;
/// ML-KEM-768.
pub type MlKem768 = MlKem<MlKem768Set>;
/// ML-KEM-1024.
pub type MlKem1024 = MlKem<MlKem1024Set>;
/// Kyber512 of round 3.
pub type Kyber512 = MlKem<Kyber512Set>;
/// Kyber768 of round 3.
pub type Kyber768 = MlKem<Kyber768Set>;
/// Kyber1024 of round 3.
pub type Kyber1024 = MlKem<Kyber1024Set>;

impl<P: ParameterSet> MlKem<P> {
    /// The name on the command line and in evidence.
    pub const NAME: &'static str = P::NAME;
    /// Length of the encapsulation (public) key in bytes.
    pub const PUBLIC_KEY: usize = P::ENCAPSULATION_KEY;
    /// Length of the decapsulation (secret) key in bytes.
    pub const SECRET_KEY: usize = P::DECAPSULATION_KEY;
    /// Length of a ciphertext in bytes.
    pub const CIPHERTEXT: usize = <P as Derived>::CIPHERTEXT;
    /// Length of the shared secret in bytes.
    pub const SHARED_SECRET: usize = SEED;
}

/// Deterministic operations, for known answers: the randomness is an argument, and nothing is drawn.
impl<P: ParameterSet> MlKem<P> {
    /// Key generation from its randomness: ML-KEM.KeyGen_internal (FIPS 203, algorithm 16), or Kyber's. `z` is the
    /// secret of implicit rejection.
    ///
    /// # Errors
    /// When a buffer is not of its length.
    pub fn keygen_from<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        d: &[u8; SEED],
        z: &[u8; SEED],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Error> {
        Self::check_keygen(public_key, secret_key)?;
        sym.phase(Phase::Keygen, |sym| fo_transform::generate::<P, S>(sym, sampling, [d, z], public_key, secret_key));
        Ok(())
    }

    /// Encapsulation from its randomness: ML-KEM.Encaps_internal (FIPS 203, algorithm 17), or Kyber's.
    ///
    /// # Errors
    /// When a buffer is not of its length. The key is not checked further.
    pub fn encapsulate_from<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        m: &[u8; SEED],
        public_key: &[u8],
        ciphertext: &mut [u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error> {
        let secret = Self::check_encapsulate(public_key, ciphertext, shared_secret)?;
        sym.phase(Phase::Enc, |sym| {
            fo_transform::encapsulate::<P, S>(sym, sampling, m, public_key, ciphertext, secret);
        });
        Ok(())
    }

    /// Decapsulation: ML-KEM.Decaps_internal (FIPS 203, algorithm 18), or Kyber's.
    ///
    /// # Errors
    /// When a buffer is not of its length. The key is not checked further.
    pub fn decapsulate_unchecked<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        secret_key: &[u8],
        ciphertext: &[u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error> {
        let secret = Self::check_decapsulate(secret_key, ciphertext, shared_secret)?;
        let key = SecretKey::new::<P>(secret_key);
        sym.phase(Phase::Dec, |sym| fo_transform::decapsulate::<P, S>(sym, sampling, &key, ciphertext, secret));
        Ok(())
    }

    fn check_keygen(public_key: &[u8], secret_key: &[u8]) -> Result<(), Error> {
        const { P::VALID };
        Error::check_length(Part::PublicKey, Self::PUBLIC_KEY, public_key.len())?;
        Error::check_length(Part::SecretKey, Self::SECRET_KEY, secret_key.len())
    }

    fn check_encapsulate<'a>(
        public_key: &[u8],
        ciphertext: &[u8],
        shared_secret: &'a mut [u8],
    ) -> Result<&'a mut [u8; SEED], Error> {
        Error::check_length(Part::PublicKey, Self::PUBLIC_KEY, public_key.len())?;
        Error::check_length(Part::Ciphertext, Self::CIPHERTEXT, ciphertext.len())?;
        Self::check_shared_secret(shared_secret)
    }

    fn check_decapsulate<'a>(
        secret_key: &[u8],
        ciphertext: &[u8],
        shared_secret: &'a mut [u8],
    ) -> Result<&'a mut [u8; SEED], Error> {
        Error::check_length(Part::SecretKey, Self::SECRET_KEY, secret_key.len())?;
        Error::check_length(Part::Ciphertext, Self::CIPHERTEXT, ciphertext.len())?;
        Self::check_shared_secret(shared_secret)
    }

    fn check_shared_secret(shared_secret: &mut [u8]) -> Result<&mut [u8; SEED], Error> {
        let got = shared_secret.len();
        shared_secret.try_into().map_err(|_| Error::Length { part: Part::SharedSecret, expected: SEED, got })
    }
}

impl<P: ParameterSet> Kem for MlKem<P> {
    #[inline]
    fn name() -> &'static str {
        Self::NAME
    }

    #[inline]
    fn lengths() -> Lengths {
        Lengths {
            public_key: Self::PUBLIC_KEY,
            secret_key: Self::SECRET_KEY,
            ciphertext: Self::CIPHERTEXT,
            shared_secret: Self::SHARED_SECRET,
        }
    }

    fn keygen<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Error> {
        Self::check_keygen(public_key, secret_key)?;
        sym.phase(Phase::Keygen, |sym| {
            let mut seeds = SecretBytes::<{ 2 * SEED }>::new();
            match P::SCHEME {
                Scheme::MlKem => sym.entropy(&mut *seeds),
                Scheme::Kyber => seeds.chunks_exact_mut(SEED).for_each(|seed| sym.entropy(seed)),
            }
            let (halves, _) = seeds.as_chunks();
            fo_transform::generate::<P, S>(sym, sampling, [&halves[0], &halves[1]], public_key, secret_key);
        });
        Ok(())
    }

    fn encapsulate<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        public_key: &[u8],
        ciphertext: &mut [u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error> {
        let secret = Self::check_encapsulate(public_key, ciphertext, shared_secret)?;
        sym.phase(Phase::Enc, |sym| {
            if P::SCHEME == Scheme::MlKem && !sym.phase(Phase::Validate, |_| fo_transform::is_reduced::<P>(public_key))
            {
                return Err(Error::NotReduced);
            }
            let mut m = SecretBytes::<SEED>::new();
            sym.entropy(&mut *m);
            fo_transform::encapsulate::<P, S>(sym, sampling, &m, public_key, ciphertext, secret);
            Ok(())
        })
    }

    fn decapsulate<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        secret_key: &[u8],
        ciphertext: &[u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error> {
        let secret = Self::check_decapsulate(secret_key, ciphertext, shared_secret)?;
        let key = SecretKey::new::<P>(secret_key);
        sym.phase(Phase::Dec, |sym| {
            if P::SCHEME == Scheme::MlKem && !sym.phase(Phase::Validate, |sym| key.holds_hash(sym)) {
                return Err(Error::KeyHash);
            }
            fo_transform::decapsulate::<P, S>(sym, sampling, &key, ciphertext, secret);
            Ok(())
        })
    }
}
