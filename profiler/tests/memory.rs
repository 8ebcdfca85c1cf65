//! The memory in evidence is that of the program itself, whatever started it.
#![cfg(target_os = "linux")]

mod common;

use common::{emulated, folder, json, kemprof, profile, utf8};
use kemprof::evidence::{Evidence, Memory};
use std::hint::black_box;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The name of [`the_parent`], and of the variable that tells it to be one: MiB to touch, and the folder for files.
const PARENT: &str = "the_parent";

/// Not a test by itself: the program that starts `kemprof`, in a process of its own, after touching as much memory as it is told to.
#[test]
fn the_parent() {
    let Some((mebibytes, out)) = std::env::var(PARENT).ok().and_then(|it| {
        let (mebibytes, out) = it.split_once(' ')?;
        Some((mebibytes.parse::<usize>().ok()?, out.to_owned()))
    }) else {
        return;
    };
    let touched = black_box(vec![1_u8; mebibytes << 20]);
    let program = kemprof();
    let mut child = Command::new(program.get_program());
    child.args(["keygen", "lwekem128", "--trials", "2", "--iterations", "2", "--out", &out]);
    // Asking for a user makes the library copy the process before it becomes the other program: what the parent has in RAM is then
    // what `ru_maxrss` of the child begins with.
    child.uid(std::fs::metadata("/proc/self").expect("is there").uid());
    assert!(child.status().expect("starts").success());
    drop(touched);
}

/// The peak of a profile in bytes, whose parent has touched so many MiB.
fn peak(mebibytes: usize) -> u64 {
    let out = folder();
    let this = std::env::current_exe().expect("is known");
    let mut parent = Command::new(this);
    parent.args(["--exact", PARENT]).env(PARENT, format!("{mebibytes} {}", utf8(out.path())));
    let output = parent.output().expect("starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let file = json(out.path());
    let record = kemprof::evidence::read(&file).expect("was written");
    let memory = record.memory;
    let (baseline, peak) = memory.baseline.zip(memory.peak).expect("Linux tells");
    assert!(baseline > 0 && peak >= baseline, "{memory:?}");
    assert!(memory.stack_peak > Some(4 << 10) && memory.stack_peak < Some(1 << 20), "{memory:?}");
    peak
}

#[test]
fn what_an_emulator_has_in_ram_is_not_the_programs() {
    let (records, _out) = profile("keygen", "lwekem128", &[]);
    let Memory { baseline, peak, stack_peak, .. } = records[0].memory;
    assert_eq!((baseline.is_some(), peak.is_some()), (!emulated(), !emulated()));
    assert!(stack_peak > Some(4 << 10), "the stack is the program's own");
}

#[test]
fn each_operation_of_all_has_a_peak_of_its_own() {
    if emulated() {
        return;
    }
    let (records, _out) = profile("all", "lwekem128", &["--counter", "none"]);
    let alone = profile("dec", "lwekem128", &["--counter", "none"]).0.remove(0);
    for record in records.iter().chain([&alone]) {
        let Memory { baseline, peak, stack_peak, .. } = record.memory;
        let (took, stack) = (peak.unwrap() - baseline.unwrap(), stack_peak.unwrap());
        // Nothing is allocated, so that it is the pages of the stack, but for those that the look at memory had touched already.
        assert!(took + (16 << 10) >= stack && took < stack + (64 << 10), "{}: {:?}", record.operation, record.memory);
    }
    let took = |record: &Evidence| record.memory.peak.unwrap() - record.memory.baseline.unwrap();
    assert!(
        took(&records[2]).abs_diff(took(&alone)) <= 16 << 10,
        "after others {}, alone {}",
        took(&records[2]),
        took(&alone)
    );
}

#[test]
fn the_peak_is_that_of_the_child_whatever_its_parent_has_touched() {
    const MOST_APART: u64 = 2 << 20;
    if emulated() {
        return;
    }
    let (small, large) = (peak(0), peak(300));
    assert!(small.abs_diff(large) < MOST_APART, "{small} bytes under a small parent, {large} under one of 300 MiB");
    assert!(large < 100 << 20, "{large}");
}
