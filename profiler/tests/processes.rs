//! `--processes`: trials in fresh processes, and one record of them.

mod common;

use common::{calls, emulated, fail, folder, kemprof, profile, run, succeed, utf8};
use kemprof::evidence::{self, Evidence};

/// Seven trials in three processes.
fn shared(operation: &str) -> Evidence {
    let out = folder();
    let args = [operation, "lwekem128", "--sampling", "lazy", "--trials", "7", "--iterations", "2"];
    let more = ["--processes=3", "--json", "--out", utf8(out.path())];
    serde_json::from_str(&succeed(&[&args[..], &more].concat())).expect("evidence")
}

#[test]
fn trials_are_shared_and_put_together_again() {
    if emulated() {
        return;
    }
    let record = shared("keygen");
    assert_eq!(evidence::violations(&record), []);
    assert_eq!((record.processes, record.plan.trials, record.trials.len()), (3, 7, 7));
    // Rows are of the trials that nothing disturbed: on a busy machine not of all.
    assert!((2..=14).contains(&record.profiled.operations), "{}", record.profiled.operations);
    assert_eq!(record.profiled.operations % 2, 0, "two operations a trial");
    for trials in [&record.trials, &record.profiled.trials] {
        assert_eq!(trials.iter().map(|trial| trial.process).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 2, 2]);
    }
    assert_eq!(record.derived.process_medians.expect("ticks").count, 3);
    assert!(record.probe_cost.is_some() && record.counter.overhead_per_call.is_some());
    assert!(record.environment["ended_utc"].is_string());
    let command = record.environment["command"].as_array().expect("an array");
    assert!(command.iter().any(|word| word == "keygen"), "the command that was given: {command:?}");
    let report = kemprof::render::table::report(&record);
    assert!(report.contains("3 processes, whose medians are "), "{report}");
}

#[test]
fn a_profile_is_of_five_processes_where_layouts_matter_and_of_one_elsewhere() {
    let processes = |args: &[&str]| {
        let out = folder();
        let args = [&["dec", "lwekem128", "--iterations", "1", "--json", "--out", utf8(out.path())], args].concat();
        let record: Evidence = serde_json::from_str(&succeed(&args)).expect("evidence");
        assert_eq!(record.plan.trials as usize, record.trials.len());
        record.processes
    };
    for (args, expected) in [
        (&["--trials", "7"][..], 5),
        (&["--trials", "3"], 3),
        (&["--trials", "7", "--processes", "1"], 1),
        (&["--trials", "7", "--counter", "none"], 1),
    ] {
        assert_eq!(processes(args), if emulated() { 1 } else { expected }, "{args:?}");
    }
}

#[test]
fn the_calls_are_those_of_one_process() {
    if emulated() {
        return;
    }
    let (alone, _) = profile("dec", "lwekem128", &["--sampling", "lazy"]);
    let (shared, alone) = (shared("dec"), &alone[0]);
    assert_eq!(shared.kat, alone.kat);
    let rows = |record: &Evidence| {
        let row = |row: &evidence::CallRow| {
            let paths: Vec<_> = row.paths.iter().map(|part| part.path.join("/")).collect();
            (row.function.clone(), row.role.clone(), row.in_bits, row.out_bits, paths)
        };
        record.calls.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(rows(&shared), rows(alone));
    for (function, role) in [("pseudoXOF", "matrix"), ("pseudoXOF", "noise"), ("pseudohash", "")] {
        assert_eq!(calls(&shared, function, role), calls(alone, function, role));
    }
    let phases = |record: &Evidence| {
        record.phases.iter().map(|row| (row.path.clone(), row.calls / record.profiled.operations)).collect::<Vec<_>>()
    };
    assert_eq!(phases(&shared), phases(alone));
}

#[test]
fn what_cannot_be_shared_is_a_usage_error() {
    if emulated() {
        return;
    }
    let line = fail(2, &["keygen", "lwekem128", "--trials", "2", "--processes=3"]);
    assert!(line.contains("2 trials cannot be shared by 3 processes"), "{line}");
    let line = fail(2, &["keygen", "lwekem128", "--processes=0"]);
    assert!(line.contains("--processes"), "{line}");
    let line = fail(2, &["keygen", "lwekem128", "--processes=2", "--counter", "none"]);
    assert!(line.contains("--processes 2") && line.contains("nothing is timed"), "{line}");
    let (code, _, line) = run(&["keygen", "lwekem128", "--processes=2", "--counter", "callgrind"]);
    let refused = (code, line.contains("the same in all of them")) == (2, true);
    assert!(refused || line.contains("needs") || line.contains("valgrind"), "or there is no callgrind here: {line}");
}

#[test]
fn a_worker_answers_line_by_line_until_there_is_no_more_to_read() {
    let backends = r#"["Placeholder","Sm3"]"#;
    let requests = format!("{{}}\n{{\"Backends\":null}}\n\"Backends\"\n{{\"BenchHash\":{backends}}}\n\"Counters\"\n");
    let output = kemprof().arg("worker").write_stdin(requests).output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("is text");
    let replies: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((output.status.code(), replies.len()), (Some(0), 5), "{text}");
    for (reply, part) in replies.iter().zip(["no request", "nothing is open", "nothing is open", "no request"]) {
        let message = reply["Refused"]["message"].as_str().expect("is refused");
        assert!(message.contains(part), "{message}");
    }
    assert!(replies[4]["Answer"].as_array().is_some_and(|counters| counters.len() > 3), "{text}");
    assert!(!succeed(&["--help"]).contains("another kemprof"), "users have no use for it");
}
