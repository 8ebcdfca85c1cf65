//! `kemprof show|verify|flamegraph|list` over files, good and bad.

mod common;

use common::{fail, files, folder, json, profile, run, succeed, utf8};
use std::io::Write as _;

#[test]
fn flamegraph_draws_the_same_picture_again() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let stem = "lwekem128-keygen-placeholder";
    let read = |folder: &std::path::Path, ending: &str| {
        std::fs::read_to_string(folder.join(format!("{stem}.{ending}"))).expect("was written")
    };
    let other = folder();
    let json = out.path().join(format!("{stem}.json"));
    let text = succeed(&["flamegraph", utf8(&json), "--out", utf8(other.path())]);
    assert!(text.contains(".svg"), "{text}");
    for ending in ["svg", "folded"] {
        assert_eq!(read(out.path(), ending), read(other.path(), ending));
    }
    let svg = read(other.path(), "svg");
    for part in ["lwekem128 keygen", "sample_matrix", "pseudoXOF matrix (152 to 6144 bits)", "hash share "] {
        assert!(svg.contains(part), "no {part:?} in the picture");
    }
}

#[test]
fn a_figure_that_was_touched_is_found() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let file = json(out.path());
    assert!(succeed(&["verify", utf8(&file)]).starts_with("PASS"));
    let good: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("was written")).expect("JSON");
    for (pointer, value) in [
        ("/mean", 12345.0.into()),
        ("/hash_share", 0.5.into()),
        ("/symmetric_share", 0.5.into()),
        ("/symmetric_share", serde_json::Value::Null),
        ("/code/xof", "neon".into()),
        ("/code", serde_json::Value::Null),
        ("/share/pseudoXOF", 0.5.into()),
        ("/calls/0/ticks", 1.into()),
        ("/calls/0/calls", 1.into()),
        ("/calls/0/used_bits", 1e9.into()),
        ("/phases/0/self_ticks", 1.into()),
        ("/profiled/ticks", 1.into()),
        ("/profiled/raw_ticks", 1.into()),
        ("/profiled/operations", 1.into()),
        ("/profiled/trials/0/operations", 1.into()),
        ("/plan/trials", 1.into()),
        ("/phases/1/ticks", 1.into()),
        ("/calls/0/max", 1.into()),
        ("/calls/0/min", i64::MAX.into()),
        ("/median", 1.0.into()),
        ("/probe_overhead", 7.0.into()),
        ("/operations_per_second", 1.0.into()),
        ("/trials/0/ticks", 1.into()),
        ("/schema", "kemprof/0".into()),
        ("/kat", "FAIL".into()),
        ("/counter/unit", "furlongs".into()),
        ("/sampling", "lukewarm".into()),
        ("/kat_digest", "5530f83c".into()),
        ("/processes", 9.into()),
        ("/memory/peak", 1.into()),
        ("/steadiness/repeated", 9999.into()),
        ("/calls/0/min", serde_json::Value::Null),
        ("/profiled/raw_ticks", serde_json::Value::Null),
        ("/phases/0/calls", 1.into()),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("evidence has {pointer}")) = value;
        std::fs::write(&file, bad.to_string()).expect("writable");
        let (code, text, line) = run(&["verify", utf8(&file)]);
        assert_eq!(code, 1, "{pointer} was changed and verify says {text}");
        assert!(text.starts_with("FAIL") && line.contains("1 of 1"), "{text}{line}");
        let line = fail(1, &["show", utf8(&file)]);
        assert!(line.contains("does not hold together"), "{line}");
    }
}

#[test]
fn one_record_is_wanted_and_an_array_is_said_to_be_none() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let file = json(out.path());
    let array = out.path().join("array.json");
    std::fs::write(&array, format!("[{}]", std::fs::read_to_string(&file).expect("was written"))).expect("writable");
    assert!(succeed(&["verify", utf8(&array)]).starts_with("PASS"));
    for line in [fail(2, &["diff", utf8(&array), utf8(&file)]), fail(1, &["whatif", utf8(&array), "--speed", "xof=2"])]
    {
        assert!(line.contains("is not kemprof evidence of one run, but an array"), "{line}");
    }
}

