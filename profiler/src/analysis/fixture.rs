//! Small records made by hand.

use super::sample::rederive;
use crate::evidence::{CallRow, Evidence, PathTicks};
use serde_json::json;

/// Ten calls of one operation.
pub(crate) fn call(function: &str, role: &str, in_bits: u64, out_bits: u64, ticks: i64) -> CallRow {
    CallRow {
        function: function.to_owned(),
        role: role.to_owned(),
        in_bits,
        out_bits,
        used_bits: out_bits as f64,
        permutations: 1.0,
        permutation: "a-permutation".to_owned(),
        lanes: 1,
        calls: 10,
        ticks: Some(ticks),
        min: Some(ticks / 10),
        max: Some(ticks / 10),
        probe_ticks: None,
        interval: None,
        paths: vec![PathTicks { path: vec!["keygen".to_owned()], calls: 10, ticks: Some(ticks), trial_ticks: vec![] }],
    }
}

/// One operation of these calls and of phases by path with their own ticks, in three trials that took as long without probes.
pub(crate) fn record(calls: &[CallRow], phases: &[(&[&str], i64)]) -> Evidence {
    let total: i64 = calls.iter().filter_map(|call| call.ticks).chain(phases.iter().map(|phase| phase.1)).sum();
    let trial = json!({ "operations": 1, "ticks": total, "seconds": total as f64 * 1e-9 });
    let phase =
        |(path, ticks): &(&[&str], i64)| json!({ "path": path, "calls": 1, "ticks": ticks, "self_ticks": ticks });
    let record = json!({
        "schema": "kemprof/1", "instance": "lwekem256", "operation": "keygen", "sampling": "eager",
        "target": "a-target", "runner": "native",
        "backends": { "xof": "placeholder", "prf": "placeholder", "hash": "placeholder", "drng": "hash-drbg-sm3" },
        "counter": { "name": "tsc", "unit": "ticks", "hz": 1_000_000_000, "resolution": 1, "overhead_per_call": 0.0,
                     "meaningful": true },
        "environment": {}, "kat": "PASS", "seed": "00",
        "plan": { "trials": 3, "iterations_per_trial": 1, "warmups": 0 },
        "trials": [trial, trial, trial],
        "profiled": { "operations": 1, "ticks": total, "raw_ticks": total, "trials": [trial, trial, trial] },
        "probe_cost": null, "calls": calls, "phases": phases.iter().map(phase).collect::<Vec<_>>(),
        "sizes": { "pk": 1, "sk": 1, "ct": 1, "ss": 1 }, "memory": { "stack_peak": null, "static": null },
        "share": {}
    });
    let mut record: Evidence = serde_json::from_value(record).expect("is a record");
    rederive(&mut record);
    record
}
