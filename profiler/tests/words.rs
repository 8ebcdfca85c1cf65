//! Words of headings and messages: one of a thing, targets, files of other kinds.

mod common;

use common::{fail, folder, profile, succeed, utf8};
use std::fs;

#[test]
fn one_of_a_thing_is_singular() {
    let out = folder();
    let args = ["--trials", "1", "--iterations", "1", "--out", utf8(out.path())];
    let text = succeed(&[&["keygen", "lwekem128"][..], &args].concat());
    assert!(text.contains("1 × 1 operation ") && !text.contains("1 operations"), "{text}");
    let text = succeed(&[&["compare", "lwekem128", "--op", "keygen", "--hash", "sm3"][..], &args].concat());
    assert!(text.contains("   1 trial of each, side by side"), "{text}");
    let line = fail(2, &["keygen", "lwekem128", "--trials", "1", "--processes", "3"]);
    assert!(line.contains("1 trial cannot be shared by 3 processes"), "{line}");
}

#[test]
fn targets_are_said_in_words() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let file = out.path().join("lwekem128-keygen-placeholder.json");
    let microcontroller = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/cortex-m4.json");
    let shown = succeed(&["show", utf8(&microcontroller)]);
    assert!(shown.contains("Cortex-M4, ") && !shown.contains("thumbv7em"), "{shown}");
    let line = fail(2, &["diff", utf8(&file), utf8(&microcontroller)]);
    assert!(line.contains("before and Cortex-M4 after"), "{line}");
    if cfg!(target_os = "linux") {
        assert!(succeed(&["show", utf8(&file)]).contains(" Linux, "));
    }
}

#[test]
fn files_of_other_kinds_are_called_what_they_are() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let path = |name: &str| out.path().join(name).to_str().expect("is UTF-8").to_owned();
    let stem = "lwekem128-keygen-placeholder";
    fs::write(path("empty"), "").expect("writable");
    fs::write(path("text"), "hello\n").expect("writable");
    fs::write(path("answers.rsp"), "count = 0\n").expect("writable");
    for (name, kind) in [
        (&*format!("{stem}.folded"), "it holds folded stacks; expected the .json file that a run wrote"),
        (&*format!("{stem}.svg"), "it holds a picture or a page"),
        ("empty", "it holds nothing"),
        ("text", "it holds text that is not JSON"),
        ("answers.rsp", "it holds known answers (`kemprof kat --check` takes them)"),
    ] {
        for command in ["show", "verify", "flamegraph"] {
            let line = fail(1, &[command, &path(name)]);
            assert!(line.contains("is not kemprof evidence") && line.contains(kind), "{command}: {line}");
            assert!(!line.contains("line 1 column"), "{line}");
        }
    }
}

#[test]
fn what_is_elsewhere_or_hidden_is_said_in_words() {
    for (args, said) in [
        (
            &["keygen", "lwekem128", "--counter", "DWT"][..],
            "counter dwt is that of a Cortex-M4: add --target cortex-m4",
        ),
        (&["keygen", "lwekem128", "--hash", ""], "unknown backend \"\"; known: "),
        (&["keygen", "lwekem128", "--trials", "x"], "'x' for '--trials <N>': expected a whole number"),
        (&["keygen", "lwekem128", "--trace", "-"], "expected the name of a file; standard output is /dev/stdout"),
        (&["kat", "lwekem128", "--write", "-"], "expected the name of a file; standard output is /dev/stdout"),
    ] {
        let line = fail(2, args);
        assert!(line.contains(said), "{args:?}: {line}");
    }
    // Commands that only kemprof itself runs are not suggested.
    for (misspelt, hidden) in [("chil", "'child'"), ("follo", "'follow'")] {
        let line = fail(2, &[misspelt]);
        assert!(line.contains("unrecognized subcommand") && !line.contains(hidden), "{line}");
    }
    let folder = folder();
    let line = fail(2, &["diff", utf8(folder.path()), "record.json"]);
    assert!(line.contains("is a folder; expected one .json file that a run wrote"), "{line}");
}
