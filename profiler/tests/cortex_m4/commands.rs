use crate::common::{fail, folder, succeed, utf8};
use crate::support::{can_build, failure, finish, firmware, kemprof, on_m4};
use serde_json::Value;
use std::fs;

#[test]
fn options_of_another_target_are_errors_that_name_both() {
    let cases: [(&[&str], [&str; 2]); 10] = [
        (&["--board", "nucleo-f446ze"], ["--board", "host"]),
        (&["--runner", "qemu"], ["--runner", "host"]),
        (&["--clock", "1MHz"], ["--clock", "host"]),
        (&["--wait-states", "1"], ["--wait-states", "host"]),
        (&["--timeout", "1"], ["--timeout", "host"]),
        (&["--target", "cortex-m4", "--counter", "tsc"], ["--counter", "cortex-m4"]),
        (&["--target", "cortex-m4", "--runner", "qemu", "--counter", "dwt"], ["--counter dwt", "qemu"]),
        (&["--target", "cortex-m4", "--cpu", "0"], ["--cpu", "cortex-m4"]),
        (&["--target", "cortex-m4", "--trace", "x"], ["--trace", "cortex-m4"]),
        (&["--target", "cortex-m4", "--runner", "qemu", "--wait-states", "1"], ["--wait-states", "qemu"]),
    ];
    for (args, named) in cases {
        let line = fail(2, &[&["keygen", "lwekem128"], args].concat());
        assert!(named.iter().all(|name| line.contains(name)), "{line}");
    }
    assert!(fail(2, &["keygen", "lwekem128", "--target", "z80"]).contains("known: host, cortex-m4"));
    assert!(succeed(&["list"]).contains("cortex-m4"));
}

#[test]
fn list_and_doctor_say_what_works_on_a_cortex_m4() {
    if !can_build() {
        return;
    }
    let lists: Value = serde_json::from_str(&on_m4(&["list", "--json"])).expect("lists");
    let names = |rows: &Value| -> Vec<String> {
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
    };
    let backends = names(&lists["backends"]);
    assert!(backends.contains(&"shake".to_owned()) && !backends.contains(&"blake3".to_owned()), "{backends:?}");
    let boards = lists["boards"].as_array().expect("boards");
    let small = boards.iter().find(|board| board["name"] == "nucleo-f446ze").expect("is there");
    assert_eq!((&small["flash_bytes"], &small["ram_bytes"]), (&(512 << 10).into(), &(128 << 10).into()));
    let counter = |runner: &str| {
        let rows = lists["counters"].as_array().expect("counters");
        rows.iter().find(|row| row["runner"] == runner).expect("every runner is there")
    };
    assert_eq!((&counter("m4sim")["available"], &counter("m4sim")["unit"]), (&true.into(), &"cycles".into()));
    assert_eq!((&counter("qemu")["available"], &counter("qemu")["unit"]), (&false.into(), &Value::Null));
    // Where nothing is in PATH neither the firmware is built nor anything but the simulator there.
    let doctor = |command: &mut assert_cmd::Command| {
        let (code, text, _) = finish(command.args(["doctor", "--target", "cortex-m4", "--json"]));
        assert_eq!(code, 0);
        let findings: Vec<Value> = serde_json::from_str(&text).expect("findings");
        move |what: &str| {
            let finding = findings.iter().find(|finding| finding["what"] == what);
            finding.unwrap_or_else(|| panic!("no {what}"))["state"].as_str().expect("a state").to_owned()
        }
    };
    let (here, bare) = (doctor(&mut kemprof()), doctor(kemprof().env("PATH", "/no/where")));
    for (what, here_is, bare_is) in [
        ("sources", "works", "works"),
        ("cache", "works", "works"),
        ("cross toolchain", "works", "missing"),
        ("runner m4sim", "works", "works"),
        ("board stm32f4discovery", "works", "works"),
        ("backends", "works", "works"),
    ] {
        assert_eq!((here(what).as_str(), bare(what).as_str()), (here_is, bare_is), "{what}");
    }
    for what in ["runner qemu", "runner probe-rs", "board nucleo-l4r5zi"] {
        assert_eq!(bare(what), "missing", "{what}");
    }
}

