//! The command's own promises: what it counts, traces and profiles is one and the same run, and it ends as it says.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{Outcome, m4sim};
use crate::tools::{GCC, compile, present, scratch, source};

/// Compiles a program with the start-up and the libraries of `programs`, optimised.
fn program(name: &str, libraries: &[&str]) -> PathBuf {
    let elf = scratch(&format!("command/{name}.elf"));
    let file = |name: &str| source(&format!("programs/{name}"));
    let script = format!("-T{}", file("mps2.ld").display());
    let mut flags = vec!["-mcpu=cortex-m4", "-mthumb", "-O2", "-g", &script];
    flags.extend(libraries);
    let sources = [file(&format!("{name}.c")), file("start.c"), file("support.c")];
    compile(&elf, &sources, &[file("support.h"), file("mps2.ld")], &flags);
    elf
}

const OWN: &[&str] = &["-nostartfiles", "--specs=nosys.specs"];

/// The number that follows `label` in what the command printed.
fn number(outcome: &Outcome, label: &str) -> u64 {
    let messages = &outcome.messages;
    let after = messages.split_once(label).unwrap_or_else(|| panic!("no '{label}' in: {messages}")).1;
    let digits = after.trim_start().split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("no number after '{label}' in: {messages}"))
}

/// The sum of a file of folded stacks.
fn sum(path: &Path) -> u64 {
    let text = std::fs::read_to_string(path).expect("a profile");
    let value = |line: &str| line.rsplit_once(' ').and_then(|(_, value)| value.parse::<u64>().ok());
    text.lines().map(|line| value(line).unwrap_or_else(|| panic!("not a folded stack: {line}"))).sum()
}

#[test]
fn profiles_sum_to_the_cycles_of_the_run() {
    if !present(&[GCC]) {
        return;
    }
    // setjmp, tail calls, recursion; interrupts that cut into each other; long paths through a library.
    for name in ["control", "exceptions", "printing"] {
        let folded = scratch(&format!("command/{name}.folded"));
        let outcome =
            m4sim(&program(name, OWN), &["--counters", "--profile", folded.to_str().expect("a plain path")], &[]);
        assert_eq!(sum(&folded), number(&outcome, "cycles "), "{name}");
        let text = std::fs::read_to_string(&folded).expect("a profile");
        assert!(text.lines().any(|line| line.contains("main;")), "{name}: nothing is called by main:\n{text}");
        let depth = text.lines().map(|line| line.split(';').count()).max();
        assert!(depth < Some(100), "{name}: {depth:?} calls deep: what was left by a jump has not been taken off");
    }
}

#[test]
fn profiles_follow_calls_of_every_kind() {
    if !present(&[GCC]) {
        return;
    }
    let folded = scratch("command/paths.folded");
    m4sim(&program("control", OWN), &["--profile", folded.to_str().expect("a plain path")], &[]);
    let text = std::fs::read_to_string(&folded).expect("a profile");
    let cycles = |path: &str| {
        let mut lines = text.lines().filter_map(|line| line.rsplit_once(' '));
        lines.find(|(name, _)| *name == path).map(|(_, value)| value.parse::<u64>().expect("cycles"))
    };
    for path in
        ["reset", "begin;main;dense", "begin;main;sparse", "begin;main;digest", "begin;main;ackermann;ackermann"]
    {
        assert!(cycles(path).is_some_and(|value| value > 0), "no '{path}' in:\n{text}");
    }
    // longjmp goes on in the function that called setjmp, tail calls go on in the place of their caller.
    assert!(!text.contains("jump;jump") && !text.contains("steps;"), "{text}");
}

#[test]
fn other_refills_are_told_without_another_run() {
    if !present(&[GCC]) {
        return;
    }
    let elf = program("control", OWN);
    let told = m4sim(&elf, &["--counters"], &[]);
    let list = told.messages.split_once("P = 1, 2, 3: ").expect("a band").1.lines().next().unwrap_or_default();
    for (refill, cycles) in ["1", "2", "3"].iter().zip(list.split(", ")) {
        let run = m4sim(&elf, &["--counters", "--refill", refill], &[]);
        assert_eq!(number(&run, "cycles ").to_string(), cycles, "P = {refill}");
        assert_eq!(run.output, told.output);
    }
}

