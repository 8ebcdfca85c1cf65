//! Boards behind probe-rs, for which a script stands in: it keeps the image that it is given and plays an answer that this test
//! made of it.

use crate::common::{folder, utf8};
use crate::support::{can_build, failure, finish, kemprof};
use assert_cmd::Command;
use kemprof::evidence;
use m4sim::{Config, Event, Image, Limits, Machine, Map};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The script: run number N keeps its image as `image-N` and plays `answer-N`; without one it is a board that does not answer.
const STAND_IN: &str = r#"#!/bin/sh
here=$(dirname "$0")
[ "$1" = --version ] && { echo "probe-rs 0.0.0 (stand-in)"; exit; }
[ "$1 $2" = "run --chip" ] || { echo "unexpected: $*" >&2; exit 3; }
number=$(cat "$here/number" 2>/dev/null || echo 0)
echo $((number + 1)) >"$here/number"
echo "$3" >"$here/chip"
cp "$4" "$here/image-$number"
echo "      Finished flashing"
[ -e "$here/answer-$number" ] || { echo "Error: No connected probes were found." >&2; exit 1; }
cat "$here/answer-$number"
"#;

struct StandIn {
    folder: TempDir,
    out: TempDir,
}

impl StandIn {
    fn new() -> Self {
        let stand_in = Self { folder: folder(), out: folder() };
        let script = stand_in.path("probe-rs");
        fs::write(&script, STAND_IN).expect("can be written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("is ours");
        stand_in
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A key generation on a board that the script stands in for, from its first run.
    fn command(&self) -> Command {
        let _ = fs::remove_file(self.path("number"));
        let mut command = kemprof();
        let path = std::env::var("PATH").expect("is set");
        command.env("PATH", format!("{}:{path}", self.folder.path().display()));
        command.args(["keygen", "ml-kem-512", "--hash", "shake", "--target", "cortex-m4", "--runner", "probe-rs"]);
        command.args(["--board", "nucleo-f446ze", "--clock", "default", "--out", utf8(self.out.path())]);
        command
    }

    /// Makes the answers: each image holds its request, and the simulator runs it.
    fn record(&self) {
        for number in 0..2 {
            let line = failure(1, &mut self.command());
            assert!(line.contains("probe-rs failed: Error: No connected probes were found."), "{line}");
            fs::write(self.path(&format!("answer-{number}")), simulated(&self.path(&format!("image-{number}"))))
                .expect("can be written");
        }
    }
}

/// What the firmware says in the simulator.
fn simulated(image: &Path) -> Vec<u8> {
    let image = Image::from_elf(&fs::read(image).expect("was kept")).expect("is an image");
    let config = Config { map: Map::Stm32F4, keep_output: true, ..Config::default() };
    let mut machine = Machine::new(&image, config).expect("fits");
    assert_eq!(machine.run(Limits::default()).expect("does not fault"), Event::Exit { status: 0 });
    machine.take_output().stdout
}

#[test]
fn a_board_gives_evidence_with_the_rate_of_its_clock() {
    if !can_build() {
        return;
    }
    let board = StandIn::new();
    board.record();
    let (code, stdout, stderr) = finish(&mut board.command());
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.lines().next().is_some_and(|line| line.contains("Cortex-M4, DWT cycles at 16 MHz (probe-rs, ")));
    assert_eq!(fs::read_to_string(board.path("chip")).expect("was run").trim(), "STM32F446ZETx");
    let file = board.out.path().join("ml-kem-512-keygen-shake-cortex-m4-probe-rs-nucleo-f446ze-default-16MHz.json");
    let record = evidence::read(&file).expect("was written");
    assert_eq!(evidence::violations(&record), []);
    assert_eq!((record.runner.as_str(), record.counter.hz), ("probe-rs", Some(16_000_000)));
    assert_eq!(record.environment["runner"], "probe-rs 0.0.0 (stand-in)");
    let trial = &record.trials[0];
    assert!(trial.seconds.is_some_and(|seconds| (seconds * 16e6 - trial.ticks.expect("counts") as f64).abs() < 1.0));
    fs::remove_file(&file).expect("is there");

    // What is not the whole answer is an error that says where, and leaves no evidence.
    let answer = fs::read(board.path("answer-1")).expect("was made");
    let text = String::from_utf8(answer.clone()).expect("is text");
    let half: String = text.lines().take(9).map(|line| format!("{line}\n")).collect();
    let other = text.replacen("ticks=", "ticks=1", 1);
    let swapped = text.replacen("trial plain", "trial probed", 1);
    let cases = [
        (half, "the answer is cut: it ends after line 9"),
        (other, "the checksum of the answer is "),
        (swapped, "the checksum of the answer is "),
        (text.replacen("kemprof-answer/2", "kemprof-answer/1", 1), "line 1 of the answer is not"),
        (String::new(), "line 1 of the answer is not"),
        (text.clone() + "more\n", "follow the last line of the answer"),
        (fs::read_to_string(board.path("answer-0")).expect("was made"), "it answers \"record ml-kem-512"),
    ];
    for (answer, expected) in cases {
        fs::write(board.path("answer-1"), &answer).expect("can be written");
        let line = failure(1, &mut board.command());
        assert!(line.contains(expected), "{line}");
        assert!(line.contains("(from probe-rs)"), "{line}");
        assert!(!file.exists());
    }
}

#[test]
fn a_wrong_answer_on_the_board_stops_everything() {
    if !can_build() {
        return;
    }
    let board = StandIn::new();
    board.record();
    // A board that computes something else says so in a whole answer.
    let answer = fs::read_to_string(board.path("answer-0")).expect("was made");
    let wrong: String = answer.lines().filter(|line| !line.starts_with("end ")).map(wrong_secret).collect();
    let lines = wrong.lines().count();
    let crc = crc(wrong.as_bytes());
    fs::write(board.path("answer-0"), format!("{wrong}end lines={lines} crc={crc:08x}\n")).expect("can be written");
    let line = failure(1, &mut board.command());
    assert!(line.contains("SHA-256 of the shared secret: expected ") && line.contains("nothing was timed"), "{line}");
    assert!(crate::common::files(board.out.path()).is_empty());
}

#[test]
fn a_board_that_does_not_answer_is_given_up() {
    if !can_build() {
        return;
    }
    let board = StandIn::new();
    // Reading a pipe that nobody writes to takes forever.
    let pipe = std::process::Command::new("mkfifo").arg(board.path("answer-0")).status();
    assert!(pipe.expect("there is mkfifo").success());
    let line = failure(1, board.command().args(["--timeout", "1"]));
    assert!(line.contains("did not end within 1 s (on probe-rs), as --timeout has it"), "{line}");
    assert!(crate::common::files(board.out.path()).is_empty());
}

/// A line with another digest of the shared secret.
fn wrong_secret(line: &str) -> String {
    match line.split_once(" ss=") {
        Some((before, after)) => format!("{before} ss={}{}\n", "0".repeat(64), &after[64..]),
        None => format!("{line}\n"),
    }
}

/// CRC-32 (ISO-HDLC), bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}
