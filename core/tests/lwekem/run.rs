//! One instance at a time, on buffers that fit it.

use kemprof_core::kem::{INSTANCES, Visitor, visit};
use kemprof_core::{Kem, Sampling, Symmetric};

/// The instances of this scheme.
pub(crate) fn instances() -> impl Iterator<Item = &'static str> {
    let instances: Vec<_> = INSTANCES.iter().copied().filter(|name| name.starts_with("lwekem")).collect();
    assert_eq!(instances, ["lwekem128", "lwekem256", "lwekem512"]);
    instances.into_iter()
}

/// Does `visitor` for the instance of this name.
pub(crate) fn with<V: Visitor>(name: &str, visitor: V) -> V::Output {
    visit(name, visitor).expect("a registered instance")
}

/// A key pair: public, then secret.
pub(crate) fn keygen<K: Kem>(sym: &mut impl Symmetric, sampling: Sampling) -> (Vec<u8>, Vec<u8>) {
    let (mut public_key, mut secret_key) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
    K::keygen(sym, sampling, &mut public_key, &mut secret_key).expect("right lengths");
    (public_key, secret_key)
}

/// A ciphertext and its shared secret.
pub(crate) fn encapsulate<K: Kem>(
    sym: &mut impl Symmetric,
    sampling: Sampling,
    public_key: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let (mut ciphertext, mut secret) = (vec![0; K::lengths().ciphertext], vec![0; K::lengths().shared_secret]);
    K::encapsulate(sym, sampling, public_key, &mut ciphertext, &mut secret).expect("right lengths");
    (ciphertext, secret)
}

/// The shared secret of a ciphertext.
pub(crate) fn decapsulate<K: Kem>(
    sym: &mut impl Symmetric,
    sampling: Sampling,
    key: &[u8],
    ciphertext: &[u8],
) -> Vec<u8> {
    let mut secret = vec![0; K::lengths().shared_secret];
    K::decapsulate(sym, sampling, key, ciphertext, &mut secret).expect("right lengths");
    secret
}
