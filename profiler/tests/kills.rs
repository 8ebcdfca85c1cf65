//! Runs that are ended at any moment leave nothing: no process, no temporary file, no file that is not whole. What SIGKILL leaves
//! is swept by the next run. The long form: `cargo test -p kemprof --test kills -- --ignored --nocapture`.
#![cfg(target_os = "linux")]

mod common;

use common::{LOOP, emulated, files, firmware_of, folder, kemprof, utf8};
use kemprof::evidence;
use kemprof::process::Program;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The runs that are ended: what each does, and its command line. `IMAGE` is firmware in a loop.
const MODES: [(&str, &str); 8] = [
    ("processes", "keygen lwekem128 --trials 25 --iterations 1 --processes 5"),
    ("callgrind", "keygen lwekem128 --sampling lazy --counter callgrind --trials 2 --iterations 1"),
    ("compare", "compare lwekem128 --op all --hash placeholder,sm3 --trials 10 --iterations 1"),
    ("kat", "kat ml-kem-768 --count 100 --write out/answers.rsp"),
    ("build", "kat kyber512 --target cortex-m4"),
    ("m4sim", "keygen ml-kem-512 --target cortex-m4 --image IMAGE"),
    ("qemu", "keygen ml-kem-512 --target cortex-m4 --image IMAGE --runner qemu"),
    ("functions", "bench-hash --quick --backend sm3 --length 64"),
];
const SIGNALS: [Signal; 3] = [Signal::TERM, Signal::KILL, Signal::INT];

/// In place of `targets/cross-cargo`: a build that goes on for long, with compilers and their files.
const BUILD: &str = r#"#!/bin/sh
[ "$2" = -Vv ] && { echo "cargo 1"; exit; }
[ -e "$(dirname "$0")/fails" ] && exit 1
for compiler in 1 2 3; do sh -c 'echo > "$TMPDIR/object-$$"; sleep 1000' & done
wait
"#;

/// A place of its own for runs of one mode.
struct Place(TempDir);

/// What became of a run.
struct Outcome {
    status: ExitStatus,
    /// How long after its end the last process was gone that it had started.
    orphaned: Duration,
}

