//! What this machine makes of the same requests: the same code, without firmware.

use kemprof_core::kem::{self, Visitor};
use kemprof_core::recorder::{Key, Node};
use kemprof_core::symmetric::Function;
use kemprof_core::{Any, Counter, Drng, Kem, Profiled, Recorder, Sampling, Symmetric};
use kemprof_protocol::{Backends, Digests, Operation, Profile, Randomness, Record, Subject};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The instances with the backends that they are published over.
pub(crate) fn published(instance: &'static str, sampling: Sampling) -> Subject {
    let backend = if instance.starts_with("lwekem") { Any::Placeholder } else { Any::Shake };
    Subject { instance, backends: Backends::of(backend), sampling }
}

/// Bytes in a fixed order.
struct Bytes(Vec<u8>);

impl Drng for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
    }

    fn function(&self) -> Function {
        Function { name: "bytes", permutation: "none", absorb_rate: 1, squeeze_rate: 1 }
    }

    fn permutations(&self, _out_bytes: usize) -> u64 {
        0
    }

    fn generate(&mut self, out: &mut [u8]) {
        let bytes: Vec<u8> = self.0.drain(..out.len()).collect();
        out.copy_from_slice(&bytes);
    }
}

/// Keys, a ciphertext and a secret.
struct Values([Vec<u8>; 4]);

impl Values {
    fn of<K: Kem>() -> Self {
        Self(
            [K::lengths().public_key, K::lengths().secret_key, K::lengths().ciphertext, K::lengths().shared_secret]
                .map(|bytes| vec![0; bytes]),
        )
    }

    fn run<K: Kem>(&mut self, operation: Operation, sym: &mut impl Symmetric, sampling: Sampling) {
        let Self([pk, sk, ct, ss]) = self;
        match operation {
            Operation::Keygen => K::keygen(sym, sampling, pk, sk),
            Operation::Enc => K::encapsulate(sym, sampling, pk, ct, ss),
            Operation::Dec => K::decapsulate(sym, sampling, sk, ct, ss),
        }
        .expect("the scheme accepts its own output");
    }

    fn digests(&self) -> Digests {
        let [pk, sk, ct, ss] = [0, 1, 2, 3].map(|value: usize| Sha256::digest(&self.0[value]).into());
        Digests { pk, sk, ct, ss, all: Sha256::digest(self.0.concat()).into() }
    }
}

/// Digests of the record.
pub(crate) fn digests(record: &Record) -> Digests {
    struct Make<'a>(&'a Record);
    impl Visitor for Make<'_> {
        type Output = Digests;
        fn visit<K: Kem>(self) -> Digests {
            let Record { subject, randomness } = self.0;
            let mut values = Values::of::<K>();
            let mut run = |sym: &mut dyn FnMut(Operation, &mut Values)| {
                sym(Operation::Keygen, &mut values);
                sym(Operation::Enc, &mut values);
            };
            match randomness {
                Randomness::Seed(seed) => {
                    let mut suite = subject.backends.suite(seed);
                    run(&mut |operation, values| values.run::<K>(operation, &mut suite, subject.sampling));
                }
                Randomness::Draws(draws) => {
                    let mut suite = subject.backends.suite_with(Bytes(draws.to_vec()));
                    run(&mut |operation, values| values.run::<K>(operation, &mut suite, subject.sampling));
                    assert!(suite.drng.0.is_empty(), "{} draws fewer bytes", K::name());
                }
            }
            values.digests()
        }
    }
    kem::visit(record.subject.instance, Make(record)).expect("is an instance")
}

struct Still;

impl Counter for Still {
    fn read(&mut self) -> u64 {
        0
    }
}

/// The recorder's rows of one operation.
pub(crate) fn rows(profile: &Profile) -> Vec<Node> {
    struct Run<'a>(&'a Profile);
    impl Visitor for Run<'_> {
        type Output = Vec<Node>;
        fn visit<K: Kem>(self) -> Vec<Node> {
            let Profile { subject: Subject { backends, sampling, .. }, operation, seed, .. } = self.0;
            let mut values = Values::of::<K>();
            let mut suite = backends.suite(seed);
            values.run::<K>(Operation::Keygen, &mut suite, *sampling);
            values.run::<K>(Operation::Enc, &mut suite, *sampling);
            let mut profiled = Profiled::new(backends.suite(seed), Recorder::new(Still));
            values.run::<K>(*operation, &mut profiled, *sampling);
            profiled.probe.nodes().to_vec()
        }
    }
    kem::visit(profile.subject.instance, Run(profile)).expect("is an instance")
}

/// What calls there are: by path, key and function, how many and how many bits of their output are used. Batches run together
/// here and not there, so it does not count what runs together.
pub(crate) fn calls(nodes: &[Node]) -> BTreeMap<String, (u64, u64)> {
    let path = |mut index: usize| {
        let mut path = String::new();
        while nodes[index].key != Key::Root {
            path = format!("{:?} {:?}; {path}", nodes[index].key, nodes[index].function.map(|function| function.name));
            index = nodes[index].parent();
        }
        path
    };
    nodes.iter().enumerate().map(|(index, node)| (path(index), (node.calls, node.used_bits))).collect()
}
