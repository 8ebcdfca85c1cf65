//! `kemprof bench-hash` as its user sees it. How long anything took is never asserted.

mod common;

use common::{fail, files, folder, run, succeed, utf8};
use serde_json::Value;

/// The record of a short run with these options.
fn record(options: &[&str]) -> Value {
    let args = [&["bench-hash", "--counter", "clock", "--quick", "--json"], options].concat();
    serde_json::from_str(&succeed(&args)).expect("a JSON record")
}

fn rows_of(record: &Value) -> Vec<Value> {
    record["rows"].as_array().expect("rows").clone()
}

fn rows(backends: &str) -> Vec<Value> {
    rows_of(&record(&["--backend", backends, "--all"]))
}

#[test]
fn every_function_is_timed_at_every_length_of_the_guide() {
    let rows = rows("sm3,free");
    for (backend, function, input) in [
        ("sm3", "pseudoXOF", "in_bytes"),
        ("sm3", "sm3hash", "in_bytes"),
        ("sm3", "pseudohash", "in_bytes"),
        ("sm3", "drng", "out_bytes"),
        ("free", "free", "in_bytes"),
        ("free", "drng", "out_bytes"),
    ] {
        let lengths: Vec<&Value> = rows
            .iter()
            .filter(|row| row["backend"] == backend && row["fn"] == function && row["origin"] == "guide")
            .map(|row| &row[input])
            .collect();
        assert!(!lengths.is_empty(), "no {function} of {backend} in {rows:?}");
        for length in [32, 128, 512, 1024, 4096, 8192, 16384, 65536] {
            assert!(lengths.contains(&&Value::from(length)), "{function} of {backend} at {length}: {lengths:?}");
        }
    }
}

#[test]
fn every_figure_of_a_row_follows_and_says_what_it_is_of() {
    for row in rows("placeholder") {
        let number = |field: &str| row[field].as_f64().unwrap_or_else(|| panic!("{field} of {row} is no number"));
        let bytes = if row["per_byte_of"] == "output" { "out_bytes" } else { "in_bytes" };
        assert!(number(bytes) >= number("in_bytes").max(number("out_bytes")), "{row}");
        for (rate, of) in [("per_byte", bytes), ("per_permutation", "permutations")] {
            assert!((number(rate) * number(of) / number("per_call") - 1.0).abs() < 1e-9, "{rate} of {row}");
        }
        assert!(number("per_call") > 0.0 && number("calls_per_sample") >= number("lanes"), "{row}");
        assert_eq!(row["used_by"] == serde_json::json!([]), row["origin"] == "guide", "{row}");
    }
}

#[test]
fn shapes_are_those_that_schemes_ask_for() {
    let rows = rows("sm3,shake");
    let used = |backend: &str, role: &str, user: &str| -> Vec<&Value> {
        let by = |row: &&Value| row["used_by"].as_array().is_some_and(|users| users.contains(&user.into()));
        rows.iter().filter(|row| row["backend"] == backend && row["role"] == role).filter(by).collect()
    };
    // Published: 35 bytes to 12288 bits.
    let [eager] = used("sm3", "matrix", "lwekem256 eager")[..] else { panic!("{rows:?}") };
    assert_eq!(
        (&eager["in_bytes"], &eager["out_bytes"], &eager["fn"]),
        (&35.into(), &1536.into(), &"pseudoXOF".into())
    );
    let [lazy] = used("sm3", "matrix", "lwekem256 lazy")[..] else { panic!("{rows:?}") };
    assert!(lazy["in_bytes"] == 35 && lazy["out_bytes"].as_u64() < Some(1536 / 4), "{lazy}");
    assert!(lazy["lanes"].as_u64() > Some(1), "batches of sm3: {lazy}");
    // FIPS 203: PRF of 33 bytes, H of the encapsulation key.
    let noise = used("shake", "noise", "ml-kem-768");
    assert!(noise.iter().any(|row| row["in_bytes"] == 33 && row["fn"] == "shake256"), "{noise:?}");
    let keys = used("shake", "h", "ml-kem-768");
    assert!(keys.iter().any(|row| row["in_bytes"] == 1184 && row["fn"] == "sha3_256"), "{keys:?}");
}

