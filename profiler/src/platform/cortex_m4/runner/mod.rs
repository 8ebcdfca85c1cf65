//! What runs the firmware: each takes a request and gives what the firmware wrote.

mod limit;
mod probe_rs;
mod process;
mod qemu;
mod sim;

pub(super) use limit::Limit;
pub(super) use probe_rs::ProbeRs;
pub(super) use qemu::Qemu;
pub use sim::SimError;
pub(super) use sim::{Followed, Sim};

use super::image::Firmware;
use super::{Board, M4Error};
use crate::names::{self, UnknownName};
use kemprof_protocol::Request;
use std::fmt;
use std::str::FromStr;

/// What runs the firmware, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RunnerName {
    /// The simulator that counts cycles, in this process.
    #[default]
    M4sim,
    /// QEMU, which has no cycles: to see that the answers are right.
    Qemu,
    /// A board, through probe-rs.
    ProbeRs,
}

impl RunnerName {
    /// Every runner.
    pub const ALL: [Self; 3] = [Self::M4sim, Self::Qemu, Self::ProbeRs];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::M4sim => "m4sim",
            Self::Qemu => "qemu",
            Self::ProbeRs => "probe-rs",
        }
    }

    /// Whether it counts cycles.
    #[must_use]
    pub const fn counts(self) -> bool {
        match self {
            Self::M4sim | Self::ProbeRs => true,
            Self::Qemu => false,
        }
    }

    /// The program that has to be installed for it, where it is not this one.
    #[must_use]
    pub const fn program(self) -> Option<&'static str> {
        match self {
            Self::M4sim => None,
            Self::Qemu => Some(qemu::PROGRAM.name),
            Self::ProbeRs => Some(probe_rs::PROGRAM.name),
        }
    }

    /// The boards that it has.
    #[must_use]
    pub fn boards(self) -> Vec<&'static str> {
        Board::ALL.into_iter().filter(|board| board.runs_on(self)).map(Board::name).collect()
    }

    /// The name in evidence.
    #[must_use]
    pub const fn in_evidence(self) -> &'static str {
        match self {
            Self::M4sim => "m4sim",
            Self::Qemu => "qemu-system",
            Self::ProbeRs => "probe-rs",
        }
    }
}

impl fmt::Display for RunnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for RunnerName {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        names::choose("runner", name, &Self::ALL, Self::name)
    }
}

/// Runs firmware.
pub(super) trait Runner {
    /// Runs it once, to the limit at most, and gives the bytes of its answer and its exit status.
    fn run(&self, firmware: &Firmware, request: &Request, limit: Limit) -> Result<(Vec<u8>, i32), M4Error>;

    /// Which it is and which version of it, for evidence.
    fn version(&self) -> Result<String, M4Error>;
}
