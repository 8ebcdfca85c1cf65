//! `kemprof whatif` as its user sees it.

mod common;

use common::{fail, files, folder, json, profile, succeed, utf8};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn the_prediction_is_amdahls_law_over_the_file() {
    let (records, out) = profile("keygen", "lwekem128", &[]);
    let record = &records[0];
    let file = json(out.path());
    let args = ["whatif", utf8(&file), "--speed", "xof=4", "--speed", "noise=inf", "--json"];
    let prediction: Value = serde_json::from_str(&succeed(&args)).expect("JSON");
    let share = |role: &str| {
        let rows = record.calls.iter().filter(|row| row.role == role);
        rows.map(|row| row.ticks.expect("ticks")).sum::<i64>() as f64 / record.profiled.ticks.expect("ticks") as f64
    };
    let median = record.derived.median.expect("has trials");
    let after = median * (1.0 - share("noise") - 0.75 * share("matrix"));
    for (field, expected) in [
        ("before", median),
        ("after", after),
        ("speedup", median / after),
        ("hash_share_before", record.derived.hash_share.expect("ticks")),
        ("ceiling", 1.0 / (1.0 - share("noise") - share("matrix"))),
    ] {
        let got = number(&prediction[field]);
        assert!((got / expected - 1.0).abs() < 1e-9, "{field} is {got}, expected {expected}");
    }
    let parts = prediction["parts"].as_array().expect("parts");
    let keys: Vec<&Value> = parts.iter().map(|part| &part["key"]).collect();
    assert_eq!(keys, [&Value::from("xof"), &Value::from("noise"), &Value::Null]);
    assert_eq!((&parts[1]["speed"], number(&parts[1]["after"])), (&Value::Null, 0.0));
    assert!((parts.iter().map(|part| number(&part["share"])).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn the_table_says_what_would_be_and_writes_nothing() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let before = files(out.path());
    let file = json(out.path());
    let text = succeed(&["whatif", utf8(&file), "--speed", "matrix=2.5", "--speed", "ntt=inf"]);
    for part in [
        "lwekem128 keygen, if parts were faster   placeholder   ",
        "share now",
        "matrix",
        "2.5 ×",
        "no cost",
        "the rest",
        "ceiling",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(text.contains("as fast") && text.contains("median without probes"), "{text}");
    assert_eq!(files(out.path()), before);
}

#[test]
fn suppositions_that_make_no_sense_are_one_line() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let file = json(out.path());
    let file = utf8(&file);
    for (speeds, expected) in [
        (&["xof"][..], "\"xof\" is not of the form KEY=FACTOR"),
        (&["xof=0"], "expected a positive number"),
        (&["xof=-2"], "expected a positive number"),
        (&["xof=nan"], "expected a positive number"),
        (&["xof=quick"], "\"quick\" in \"xof=quick\" is not a speed"),
        (&["kdf=2"], "nothing in lwekem128 keygen is called \"kdf\"; there are"),
        (&["xof=2", "matrix=3"], "pseudoXOF for matrix is meant by \"xof\" and by \"matrix\""),
        (&["ntt=2", "ntt=2"], "is meant by \"ntt\" and by \"ntt\""),
        (&[], "--speed"),
    ] {
        let mut args = vec!["whatif", file];
        args.extend(speeds.iter().flat_map(|speed| ["--speed", speed]));
        let line = fail(2, &args);
        assert!(line.contains(expected), "{args:?}: {line}");
    }
}

#[test]
fn files_without_ticks_or_sense_are_named() {
    let (_, out) = profile("keygen", "lwekem128", &["--counter", "none"]);
    let line = fail(1, &["whatif", utf8(&json(out.path())), "--speed", "xof=2"]);
    assert!(line.contains("lwekem128 keygen has no ticks to predict from"), "{line}");
    let absent = folder().path().join("absent.json");
    assert!(fail(1, &["whatif", utf8(&absent), "--speed", "xof=2"]).contains("absent.json"));
}

#[test]
fn the_help_teaches_the_keys() {
    let text = succeed(&["whatif", "--help"]);
    for part in ["matrix, noise", "sample_matrix", "--speed xof=4 --speed noise=inf", "Amdahl"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}
