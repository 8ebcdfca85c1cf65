//! K-PKE (FIPS 203, section 5): the public-key encryption inside both schemes.

use super::encode::{FULL_BYTES, MESSAGE, compress, compressed_bytes, decode, decompress, encode};
use super::kernels::{add_product, inverse_ntt, ntt};
use super::matrix::{Matrix, Orientation};
use super::noise;
use super::params::{Derived, ETA2, MAX_K, ParameterSet, SEED};
use super::poly::{NttPoly, Poly, add, finish_products, subtract_from};
use crate::symmetric::Phase;
use crate::{Sampling, Symmetric};
use zeroize::Zeroizing;

/// Encodes a vector of T_q.
fn encode_vector(from: &[NttPoly], bytes: &mut [u8]) {
    for (from, bytes) in from.iter().zip(bytes.as_chunks_mut::<FULL_BYTES>().0) {
        encode(from, bytes);
    }
}

/// Decodes a vector of T_q.
fn decode_vector(bytes: &[u8], to: &mut [NttPoly]) {
    for (bytes, to) in bytes.as_chunks::<FULL_BYTES>().0.iter().zip(to) {
        decode(bytes, to);
    }
}

/// Transforms every polynomial, using them up.
fn ntt_vector(from: &mut [Poly], to: &mut [NttPoly]) {
    for (from, to) in from.iter_mut().zip(to) {
        ntt(from, to);
    }
}

/// `sum` += the inner product over 2^16.
fn add_inner_product(sum: &mut NttPoly, left: &[NttPoly], right: &[NttPoly]) {
    for (left, right) in left.iter().zip(right) {
        add_product(sum, left, right);
    }
}

/// Key generation from the seeds of matrix and noise (algorithm 13 after its first step): t̂ into the encapsulation
/// key, whose ρ is there already, and ŝ into the decapsulation key.
pub(super) fn keygen<P: ParameterSet, S: Symmetric>(
    sym: &mut S,
    sampling: Sampling,
    rho: &[u8; SEED],
    sigma: &[u8; SEED],
    public: &mut [u8],
    secret: &mut [u8],
) {
    let mut noise = Zeroizing::new([Poly::ZERO; 2 * MAX_K]);
    let noise = &mut noise[..2 * P::K];
    let mut transformed = Zeroizing::new([NttPoly::ZERO; 2 * MAX_K]);
    let transformed = &mut transformed[..2 * P::K];
    let mut t = [NttPoly::ZERO; MAX_K];
    let t = &mut t[..P::K];

    sym.phase(Phase::SampleNoise, |sym| noise::sample(sym, sigma, P::ETA1, 0, noise));
    sym.phase(Phase::Ntt, |_| ntt_vector(noise, transformed));
    let (s, e) = transformed.split_at(P::K);
    Matrix { seed: rho, orientation: Orientation::Straight, sampling }.add_product(sym, s, t);
    sym.phase(Phase::Matvec, |_| t.iter_mut().zip(e).for_each(|(t, e)| finish_products(t, e)));
    sym.phase(Phase::Encode, |_| {
        encode_vector(t, public);
        encode_vector(s, secret);
    });
}

/// Samples y, e₁ and e₂ of an encryption, which have consecutive nonces: together where their distributions agree.
fn encryption_noise<P: ParameterSet, S: Symmetric>(sym: &mut S, coins: &[u8; SEED], noise: &mut [Poly]) {
    if P::ETA1 == ETA2 {
        noise::sample(sym, coins, ETA2, 0, noise);
    } else {
        let (y, e) = noise.split_at_mut(P::K);
        noise::sample(sym, coins, P::ETA1, 0, y);
        noise::sample(sym, coins, ETA2, P::K, e);
    }
}

