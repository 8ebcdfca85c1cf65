//! What surrounds the encryption: the derivation of keys and coins, and implicit rejection, where the two schemes
//! differ.

use super::params::{Derived, MAX_CIPHERTEXT, ParameterSet, SEED, Scheme};
use super::{encode, pke};
use crate::kem::lattice::{SecretBytes, ct_assign, ct_eq};
use crate::symmetric::{Phase, Role};
use crate::{Sampling, Symmetric};

type Seed = [u8; SEED];
type SecretSeed = SecretBytes<SEED>;

/// G: two seeds of the concatenated parts.
fn g<S: Symmetric>(sym: &mut S, input: &[&[u8]]) -> [SecretSeed; 2] {
    let mut both = SecretBytes::<{ 2 * SEED }>::new();
    sym.hash(Role::G, input, &mut *both);
    let (seeds, _) = both.as_chunks();
    [SecretSeed::copy_of(&seeds[0]), SecretSeed::copy_of(&seeds[1])]
}

/// H of what is public.
fn h<S: Symmetric>(sym: &mut S, input: &[u8]) -> Seed {
    let mut hash = [0; SEED];
    sym.hash(Role::H, &[input], &mut hash);
    hash
}

/// The parts of a decapsulation key.
pub(super) struct SecretKey<'a> {
    /// ŝ.
    s: &'a [u8],
    pub(super) public: &'a [u8],
    pub(super) public_hash: &'a Seed,
    /// The secret of implicit rejection.
    z: &'a Seed,
}

impl<'a> SecretKey<'a> {
    /// Takes a key apart that is of the right length.
    pub(super) fn new<P: ParameterSet>(bytes: &'a [u8]) -> Self {
        let (s, rest) = bytes.split_at(P::VECTOR);
        let (public, rest) = rest.split_at(P::ENCAPSULATION_KEY);
        let (seeds, _) = rest.as_chunks();
        Self { s, public, public_hash: &seeds[0], z: &seeds[1] }
    }

    /// Whether the key holds the hash of its encapsulation key (FIPS 203, section 7.3).
    pub(super) fn holds_hash<S: Symmetric>(&self, sym: &mut S) -> bool {
        ct_eq(&h(sym, self.public), self.public_hash).into()
    }
}

/// Whether the coefficients of an encapsulation key are below the modulus (FIPS 203, section 7.2).
pub(super) fn is_reduced<P: ParameterSet>(public: &[u8]) -> bool {
    public[..P::VECTOR].as_chunks().0.iter().all(encode::is_reduced)
}

/// Key generation (FIPS 203, algorithm 16).
pub(super) fn generate<P: ParameterSet, S: Symmetric>(
    sym: &mut S,
    sampling: Sampling,
    [d, z]: [&Seed; 2],
    public: &mut [u8],
    secret: &mut [u8],
) {
    let [rho, sigma] = match P::SCHEME {
        Scheme::MlKem => g(sym, &[d, &[P::K as u8]]),
        Scheme::Kyber => g(sym, &[d]),
    };
    public[P::VECTOR..].copy_from_slice(&*rho);
    pke::keygen::<P, S>(sym, sampling, &rho, &sigma, public, secret);
    let (_, rest) = secret.split_at_mut(P::VECTOR);
    let (copy, seeds) = rest.split_at_mut(P::ENCAPSULATION_KEY);
    copy.copy_from_slice(public);
    let (hash, last) = seeds.split_at_mut(SEED);
    hash.copy_from_slice(&h(sym, public));
    last.copy_from_slice(z);
}

/// Encapsulation (FIPS 203, algorithm 17).
pub(super) fn encapsulate<P: ParameterSet, S: Symmetric>(
    sym: &mut S,
    sampling: Sampling,
    m: &Seed,
    public: &[u8],
    ciphertext: &mut [u8],
    shared_secret: &mut Seed,
) {
    let mut message = SecretSeed::copy_of(m);
    if P::SCHEME == Scheme::Kyber {
        // Kyber does not let the generator's raw output out.
        sym.hash(Role::H, &[m], &mut *message);
    }
    let hash = h(sym, public);
    let [key, coins] = g(sym, &[&*message, &hash]);
    sym.phase(Phase::Encrypt, |sym| pke::encrypt::<P, S>(sym, sampling, public, &message, &coins, ciphertext));
    derive_shared_secret::<P, S>(sym, &key, ciphertext, shared_secret);
}

/// The shared secret from the key: Kyber binds it to the ciphertext.
fn derive_shared_secret<P: ParameterSet, S: Symmetric>(
    sym: &mut S,
    key: &Seed,
    ciphertext: &[u8],
    shared_secret: &mut Seed,
) {
    match P::SCHEME {
        Scheme::MlKem => *shared_secret = *key,
        Scheme::Kyber => {
            let hash = h(sym, ciphertext);
            sym.xof(Role::Kdf, &[key, &hash], shared_secret);
        }
    }
}

/// Decapsulation (FIPS 203, algorithm 18).
pub(super) fn decapsulate<P: ParameterSet, S: Symmetric>(
    sym: &mut S,
    sampling: Sampling,
    secret: &SecretKey<'_>,
    ciphertext: &[u8],
    shared_secret: &mut Seed,
) {
    let mut message = SecretSeed::new();
    sym.phase(Phase::Decrypt, |sym| pke::decrypt::<P, S>(sym, secret.s, ciphertext, &mut message));
    let [mut key, coins] = g(sym, &[&*message, secret.public_hash]);
    let mut rejection = SecretSeed::copy_of(secret.z);
    if P::SCHEME == Scheme::MlKem {
        sym.xof(Role::J, &[secret.z, ciphertext], &mut *rejection);
    }
    let mut reencrypted = SecretBytes::<MAX_CIPHERTEXT>::new();
    let reencrypted = &mut reencrypted[..P::CIPHERTEXT];
    sym.phase(Phase::Encrypt, |sym| {
        pke::encrypt::<P, S>(sym, sampling, secret.public, &message, &coins, reencrypted);
    });
    sym.phase(Phase::Compare, |_| ct_assign(!ct_eq(ciphertext, reencrypted), &mut *key, &*rejection));
    derive_shared_secret::<P, S>(sym, &key, ciphertext, shared_secret);
}
