//! The options that say where core runs.

use crate::names::{self, UnknownName};
use crate::platform::cortex_m4::{Board, ClockOption, RunnerName};
use crate::platform::{Emulator, TargetName};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// Where core runs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Target")]
pub struct TargetArgs {
    /// Where it runs: host is this machine; cortex-m4 is firmware on a simulated Cortex-M4 or a board; aarch64 is Linux under QEMU;
    /// ssh:HOST is another machine.
    #[arg(long, value_name = "TARGET", default_value_t = TargetName::Host)]
    pub target: TargetName,
    /// What runs the firmware of cortex-m4: m4sim (the default) counts cycles, qemu runs it without, probe-rs reaches a board. What
    /// runs aarch64: qemu-system (the default) boots Linux and counts instructions, qemu-user runs one program and counts nothing.
    #[arg(long, value_name = "RUNNER")]
    pub runner: Option<Runner>,
    /// Processor that aarch64 emulates, as QEMU names it: max (the default) has the SHA3 and SM3 instructions; cortex-a72, cortex-a53
    /// and neoverse-n1 have not.
    #[arg(long, value_name = "MODEL")]
    pub cpu_model: Option<String>,
    /// Board of cortex-m4: mps2-an386 (the default), nucleo-f446ze, stm32f4discovery, nucleo-l4r5zi.
    #[arg(long, value_name = "BOARD")]
    pub board: Option<Board>,
    /// Firmware of cortex-m4 that was built elsewhere; default: built when needed, and kept.
    #[arg(long, value_name = "ELF")]
    pub image: Option<PathBuf>,
    /// Rate that turns cycles of cortex-m4 into time, e.g. 168MHz; on boards of ST, simulated ones too, a setting: zero-wait,
    /// default, full.
    #[arg(long, value_name = "RATE")]
    pub clock: Option<ClockOption>,
    /// Wait states of the flash that m4sim simulates, with the accelerator of an STM32F4; default: none.
    #[arg(long, value_name = "N")]
    pub wait_states: Option<u32>,
    /// Seconds of this machine that one run of the firmware may take; default: five times what is asked of it takes, in cycles on
    /// m4sim. A profile is two runs, known answers and trials.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub timeout: Option<u64>,
}

impl TargetArgs {
    /// The first option that is given and means something for firmware alone.
    #[must_use]
    pub fn firmware_option(&self) -> Option<&'static str> {
        let given = [
            ("--runner", matches!(self.runner, Some(Runner::Firmware(_)))),
            ("--board", self.board.is_some()),
            ("--image", self.image.is_some()),
            ("--clock", self.clock.is_some()),
            ("--wait-states", self.wait_states.is_some()),
            ("--timeout", self.timeout.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The first option that is given and means something for emulated Linux alone.
    #[must_use]
    pub fn emulator_option(&self) -> Option<&'static str> {
        let given =
            [("--runner", matches!(self.runner, Some(Runner::Linux(_)))), ("--cpu-model", self.cpu_model.is_some())];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

/// What runs a program for another processor, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runner {
    /// Firmware.
    Firmware(RunnerName),
    /// A program for Linux.
    Linux(Emulator),
}

impl FromStr for Runner {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let firmware = RunnerName::ALL.map(RunnerName::name);
        let known: Vec<&str> = firmware.into_iter().chain(Emulator::ALL.map(Emulator::name)).collect();
        let found = names::find("runner", name, &known)?;
        let emulator = Emulator::ALL.into_iter().find(|emulator| emulator.name() == found);
        emulator.map_or_else(|| found.parse().map(Self::Firmware), |emulator| Ok(Self::Linux(emulator)))
    }
}

/// A profile beside the breakdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ProfileKind {
    /// Every instruction charged to its function.
    Instructions,
}