/// Lines of the table: all between the headings and the line that says what was left out.
fn lines(text: &str) -> Vec<&str> {
    let (_, table) = text.split_once("  backend").unwrap_or_else(|| panic!("no table in\n{text}"));
    table.lines().skip(1).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn a_page_is_the_default_and_says_what_it_left_out() {
    let out = folder();
    let text = succeed(&["bench-hash", "--quick", "--out", utf8(out.path())]);
    for part in ["counter ", "per byte", "per perm.", "  sm3 ", "  blake3 ", "--all times the others too", "calls; "] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!((12..=24).contains(&lines(&text).len()) && !text.contains('\u{1b}'), "{text}");
    let text = succeed(&["bench-hash", "--quick", "--backend", "ascon,free", "--out", utf8(out.path())]);
    let shown = lines(&text);
    assert!(shown.len() == 24 && shown.iter().all(|line| ["  ascon ", "  free "].iter().any(|b| line.starts_with(b))));
    assert_eq!(files(out.path()), ["bench-hash-ascon+free.json", "bench-hash.json"]);
    let text = succeed(&["bench-hash", "--quick", "--backend", "free", "--all", "--out", utf8(out.path())]);
    assert!(text.contains("65536") && text.contains("guide") && !text.contains("left out"), "{text}");
    assert!(!text.contains("--all times"), "{text}");
}

#[test]
fn filters_choose_by_scheme_function_and_length() {
    let of = |options: &[&str]| rows_of(&record(&[&["--backend", "sm3,shake"], options].concat()));
    let all = of(&["--all"]).len();
    let rows = of(&["--instance", "mlkem768"]);
    let made = |row: &Value| {
        row["used_by"]
            .as_array()
            .is_some_and(|by| by.iter().any(|by| by.as_str().is_some_and(|by| by.starts_with("ml-kem-768"))))
    };
    assert!(rows.len() > 5 && rows.len() < all && rows.iter().all(made), "{rows:?}");
    let rows = of(&["--function", "SHA3-256,sm3hash"]);
    assert!(rows.iter().all(|row| row["fn"] == "sha3_256" || row["fn"] == "sm3hash") && rows.len() > 10, "{rows:?}");
    let rows = of(&["--length", "1184,1568"]);
    assert!(rows.iter().all(|row| row["in_bytes"] == 1184 || row["in_bytes"] == 1568) && rows.len() == 4, "{rows:?}");
    let rows = of(&["--instance", "ml-kem-768", "--function", "shake256", "--length", "128"]);
    assert!(rows.len() == 1 && rows[0]["role"] == "noise", "{rows:?}");
}

#[test]
fn the_record_says_where_and_with_what() {
    let out = folder();
    let printed = record(&["--backend", "free", "--function", "drng", "--out", utf8(out.path())]);
    let text = std::fs::read_to_string(out.path().join("bench-hash-free-drng-clock.json")).expect("was written");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), printed);
    assert_eq!(printed["schema"], "kemprof-hash/1");
    assert_eq!((&printed["counter"]["name"], &printed["counter"]["unit"]), (&"clock".into(), &"ns".into()));
    assert!(printed["environment"]["command"].as_array().is_some_and(|words| words.contains(&"bench-hash".into())));
    assert!(printed["left_out"].as_u64() > Some(10) && printed["rows"].as_array().is_some_and(|rows| rows.len() > 2));
    // With --json alone nothing is written.
    let empty = folder();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kemprof"));
    command.args(["bench-hash", "--backend", "free", "--length", "64", "--quick", "--json"]).current_dir(empty.path());
    assert!(command.output().expect("runs").status.success());
    assert!(files(empty.path()).is_empty());
}

#[test]
fn what_cannot_be_timed_is_one_line() {
    for (args, expected) in [
        (&["--backend", "md5"][..], "unknown backend \"md5\"; known: placeholder"),
        (&["--backend", "sm3,sm3"], "backend \"sm3\" is given twice"),
        (&["--backend", ""], "unknown backend \"\""),
        (&["--counter", "sundial"], "sundial"),
        (&["--counter", "none"], "counter none counts nothing"),
        (&["--frobnicate"], "--frobnicate"),
        (&["--instance", "ml-kem-769"], "did you mean ml-kem-768?"),
        (&["--function", "shake129"], "did you mean shake128?"),
        (&["--length", "7"], "no call has 7 bytes in or out; known: 0, 16, "),
        (&["--length", "much"], "--length"),
        (&["--backend", "shake", "--instance", "lwekem256", "--length", "1184"], "leave one out"),
    ] {
        let line = fail(2, &[&["bench-hash"], args].concat());
        assert!(line.contains(expected), "{args:?}: {line}");
    }
}

#[test]
fn the_help_teaches_and_nothing_is_drawn_where_there_is_no_terminal() {
    assert!(succeed(&["bench-hash", "--help"]).contains("NICCS guide"));
    let (code, _, stderr) = run(&["bench-hash", "--backend", "free", "--quick", "--json"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
}

#[test]
fn the_heading_says_processor_target_and_counter() {
    let out = folder();
    let args = ["bench-hash", "--counter", "clock", "--quick", "--backend", "sm3", "--length", "32"];
    let text = succeed(&[&args[..], &["--out", utf8(out.path())]].concat());
    let heading = text.lines().next().expect("a heading");
    let target = format!("{} Linux, counter clock: ", std::env::consts::ARCH);
    assert!(heading.contains(&target), "{heading}");
    let path = out.path().join(&files(out.path())[0]);
    let record: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("was written")).expect("JSON");
    let model = record["environment"]["cpu_model"].as_str().unwrap_or_default();
    let first = model.split(['(', ' ']).next().unwrap_or_default();
    assert!(heading.contains(first), "{heading}");
}
