//! Against the `ml-kem` crate, an independent implementation, on random inputs.

use crate::support::{Inputs, decapsulate, encapsulate_from, keygen_from};
use kemprof_core::kem::mlkem::{self, MlKem512Set, MlKem768Set, MlKem1024Set, ParameterSet};
use ml_kem::kem::{Decapsulate, KeyExport};

const ROUNDS: usize = 100;

/// Both make the same of the same randomness, each decapsulates what the other encapsulated, and both reject alike.
macro_rules! agrees {
    ($ours:ident, $theirs:ident) => {{
        let mut inputs = Inputs::new($ours::NAME);
        for _ in 0..ROUNDS {
            let (d, z, m) = (inputs.take::<32>(), inputs.take::<32>(), inputs.take::<32>());
            let keys = keygen_from::<$ours>(&d, &z);
            let their_key =
                ml_kem::DecapsulationKey::<ml_kem::$theirs>::from_seed([d, z].concat()[..].try_into().unwrap());
            assert_eq!(keys.public, their_key.encapsulation_key().to_bytes().to_vec());
            #[expect(deprecated, reason = "the expanded key is what FIPS 203 defines")]
            let their_secret = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&their_key);
            assert_eq!(keys.secret, their_secret.to_vec());

            let made = encapsulate_from::<$ours>(&keys.public, &m);
            let (ciphertext, shared_secret) = their_key.encapsulation_key().encapsulate_deterministic(&m.into());
            assert_eq!(made.ciphertext, ciphertext.to_vec());
            assert_eq!(made.shared_secret, shared_secret.to_vec());
            assert_eq!(decapsulate::<mlkem::MlKem<$ours>>(&keys.secret, &ciphertext), shared_secret.to_vec());
            assert_eq!(their_key.decapsulate(&made.ciphertext[..].try_into().unwrap()).to_vec(), made.shared_secret);

            let mut tampered = made.ciphertext.clone();
            let [low, high, bit] = inputs.take::<3>();
            let byte = usize::from(u16::from_le_bytes([low, high])) % tampered.len();
            tampered[byte] ^= 1 << (bit % 8);
            let rejected = decapsulate::<mlkem::MlKem<$ours>>(&keys.secret, &tampered);
            assert_ne!(rejected, made.shared_secret);
            assert_eq!(their_key.decapsulate(&tampered[..].try_into().unwrap()).to_vec(), rejected);
        }
    }};
}

#[test]
fn ml_kem_512_agrees() {
    agrees!(MlKem512Set, MlKem512);
}

#[test]
fn ml_kem_768_agrees() {
    agrees!(MlKem768Set, MlKem768);
}

#[test]
fn ml_kem_1024_agrees() {
    agrees!(MlKem1024Set, MlKem1024);
}
