//! lwekem128, lwekem256 and lwekem512: Rudraksh2, candidate kem-34 of China's NGCC programme.
//!
//! A KEM over module learning with errors, made of a public-key encryption by the Fujisaki-Okamoto transform with
//! implicit rejection. All symmetric functions are extendable output, hashes included.

mod encode;
mod matrix;
mod message;
mod montgomery;
mod noise;
mod ntt;
mod ntt_radix8;
mod params;
mod pke;
mod reduce;
mod rejection;
mod secret;
mod sum;

pub use params::{Lwekem, Lwekem128, Lwekem256, Lwekem512, Params};

use super::lattice::{self, SecretBytes};
use super::{Error, Kem, Lengths, Part, Sampling};
use crate::symmetric::{Phase, Role, Symmetric};
use params::MAX_SEED;
use zeroize::Zeroize;

/// Key and coins, or a message: of twice SEED bytes at most.
type Pair = SecretBytes<{ 2 * MAX_SEED }>;

impl<const N: usize, const L: usize> Lwekem<N, L>
where
    Self: Params,
{
    /// The name on the command line and in evidence.
    pub const NAME: &'static str = <Self as Params>::NAME;
    /// Length of the encapsulation (public) key in bytes.
    pub const PUBLIC_KEY: usize = Self::PKE_PUBLIC;
    /// Length of the decapsulation key: the secret of the encryption, the public key, its hash, and the seed of implicit rejection.
    pub const SECRET_KEY: usize = Self::PKE_SECRET + Self::PKE_PUBLIC + 2 * Self::SEED;
    /// Length of a ciphertext in bytes.
    pub const CIPHERTEXT: usize = Self::PKE_CIPHERTEXT;
    /// Length of the shared secret in bytes.
    pub const SHARED_SECRET: usize = Self::SEED;

    /// Hashes the message with the hash of the public key to the shared secret and the coins of encryption.
    fn derive<S: Symmetric>(sym: &mut S, message: &[u8], public_hash: &[u8]) -> Pair {
        let mut pair = Pair::new();
        sym.xof(Role::G, &[message, public_hash], &mut pair[..2 * Self::SEED]);
        pair
    }
}

