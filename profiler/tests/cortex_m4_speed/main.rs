//! Core on a Cortex-M4: assembly against its plain twins, on the simulator and under QEMU, and the cycles that operations may
//! take at zero wait states. Simulated cycles are the same every time.

use m4sim::{Config, Event, Image, Limits, Machine};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Rounds of comparisons with twins: about a second on the simulator.
const ROUNDS: &str = "200";

/// Says that a test is skipped for want of what `targets/setup` installs; with `KEMPROF_REQUIRE_CROSS` set it fails instead.
fn skip(why: &str) {
    let required = std::env::var_os("KEMPROF_REQUIRE_CROSS").is_some_and(|value| !value.is_empty() && value != "0");
    assert!(!required, "skipped: {why} (run targets/setup); KEMPROF_REQUIRE_CROSS is set");
    // Past the capture of the test harness.
    let _ = writeln!(std::io::stderr(), "skipped: {why} (run targets/setup)");
}

/// The program, built once; `None` where no toolchain for it is.
fn program() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    const TARGET: &str = "thumbv7em-none-eabihf";
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cross_cargo = here.join("../targets/cross-cargo");
    let usable = Command::new(&cross_cargo).args(["--env", TARGET]).output();
    if !usable.is_ok_and(|output| output.status.success()) {
        skip("no Rust for thumbv7em-none-eabihf");
        return None;
    }
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("m4-checks");
    let output = Command::new(&cross_cargo)
        .args([TARGET, "build", "--quiet", "--locked", "--release"])
        .current_dir(here.join("tests/cortex_m4_speed/program"))
        .env("CARGO_TARGET_DIR", &built)
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cross-cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(built.join(TARGET).join("release/m4-checks"))
}

/// What the program prints on the simulator.
fn simulate(program: &Path, arguments: &str) -> String {
    let image = Image::from_elf(&std::fs::read(program).expect("the program")).expect("an image");
    let config = Config { keep_output: true, ..Config::default() };
    let mut machine = Machine::new(&image, config).expect("a machine");
    machine.set_command_line(&format!("m4-checks {arguments}"));
    let event = machine.run(Limits::default());
    let printed = String::from_utf8(machine.take_output().stdout).expect("text");
    assert!(matches!(event, Ok(Event::Exit { status: 0 })), "{arguments}: {event:?}\n{printed}");
    printed
}

/// Cycles of key generation, encapsulation and decapsulation, without a probe.
fn cycles(program: &Path, instance: &str, backend: &str, sampling: &str) -> Vec<u64> {
    let printed = simulate(program, &format!("time {instance} {backend} {sampling}"));
    let cycles: Vec<u64> = printed.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    assert_eq!(cycles.len(), 3);
    cycles
}

#[test]
fn assembly_is_its_twin_on_the_simulator() {
    let Some(program) = program() else { return };
    assert_eq!(simulate(program, &format!("twins {ROUNDS}")), format!("{ROUNDS} rounds: all alike\n"));
}

#[test]
fn assembly_is_its_twin_under_qemu() {
    let Some(program) = program() else { return };
    let semihosting = format!("enable=on,target=native,arg=m4-checks,arg=twins,arg={ROUNDS}");
    let mut command = Command::new("qemu-system-arm");
    command.args(["-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none"]);
    command.args(["-semihosting-config", &semihosting, "-kernel"]).arg(program);
    match command.stdin(Stdio::null()).output() {
        Ok(output) => {
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8_lossy(&printed);
            assert!(output.status.success() && printed.contains("all alike"), "{}: {printed}", output.status);
        }
        Err(_) => skip("no qemu-system-arm"),
    }
}

#[test]
fn ml_kem_512_keeps_to_its_cycles() {
    let Some(program) = program() else { return };
    for sampling in ["eager", "lazy"] {
        let cycles = cycles(program, "ml-kem-512", "shake", sampling);
        let limits = [700_000, 800_000, 900_000];
        assert!(cycles.iter().zip(limits).all(|(&cycles, limit)| cycles <= limit), "{sampling}: {cycles:?}");
    }
}

#[test]
fn lwekem256_gains_four_times_by_sm3_and_laziness() {
    let Some(program) = program() else { return };
    let submitted = cycles(program, "lwekem256", "placeholder", "eager");
    let fast = cycles(program, "lwekem256", "sm3", "lazy");
    assert!(submitted.iter().zip(&fast).all(|(submitted, fast)| *submitted >= 4 * fast), "{submitted:?} to {fast:?}");
}
