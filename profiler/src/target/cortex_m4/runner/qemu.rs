use super::super::M4Error;
use super::super::image::Firmware;
use super::Runner;
use super::process;
use crate::process::Program;
use kemprof_protocol::Request;
use std::process::Command;
use std::time::Duration;

/// QEMU's system emulator. It has no model of time: its DWT does not count.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Qemu {
    /// Its name of the board.
    pub(in super::super) machine: &'static str,
}

const PROGRAM: Program<'_> = Program { name: "qemu-system-arm", help: "targets/setup installs it" };
/// What a run may take.
const LONGEST: Duration = Duration::from_secs(60 * 60);

impl Runner for Qemu {
    fn run(&self, firmware: &Firmware, request: &Request) -> Result<(Vec<u8>, i32), M4Error> {
        // Each word is an option of its own, in which commas are doubled.
        let words = format!("kemprof {request}").replace(',', ",,");
        let words: String = words.split(' ').map(|word| format!(",arg={word}")).collect();
        let mut command = Command::new(PROGRAM.name);
        command.args(["-M", self.machine, "-display", "none", "-monitor", "none", "-serial", "null"]);
        command.args(["-semihosting-config", &format!("enable=on,target=native{words}")]);
        command.arg("-kernel").arg(&firmware.path);
        Ok(process::run(PROGRAM, &mut command, LONGEST, |said| (!said.is_empty()).then_some(0))?)
    }

    fn version(&self) -> Result<String, M4Error> {
        Ok(PROGRAM.version()?)
    }
}
