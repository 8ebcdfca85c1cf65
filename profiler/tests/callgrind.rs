//! `--counter callgrind`: instructions, exactly, wherever valgrind is installed.

mod common;

use common::{fail, files, folder, kemprof, run, succeed, utf8};
use kemprof::counter::Valgrind;
use kemprof::environment::{Environment, Tree};
use kemprof::evidence::{self, Evidence};
use kemprof::render::palette;
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;

/// Whether there is a valgrind for this program; says so where there is none.
fn valgrind() -> bool {
    if !Environment::begin(&Tree::host(), Vec::new(), true).is_real() {
        let _ = writeln!(std::io::stderr(), "skipped: this machine's valgrind does not run what is emulated on it");
        return false;
    }
    match Valgrind::find() {
        Ok(_) => true,
        Err(error) if std::env::var_os("KEMPROF_REQUIRE_CROSS").is_some() => panic!("{error}"),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "skipped: {error}");
            false
        }
    }
}

const FILE: &str = "lwekem128-keygen-shake@lazy-callgrind.json";
const SLOWER: &str = "lwekem128-keygen-placeholder@lazy-callgrind.json";

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

/// Folded stacks with their numbers.
fn folded(path: &Path) -> Vec<(String, u64)> {
    let text = std::fs::read_to_string(path).expect("was written");
    let line = |line: &str| {
        let (stack, count) = line.rsplit_once(' ').expect("a stack and a number");
        (stack.to_owned(), count.parse().expect("a number"))
    };
    text.lines().map(line).collect()
}

#[test]
fn every_instruction_is_charged_to_its_function_under_its_phase() {
    if !valgrind() {
        return;
    }
    let out = folder();
    let options = ["--hash", "shake", "--sampling", "lazy", "--iterations", "1", "--trials", "2"];
    let args =
        ["keygen", "ml-kem-512", "--counter", "callgrind", "--profile", "instructions", "--out", utf8(out.path())];
    let text = succeed(&[&args[..], &options].concat());
    assert!(text.contains("own instructions") && text.contains("hottest line") && text.contains(".rs:"), "{text}");
    assert!(text.contains("Counted by callgrind (valgrind-"), "{text}");
    let names = files(out.path());
    let find = |ending: &str| out.path().join(names.iter().find(|name| name.ends_with(ending)).expect("was written"));
    let stacks = folded(&find(".instructions.folded"));
    assert!(stacks.iter().all(|(stack, _)| stack.starts_with("ml-kem-512 keygen")), "{stacks:?}");
    assert!(
        stacks.iter().any(|(stack, _)| stack.contains(";sample_matrix;") && stack.contains("keccak")),
        "{stacks:?}"
    );
    assert!(!stacks.iter().any(|(stack, _)| stack.contains("_ZN") || stack.contains("Boundaries")), "{stacks:?}");
    // Both count instructions: the whole, and each phase, are the same but for what the probe itself is charged for.
    let record = evidence::read(&find(".json")).expect("is evidence");
    let whole = record.derived.mean.expect("counts");
    let total: u64 = stacks.iter().map(|(_, own)| own).sum();
    assert!((total as f64 / whole - 1.0).abs() < 0.02, "{total} of {whole}");
    for phase in record.phases.iter().filter(|phase| phase.path.len() == 2) {
        let prefix = format!("ml-kem-512 keygen;{};", phase.path[1]);
        let own: u64 = stacks.iter().filter(|(stack, _)| stack.starts_with(&prefix)).map(|(_, own)| own).sum();
        let measured = phase.ticks.expect("counts") as f64 / record.profiled.operations as f64;
        assert!((own as f64 - measured).abs() < 0.02 * measured + 2000.0, "{:?}: {own} {measured}", phase.path);
    }
    // The colours are those of the other pictures.
    let svg = std::fs::read_to_string(find(".instructions.svg")).expect("was drawn");
    for color in [palette::role("matrix"), palette::role("noise"), palette::PHASE, palette::FUNCTION] {
        assert!(svg.contains(&format!("fill=\"{color}\"")), "no {color}");
    }
}

#[test]
fn instructions_cannot_be_followed_without_valgrind_or_where_nothing_is_real() {
    if common::emulated() {
        return;
    }
    let out = folder();
    let new = out.path().join("new");
    let args = ["keygen", "lwekem128", "--profile", "instructions", "--out", utf8(&new)];
    let output = kemprof().args(args).env("PATH", "/nonexistent").output().expect("the command runs");
    let line = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(line.contains("--profile instructions: callgrind needs valgrind") && line.lines().count() == 1, "{line}");
    assert_eq!(files(out.path()), [""; 0], "nothing is left");
    let line = fail(2, &["keygen", "lwekem128", "--target", "aarch64", "--profile", "instructions"]);
    assert!(line.contains("--profile instructions is for real machines"), "{line}");
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