impl Place {
    fn new() -> Self {
        let place = Self(folder());
        for name in ["tmp", "source/targets"] {
            fs::create_dir_all(place.path(name)).expect("can be made");
        }
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("is in the workspace");
        for name in ["Cargo.toml", "core", "targets/protocol", "targets/cortex-m4", "targets/cross-env.sh"] {
            symlink(top.join(name), place.path("source").join(name)).expect("links can be made");
        }
        let script = place.path("source/targets/cross-cargo");
        fs::write(&script, BUILD).expect("writable");
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("is ours");
        fs::write(place.path("IMAGE"), firmware_of(&LOOP)).expect("writable");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(kemprof().get_program());
        command.args(line.split(' ')).current_dir(self.0.path()).env("TMPDIR", self.path("tmp"));
        command.env("KEMPROF_SOURCE", self.path("source")).env("KEMPROF_CACHE", self.path("cache"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Ends a run by a signal, unless it ends before.
    fn kill(&self, line: &str, signal: Signal, after: Duration) -> Outcome {
        let mut run = self.command(line).spawn().expect("starts");
        thread::sleep(after);
        // It is not waited for yet, so that the number is still its own.
        let _ = kill_process(Pid::from_child(&run), signal);
        let status = end(&mut run);
        let ended = Instant::now();
        while self.is_used() {
            assert!(ended.elapsed() < PATIENCE, "{line}, {signal:?} after {after:?}: {:?}", self.users());
            thread::sleep(Duration::from_millis(10));
        }
        Outcome { status, orphaned: ended.elapsed() }
    }

    fn is_used(&self) -> bool {
        !self.users().is_empty()
    }

    /// Processes of a run here: all that it starts have its folder for temporary files, or one in it.
    fn users(&self) -> Vec<String> {
        let variable = format!("TMPDIR={}", self.path("tmp").display());
        let processes = fs::read_dir("/proc").expect("Linux has it").flatten().map(|entry| entry.path());
        let ours = processes.filter(|process| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|field| field.starts_with(variable.as_bytes()))
        });
        let name =
            |process: PathBuf| fs::read_to_string(process.join("cmdline")).unwrap_or_default().replace('\0', " ");
        ours.map(name).collect()
    }

    /// Temporary files and folders.
    fn temporary(&self) -> Vec<String> {
        let hidden = |name: &String| name.starts_with('.');
        let out = ["out", "cache"].map(|folder| self.path(folder)).into_iter().filter(|folder| folder.is_dir());
        let out = out.flat_map(|folder| files(&folder)).filter(hidden);
        files(&self.path("tmp")).into_iter().chain(out).collect()
    }

    /// Removes what a killed run left as runs do that make such files in the same places.
    fn sweep(&self) {
        fs::write(self.path("source/targets/fails"), "").expect("writable");
        self.command("kat kyber512 --target cortex-m4").status().expect("starts");
        fs::remove_file(self.path("source/targets/fails")).expect("was written");
        self.command("kat lwekem128 --write out/swept.rsp").status().expect("starts");
    }

    /// Holds all files against what they are to be.
    fn are_whole(&self, context: &str) {
        let out = self.path("out");
        if !out.is_dir() {
            return;
        }
        for name in files(&out).into_iter().filter(|name| !name.starts_with('.')) {
            let path = out.join(&name);
            let text = fs::read_to_string(&path).expect("is text");
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let whole = match ending {
                "json" if name.starts_with("bench-hash") => serde_json::from_str::<serde_json::Value>(&text).is_ok(),
                "json" => evidence::read(&path).inspect_err(|error| eprintln!("{error}")).is_ok(),
                "svg" => text.trim_end().ends_with("</svg>"),
                "folded" => text.ends_with('\n') && !text.contains("\n\n"),
                "rsp" => self.command(&format!("kat --check {}", utf8(&path))).status().expect("starts").success(),
                _ => false,
            };
            assert!(whole, "{context}: {name} is not whole");
        }
    }
}

/// What a run may take to end after a signal, and a process that it started after that. Only what hangs takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

fn end(run: &mut Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = run.try_wait().expect("is ours") {
            return status;
        }
        assert!(began.elapsed() < PATIENCE, "does not end after a signal");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A number that is another each time, below `most`.
fn random(most: u64) -> u64 {
    RandomState::new().hash_one(0) % most
}

/// Which moments of a run it is ended at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moments {
    /// Those of its first second.
    First,
    /// All, which takes a whole run to know.
    All,
}

/// Ends so many runs of a mode, and returns how many ended before their signal came, and the longest that a process outlived one.
fn kill_all((mode, line): (&str, &str), kills: usize, moments: Moments) -> (usize, Duration) {
    let place = Place::new();
    let line = if line.contains("--write") || mode == "build" { line.to_owned() } else { format!("{line} --out out") };
    let most = if moments == Moments::First || ["build", "m4sim", "qemu"].contains(&mode) {
        Duration::from_secs(1)
    } else {
        let began = Instant::now();
        let status = place.command(&line).status().expect("starts");
        assert!(status.success(), "{line}");
        began.elapsed() + began.elapsed() / 10
    };
    let (mut before, mut longest) = (0, Duration::ZERO);
    for kill in 0..kills {
        let signal = SIGNALS[kill % SIGNALS.len()];
        let _ = fs::remove_dir_all(place.path("out"));
        let after = Duration::from_micros(random(most.as_micros() as u64));
        let Outcome { status, orphaned } = place.kill(&line, signal, after);
        let context = format!("{mode}: {signal:?} after {after:?}");
        assert!(status.success() || status.signal() == Some(signal.as_raw()), "{context}: {status}");
        before += usize::from(status.success());
        longest = longest.max(orphaned);
        if signal == Signal::KILL && !place.temporary().is_empty() {
            place.sweep();
        }
        assert_eq!(place.temporary(), Vec::<String>::new(), "{context}");
        let out = place.path("out");
        assert!(signal == Signal::KILL || !out.is_dir() || !files(&out).is_empty(), "{context}: an empty folder");
        place.are_whole(&context);
    }
    (before, longest)
}

/// Ends so many runs of each mode that works here, all modes at once, and says what came of it.
fn kill_every_mode(kills: usize, moments: Moments) -> Duration {
    let has = |name| Program { name, help: "" }.version().is_ok();
    let here = |(mode, _): &(&str, &str)| match *mode {
        "callgrind" => has("valgrind"),
        "qemu" => has("qemu-system-arm"),
        _ => true,
    };
    let run = |mode| thread::spawn(move || kill_all(mode, kills, moments));
    let runs: Vec<_> = MODES.into_iter().filter(here).map(|mode| (mode.0, run(mode))).collect();
    let mut longest = Duration::ZERO;
    for (mode, run) in runs {
        let (before, orphaned) = run.join().unwrap_or_else(|_| panic!("{mode} left something"));
        eprintln!("{mode}: {kills} kills, {before} after the end; processes gone after {orphaned:?} at most");
        longest = longest.max(orphaned);
    }
    longest
}

#[test]
fn a_run_that_is_ended_leaves_nothing() {
    if !emulated() {
        kill_every_mode(2, Moments::First);
    }
}

#[test]
#[ignore = "takes minutes: 200 runs"]
fn two_hundred_runs_that_are_ended_leave_nothing() {
    let longest = kill_every_mode(25, Moments::All);
    assert!(longest < Duration::from_secs(2), "{longest:?}");
}
