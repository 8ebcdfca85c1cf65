//! `kemprof bench-hash` as its user sees it. How long anything took is never asserted.

mod common;

use common::{fail, run, succeed};
use serde_json::Value;

fn rows(backends: &str) -> Vec<Value> {
    let args = ["bench-hash", "--backend", backends, "--counter", "clock", "--quick", "--json"];
    serde_json::from_str(&succeed(&args)).expect("JSON rows")
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
        let counter = (&row["counter"], &row["unit"], &row["hz"]);
        assert_eq!(counter, (&"clock".into(), &"ns".into(), &1_000_000_000_u64.into()));
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

#[test]
fn there_is_a_table_for_each_backend_that_was_asked_for() {
    let text = succeed(&["bench-hash", "--backend", "ascon,free", "--quick"]);
    for part in ["ascon   counter ", "free   counter ", "per byte", "per perm.", "lwekem256 eager", "65536", "guide"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains("pseudoXOF") && !text.contains('\u{1b}'), "{text}");
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
    ] {
        let line = fail(2, &[&["bench-hash"], args].concat());
        assert!(line.contains(expected), "{args:?}: {line}");
    }
}

#[test]
fn the_help_teaches_and_nothing_is_drawn_where_there_is_no_terminal() {
    assert!(succeed(&["bench-hash", "--help"]).contains("NICCS guide"));
    let (code, _, stderr) = run(&["bench-hash", "--backend", "free", "--quick"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
}
