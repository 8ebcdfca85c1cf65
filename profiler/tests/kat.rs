//! `kemprof kat` as its user sees it.

mod common;

use common::{fail, files, folder, run, succeed, utf8};
use kemprof::kat::{AesCtrDrbg, Manifest};
use kemprof_core::Drng;
use kemprof_core::kem::INSTANCES;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const INSTANCE: &str = "lwekem128";

/// The known-answer file of [`INSTANCE`] as the command writes it, in a folder of its own.
fn written() -> (String, PathBuf, TempDir) {
    let folder = folder();
    let path = folder.path().join("answers.rsp");
    succeed(&["kat", INSTANCE, "--write", utf8(&path)]);
    (fs::read_to_string(&path).expect("was written"), path, folder)
}

fn check(path: &Path, text: &str) -> String {
    fs::write(path, text).expect("writable");
    succeed(&["kat", "--check", utf8(path)])
}

/// `text` with the digit at `at` replaced by another, which is returned after the right one.
fn wrong_digit(text: &str, at: usize) -> (String, char, char) {
    let right = char::from(text.as_bytes()[at]);
    let wrong = if right == '0' { '1' } else { '0' };
    (format!("{}{wrong}{}", &text[..at], &text[at + 1..]), right, wrong)
}

#[test]
fn all_instances_give_the_published_answers() {
    let rows: Vec<Value> = serde_json::from_str(&succeed(&["kat", "--json"])).expect("JSON rows");
    for instance in INSTANCES {
        let manifest = Manifest::of(instance).expect("every instance has one");
        for backend in &manifest.backends {
            for sampling in ["eager", "lazy"] {
                let row = rows.iter().find(|row| {
                    (row["instance"] == *instance) && (row["backend"] == **backend) && (row["sampling"] == sampling)
                });
                let row = row.unwrap_or_else(|| panic!("no row of {instance} over {backend}, {sampling}"));
                assert_eq!((&row["verdict"], &row["digest"]), (&"PASS".into(), &Value::from(&*manifest.sha256)));
            }
        }
    }
    assert!(rows.iter().all(|row| row["verdict"] == "PASS"), "{rows:?}");
}

#[test]
fn the_table_has_a_line_for_each_instance_and_backend() {
    let text = succeed(&["kat", "lwekem128", "kyber512"]);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    // Placeholder and sm3, then shake; each eager and lazy.
    assert_eq!(lines.len(), 2 * 2 + 2, "{text}");
    for (line, start) in lines.iter().zip(["lwekem128  placeholder  eager", "lwekem128  placeholder  lazy"]) {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(line).starts_with(&words(start)), "{text}");
    }
    assert!(lines.iter().all(|line| line.ends_with("PASS")), "{text}");
    let digests = |instance: &str| Manifest::of(instance).expect("has a manifest").sha256;
    assert!(lines[3].contains(&digests("lwekem128")) && lines[5].contains(&digests("kyber512")), "{text}");
}