/// Encryption of `message` with the randomness that `coins` expand to (algorithm 14).
///
/// Not inlined, as [`decrypt`] is not: a decapsulation does both, and their buffers can share the stack.
#[inline(never)]
pub(super) fn encrypt<P: ParameterSet, S: Symmetric>(
    sym: &mut S,
    sampling: Sampling,
    public: &[u8],
    message: &[u8; MESSAGE],
    coins: &[u8; SEED],
    ciphertext: &mut [u8],
) {
    let (t_bytes, rho) = public.split_at(P::VECTOR);
    let rho = rho.try_into().expect("the encapsulation key ends in a seed");
    let mut noise = Zeroizing::new([Poly::ZERO; 2 * MAX_K + 1]);
    let noise = &mut noise[..2 * P::K + 1];
    let mut y = Zeroizing::new([NttPoly::ZERO; MAX_K]);
    let y = &mut y[..P::K];
    let mut sums = Zeroizing::new([NttPoly::ZERO; MAX_K + 1]);
    let (u_sums, v_sum) = sums[..=P::K].split_at_mut(P::K);
    let mut v = Zeroizing::new(Poly::ZERO);

    sym.phase(Phase::SampleNoise, |sym| encryption_noise::<P, S>(sym, coins, noise));
    // The transform uses up the coefficients of y, and u takes their place.
    let (u, e) = noise.split_at_mut(P::K);
    sym.phase(Phase::Ntt, |_| ntt_vector(u, y));
    Matrix { seed: rho, orientation: Orientation::Transposed, sampling }.add_product(sym, y, u_sums);
    let mut t = [NttPoly::ZERO; MAX_K];
    sym.phase(Phase::Decode, |_| decode_vector(t_bytes, &mut t));
    sym.phase(Phase::Matvec, |_| add_inner_product(&mut v_sum[0], &t[..P::K], y));
    sym.phase(Phase::InverseNtt, |_| {
        u_sums.iter_mut().zip(u.iter_mut()).for_each(|(sum, u)| inverse_ntt(sum, u));
        inverse_ntt(&mut v_sum[0], &mut v);
    });
    let mut encoded = Zeroizing::new(Poly::ZERO);
    sym.phase(Phase::EncodeMessage, |_| decompress(1, message, &mut encoded));
    sym.phase(Phase::Matvec, |_| {
        u.iter_mut().zip(&*e).for_each(|(u, e)| add(u, e));
        add(&mut v, &e[P::K]);
        add(&mut v, &encoded);
    });
    sym.phase(Phase::Encode, |_| {
        let (u_bytes, v_bytes) = ciphertext.split_at_mut(P::U);
        u_bytes.chunks_exact_mut(compressed_bytes(P::DU)).zip(u).for_each(|(bytes, u)| compress(P::DU, u, bytes));
        compress(P::DV, &mut v, v_bytes);
    });
}

/// Decryption (algorithm 15). `secret` begins with ŝ.
#[inline(never)]
pub(super) fn decrypt<P: ParameterSet, S: Symmetric>(
    sym: &mut S,
    secret: &[u8],
    ciphertext: &[u8],
    message: &mut [u8; MESSAGE],
) {
    let mut u = [Poly::ZERO; MAX_K];
    let u = &mut u[..P::K];
    let mut v = Poly::ZERO;
    let mut s = Zeroizing::new([NttPoly::ZERO; MAX_K]);
    let s = &mut s[..P::K];
    let mut transformed = [NttPoly::ZERO; MAX_K];
    let transformed = &mut transformed[..P::K];
    let mut product = Zeroizing::new(NttPoly::ZERO);
    let mut difference = Zeroizing::new(Poly::ZERO);

    sym.phase(Phase::Decode, |_| {
        let (u_bytes, v_bytes) = ciphertext.split_at(P::U);
        u_bytes.chunks_exact(compressed_bytes(P::DU)).zip(&mut *u).for_each(|(bytes, u)| decompress(P::DU, bytes, u));
        decompress(P::DV, v_bytes, &mut v);
        decode_vector(secret, s);
    });
    sym.phase(Phase::Ntt, |_| ntt_vector(u, transformed));
    sym.phase(Phase::Matvec, |_| add_inner_product(&mut product, s, transformed));
    sym.phase(Phase::InverseNtt, |_| inverse_ntt(&mut product, &mut difference));
    sym.phase(Phase::Matvec, |_| subtract_from(&mut difference, &v));
    sym.phase(Phase::DecodeMessage, |_| compress(1, &mut difference, message));
}
