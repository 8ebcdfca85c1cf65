//! Evidence made by hand, in numbers that are easy to reckon with.

use crate::evidence::{
    Backends, CallRow, CounterRecord, Derived, Evidence, Memory, Operation, PathTicks, PhaseRow, Plan, ProfiledRun,
    SCHEMA, Sizes, Trial,
};

fn path(names: &str) -> Vec<String> {
    names.split('/').map(str::to_owned).collect()
}

fn call(function: &str, role: &str, per_operation: u64, permutations: f64, parts: &[(&str, i64)]) -> CallRow {
    let calls = OPERATIONS * per_operation;
    let paths: Vec<PathTicks> = parts
        .iter()
        .map(|(names, ticks)| PathTicks {
            path: path(names),
            calls: calls / parts.len() as u64,
            ticks: Some(OPERATIONS as i64 * ticks),
            trial_ticks: vec![],
        })
        .collect();
    CallRow {
        function: function.to_owned(),
        role: role.to_owned(),
        in_bits: 280,
        out_bits: 256,
        used_bits: 256.0,
        permutations,
        permutation: "p".to_owned(),
        lanes: 1,
        calls,
        ticks: paths.iter().map(|part| part.ticks).sum(),
        min: Some(1),
        max: Some(9),
        probe_ticks: None,
        interval: None,
        paths,
    }
}

/// Operations of the profiled run.
const OPERATIONS: u64 = 10;

/// An encapsulation of 1000 ticks with probes, 900 without: matrix 600, noise 100, h 50, g 50, the generator 20; ntt 80 in
/// two places (50 and 30), sampling itself 60, the operation itself 40.
pub(super) fn evidence() -> Evidence {
    let calls = vec![
        call("pseudoXOF", "matrix", 20, 4.0, &[("enc/encrypt/sample_matrix", 600)]),
        call("pseudoXOF", "noise", 10, 1.0, &[("enc/encrypt", 100)]),
        call("pseudohash", "g", 1, 2.0, &[("enc", 50)]),
        call("pseudohash", "h", 1, 2.0, &[("enc", 50)]),
        call("drng", "entropy", 1, 1.0, &[("enc", 20)]),
    ];
    let phase = |names: &str, ticks: i64, self_ticks: i64| PhaseRow {
        path: path(names),
        calls: OPERATIONS,
        ticks: Some(OPERATIONS as i64 * ticks),
        self_ticks: Some(OPERATIONS as i64 * self_ticks),
        probe_ticks: None,
        interval: None,
        trial_ticks: vec![],
    };
    let phases = vec![
        phase("enc", 1000, 40),
        phase("enc/encrypt", 790, 0),
        phase("enc/encrypt/sample_matrix", 660, 60),
        phase("enc/encrypt/ntt", 30, 30),
        phase("enc/ntt", 50, 50),
    ];
    let trial = |ticks: u64| Trial::new(1, Some(ticks), Some(1e-6));
    let trials = vec![trial(900), trial(890), trial(930)];
    let profiled = ProfiledRun {
        operations: OPERATIONS,
        ticks: Some(OPERATIONS * 1000),
        raw_ticks: Some(OPERATIONS * 1010),
        ..ProfiledRun::default()
    };
    let derived = Derived::of(&trials, &profiled, &calls, &phases);
    Evidence {
        guest: None,
        schema: SCHEMA.to_owned(),
        instance: "lwekem256".to_owned(),
        operation: Operation::Enc,
        sampling: "eager".to_owned(),
        target: "x86_64-unknown-linux-gnu".to_owned(),
        runner: "native".to_owned(),
        backends: Backends {
            xof: "placeholder".to_owned(),
            prf: "placeholder".to_owned(),
            hash: "placeholder".to_owned(),
            drng: "hash-drbg-sm3".to_owned(),
            generator: Some("placeholder".to_owned()),
        },
        code: None,
        counter: CounterRecord {
            name: "tsc".to_owned(),
            unit: "ticks".to_owned(),
            hz: Some(2_445_000_000),
            resolution: Some(1),
            overhead_per_call: Some(34.0),
            meaningful: true,
            unavailable: None,
            refused: Default::default(),
        },
        environment: serde_json::json!({ "cpu_model": "one" }),
        warnings: vec![],
        kat: "PASS".to_owned(),
        kat_digest: None,
        seed: "00".to_owned(),
        plan: Plan { trials: 3, iterations_per_trial: 1, warmups: 0 },
        processes: 1,
        steadiness: Default::default(),
        trials,
        profiled,
        probe_cost: None,
        calls,
        phases,
        events: None,
        sizes: Sizes { pk: 1, sk: 1, ct: 1, ss: 1 },
        memory: Memory::default(),
        derived,
    }
}

/// The same, counted without a counter.
pub(super) fn without_ticks() -> Evidence {
    let mut evidence = evidence();
    for call in &mut evidence.calls {
        (call.ticks, call.min, call.max) = (None, None, None);
        call.paths.iter_mut().for_each(|part| part.ticks = None);
    }
    evidence.phases.iter_mut().for_each(|phase| (phase.ticks, phase.self_ticks) = (None, None));
    evidence.trials.iter_mut().for_each(|trial| trial.ticks = None);
    (evidence.profiled.ticks, evidence.profiled.raw_ticks) = (None, None);
    rederive(&mut evidence);
    evidence
}

/// Makes the derived figures follow again from the changed ones.
pub(super) fn rederive(evidence: &mut Evidence) {
    evidence.derived = Derived::of(&evidence.trials, &evidence.profiled, &evidence.calls, &evidence.phases);
}
