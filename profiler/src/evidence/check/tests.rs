//! Forges real records, one field at a time.

use super::relations::Rule;
use super::*;
use serde_json::json;

const RECORDS: [(&str, &str); 9] = [
    ("host", include_str!("../../../tests/records/host.json")),
    ("processes", include_str!("../../../tests/records/processes.json")),
    ("compared", include_str!("../../../tests/records/compared.json")),
    ("uncounted", include_str!("../../../tests/records/uncounted.json")),
    ("callgrind", include_str!("../../../tests/records/callgrind.json")),
    ("aarch64", include_str!("../../../tests/records/aarch64.json")),
    ("cortex-m4", include_str!("../../../tests/records/cortex-m4.json")),
    ("host-sm3", include_str!("../../../tests/records/host-sm3.json")),
    ("cortex-m4-sm3", include_str!("../../../tests/records/cortex-m4-sm3.json")),
];

/// Part of the forgeries that must be found, of fields that are declared determined.
const FOUND: f64 = 0.97;

fn record(text: &str) -> Value {
    serde_json::from_str(text).expect("is JSON")
}

/// Whether a record is refused: it is not of the record's shape, or contradicts itself.
fn is_refused(record: &Value) -> bool {
    serde_json::from_value::<Evidence>(record.clone()).map_or(true, |evidence| !violations(&evidence).is_empty())
}

fn listed(record: &Value) -> String {
    let evidence = serde_json::from_value::<Evidence>(record.clone()).expect("is of the record's shape");
    violations(&evidence).iter().map(|violation| format!("{violation}\n")).collect()
}

/// Pointers to the values without parts, with their patterns: the first and the last of each list.
fn leaves(value: &Value, pointer: &str, pattern: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let dot = if pattern.is_empty() { "" } else { "." };
                leaves(value, &format!("{pointer}/{name}"), &format!("{pattern}{dot}{name}"), found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for index in std::collections::BTreeSet::from([0, items.len() - 1]) {
                leaves(&items[index], &format!("{pointer}/{index}"), &format!("{pattern}[]"), found);
            }
        }
        Value::Object(_) | Value::Array(_) => {}
        _ => found.push((pointer.to_owned(), pattern.to_owned())),
    }
}

/// Other values for a field; those of numbers that bounds need not find come last.
fn changes(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let scaled = |factor: u64| {
                number.as_u64().map_or_else(
                    || json!(number.as_f64().unwrap_or_default() * factor as f64),
                    |whole| json!(whole.saturating_mul(factor)),
                )
            };
            let more = number
                .as_u64()
                .map_or_else(|| json!(number.as_f64().unwrap_or_default() + 1.0), |whole| json!(whole + 1));
            vec![json!(-1), Value::Null, json!("other"), scaled(100), scaled(2), more, json!(0)]
        }
        Value::String(text) => vec![json!("other"), json!(7), json!(format!("{text}\u{7}")), Value::Null],
        Value::Bool(set) => vec![json!(!set), json!("other")],
        _ => vec![json!(1), json!("other")],
    }
}

/// Those of them that a bound finds: below and above all that may be, and what is no number.
const GROSS: usize = 3;

#[test]
fn a_field_of_another_version_is_no_contradiction() {
    let mut old = record(RECORDS[0].1);
    old["estimate"] = json!({ "per_operation": 1250.0, "running_share": 0.4 });
    assert!(!is_refused(&old), "{}", listed(&old));
}

#[test]
fn real_records_hold() {
    for (name, text) in RECORDS {
        assert_eq!(listed(&record(text)), "", "{name}");
    }
}

#[test]
fn every_field_of_real_records_has_a_relation() {
    for (name, text) in RECORDS {
        let mut found = Vec::new();
        leaves(&record(text), "", "", &mut found);
        for (pointer, pattern) in found {
            assert!(relation(&pattern).is_some(), "{pointer} of {name} has no line in RELATIONS");
        }
    }
}

