//! The published digests of each instance's first record of known answers.

use kemprof_core::backend::Backend;
use kemprof_core::kem::{Visitor, visit};
use kemprof_core::symmetric::{Form, Function};
use kemprof_core::{Any, Drng, Kem, Sampling, Suite};
use sha2::{Digest, Sha256};

/// The seed that NIST's AES-256-CTR DRBG, instantiated with the bytes 0, 1, ..., 47, yields.
const SEED: &str = "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7056a8c266f9ef97ed08541dbd2e1ffa1";
/// The three requests for 32 bytes that it answers when instantiated with that.
const KYBER: &[&str] = &[
    "7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2d",
    "8626ed79d451140800e03b59b956f8210e556067407d13dc90fa9e8b872bfb8f",
    "147c03f7a5bebba406c8fae1874d7f13c80efe79a3a9a874cc09fe76f6997615",
];
/// The requests for 64 and for 32 bytes.
const ML_KEM: &[&str] = &[
    "7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a",
    "eb4a7c66ef4eba2ddb38c88d8bc706b1d639002198172a7b1942eca8f6c001ba",
];

/// A generator that has its answers ready, and panics when it is asked differently.
struct Script(std::slice::Iter<'static, &'static str>);

impl Drng for Script {
    fn name(&self) -> &'static str {
        "script"
    }

    fn function(&self) -> Function {
        Any::Shake.function(Form::Extendable, kemprof_core::Role::Entropy)
    }

    fn permutations(&self, _out_bytes: usize) -> u64 {
        0
    }

    fn generate(&mut self, out: &mut [u8]) {
        let answer = self.0.next().expect("a request that known answers do not make");
        hex::decode_to_slice(answer, out).expect("a request of another length than known answers make");
    }
}

struct Record;

impl Visitor for Record {
    type Output = String;

    /// The digest of the record in NIST's form.
    fn visit<K: Kem>(self) -> String {
        let script = if K::name().starts_with("kyber") { KYBER } else { ML_KEM };
        let mut sym =
            Suite { xof: Any::Shake, prf: Any::Shake, hash: Any::Shake, drng: Script(script.iter()), own: false };
        let (mut pk, mut sk) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
        let (mut ct, mut ss) = (vec![0; K::lengths().ciphertext], vec![0; K::lengths().shared_secret]);
        K::keygen(&mut sym, Sampling::Eager, &mut pk, &mut sk).expect("lengths are right");
        K::encapsulate(&mut sym, Sampling::Eager, &pk, &mut ct, &mut ss).expect("the key is right");
        let mut again = vec![0; K::lengths().shared_secret];
        K::decapsulate(&mut sym, Sampling::Eager, &sk, &ct, &mut again).expect("the key is right");
        assert_eq!(again, ss, "{} decapsulates what it encapsulated", K::name());
        let [pk, sk, ct, ss] = [pk, sk, ct, ss].map(hex::encode_upper);
        let seed = SEED.to_uppercase();
        let record = format!("count = 0\nseed = {seed}\npk = {pk}\nsk = {sk}\nct = {ct}\nss = {ss}\n");
        hex::encode(Sha256::digest(record))
    }
}

#[test]
fn first_records_have_the_published_digests() {
    for (instance, digest) in [
        ("kyber512", "bb0481d3325d828817900b709d23917cefbc10026fc857f098979451f67bb0ca"),
        ("kyber768", "89e82a5bf2d4ddb2c6444e10409e6d9ca65dafbca67d1a0db2c9b54920a29172"),
        ("kyber1024", "5afcf2a568ad32d49b55105b032af1850f03f3888ff9e2a72f4059c58e968f60"),
        ("ml-kem-512", "c70041a761e01cd6426fa60e9fd6a4412c2be817386c8d0f3334898082512782"),
        ("ml-kem-768", "5352539586b6c3df58be6158a6250aeff402bd73060b0a3de68850ac074c17c3"),
        ("ml-kem-1024", "f580d851e5fb27e6876e5e203fa18be4cdbfd49e05d48fec3d3992c8f43a13e6"),
    ] {
        assert_eq!(visit(instance, Record).as_deref(), Some(digest), "{instance}");
    }
}
