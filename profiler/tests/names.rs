//! Names of instances, functions and commands as its user types them.

mod common;

use common::{fail, files, folder, succeed, utf8};
use serde_json::Value;

/// A run of one operation with these arguments: the evidence, and its files.
fn run(args: &[&str]) -> (Value, Vec<String>) {
    let out = folder();
    let rest = ["--trials", "1", "--iterations", "1", "--counter", "none", "--json", "--out", utf8(out.path())];
    let text = succeed(&[args, &rest].concat());
    (serde_json::from_str(&text).expect("evidence"), files(out.path()))
}

#[test]
fn the_default_functions_are_those_with_published_answers() {
    for (instance, backend) in [("lwekem128", "placeholder"), ("ml-kem-512", "shake"), ("kyber512", "shake")] {
        let (record, files) = run(&["keygen", instance]);
        assert_eq!((&record["backends"]["xof"], &record["kat"]), (&backend.into(), &"PASS".into()), "{instance}");
        assert_eq!(files, [format!("{instance}-keygen-{backend}-none.json")]);
    }
    let (record, _) = run(&["keygen", "kyber512", "--xof", "ascon"]);
    assert_eq!((&record["backends"]["xof"], &record["backends"]["hash"]), (&"ascon".into(), &"shake".into()));
}

#[test]
fn a_comparison_begins_with_the_published_functions() {
    let out = folder();
    let args = ["compare", "ml-kem-512", "--op", "keypair", "--trials", "1", "--iterations", "1", "--counter", "none"];
    let text = succeed(&[&args[..], &["--json", "--out", utf8(out.path())]].concat());
    let rows: Vec<Value> = serde_json::from_str(&text).expect("rows");
    let variants: Vec<&str> = rows.iter().map(|row| row["variant"].as_str().expect("a name")).collect();
    assert_eq!(variants, ["shake", "placeholder", "sm3", "turboshake", "ascon", "free"]);
}

#[test]
fn what_is_printed_can_be_typed() {
    let out = folder();
    let args = ["--trials", "1", "--iterations", "1", "--out", utf8(out.path())];
    let typed = "shake+xof=sm3+drng=ascon@lazy";
    let text = succeed(&[&["keygen", "lwekem128", "--hash", typed][..], &args].concat());
    assert!(text.starts_with(&format!("lwekem128 keygen   {typed} (not as submitted)   ")), "{text}");
    assert!(text.contains(&format!("lwekem128-keygen-{typed}.json")), "{text}");
    // Two generators of one name are two backends.
    let text = succeed(&[&["keygen", "lwekem128", "--drng", "sm3"][..], &args].concat());
    assert!(text.starts_with("lwekem128 keygen   placeholder+drng=sm3   "), "{text}");
}

#[test]
fn sampling_is_said_with_the_functions_or_by_its_option() {
    for args in [
        &["--hash", "sm3@lazy"][..],
        &["--hash", "sm3@lazy", "--sampling", "lazy"],
        &["--hash", "sm3", "--sampling", "Lazy"],
    ] {
        let (record, files) = run(&[&["enc", "lwekem128"], args].concat());
        assert_eq!(record["sampling"], "lazy", "{args:?}");
        assert_eq!(files, ["lwekem128-enc-sm3@lazy-none.json"]);
    }
    for command in ["keygen", "kat"] {
        let line = fail(2, &[command, "lwekem128", "--hash", "sm3@lazy", "--sampling", "eager"]);
        assert!(line.contains("--hash sm3@lazy and --sampling eager contradict each other"), "{line}");
    }
    let rows: Value =
        serde_json::from_str(&succeed(&["kat", "lwekem128", "--hash", "sm3@lazy", "--json"])).expect("rows");
    assert_eq!((rows.as_array().map(Vec::len), &rows[0]["sampling"]), (Some(1), &"lazy".into()));
}

#[test]
fn names_are_found_as_people_write_them() {
    for (command, name, instance, operation) in [
        ("keypair", "ML-KEM-512", "ml-kem-512", "keygen"),
        ("encaps", "mlkem512", "ml-kem-512", "enc"),
        ("decaps", "Kyber-512", "kyber512", "dec"),
    ] {
        let (record, files) = run(&[command, name, "--hash", "SHAKE"]);
        assert_eq!((&record["instance"], &record["operation"]), (&instance.into(), &operation.into()));
        assert_eq!(files, [format!("{instance}-{operation}-shake-none.json")]);
    }
    assert!(succeed(&["kat", "KYBER_512", "--sampling", "lazy"]).contains("PASS"));
    assert!(succeed(&["list", "--target", "HOST"]).contains("lwekem128"));
}

#[test]
fn misspelt_names_are_guessed() {
    for (args, meant) in [
        (&["keygen", "lwekm256"][..], "unknown instance \"lwekm256\"; did you mean lwekem256? known: lwekem128, "),
        (&["keygen", "lwekem128", "--hash", "ascom"], "unknown backend \"ascom\"; did you mean ascon?"),
        (&["keygen", "lwekem128", "--xof", "shak"], "did you mean shake?"),
        (&["compare", "ml-kem-786"], "did you mean ml-kem-768?"),
        (&["bench-hash", "--backend", "turboshke"], "did you mean turboshake?"),
        (&["kat", "kyber1042"], "did you mean kyber1024?"),
        (&["keygen", "lwekem128", "--target", "cortex-m3"], "did you mean cortex-m4?"),
        (&["keygen", "lwekem128", "--counter", "callgrnd"], "did you mean callgrind?"),
    ] {
        let line = fail(2, args);
        assert!(line.contains(meant), "{args:?}: {line}");
    }
}
