use crate::common::{folder, json, utf8};
use crate::support::{can_build, can_emulate, finish, kemprof, on_m4};
use kemprof::evidence;
use kemprof_core::kem::INSTANCES;
use serde_json::Value;

fn rows(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("rows")
}

/// All records of all instances, over every backend that has published answers.
#[test]
fn all_nine_instances_give_their_known_answers() {
    if !can_build() {
        return;
    }
    let rows = rows(&on_m4(&["kat", "--sampling", "eager", "--json"]));
    for instance in INSTANCES {
        let of_instance: Vec<&Value> = rows.iter().filter(|row| row["instance"] == *instance).collect();
        assert!(!of_instance.is_empty(), "{instance}");
        for row in of_instance {
            assert_eq!(row["verdict"], "PASS", "{row}");
            let records = row["records"].as_u64().expect("a number");
            let word = if records == 1 { "record" } else { "records" };
            assert_eq!(row["on_target"], format!("m4sim: {records} of {records} {word}"), "{row}");
            assert_eq!(row["digest"], row["expected"], "{row}");
        }
    }
}

#[test]
fn without_published_answers_the_target_still_has_to_agree() {
    if !can_build() {
        return;
    }
    let rows = rows(&on_m4(&["kat", "lwekem128", "--hash", "ascon", "--sampling", "lazy", "--json"]));
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["verdict"], "NOT-APPLICABLE");
    assert_eq!(rows[0]["on_target"], "m4sim: 10 of 10 records");
}

#[test]
fn an_emulator_gives_answers_and_no_cycles() {
    if !can_emulate() {
        return;
    }
    let out = folder();
    let args = ["keygen", "ml-kem-512", "--hash", "shake", "--runner", "qemu", "--out", utf8(out.path())];
    let text = on_m4(&args);
    assert!(text.starts_with("ml-kem-512 keygen"), "{text}");
    assert!(text.contains("known answers PASS") && text.contains("no cycles: counter dwt is unavailable ("), "{text}");
    let record = evidence::read(&json(out.path())).expect("was written");
    assert_eq!(evidence::violations(&record), []);
    assert_eq!((record.runner.as_str(), record.counter.meaningful), ("qemu-system", false));
    assert!(record.counter.unavailable.as_ref().is_some_and(|reason| !reason.is_empty()));
    assert_eq!((record.profiled.ticks, record.derived.median, record.derived.hash_share), (None, None, None));
    assert!(record.calls.iter().all(|row| row.calls > 0 && row.ticks.is_none()));
    assert_eq!(
        rows(&on_m4(&["kat", "kyber512", "--runner", "qemu", "--sampling", "eager", "--json"]))[0]["verdict"],
        "PASS"
    );
}

#[test]
fn files_of_known_answers_are_the_hosts() {
    for option in ["--write", "--check"] {
        let (code, _, stderr) = finish(kemprof().args(["kat", "lwekem128", "--target", "cortex-m4", option, "x.rsp"]));
        assert_eq!(code, 2);
        assert!(stderr.contains(option) && stderr.contains("cortex-m4"), "{stderr}");
    }
}
