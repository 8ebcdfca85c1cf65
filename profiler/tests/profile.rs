//! `kemprof keygen|enc|dec|all` as its user sees it.

mod common;

use common::{calls, fail, files, folder, json, kemprof, profile, succeed, utf8};
use kemprof::evidence::{self, Operation};
use kemprof_core::Backend as _;
use std::path::Path;

/// Published profile of lwekem256 and lwekem512: calls of pseudoXOF and of the generator per operation.
#[test]
fn calls_are_those_of_the_published_profile() {
    let (records, _) = profile("all", "lwekem256", &[]);
    let pseudo_xof: Vec<u64> = records.iter().map(|record| calls(record, "pseudoXOF", "")).collect();
    let drng: Vec<u64> = records.iter().map(|record| calls(record, "drng", "")).collect();
    assert_eq!((pseudo_xof, drng), (vec![101, 102, 102], vec![2, 1, 0]));
    let keygen = &records[0];
    let by_role = ["matrix", "noise", "g", "h"].map(|role| calls(keygen, "pseudoXOF", role));
    assert_eq!(by_role, [81, 18, 1, 1]);
    let matrix = keygen.calls.iter().find(|row| row.role == "matrix").expect("the matrix is expanded");
    assert_eq!((matrix.in_bits, matrix.out_bits, matrix.permutations), (280, 12288, 48.0));
    let used = matrix.used_bits / matrix.out_bits as f64;
    assert!((0.15..0.16).contains(&used), "{used}");

    let (records, _) = profile("all", "lwekem512", &[]);
    let pseudo_xof: Vec<u64> = records.iter().map(|record| calls(record, "pseudoXOF", "")).collect();
    assert_eq!(pseudo_xof, [82, 83, 83]);
}

#[test]
fn all_parts_sum_to_the_total_and_every_figure_follows() {
    if common::emulated() {
        return;
    }
    for sampling in ["eager", "lazy"] {
        for hash in ["placeholder", "shake"] {
            let (records, out) = profile("all", "lwekem128", &["--sampling", sampling, "--hash", hash]);
            for record in records {
                assert_eq!(evidence::violations(&record), []);
                let total = record.profiled.ticks.expect("some counter works everywhere");
                let parts: i64 = record.calls.iter().map(|row| row.ticks.expect("ticks")).sum::<i64>()
                    + record.phases.iter().map(|row| row.self_ticks.expect("ticks")).sum::<i64>();
                assert_eq!(u64::try_from(parts), Ok(total));
                assert!(record.profiled.raw_ticks.expect("ticks") >= total);
                let variant = if sampling == "lazy" { "@lazy" } else { "" };
                let file = format!("lwekem128-{}-{hash}{variant}.json", record.operation);
                assert_eq!(evidence::read(&out.path().join(file)).expect("was written"), record);
            }
        }
    }
}

