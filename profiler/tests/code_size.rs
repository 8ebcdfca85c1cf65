//! `--code-size`: what a program of the algorithm alone occupies, held against what binutils say of the same program.
#![cfg(target_os = "linux")]

mod common;

use common::{emulated, folder, kemprof, utf8};
use kemprof::evidence::{self, Evidence, Sections};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the programs of a test are kept, which begins with none: the last that was built is then the one that was asked for.
fn cache(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("code-size-{test}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// The evidence and the table of key generation with these options.
fn measured(cache: &Path, args: &[&str]) -> (Evidence, String) {
    let out = folder();
    let mut command = kemprof();
    command.env("KEMPROF_CACHE", cache).args(["keygen", "ml-kem-512", "--code-size", "--out", utf8(out.path())]);
    let output = command.args(args).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let name = common::files(out.path()).into_iter().find(|name| name.ends_with(".json")).expect("evidence");
    (evidence::read(&out.path().join(name)).expect("evidence"), String::from_utf8(output.stdout).expect("UTF-8"))
}

/// What `size -A` says of the program for this triple that was built last; `None` where there is no such tool.
fn independent(cache: &Path, tool: &str, triple: &str) -> Option<Sections> {
    let programs = std::fs::read_dir(cache).expect("is there").map(|entry| entry.expect("readable").path());
    let begins = format!("kemprof-footprint-{triple}-");
    let ours = programs.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begins)));
    let newest = ours.max_by_key(|path| path.metadata().and_then(|data| data.modified()).expect("has a time"));
    let output = Command::new(tool).arg("-A").arg(newest.expect("was built")).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let size = |section: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(section));
        line.and_then(|line| line.split_whitespace().nth(1)).map_or(0, |size| size.parse().expect("a number"))
    };
    Some(Sections { text: size(".text"), rodata: size(".rodata"), data: size(".data"), bss: size(".bss") })
}

#[test]
fn sections_are_those_that_binutils_find() {
    if emulated() {
        return;
    }
    let cache = cache("host");
    let triple = kemprof::environment::Build::this().target;
    let mut seen = Vec::new();
    for hash in ["shake", "ascon", "shake+xof=ascon"] {
        let (record, table) = measured(&cache, &["--hash", hash, "--counter", "none"]);
        let sections = record.memory.sections.expect("the toolchain that built this test is there");
        assert!((20_000..200_000).contains(&sections.text) && sections.rodata > 1_000, "{sections:?}");
        assert_eq!(record.memory.static_bytes, Some(sections.total()));
        assert!(table.contains(&format!("code size: {} bytes (text {}, ", sections.total(), sections.text)), "{table}");
        if let Some(independent) = independent(&cache, "size", &triple) {
            assert_eq!(sections, independent, "{hash}");
        }
        seen.push(sections.text);
    }
    assert!(
        seen[0] != seen[1] && seen[2] > seen[1],
        "other functions are other code, and more of them are more: {seen:?}"
    );
}

#[test]
fn on_a_cortex_m4_it_is_the_algorithms_and_not_the_firmwares() {
    let doctor: serde_json::Value = serde_json::from_str(&common::succeed(&["doctor", "--json"])).expect("findings");
    let works = |one: &serde_json::Value| one["what"] == "cortex-m4 firmware" && one["state"] == "works";
    if emulated() || !doctor.as_array().expect("a list").iter().any(works) {
        let _ = writeln!(std::io::stderr(), "skipped: no Rust toolchain for thumbv7em-none-eabihf (run targets/setup)");
        return;
    }
    let cache = cache("cortex-m4");
    let (record, _) = measured(&cache, &["--target", "cortex-m4"]);
    let sections = record.memory.sections.expect("the toolchain is there");
    assert!((10_000..60_000).contains(&sections.text) && sections.data + sections.bss < 100, "{sections:?}");
    if let Some(independent) = independent(&cache, "arm-none-eabi-size", "thumbv7em-none-eabihf") {
        assert_eq!(sections, independent);
    }
}

#[test]
fn a_size_that_cannot_be_had_is_null_with_the_reason() {
    let out = folder();
    let profile = |args: &[&str], sources: &str| {
        let mut command = kemprof();
        command.args(["keygen", "lwekem128", "--counter", "none", "--json", "--out", utf8(out.path())]).args(args);
        let output = command.env("KEMPROF_SOURCE", sources).output().expect("runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let record: Evidence = serde_json::from_slice(&output.stdout).expect("evidence");
        let unknown = (record.memory.static_bytes, record.memory.sections);
        assert_eq!(unknown, (None, None));
        (record.memory.static_unavailable.clone().expect("a reason"), kemprof::render::table::report(&record))
    };
    let (reason, table) = profile(&["--code-size"], "/nowhere");
    assert!(
        reason.contains("KEMPROF_SOURCE is /nowhere") && table.contains("code size: unknown, KEMPROF_SOURCE"),
        "{table}"
    );
    let (reason, table) = profile(&[], "");
    assert!(reason.contains("use --code-size") && !table.contains("code size"), "{table}");
    let line = common::fail(2, &["keygen", "lwekem128", "--code-size", "--target", "ssh:board"]);
    assert!(line.contains("--code-size builds from the sources"), "{line}");
}
