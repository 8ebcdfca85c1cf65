//! Counters that fail, through the whole command: what happened is in the table and in the evidence, and no figure is.

mod common;

use common::{calls, fail, folder, json, run, succeed, utf8};
use kemprof::counter;
use kemprof::evidence::{self, Evidence};
use std::io::Write as _;

/// The evidence and the table of a short run on the scripted counter that fails so.
fn failing(failure: &str) -> (Evidence, String) {
    let out = folder();
    let counter = format!("mock:{failure}");
    let args =
        ["keygen", "lwekem128", "--trials", "3", "--iterations", "2", "--counter", &counter, "--out", utf8(out.path())];
    let table = succeed(&args);
    (evidence::read(&json(out.path())).expect("was written"), table)
}

/// No tick, no share, no mean: but calls, which need no counter.
fn assert_no_figure(record: &Evidence, failure: &str) {
    assert_eq!(evidence::violations(record), [], "{failure}");
    assert!(record.trials.iter().chain(&record.profiled.trials).all(|trial| trial.ticks.is_none()), "{failure}");
    assert!(record.calls.iter().all(|row| (row.ticks, row.min, row.max) == (None, None, None)), "{failure}");
    assert!(record.phases.iter().all(|row| (row.ticks, row.self_ticks) == (None, None)), "{failure}");
    assert_eq!((record.profiled.ticks, record.profiled.raw_ticks, record.probe_cost), (None, None, None), "{failure}");
    let derived = &record.derived;
    assert_eq!((derived.mean, derived.median, derived.hash_share, derived.probe_overhead), (None, None, None, None));
    assert!(derived.share.values().all(Option::is_none), "{failure}");
    assert!(record.counter.unavailable.is_some() && !record.counter.meaningful, "{failure}");
    assert!(calls(record, "pseudoXOF", "matrix") > 0, "{failure}");
}

#[test]
fn a_counter_that_cannot_be_opened_gives_its_reason_and_no_figure() {
    for (failure, reason) in [
        ("refused", "the kernel refuses it (EACCES): kernel.perf_event_paranoid is 3; `sudo sysctl"),
        ("missing", "there is no hardware performance counter here (ENOENT): this is a virtual machine"),
        ("trapping", "a trial process was ended by signal 4"),
        ("zero", "it does not move: it read 0"),
        ("backwards", "it went backwards"),
        ("starved", "the kernel found no free hardware register"),
    ] {
        let (record, table) = failing(failure);
        assert_no_figure(&record, failure);
        assert_eq!(record.counter.name, "none");
        let said = record.counter.refused.get(failure).unwrap_or_else(|| panic!("{failure}: {:?}", record.counter));
        assert!(said.contains(reason), "{failure}: {said}");
        assert!(table.contains(reason), "{failure} is not in the table:\n{table}");
        assert!(!table.contains(" 0 ticks") && !table.contains("median"), "{table}");
    }
}

#[test]
fn a_counter_that_fails_during_the_run_gives_its_reason_and_no_figure() {
    for (failure, reason) in [
        ("stopping", "the counter did not move during the run"),
        ("turning", "the counter went backwards during the run"),
        ("multiplexed", "it ran 40 % of the time only"),
    ] {
        let (record, table) = failing(failure);
        assert_no_figure(&record, failure);
        assert_eq!(record.counter.name, format!("mock:{failure}"));
        assert!(record.counter.unavailable.as_ref().is_some_and(|why| why.contains(reason)), "{:?}", record.counter);
        assert!(table.contains(reason), "{failure} is not in the table:\n{table}");
        assert!(!table.contains("median"), "{table}");
    }
}

#[test]
fn a_counter_that_is_asked_for_and_does_not_work_is_an_error() {
    let broken = counter::available().into_iter().find_map(|(name, result)| result.err().map(|error| (name, error)));
    let (name, reason) = broken.expect("no machine has every counter");
    let out = folder();
    let (code, text, line) = run(&["keygen", "lwekem128", "--counter", name, "--out", utf8(out.path())]);
    assert_eq!((code, text.as_str()), (1, ""), "{line}");
    assert!(line.contains(&format!("counter `{name}` is not available: {reason}")), "{line}");
    assert_eq!(common::files(out.path()), [""; 0]);
}

/// Runs a command as one that an emulator runs.
fn as_emulated(args: &[&str]) -> (i32, String, String) {
    let output = common::kemprof().args(args).env("KEMPROF_MOCK_EMULATOR", "qemu-user").output().expect("runs");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (output.status.code().expect("ends by itself"), text(output.stdout), text(output.stderr))
}

