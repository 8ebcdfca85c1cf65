//! Every instruction of an operation, charged to its function under its phase: by the simulator, which sees them all.
//!
//! Phases are those of the probe: the simulator stops where the recorder enters and leaves one, and the instructions between two
//! stops are of the phase that is open. The probe's own functions are told apart by their names, and left out.

use super::image::Firmware;
use super::lines::Lines;
use super::runner::Followed;
use super::{CortexM4, M4Error, request};
use crate::analysis::instructions::{HotLine, Instructions, Stack, hottest, short, without_probe};
use crate::evidence::Plan;
use crate::runner::Job;
use crate::words::plural;
use kemprof_core::recorder::{Key, Node};
use kemprof_protocol::{Answer, Command};
use m4sim::Symbols;
use std::borrow::Cow;
use std::collections::BTreeMap;

impl CortexM4 {
    /// What the operations of one trial of `job` spent, function by function.
    pub(super) fn follow(&mut self, job: &Job) -> Result<Option<Instructions>, M4Error> {
        let Some(sim) = self.settings.simulator().filter(|_| self.settings.instructions) else { return Ok(None) };
        let ready = self.ready()?;
        let plan = Plan { trials: 1, ..job.plan.clone() };
        let request = self.request(Command::Profile(request::profile(&Job { plan, ..job.clone() })?));
        let Followed { answer, status, segments } = sim.follow(&ready.firmware, &request, self.limit(&request))?;
        let nodes = match self.decoded(&request, &answer, status)? {
            Answer::Profile(_, profile) => profile.nodes,
            _ => return Err(M4Error::OtherAnswer),
        };
        let mut entered: BTreeMap<Vec<Cow<'static, str>>, u64> = BTreeMap::new();
        let mut cycles: BTreeMap<(Vec<Cow<'static, str>>, Vec<String>), u64> = BTreeMap::new();
        let mut probe = 0;
        let mut lines = HottestLines::new(&ready.firmware);
        for segment in segments {
            lines.add(&segment.addresses);
            let phases: Vec<Cow<'static, str>> = segment.phases.iter().map(|phase| phase.name().into()).collect();
            *entered.entry(phases.clone()).or_default() += u64::from(segment.begins);
            for (path, spent) in segment.stacks {
                match without_probe(path.split(';')) {
                    Some(functions) => *cycles.entry((phases.clone(), functions)).or_default() += spent,
                    None => probe += spent,
                }
            }
        }
        if entered != recorded(&nodes) {
            return Err(M4Error::OtherPhases);
        }
        let stack = |((phases, functions), own)| Stack { phases, functions, own };
        let stacks = cycles.into_iter().map(stack).collect();
        let operations = job.plan.iterations_per_trial.into();
        let unit = "cycles".into();
        let states = self.settings.wait_states.unwrap_or_default();
        let counter = format!("{}, {}", ready.version, plural(states, "wait state"));
        Ok(Some(Instructions { operations, unit, counter, stacks, probe, lines: lines.finish() }))
    }
}

/// Which line of each function takes most.
struct HottestLines<'a> {
    symbols: &'a Symbols,
    lines: Option<Lines<'a>>,
    cycles: BTreeMap<u32, u64>,
}

impl<'a> HottestLines<'a> {
    fn new(firmware: &'a Firmware) -> Self {
        let lines = Lines::of(firmware.bytes());
        Self { symbols: firmware.image.symbols(), lines, cycles: BTreeMap::new() }
    }

    fn add(&mut self, addresses: &[(u32, u64)]) {
        for (address, cycles) in addresses {
            *self.cycles.entry(*address).or_default() += cycles;
        }
    }

    /// By function; nothing where the image has no debug information.
    fn finish(self) -> BTreeMap<String, HotLine> {
        let mut by_line: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (address, cycles) in self.cycles {
            let symbol = self.symbols.at(address);
            let line = self.lines.as_ref().and_then(|lines| lines.line(address));
            if let Some((symbol, line)) = symbol.zip(line) {
                *by_line.entry((short(&symbol.name), line)).or_default() += cycles;
            }
        }
        hottest(by_line)
    }
}

/// How often each phase was entered, as the recorder has it.
fn recorded(nodes: &[Node]) -> BTreeMap<Vec<Cow<'static, str>>, u64> {
    let mut entered = BTreeMap::new();
    for node in nodes {
        let mut phases = Vec::new();
        let mut current = node;
        while let Key::Phase(phase) = current.key {
            phases.insert(0, phase.name().into());
            current = &nodes[current.parent()];
        }
        if !phases.is_empty() {
            entered.insert(phases, node.calls);
        }
    }
    entered
}
