use super::board::Board;
use super::clock::ClockOption;
use super::runner::{ProbeRs, Qemu, Runner, RunnerName, Sim};
use super::{M4Error, image};
use crate::cross::Product;
use kemprof_protocol::Clock;
use m4sim::Map;
use std::path::PathBuf;
use std::time::Duration;

/// What the command line says of the Cortex-M4.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct M4Settings {
    /// What runs the firmware.
    pub runner: RunnerName,
    /// The board that it is for.
    pub board: Board,
    /// Firmware that was built elsewhere.
    pub image: Option<PathBuf>,
    /// The rate that turns cycles into time, or a setting of the board's clock tree.
    pub clock: Option<ClockOption>,
    /// Wait states of the flash to simulate.
    pub wait_states: Option<u32>,
    /// What one run of the firmware may take on this machine; by default what follows from the work.
    pub timeout: Option<Duration>,
    /// Whether every instruction is to be charged to its function.
    pub instructions: bool,
}

/// Wait states that a flash of this family can be set to: the field LATENCY has four bits (RM0090, 3.9.2).
const MAX_WAIT_STATES: u32 = 15;

impl M4Settings {
    /// What runs the firmware, where it can run it on this board.
    pub(super) fn open(&self) -> Result<Box<dyn Runner>, M4Error> {
        let Self { runner, board, .. } = *self;
        let usage = |text: String| Err(M4Error::Usage(text));
        let lacks = |what: &str| {
            usage(format!("--runner {runner} {what} --board {board}; it has {}", runner.boards().join(", ")))
        };
        if self.wait_states.is_some_and(|states| states > MAX_WAIT_STATES) {
            return usage(format!("--wait-states is at most {MAX_WAIT_STATES} on a Cortex-M4 of the STM32F4 family"));
        }
        if self.wait_states.is_some() && runner != RunnerName::M4sim {
            return usage(format!("--wait-states are simulated by --runner m4sim, not by --runner {runner}"));
        }
        if self.instructions && runner != RunnerName::M4sim {
            return usage(format!("--profile instructions needs --runner m4sim: {runner} does not count instructions"));
        }
        if self.wait_states.is_some_and(|states| states > 0) && self.clock_named() == Some(Clock::ZeroWait) {
            return usage(
                "--clock zero-wait is a clock at which the flash has no --wait-states; leave one of them out"
                    .to_owned(),
            );
        }
        self.check_clock()?;
        match runner {
            RunnerName::M4sim => {
                let Some(map) = board.map() else { return lacks("does not simulate") };
                if self.wait_states.is_some() && map != Map::Stm32F4 {
                    return usage(format!(
                        "--wait-states is about flash, and --board {board} has none; stm32f4discovery has"
                    ));
                }
                Ok(Box::new(self.sim(map)))
            }
            RunnerName::Qemu => match board.qemu_machine() {
                Some(machine) => Ok(Box::new(Qemu { machine })),
                None => lacks("does not emulate"),
            },
            RunnerName::ProbeRs => match board.chip() {
                Some(chip) => Ok(Box::new(ProbeRs { chip })),
                None => lacks("does not reach"),
            },
        }
    }

    fn sim(&self, map: Map) -> Sim {
        Sim { map, wait_states: self.wait_states }
    }

    /// The simulator, where it is what runs the firmware.
    pub(super) fn simulator(&self) -> Option<Sim> {
        self.board.map().filter(|_| self.runner == RunnerName::M4sim).map(|map| self.sim(map))
    }

    fn check_clock(&self) -> Result<(), M4Error> {
        match (self.runner, self.clock) {
            (RunnerName::ProbeRs, Some(ClockOption::Rate(_))) => Err(M4Error::Usage(format!(
                "--clock with --runner probe-rs is a setting of the board ({}): the board knows its rates",
                Clock::ALL.map(Clock::name).join(", ")
            ))),
            (RunnerName::M4sim | RunnerName::Qemu, Some(ClockOption::Setting(setting))) if !self.has_clock_tree() => {
                Err(M4Error::Usage(format!(
                    "--clock {} is a setting of a board's clock tree, and --board {} has none on --runner {}; give a rate, \
                     e.g. 168MHz",
                    setting.name(),
                    self.board,
                    self.runner
                )))
            }
            _ => Ok(()),
        }
    }

    /// Whether a setting of the clock tree says what rate there is: on boards, and where the simulator has the registers.
    fn has_clock_tree(&self) -> bool {
        match self.runner {
            RunnerName::M4sim => self.board.map() == Some(Map::Stm32F4),
            RunnerName::Qemu => false,
            RunnerName::ProbeRs => true,
        }
    }

    /// The setting of the clock tree that the firmware is asked for.
    pub(super) const fn clock_setting(&self) -> Clock {
        match self.clock {
            Some(ClockOption::Setting(setting)) => setting,
            Some(ClockOption::Rate(_)) | None => Clock::ZeroWait,
        }
    }

    /// The setting that the rate follows from: what was asked for, and on a board its own.
    pub(super) const fn clock_named(&self) -> Option<Clock> {
        match (self.clock, self.runner) {
            (Some(ClockOption::Setting(_)), _) | (None, RunnerName::ProbeRs) => Some(self.clock_setting()),
            _ => None,
        }
    }