#[test]
fn a_backend_without_published_answers_is_said_not_to_have_any() {
    let text = succeed(&["kat", INSTANCE, "--hash", "shake", "--sampling", "lazy", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&text).expect("JSON rows");
    assert_eq!((rows.len(), &rows[0]["verdict"]), (1, &"NOT-APPLICABLE".into()));
    assert!(rows[0]["digest"].is_string() && rows[0]["expected"].is_null(), "{text}");
    let text = succeed(&["kat", INSTANCE, "--hash", "placeholder+xof=shake,sm3"]);
    assert!(text.contains("placeholder+xof=shake has no published vectors") && text.contains("PASS"), "{text}");
}

#[test]
fn every_file_that_is_written_passes_its_check_by_itself() {
    let folder = folder();
    for instance in ["lwekem512", "kyber768", "ml-kem-768"] {
        let path = folder.path().join("deep").join(instance);
        let text = succeed(&["kat", instance, "--write", utf8(&path)]);
        assert!(text.contains(utf8(&path)), "{text}");
        assert_eq!(
            fs::metadata(&path).expect("was written").len(),
            Manifest::of(instance).expect("has a manifest").bytes as u64
        );
        // Neither the instance nor its functions are named.
        let text = succeed(&["kat", "--check", utf8(&path)]);
        assert!(text.starts_with("PASS: ") && text.contains(&format!(" of {instance} over ")), "{text}");
        assert!(text.contains("byte for byte the published file"), "{text}");
        let report: Value =
            serde_json::from_str(&succeed(&["kat", instance, "--check", utf8(&path), "--json"])).expect("JSON");
        assert_eq!((&report["identity"], &report["verdict"]), (&"bytes".into(), &"PASS".into()));
        assert_eq!(report["digest"], *Manifest::of(instance).expect("has a manifest").sha256);
    }
    assert_eq!(files(&folder.path().join("deep")), ["kyber768", "lwekem512", "ml-kem-768"]);
}

#[test]
fn a_file_over_other_functions_is_written_and_checked_with_the_same_option() {
    let folder = folder();
    let path = folder.path().join("shake.rsp");
    succeed(&["kat", INSTANCE, "--hash", "shake", "--write", utf8(&path)]);
    let text = succeed(&["kat", "--hash", "shake", "--check", utf8(&path)]);
    assert!(text.starts_with("PASS: 10 records of lwekem128 over shake"), "{text}");
    let line = fail(1, &["kat", "--check", utf8(&path)]);
    assert!(line.contains("no value follows from its seed") && line.contains("--hash"), "{line}");
}

#[test]
fn layout_and_spelling_do_not_count() {
    let (text, path, _folder) = written();
    let lower = |line: &str| match line.split_once(" = ") {
        Some((name, value)) => format!("{name} = {}\n", value.to_lowercase()),
        None => format!("{line}\n"),
    };
    for layout in [
        text.replace('\n', "\r\n"),
        text.trim_end().to_owned(),
        text.replace("\n\n", "\n"),
        text.replace('\n', "\n\n"),
        text.lines().map(lower).collect(),
    ] {
        let shown = check(&path, &layout);
        assert!(
            shown.starts_with("PASS") && shown.contains("of 10 records, laid out or spelled differently"),
            "{shown}"
        );
    }
    let first = text.split("Count = 1\n").next().expect("has a first record");
    assert!(check(&path, first).contains("PASS: 1 record of lwekem128 over placeholder"));
}

#[test]
fn as_many_records_as_wanted_are_written() {
    let folder = folder();
    let path = folder.path().join("PQCkemKAT_1632.rsp");
    let write = |count| ["kat", "ml-kem-512", "--count", count, "--write", utf8(&path)].map(str::to_owned);
    for (count, named) in [
        ("1", "byte for byte the published file of 1 record\n"),
        ("100", "the published file of 100 records\n"),
        ("2", "seeds of the published file"),
    ] {
        succeed(&write(count).each_ref().map(String::as_str));
        let shown = succeed(&["kat", "--check", utf8(&path)]);
        assert!(shown.contains(&format!("{count} record")) && shown.contains(named), "{shown}");
    }
    assert!(fail(2, &["kat", "ml-kem-512", "--count", "3"]).contains("--write"));
    assert!(fail(2, &write("0").each_ref().map(String::as_str)).contains("--count"));
}

#[test]
fn records_that_are_missing_repeated_or_not_in_their_place_are_named() {
    let (text, path, _folder) = written();
    let records: Vec<&str> = text.split_inclusive("\n\n").collect();
    for (order, named) in [
        (vec![0, 1, 3], "record 2 is missing before this one"),
        (vec![0, 1, 1, 2], "record 1 is there twice, on line 13 before"),
        (vec![0, 2, 1], "record 1 is not in its place: it comes later, on line 25"),
    ] {
        fs::write(&path, order.iter().map(|&count| records[count]).collect::<String>()).expect("writable");
        let line = fail(1, &["kat", "--check", utf8(&path)]);
        assert!(line.contains(named), "{line}");
    }
}

/// Test cases of each kind as NIST's servers send them, made of the first known answers: prompt and expected results.
fn acvp(folder: &Path) -> [PathBuf; 2] {
    let path = folder.join("512.rsp");
    succeed(&["kat", "ml-kem-512", "--write", utf8(&path)]);
    let text = fs::read_to_string(&path).expect("was written");
    let value = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} = "))).expect("has the field");
        line.split(" = ").nth(1).expect("has a value").to_owned()
    };
    let [seed, ek, dk, c, k] = ["seed", "pk", "sk", "ct", "ss"].map(value);
    let mut draws = AesCtrDrbg::instantiate(&hex::decode(seed).expect("is hexadecimal").try_into().expect("48 bytes"));
    let (mut dz, mut m) = ([0; 64], [0; 32]);
    draws.generate(&mut dz);
    draws.generate(&mut m);
    let (d, z, m) = (hex::encode_upper(&dz[..32]), hex::encode_upper(&dz[32..]), hex::encode_upper(m));
    let set = "ML-KEM-512";
    // A coefficient that is not below the modulus; a hash that is not the key's.
    let (bad_ek, bad_dk) = (format!("FFFF{}", &ek[4..]), format!("{}{}", &dk[..3264 - 128], "00".repeat(64)));
    let prompt = json!({"vsId": 1, "algorithm": "ML-KEM", "mode": "encapDecap", "testGroups": [
        {"tgId": 1, "parameterSet": set, "function": "encapsulation", "tests": [{"tcId": 1, "ek": ek, "m": m}]},
        {"tgId": 2, "parameterSet": set, "function": "decapsulation", "dk": dk, "tests": [{"tcId": 2, "c": c}]},
        {"tgId": 3, "parameterSet": set, "function": "encapsulationKeyCheck", "tests": [{"tcId": 3, "ek": ek}, {"tcId": 4, "ek": bad_ek}]},
        {"tgId": 4, "parameterSet": set, "function": "decapsulationKeyCheck", "tests": [{"tcId": 5, "dk": dk}, {"tcId": 6, "dk": bad_dk}]},
    ]});
    let expected = json!([{"acvVersion": "1.0"}, {"vsId": 1, "algorithm": "ML-KEM", "mode": "encapDecap", "testGroups": [
        {"tgId": 1, "tests": [{"tcId": 1, "c": c, "k": k.to_lowercase()}]},
        {"tgId": 2, "tests": [{"tcId": 2, "k": k}]},
        {"tgId": 3, "tests": [{"tcId": 3, "testPassed": true}, {"tcId": 4, "testPassed": false}]},
        {"tgId": 4, "tests": [{"tcId": 5, "testPassed": true}, {"tcId": 6, "testPassed": false}]},
    ]}]);
    let keygen = json!({"algorithm": "ML-KEM", "mode": "keyGen", "testGroups": [
        {"tgId": 1, "parameterSet": set, "tests": [{"tcId": 1, "d": d, "z": z, "ek": ek, "dk": dk}]},
    ]});
    let write = |name: &str, json: &Value| {
        let path = folder.join(name);
        fs::write(&path, json.to_string()).expect("writable");
        path
    };
    write("keygen.json", &keygen);
    [write("prompt.json", &prompt), write("expectedResults.json", &expected)]
}

