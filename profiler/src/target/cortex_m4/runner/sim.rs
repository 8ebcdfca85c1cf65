use super::super::M4Error;
use super::super::image::Firmware;
use super::Runner;
use kemprof_protocol::Request;
use m4sim::timing::FlashModel;
use m4sim::{Config, Event, Fault, ImageError, Limits, Machine, Map, Watch};
use std::time::Duration;
use thiserror::Error;

/// The simulator.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Sim {
    pub(in super::super) map: Map,
    /// Wait states of the flash, with the accelerator that hides most of them.
    pub(in super::super) wait_states: Option<u32>,
}

/// Why the simulator gave no answer.
#[derive(Debug, Error)]
pub enum SimError {
    /// The image does not fit.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The firmware faulted.
    #[error("the firmware faulted after {} cycles: {_0}", _0.cycles)]
    Fault(#[from] Box<Fault>),
    /// The firmware does not end.
    #[error("the firmware did not end within {} min", LONGEST.as_secs() / 60)]
    Endless,
}

/// What a run may take on the host: about 10^12 simulated cycles.
const LONGEST: Duration = Duration::from_secs(2 * 60 * 60);

impl Sim {
    fn machine(&self, firmware: &Firmware, request: &Request) -> Result<Machine, SimError> {
        let flash = self.wait_states.map(|wait_states| FlashModel { wait_states, accelerator: true });
        let config = Config { map: self.map, flash, keep_output: true, ..Config::default() };
        let mut machine = Machine::new(&firmware.image, config)?;
        machine.set_command_line(&format!("kemprof {request}"));
        Ok(machine)
    }

    fn finish(mut machine: Machine) -> Result<(Vec<u8>, i32, Option<Watch>), SimError> {
        match machine.run(Limits { cycles: None, time: Some(LONGEST) })? {
            Event::Exit { status } => Ok((machine.take_output().stdout, status, machine.take_watch())),
            _ => Err(SimError::Endless),
        }
    }
}

impl Runner for Sim {
    fn run(&self, firmware: &Firmware, request: &Request) -> Result<(Vec<u8>, i32), M4Error> {
        let (answer, status, _) = Self::finish(self.machine(firmware, request)?)?;
        Ok((answer, status))
    }

    fn version(&self) -> Result<String, M4Error> {
        // One workspace, one version.
        Ok(format!("m4sim {}", env!("CARGO_PKG_VERSION")))
    }
}