#[test]
fn a_trace_has_a_line_for_each_instruction_and_its_cycles() {
    if !present(&[GCC]) {
        return;
    }
    let trace = scratch("command/sm3.trace");
    let options = ["--cycles", "20000", "--counters", "--trace", trace.to_str().expect("a plain path")];
    let outcome = m4sim(&program("sm3", OWN), &options, &[]);
    assert_eq!(outcome.status, Some(124), "the limit ends the run: {}", outcome.messages);
    let text = std::fs::read_to_string(&trace).expect("a trace");
    assert_eq!(text.lines().count() as u64, number(&outcome, "instructions "));
    let mut at = 0;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let cycle: u64 = words.next().and_then(|word| word.parse().ok()).expect("a cycle");
        let cost: u64 = words.next().and_then(|word| word.strip_prefix('+')?.parse().ok()).expect("a cost");
        assert_eq!(cycle, at, "{line}");
        at += cost;
    }
    assert_eq!(at, number(&outcome, "cycles "));
}

#[test]
fn faults_say_where_and_what() {
    if !present(&[GCC]) {
        return;
    }
    let elf = program("faults", &["-DUSE_RDIMON", "--specs=rdimon.specs"]);
    let ways: [(&str, &[&str]); 5] = [
        ("0", &["strange_opcode", "ee11 0110"]),
        ("1", &["undefined_opcode", "de07"]),
        ("2", &["nothing_there", "0x60000000"]),
        ("3", &["unaligned_pair", "0x20000001"]),
        ("4", &["0x20000000"]),
    ];
    for (way, parts) in ways {
        let outcome = m4sim(&elf, &[], &[way]);
        assert_eq!(outcome.status, Some(125), "way {way}: {}", outcome.messages);
        for part in parts.iter().chain(&["pc", "r12", "xpsr"]) {
            assert!(outcome.messages.contains(part), "way {way}: no '{part}' in: {}", outcome.messages);
        }
    }
}

#[test]
fn two_runs_are_the_same_run() {
    if !present(&[GCC]) {
        return;
    }
    let elf = program("exceptions", OWN);
    let runs = [(); 2].map(|()| m4sim(&elf, &["--counters"], &[]));
    let [first, second] = runs.each_ref().map(|run| (run.output.clone(), number(run, "cycles "), run.status));
    assert_eq!(first, second);
}

/// Folded stacks and the report of a program.
fn profile(name: &str) -> (String, Outcome) {
    let folded = scratch(&format!("command/{name}.profile.folded"));
    let outcome =
        m4sim(&program(name, OWN), &["--counters", "--report", "--profile", folded.to_str().expect("a path")], &[]);
    assert_eq!(sum(&folded), number(&outcome, "\ncycles "), "{name}");
    (std::fs::read_to_string(&folded).expect("a profile"), outcome)
}

#[test]
fn every_stack_has_its_depth_and_its_calls() {
    if !present(&[GCC]) {
        return;
    }
    let (folded, outcome) = profile("stacks");
    // What fill takes: 256 bytes and what it saves; all other functions save registers alone.
    for (label, least, most) in
        [("peak stack ", 32, 200), ("peak stack in array ", 260, 320), ("peak stack in task_stacks ", 260, 400)]
    {
        let bytes = number(&outcome, label);
        assert!((least..=most).contains(&bytes), "{label}{bytes}: {}", outcome.messages);
    }
    assert_eq!(outcome.messages.matches("peak stack in task_stacks ").count(), 2, "{}", outcome.messages);
    let paths = [
        "begin;main;on_array;on_the_array;fill",
        "begin;main;resume;first_task;first_part;fill",
        "begin;main;resume;second_task;second_part;fill",
        "begin;main;resume;first_task;yield;switch_to",
        "begin;main;resume;second_task;yield;switch_to",
    ];
    for path in paths {
        assert!(folded.lines().any(|line| line.starts_with(&format!("{path} "))), "no {path} in\n{folded}");
    }
    let mixed = folded.lines().find(|line| line.contains("first") && line.contains("second"));
    assert_eq!(mixed, None, "one task under the other");
}

#[test]
fn handlers_and_the_process_stack_are_on_stacks_of_their_own() {
    if !present(&[GCC]) {
        return;
    }
    let (folded, outcome) = profile("exceptions");
    assert!(number(&outcome, "peak stack ") < 1000, "{}", outcome.messages);
    assert!(number(&outcome, "peak stack in process_stack.0 ") < 1000, "{}", outcome.messages);
    assert!(folded.lines().any(|line| line.starts_with("begin;main;on_svc ")), "{folded}");
    assert!(folded.lines().any(|line| line.starts_with("begin;main;on_systick")), "{folded}");
}

