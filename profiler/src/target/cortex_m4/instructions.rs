//! Every instruction of an operation, charged to its function under its phase: by the simulator, which sees them all.
//!
//! Phases are those of the probe: the simulator stops where the recorder enters and leaves one, and the instructions between two
//! stops are of the phase that is open. The probe's own functions are told apart by their names, and left out.

use super::image::Firmware;
use super::lines::Lines;
use super::runner::Followed;
use super::{CortexM4, M4Error, request};
use crate::analysis::instructions::{HotLine, Instructions, Stack};
use crate::evidence::Plan;
use crate::runner::Job;
use crate::words::plural;
use kemprof_core::recorder::{Key, Node};
use kemprof_protocol::{Answer, Command};
use m4sim::Symbols;
use std::collections::BTreeMap;

/// What the names of the probe's functions have in them.
const PROBE: [&str; 2] = ["kemprof_core::recorder::", "kemprof_core::probe::"];
/// Crates whose names say nothing that a reader of this project's profiles does not know.
const KNOWN_CRATES: [&str; 2] = ["kemprof_core::", "kemprof_m4::"];

impl CortexM4 {
    /// What the operations of one trial of `job` spent, function by function.
    pub(super) fn follow(&mut self, job: &Job) -> Result<Option<Instructions>, M4Error> {
        let Some(sim) = self.settings.simulator().filter(|_| self.settings.instructions) else { return Ok(None) };
        let ready = self.ready()?;
        let plan = Plan { trials: 1, ..job.plan.clone() };
        let request = self.request(Command::Profile(request::profile(&Job { plan, ..job.clone() })?));
        let Followed { answer, status, segments } = sim.follow(&ready.firmware, &request)?;
        let nodes = match self.decoded(&request, &answer, status)? {
            Answer::Profile(_, profile) => profile.nodes,
            _ => return Err(M4Error::OtherAnswer),
        };
        let mut entered: BTreeMap<Vec<&'static str>, u64> = BTreeMap::new();
        let mut cycles: BTreeMap<(Vec<&'static str>, Vec<String>), u64> = BTreeMap::new();
        let mut probe = 0;
        let mut lines = HottestLines::new(&ready.firmware);
        for segment in segments {
            lines.add(&segment.addresses);
            let phases: Vec<&'static str> = segment.phases.iter().map(|phase| phase.name()).collect();
            *entered.entry(phases.clone()).or_default() += u64::from(segment.begins);
            for (path, spent) in segment.stacks {
                match without_probe(&path) {
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
        let unit = "cycles";
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
        let mut hottest: BTreeMap<String, HotLine> = BTreeMap::new();
        for ((function, line), own) in by_line {
            let hot = HotLine { line, own };
            match hottest.get_mut(&function) {
                Some(other) if other.own < hot.own => *other = hot,
                Some(_) => {}
                None => drop(hottest.insert(function, hot)),
            }
        }
        hottest
    }
}

fn is_probe(name: &str) -> bool {
    PROBE.iter().any(|part| name.contains(part))
}

/// What a suite is asked for that is not work of the scheme: only the probe asks.
const FACTS: [&str; 4] = ["::function", "::permutations", "::shared_permutations", "::lanes"];
/// What compilers call for arithmetic and copies.
const HELPERS: [&str; 3] = ["__", "compiler_builtins::", "core::"];

/// The functions of a call path without the probe's; `None` where the probe itself was at work, or what it called for itself.
fn without_probe(path: &str) -> Option<Vec<String>> {
    let frames: Vec<&str> = path.split(';').collect();
    if let Some(last) = frames.iter().rposition(|name| is_probe(name)) {
        let called = frames.get(last + 1)?;
        let own =
            FACTS.iter().any(|fact| called.ends_with(fact)) || HELPERS.iter().any(|name| called.starts_with(name));
        if own {
            return None;
        }
    }
    Some(frames.into_iter().filter(|name| !is_probe(name)).map(short).collect())
}

/// A name without what every name has.
fn short(name: &str) -> String {
    KNOWN_CRATES.iter().fold(name.to_owned(), |name, known| name.replace(known, ""))
}

/// How often each phase was entered, as the recorder has it.
fn recorded(nodes: &[Node]) -> BTreeMap<Vec<&'static str>, u64> {
    let mut entered = BTreeMap::new();
    for node in nodes {
        let mut phases = Vec::new();
        let mut current = node;
        while let Key::Phase(phase) = current.key {
            phases.insert(0, phase.name());
            current = &nodes[current.parent()];
        }
        if !phases.is_empty() {
            entered.insert(phases, node.calls);
        }
    }
    entered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_is_told_from_what_it_watches() {
        let watched = "<kemprof_core::probe::Profiled<S,P> as kemprof_core::symmetric::Symmetric>::hash";
        let keccak = "kemprof_core::backend::keccak::rounds";
        let hash = "<kemprof_m4::functions::Functions as kemprof_core::symmetric::Symmetric>::hash";
        let path = |frames: &[&str]| without_probe(&frames.join(";"));
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(path(&["kemprof_m4::scheme::keygen"]), names(&["scheme::keygen"]));
        assert_eq!(
            path(&["kemprof_m4::scheme::keygen", watched, hash, keccak]),
            names(&[
                "scheme::keygen",
                "<functions::Functions as symmetric::Symmetric>::hash",
                "backend::keccak::rounds"
            ])
        );
        // The function may be part of the one that watches it.
        assert_eq!(
            path(&["kemprof_m4::scheme::keygen", watched, keccak]),
            names(&["scheme::keygen", "backend::keccak::rounds"])
        );
        assert_eq!(path(&["kemprof_m4::scheme::keygen", watched]), None);
        assert_eq!(path(&[watched, "kemprof_core::recorder::Recorder<C>::child"]), None);
        assert_eq!(path(&[watched, "kemprof_core::recorder::Recorder<C>::child", "__aeabi_memcpy"]), None);
        assert_eq!(
            path(&[watched, "<kemprof_m4::functions::Functions as Symmetric>::permutations", "__udivmoddi4"]),
            None
        );
        assert_eq!(
            path(&["kemprof_m4::scheme::keygen", "__aeabi_memcpy"]),
            names(&["scheme::keygen", "__aeabi_memcpy"])
        );
    }
}