#[test]
fn acvp_test_cases_are_answered_and_compared() {
    let folder = folder();
    let [prompt, expected] = acvp(folder.path());
    let keygen = folder.path().join("keygen.json");
    let all = ["kat", "--acvp", utf8(&prompt), utf8(&expected), utf8(&keygen)];
    let rows: Vec<Value> = serde_json::from_str(&succeed(&[&all[..], &["--json"]].concat())).expect("rows");
    let seen: Vec<_> =
        rows.iter().map(|row| (row["function"].as_str().expect("a name"), row["cases"].as_u64())).collect();
    let kinds = [
        ("encapsulation", 1),
        ("decapsulation", 1),
        ("encapsulationKeyCheck", 2),
        ("decapsulationKeyCheck", 2),
        ("keyGen", 1),
    ];
    assert_eq!(seen, kinds.map(|(kind, cases)| (kind, Some(cases))));
    let text = succeed(&all);
    assert_eq!(text.matches("PASS").count(), 5, "{text}");

    let line = fail(1, &["kat", "--acvp", utf8(&prompt)]);
    assert!(line.contains("encapDecap, tgId 1, tcId 1: it has no c, k: give the expected results' file too"), "{line}");
    let line = fail(1, &["kat", "--acvp", utf8(&expected)]);
    assert!(line.contains("it has no parameterSet: give the prompt's file too"), "{line}");
    let right = fs::read_to_string(&expected).expect("was written");
    let wrong = right.replacen("\"testPassed\":false", "\"testPassed\":true", 1);
    fs::write(&expected, wrong).expect("writable");
    let line = fail(1, &all);
    assert!(
        line.contains(
            "1 difference from the expected results; the first: ml-kem-512 encapsulationKeyCheck, tgId 3, tcId 4"
        ),
        "{line}"
    );
    let c = right.find("\"c\":\"").expect("has one") + 5;
    let digit = if &right[c..=c] == "0" { "1" } else { "0" };
    fs::write(&expected, format!("{}{digit}{}", &right[..c], &right[c + 1..])).expect("writable");
    let line = fail(1, &all);
    assert!(line.contains("encapsulation, tgId 1, tcId 1: c is "), "{line}");
    for (text, named) in [
        ("{", "it is not JSON"),
        ("{}", "it has no testGroups"),
        ("{\"testGroups\":[],\"algorithm\":\"AES\"}", "expected \"ML-KEM\""),
    ] {
        fs::write(&expected, text).expect("writable");
        let line = fail(1, &all);
        assert!(line.contains(named) && line.contains("expectedResults.json"), "{line}");
    }
}

