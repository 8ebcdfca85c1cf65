//! Commands over a worker on another machine, as their user sees them. A stand-in for `ssh` runs it on this one, in a home and
//! a temporary folder of its own. On AArch64 this is not compiled: `--target aarch64` is no other machine there, and under an
//! emulator the stand-in cannot run what it was given.
#![cfg(all(unix, not(target_arch = "aarch64")))]

mod common;

use assert_cmd::Command;
use common::{emulator_is_there, files, folder, kemprof, utf8};
use kemprof::evidence::{self, CallRow, Evidence};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What stands for `ssh`: notes how it was called, and runs the command; the connection of number `FAIL_AT` runs `FAIL` instead.
const SSH: &str = r#"#!/bin/sh
printf '%s\n' "$*" >> "$STAND_IN/log"
while [ "$1" != -- ]; do shift; done
if [ "$(wc -l < "$STAND_IN/log")" = "$FAIL_AT" ]; then eval "$FAIL"; fi
cd "$STAND_IN/home" || exit 255
HOME=$STAND_IN/home TMPDIR=$STAND_IN/tmp exec sh -c "$3"
"#;

/// The connections of a run.
const LOOK: u32 = 1;
const COPY: u32 = 2;
const RUN: u32 = 3;
const CLEAN: u32 = 4;

/// Another machine.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let folder = folder();
        for name in ["home", "tmp"] {
            fs::create_dir(folder.path().join(name)).expect("can be made");
        }
        executable(&folder.path().join("ssh"), SSH);
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `kemprof` with its command line, on this machine.
    fn kemprof(&self, args: &[&str]) -> Command {
        let mut command = kemprof();
        command.env("KEMPROF_SSH", self.path("ssh")).env("STAND_IN", self.0.path());
        command.env("KEMPROF_PROGRAM", env!("CARGO_BIN_EXE_kemprof"));
        command.args(args).args(["--target", "ssh:me@board"]).current_dir(self.path("home"));
        command
    }

    /// Runs it, and returns its exit code, standard output and standard error.
    fn run(&self, command: &mut Command) -> (i32, String, String) {
        let output = command.output().expect("the command runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let code = output.status.code().expect("the command ends by itself");
        (code, text(output.stdout), text(output.stderr))
    }

    /// Runs a short profile in which connection `at` runs `instead`. It must fail with one line, which is returned, and leave nothing
    /// behind on either machine.
    fn fail(&self, at: u32, instead: &str) -> String {
        let out = folder();
        let mut command = self.kemprof(&["keygen", "lwekem128", "--trials", "1", "--out", utf8(out.path())]);
        let (code, stdout, stderr) = self.run(command.env("FAIL_AT", at.to_string()).env("FAIL", instead));
        assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "not one line: {stderr}");
        assert_eq!(files(out.path()), Vec::<String>::new(), "{stderr}");
        self.is_clean();
        stderr
    }

    fn is_clean(&self) {
        assert_eq!(files(&self.path("tmp")), Vec::<String>::new(), "left on the machine");
    }

    /// How `ssh` was called.
    fn calls(&self) -> Vec<String> {
        fs::read_to_string(self.path("log")).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).expect("can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("is ours");
}

#[test]
fn a_profile_comes_back_whole() {
    let machine = Machine::new();
    let folder = folder();
    let out = folder.path().join("two words, it's \"out\"");
    let trace = folder.path().join("a trace.json");
    let mut args = vec!["keygen", "lwekem128", "--trials", "2", "--iterations", "2", "--hash", "sm3"];
    args.extend(["--out", utf8(&out), "--trace", utf8(&trace)]);
    let (code, text, errors) = machine.run(&mut machine.kemprof(&args));
    assert_eq!((code, errors.as_str()), (0, ""));
    let names = ["folded", "json", "svg"].map(|ending| format!("lwekem128-keygen-sm3-ssh-me@board.{ending}"));
    assert_eq!(files(&out), names);
    assert!(text.contains(&format!("wrote {}/{}", out.display(), names[1])), "{text}");
    assert!(text.contains(&format!("wrote {}", trace.display())) && trace.is_file(), "{text}");
    let record = evidence::read(&out.join(&names[1])).expect("is evidence");
    assert_eq!((record.runner.as_str(), &record.environment["remote"]), ("native", &"ssh:me@board".into()));
    let command: Vec<&str> =
        record.environment["command"].as_array().expect("words").iter().filter_map(|word| word.as_str()).collect();
    assert_eq!(command[1..], [&args[..], &["--target", "ssh:me@board"]].concat());
    machine.is_clean();
    let calls = machine.calls();
    assert_eq!(calls.len() as u32, CLEAN);
    for call in calls {
        assert!(call.starts_with("-o BatchMode=yes -o ConnectTimeout=") && call.contains(" -- me@board "), "{call}");
    }
}

