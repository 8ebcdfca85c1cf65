//! What these tests share: the command with a cache of its own, and whether the firmware can be built.

use crate::common::{self, folder, utf8};
use assert_cmd::Command;
use kemprof::evidence::Evidence;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Where firmware is kept between tests, and between runs of them.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("kemprof-cache")
}

/// The command with the tests' cache.
pub(crate) fn kemprof() -> Command {
    let mut command = common::kemprof();
    command.env("KEMPROF_CACHE", cache());
    command
}

/// Runs a command: its exit code, standard output and standard error.
pub(crate) fn finish(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    // Whoever comes first builds, and says so.
    let of_build = |line: &&str| line.starts_with("building ") || line.starts_with("built ");
    let stderr = text(output.stderr).lines().filter(|line| !of_build(line)).map(|line| format!("{line}\n")).collect();
    (output.status.code().expect("the command ends by itself"), text(output.stdout), stderr)
}

/// Runs `kemprof --target cortex-m4`, which must succeed, and returns its standard output.
pub(crate) fn on_m4(args: &[&str]) -> String {
    let (code, stdout, stderr) = finish(kemprof().args(args).args(["--target", "cortex-m4"]));
    assert_eq!(code, 0, "kemprof {args:?}: {stderr}");
    stdout
}

/// The one line with which a command fails.
pub(crate) fn failure(code: i32, command: &mut Command) -> String {
    let (got, _, stderr) = finish(command);
    assert_eq!(got, code, "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "not one line: {stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

/// Whether the firmware can be built here.
pub(crate) fn can_build() -> bool {
    static CAN: LazyLock<bool> = LazyLock::new(|| finding("cortex-m4 firmware"));
    *CAN || skip("no Rust toolchain for thumbv7em-none-eabihf")
}

/// Whether QEMU is here, and firmware for it.
pub(crate) fn can_emulate() -> bool {
    can_build() && (finding("program qemu-system-arm") || skip("no qemu-system-arm"))
}

/// Whether `kemprof doctor` says that this works.
fn finding(what: &str) -> bool {
    let (_, stdout, _) = finish(kemprof().args(["doctor", "--json"]));
    let findings: Value = serde_json::from_str(&stdout).expect("findings");
    findings.as_array().expect("a list").iter().any(|one| one["what"] == what && one["state"] == "works")
}

/// Says that a test is skipped, past the test harness's capture; false.
fn skip(why: &str) -> bool {
    let line = format!("skipped: {why} (run targets/setup)");
    let required = std::env::var_os("KEMPROF_REQUIRE_CROSS").is_some_and(|value| !value.is_empty() && value != "0");
    assert!(!required, "{line}; KEMPROF_REQUIRE_CROSS is set");
    let _ = writeln!(std::io::stderr(), "{line}");
    false
}

/// The evidence of operations on the simulated Cortex-M4.
pub(crate) fn profile(operation: &str, instance: &str, extra: &[&str]) -> Vec<Evidence> {
    let out = folder();
    let args = [&[operation, instance, "--json", "--out", utf8(out.path())], extra].concat();
    let text = on_m4(&args);
    match operation {
        "all" => serde_json::from_str(&text).expect("an array of evidence"),
        _ => vec![serde_json::from_str(&text).expect("evidence")],
    }
}

/// The firmware that a run builds or finds: its path.
pub(crate) fn firmware() -> PathBuf {
    let record = &profile("keygen", "ml-kem-512", &["--hash", "shake", "--trials", "1"])[0];
    let inputs = record.environment["firmware"]["inputs_sha256"].as_str().expect("was built here").to_owned();
    let mut entries = cache().read_dir().expect("the cache is there").map(|entry| entry.expect("readable").path());
    entries.find(|path| utf8(path).ends_with(&inputs[..16])).expect("is kept under the digest of its inputs")
}