#[test]
fn where_nothing_is_timed_few_operations_run_and_no_column_waits_for_a_figure() {
    let out = folder();
    let emulated = out.path().join("emulated");
    let uncounted = out.path().join("uncounted");
    let args = |out| ["keygen", "lwekem128", "--out", utf8(out)];
    for ((code, table, errors), out, reason) in [
        (as_emulated(&args(&emulated)), &emulated, "qemu-user runs this program"),
        (run(&[&args(&uncounted)[..], &["--counter", "none"]].concat()), &uncounted, "no counter was asked"),
    ] {
        assert_eq!((code, errors.as_str()), (0, ""));
        for absent in ["per call", "per perm.", "share", "warning", "neighbour", "total", " - "] {
            assert!(!table.contains(absent), "{absent} in:\n{table}");
        }
        assert!(table.contains("1 × 1 operation") && table.contains("known answers PASS"), "{table}");
        assert!(table.contains(&format!("no ticks: {reason}")) || table.contains(&format!(": {reason}")), "{table}");
        let record = evidence::read(&json(out)).expect("was written");
        assert_no_figure(&record, reason);
        assert_eq!((record.profiled.operations, record.plan.warmups, record.steadiness.repeats), (1, 0, 0));
        assert!(record.trials.iter().chain(&record.profiled.trials).all(|trial| trial.seconds.is_none()));
    }
}

#[test]
fn an_emulators_time_is_refused_where_it_is_asked_for() {
    for args in [&["keygen", "lwekem128", "--counter", "clock"][..], &["bench-hash", "--quick"]] {
        let (code, _, line) = as_emulated(args);
        assert_eq!((code, line.lines().count()), (1, 1), "{line}");
        assert!(line.contains("qemu-user runs this program"), "{line}");
    }
    let (_, table, _) = as_emulated(&["doctor"]);
    assert!(!table.contains("works    counter") && !table.contains("neighbour"), "{table}");
}

#[test]
fn events_of_the_kernel_are_counted_around_operations() {
    let out = folder();
    let args = ["dec", "lwekem128", "--trials", "3", "--iterations", "2", "--out", utf8(out.path())];
    let with_events = |events| [&args[..], &["--events", events]].concat();
    let (code, table, line) = run(&with_events("page-faults,task-clock"));
    if code != 0 {
        assert!(line.contains("event `page-faults` is not available"), "{line}");
        let _ = writeln!(std::io::stderr(), "skipped: {line}");
        return;
    }
    let file = json(out.path());
    let record = evidence::read(&file).expect("was written");
    let events = record.events.as_ref().expect("they were asked for");
    let names: Vec<_> = events.counts.iter().map(|event| event.name.as_str()).collect();
    assert_eq!((names, events.operations), (vec!["page-faults", "task-clock"], 6));
    assert!(events.counts[1].per_operation > Some(1000.0), "{events:?}");
    assert_eq!(events.instructions_per_cycle, None);
    assert!(table.contains("events an operation: page-faults"), "{table}");
    assert!(table.contains("(6 operations of their own)"), "{table}");
    for (pointer, value) in [
        ("/events/counts/1/per_operation", 1.0.into()),
        ("/events/counts/1/count", 1.into()),
        ("/events/instructions_per_cycle", 2.0.into()),
        ("/events/operations", 0.into()),
    ] {
        let mut bad = serde_json::to_value(&record).expect("JSON");
        *bad.pointer_mut(pointer).expect("is there") = value;
        std::fs::write(&file, bad.to_string()).expect("writable");
        assert!(fail(1, &["show", utf8(&file)]).contains("does not hold together"), "{pointer}");
    }
}

#[test]
fn events_that_do_not_exist_are_named() {
    let line = fail(2, &["keygen", "lwekem128", "--events", "instructions,sunspots"]);
    assert!(line.contains("unknown event \"sunspots\"; known: cycles, instructions"), "{line}");
    let line = fail(2, &["keygen", "lwekem128", "--events", "page-faults,page-faults"]);
    assert!(line.contains("asked for twice"), "{line}");
}

#[test]
fn events_without_a_unit_to_count_them_are_an_error() {
    if counter::available().iter().any(|(name, result)| *name == "perf" && result.is_ok()) {
        let _ = writeln!(std::io::stderr(), "skipped: this machine counts instructions");
        return;
    }
    let line = fail(1, &["keygen", "lwekem128", "--events", "instructions"]);
    assert!(line.contains("event `instructions` is not available: "), "{line}");
}
