use super::RunnerName;
use crate::names::{self, UnknownName};
use kemprof_protocol::{BOARDS, BoardMemory};
use m4sim::Map;
use std::fmt;
use std::str::FromStr;

/// A board with a Cortex-M4.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Board {
    /// Arm's MPS2 with the image of Application Note AN386: the one that simulators and emulators know.
    #[default]
    Mps2An386,
    /// ST's NUCLEO-F446ZE, on which published figures of C code were measured.
    NucleoF446ze,
    /// ST's STM32F4DISCOVERY.
    Stm32F4Discovery,
    /// ST's NUCLEO-L4R5ZI.
    NucleoL4r5zi,
}

impl Board {
    /// Every board.
    pub const ALL: [Self; 4] = [Self::Mps2An386, Self::NucleoF446ze, Self::Stm32F4Discovery, Self::NucleoL4r5zi];

    /// The name on the command line and in evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mps2An386 => "mps2-an386",
            Self::NucleoF446ze => "nucleo-f446ze",
            Self::Stm32F4Discovery => "stm32f4discovery",
            Self::NucleoL4r5zi => "nucleo-l4r5zi",
        }
    }

    /// The memory that the firmware for it uses.
    #[must_use]
    pub fn memory(self) -> &'static BoardMemory {
        let known = BOARDS.iter().find(|board| board.name == self.name());
        known.unwrap_or_else(|| unreachable!("the firmware is built for {self}"))
    }

    /// Whether this runner has it.
    #[must_use]
    pub const fn runs_on(self, runner: RunnerName) -> bool {
        match runner {
            RunnerName::M4sim => self.map().is_some(),
            RunnerName::Qemu => self.qemu_machine().is_some(),
            RunnerName::ProbeRs => self.chip().is_some(),
        }
    }

    /// The simulator's map of it, where it has one.
    pub(super) const fn map(self) -> Option<Map> {
        match self {
            Self::Mps2An386 => Some(Map::Mps2An386),
            Self::NucleoF446ze | Self::Stm32F4Discovery => Some(Map::Stm32F4),
            Self::NucleoL4r5zi => None,
        }
    }

    /// QEMU's name of it, where it has it.
    pub(super) const fn qemu_machine(self) -> Option<&'static str> {
        match self {
            Self::Mps2An386 => Some("mps2-an386"),
            Self::NucleoF446ze | Self::Stm32F4Discovery | Self::NucleoL4r5zi => None,
        }
    }

    /// probe-rs's name of its chip, where there is one to reach.
    pub(super) const fn chip(self) -> Option<&'static str> {
        match self {
            Self::Mps2An386 => None,
            Self::NucleoF446ze => Some("STM32F446ZETx"),
            Self::Stm32F4Discovery => Some("STM32F407VGTx"),
            Self::NucleoL4r5zi => Some("STM32L4R5ZITx"),
        }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Board {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        names::choose("board", name, &Self::ALL, Self::name)
    }
}
