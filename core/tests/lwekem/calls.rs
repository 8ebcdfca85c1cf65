//! The symmetric calls of each operation, as a recorder sees them.

use crate::run::{decapsulate, encapsulate, keygen, with};
use kemprof_core::backend::Any;
use kemprof_core::kem::Visitor;
use kemprof_core::recorder::{Key, Node};
use kemprof_core::symmetric::{Form, Phase};
use kemprof_core::{Counter, Kem, Profiled, Recorder, Role, Sampling, Suite};

/// A clock that counts how often it is read.
struct Readings(u64);

impl Counter for Readings {
    fn read(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

/// Calls that are alike: role, bytes in, bytes out, how many, bits used of all, permutations of all.
type Row = (Role, u32, u32, u64, u64, u64);

/// What one operation did: its calls, and its phases with their parents.
#[derive(Debug)]
struct Operation {
    rows: Vec<Row>,
    phases: Vec<(Phase, Option<Phase>)>,
}

impl Operation {
    fn of(recorder: &Recorder<Readings>) -> Self {
        assert_eq!(recorder.lost(), 0);
        let nodes = recorder.nodes();
        let phase = |node: &Node| match node.key {
            Key::Phase(phase) => Some(phase),
            Key::Root | Key::Call(_) => None,
        };
        let mut rows: Vec<Row> = Vec::new();
        for node in nodes {
            let Key::Call(key) = node.key else { continue };
            let name = node.function.expect("a call has a function").name;
            assert_eq!(name, if key.form == Form::Generator { "drng" } else { "pseudoXOF" });
            let same = |row: &&mut Row| (row.0, row.1, row.2) == (key.role, key.in_bytes, key.out_bytes);
            match rows.iter_mut().find(same) {
                Some(row) => {
                    *row = (row.0, row.1, row.2, row.3 + node.calls, row.4 + node.used_bits, row.5 + node.permutations);
                }
                None => {
                    rows.push((key.role, key.in_bytes, key.out_bytes, node.calls, node.used_bits, node.permutations));
                }
            }
        }
        rows.sort_unstable();
        let phases = nodes.iter().filter_map(|node| Some((phase(node)?, phase(&nodes[node.parent()])))).collect();
        Self { rows, phases }
    }

    /// Rows without the matrix, used bits and permutations.
    fn others(&self) -> Vec<(Role, u32, u32, u64)> {
        let others = self.rows.iter().filter(|row| row.0 != Role::Matrix);
        others
            .inspect(|row| assert_eq!(row.4, 8 * u64::from(row.2) * row.3, "all is used"))
            .map(|row| (row.0, row.1, row.2, row.3))
            .collect()
    }

    fn matrix(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.0 == Role::Matrix)
    }
}

struct Operations(Sampling);

impl Visitor for Operations {
    type Output = [Operation; 3];

