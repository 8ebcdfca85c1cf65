//! Records of the round-3 Kyber reference implementation, each with a tampered ciphertext.

use crate::support::{bytes, decapsulate, encapsulate_from, keygen_from, list, text, vectors};
use kemprof_core::kem::mlkem::{Kyber512Set, Kyber768Set, Kyber1024Set, MlKem, ParameterSet};
use serde_json::Value;

fn record<P: ParameterSet>(case: &Value) {
    let keys = keygen_from::<P>(&bytes(case, "d"), &bytes(case, "z"));
    assert_eq!(keys.public, bytes(case, "pk"), "{} pk", P::NAME);
    assert_eq!(keys.secret, bytes(case, "sk"), "{} sk", P::NAME);
    let made = encapsulate_from::<P>(&keys.public, &bytes(case, "m"));
    assert_eq!(made.ciphertext, bytes(case, "ct"), "{} ct", P::NAME);
    assert_eq!(made.shared_secret, bytes(case, "ss"), "{} ss", P::NAME);
    assert_eq!(
        decapsulate::<MlKem<P>>(&keys.secret, &made.ciphertext),
        made.shared_secret,
        "{} decapsulation",
        P::NAME
    );
    let rejected = decapsulate::<MlKem<P>>(&keys.secret, &bytes(case, "bad_ct"));
    assert_eq!(rejected, bytes(case, "bad_ss"), "{} implicit rejection", P::NAME);
}

#[test]
fn every_record_and_its_tampered_ciphertext() {
    let Some(file) = vectors("kyber-round3.json") else { return };
    let mut cases = 0;
    for group in list(&file, "groups") {
        for case in list(group, "tests") {
            match text(group, "parameterSet") {
                "Kyber512" => record::<Kyber512Set>(case),
                "Kyber768" => record::<Kyber768Set>(case),
                "Kyber1024" => record::<Kyber1024Set>(case),
                other => panic!("unknown parameter set {other}"),
            }
            cases += 1;
        }
    }
    assert_eq!(cases, 30);
}
