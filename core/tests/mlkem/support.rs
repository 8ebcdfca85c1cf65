//! What the tests share.

use kemprof_core::backend::{Any, AnyReader, Backend, Reader};
use kemprof_core::kem::mlkem::{MlKem, ParameterSet};
use kemprof_core::{Kem, Role, Sampling, Suite};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// The standard schemes' functions. The generator is seeded with `seed`.
pub(crate) fn shake(seed: &[u8]) -> Suite<Any> {
    Suite::of(Any::Shake, seed)
}

/// A key pair, as encapsulation key and decapsulation key.
pub(crate) struct KeyPair {
    pub(crate) public: Vec<u8>,
    pub(crate) secret: Vec<u8>,
}

/// A ciphertext and its shared secret.
#[derive(PartialEq, Debug)]
pub(crate) struct Encapsulated {
    pub(crate) ciphertext: Vec<u8>,
    pub(crate) shared_secret: Vec<u8>,
}

/// Key generation from its randomness, with the standard functions.
pub(crate) fn keygen_from<P: ParameterSet>(d: &[u8], z: &[u8]) -> KeyPair {
    let mut keys = KeyPair { public: vec![0; MlKem::<P>::PUBLIC_KEY], secret: vec![0; MlKem::<P>::SECRET_KEY] };
    let (d, z) = (d.try_into().expect("d has 32 bytes"), z.try_into().expect("z has 32 bytes"));
    MlKem::<P>::keygen_from(&mut shake(&[]), Sampling::Eager, d, z, &mut keys.public, &mut keys.secret)
        .expect("lengths are right");
    keys
}

/// Encapsulation from its randomness, with the standard functions.
pub(crate) fn encapsulate_from<P: ParameterSet>(public: &[u8], m: &[u8]) -> Encapsulated {
    let mut ciphertext = vec![0; MlKem::<P>::CIPHERTEXT];
    let mut shared_secret = vec![0; MlKem::<P>::SHARED_SECRET];
    let m = m.try_into().expect("m has 32 bytes");
    MlKem::<P>::encapsulate_from(&mut shake(&[]), Sampling::Eager, m, public, &mut ciphertext, &mut shared_secret)
        .expect("lengths are right");
    Encapsulated { ciphertext, shared_secret }
}

/// Decapsulation with the standard functions and all checks.
pub(crate) fn decapsulate<K: Kem>(secret: &[u8], ciphertext: &[u8]) -> Vec<u8> {
    let mut shared_secret = vec![0; K::lengths().shared_secret];
    K::decapsulate(&mut shake(&[]), Sampling::Eager, secret, ciphertext, &mut shared_secret).expect("the key is right");
    shared_secret
}

/// A file of test vectors, which are kept beside the repository; `None`, with a word, when they are not there.
pub(crate) fn vectors(name: &str) -> Option<Value> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "shared", "vectors", name].iter().collect();
    let Ok(text) = std::fs::read_to_string(path) else {
        // Not by a macro: what those print is hidden when a test passes.
        writeln!(std::io::stderr(), "skipped: no vectors ({name})").expect("the standard error is there");
        return None;
    };
    Some(serde_json::from_str(&text).expect("vectors are JSON"))
}

/// The elements of an array.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("{name} is an array"))
}

/// A string.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is a string"))
}

/// Bytes in hexadecimal.
pub(crate) fn bytes(value: &Value, name: &str) -> Vec<u8> {
    hex::decode(text(value, name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A stream of test inputs: SHAKE256 of a label.
pub(crate) struct Inputs(AnyReader);

impl Inputs {
    pub(crate) fn new(label: &str) -> Self {
        Self(Any::Shake.reader(Role::Noise, &[label.as_bytes()]))
    }

    pub(crate) fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.0.read(&mut out);
        out
    }
}
