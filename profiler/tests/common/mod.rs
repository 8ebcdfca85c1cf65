//! What tests of the command share.

#![allow(dead_code, reason = "each test file uses its own part")]

use assert_cmd::Command;
use kemprof::environment::{Environment, Tree};
use kemprof::evidence::{Backends, CounterRecord, Evidence, Memory, Subject};
use kemprof::runner::{self, Job};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The command, with nothing of the caller's that changes what it prints.
pub(crate) fn kemprof() -> Command {
    let mut command = Command::cargo_bin("kemprof").expect("the command is built with its tests");
    command.env_remove("RUST_LOG").env_remove("NO_COLOR").env_remove("COLUMNS");
    // What is built is kept with the tests' own build output, not with the user's.
    command.env("KEMPROF_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command
}

/// Whether an emulator runs the test: nothing is timed then, and programs of the architecture that it emulates cannot be started.
pub(crate) fn emulated() -> bool {
    let emulated = !Environment::begin(&Tree::host(), Vec::new(), false).is_real();
    if emulated {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: an emulator runs the test: nothing is timed, and it cannot start itself again"
        );
    }
    emulated
}

/// A folder of the test's own.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("temporary folders can be made")
}

/// Runs `kemprof` with these arguments and returns its exit code, standard output and standard error.
pub(crate) fn run(args: &[&str]) -> (i32, String, String) {
    let output = kemprof().args(args).output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    (output.status.code().expect("the command ends by itself"), text(output.stdout), text(output.stderr))
}

/// Runs `kemprof`, which must succeed, and returns its standard output.
pub(crate) fn succeed(args: &[&str]) -> String {
    let (code, stdout, stderr) = run(args);
    assert_eq!(code, 0, "kemprof {args:?}: {stderr}");
    stdout
}

/// Runs `kemprof`, which must fail with this code and one line on standard error, and returns the line.
pub(crate) fn fail(code: i32, args: &[&str]) -> String {
    let (got, _, stderr) = run(args);
    assert_eq!(got, code, "kemprof {args:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "not one line: {stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

/// A short profile: the evidence that it prints, and its folder.
pub(crate) fn profile(operation: &str, instance: &str, extra: &[&str]) -> (Vec<Evidence>, TempDir) {
    let out = folder();
    let mut args = vec![operation, instance, "--trials", "2", "--iterations", "2", "--json", "--out"];
    args.push(utf8(out.path()));
    args.extend(extra);
    let text = succeed(&args);
    let records = match operation {
        "all" => serde_json::from_str(&text).expect("an array of evidence"),
        _ => vec![serde_json::from_str(&text).expect("evidence")],
    };
    (records, out)
}

/// The one record in a folder.
pub(crate) fn json(folder: &Path) -> PathBuf {
    let mut names = files(folder).into_iter().filter(|name| name.ends_with(".json"));
    let name = names.next().expect("a record was written");
    assert_eq!(names.next(), None, "more than one record beside {name}");
    folder.join(name)
}

pub(crate) fn utf8(path: &Path) -> &str {
    path.to_str().expect("paths of tests are UTF-8")
}

/// Names of the files in a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Calls per operation of a function in a role (any role when empty).
pub(crate) fn calls(record: &Evidence, function: &str, role: &str) -> u64 {
    let rows = record.calls.iter().filter(|row| row.function == function && (role.is_empty() || row.role == role));
    let calls: u64 = rows.map(|row| row.calls).sum();
    assert_eq!(calls % record.profiled.operations, 0, "the same number of calls in every operation");
    calls / record.profiled.operations
}

/// Where a scripted counter is said to be.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What evidence says of a job that was measured here with a counter of which every reading is known. It moves in steps of
/// `resolution`.
pub(crate) fn scripted(job: &Job, resolution: u64) -> Subject {
    let name = "placeholder".to_owned();
    Subject {
        guest: None,
        instance: job.instance.clone(),
        operation: job.operation,
        sampling: job.sampling.name().to_owned(),
        target: TARGET.to_owned(),
        runner: "native".to_owned(),
        backends: Backends {
            xof: name.clone(),
            prf: name.clone(),
            hash: name.clone(),
            drng: "hash-drbg-sm3".to_owned(),
            generator: Some(name),
        },
        code: ["xof", "prf", "hash", "drng"].map(|part| (part.to_owned(), "portable".to_owned())).into(),
        counter: CounterRecord {
            name: "mock:script".to_owned(),
            unit: "ticks".to_owned(),
            hz: None,
            resolution: Some(resolution),
            overhead_per_call: None,
            meaningful: true,
            unavailable: None,
            refused: Default::default(),
        },
        environment: serde_json::json!({
            "started_utc": "2026-11-30T10:00:00Z", "ended_utc": "2026-11-30T11:00:00Z", "compiler": "rustc", "kemprof": "0.1.0",
            "command": [], "arch": "x86_64", "build": { "target": TARGET }, "system": { "emulator": null },
        }),
        warnings: Vec::new(),
        kat: "PASS".to_owned(),
        kat_digest: Some(kemprof::kat::Manifest::of(&job.instance).expect("is published").sha256),
        seed: job.seed.clone(),
        plan: job.plan.clone(),
        sizes: runner::sizes(&job.instance).expect("an instance"),
        memory: Memory::default(),
    }
}

/// Exceptions return at once.
const RETURN: [u16; 2] = [0x4770, 0xbf00];
/// b to itself.
pub(crate) const LOOP: [u16; 1] = [0xe7fe];
/// An image for a Cortex-M4 that begins with this code. It holds the words by which our firmware is known.
pub(crate) fn firmware_of(code: &[u16]) -> Vec<u8> {
    let exceptions = 0x60;
    let start = exceptions + 4;
    let vectors = [&[0x2000_1000, start | 1][..], &[exceptions | 1; 14]].concat();
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let code: Vec<u8> = RETURN.iter().chain(code).flat_map(|half| half.to_le_bytes()).collect();
    let magic = format!("{:\0<32}", kemprof_protocol::ANSWER_MAGIC).into_bytes();
    let memory = [bytes(&vectors), magic, code].concat();
    let size = memory.len() as u32;
    let elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // An executable for Arm: one program header behind this one, no sections.
    let header = bytes(&[2 | 40 << 16, 1, start | 1, 52, 0, 0x0500_0000, 52 | 32 << 16, 1 | 40 << 16, 0]);
    let segment = bytes(&[1, 84, 0, 0, size, size, 5, 4]);
    [elf, header, segment, memory].concat()
}

/// Whether programs for AArch64 can be built and run here. Says what is missing, past the test harness's capture; with
/// `KEMPROF_REQUIRE_CROSS` set that is a failure.
pub(crate) fn emulator_is_there() -> bool {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../targets/setup");
    let output = std::process::Command::new(setup).arg("--check").output().expect("targets/setup runs");
    let required = std::env::var_os("KEMPROF_REQUIRE_CROSS").is_some_and(|value| !value.is_empty() && value != "0");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || !required, "{said}KEMPROF_REQUIRE_CROSS is set");
    if !output.status.success() {
        let _ = writeln!(std::io::stderr(), "skipped: {}", said.trim());
    }
    output.status.success()
}
