//! The published known answers, and that laziness and backends do not change what is computed.

use crate::run::{decapsulate, encapsulate, instances, keygen, with};
use kemprof_core::backend::{Any, Backend, Drng, Placeholder};
use kemprof_core::kem::Visitor;
use kemprof_core::{Kem, Sampling, Suite};
use sha2::{Digest, Sha256};

/// SHA-256 of the NGCC KAT file of each instance: ten records, empty lines dropped.
const PUBLISHED: [(&str, &str); 3] = [
    ("lwekem128", "5530f83c0123a406ddf9e161b5bda3ce1242693b04a5aa747af18204d886ae2f"),
    ("lwekem256", "bfdce1714c26198adfb5710378c2156cceb4d9f63bf2feb07f9326c417400c50"),
    ("lwekem512", "e843ad73d39149b2305a3b5384c7f3fc8d12fa77a5399fd506435f22c2c5a8b9"),
];

/// Backends that compute the placeholder functions, by whatever means.
const OF_THE_PLACEHOLDER_FAMILY: [&str; 2] = ["placeholder", "sm3"];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

struct KnownAnswers {
    backend: Any,
    sampling: Sampling,
}

impl Visitor for KnownAnswers {
    type Output = String;

    fn visit<K: Kem>(self) -> String {
        let mut text = String::new();
        let mut seeds = Placeholder.drng(&b"seed".repeat(16));
        for count in 0..10 {
            let mut seed = [0; 64];
            seeds.generate(&mut seed);
            let mut sym = Suite::of(self.backend, &seed);
            let (public_key, secret_key) = keygen::<K>(&mut sym, self.sampling);
            let (ciphertext, secret) = encapsulate::<K>(&mut sym, self.sampling, &public_key);
            assert_eq!(decapsulate::<K>(&mut sym, self.sampling, &secret_key, &ciphertext), secret);
            text += &format!("Count = {count}\nSeed_Len = 64\nSeed = {}\n", hex(&seed));
            for (name, value) in [("PK", public_key), ("SK", secret_key), ("CT", ciphertext), ("SS", secret)] {
                text += &format!("{name}_Len = {}\n{name} = {}\n", value.len(), hex(&value));
            }
        }
        hex(&Sha256::digest(text)).to_lowercase()
    }
}

#[test]
fn the_published_answers_are_reproduced() {
    for backend in OF_THE_PLACEHOLDER_FAMILY.iter().filter_map(|name| Any::by_name(name)) {
        for (instance, published) in PUBLISHED {
            for sampling in [Sampling::Eager, Sampling::Lazy] {
                let digest = with(instance, KnownAnswers { backend, sampling });
                assert_eq!(digest, published, "{instance}, {}, {}", backend.name(), sampling.name());
            }
        }
    }
}

struct EagerEqualsLazy(Any, [u8; 2]);

impl Visitor for EagerEqualsLazy {
    type Output = ();

    fn visit<K: Kem>(self) {
        let Self(backend, seed) = self;
        let [eager, lazy] = [Sampling::Eager, Sampling::Lazy].map(|sampling| {
            let mut sym = Suite::of(backend, &seed);
            let (public_key, secret_key) = keygen::<K>(&mut sym, sampling);
            let (ciphertext, secret) = encapsulate::<K>(&mut sym, sampling, &public_key);
            assert_eq!(decapsulate::<K>(&mut sym, sampling, &secret_key, &ciphertext), secret, "{}", K::name());
            (public_key, secret_key, ciphertext, secret)
        });
        assert!(eager == lazy, "{}, {}, seed {seed:?}", K::name(), backend.name());
    }
}

#[test]
fn lazy_and_eager_give_the_same_on_every_backend() {
    for &backend in Any::ALL {
        for instance in instances() {
            for seed in 0..3 {
                with(instance, EagerEqualsLazy(backend, [seed, 77]));
            }
        }
    }
}
