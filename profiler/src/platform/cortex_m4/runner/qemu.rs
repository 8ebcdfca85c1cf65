use super::super::M4Error;
use super::super::image::Firmware;
use super::{Limit, Runner, RunnerName, process};
use crate::process::Program;
use kemprof_protocol::Request;
use std::process::Command;

/// QEMU's system emulator. It has no model of time: its DWT does not count.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Qemu {
    /// Its name of the board.
    pub(in super::super) machine: &'static str,
}

pub(super) const PROGRAM: Program<'_> = Program { name: "qemu-system-arm", help: "targets/setup installs it" };
/// Instructions a second that it runs at least, on a busy machine too.
const LEAST_HZ: u64 = 10_000_000;

impl Runner for Qemu {
    fn run(&self, firmware: &Firmware, request: &Request, limit: Limit) -> Result<(Vec<u8>, i32), M4Error> {
        // Each word is an option of its own, in which commas are doubled.
        let words = format!("kemprof {request}").replace(',', ",,");
        let words: String = words.split(' ').map(|word| format!(",arg={word}")).collect();
        let mut command = Command::new(PROGRAM.name);
        command.args(["-M", self.machine, "-display", "none", "-monitor", "none", "-serial", "null"]);
        command.args(["-semihosting-config", &format!("enable=on,target=native{words}")]);
        command.arg("-kernel").arg(&firmware.path);
        let runner = (RunnerName::Qemu, PROGRAM);
        process::run(runner, &mut command, (limit, LEAST_HZ), |said| (!said.is_empty()).then_some(0))
    }

    fn version(&self) -> Result<String, M4Error> {
        Ok(PROGRAM.version()?)
    }
}