#[test]
fn the_report_shows_the_breakdown_and_says_where_files_are() {
    if common::emulated() {
        return;
    }
    let out = folder();
    let args = ["keygen", "lwekem256", "--trials", "1", "--iterations", "2", "--out", utf8(out.path())];
    let text = succeed(&args);
    for part in ["pseudoXOF", "matrix", "81", "280 → 12288", "15 %", "known answers PASS", "sample_matrix", "total"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(text.contains("100.0 %") && text.contains("never used"), "{text}");
    assert!(!text.contains('\u{1b}'), "escape codes where there is no terminal:\n{text}");
    let stem = "lwekem256-keygen-placeholder";
    let names = ["folded", "json", "svg"].map(|ending| format!("{stem}.{ending}"));
    assert_eq!(files(out.path()), names);
    for name in names {
        assert!(text.contains(&name), "{text}");
    }
    let shown = succeed(&["show", utf8(&out.path().join(format!("{stem}.json")))]);
    assert!(text.starts_with(&shown), "show prints the same report from the file");
}

#[test]
fn folded_stacks_sum_to_the_measured_total() {
    if common::emulated() {
        return;
    }
    let (records, out) = profile("dec", "lwekem128", &["--sampling", "lazy"]);
    let text = std::fs::read_to_string(out.path().join("lwekem128-dec-placeholder@lazy.folded")).expect("was written");
    let sum: u64 =
        text.lines().map(|line| line.rsplit(' ').next().expect("a number").parse::<u64>().expect("ticks")).sum();
    assert_eq!(Some(sum), records[0].profiled.ticks);
    assert!(text.lines().all(|line| line.starts_with("lwekem128 dec")));
    assert!(text.contains("lwekem128 dec;encrypt;sample_matrix;pseudoXOF matrix (152 to "), "{text}");
}

#[test]
fn eager_and_lazy_do_the_same_work_but_for_what_is_thrown_away() {
    let (eager, _) = profile("keygen", "lwekem256", &["--hash", "shake"]);
    let (lazy, _) = profile("keygen", "lwekem256", &["--hash", "shake", "--sampling", "lazy"]);
    let used = |record: &evidence::Evidence| -> f64 {
        let matrix = record.calls.iter().filter(|row| row.role == "matrix");
        matrix.map(|row| row.used_bits * row.calls as f64).sum::<f64>().round()
    };
    assert_eq!(used(&eager[0]), used(&lazy[0]));
    let out = |record: &evidence::Evidence| -> u64 {
        let matrix = record.calls.iter().filter(|row| row.role == "matrix");
        matrix.map(|row| row.out_bits * row.calls).sum()
    };
    assert!(4 * out(&lazy[0]) < out(&eager[0]));
}

#[test]
fn one_seed_gives_one_run_and_another_seed_another() {
    let counts = |seed: &str| {
        let (records, _) = profile("keygen", "lwekem256", &["--counter", "none", "--seed", seed]);
        records[0].calls.clone()
    };
    assert_eq!(counts("00ff"), counts("00FF"));
    assert_ne!(counts("00ff"), counts("00fe"));
}

#[test]
fn roles_can_have_backends_of_their_own() {
    if common::emulated() {
        return;
    }
    let (records, out) = profile("enc", "lwekem256", &["--xof", "shake", "--drng", "shake"]);
    let record = &records[0];
    assert_eq!((calls(record, "shake128", "matrix"), calls(record, "pseudoXOF", "noise")), (81, 19));
    assert_eq!(record.backends.xof, "shake");
    assert_eq!(record.backends.prf, "placeholder");
    assert_eq!(record.backends.drng, "shake256-drng");
    let code = record.code.as_ref().expect("is recorded");
    assert_eq!((code["xof"].as_str(), code["prf"].as_str()), (kemprof_core::Any::Shake.code(), "portable"));
    assert!(record.derived.symmetric_share > record.derived.hash_share, "the generator is symmetric too");
    let table = kemprof::render::table::report(record);
    assert!(["[1mhash", "[1msymmetric", "code that ran: "].iter().all(|row| table.contains(row)), "{table}");
    assert!(record.kat.starts_with("NOT-APPLICABLE: "), "{}", record.kat);
    assert!(files(out.path()).iter().any(|name| name.ends_with(".svg")));
}

#[test]
fn without_a_counter_there_are_counts_and_no_figures() {
    let (records, out) = profile("keygen", "lwekem256", &["--counter", "none"]);
    let record = &records[0];
    assert_eq!(calls(record, "pseudoXOF", ""), 101);
    assert_eq!((record.profiled.ticks, record.derived.hash_share, record.derived.mean), (None, None, None));
    assert!(record.calls.iter().all(|row| row.ticks.is_none() && row.min.is_none()));
    assert!(record.trials.iter().all(|trial| trial.ticks.is_none()));
    assert!(record.counter.unavailable.is_some());
    assert_eq!(evidence::violations(record), []);
    assert_eq!((record.derived.symmetric_share, record.code.is_some()), (None, true));
    let file = json(out.path());
    assert_eq!(files(out.path()).len(), 1, "there is nothing to draw");
    let text = succeed(&["show", utf8(&file)]);
    assert!(text.contains("no ticks: no counter was asked for.") && !text.contains(" 0 ticks"), "{text}");
    let line = fail(1, &["flamegraph", utf8(&file)]);
    assert!(line.contains("no ticks"), "{line}");
}

#[test]
fn a_trace_opens_as_the_events_of_one_operation() {
    let out = folder();
    let file = out.path().join("trace.json");
    let (records, _files) = profile("keygen", "lwekem256", &["--trace", utf8(&file)]);
    let trace = |file: &Path| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(file).expect("was written")).expect("JSON")
    };
    let timed = trace(&file);
    let events = timed["traceEvents"].as_array().expect("events");
    let named = |name: &str| events.iter().filter(|event| event["name"] == name).count() as u64;
    assert_eq!(named("keygen"), 1);
    // The recorder and the trace see the same calls.
    for (function, role) in [("pseudoXOF", "matrix"), ("pseudoXOF", "noise"), ("drng", "entropy")] {
        assert_eq!(named(&format!("{function} {role}")), calls(&records[0], function, role));
    }
    let matrix = events.iter().find(|event| event["name"] == "pseudoXOF matrix").expect("an event");
    assert_eq!((&matrix["ph"], &matrix["args"]["out_bits"]), (&"X".into(), &serde_json::json!([12288])));
    let face = |name: &str| {
        let event = events.iter().find(|event| event["name"] == name).expect("an event");
        event["args"]["name"].as_str().expect("a name").to_owned()
    };
    let counts = records[0].counts();
    assert_eq!(face("process_name"), format!("kemprof lwekem256 placeholder, {counts}"));
    assert!(face("thread_name").starts_with("keygen, "), "{}", face("thread_name"));
    // Without a counter, the order of what ran.
    profile("all", "lwekem128", &["--counter", "none", "--trace", utf8(&file)]);
    let untimed = trace(&file);
    let events = untimed["traceEvents"].as_array().expect("events");
    let spans: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert!(spans.len() > 100 && spans.iter().all(|event| event["args"]["ticks"].is_null()));
    let threads = events.iter().filter(|event| event["name"] == "thread_name").count();
    assert_eq!((threads, &untimed["otherData"]["operations"][2]["unit"]), (3, &serde_json::Value::Null));
}

