//! What is refused: wrong lengths, and keys that fail the checks of FIPS 203, section 7.

use crate::support::{decapsulate, shake};
use kemprof_core::kem::mlkem::{
    Kyber512, Kyber768, Kyber1024, MlKem, MlKem512, MlKem768, MlKem768Set, MlKem1024, ParameterSet,
};
use kemprof_core::kem::{Error, Part};
use kemprof_core::{Kem, Sampling};

const Q: u16 = 3329;

struct Pair {
    public: Vec<u8>,
    secret: Vec<u8>,
}

fn keygen<K: Kem>() -> Pair {
    let mut pair = Pair { public: vec![0; K::lengths().public_key], secret: vec![0; K::lengths().secret_key] };
    K::keygen(&mut shake(b"checks"), Sampling::Lazy, &mut pair.public, &mut pair.secret).expect("lengths are right");
    pair
}

fn encapsulate<K: Kem>(public: &[u8], ciphertext: &mut [u8], secret: &mut [u8]) -> Result<(), Error> {
    K::encapsulate(&mut shake(b"more"), Sampling::Lazy, public, ciphertext, secret)
}

/// Sets a coefficient of an encoded polynomial.
fn set(bytes: &mut [u8], index: usize, value: u16) {
    let group = &mut bytes[index / 2 * 3..][..3];
    let pair = u32::from_le_bytes([group[0], group[1], group[2], 0]);
    let shift = 12 * (index % 2);
    let pair = pair & !(0xfff << shift) | u32::from(value) << shift;
    group.copy_from_slice(&pair.to_le_bytes()[..3]);
}

fn refuses_unreduced<K: Kem>(k: usize) {
    let pair = keygen::<K>();
    let (mut ciphertext, mut secret) = (vec![0; K::lengths().ciphertext], vec![0; 32]);
    for index in (0..256 * k).step_by(37).chain([1, 255, 256 * k - 1]) {
        let mut public = pair.public.clone();
        set(&mut public, index, Q - 1);
        assert_eq!(encapsulate::<K>(&public, &mut ciphertext, &mut secret), Ok(()), "{} at {index}", K::name());
        for value in [Q, Q + 1, 4095] {
            set(&mut public, index, value);
            let refused = encapsulate::<K>(&public, &mut ciphertext, &mut secret);
            assert_eq!(refused, Err(Error::NotReduced), "{} with {value} at {index}", K::name());
        }
    }
}

#[test]
fn encapsulation_refuses_keys_that_are_not_reduced() {
    refuses_unreduced::<MlKem512>(2);
    refuses_unreduced::<MlKem768>(3);
    refuses_unreduced::<MlKem1024>(4);
}

#[test]
fn kyber_takes_keys_that_are_not_reduced() {
    let mut pair = keygen::<Kyber768>();
    set(&mut pair.public, 5, 4095);
    assert_eq!(encapsulate::<Kyber768>(&pair.public, &mut [0; 1088], &mut [0; 32]), Ok(()));
}

fn refuses_wrong_hash<K: Kem>() {
    let pair = keygen::<K>();
    let (mut ciphertext, mut secret, mut again) = (vec![0; K::lengths().ciphertext], vec![0; 32], vec![0; 32]);
    encapsulate::<K>(&pair.public, &mut ciphertext, &mut secret).expect("the key is right");
    assert_eq!(decapsulate::<K>(&pair.secret, &ciphertext), secret);
    let public_at = K::lengths().secret_key - 64 - K::lengths().public_key;
    let hash_at = K::lengths().secret_key - 64;
    for byte in [public_at, public_at + 100, hash_at - 1, hash_at, hash_at + 31] {
        let mut bad = pair.secret.clone();
        bad[byte] ^= 0x10;
        let refused = K::decapsulate(&mut shake(&[]), Sampling::Lazy, &bad, &ciphertext, &mut again);
        assert_eq!(refused, Err(Error::KeyHash), "{} with byte {byte} changed", K::name());
    }
}

#[test]
fn decapsulation_refuses_keys_with_a_wrong_hash() {
    refuses_wrong_hash::<MlKem512>();
    refuses_wrong_hash::<MlKem768>();
    refuses_wrong_hash::<MlKem1024>();
}