#[test]
fn files_that_are_no_evidence_are_named() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let stem = "lwekem128-keygen-placeholder";
    let good = std::fs::read_to_string(out.path().join(format!("{stem}.json"))).expect("was written");
    let work = folder();
    let file = work.path().join("x.json");
    let cut = &good[..good.len() / 2];
    for (text, expected) in [
        (cut, "cut short"),
        ("", "it holds nothing"),
        ("not json", "is not kemprof evidence"),
        ("{}", "missing field"),
        ("[{}]", "is not kemprof evidence"),
    ] {
        std::fs::write(&file, text).expect("writable");
        for command in ["show", "flamegraph", "verify"] {
            let line = fail(1, &[command, utf8(&file)]);
            assert!(line.contains("x.json"), "{line}");
            assert!(line.contains(expected) || (command, expected) == ("verify", "cut short"), "{line}");
        }
    }
    std::fs::write(&file, "[]").expect("writable");
    for command in ["show", "verify"] {
        let line = fail(1, &[command, utf8(&file)]);
        assert!(line.contains("x.json holds no evidence"), "{line}");
    }
    std::fs::write(&file, [0xff, 0xfe, 0]).expect("writable");
    assert!(fail(1, &["show", utf8(&file)]).contains("x.json"));
    let line = fail(1, &["show", utf8(&work.path().join("absent.json"))]);
    assert!(line.contains("cannot read") && line.contains("absent.json"), "{line}");
    assert_eq!(files(work.path()), ["x.json"], "no picture is left");
}

#[test]
fn what_all_prints_as_json_is_shown_and_verified() {
    let (records, _out) = profile("all", "lwekem128", &[]);
    let work = folder();
    let file = work.path().join("all.json");
    std::fs::write(&file, serde_json::to_string(&records).expect("JSON")).expect("writable");
    let text = succeed(&["show", utf8(&file)]);
    for operation in ["keygen", "enc", "dec"] {
        assert!(text.contains(&format!("lwekem128 {operation}")), "{text}");
    }
    let shown: Vec<kemprof::evidence::Evidence> =
        serde_json::from_str(&succeed(&["show", "--json", utf8(&file)])).expect("an array");
    assert_eq!(shown, records);
    let text = succeed(&["verify", utf8(&file)]);
    assert_eq!(text.lines().filter(|line| line.starts_with("PASS")).count(), 3, "{text}");
    let mut forged = records;
    forged[1].derived.mean = Some(1.0);
    std::fs::write(&file, serde_json::to_string(&forged).expect("JSON")).expect("writable");
    let (code, text, _) = run(&["verify", utf8(&file)]);
    assert!(code == 1 && text.contains("FAIL  ") && text.contains("all.json[1]"), "{text}");
}

#[test]
fn a_profile_without_calls_is_refused_and_leaves_no_picture() {
    let (records, out) = profile("keygen", "lwekem128", &[]);
    let mut record = records[0].clone();
    record.calls.clear();
    let error = kemprof::render::flamegraph::svg(&record).expect_err("nothing to draw");
    assert!(error.to_string().contains("no symmetric calls"), "{error}");
    let work = folder();
    let file = work.path().join("empty.json");
    std::fs::write(&file, kemprof::evidence::to_json(&record)).expect("writable");
    fail(1, &["flamegraph", utf8(&file)]);
    assert_eq!(files(work.path()), ["empty.json"]);
    drop(out);
}

#[test]
fn names_that_would_break_the_formats_are_drawn_all_the_same() {
    let (records, _out) = profile("keygen", "lwekem128", &[]);
    let mut record = records[0].clone();
    "shake 128".clone_into(&mut record.calls[0].function);
    "ma;trix\n<&>\u{0}".clone_into(&mut record.calls[0].role);
    "x 7".clone_into(&mut record.instance);
    let svg = kemprof::render::flamegraph::svg(&record).expect("is drawn");
    roxmltree::Document::parse_with_options(&svg, roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() })
        .expect("is XML");
    let lines = kemprof::render::folded::lines(&record).expect("is folded");
    let sum: u64 =
        lines.iter().map(|line| line.rsplit(' ').next().expect("number").parse::<u64>().expect("ticks")).sum();
    assert_eq!(Some(sum), record.profiled.ticks);
}