/// NIST's own vectors, which are kept beside the repository.
#[test]
fn nists_test_cases_are_answered_where_they_are_there() {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "shared", "vectors"].iter().collect();
    for (file, rows) in [("acvp-ml-kem-keygen.json", 3), ("acvp-ml-kem-encap-decap.json", 6)] {
        let path = folder.join(file);
        if !path.exists() {
            // Not by a macro: what those print is hidden when a test passes.
            writeln!(std::io::stderr(), "skipped: no vectors ({file})").expect("the standard error is there");
            continue;
        }
        assert_eq!(succeed(&["kat", "--acvp", utf8(&path)]).matches("PASS").count(), rows);
    }
}

#[test]
fn one_wrong_digit_fails_and_is_named_by_count_and_field() {
    let (text, path, _folder) = written();
    for (count, field) in [(0, "PK"), (7, "CT"), (9, "SS")] {
        let record = text.find(&format!("Count = {count}\n")).expect("has the record");
        let value = record + text[record..].find(&format!("\n{field} = ")).expect("has the field") + field.len() + 4;
        let (broken, right, wrong) = wrong_digit(&text, value + 4);
        fs::write(&path, broken).expect("writable");
        let (code, shown, line) = run(&["kat", "--check", utf8(&path)]);
        assert_eq!(code, 1, "{shown}{line}");
        let named = format!("count {count}, {field} (line ");
        assert!(shown.starts_with(&format!("FAIL: {named}")), "{shown}");
        assert!(shown.contains("digit 5 of ") && shown.contains(&format!("is {wrong}, expected {right}")));
        assert!(line.contains("answers.rsp") && line.contains(&named) && line.lines().count() == 1, "{line}");
        let (code, shown, _) = run(&["kat", INSTANCE, "--check", utf8(&path), "--json"]);
        let report: Value = serde_json::from_str(&shown).expect("the report alone on standard output");
        assert_eq!((code, &report["verdict"], &report["identity"]), (1, &"FAIL".into(), &"differs".into()));
        let difference = &report["differences"][0];
        assert_eq!((&difference["count"], &difference["field"]), (&count.into(), &field.into()));
        assert_eq!(report["differences"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn files_that_are_no_known_answers_are_one_line() {
    let (text, path, folder) = written();
    for (broken, expected) in [
        (text.replacen("PK = ", "PK = A", 1), "PK of record 0 has 1761 hexadecimal digits, expected an even number"),
        (text.replacen("SS = ", "SS = G", 1), "digit 1 of SS of record 0 is 'G'"),
        (text[..text.len() / 3].to_owned(), "record 3"),
        (String::new(), "the file has no records"),
        ("\n\n".to_owned(), "the file has no records"),
        ("once upon a time".to_owned(), "expected NAME = VALUE"),
        ("\u{7f}ELF".to_owned(), "is this a file of known answers?"),
    ] {
        fs::write(&path, broken).expect("writable");
        for args in [&["kat", "--check", utf8(&path)][..], &["kat", INSTANCE, "--check", utf8(&path), "--json"]] {
            let line = fail(1, args);
            assert!(line.contains("answers.rsp: line ") && line.contains(expected), "{line}");
        }
    }
    let line = fail(1, &["kat", "--check", utf8(&folder.path().join("absent.rsp"))]);
    assert!(line.contains("cannot read") && line.contains("absent.rsp"), "{line}");
    assert!(fail(1, &["kat", "--check", utf8(folder.path())]).contains("cannot read"));
    assert_eq!(files(folder.path()), ["answers.rsp"]);
}

#[test]
fn options_that_make_no_sense_are_one_line_and_leave_nothing() {
    let folder = folder();
    let path = folder.path().join("x.rsp");
    let path = utf8(&path);
    for (args, expected) in [
        (&["kat", "frodo"][..], "unknown instance \"frodo\"; known: lwekem128"),
        (&["kat", "--hash", "md5"], "unknown backend \"md5\"; known: placeholder"),
        (&["kat", "lwekem128", "--hash", "md5", "--write", path], "unknown backend \"md5\""),
        (&["kat", "--hash", "md5", "--check", path], "unknown backend \"md5\""),
        (&["kat", "--sampling", "later"], "--sampling"),
        (&["kat", "--write", path], "--write needs an instance"),
        (
            &["kat", "lwekem128", "lwekem256", "--write", path],
            "--write is for one instance, not lwekem128 and lwekem256",
        ),
        (&["kat", "lwekem128", "lwekem256", "--check", path], "--check is for one instance"),
        (&["kat", "lwekem128", "--hash", "placeholder,sm3", "--write", path], "--write is for one backend, not 2"),
        (&["kat", "lwekem128", "--hash", "placeholder,sm3", "--check", path], "--check is for one backend, not 2"),
        (&["kat", "lwekem128", "--write", path, "--check", path], "--check"),
    ] {
        let line = fail(2, args);
        assert!(line.contains(expected), "{args:?}: {line}");
    }
    assert_eq!(files(folder.path()), [""; 0]);
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_and_spoils_nothing() {
    let folder = folder();
    let file = folder.path().join("a-file");
    fs::write(&file, "mine").expect("writable");
    let line = fail(1, &["kat", INSTANCE, "--write", utf8(&file.join("below"))]);
    assert!(line.contains("cannot write") && line.contains("below"), "{line}");
    let line = fail(1, &["kat", INSTANCE, "--write", utf8(folder.path())]);
    assert!(line.contains("cannot write"), "{line}");
    assert_eq!(fs::read_to_string(&file).expect("still there"), "mine");
    assert_eq!(files(folder.path()), ["a-file"]);
}
