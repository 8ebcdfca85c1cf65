//! What decapsulation does with ciphertexts that were not made for the key, and all operations with wrong lengths.

use crate::run::{decapsulate, encapsulate, instances, keygen, with};
use kemprof_core::backend::Any;
use kemprof_core::kem::{Error, Part, Visitor};
use kemprof_core::{Kem, Role, Sampling, Suite, Symmetric};

struct Tampered;

impl Visitor for Tampered {
    type Output = ();

    fn visit<K: Kem>(self) {
        let mut sym = Suite::of(Any::Placeholder, b"tampered");
        let (public_key, secret_key) = keygen::<K>(&mut sym, Sampling::Lazy);
        let (ciphertext, secret) = encapsulate::<K>(&mut sym, Sampling::Lazy, &public_key);
        let reject_seed = &secret_key[K::lengths().secret_key - K::lengths().shared_secret..];
        // In u, at the border, and in v.
        for byte in [0, 1, K::lengths().ciphertext / 2, K::lengths().ciphertext - 2, K::lengths().ciphertext - 1] {
            for bit in [0, 3, 7] {
                let mut tampered = ciphertext.clone();
                tampered[byte] ^= 1 << bit;
                let got = decapsulate::<K>(&mut sym, Sampling::Lazy, &secret_key, &tampered);
                let mut rejected = vec![0; K::lengths().shared_secret];
                sym.xof(Role::J, &[&tampered, reject_seed], &mut rejected);
                assert_eq!(got, rejected, "{}: byte {byte}, bit {bit}", K::name());
                assert_ne!(got, secret);
            }
        }
        assert_eq!(decapsulate::<K>(&mut sym, Sampling::Lazy, &secret_key, &ciphertext), secret);
    }
}

#[test]
fn a_tampered_ciphertext_is_rejected_implicitly() {
    instances().for_each(|instance| with(instance, Tampered));
}

struct Hostile;

impl Visitor for Hostile {
    type Output = ();

    /// Keys and ciphertexts whose packed coefficients are as large as they can be.
    fn visit<K: Kem>(self) {
        let mut sym = Suite::of(Any::Placeholder, b"hostile");
        let secret_key = vec![0xff; K::lengths().secret_key];
        let ciphertext = vec![0xff; K::lengths().ciphertext];
        let got = decapsulate::<K>(&mut sym, Sampling::Lazy, &secret_key, &ciphertext);
        let mut rejected = vec![0; K::lengths().shared_secret];
        sym.xof(
            Role::J,
            &[&ciphertext, &secret_key[K::lengths().secret_key - K::lengths().shared_secret..]],
            &mut rejected,
        );
        assert_eq!(got, rejected, "{}", K::name());
    }
}

#[test]
fn the_largest_encodings_do_not_overflow() {
    instances().for_each(|instance| with(instance, Hostile));
}

struct WrongLengths;

impl Visitor for WrongLengths {
    type Output = ();

    fn visit<K: Kem>(self) {
        let parts = [
            (Part::PublicKey, K::lengths().public_key),
            (Part::SecretKey, K::lengths().secret_key),
            (Part::Ciphertext, K::lengths().ciphertext),
            (Part::SharedSecret, K::lengths().shared_secret),
        ];
        for (wrong, expected) in parts {
            for got in [0, expected - 1, expected + 1] {
                let error = Err(Error::Length { part: wrong, expected, got });
                let bytes = |part| vec![0; parts.iter().find(|(p, _)| *p == part).map_or(0, |p| p.1)];
                let buffer = |part| if part == wrong { vec![0; got] } else { bytes(part) };
                let [mut pk, mut sk, mut ct, mut ss] = parts.map(|(part, _)| buffer(part));
                let sym = &mut Suite::of(Any::Placeholder, b"wrong lengths");
                if matches!(wrong, Part::PublicKey | Part::SecretKey) {
                    assert_eq!(K::keygen(sym, Sampling::Lazy, &mut pk, &mut sk), error);
                }
                if wrong != Part::SecretKey {
                    assert_eq!(K::encapsulate(sym, Sampling::Lazy, &pk, &mut ct, &mut ss), error);
                }
                if wrong != Part::PublicKey {
                    assert_eq!(K::decapsulate(sym, Sampling::Lazy, &sk, &ct, &mut ss), error);
                }
                assert!([pk, sk, ct, ss].concat().iter().all(|&byte| byte == 0), "a refused call writes nothing");
            }
        }
    }
}

#[test]
fn wrong_lengths_are_refused_and_nothing_is_written() {
    instances().for_each(|instance| with(instance, WrongLengths));
}
