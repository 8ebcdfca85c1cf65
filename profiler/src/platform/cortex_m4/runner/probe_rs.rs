use super::super::M4Error;
use super::super::image::Firmware;
use super::{Limit, Runner, RunnerName, process};
use crate::files::Scratch;
use crate::process::Program;
use kemprof_protocol::{ANSWER_MAGIC, Request};
use std::fs;
use std::process::Command;

/// A board behind a debug probe. `probe-rs run` writes the firmware to its flash, runs it, and passes on what it says.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ProbeRs {
    /// The chip.
    pub(in super::super) chip: &'static str,
}

pub(super) const PROGRAM: Program<'_> =
    Program { name: "probe-rs", help: "see https://probe.rs for how to install it, and targets/cortex-m4/README.md" };
/// The slowest clock that a board has here: what an STM32L4 comes out of reset with (RM0432, 6.2).
const LEAST_HZ: u64 = 4_000_000;

impl Runner for ProbeRs {
    fn run(&self, firmware: &Firmware, request: &Request, limit: Limit) -> Result<(Vec<u8>, i32), M4Error> {
        // It gives no command line: the request goes into the image.
        let system = |source| PROGRAM.system(source);
        let folder = Scratch::folder().map_err(system)?;
        let image = folder.path().join("firmware.elf");
        fs::write(&image, firmware.with_request(request)?).map_err(system)?;
        let mut command = Command::new(PROGRAM.name);
        command.args(["run", "--chip", self.chip]).arg(&image);
        // It writes about flashing to the same stream, before.
        let magic = ANSWER_MAGIC.as_bytes();
        let answer = |said: &[u8]| said.windows(magic.len()).position(|window| window == magic);
        process::run((RunnerName::ProbeRs, PROGRAM), &mut command, (limit, LEAST_HZ), answer)
    }

    fn version(&self) -> Result<String, M4Error> {
        Ok(PROGRAM.version()?)
    }
}