#[test]
fn list_shows_what_there_is() {
    let text = succeed(&["list"]);
    for part in ["lwekem512", "placeholder", "shake", "never for real use", "perf", "clock", "backends", "targets"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let lists: serde_json::Value = serde_json::from_str(&succeed(&["list", "--json"])).expect("JSON");
    let lwekem256 = lists["instances"].as_array().expect("rows").iter().find(|row| row["name"] == "lwekem256");
    assert_eq!(lwekem256.expect("is there")["sizes"]["pk"], 1760);
    let counters = lists["counters"].as_array().expect("rows");
    assert!(counters.iter().all(|row| row["note"].as_str().is_some_and(|note| !note.is_empty())));
}

#[test]
fn the_contract_checker_agrees() {
    let checker = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/check_evidence.py");
    let python = std::process::Command::new("python3").arg("--version").output();
    if !checker.is_file() || python.is_err() {
        let _ = writeln!(std::io::stderr(), "skipped: no independent checker of the contract");
        return;
    }
    let (_, out) = profile("all", "lwekem256", &["--sampling", "lazy", "--hash", "shake"]);
    let (_, uncounted) = profile("keygen", "lwekem128", &["--counter", "none"]);
    let mut command = std::process::Command::new("python3");
    command.arg(&checker);
    for folder in [out.path(), uncounted.path()] {
        command.args(files(folder).iter().filter(|name| name.ends_with(".json")).map(|name| folder.join(name)));
    }
    let output = command.output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn doctor_says_what_this_machine_can_measure() {
    let text = succeed(&["doctor"]);
    for part in ["counter clock", "works", "machine", "events", "program valgrind", "program qemu-system-arm"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let findings: serde_json::Value = serde_json::from_str(&succeed(&["doctor", "--json"])).expect("JSON");
    assert!(findings.as_array().is_some_and(|rows| rows.iter().all(|row| row["detail"].is_string())));
}

#[test]
fn links_and_devices_stay_what_they_are() {
    let (_, out) = profile("keygen", "lwekem128", &["--trace", "/dev/null"]);
    assert!(!std::fs::metadata("/dev/null").expect("there").is_file());
    drop(out);
}

#[test]
fn a_picture_never_replaces_what_it_is_made_of() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let json = json(out.path());
    let (svg, other) = (out.path().join("x.svg"), folder());
    std::fs::copy(&json, &svg).expect("copied");
    assert!(fail(2, &["flamegraph", utf8(&svg)]).contains("would replace its input"));
    let twin = other.path().join("x.json");
    std::fs::copy(&json, &twin).expect("copied");
    let line = fail(2, &["flamegraph", utf8(&twin), utf8(&svg), "--out", utf8(other.path())]);
    assert!(line.contains("two records"), "{line}");
    assert_eq!(files(other.path()), ["x.json"]);
}

#[test]
fn sums_that_overflow_and_text_that_steers_a_terminal_are_refused() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let file = json(out.path());
    let good: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("was written")).expect("JSON");
    let mut bad = good.clone();
    for phase in ["/phases/0/self_ticks", "/phases/1/self_ticks"] {
        let ticks = bad.pointer(phase).and_then(serde_json::Value::as_u64).expect("ticks");
        *bad.pointer_mut(phase).expect("there") = (ticks + (1 << 63)).into();
    }
    std::fs::write(&file, bad.to_string()).expect("writable");
    fail(1, &["show", utf8(&file)]);
    for pointer in ["/instance", "/target", "/calls/0/fn", "/environment/kernel"] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).expect("there") = "a\u{1b}[31m\nb".into();
        std::fs::write(&file, bad.to_string()).expect("writable");
        assert!(fail(1, &["show", utf8(&file)]).contains("does not hold together"));
    }
}