#[test]
fn unchecked_decapsulation_takes_them() {
    let pair = keygen::<MlKem768>();
    let mut bad = pair.secret.clone();
    bad[MlKem768::SECRET_KEY - 64] ^= 1;
    let mut secret = [0; 32];
    let taken = MlKem768::decapsulate_unchecked(&mut shake(&[]), Sampling::Lazy, &bad, &[0; 1088], &mut secret);
    assert_eq!(taken, Ok(()));
}

/// Every buffer of every operation, too short and too long.
fn refuses_lengths<K: Kem>() {
    let lengths =
        [K::lengths().public_key, K::lengths().secret_key, K::lengths().ciphertext, K::lengths().shared_secret];
    let parts = [Part::PublicKey, Part::SecretKey, Part::Ciphertext, Part::SharedSecret];
    let sym = &mut shake(b"lengths");
    for (which, (part, expected)) in parts.into_iter().zip(lengths).enumerate() {
        for got in [0, expected - 1, expected + 1] {
            let mut now = lengths;
            now[which] = got;
            let [mut public, mut secret, mut ciphertext, mut shared] = now.map(|bytes| vec![0; bytes]);
            let refused = Err(Error::Length { part, expected, got });
            let keygen = K::keygen(sym, Sampling::Lazy, &mut public, &mut secret);
            let enc = K::encapsulate(sym, Sampling::Lazy, &public, &mut ciphertext, &mut shared);
            let dec = K::decapsulate(sym, Sampling::Lazy, &secret, &ciphertext, &mut shared);
            let uses = match part {
                Part::PublicKey => [true, true, false],
                Part::SecretKey => [true, false, true],
                Part::Ciphertext | Part::SharedSecret => [false, true, true],
            };
            for (result, uses) in [keygen, enc, dec].into_iter().zip(uses) {
                assert_eq!(result == refused, uses, "{}: {part} of {got}: {result:?}", K::name());
            }
        }
    }
}

#[test]
fn wrong_lengths_are_errors() {
    refuses_lengths::<MlKem512>();
    refuses_lengths::<MlKem768>();
    refuses_lengths::<MlKem1024>();
    refuses_lengths::<Kyber512>();
    refuses_lengths::<Kyber768>();
    refuses_lengths::<Kyber1024>();
}

#[test]
fn sizes_are_those_of_the_standard() {
    fn sizes<K: Kem>() -> [usize; 4] {
        [K::lengths().public_key, K::lengths().secret_key, K::lengths().ciphertext, K::lengths().shared_secret]
    }
    // FIPS 203, section 8, table 3.
    assert_eq!(sizes::<MlKem512>(), [800, 1632, 768, 32]);
    assert_eq!(sizes::<MlKem768>(), [1184, 2400, 1088, 32]);
    assert_eq!(sizes::<MlKem1024>(), [1568, 3168, 1568, 32]);
    assert_eq!(sizes::<Kyber512>(), [800, 1632, 768, 32]);
    assert_eq!(sizes::<Kyber768>(), [1184, 2400, 1088, 32]);
    assert_eq!(sizes::<Kyber1024>(), [1568, 3168, 1568, 32]);
    assert_eq!((MlKem::<MlKem768Set>::NAME, MlKem768Set::K), ("ml-kem-768", 3));
}

#[test]
fn deterministic_operations_refuse_wrong_lengths() {
    let sym = &mut shake(&[]);
    let seed = &[0; 32];
    let keygen = MlKem512::keygen_from(sym, Sampling::Lazy, seed, seed, &mut [0; 799], &mut [0; 1632]);
    assert_eq!(keygen, Err(Error::Length { part: Part::PublicKey, expected: 800, got: 799 }));
    let enc = MlKem512::encapsulate_from(sym, Sampling::Lazy, seed, &[0; 800], &mut [0; 769], &mut [0; 32]);
    assert_eq!(enc, Err(Error::Length { part: Part::Ciphertext, expected: 768, got: 769 }));
    let dec = MlKem512::decapsulate_unchecked(sym, Sampling::Lazy, &[0; 1632], &[0; 768], &mut [0; 31]);
    assert_eq!(dec, Err(Error::Length { part: Part::SharedSecret, expected: 32, got: 31 }));
}