    fn visit<K: Kem>(self) -> [Operation; 3] {
        let Self(sampling) = self;
        let mut sym = Profiled::new(Suite::of(Any::Placeholder, b"calls"), Recorder::new(Readings(0)));
        let (public_key, secret_key) = keygen::<K>(&mut sym, sampling);
        let of_keygen = Operation::of(&sym.probe);
        sym.probe.reset();
        let (ciphertext, secret) = encapsulate::<K>(&mut sym, sampling, &public_key);
        let of_encapsulation = Operation::of(&sym.probe);
        sym.probe.reset();
        assert_eq!(decapsulate::<K>(&mut sym, sampling, &secret_key, &ciphertext), secret);
        // What is watched is what is not.
        let mut unwatched = Suite::of(Any::Placeholder, b"calls");
        assert!(keygen::<K>(&mut unwatched, sampling) == (public_key, secret_key));
        [of_keygen, of_encapsulation, Operation::of(&sym.probe)]
    }
}

/// The sizes of an instance in bytes, and of its vectors.
struct Sizes {
    name: &'static str,
    l: u32,
    seed: u32,
    noise: u32,
    matrix: u32,
    public_key: u32,
    ciphertext: u32,
    /// Bits that filling a polynomial takes on average: N · 2^LOG_Q / q candidates of LOG_Q bits.
    expected_bits: f64,
}

const SIZES: [Sizes; 3] = [
    Sizes {
        name: "lwekem128",
        l: 9,
        seed: 16,
        noise: 32,
        matrix: 768,
        public_key: 880,
        ciphertext: 912,
        expected_bits: 64.0 * 4096.0 / 3329.0 * 12.0,
    },
    Sizes {
        name: "lwekem256",
        l: 9,
        seed: 32,
        noise: 32,
        matrix: 1536,
        public_key: 1760,
        ciphertext: 1728,
        expected_bits: 128.0 * 4096.0 / 3329.0 * 12.0,
    },
    Sizes {
        name: "lwekem512",
        l: 8,
        seed: 64,
        noise: 128,
        matrix: 3328,
        public_key: 3392,
        ciphertext: 3552,
        expected_bits: 256.0 * 8192.0 / 7681.0 * 13.0,
    },
];

/// What the executable model of the submission calls, besides the matrix.
fn expected(sizes: &Sizes) -> [Vec<(Role, u32, u32, u64)>; 3] {
    let &Sizes { l, seed, noise, public_key, ciphertext, .. } = sizes;
    let noises = |count: u32| (Role::Noise, seed + 1, noise, u64::from(count));
    let h = (Role::H, public_key, seed, 1);
    let derive = (Role::G, 2 * seed, 2 * seed, 1);
    let mut expected = [
        vec![noises(2 * l), h, (Role::G, seed, 2 * seed, 1), (Role::Entropy, 0, seed, 2)],
        vec![noises(2 * l + 1), h, derive, (Role::Entropy, 0, seed, 1)],
        vec![noises(2 * l + 1), derive, (Role::J, ciphertext + seed, seed, 1)],
    ];
    expected.iter_mut().for_each(|rows| rows.sort_unstable());
    expected
}

#[test]
fn eager_operations_call_what_the_submission_calls() {
    for sizes in &SIZES {
        for (operation, expected) in with(sizes.name, Operations(Sampling::Eager)).iter().zip(expected(sizes)) {
            assert_eq!(operation.others(), expected, "{}", sizes.name);
            let matrix: Vec<_> = operation.matrix().collect();
            let [&(_, in_bytes, out_bytes, calls, used_bits, permutations)] = matrix[..] else {
                panic!("{}: matrix calls are alike, not {matrix:?}", sizes.name);
            };
            assert_eq!((in_bytes, out_bytes), (sizes.seed + 3, sizes.matrix));
            assert_eq!(calls, u64::from(sizes.l * sizes.l));
            // Message, counter and padding of lwekem512 take two blocks.
            let blocks = if sizes.seed == 64 { 2 } else { 1 };
            assert_eq!(permutations, calls * u64::from(sizes.matrix / 32) * blocks);
            let mean = used_bits as f64 / calls as f64;
            assert!((mean / sizes.expected_bits - 1.0).abs() < 0.02, "{}: {mean} bits used", sizes.name);
        }
    }
}

#[test]
fn lazy_operations_squeeze_little_more_than_they_use() {
    for sizes in &SIZES {
        let [eager, lazy] = [Sampling::Eager, Sampling::Lazy].map(|sampling| with(sizes.name, Operations(sampling)));
        for (eager, lazy) in eager.iter().zip(&lazy) {
            assert_eq!(eager.others(), lazy.others());
            assert_eq!(eager.phases, lazy.phases);
            let used = |operation: &Operation| operation.matrix().map(|row| row.4).sum::<u64>();
            assert_eq!(used(eager), used(lazy), "laziness changes what is squeezed, not what is used");
            let calls: u64 = lazy.matrix().map(|row| row.3).sum();
            assert_eq!(calls, u64::from(sizes.l * sizes.l));
            let squeezed: u64 = lazy.matrix().map(|row| u64::from(row.2) * row.3).sum();
            assert!(8 * squeezed < used(lazy) + calls * 8 * 40, "{}: {squeezed} bytes squeezed", sizes.name);
            assert!(lazy.matrix().all(|row| row.2.is_multiple_of(32)), "whole blocks");
        }
    }
}

#[test]
fn phases_nest_as_the_scheme_does() {
    for operations in SIZES.map(|sizes| with(sizes.name, Operations(Sampling::Lazy))) {
        for (operation, root) in operations.iter().zip([Phase::Keygen, Phase::Enc, Phase::Dec]) {
            let parents =
                |phase| operation.phases.iter().filter(move |row| row.0 == phase).map(|row| row.1).collect::<Vec<_>>();
            assert_eq!(parents(root), [None]);
            let sampling_under = if root == Phase::Keygen { Phase::Keygen } else { Phase::Encrypt };
            assert_eq!(parents(Phase::SampleMatrix), [Some(sampling_under)]);
            assert_eq!(parents(Phase::SampleNoise), [Some(sampling_under)]);
            assert_eq!(parents(Phase::Decrypt).len(), usize::from(root == Phase::Dec));
            assert_eq!(parents(Phase::Compare).len(), usize::from(root == Phase::Dec));
        }
    }
}