#[test]
fn evidence_alone_is_evidence_alone() {
    let machine = Machine::new();
    let out = folder();
    let args = [
        "all",
        "lwekem128",
        "--trials",
        "1",
        "--iterations",
        "1",
        "--counter",
        "none",
        "--json",
        "--out",
        utf8(out.path()),
    ];
    let (code, text, errors) = machine.run(&mut machine.kemprof(&args));
    assert_eq!((code, errors.as_str()), (0, ""));
    let records: Vec<Evidence> = serde_json::from_str(&text).expect("evidence");
    assert_eq!(records.len(), 3);
    assert_eq!(files(out.path()).len(), 3, "without ticks there is nothing to draw");
}

#[test]
fn known_answers_and_lists_come_back() {
    let machine = Machine::new();
    let out = folder();
    let file = out.path().join("answers.rsp");
    let (code, text, errors) = machine.run(&mut machine.kemprof(&["kat", "lwekem128", "--hash", "sm3"]));
    assert_eq!((code, errors.as_str(), text.matches("PASS").count()), (0, "", 2), "{text}");
    let (code, text, errors) = machine.run(&mut machine.kemprof(&["kat", "lwekem128", "--write", utf8(&file)]));
    assert_eq!((code, text, errors.as_str()), (0, format!("wrote {}\n", file.display()), ""));
    assert!(common::succeed(&["kat", "--check", utf8(&file)]).starts_with("PASS"));
    for command in ["list", "doctor"] {
        let (code, text, _) = machine.run(&mut machine.kemprof(&[command]));
        assert!(code == 0 && text.contains("clock"), "{text}");
    }
    machine.is_clean();
}

#[test]
fn what_fails_there_fails_here_with_its_code_and_line() {
    let machine = Machine::new();
    let (code, _, errors) = machine.run(&mut machine.kemprof(&["keygen", "lwekem100"]));
    assert_eq!((code, errors.lines().count()), (2, 1), "{errors}");
    assert!(errors.starts_with("kemprof: unknown instance \"lwekem100\""), "{errors}");
    assert_eq!(machine.calls(), Vec::<String>::new(), "it is known here");
    // A shell has nothing to say in it.
    let word = "it's \"a\" $(touch here) `touch here` \\ ; * & | > here";
    let (code, _, errors) = machine.run(&mut machine.kemprof(&["keygen", "lwekem128", "--counter", word]));
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains(&format!("{word:?}")), "{errors}");
    assert!(files(&machine.path("home")).iter().all(|name| name != "here"));
    machine.is_clean();
}

#[test]
fn without_a_connection_one_line_says_so() {
    let machine = Machine::new();
    let line = machine.fail(LOOK, "echo 'ssh: connect to host board port 22: Connection timed out' >&2; exit 255");
    assert_eq!(line, "kemprof: no connection to me@board: ssh: connect to host board port 22: Connection timed out\n");
    assert_eq!(machine.calls().len(), 1);
    let line = Machine::new().fail(RUN, "echo 'client_loop: send disconnect: Broken pipe' >&2; exit 255");
    assert!(line.contains("Broken pipe"), "{line}");
}

#[test]
fn a_full_disk_is_named() {
    let line = Machine::new().fail(COPY, "echo 'cat: write error: No space left on device' >&2; exit 1");
    assert_eq!(line, "kemprof: on me@board: copying kemprof there failed: cat: write error: No space left on device\n");
}

