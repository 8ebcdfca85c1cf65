//! NIST's ACVP vectors: key generation, encapsulation, and decapsulation with implicit rejection.

use crate::support::{bytes, decapsulate, encapsulate_from, keygen_from, list, text, vectors};
use kemprof_core::kem::mlkem::{MlKem, MlKem512Set, MlKem768Set, MlKem1024Set, ParameterSet};
use serde_json::Value;

fn keygen<P: ParameterSet>(case: &Value) {
    let keys = keygen_from::<P>(&bytes(case, "d"), &bytes(case, "z"));
    assert_eq!(keys.public, bytes(case, "ek"), "{} ek of case {}", P::NAME, case["tcId"]);
    assert_eq!(keys.secret, bytes(case, "dk"), "{} dk of case {}", P::NAME, case["tcId"]);
}

#[test]
fn key_generation() {
    let Some(file) = vectors("acvp-ml-kem-keygen.json") else { return };
    let mut cases = 0;
    for group in list(&file, "testGroups") {
        for case in list(group, "tests") {
            match text(group, "parameterSet") {
                "ML-KEM-512" => keygen::<MlKem512Set>(case),
                "ML-KEM-768" => keygen::<MlKem768Set>(case),
                "ML-KEM-1024" => keygen::<MlKem1024Set>(case),
                other => panic!("unknown parameter set {other}"),
            }
            cases += 1;
        }
    }
    assert_eq!(cases, 75);
}

/// One case of a group of encapsulations or decapsulations.
fn case<P: ParameterSet>(group: &Value, case: &Value) {
    let (ciphertext, shared_secret) = (bytes(case, "c"), bytes(case, "k"));
    if text(group, "function") == "encapsulation" {
        let got = encapsulate_from::<P>(&bytes(case, "ek"), &bytes(case, "m"));
        assert_eq!(got.ciphertext, ciphertext, "{} ciphertext of case {}", P::NAME, case["tcId"]);
        assert_eq!(got.shared_secret, shared_secret, "{} secret of case {}", P::NAME, case["tcId"]);
    } else {
        let got = decapsulate::<MlKem<P>>(&bytes(group, "dk"), &ciphertext);
        assert_eq!(got, shared_secret, "{} decapsulation of case {}", P::NAME, case["tcId"]);
    }
}

#[test]
fn encapsulation_and_decapsulation() {
    let Some(file) = vectors("acvp-ml-kem-encap-decap.json") else { return };
    let (mut encapsulations, mut decapsulations) = (0, 0);
    for group in list(&file, "testGroups") {
        let cases = list(group, "tests");
        for one in cases {
            match text(group, "parameterSet") {
                "ML-KEM-512" => case::<MlKem512Set>(group, one),
                "ML-KEM-768" => case::<MlKem768Set>(group, one),
                "ML-KEM-1024" => case::<MlKem1024Set>(group, one),
                other => panic!("unknown parameter set {other}"),
            }
        }
        match text(group, "function") {
            "encapsulation" => encapsulations += cases.len(),
            "decapsulation" => decapsulations += cases.len(),
            other => panic!("unknown function {other}"),
        }
    }
    assert_eq!((encapsulations, decapsulations), (75, 30));
}