#[test]
fn the_profile_of_a_deep_recursion_is_short() {
    if !present(&[GCC]) {
        return;
    }
    let (folded, outcome) = profile("recursion");
    assert_eq!(outcome.status, Some(0), "{}", outcome.messages);
    assert!(folded.len() < 2_000_000, "{} bytes", folded.len());
    let deepest = folded.lines().map(|line| line.split(';').count()).max();
    assert!(deepest.is_some_and(|depth| (250..270).contains(&depth)), "{deepest:?}");
    assert!(number(&outcome, "peak stack ") >= 20_000 * 8, "{}", outcome.messages);
    let calls = |name: &str| {
        let row = outcome.messages.lines().find(|line| line.ends_with(&format!("  {name}"))).expect("a row");
        row.split_whitespace().nth(4).and_then(|calls| calls.parse::<u64>().ok()).expect("calls")
    };
    assert_eq!((calls("down"), calls("even"), calls("odd")), (20_001, 10_001, 10_000));
}

/// The command with its standard output or standard error on a device that is always full, or a pipe without a reader.
fn onto(arguments: &[&str], stdout: Stdio, stderr: Stdio) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_m4sim"));
    let output = command.args(arguments).stdout(stdout).stderr(stderr).output().expect("m4sim");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("a full device").into()
}

fn without_reader() -> Stdio {
    std::io::pipe().expect("a pipe").1.into()
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    if !present(&[GCC]) {
        return;
    }
    let elf = program("stacks", OWN);
    let elf = elf.to_str().expect("a plain path");
    for arguments in [&["costs"][..], &["--help"], &["run", "--help"], &["run", elf]] {
        let (status, messages) = onto(arguments, full(), Stdio::piped());
        assert_eq!(status, Some(1), "{arguments:?}: {messages}");
        assert!(messages.starts_with("m4sim: standard output: ") && messages.lines().count() == 1, "{messages}");
        assert_eq!(onto(arguments, without_reader(), Stdio::piped()).0, Some(0), "{arguments:?}");
    }
    for option in ["--profile", "--trace"] {
        let (status, messages) = onto(&["run", option, "/dev/full", elf], Stdio::null(), Stdio::piped());
        assert_eq!(status, Some(1), "{option}: {messages}");
        assert!(messages.contains("/dev/full"), "{messages}");
    }
    for option in ["--report", "--counters"] {
        assert_eq!(onto(&["run", option, elf], Stdio::null(), full()).0, Some(1), "{option}");
    }
}

#[test]
fn the_exit_status_does_not_need_standard_error() {
    if !present(&[GCC]) {
        return;
    }
    let (good, bad) = (program("stacks", OWN), program("faults", &["-DUSE_RDIMON", "--specs=rdimon.specs"]));
    let [good, bad] = [&good, &bad].map(|elf| elf.to_str().expect("a plain path"));
    for (arguments, expected) in [
        (&["run", "--report", "--counters", good][..], 0),
        (&["run", "--cycles", "10", good], 124),
        (&["run", bad, "--", "1"], 125),
        (&["run", "/nowhere"], 1),
        (&["run", "--refill", "9", good], 2),
    ] {
        assert_eq!(onto(arguments, Stdio::null(), without_reader()).0, Some(expected), "{arguments:?}");
    }
}

#[test]
fn images_of_other_architectures_are_refused_in_words() {
    if !present(&[GCC]) {
        return;
    }
    let file = |name: &str| source(&format!("programs/{name}"));
    let script = format!("-T{}", file("mps2.ld").display());
    for (flags, found) in [
        ("-mcpu=cortex-m33 -mthumb", Some("Armv8-M Mainline")),
        ("-mcpu=cortex-m23 -mthumb", Some("Armv8-M Baseline")),
        ("-mcpu=cortex-m55 -mthumb", Some("Armv8.1-M Mainline")),
        ("-mcpu=cortex-a7 -mthumb", Some("Armv7-A")),
        ("-mcpu=cortex-r5 -mthumb", Some("Armv7-R")),
        ("-mcpu=cortex-a53 -mthumb", Some("Armv8-A")),
        ("-mcpu=cortex-m3 -mthumb", None),
        ("-mcpu=cortex-m0 -mthumb", None),
    ] {
        let elf = scratch(&format!("command/architecture{}.elf", flags.replace([' ', '='], "")));
        let flags: Vec<&str> = flags.split(' ').chain(["-nostdlib", &script]).collect();
        compile(&elf, &[file("architecture.c")], &[], &flags);
        let outcome = m4sim(&elf, &[], &[]);
        match found {
            Some(found) => {
                assert_eq!(outcome.status, Some(1), "{found}: {}", outcome.messages);
                assert!(
                    outcome.messages.contains(found) && outcome.messages.lines().count() == 1,
                    "{}",
                    outcome.messages
                );
            }
            None => assert_eq!(outcome.status, Some(7), "{flags:?}: {}", outcome.messages),
        }
    }
}