#[test]
fn forged_fields_that_are_determined_are_found() {
    let (mut all, mut missed) = (0, Vec::new());
    for (name, text) in RECORDS {
        let record = record(text);
        let mut found = Vec::new();
        leaves(&record, "", "", &mut found);
        for (pointer, pattern) in found {
            let value = record.pointer(&pointer).expect("there");
            let changes = changes(value);
            let wanted = match relation(&pattern).map(|relation| &relation.rule) {
                Some(Rule::Follows | Rule::Text(_)) => changes.len(),
                Some(Rule::Bounded(_)) if !value.is_null() => GROSS,
                _ => 0,
            };
            for change in changes.into_iter().take(wanted).filter(|change| change != value) {
                let mut forged = record.clone();
                *forged.pointer_mut(&pointer).expect("there") = change.clone();
                all += 1;
                if !is_refused(&forged) {
                    missed.push(format!("{name} {pointer}: {value} to {change}"));
                }
            }
        }
    }
    let part = 1.0 - missed.len() as f64 / f64::from(all);
    assert!(part >= FOUND, "{} of {all} forgeries were not found:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn a_field_that_is_taken_out_is_missed() {
    for pointer in
        ["/environment/started_utc", "/environment/build/target", "/counter/hz", "/kat_digest", "/share/drng", "/mean"]
    {
        let mut forged = record(RECORDS[0].1);
        let (parent, name) = pointer.rsplit_once('/').expect("has a parent");
        let parent = if parent.is_empty() { &mut forged } else { forged.pointer_mut(parent).expect("there") };
        parent.as_object_mut().expect("an object").remove(name);
        assert!(is_refused(&forged), "{pointer}");
    }
}

/// A record with these fields changed.
fn with(name: &str, changes: &[(&str, Value)]) -> Value {
    let text = RECORDS.iter().find(|(known, _)| *known == name).expect("is a record").1;
    let mut record = record(text);
    for (pointer, value) in changes {
        *record.pointer_mut(pointer).unwrap_or_else(|| panic!("{name} has {pointer}")) = value.clone();
    }
    record
}

#[test]
fn rows_are_sums_over_the_trials_that_count() {
    for (pointer, value, expected) in [
        ("/hash_share_interval/low", json!(0.1), "hash_share_interval.low is 0.1, expected"),
        ("/calls/0/paths/0/trial_ticks/0", json!(-7), "calls[0].paths[0].ticks is"),
        ("/phases/0/trial_ticks", json!([1, 2]), "phases[0].trial_ticks# is 2, expected 11"),
        ("/phases/0/probe_ticks", json!(-7), "profiled.raw_ticks is"),
        ("/calls/0/interval/high", json!(1.0), "calls[0].interval.high is 1.0, expected"),
        ("/profiled/intervals_over", json!("trials"), "profiled.intervals_over is \"trials\", expected \"processes\""),
    ] {
        let found = listed(&with("processes", &[(pointer, value)]));
        assert!(found.contains(expected), "{pointer}: {found:?} has no {expected:?}");
    }
}

#[test]
fn a_record_that_is_relabelled_is_found() {
    let m4 = [
        ("/target", json!("thumbv7em-none-eabihf")),
        ("/runner", json!("probe-rs")),
        ("/counter/name", json!("dwt")),
        ("/counter/unit", json!("cycles")),
    ];
    assert!(listed(&with("host", &m4)).contains("runner is \"probe-rs\""));
    for (pointer, other) in [
        ("/instance", "lwekem256"),
        ("/instance", "kyber512"),
        ("/operation", "dec"),
        ("/sampling", "lazy"),
        ("/backends/xof", "shake"),
        ("/backends/drng", "ascon-drbg"),
        ("/counter/name", "clock"),
        ("/counter/name", "perf"),
    ] {
        let found = listed(&with("host", &[(pointer, json!(other))]));
        assert!(!found.is_empty(), "{pointer} is {other}");
    }
}

#[test]
fn what_is_wrong_names_the_field_and_what_it_follows_from() {
    for (pointer, value, expected) in [
        ("/sizes/pk", json!(881), "sizes.pk is 881, expected 880: those of the instance"),
        ("/kat_digest", json!("0".repeat(64)), "that of the published known answers"),
        (
            "/environment/ended_utc",
            json!("2020-01-01T00:00:00Z"),
            "environment.ended_utc is \"2020-01-01T00:00:00Z\", expected another: a time, at least environment.started_utc",
        ),
        ("/environment", Value::Null, "environment is null, expected an object"),
        ("/counter/overhead_per_call", json!(1e308), "the sum of interval_inside"),
        ("/counter/hz", json!(25_961_198_600_u64), "ticks over seconds of the trials"),
        ("/trials/0/ticks", json!(0), "trials[0].ticks is 0, expected 1 or more"),
        ("/calls/0/calls", json!(0), "calls[0].calls is 0, expected 1782"),
        ("/calls/0/lanes", json!(4_000_000), "calls[0].lanes is 4000000, expected 1 to"),
        ("/calls/0/permutations", json!(48.0), "calls[0].permutations is 48.0, expected"),
        ("/calls/0/used_bits", json!(6144.0), "calls[0].used_bits is 6144.0, expected"),
        ("/calls/1/role", json!("h"), "calls[1].role is \"h\", expected another: a role in which the operation calls"),
        ("/profiled/raw_ticks", json!(3_775_005_000_u64), "profiled.raw_ticks is 3775005000, expected"),
        ("/trials/0/operations", json!(u64::MAX), "plan.iterations_per_trial"),
    ] {
        let found = listed(&with("host", &[(pointer, value)]));
        assert!(found.contains(expected), "{pointer}: {found:?} has no {expected:?}");
    }
}

#[test]
fn ticks_that_are_all_nothing_are_found() {
    let mut forged = record(RECORDS[0].1);
    let mut found = Vec::new();
    leaves(&forged, "", "", &mut found);
    for (pointer, _) in found.into_iter().filter(|(_, pattern)| pattern.ends_with("ticks")) {
        *forged.pointer_mut(&pointer).expect("there") = json!(0);
    }
    assert!(is_refused(&forged));
}

#[test]
fn code_that_a_backend_has_not_on_that_processor_is_found() {
    let code = |xof: &str| json!({ "xof": xof, "prf": "avx512", "hash": "avx512", "drng": "avx512" });
    let mut sm3 = with("host", &[("/backends", backends("sm3"))]);
    sm3["code"] = code("avx512");
    assert!(!listed(&sm3).contains("code."), "{}", listed(&sm3));
    // Its functions are the placeholder's too: only the code tells them apart.
    sm3["backends"] = backends("placeholder");
    assert!(listed(&sm3).contains("code.xof is \"avx512\", expected \"portable\""), "{}", listed(&sm3));
    sm3["backends"] = backends("sm3");
    for other in ["neon", "armv7em", "other"] {
        sm3["code"] = code(other);
        assert!(listed(&sm3).contains("expected \"avx512 or avx2 or portable or sse2\""), "{other}: {}", listed(&sm3));
    }
    // Where the features are recorded there is one answer.
    sm3["environment"]["processor"]["features"] = json!(["sse2", "avx2"]);
    sm3["code"] = code("avx512");
    assert!(listed(&sm3).contains("code.xof is \"avx512\", expected \"avx2\""), "{}", listed(&sm3));
    sm3["environment"]["processor"]["features"] = json!(["sse2"]);
    assert!(listed(&sm3).contains("code.xof is \"avx512\", expected \"portable\""), "{}", listed(&sm3));
}

#[test]
fn the_placeholders_label_on_a_record_of_sm3_is_found() {
    for name in ["host-sm3", "cortex-m4-sm3"] {
        let found = listed(&with(name, &[("/backends", backends("placeholder"))]));
        assert!(found.contains("expected \"portable\": code that this backend has"), "{name}: {found}");
    }
}

fn backends(name: &str) -> Value {
    json!({ "xof": name, "prf": name, "hash": name, "drng": "hash-drbg-sm3", "generator": name })
}
