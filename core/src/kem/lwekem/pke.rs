//! The public-key encryption inside the KEM.

use super::encode::{decode_key, decode_u, decode_v, encode_key, encode_u, encode_v};
use super::matrix::{Orientation, matvec};
use super::message::{add_message, decode_message};
use super::noise;
use super::ntt::{inverse_ntt, ntt};
use super::params::{Lwekem, MAX_SEED, Params};
use super::secret::Secret;
use super::sum::{Exact, Sum, Wide, add, prepare, subtract};
use crate::kem::Sampling;
use crate::kem::lattice::SecretBytes;
use crate::symmetric::{Phase, Role, Symmetric};

impl<const N: usize, const L: usize> Lwekem<N, L>
where
    Self: Params,
{
    /// Bytes of a packed polynomial of a key.
    const KEY_POLY: usize = N * Self::LOG_Q / 8;
    /// Bytes of the secret part of a decapsulation key.
    pub(super) const PKE_SECRET: usize = L * Self::KEY_POLY;
    /// Bytes of an encryption key: a vector and the seed of the matrix.
    pub(super) const PKE_PUBLIC: usize = L * Self::KEY_POLY + Self::SEED;
    /// Bytes of a packed polynomial of u.
    const U_POLY: usize = N * Self::LOG_P / 8;
    /// Bytes of packed u.
    const U: usize = L * Self::U_POLY;
    /// Bytes of a ciphertext.
    pub(super) const PKE_CIPHERTEXT: usize = Self::U + N * Self::LOG_T / 8;

    /// Generates a key pair from `coins`, of SEED bytes.
    pub(super) fn pke_keygen<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        coins: &[u8],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) {
        let mut seeds = SecretBytes::<{ 2 * MAX_SEED }>::new();
        let seeds = &mut seeds[..2 * Self::SEED];
        sym.xof(Role::G, &[coins], seeds);
        let (matrix_seed, noise_seed) = seeds.split_at(Self::SEED);
        let (mut s, mut e) = (Secret::<N, L>::new(), Secret::<N, L>::new());
        sym.phase(Phase::SampleNoise, |sym| {
            noise::sample::<Self, S, N>(sym, noise_seed, 2 * L, s.iter_mut().chain(e.iter_mut()));
        });
        sym.phase(Phase::Ntt, |_| s.iter_mut().chain(e.iter_mut()).for_each(ntt::<Self, N>));
        let (public_vector, public_seed) = public_key.split_at_mut(L * Self::KEY_POLY);
        sym.phase(Phase::Encode, |_| {
            for (poly, bytes) in s.iter().zip(secret_key.chunks_exact_mut(Self::KEY_POLY)) {
                encode_key::<Self, N>(poly, bytes);
            }
        });
        let mut b = Secret::<N, L>::new();
        sym.phase(Phase::Matvec, |_| s.iter_mut().for_each(prepare::<Self, N>));
        matvec::<Self, Exact<N>, S, N, L>(sym, sampling, matrix_seed, Orientation::Plain, &s, &mut b);
        sym.phase(Phase::Matvec, |_| b.iter_mut().zip(e.iter()).for_each(|(b, e)| add::<Self, N>(b, e)));
        sym.phase(Phase::Encode, |_| {
            for (poly, bytes) in b.iter().zip(public_vector.chunks_exact_mut(Self::KEY_POLY)) {
                encode_key::<Self, N>(poly, bytes);
            }
            public_seed.copy_from_slice(matrix_seed);
        });
    }

    /// Encrypts `message` with the randomness of `coins`, both of SEED bytes.
    pub(super) fn pke_encrypt<S: Symmetric>(
        sym: &mut S,
        sampling: Sampling,
        public_key: &[u8],
        message: &[u8],
        coins: &[u8],
        ciphertext: &mut [u8],
    ) {
        let (public_vector, matrix_seed) = public_key.split_at(L * Self::KEY_POLY);
        let (mut s, mut e, mut v_noise) = (Secret::<N, L>::new(), Secret::<N, L>::new(), Secret::<N, 1>::new());
        sym.phase(Phase::SampleNoise, |sym| {
            let polys = s.iter_mut().chain(e.iter_mut()).chain(v_noise.iter_mut());
            noise::sample::<Self, S, N>(sym, coins, 2 * L + 1, polys);
        });
        sym.phase(Phase::Ntt, |_| s.iter_mut().for_each(ntt::<Self, N>));
        let mut v = Secret::<N, 1>::new();
        Self::key_product(sym, public_vector, &s, &mut v[0]);
        let mut u = Secret::<N, L>::new();
        matvec::<Self, Wide<N>, S, N, L>(sym, sampling, matrix_seed, Orientation::Transposed, &s, &mut u);
        sym.phase(Phase::InverseNtt, |_| u.iter_mut().chain(v.iter_mut()).for_each(inverse_ntt::<Self, N>));
        sym.phase(Phase::Matvec, |_| {
            u.iter_mut().zip(e.iter()).for_each(|(u, e)| add::<Self, N>(u, e));
            add::<Self, N>(&mut v[0], &v_noise[0]);
        });
        sym.phase(Phase::EncodeMessage, |_| add_message::<Self, N>(message, &mut v[0]));
        sym.phase(Phase::Encode, |_| {
            let (u_bytes, v_bytes) = ciphertext.split_at_mut(Self::U);
            for (poly, bytes) in u.iter_mut().zip(u_bytes.chunks_exact_mut(Self::U_POLY)) {
                encode_u::<Self, N>(poly, bytes);
            }
            encode_v::<Self, N>(&mut v[0], v_bytes);
        });
    }

    /// Decrypts `ciphertext` to `message`, of SEED bytes.
    pub(super) fn pke_decrypt<S: Symmetric>(sym: &mut S, secret_key: &[u8], ciphertext: &[u8], message: &mut [u8]) {
        let (u_bytes, v_bytes) = ciphertext.split_at(Self::U);
        let mut u = Secret::<N, L>::new();
        sym.phase(Phase::Decode, |_| {
            for (poly, bytes) in u.iter_mut().zip(u_bytes.chunks_exact(Self::U_POLY)) {
                decode_u::<Self, N>(bytes, poly);
            }
        });
        sym.phase(Phase::Ntt, |_| u.iter_mut().for_each(ntt::<Self, N>));
        let mut product = Secret::<N, 1>::new();
        Self::key_product(sym, secret_key, &u, &mut product[0]);
        sym.phase(Phase::InverseNtt, |_| inverse_ntt::<Self, N>(&mut product[0]));
        let mut v = Secret::<N, 1>::new();
        sym.phase(Phase::Decode, |_| decode_v::<Self, N>(v_bytes, &mut v[0]));
        sym.phase(Phase::DecodeMessage, |_| {
            subtract::<Self, N>(&mut v[0], &product[0]);
            decode_message::<Self, N>(&v[0], message);
        });
    }

    /// The product of a packed vector of a key with `vector`.
    fn key_product<S: Symmetric>(sym: &mut S, key: &[u8], vector: &[[u16; N]; L], product: &mut [u16; N]) {
        let mut polys = Secret::<N, L>::new();
        sym.phase(Phase::Decode, |_| {
            for (poly, bytes) in polys.iter_mut().zip(key.chunks_exact(Self::KEY_POLY)) {
                decode_key::<Self, N>(bytes, poly);
            }
        });
        sym.phase(Phase::Matvec, |_| {
            let mut sum = <Wide<N> as Sum<Self, N>>::new();
            for (i, (a, b)) in polys.iter().zip(vector).enumerate() {
                Sum::<Self, N>::add(&mut sum, i == 0, a, b);
            }
            Sum::<Self, N>::finish(&sum, product);
        });
    }
}
