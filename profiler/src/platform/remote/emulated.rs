//! Linux on AArch64, emulated here.

use super::{RemoteError, program};
use crate::platform::worker::{Worker, this_program};
use crate::process::Program;
use std::process::Command;

/// The emulator.
const QEMU: Program<'_> = Program { name: "qemu-aarch64-static", help: "run targets/setup" };

/// This program for AArch64, under QEMU in user mode.
pub(super) fn start() -> Result<Worker, RemoteError> {
    // Before minutes of building.
    QEMU.version()?;
    let mut command = Command::new(QEMU.name);
    command.arg(program::build("aarch64")?).args(this_program());
    Ok(Worker::start(format!("kemprof under {}", QEMU.name), QEMU, &mut command, None)?)
}
