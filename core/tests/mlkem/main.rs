//! ML-KEM and Kyber against known answers, against an independent implementation, and against themselves.

mod checks;
mod kyber_vectors;
mod nist_digests;
mod nist_vectors;
mod profile;
mod sampling;
mod support;
mod twin;
mod wycheproof;
