//! Builds the firmware and runs it.

use crate::tools::{QEMU, scratch, skip, succeed};
use kemprof_protocol::{Answer, AnswerError, Clock, Command, Request, decode};
use m4sim::{Config, Event, Image, Limits, Machine, Map};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Boards that the simulator has a map for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Board {
    Mps2An386,
    NucleoF446ze,
    Stm32F4Discovery,
}

impl Board {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Mps2An386 => "mps2-an386",
            Self::NucleoF446ze => "nucleo-f446ze",
            Self::Stm32F4Discovery => "stm32f4discovery",
        }
    }

    const fn map(self) -> Map {
        match self {
            Self::Mps2An386 => Map::Mps2An386,
            Self::NucleoF446ze | Self::Stm32F4Discovery => Map::Stm32F4,
        }
    }
}

const TRIPLE: &str = "thumbv7em-none-eabihf";
/// A guard against programs that hang; far beyond what any takes.
const LIMITS: Limits = Limits { cycles: None, time: Some(Duration::from_secs(600)) };

/// The firmware for `board`; `None` where it cannot be built, which is said.
pub(crate) fn firmware(board: Board) -> Option<PathBuf> {
    /// What was built for each board: once in a run of the tests, one after another, since they share a folder.
    static BUILT: Mutex<Vec<(Board, Option<PathBuf>)>> = Mutex::new(Vec::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    match built.iter().find(|(of, _)| *of == board) {
        Some((_, elf)) => elf.clone(),
        None => {
            let elf = build(board);
            built.push((board, elf.clone()));
            elf
        }
    }
}

fn build(board: Board) -> Option<PathBuf> {
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cross_cargo = targets.join("cross-cargo");
    let usable = process::Command::new(&cross_cargo).args(["--env", TRIPLE]).output();
    if !usable.is_ok_and(|output| output.status.success()) {
        skip("no Rust for thumbv7em-none-eabihf");
        return None;
    }
    let built = scratch("firmware/built");
    let mut cargo = process::Command::new(&cross_cargo);
    cargo.args([TRIPLE, "build", "--quiet", "--locked", "--release"]).current_dir(targets.join("cortex-m4"));
    cargo.env("CARGO_TARGET_DIR", &built).env("KEMPROF_BOARD", board.name()).env_remove("RUSTFLAGS");
    succeed(&mut cargo);
    // The next board's image replaces this one.
    let elf = scratch(&format!("firmware/{}.elf", board.name()));
    std::fs::copy(built.join(TRIPLE).join("release/kemprof-m4"), &elf).expect("the built firmware");
    Some(elf)
}

/// A machine with the firmware for `board`, about to run `command` in a machine made as `config` says.
pub(crate) fn machine(board: Board, clock: Clock, command: &Command, config: Config) -> Option<Machine> {
    let elf = firmware(board)?;
    let image = Image::from_elf(&std::fs::read(elf).expect("the firmware")).expect("an image");
    let config = Config { map: board.map(), keep_output: true, ..config };
    let mut machine = Machine::new(&image, config).expect("fits the board");
    machine.set_command_line(&format!("firmware {}", request(clock, command)));
    Some(machine)
}

pub(crate) fn request(clock: Clock, command: &Command) -> Request {
    Request { clock, command: command.clone() }
}

/// Runs a machine to its end; what came, and the status.
pub(crate) fn finish(machine: &mut Machine) -> (Vec<u8>, i32) {
    loop {
        match machine.run(LIMITS).unwrap_or_else(|fault| panic!("{fault}")) {
            Event::Exit { status } => return (machine.take_output().stdout, status),
            // Of a test that has seen enough.
            Event::Hook { .. } => {}
            event => panic!("the firmware does not end: {event:?}"),
        }
    }
}

/// Runs `command` at zero wait states on the simulated MPS2, where nothing is special.
pub(crate) fn run(command: &Command) -> Option<Result<Answer, AnswerError>> {
    run_on(Board::Mps2An386, Clock::ZeroWait, command, Config::default())
}

/// Runs `command` on the simulator; the status must go with the answer.
pub(crate) fn run_on(
    board: Board,
    clock: Clock,
    command: &Command,
    config: Config,
) -> Option<Result<Answer, AnswerError>> {
    let (output, status) = finish(&mut machine(board, clock, command, config)?);
    let answer = decode(&output, &request(clock, command));
    let refused = matches!(answer, Err(AnswerError::Device { .. }));
    assert_eq!(status, i32::from(refused), "{}", String::from_utf8_lossy(&output));
    Some(answer)
}

/// Runs `command` under QEMU.
pub(crate) fn emulate(command: &Command) -> Option<Result<Answer, AnswerError>> {
    if !crate::tools::present(&[QEMU]) {
        return None;
    }
    let elf = firmware(Board::Mps2An386)?;
    let request = request(Clock::ZeroWait, command);
    // A comma ends an option unless it is doubled.
    let line = request.to_string().replace(',', ",,");
    let arguments: String = line.split(' ').map(|word| format!(",arg={word}")).collect();
    let mut qemu = process::Command::new(QEMU.0);
    qemu.args(["-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "none"]);
    qemu.args(["-chardev", "stdio,id=console,signal=off"]).arg("-semihosting-config");
    qemu.arg(format!("enable=on,target=native,chardev=console,arg=firmware{arguments}")).arg("-kernel").arg(elf);
    let output = qemu.stdin(Stdio::null()).output().expect("QEMU runs");
    Some(decode(&output.stdout, &request))
}