#[test]
fn garbled_answers_are_refused() {
    let line = Machine::new().fail(LOOK, "echo 'Welcome to board!'; exit 0");
    assert!(line.contains("sent back \"Welcome to board!\" where"), "{line}");
    let line = Machine::new().fail(LOOK, "echo 'Linux x86_64'; echo '/tmp/kemprof.x; rm -rf ~'; exit 0");
    assert!(line.contains("were expected"), "{line}");
    let line = Machine::new().fail(RUN, "echo garbage; exit 0");
    assert!(line.contains("kemprof on me@board sent back \"garbage\", which is no answer"), "{line}");
    let line = Machine::new().fail(RUN, "read line; printf '{\"Answer\"'; exit 0");
    assert!(line.contains("kemprof on me@board sent back"), "{line}");
    let line = Machine::new().fail(RUN, "read line; echo '{\"Answer\":{\"triple\":7}}'; exit 0");
    assert!(line.contains("kemprof on me@board sent back"), "{line}");
}

#[test]
fn a_machine_that_nothing_is_built_for_is_named() {
    let line = Machine::new().fail(LOOK, "echo Linux armv7l; mktemp -d \"$STAND_IN/tmp/kemprof.XXXXXX\"; exit 0");
    assert_eq!(line, "kemprof: me@board is Linux armv7l; kemprof runs on Linux on aarch64 and x86_64 there\n");
}

#[test]
fn a_program_that_is_killed_there_is_no_answer() {
    let machine = Machine::new();
    let program = machine.path("program");
    executable(&program, "#!/bin/sh\nkill -9 $$\n");
    let (code, _, errors) = machine.run(machine.kemprof(&["keygen", "lwekem128"]).env("KEMPROF_PROGRAM", &program));
    let line = errors.lines().last().unwrap_or_default();
    assert_eq!(code, 1, "{errors}");
    assert!(line.ends_with("kemprof on me@board was stopped (exit status 137); nothing was written"), "{line}");
    machine.is_clean();
}

