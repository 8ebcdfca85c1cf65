//! The symmetric calls and the phases of each operation, as a recorder sees them.

use kemprof_core::backend::{Any, Backend};
use kemprof_core::kem::{Visitor, visit};
use kemprof_core::recorder::{Key, Node};
use kemprof_core::symmetric::{Phase, Role};
use kemprof_core::{Counter, Kem, Profiled, Reader, Recorder, Sampling, Suite, Symmetric};
use std::collections::BTreeMap;

/// A clock that counts how often it is read.
struct Readings(u64);

impl Counter for Readings {
    fn read(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

/// Function, role, bytes in and bytes out: how many calls.
type Calls = BTreeMap<(&'static str, Role, u32, u32), u64>;

/// What one operation did.
struct Operation {
    calls: Calls,
    /// Nodes of the matrix's calls.
    matrix: Vec<Node>,
    /// Names of phases, each after those that it is in.
    phases: Vec<String>,
}

impl Operation {
    fn of(recorder: &Recorder<Readings>) -> Self {
        assert_eq!(recorder.lost(), 0);
        let nodes = recorder.nodes();
        let mut operation = Self { calls: Calls::new(), matrix: Vec::new(), phases: Vec::new() };
        for node in nodes {
            match node.key {
                Key::Root => {}
                Key::Phase(_) => operation.phases.push(path(nodes, node)),
                Key::Call(key) if key.role == Role::Matrix => operation.matrix.push(*node),
                Key::Call(key) => {
                    let function = node.function.expect("a call has a function").name;
                    assert_eq!(node.used_bits, node.calls * 8 * u64::from(key.out_bytes), "all is used");
                    *operation.calls.entry((function, key.role, key.in_bytes, key.out_bytes)).or_default() +=
                        node.calls;
                }
            }
        }
        operation.phases.sort();
        operation
    }

    fn calls(&self) -> Vec<(&'static str, Role, u32, u32, u64)> {
        self.calls.iter().map(|(&(function, role, bytes, out), &calls)| (function, role, bytes, out, calls)).collect()
    }

    fn matrix_calls(&self) -> u64 {
        self.matrix.iter().map(|node| node.calls).sum()
    }
}

fn path(nodes: &[Node], node: &Node) -> String {
    let parent = &nodes[node.parent()];
    match (parent.key, node.key) {
        (Key::Root, Key::Phase(phase)) => phase.to_string(),
        (Key::Phase(_), Key::Phase(phase)) => format!("{} {phase}", path(nodes, parent)),
        other => panic!("a phase under {other:?}"),
    }
}

/// Profiles the three operations; the encapsulation key is handed out, too.
struct Operations(Any, Sampling);

impl Visitor for Operations {
    type Output = (Vec<u8>, [Operation; 3]);

    fn visit<K: Kem>(self) -> Self::Output {
        let Self(backend, sampling) = self;
        let sym = &mut Profiled::new(Suite::of(backend, b"profile"), Recorder::new(Readings(0)));
        let (mut pk, mut sk) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
        let (mut ct, mut ss) = (vec![0; K::lengths().ciphertext], vec![0; K::lengths().shared_secret]);
        K::keygen(sym, sampling, &mut pk, &mut sk).expect("lengths are right");
        let keygen = Operation::of(&sym.probe);
        sym.probe.reset();
        K::encapsulate(sym, sampling, &pk, &mut ct, &mut ss).expect("the key is right");
        let enc = Operation::of(&sym.probe);
        sym.probe.reset();
        K::decapsulate(sym, sampling, &sk, &ct, &mut ss).expect("the key is right");
        (pk, [keygen, enc, Operation::of(&sym.probe)])
    }
}

fn profile(instance: &str, backend: Any, sampling: Sampling) -> (Vec<u8>, [Operation; 3]) {
    visit(instance, Operations(backend, sampling)).expect("a registered instance")
}

#[test]
fn ml_kem_768_makes_the_calls_of_fips_203() {
    let (_, [keygen, enc, dec]) = profile("ml-kem-768", Any::Shake, Sampling::Eager);
    assert_eq!(
        keygen.calls(),
        [
            ("drng", Role::Entropy, 0, 64, 1),
            ("sha3_256", Role::H, 1184, 32, 1),
            ("sha3_512", Role::G, 33, 64, 1),
            ("shake256", Role::Noise, 33, 128, 6),
        ]
    );
    assert_eq!(
        enc.calls(),
        [
            ("drng", Role::Entropy, 0, 32, 1),
            ("sha3_256", Role::H, 1184, 32, 1),
            ("sha3_512", Role::G, 64, 64, 1),
            ("shake256", Role::Noise, 33, 128, 7),
        ]
    );
    assert_eq!(
        dec.calls(),
        [
            ("sha3_256", Role::H, 1184, 32, 1),
            ("sha3_512", Role::G, 64, 64, 1),
            ("shake256", Role::Noise, 33, 128, 7),
            ("shake256", Role::J, 32 + 1088, 32, 1),
        ]
    );
    for operation in [keygen, enc, dec] {
        assert_eq!(operation.matrix_calls(), 9);
        assert!(operation.matrix.iter().all(|node| node.function.is_some_and(|function| function.name == "shake128")));
    }
}

#[test]
fn kyber768_makes_the_calls_of_round_3() {
    let (_, [keygen, enc, dec]) = profile("kyber768", Any::Placeholder, Sampling::Eager);
    assert_eq!(
        keygen.calls(),
        [
            ("drng", Role::Entropy, 0, 32, 2),
            ("pseudoXOF", Role::Noise, 33, 128, 6),
            ("pseudohash", Role::G, 32, 64, 1),
            ("sm3hash", Role::H, 1184, 32, 1),
        ]
    );
    assert_eq!(
        enc.calls(),
        [
            ("drng", Role::Entropy, 0, 32, 1),
            ("pseudoXOF", Role::Noise, 33, 128, 7),
            ("pseudoXOF", Role::Kdf, 64, 32, 1),
            ("pseudohash", Role::G, 64, 64, 1),
            ("sm3hash", Role::H, 32, 32, 1),
            ("sm3hash", Role::H, 1088, 32, 1),
            ("sm3hash", Role::H, 1184, 32, 1),
        ]
    );
    assert_eq!(
        dec.calls(),
        [
            ("pseudoXOF", Role::Noise, 33, 128, 7),
            ("pseudoXOF", Role::Kdf, 64, 32, 1),
            ("pseudohash", Role::G, 64, 64, 1),
            ("sm3hash", Role::H, 1088, 32, 1),
        ]
    );
}

#[test]
fn the_smallest_sets_have_two_distributions() {
    let noise = |operation: &Operation| -> Vec<_> {
        operation.calls().into_iter().filter(|call| call.1 == Role::Noise).map(|call| (call.3, call.4)).collect()
    };
    for instance in ["ml-kem-512", "kyber512"] {
        let (_, [keygen, enc, dec]) = profile(instance, Any::Shake, Sampling::Lazy);
        assert_eq!(noise(&keygen), [(192, 4)]);
        assert_eq!(noise(&enc), [(128, 3), (192, 2)]);
        assert_eq!(noise(&dec), [(128, 3), (192, 2)]);
        assert_eq!([keygen, enc, dec].map(|operation| operation.matrix_calls()), [4; 3]);
    }
}

/// The bits that sampling the whole matrix consumes, by the definition (FIPS 203, algorithm 7).
fn consumed_bits(backend: Any, seed: &[u8], k: u8) -> u64 {
    let mut groups = 0;
    for (row, column) in (0..k).flat_map(|row| (0..k).map(move |column| (row, column))) {
        let mut reader = backend.reader(Role::Matrix, &[seed, &[column, row]]);
        let mut coefficients = 0;
        while coefficients < 256 {
            let mut group = [0; 3];
            reader.read(&mut group);
            let [a, b, c] = group.map(u16::from);
            coefficients += usize::from(a + (b % 16) * 256 < 3329) + usize::from(b / 16 + c * 16 < 3329);
            groups += 1;
        }
    }
    24 * groups
}

#[test]
fn used_bits_are_what_rejection_sampling_consumes() {
    for (instance, k) in [("ml-kem-512", 2), ("ml-kem-768", 3), ("ml-kem-1024", 4)] {
        for &backend in Any::ALL {
            for sampling in [Sampling::Eager, Sampling::Lazy] {
                let (pk, operations) = profile(instance, backend, sampling);
                let want = consumed_bits(backend, &pk[pk.len() - 32..], k);
                for operation in &operations {
                    let used: u64 = operation.matrix.iter().map(|node| node.used_bits).sum();
                    assert_eq!(used, want, "{instance} over {backend:?}, {sampling:?}");
                }
            }
        }
    }
}

#[test]
fn eager_squeezes_what_the_reference_does_and_lazy_no_block_too_many() {
    for &backend in Any::ALL {
        let block = Suite::of(backend, &[]).squeeze_block(Role::Matrix) as u64;
        let (_, eager) = profile("ml-kem-1024", backend, Sampling::Eager);
        let (_, lazy) = profile("ml-kem-1024", backend, Sampling::Lazy);
        let nodes = |operations: [Operation; 3]| operations.into_iter().flat_map(|operation| operation.matrix);
        for node in nodes(eager) {
            let Key::Call(key) = node.key else { unreachable!("matrix rows are calls") };
            assert!(key.in_bytes == 34 && key.out_bytes >= 504 && key.out_bytes % 168 == 0, "{key:?}");
        }
        for node in nodes(lazy) {
            let Key::Call(key) = node.key else { unreachable!("matrix rows are calls") };
            let unused = 8 * u64::from(key.out_bytes) * node.calls - node.used_bits;
            assert!(key.in_bytes == 34 && unused < 8 * block * node.calls, "{key:?} over {backend:?}");
        }
    }
}

#[test]
fn phases_are_those_of_the_scheme() {
    let (_, [keygen, enc, dec]) = profile("ml-kem-768", Any::Shake, Sampling::Eager);
    let under = |parent: &str, children: &[&str]| -> Vec<String> {
        let children = children.iter().map(|child| format!("{parent} {child}"));
        std::iter::once(parent.to_owned()).chain(children).collect()
    };
    let encrypt = ["decode", "encode", "encode_message", "intt", "matvec", "ntt", "sample_matrix", "sample_noise"];
    let decrypt = ["decode", "decode_message", "intt", "matvec", "ntt"];
    assert_eq!(keygen.phases, under("keygen", &["encode", "matvec", "ntt", "sample_matrix", "sample_noise"]));
    let want = [vec!["enc".to_owned()], under("enc encrypt", &encrypt), vec!["enc validate".to_owned()]].concat();
    assert_eq!(enc.phases, want);
    let parts = [
        vec!["dec".to_owned(), "dec compare".to_owned()],
        under("dec decrypt", &decrypt),
        under("dec encrypt", &encrypt),
        vec!["dec validate".to_owned()],
    ];
    assert_eq!(dec.phases, parts.concat());
    let (_, kyber) = profile("kyber768", Any::Shake, Sampling::Eager);
    assert!(kyber.iter().flat_map(|operation| &operation.phases).all(|path| !path.contains(Phase::Validate.name())));
}
