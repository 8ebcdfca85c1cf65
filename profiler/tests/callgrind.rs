//! `--counter callgrind`: instructions, exactly, wherever valgrind is installed.

mod common;

use common::{fail, folder, kemprof, run, succeed, utf8};
use kemprof::counter::Valgrind;
use kemprof::environment::{Environment, Tree};
use kemprof::evidence::{self, Evidence};
use serde_json::Value;
use std::path::Path;

/// Whether there is a valgrind for this program; says so where there is none.
fn valgrind() -> bool {
    if !Environment::begin(&Tree::host(), Vec::new(), true).is_real() {
        eprintln!("skipped: this machine's valgrind does not run what is emulated on it");
        return false;
    }
    match Valgrind::find() {
        Ok(_) => true,
        Err(error) if std::env::var_os("KEMPROF_REQUIRE_CROSS").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            false
        }
    }
}

const FILE: &str = "lwekem128-keygen-shake@lazy.json";
const SLOWER: &str = "lwekem128-keygen-placeholder@lazy.json";

fn profile(out: &Path, file: &str, extra: &[&str]) -> Evidence {
    let mut args = vec!["keygen", "lwekem128", "--sampling", "lazy", "--iterations", "1", "--counter", "callgrind"];
    args.extend(extra);
    args.extend(["--out", utf8(out)]);
    succeed(&args);
    evidence::read(&out.join(file)).expect("was written")
}

#[test]
fn two_runs_count_the_same_instructions() {
    if !valgrind() {
        return;
    }
    let out = folder();
    let mut records = Vec::new();
    for _ in 0..2 {
        let record = profile(out.path(), FILE, &["--hash", "shake"]);
        assert_eq!(evidence::violations(&record), []);
        let mut value = serde_json::to_value(record).expect("JSON");
        value["environment"] = Value::Null;
        // What is in RAM is the kernel's affair.
        for field in ["baseline", "peak"] {
            value["memory"][field] = Value::Null;
        }
        records.push(value);
    }
    assert_eq!(records[0], records[1]);
    let record: Evidence = evidence::read(&out.path().join(FILE)).expect("was written");
    let counter = &record.counter;
    assert_eq!((counter.name.as_str(), counter.unit.as_str(), counter.meaningful), ("callgrind", "instructions", true));
    assert_eq!((record.runner.as_str(), record.derived.seconds_per_operation), ("valgrind", None));
    assert!(record.trials.iter().all(|trial| trial.ticks == record.trials[0].ticks), "{:?}", record.trials);
    // The parts, counted with probes whose own instructions are subtracted, are what the whole is without them.
    let (parts, whole) = (record.profiled.ticks.expect("counts"), record.derived.mean.expect("counts"));
    let parts = parts as f64 / record.profiled.operations as f64;
    assert!((parts / whole - 1.0).abs() < 0.01, "{parts} of {whole}");
    assert!(record.derived.hash_share > Some(0.0));
    // Neither the length of a name nor what else is in the environment moves it by more than a ten thousandth.
    let elsewhere = folder();
    let moved =
        profile(&elsewhere.path().join("a-longer-name"), FILE, &["--hash", "shake"]).derived.mean.expect("counts");
    assert!((moved / whole - 1.0).abs() < 1e-4, "{moved} and {whole}");
}

#[test]
fn diff_gates_on_instructions() {
    if !valgrind() {
        return;
    }
    let out = folder();
    let (before, after) = (out.path().join("before"), out.path().join("after"));
    profile(&before, FILE, &["--hash", "shake"]);
    profile(&after, SLOWER, &["--hash", "placeholder"]);
    let before = before.join(FILE);
    succeed(&["diff", utf8(&before), utf8(&before), "--fail-above", "0"]);
    let (code, text, line) = run(&["diff", utf8(&before), utf8(&after.join(SLOWER)), "--fail-above", "1"]);
    assert_eq!(code, 1, "{line}");
    assert!(text.contains("instructions before") && line.contains("instructions per operation"), "{text}{line}");
}

#[test]
fn it_fails_as_it_does_without_valgrind_around_it() {
    if !valgrind() {
        return;
    }
    let line = fail(2, &["keygen", "lwekem255", "--counter", "callgrind"]);
    assert!(line.contains("unknown instance \"lwekem255\""), "{line}");
}

#[test]
fn without_valgrind_one_line_says_what_to_install() {
    if common::emulated() {
        return;
    }
    let output = kemprof()
        .args(["keygen", "lwekem128", "--counter", "callgrind"])
        .env("PATH", "/nonexistent")
        .output()
        .expect("the command runs");
    let line = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(line.lines().count() == 1 && line.contains("apt-get install valgrind"), "{line}");
}
