use super::super::M4Error;
use super::super::image::Firmware;
use super::{Limit, Runner, RunnerName};
use kemprof_core::Phase;
use kemprof_protocol::Request;
use m4sim::timing::FlashModel;
use m4sim::{Config, Event, Fault, ImageError, Limits, Machine, Map, Profile, Symbols, Watch};
use std::collections::HashMap;
use std::time::Instant;
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
    /// The image does not let its phases be followed.
    #[error(
        "the phases of this firmware cannot be followed: it has no functions of the recorder's names; build it without --image"
    )]
    NoPhases,
}

impl Sim {
    fn machine(&self, firmware: &Firmware, request: &Request) -> Result<Machine, SimError> {
        let flash = self.wait_states.map(|wait_states| FlashModel { wait_states, accelerator: true });
        let config = Config { map: self.map, flash, keep_output: true, ..Config::default() };
        let mut machine = Machine::new(&firmware.image, config)?;
        machine.set_command_line(&format!("kemprof {request}"));
        Ok(machine)
    }

    /// Runs firmware that profiles one trial, and follows the trial with probes from phase to phase.
    pub(in super::super) fn follow(
        &self,
        firmware: &Firmware,
        request: &Request,
        limit: Limit,
    ) -> Result<Followed, M4Error> {
        let began = Instant::now();
        let mut machine = self.machine(firmware, request)?;
        let symbols = firmware.image.symbols();
        let hooks = Hooks::of(symbols).ok_or(SimError::NoPhases)?;
        hooks.0.keys().for_each(|address| machine.hook(*address));
        let (mut segments, mut open) = (Vec::new(), Vec::new());
        let mut begins = false;
        // Outside of trials with probes the recorder warms up and is calibrated, with the same phases.
        let mut armed = false;
        loop {
            let address = match run(&mut machine, limit, began)? {
                Event::Exit { status } => {
                    return Ok(Followed { answer: machine.take_output().stdout, status, segments });
                }
                Event::Hook { address } => address,
                _ => return Err(endless(limit)),
            };
            let Some(hook) = hooks.0.get(&address) else { continue };
            if matches!(hook, Hook::ProbedBegins | Hook::ProbedEnds) {
                armed = *hook == Hook::ProbedBegins;
                continue;
            }
            if !armed {
                continue;
            }
            if let Some(watch) = machine.take_watch() {
                let stacks = watch.profile().map(Profile::folded).unwrap_or_default();
                let rows = watch.profile().map(|profile| profile.hottest(usize::MAX)).unwrap_or_default();
                let addresses = rows.into_iter().map(|row| (row.address, row.cycles)).collect();
                segments.push(Segment { phases: open.clone(), begins, stacks, addresses });
            }
            begins = *hook == Hook::Enter;
            if begins {
                // The phase is the second argument, in R1 (Procedure Call Standard for the Arm Architecture, 6.1.1).
                let phase = Phase::ALL.get(machine.registers().r[1] as usize & 0xff);
                open.push(*phase.ok_or(SimError::NoPhases)?);
            } else {
                open.pop().ok_or(SimError::NoPhases)?;
            }
            if !open.is_empty() {
                machine.watch(Watch::nothing().with_profile(symbols));
            }
        }
    }
}

/// Runs to the next event of a run that began then.
fn run(machine: &mut Machine, limit: Limit, began: Instant) -> Result<Event, SimError> {
    let limits = match limit.timeout {
        Some(time) => Limits { cycles: None, time: Some(time.saturating_sub(began.elapsed())) },
        None => Limits { cycles: Some(limit.cycles), time: None },
    };
    Ok(machine.run(limits)?)
}

fn endless(limit: Limit) -> M4Error {
    let said = match limit.timeout {
        Some(time) => format!("{} s", time.as_secs()),
        None => format!("{} M cycles", limit.cycles / 1_000_000),
    };
    limit.reached(RunnerName::M4sim, said)
}

/// What followed a trial.
pub(in super::super) struct Followed {
    pub(in super::super) answer: Vec<u8>,
    pub(in super::super) status: i32,
    pub(in super::super) segments: Vec<Segment>,
}

/// Instructions between two stops.
pub(in super::super) struct Segment {
    /// The phases that are open, outermost first.
    pub(in super::super) phases: Vec<Phase>,
    /// Whether the last of them begins here.
    pub(in super::super) begins: bool,
    /// Call paths from the function that runs when the segment begins, and cycles.
    pub(in super::super) stacks: Vec<(String, u64)>,
    /// Cycles of each instruction.
    pub(in super::super) addresses: Vec<(u32, u64)>,
}

/// What happens at an address where the simulator stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hook {
    /// The recorder enters a phase.
    Enter,
    /// It leaves the last one.
    Exit,
    /// A trial with probes begins.
    ProbedBegins,
    /// It has ended.
    ProbedEnds,
}

/// Where the simulator stops.
struct Hooks(HashMap<u32, Hook>);

impl Hooks {
    /// The addresses of an image; `None` where some are missing.
    fn of(symbols: &Symbols) -> Option<Self> {
        let recorder = |name: &str| name.contains("recorder::Recorder<") && name.contains("probe::Probe>");
        let hook = |name: &str| match name {
            "kemprof_probed_begin" => Some(Hook::ProbedBegins),
            "kemprof_probed_end" => Some(Hook::ProbedEnds),
            name if recorder(name) && name.ends_with("::enter") => Some(Hook::Enter),
            name if recorder(name) && name.ends_with("::exit") => Some(Hook::Exit),
            _ => None,
        };
        let hooks: HashMap<u32, Hook> =
            symbols.iter().filter_map(|symbol| Some((symbol.address, hook(&symbol.name)?))).collect();
        let all = [Hook::Enter, Hook::Exit, Hook::ProbedBegins, Hook::ProbedEnds];
        all.iter().all(|kind| hooks.values().any(|hook| hook == kind)).then_some(Self(hooks))
    }
}

impl Runner for Sim {
    fn run(&self, firmware: &Firmware, request: &Request, limit: Limit) -> Result<(Vec<u8>, i32), M4Error> {
        let mut machine = self.machine(firmware, request)?;
        match run(&mut machine, limit, Instant::now())? {
            Event::Exit { status } => Ok((machine.take_output().stdout, status)),
            _ => Err(endless(limit)),
        }
    }

    fn version(&self) -> Result<String, M4Error> {
        // One workspace, one version.
        Ok(format!("m4sim {}", env!("CARGO_PKG_VERSION")))
    }
}