#[test]
fn an_interrupted_run_leaves_nothing_there() {
    let machine = Machine::new();
    let program = machine.path("program");
    executable(&program, "#!/bin/sh\necho $$ > \"$STAND_IN/running\"\nexec sleep 600\n");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kemprof"));
    command.args(["keygen", "lwekem128", "--target", "ssh:board"]).current_dir(machine.path("home"));
    command.env("KEMPROF_SSH", machine.path("ssh")).env("KEMPROF_PROGRAM", &program).env("STAND_IN", machine.0.path());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let running = || fs::read_to_string(machine.path("running")).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let began = Instant::now();
    let there = loop {
        if let Some(process) = running() {
            break process;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "it never ran");
        std::thread::sleep(Duration::from_millis(20));
    };
    let kill = |signal: &str, process: u32| {
        std::process::Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status()
    };
    assert!(kill("-TERM", child.id()).expect("kill runs").success());
    let output = child.wait_with_output().expect("ends");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    use std::os::unix::process::ExitStatusExt as _;
    assert_eq!((output.status.signal(), errors.as_str()), (Some(15), ""));
    machine.is_clean();
    let began = Instant::now();
    while kill("-0", there).expect("kill runs").success() {
        assert!(began.elapsed() < Duration::from_secs(60), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What a command prints under an emulator.
fn emulated(args: &[&str], runner: &str) -> String {
    let mut command = kemprof();
    let output =
        command.args(args).args(["--target", "aarch64", "--runner", runner]).output().expect("the command runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// The calls of one operation: function, role, bits in, bits out, bits used and how often.
fn calls(record: &Evidence) -> Vec<(String, String, u64, u64, f64, u64)> {
    let row = |row: &CallRow| {
        let calls = row.calls / record.profiled.operations;
        (row.function.clone(), row.role.clone(), row.in_bits, row.out_bits, row.used_bits, calls)
    };
    let mut calls: Vec<_> = record.calls.iter().map(row).collect();
    calls.sort_by(|one, other| one.partial_cmp(other).expect("bits are numbers"));
    calls
}

#[test]
fn aarch64_gives_the_same_calls_and_known_answers_under_an_emulator() {
    if !emulator_is_there() {
        return;
    }
    for (instance, hash) in [("lwekem128", "sm3"), ("ml-kem-512", "shake")] {
        let out = folder();
        let args = ["all", instance, "--hash", hash, "--trials", "2", "--iterations", "2", "--json", "--out"];
        let args = [&args[..], &[utf8(out.path())]].concat();
        let there: Vec<Evidence> = serde_json::from_str(&emulated(&args, "qemu-user")).expect("evidence");
        assert_eq!((there.len(), files(out.path()).len()), (3, 3), "without ticks there is nothing to draw");
        let here: Vec<Evidence> = serde_json::from_str(&common::succeed(&args)).expect("evidence");
        for (there, here) in there.iter().zip(&here) {
            assert_eq!((there.runner.as_str(), there.target.as_str()), ("qemu-user", "aarch64-unknown-linux-gnu"));
            assert!(!there.counter.meaningful && there.kat == "PASS", "{:?} {}", there.counter, there.kat);
            assert_eq!(there.environment["remote"], serde_json::Value::Null);
            assert_eq!(calls(there), calls(here), "{instance} {}", here.operation);
        }
    }
    assert_eq!(
        emulated(&["kat"], "qemu-user").matches("  PASS").count(),
        common::succeed(&["kat"]).matches("  PASS").count()
    );
    let out = folder();
    let text = emulated(
        &["compare", "lwekem128", "--op", "enc", "--hash", "sm3,sm3@lazy", "--trials", "2", "--out", utf8(out.path())],
        "qemu-user",
    );
    assert!(text.contains(&format!("the evidence of each to {}", out.path().display())), "{text}");
    let name =
        |name: &String| name.starts_with("lwekem128-enc-sm3@lazy-aarch64-qemu") && name.ends_with("-compare.json");
    assert!(files(out.path()).iter().any(name), "{:?}", files(out.path()));
}

/// A profile on the machine that QEMU emulates, whose kernel is given these words: its record.
fn on_the_machine(args: &[&str], settings: &str) -> Evidence {
    let out = folder();
    let mut command = kemprof();
    command.args(args).args(["--target", "aarch64", "--json", "--out", utf8(out.path())]);
    let output = command.env("KEMPROF_MACHINE", settings).output().expect("the command runs");
    assert!(output.status.success(), "{args:?} {settings}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("evidence")
}

#[test]
fn a_machine_with_a_kernel_counts_instructions() {
    if !emulator_is_there() {
        return;
    }
    let args = ["dec", "lwekem128", "--hash", "sm3", "--sampling", "lazy"];
    let one = on_the_machine(&args, "");
    assert_eq!((one.runner.as_str(), one.target.as_str()), ("qemu-system", "aarch64-unknown-linux-gnu"));
    assert_eq!((one.counter.name.as_str(), one.counter.unit.as_str()), ("instructions", "instructions"));
    assert_eq!((one.counter.resolution, one.counter.meaningful, one.kat.as_str()), (Some(1), true, "PASS"));
    assert_eq!(one.environment["system"]["emulator"], "qemu-system");
    assert!(one.warnings.iter().any(|warning| warning.contains("instructions are counted under qemu-system")));
    assert!(
        one.trials.iter().all(|trial| trial.seconds.is_none() && trial.ticks.is_some()),
        "no time is an emulator's"
    );
    let here = folder();
    let here: Evidence = serde_json::from_str(&common::succeed(
        &[&args[..], &["--trials", "1", "--iterations", "1", "--json", "--out", utf8(here.path())]].concat(),
    ))
    .expect("evidence");
    assert_eq!(calls(&one), calls(&here));
    // Nearly always to the instruction. One run in some tens was seen to differ, and it is not known why: a gate of a tenth of a percent
    // must hold all the same.
    let two = on_the_machine(&args, "");
    assert_eq!(calls(&one), calls(&two));
    let ticks = |record: &Evidence| {
        let trials = record.trials.iter().chain(&record.profiled.trials).map(|trial| trial.ticks);
        trials.chain([record.profiled.ticks]).map(|ticks| ticks.expect("is counted") as f64).collect::<Vec<_>>()
    };
    for (one, two) in ticks(&one).into_iter().zip(ticks(&two)) {
        assert!((one / two - 1.0).abs() < 1e-4, "{one} and {two} instructions");
    }
    // A processor without the instructions for SM3 takes more of them.
    let older = on_the_machine(&[&args[..], &["--cpu-model", "cortex-a72"]].concat(), "");
    assert_eq!(calls(&older), calls(&one));
    assert!(older.profiled.ticks > one.profiled.ticks, "{:?} {:?}", older.profiled.ticks, one.profiled.ticks);
    assert_eq!(older.environment["system"]["emulator"], "qemu-system", "it is known by its timer");
}

#[test]
fn what_the_kernel_allows_decides_what_counts() {
    if !emulator_is_there() {
        return;
    }
    let args = ["keygen", "lwekem128", "--hash", "sm3", "--sampling", "lazy"];
    let user = |level: i32| format!("kemprof.uid=1000 sysctl.kernel.perf_event_paranoid={level}");
    for (settings, counter) in [
        ("sysctl.kernel.perf_event_paranoid=3".to_owned(), "instructions"),
        (user(-1), "instructions"),
        (user(2), "instructions"),
        (user(3), "none"),
    ] {
        let record = on_the_machine(&args, &settings);
        assert_eq!(record.counter.name, counter, "{settings}: {:?}", record.counter);
        assert_eq!(record.profiled.ticks.is_some(), counter != "none", "{settings}");
        let reason = record.counter.refused.get("instructions").map(String::as_str).unwrap_or_default();
        assert_eq!(reason.contains("perf_event_paranoid"), counter == "none", "{settings}: {reason}");
        for timer in ["cntvct", "clock"] {
            if let Some(reason) = record.counter.refused.get(timer) {
                assert!(reason.contains("in a time of its own"), "{settings}: {timer}: {reason}");
            }
        }
    }
    // The register: opened to programs, or not.
    let register = [&args[..], &["--counter", "perf-user"]].concat();
    let record = on_the_machine(&register, "");
    assert_eq!((record.counter.name.as_str(), record.counter.unit.as_str()), ("perf-user", "instructions"));
    let mut command = kemprof();
    command.args(&register).args(["--target", "aarch64"]);
    let output = command.env("KEMPROF_MACHINE", "sysctl.kernel.perf_user_access=0").output().expect("runs");
    let line = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), line.lines().count()), (Some(1), 1), "{line}");
    assert!(line.contains("perf_user_access"), "{line}");
    // A timer of the machine's tells no time.
    let line = common::fail(1, &[&args[..], &["--counter", "cntvct", "--target", "aarch64"]].concat());
    assert!(line.contains("in a time of its own"), "{line}");
}

/// What a command line gives: its exit code and standard output.
type Outcome = (i32, String);
/// Runs command lines on one target.
type Run<'a> = &'a dyn Fn(&[&str]) -> Outcome;

/// A profile of one operation.
const ONE: [&str; 9] = ["keygen", "lwekem128", "--hash", "sm3", "--trials", "1", "--iterations", "1", "--json"];

/// Of each counter that `list` knows on a target, with what runs the program there where there is a choice: whether it says that it
/// works, and whether a run takes it.
fn claims(run: Run<'_>) -> Vec<(String, bool, bool)> {
    let (code, list) = run(&["list", "--json"]);
    assert_eq!(code, 0);
    let list: serde_json::Value = serde_json::from_str(&list).expect("lists");
    // A board that the runner has, so that nothing but the counter is refused.
    let board = |runner: &serde_json::Value| {
        let mut boards = list["boards"].as_array().expect("boards").iter();
        let board = boards.find(|board| board["runners"].as_array().expect("runners").contains(runner));
        board.expect("each runner has a board")["name"].as_str().expect("a name").to_owned()
    };
    let claim = |row: &serde_json::Value| {
        let name = row["name"].as_str().expect("a name").to_owned();
        let mut args = [&ONE[..], &["--counter", &name]].concat();
        let board = row.get("runner").map(board);
        if let (Some(runner), Some(board)) = (row["runner"].as_str(), &board) {
            args.extend(["--runner", runner, "--board", board]);
        }
        let (code, text) = run(&args);
        let counted = code == 0 && text.contains(&format!("\"name\": \"{name}\""));
        (name, row["available"] == true, counted)
    };
    list["counters"].as_array().expect("counters").iter().map(claim).collect()
}

fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().expect("the command runs");
    (output.status.code().expect("ends by itself"), String::from_utf8(output.stdout).expect("output is UTF-8"))
}

#[test]
fn what_list_says_of_a_counter_is_what_a_run_does_on_every_target() {
    let machine = Machine::new();
    let out = folder();
    let in_folder = |mut command: Command| outcome(command.current_dir(out.path()));
    let here = |args: &[&str]| {
        let mut command = kemprof();
        command.args(args);
        in_folder(command)
    };
    let there = |args: &[&str]| outcome(&mut machine.kemprof(args));
    let built = |target: &'static str| {
        move |args: &[&str]| {
            let mut command = kemprof();
            command.args(args).args(["--target", target]);
            in_folder(command)
        }
    };
    let (under_an_emulator, on_m4) = (built("aarch64"), built("cortex-m4"));
    let mut targets: Vec<(&str, Run<'_>)> = vec![("host", &here), ("ssh", &there), ("cortex-m4", &on_m4)];
    if emulator_is_there() {
        targets.push(("aarch64", &under_an_emulator));
    }
    for (target, run) in targets {
        let claims = claims(run);
        for name in ["callgrind", "dwt"] {
            let listed = claims.iter().any(|(listed, ..)| listed == name);
            assert_eq!(listed, (target == "cortex-m4") == (name == "dwt"), "{name} on {target}");
            // What is not listed is refused.
            assert!(listed || run(&[&ONE[..], &["--counter", name]].concat()).0 == 2, "{name} on {target}");
        }
        for (name, works, counts) in claims {
            assert_eq!(works, counts, "{name} on {target}");
            let counted = ["perf-user", "perf", "instructions"].contains(&name.as_str());
            assert!(target != "aarch64" || works == counted, "{name}: no time is an emulator's");
        }
    }
}

#[test]
fn what_is_missing_is_one_line_with_what_to_do() {
    let output = kemprof().args(["list", "--target", "aarch64"]).env("PATH", "/no/where").output().expect("runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(errors, "kemprof: qemu-system-aarch64 is not installed; run targets/setup\n");
}

#[test]
fn misuse_is_refused_here() {
    for (target, part) in
        [("ssh:-oProxyCommand=x", "names no machine"), ("ssh:", "names no machine"), ("vax", "unknown target")]
    {
        let line = common::fail(2, &["keygen", "lwekem128", "--target", target]);
        assert!(line.contains(part), "{line}");
    }
    let line = common::fail(2, &["kat", "--check", "x", "--target", "ssh:board"]);
    assert!(line.contains("--check compares files here"), "{line}");
    let line = common::fail(2, &["keygen", "lwekem128", "--target", "ssh:board", "--board", "mps2-an386"]);
    assert!(line.contains("--board is for --target cortex-m4"), "{line}");
    for option in ["--processes=2", "--counter=callgrind"] {
        let line = common::fail(2, &["keygen", "lwekem128", "--target", "aarch64", option]);
        assert!(line.contains("is for real machines"), "{line}");
    }
    let machine = Machine::new();
    let (code, _, errors) = machine.run(machine.kemprof(&["list"]).env("KEMPROF_SSH", "/no/such/ssh"));
    assert_eq!((code, errors.lines().count()), (1, 1), "{errors}");
    assert!(errors.starts_with("kemprof: /no/such/ssh is not installed; install OpenSSH's client"), "{errors}");
}