impl<const N: usize, const L: usize> Kem for Lwekem<N, L>
where
    Self: Params,
{
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
        const { Self::VALID };
        Error::check_length(Part::PublicKey, Self::PUBLIC_KEY, public_key.len())?;
        Error::check_length(Part::SecretKey, Self::SECRET_KEY, secret_key.len())?;
        sym.phase(Phase::Keygen, |sym| {
            let mut coins = SecretBytes::<MAX_SEED>::new();
            let coins = &mut coins[..Self::SEED];
            sym.entropy(coins);
            let (pke_secret, rest) = secret_key.split_at_mut(Self::PKE_SECRET);
            Self::pke_keygen(sym, sampling, coins, public_key, pke_secret);
            let (public_copy, rest) = rest.split_at_mut(Self::PKE_PUBLIC);
            let (public_hash, reject_seed) = rest.split_at_mut(Self::SEED);
            sym.phase(Phase::Encode, |_| public_copy.copy_from_slice(public_key));
            sym.xof(Role::H, &[public_key], public_hash);
            sym.entropy(reject_seed);
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
        Error::check_length(Part::PublicKey, Self::PUBLIC_KEY, public_key.len())?;
        Error::check_length(Part::Ciphertext, Self::CIPHERTEXT, ciphertext.len())?;
        Error::check_length(Part::SharedSecret, Self::SHARED_SECRET, shared_secret.len())?;
        sym.phase(Phase::Enc, |sym| {
            let mut message = SecretBytes::<MAX_SEED>::new();
            let message = &mut message[..Self::SEED];
            sym.entropy(message);
            let mut public_hash = [0; MAX_SEED];
            let public_hash = &mut public_hash[..Self::SEED];
            sym.xof(Role::H, &[public_key], public_hash);
            let derived = Self::derive(sym, message, public_hash);
            let (key, coins) = derived[..2 * Self::SEED].split_at(Self::SEED);
            sym.phase(Phase::Encrypt, |sym| {
                Self::pke_encrypt(sym, sampling, public_key, message, coins, ciphertext);
            });
            shared_secret.copy_from_slice(key);
        });
        Ok(())
    }

    fn decapsulate<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        secret_key: &[u8],
        ciphertext: &[u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error> {
        Error::check_length(Part::SecretKey, Self::SECRET_KEY, secret_key.len())?;
        Error::check_length(Part::Ciphertext, Self::CIPHERTEXT, ciphertext.len())?;
        Error::check_length(Part::SharedSecret, Self::SHARED_SECRET, shared_secret.len())?;
        let (pke_secret, rest) = secret_key.split_at(Self::PKE_SECRET);
        let (public_key, rest) = rest.split_at(Self::PKE_PUBLIC);
        let (public_hash, reject_seed) = rest.split_at(Self::SEED);
        sym.phase(Phase::Dec, |sym| {
            let mut message = SecretBytes::<MAX_SEED>::new();
            let message = &mut message[..Self::SEED];
            sym.phase(Phase::Decrypt, |sym| Self::pke_decrypt(sym, pke_secret, ciphertext, message));
            let derived = Self::derive(sym, message, public_hash);
            let (key, coins) = derived[..2 * Self::SEED].split_at(Self::SEED);
            // Two bytes for each coefficient of u leave room for v.
            let mut reencrypted = [[[0; N]; 2]; L];
            let reencrypted = &mut reencrypted.as_flattened_mut().as_flattened_mut()[..Self::CIPHERTEXT];
            sym.phase(Phase::Encrypt, |sym| {
                Self::pke_encrypt(sym, sampling, public_key, message, coins, reencrypted);
            });
            // Computed whether or not it is needed.
            let mut reject = SecretBytes::<MAX_SEED>::new();
            sym.xof(Role::J, &[ciphertext, reject_seed], &mut reject[..Self::SEED]);
            sym.phase(Phase::Compare, |_| {
                shared_secret.copy_from_slice(&reject[..Self::SEED]);
                lattice::ct_assign(lattice::ct_eq(ciphertext, reencrypted), shared_secret, key);
            });
            reencrypted.zeroize();
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::lattice::testing::on_every_path;
    use crate::{Any, Suite};

    /// The three operations with a certain seed, so that whatever path is taken must come to the same.
    fn operations<K: Kem>(public_key: &mut [u8], secret_key: &mut [u8], ciphertext: &mut [u8]) {
        let sym = &mut Suite::of(Any::Shake, b"every path");
        let mut secrets = [[0; MAX_SEED]; 2];
        let [sent, received] = secrets.each_mut().map(|secret| &mut secret[..K::lengths().shared_secret]);
        K::keygen(sym, Sampling::Lazy, public_key, secret_key).expect("right lengths");
        K::encapsulate(sym, Sampling::Lazy, public_key, ciphertext, sent).expect("right lengths");
        K::decapsulate(sym, Sampling::Lazy, secret_key, ciphertext, received).expect("right lengths");
        assert_eq!(sent, received);
    }

    fn paths_agree<K: Kem>() {
        let first = core::cell::Cell::new(None);
        on_every_path(|| {
            let mut buffers = [[0; 8192]; 3];
            let [public_key, secret_key, ciphertext] = &mut buffers;
            operations::<K>(
                &mut public_key[..K::lengths().public_key],
                &mut secret_key[..K::lengths().secret_key],
                &mut ciphertext[..K::lengths().ciphertext],
            );
            assert!(first.replace(Some(buffers)).is_none_or(|first| first == buffers), "{}", K::name());
        });
    }

    #[test]
    fn every_path_comes_to_the_same() {
        paths_agree::<Lwekem128>();
        paths_agree::<Lwekem256>();
        paths_agree::<Lwekem512>();
    }
}