#[test]
fn bad_input_is_one_line_and_leaves_nothing() {
    let out = folder();
    let inside = out.path().join("results");
    let with_out = |args: &[&'static str]| -> Vec<String> {
        args.iter().map(|&arg| arg.to_owned()).chain(["--out".to_owned(), utf8(&inside).to_owned()]).collect()
    };
    for (args, expected) in [
        (&["keygen", "lwekem255"][..], "unknown instance \"lwekem255\"; did you mean lwekem256? known: lwekem128"),
        (&["keygen", "lwekem256", "--hash", "md5"], "unknown backend \"md5\"; known: placeholder"),
        (&["keygen", "lwekem256", "--xof", "md5"], "unknown backend \"md5\""),
        (&["keygen", "lwekem256", "--counter", "sundial"], "sundial"),
        (&["keygen", "lwekem256", "--seed", "0g"], "--seed \"0g\" is not hexadecimal"),
        (&["keygen", "lwekem256", "--seed", ""], "--seed is empty"),
        (&["keygen", "lwekem256", "--trials", "0"], "--trials"),
        (&["keygen", "lwekem256", "--iterations", "0"], "--iterations"),
        (&["keygen", "lwekem256", "--sampling", "later"], "--sampling"),
        (&["keygen", "lwekem256", "--frobnicate"], "--frobnicate"),
        (&["keygen"], "INSTANCE"),
        (&["sign", "lwekem256"], "sign"),
    ] {
        let owned = with_out(args);
        let args: Vec<&str> = owned.iter().map(String::as_str).collect();
        let line = fail(2, &args);
        assert!(line.contains(expected), "{args:?}: {line}");
        assert!(!inside.exists(), "{args:?} left files");
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named_before_anything_is_run() {
    let out = folder();
    let file = out.path().join("a-file");
    std::fs::write(&file, "mine").expect("writable");
    let line = fail(1, &["keygen", "lwekem256", "--out", utf8(&file)]);
    assert!(line.contains("a-file"), "{line}");
    let line = fail(1, &["keygen", "lwekem256", "--out", utf8(&file.join("below"))]);
    assert!(line.contains("below"), "{line}");
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "mine");
    assert_eq!(files(out.path()), ["a-file"]);
}

#[test]
fn help_teaches_and_goes_to_standard_output() {
    assert!(succeed(&["--help"]).contains("kemprof keygen lwekem256"));
    assert!(succeed(&["keygen", "--help"]).contains("How to read the table"));
    assert!(succeed(&["--version"]).starts_with("kemprof "));
}

#[test]
fn diagnostics_go_to_standard_error_when_asked_for() {
    let out = folder();
    let args = ["-v", "keygen", "lwekem128", "--trials", "1", "--iterations", "1", "--json", "--out", utf8(out.path())];
    let output = kemprof().args(args).output().expect("runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("known answers"));
    serde_json::from_slice::<evidence::Evidence>(&output.stdout).expect("evidence alone on standard output");
    let more = kemprof().args(["-v"]).args(args).output().expect("runs");
    let lines = |stderr: &[u8]| String::from_utf8_lossy(stderr).lines().count();
    assert!(lines(&more.stderr) > lines(&output.stderr), "-vv says more than -v");
    let levelled = |level: &str| kemprof().args(&args[1..]).env("RUST_LOG", level).output().expect("runs");
    assert!(lines(&levelled("debug").stderr) > lines(&output.stderr), "RUST_LOG=debug says more than -v");
    let output = levelled("kemprof=debug");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("RUST_LOG=\"kemprof=debug\" is no level: expected off, error, warn,"), "{stderr}");
}

#[test]
fn every_operation_is_named_in_its_evidence() {
    for operation in Operation::ALL {
        let (records, _) = profile(operation.name(), "lwekem128", &[]);
        assert_eq!(records[0].operation, operation);
        assert_eq!(records[0].phases[0].path, [operation.name()]);
    }
}
