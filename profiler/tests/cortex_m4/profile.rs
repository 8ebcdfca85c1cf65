use crate::common::{self, folder, utf8};
use crate::support::{can_build, on_m4, profile};
use kemprof::evidence::{self, Evidence};
use std::collections::BTreeMap;
use std::fs;

/// Calls of one operation, by function, role and lengths.
fn calls(record: &Evidence) -> BTreeMap<(String, String, u64, u64), u64> {
    let row = |row: &evidence::CallRow| {
        let key = (row.function.clone(), row.role.clone(), row.in_bits, row.out_bits);
        (key, row.calls / record.profiled.operations)
    };
    record.calls.iter().map(row).collect()
}

#[test]
fn parts_sum_to_the_total_and_calls_are_the_hosts() {
    if !can_build() {
        return;
    }
    for (instance, hash) in [("ml-kem-768", "shake"), ("lwekem256", "placeholder")] {
        let here = common::profile("all", instance, &["--hash", hash, "--counter", "none"]).0;
        let there = profile("all", instance, &["--hash", hash]);
        assert_eq!((here.len(), there.len()), (3, 3));
        for (here, there) in here.iter().zip(&there) {
            assert_eq!(evidence::violations(there), []);
            assert_eq!(calls(there), calls(here), "{instance} {}", here.operation);
            let total = there.profiled.ticks.expect("DWT counts");
            let parts: i64 = there.calls.iter().map(|row| row.ticks.expect("ticks")).sum::<i64>()
                + there.phases.iter().map(|row| row.self_ticks.expect("ticks")).sum::<i64>();
            assert_eq!(u64::try_from(parts), Ok(total));
            let counter = &there.counter;
            assert_eq!((counter.name.as_str(), counter.unit.as_str(), counter.hz), ("dwt", "cycles", None));
            assert!(counter.meaningful && counter.resolution == Some(1));
            assert_eq!((there.target.as_str(), there.runner.as_str()), ("thumbv7em-none-eabihf", "m4sim"));
            assert_eq!((there.kat.as_str(), &there.kat_digest), ("PASS", &here.kat_digest));
            // Of a microcontroller: kilobytes.
            assert!((1_000..100_000).contains(&there.memory.stack_peak.expect("is painted")), "{:?}", there.memory);
            assert_eq!(there.memory.static_bytes, None, "the firmware is not the algorithm");
        }
    }
}

#[test]
fn lazy_sampling_asks_for_the_same_as_on_the_host() {
    if !can_build() {
        return;
    }
    let extra = ["--hash", "sm3", "--sampling", "lazy"];
    let here = &common::profile("keygen", "lwekem128", &[&extra[..], &["--counter", "none"]].concat()).0[0];
    let there = &profile("keygen", "lwekem128", &extra)[0];
    let by_role = |record: &Evidence| {
        let mut sums = BTreeMap::new();
        for ((function, role, ..), calls) in calls(record) {
            *sums.entry((function, role)).or_insert(0) += calls;
        }
        sums
    };
    assert_eq!(by_role(there), by_role(here));
}

#[test]
fn two_runs_differ_in_times_of_day_alone() {
    if !can_build() {
        return;
    }
    let run = || {
        let mut records = profile("keygen", "ml-kem-512", &["--hash", "shake", "--trials", "2"]);
        let mut record = records.pop().expect("one");
        for (field, value) in record.environment.as_object_mut().expect("an object") {
            if field.ends_with("_utc") || field == "command" {
                *value = serde_json::Value::Null;
            }
        }
        serde_json::to_string_pretty(&record).expect("is JSON")
    };
    assert_eq!(run(), run());
}

#[test]
fn nothing_of_the_hosts_time_is_in_evidence() {
    if !can_build() {
        return;
    }
    let record = &profile("keygen", "ml-kem-512", &["--hash", "shake"])[0];
    assert!(record.trials.iter().chain(&record.profiled.trials).all(|trial| trial.seconds.is_none()));
    assert_eq!((record.derived.seconds_per_operation, record.derived.operations_per_second), (None, None));
    let ticks: Vec<_> = record.trials.iter().map(|trial| trial.ticks).collect();
    assert_eq!(ticks, vec![ticks[0]; 3], "every trial is the same");
    // With a rate, time is cycles over it.
    let record = &profile("keygen", "ml-kem-512", &["--hash", "shake", "--clock", "100MHz"])[0];
    assert_eq!(record.counter.hz, Some(100_000_000));
    let trial = &record.trials[0];
    let seconds = trial.ticks.expect("counts") as f64 / 1e8;
    assert!((trial.seconds.expect("has a rate") / seconds - 1.0).abs() < 1e-9);
    assert!(record.warnings.iter().any(|warning| warning.contains("wait states of the flash are not in it")));
}