#[test]
fn what_the_firmware_does_not_take_is_refused() {
    if !can_build() {
        return;
    }
    // What building it says is no part of an error.
    firmware();
    let on_m4 = |args: &[&str]| failure(2, kemprof().args(["keygen", "lwekem128", "--target", "cortex-m4"]).args(args));
    assert!(on_m4(&["--hash", "blake3"]).contains("blake3 is not in the firmware of --target cortex-m4"));
    assert!(on_m4(&["--seed", &"00".repeat(97)]).contains("--seed has 97 bytes"));
    assert!(on_m4(&["--trials", "65"]).contains("--trials is 65"));
}

#[test]
fn a_comparison_is_predicted_from_functions_alone() {
    if !can_build() {
        return;
    }
    let out = folder();
    let args = ["compare", "lwekem128", "--op", "keygen", "--hash", "placeholder,sm3@lazy,shake", "--json"];
    let text = on_m4(&[&args[..], &["--out", utf8(out.path())]].concat());
    let rows: Vec<Value> = serde_json::from_str(&text).expect("rows");
    assert_eq!(rows.len(), 4);
    for row in &rows[1..3] {
        let measured = row["speedup_measured"].as_f64().expect("was measured");
        let predicted = row["speedup_predicted"].as_f64().expect("was predicted");
        assert!(measured > 1.0 && (predicted / measured - 1.0).abs() < 0.1, "{row}");
    }
    let chart = fs::read_to_string(out.path().join("lwekem128-keygen-cortex-m4-compare.svg")).expect("was written");
    for part in
        ["cycles per operation, median without probes", "Cortex-M4, DWT cycles (m4sim, 0 wait states)", " % symmetric"]
    {
        assert!(chart.contains(part), "{part}");
    }
}

#[test]
fn evidence_of_the_microcontroller_is_evidence() {
    if !can_build() {
        return;
    }
    let out = folder();
    let path = |name: &str| out.path().join(name).to_str().expect("is UTF-8").to_owned();
    for sampling in ["eager", "lazy"] {
        let args = ["keygen", "lwekem128", "--hash", "sm3", "--sampling", sampling, "--out", utf8(out.path())];
        on_m4(&args);
    }
    let [eager, lazy] = ["sm3", "sm3@lazy"].map(|variant| path(&format!("lwekem128-keygen-{variant}-cortex-m4.json")));
    let place = "Cortex-M4, DWT cycles (m4sim, 0 wait states)";
    assert!(succeed(&["show", &eager]).contains(place));
    assert!(succeed(&["whatif", &eager, "--speed", "matrix=inf"]).contains(place));
    assert!(succeed(&["diff", &eager, &lazy]).contains("DWT cycles (m4sim, 0 wait states)"));
    assert!(succeed(&["verify", &eager, &lazy]).contains("PASS"));
    fs::remove_file(path("lwekem128-keygen-sm3-cortex-m4.svg")).expect("was written");
    succeed(&["flamegraph", &eager]);
    let svg = fs::read_to_string(path("lwekem128-keygen-sm3-cortex-m4.svg")).expect("was drawn");
    assert!(svg.contains("DWT cycles"));
    // Records of the host and of the microcontroller say nothing about each other.
    let host = folder();
    let args =
        ["keygen", "lwekem128", "--hash", "sm3", "--trials", "1", "--iterations", "1", "--out", utf8(host.path())];
    succeed(&args);
    let native = crate::common::json(host.path());
    assert!(fail(2, &["diff", utf8(&native), &eager]).contains("target is "));
}

#[test]
fn functions_are_timed_alone() {
    if !can_build() {
        return;
    }
    let args = ["bench-hash", "--backend", "sm3", "--function", "sm3hash", "--length", "8192", "--quick", "--json"];
    let record: Value = serde_json::from_str(&on_m4(&args)).expect("a record");
    assert_eq!((&record["counter"]["name"], &record["counter"]["unit"]), (&"dwt".into(), &"cycles".into()));
    assert_eq!(record["runner"], "m4sim");
    let rows = record["rows"].as_array().expect("rows");
    let long = rows.iter().find(|row| row["fn"] == "sm3hash" && row["in_bytes"] == 8192).expect("is of the guide");
    let per_permutation = long["per_permutation"].as_f64().expect("was timed");
    // A compression of SM3 takes some thousands of cycles on this processor.
    assert!((500.0..5000.0).contains(&per_permutation), "{per_permutation}");
}
