//! Eager and lazy sampling, over every backend.

use kemprof_core::kem::{INSTANCES, Visitor, visit};
use kemprof_core::{Any, Kem, Sampling, Suite};

/// Everything that a key pair and an encapsulation put out.
#[derive(PartialEq)]
struct Transcript([Vec<u8>; 4]);

struct Run {
    backend: Any,
    sampling: Sampling,
}

impl Visitor for Run {
    type Output = Transcript;

    fn visit<K: Kem>(self) -> Transcript {
        let sym = &mut Suite::of(self.backend, b"sampling");
        let (mut pk, mut sk) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
        let (mut ct, mut ss) = (vec![0; K::lengths().ciphertext], vec![0; K::lengths().shared_secret]);
        K::keygen(sym, self.sampling, &mut pk, &mut sk).expect("lengths are right");
        K::encapsulate(sym, self.sampling, &pk, &mut ct, &mut ss).expect("the key is right");
        let mut again = vec![0; K::lengths().shared_secret];
        K::decapsulate(sym, self.sampling, &sk, &ct, &mut again).expect("the key is right");
        assert_eq!(again, ss, "{} over {:?}, {:?}", K::name(), self.backend, self.sampling);
        ct[K::lengths().ciphertext / 2] ^= 1;
        K::decapsulate(sym, self.sampling, &sk, &ct, &mut again).expect("the key is right");
        assert_ne!(again, ss, "{} over {:?}, {:?} rejects", K::name(), self.backend, self.sampling);
        Transcript([pk, sk, ct, again])
    }
}

#[test]
fn both_ways_of_sampling_agree_over_every_backend() {
    for instance in INSTANCES.iter().filter(|name| name.contains("kem-") || name.contains("kyber")) {
        for &backend in Any::ALL {
            let run = |sampling| visit(instance, Run { backend, sampling }).expect("the registry knows its own names");
            assert!(run(Sampling::Eager) == run(Sampling::Lazy), "{instance} over {backend:?}");
        }
    }
}
