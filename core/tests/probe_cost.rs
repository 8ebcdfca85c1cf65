//! The share of symmetric functions, the probe's cost subtracted, against an independent measure.
//!
//! Both are counted by valgrind's callgrind, instruction by instruction. The independent measure knows no probe and no recorder: it
//! is what callgrind says that the functions of a suite take with all that they call (inclusive cost), in the same operations without
//! a probe.

#![allow(clippy::print_stdout, reason = "what runs under valgrind hands its share over, and figures are shown")]

mod counted;

use counted::{CASE, Callgrind, inclusive, under_callgrind};
use kemprof_core::backend::Backend;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::recorder::{Key, calibrate};
use kemprof_core::{Any, Kem, Profiled, Recorder, Sampling, Suite, Symmetric};
use std::hint::black_box;

/// Points by which the two may differ.
const TOLERANCE: f64 = 0.3;
/// Operations that are counted.
const OPERATIONS: usize = 2;

/// Instance, operation, backend and sampling. On the first of each pair the probe's cost was off by most when one cost stood for all
/// calls: up to 2.5 points.
const CASES: [[&str; 4]; 12] = [
    ["ml-kem-512", "keygen", "shake", "lazy"],
    ["lwekem128", "keygen", "placeholder", "lazy"],
    ["lwekem256", "keygen", "sm3", "lazy"],
    ["lwekem256", "keygen", "free", "lazy"],
    ["lwekem256", "keygen", "placeholder", "eager"],
    ["ml-kem-768", "dec", "shake", "eager"],
    ["ml-kem-1024", "enc", "turboshake", "lazy"],
    ["kyber512", "dec", "ascon", "eager"],
    ["lwekem512", "enc", "shake", "eager"],
    ["lwekem128", "dec", "free", "lazy"],
    ["kyber768", "keygen", "sm3", "lazy"],
    ["ml-kem-512", "enc", "free", "eager"],
];

/// The functions of a suite.
const FUNCTIONS: [&str; 6] = ["::entropy", "::hash", "::xof", "::xof_batch", "::open", "::squeeze"];

/// Runs a case in this process: with the recorder on callgrind's counts, or without anything but callgrind around it.
struct Run {
    operation: String,
    backend: Any,
    sampling: Sampling,
    probes: bool,
}

/// Keys, a ciphertext and a secret.
struct Values([Vec<u8>; 4]);

impl Run {
    fn suite(&self) -> Suite<Any> {
        Suite::of(self.backend, &[7; 48])
    }

    /// The operation, as the function that callgrind watches where there are no probes.
    #[inline(never)]
    fn counted<K: Kem, S: Symmetric>(&self, sym: &mut S, values: &mut Values) {
        self.operation::<K, S>(sym, values);
    }

    #[inline(always)]
    fn operation<K: Kem, S: Symmetric>(&self, sym: &mut S, values: &mut Values) {
        let [public_key, secret_key, ciphertext, shared_secret] = &mut values.0;
        let result = match self.operation.as_str() {
            "keygen" => K::keygen(sym, self.sampling, public_key, secret_key),
            "enc" => K::encapsulate(sym, self.sampling, public_key, ciphertext, shared_secret),
            _ => K::decapsulate(sym, self.sampling, secret_key, ciphertext, shared_secret),
        };
        result.expect("runs");
        black_box(values);
    }

    /// The share of all calls in percent: of instructions between the recorder's readings, less what the probe cost.
    fn share<K: Kem>(&self, values: &mut Values) -> f64 {
        let mut profiled = Profiled::new(self.suite(), Recorder::new(Callgrind::open()));
        // Rows are made before anything is counted.
        self.operation::<K, _>(&mut profiled, values);
        profiled.probe.forget_counts();
        profiled.inner = self.suite();
        (0..OPERATIONS).for_each(|_| self.operation::<K, _>(&mut profiled, values));
        calibrate(&mut profiled);
        let nodes = profiled.probe.nodes();
        let is_call = |key: Key| matches!(key, Key::Call(_));
        let symmetric: f64 =
            nodes.iter().filter(|node| is_call(node.key)).map(|node| node.ticks as f64 - node.cost_inside()).sum();
        let outermost = nodes.iter().filter(|node| node.key != Key::Root && node.parent() == 0);
        // The probe cost what is inside of any interval or around one, but for what is around the operation itself.
        let within =
            nodes.iter().filter(|node| node.parent() != 0).map(|node| node.cost_inside() + node.cost_outside());
        let all = outermost.map(|node| node.ticks as f64 - node.cost_inside()).sum::<f64>() - within.sum::<f64>();
        100.0 * symmetric / all
    }
}

impl Visitor for Run {
    type Output = ();

    fn visit<K: Kem>(self) {
        let lengths =
            [K::lengths().public_key, K::lengths().secret_key, K::lengths().ciphertext, K::lengths().shared_secret];
        let mut values = Values(lengths.map(|bytes| vec![0; bytes]));
        for operation in ["keygen", "enc"] {
            let run = Self { operation: operation.to_owned(), ..self };
            run.operation::<K, _>(&mut run.suite(), &mut values);
        }
        if self.probes {
            println!("share {}", self.share::<K>(&mut values));
        } else {
            let mut suite = self.suite();
            (0..OPERATIONS).for_each(|_| self.counted::<K, _>(&mut suite, &mut values));
        }
    }
}

/// What runs under valgrind: this program again, for one case.
#[test]
#[ignore = "it runs under valgrind alone, for the test below"]
fn case() {
    let Ok(case) = std::env::var(CASE) else { return };
    let [instance, operation, backend, sampling, probes] = case.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{case:?} is no case");
    };
    let backend = *Any::ALL.iter().find(|any| any.name() == backend).expect("is a backend");
    let sampling = if sampling == "lazy" { Sampling::Lazy } else { Sampling::Eager };
    let run = Run { operation: operation.to_owned(), backend, sampling, probes: probes == "probes" };
    kem::visit(instance, run).expect("is an instance");
}

#[test]
fn shares_are_those_of_a_program_without_probes() {
    let mut wrong = Vec::new();
    for case in CASES {
        let name = case.join(" ");
        let Some((said, _)) = under_callgrind(&format!("{name} probes"), None) else { return };
        let (_, profile) = under_callgrind(&format!("{name} bare"), Some("*Run*::counted*")).expect("it ran before");
        let got: f64 = said.lines().find_map(|line| line.split_once("share ")?.1.parse().ok()).expect("prints a share");
        let functions =
            inclusive(&profile, |name| name.contains("Suite<") && FUNCTIONS.iter().any(|end| name.ends_with(end)));
        let all = inclusive(&profile, |name| name.contains("::counted"));
        let want = 100.0 * functions as f64 / all as f64;
        println!("{name}: {got:.2} % with the probe's cost subtracted, {want:.2} % without probes, {:+.2}", got - want);
        if (got - want).abs() > TOLERANCE {
            wrong.push(format!("{name}: {got:.2} %, {want:.2} % without probes"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