#[test]
fn the_firmware_says_how_it_was_compiled_and_which_code_it_has() {
    if !can_build() {
        return;
    }
    let record = profile("keygen", "lwekem128", &["--hash", "sm3", "--xof", "ascon", "--trials", "1"]).remove(0);
    let build = &record.environment["build"];
    assert_eq!((&build["opt_level"], &build["target"]), (&"3".into(), &record.target.clone().into()));
    assert!(build["flags"].is_array(), "{build}");
    assert!(record.environment["compiler"].as_str().is_some_and(|text| text.starts_with("rustc ")));
    let code = record.code.expect("is recorded");
    assert_eq!((code["xof"].as_str(), code["prf"].as_str()), ("portable", "armv7em"));
}

#[test]
fn a_simulated_clock_tree_gives_the_rate_of_its_setting() {
    if !can_build() {
        return;
    }
    let run = |extra: &[&str]| {
        let args = ["--hash", "shake", "--trials", "1", "--board", "nucleo-f446ze", "--clock"];
        profile("keygen", "ml-kem-512", &[&args[..], extra].concat()).remove(0)
    };
    for (setting, hz, advised) in [("full", 180_000_000, true), ("zero-wait", 24_000_000, false)] {
        let record = run(&[setting]);
        assert_eq!((record.counter.hz, &record.environment["clock"]), (Some(hz), &setting.into()));
        assert_eq!(record.environment["clock_hz"], hz);
        let told = record.warnings.iter().any(|warning| warning.contains("simulate with --wait-states 5"));
        assert_eq!(told, advised, "{:?}", record.warnings);
    }
    let simulated = run(&["full", "--wait-states", "5"]);
    assert!(!simulated.warnings.iter().any(|warning| warning.contains("--wait-states")), "{:?}", simulated.warnings);
}

#[test]
fn the_heading_names_processor_counter_and_wait_states() {
    if !can_build() {
        return;
    }
    let out = folder();
    let args = ["keygen", "ml-kem-512", "--hash", "shake", "--out", utf8(out.path())];
    let text = on_m4(&args);
    let first = text.lines().next().expect("a heading");
    assert!(first.ends_with("Cortex-M4, DWT cycles (m4sim, 0 wait states)"), "{first}");
    let lines = text.lines().filter(|line| line.trim_start().starts_with("total ")).count();
    assert_eq!(lines, 1, "{text}");
}

#[test]
fn every_instruction_is_charged_to_its_function_under_its_phase() {
    if !can_build() {
        return;
    }
    let out = folder();
    let args = ["keygen", "ml-kem-512", "--hash", "shake", "--profile", "instructions", "--out", utf8(out.path())];
    let text = on_m4(&args);
    assert!(text.contains("by instructions") && text.contains("keccak"), "{text}");
    // With lines of this project's sources, and of no one's folders.
    assert!(text.contains("hottest line") && text.contains(" kem/mlkem/") && text.contains(".rs:"), "{text}");
    let stem = "ml-kem-512-keygen-shake-cortex-m4";
    let record = evidence::read(&out.path().join(format!("{stem}.json"))).expect("was written");
    let folded = fs::read_to_string(out.path().join(format!("{stem}.instructions.folded"))).expect("was written");
    let stacks: Vec<(&str, u64)> = folded
        .lines()
        .map(|line| {
            line.rsplit_once(' ').map(|(path, cycles)| (path, cycles.parse().expect("cycles"))).expect("a line")
        })
        .collect();
    assert!(stacks.iter().all(|(path, _)| path.starts_with("ml-kem-512 keygen")));
    // Instructions and the cycle counter agree, phase by phase: what the probe takes is left out of both.
    let total: u64 = stacks.iter().map(|(_, cycles)| cycles).sum();
    let measured = record.profiled.ticks.expect("counts") as f64 / record.profiled.operations as f64;
    assert!((total as f64 / measured - 1.0).abs() < 0.03, "{total} {measured}");
    for phase in record.phases.iter().filter(|phase| phase.path.len() == 2) {
        let prefix = format!("ml-kem-512 keygen;{};", phase.path[1]);
        let cycles: u64 = stacks.iter().filter(|(path, _)| path.starts_with(&prefix)).map(|(_, cycles)| cycles).sum();
        let measured = phase.ticks.expect("counts") as f64 / record.profiled.operations as f64;
        assert!((cycles as f64 - measured).abs() < 0.02 * measured + 500.0, "{:?}: {cycles} {measured}", phase.path);
    }
    let svg = fs::read_to_string(out.path().join(format!("{stem}.instructions.svg"))).expect("was written");
    assert!(svg.contains(", by instruction") && svg.contains("keccak"));
}