    /// The rate that turns cycles into time, where the firmware runs at `own` Hz by its setting: the one that was given, or its
    /// own on a board, and in the simulator when the setting was asked for.
    pub(super) fn rate(&self, own: u32) -> Option<u64> {
        match (self.clock, self.runner) {
            (Some(ClockOption::Rate(hz)), _) => Some(hz),
            (Some(ClockOption::Setting(_)), _) | (None, RunnerName::ProbeRs) => Some(own.into()),
            (None, RunnerName::M4sim | RunnerName::Qemu) => None,
        }
    }

    /// The firmware for the board, as it is built.
    pub(super) fn product(&self) -> Product {
        Product {
            triple: image::TRIPLE.to_owned(),
            package: "targets/cortex-m4",
            binary: "kemprof-m4",
            arguments: Vec::new(),
            environment: vec![("KEMPROF_BOARD", self.board.name().to_owned())],
            inputs: INPUTS,
        }
    }
}

/// What the firmware is made of.
const INPUTS: &[&str] = &[
    "Cargo.toml",
    "core/Cargo.toml",
    "core/build.rs",
    "core/src",
    "targets/protocol/Cargo.toml",
    "targets/protocol/src",
    "targets/cortex-m4/Cargo.toml",
    "targets/cortex-m4/Cargo.lock",
    "targets/cortex-m4/build.rs",
    "targets/cortex-m4/src",
    "targets/cross-cargo",
    "targets/cross-env.sh",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(settings: M4Settings) -> String {
        let error = settings.open().err().expect("does not go together");
        assert!(error.is_usage());
        error.to_string()
    }

    #[test]
    fn options_that_do_not_go_together_are_both_named() {
        let new = M4Settings::default;
        let on = |runner, board| M4Settings { runner, board, ..new() };
        let cases = [
            (on(RunnerName::M4sim, Board::NucleoL4r5zi), ["m4sim", "nucleo-l4r5zi"]),
            (on(RunnerName::Qemu, Board::Stm32F4Discovery), ["qemu", "stm32f4discovery"]),
            (on(RunnerName::ProbeRs, Board::Mps2An386), ["probe-rs", "mps2-an386"]),
            (M4Settings { wait_states: Some(5), ..new() }, ["--wait-states", "mps2-an386"]),
            (M4Settings { wait_states: Some(5), runner: RunnerName::Qemu, ..new() }, ["--wait-states", "qemu"]),
            (M4Settings { instructions: true, runner: RunnerName::Qemu, ..new() }, ["--profile instructions", "qemu"]),
            (M4Settings { clock: Some(ClockOption::Setting(Clock::Full)), ..new() }, ["--clock full", "m4sim"]),
            (
                M4Settings { clock: Some(ClockOption::Rate(1)), ..on(RunnerName::ProbeRs, Board::Stm32F4Discovery) },
                ["--clock", "probe-rs"],
            ),
        ];
        for (settings, named) in cases {
            let text = refused(settings);
            assert!(named.iter().all(|name| text.contains(name)), "{text}");
        }
        for (runner, board) in [(RunnerName::M4sim, "mps2-an386"), (RunnerName::Qemu, "mps2-an386")] {
            let setting = M4Settings { clock: Some(ClockOption::Setting(Clock::Default)), runner, ..new() };
            let text = refused(setting);
            assert!(text.contains("--clock default") && text.contains(board) && text.contains(runner.name()), "{text}");
        }
        let zero = M4Settings {
            clock: Some(ClockOption::Setting(Clock::ZeroWait)),
            wait_states: Some(5),
            ..on(RunnerName::M4sim, Board::Stm32F4Discovery)
        };
        assert!(refused(zero).contains("--clock zero-wait"));
        let many = M4Settings { wait_states: Some(16), board: Board::Stm32F4Discovery, ..new() };
        assert!(refused(many).contains("at most 15"));
    }

    #[test]
    fn what_goes_together_opens() {
        let flash = M4Settings { wait_states: Some(5), board: Board::Stm32F4Discovery, ..M4Settings::default() };
        for settings in [M4Settings::default(), flash] {
            assert!(settings.open().is_ok());
        }
    }

    #[test]
    fn a_setting_of_a_simulated_clock_tree_is_asked_for_and_gives_the_rate() {
        let on = |board, clock| M4Settings { board, clock, ..M4Settings::default() };
        for board in [Board::NucleoF446ze, Board::Stm32F4Discovery] {
            for setting in Clock::ALL {
                let settings = on(board, Some(ClockOption::Setting(setting)));
                assert!(settings.open().is_ok());
                assert_eq!((settings.clock_setting(), settings.rate(24)), (setting, Some(24)));
            }
            let unsaid = on(board, None);
            assert_eq!((unsaid.clock_setting(), unsaid.rate(24)), (Clock::ZeroWait, None));
            let given = on(board, Some(ClockOption::Rate(1000)));
            assert_eq!((given.clock_setting(), given.rate(24)), (Clock::ZeroWait, Some(1000)));
        }
    }
}
