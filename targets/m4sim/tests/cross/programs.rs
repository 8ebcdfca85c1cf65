//! Programs of real size, at every optimisation level, with and without an FPU: they print the same here as under QEMU.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{Console, Outcome, difference, m4sim, qemu};
use crate::tools::{GCC, QEMU, compile, present, scratch, skip, source, succeed};

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];
const SOFT: &[&str] = &["-mfloat-abi=soft"];
const HARD: &[&str] = &["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"];

/// Compiles `tests/programs/NAME.c` in every way and compares its runs; returns QEMU's outcome of each build.
fn compare(name: &str, libraries: &[&str], arguments: &[&str]) -> Vec<Outcome> {
    compare_on(Console::Semihosting, name, libraries, arguments)
}

fn compare_on(console: Console, name: &str, libraries: &[&str], arguments: &[&str]) -> Vec<Outcome> {
    if !present(&[GCC, QEMU]) {
        return Vec::new();
    }
    let file = |name: &str| source(&format!("programs/{name}"));
    let sources = [file(&format!("{name}.c")), file("start.c"), file("support.c")];
    let include = [file("support.h"), file("mps2.ld")];
    let script = format!("-T{}", include[1].display());
    let mut outcomes = Vec::new();
    let mut differences = Vec::new();
    for (kind, floats) in [("soft", SOFT), ("hard", HARD)] {
        for level in LEVELS {
            let elf = scratch(&format!("programs/{name}-{kind}{level}.elf"));
            let mut flags = vec!["-mcpu=cortex-m4", "-mthumb", "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"];
            flags.extend([level, &script]);
            flags.extend(floats);
            flags.extend(libraries);
            compile(&elf, &sources, &include, &flags);
            let theirs = qemu(&elf, arguments, console);
            let ours = m4sim(&elf, &[], arguments);
            if let Some(how) = difference(&theirs, &ours) {
                differences.push(format!("{}: {how}", elf.display()));
            }
            outcomes.push(theirs);
        }
    }
    assert!(differences.is_empty(), "{} of {} differ:\n{}", differences.len(), outcomes.len(), differences.join("\n"));
    outcomes
}

const OWN: &[&str] = &["-nostartfiles", "--specs=nosys.specs"];

/// That every run ended with `status` and printed `line`: that QEMU agrees is not enough where the truth is known.
fn expect(outcomes: &[Outcome], status: i32, line: &str) {
    for outcome in outcomes {
        assert_eq!(outcome.status, Some(status), "{}", outcome.messages);
        assert!(outcome.text().lines().any(|candidate| candidate == line), "no line '{line}' in:\n{}", outcome.text());
    }
}

#[test]
fn list_matrix_states_and_crc() {
    expect(&compare("coremark_like", OWN, &[]), 7, "crc 0000ab48");
}

#[test]
fn keccak() {
    let known = "sha3-256 of nothing a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a";
    expect(&compare("keccak", OWN, &[]), 0, known);
}

#[test]
fn sm3() {
    let known = "sm3 of abc 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0";
    expect(&compare("sm3", OWN, &[]), 0, known);
}

#[test]
fn memory_of_every_alignment() {
    compare("memory", OWN, &[]);
}

#[test]
fn printing_of_newlib() {
    expect(&compare("printing", OWN, &[]), 255, "3: 31 2.75 done");
}

#[test]
fn floating_point() {
    compare("floats", OWN, &[]);
}

#[test]
fn control_flow_and_wide_division() {
    expect(&compare("control", OWN, &[]), 1, "sparse switch 00000008");
}

#[test]
fn exceptions() {
    // SVC, cut into by interrupt 1, which interrupt 0 follows; then the rest of SVC, then PendSV.
    expect(&compare("exceptions", OWN, &[]), 0, "nested 00156423");
}

#[test]
fn semihosting_of_newlib() {
    let outcomes = compare("rdimon", &["-DUSE_RDIMON", "--specs=rdimon.specs"], &["one", "two", "three"]);
    expect(&outcomes, 17, "argument 3: three");
}

#[test]
fn code_written_at_run_time() {
    compare("written_code", OWN, &[]);
}

#[test]
fn uart_of_the_board() {
    expect(&compare_on(Console::Uart, "uart", OWN, &[]), 3, "priorities by bytes");
}

#[test]
fn rust_program() {
    if !present(&[GCC, QEMU]) {
        return;
    }
    let package = source("programs/rust_program");
    let cross_cargo = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../cross-cargo");
    let usable = Command::new(&cross_cargo).args(["--env", "thumbv7em-none-eabihf"]).output();
    if !usable.is_ok_and(|output| output.status.success()) {
        skip("no Rust for thumbv7em-none-eabihf");
        return;
    }
    let built = scratch("rust/built");
    let mut cargo = Command::new(&cross_cargo);
    cargo.args(["thumbv7em-none-eabihf", "build", "--quiet", "--locked", "--release"]);
    succeed(cargo.current_dir(&package).env("CARGO_TARGET_DIR", &built).env_remove("RUSTFLAGS"));
    let elf = built.join("thumbv7em-none-eabihf/release/rust_program");
    let (theirs, ours) = (qemu(&elf, &[], Console::Semihosting), m4sim(&elf, &[], &[]));
    assert_eq!(difference(&theirs, &ours), None);
    expect(&[theirs], 1, "index out of bounds: the len is 500 but the index is 500");
}
