//! Every instruction of an operation, charged to its function under its phase: by callgrind, under which this program runs once more.

use crate::analysis::instructions::{Instructions, Stack, hottest, in_sources, short, without_probe};
use crate::counter::callgrind::{self, Cost, Valgrind, ValgrindError};
use crate::guest;
use crate::platform::worker::{Reply, Request, this_program};
use crate::runner::Job;
use kemprof_core::Phase;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What one operation of `job` spends, function by function.
pub(super) fn follow(job: &Job) -> Result<Instructions, ValgrindError> {
    let valgrind = Valgrind::find()?;
    let mut requests =
        guest::current().map(|guest| Request::Load(guest.package.clone())).into_iter().collect::<Vec<_>>();
    requests.push(Request::Follow(job.clone()));
    let lines = requests.iter().filter_map(|request| serde_json::to_string(request).ok()).map(|line| line + "\n");
    let (said, written) = valgrind.follow_this_program(this_program(), lines.collect::<String>().into_bytes())?;
    let counter = format!("callgrind ({})", valgrind.version);
    let said = said.lines().last().unwrap_or_default();
    let parts = match serde_json::from_str::<Reply<Vec<Vec<String>>>>(said) {
        Ok(Reply::Refused { message, .. }) => return Err(ValgrindError::Failed(message)),
        Ok(Reply::Answer(parts)) => Some(parts),
        _ => None,
    };
    let phases = parts.and_then(|parts| parts.into_iter().map(phases).collect::<Option<Vec<_>>>());
    phases
        .zip(callgrind::parts(&written))
        .filter(|(phases, costs)| phases.len() <= costs.len())
        .map(|(phases, costs)| instructions(counter, phases.into_iter().zip(costs)))
        .ok_or_else(|| ValgrindError::Failed("what it wrote of functions is not as expected".to_owned()))
}

fn phases(names: Vec<String>) -> Option<Vec<Cow<'static, str>>> {
    let known =
        |name: String| Phase::ALL.iter().map(|phase| phase.name()).find(|known| *known == name).map(Cow::Borrowed);
    names.into_iter().map(known).collect()
}

/// What parts come to, of which each was in these phases.
fn instructions(counter: String, parts: impl Iterator<Item = (Vec<Cow<'static, str>>, Vec<Cost>)>) -> Instructions {
    let mut spent: BTreeMap<(Vec<Cow<'static, str>>, Vec<String>), u64> = BTreeMap::new();
    let mut by_line: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut probe = 0;
    for (phases, cost) in parts.flat_map(|(phases, costs)| costs.into_iter().map(move |cost| (phases.clone(), cost))) {
        if phases.is_empty() || cost.instructions == 0 {
            continue;
        }
        let path: Vec<String> = cost.path.iter().map(|symbol| demangled(symbol)).collect();
        match without_probe(path.iter().map(String::as_str)) {
            Some(functions) => *spent.entry((phases, functions)).or_default() += cost.instructions,
            None => {
                probe += cost.instructions;
                continue;
            }
        }
        if let Some(function) = path.last().filter(|_| cost.line > 0) {
            let line = format!("{}:{}", in_sources(&cost.file), cost.line);
            *by_line.entry((short(function), line)).or_default() += cost.instructions;
        }
    }
    let around = around(spent.keys());
    let stack = |((phases, functions), own): ((Vec<Cow<'static, str>>, Vec<String>), u64)| {
        let functions = functions[around[&phases].min(functions.len())..].to_vec();
        Stack { phases, functions, own }
    };
    let stacks = spent.into_iter().map(stack).collect();
    Instructions { operations: 1, unit: "instructions".into(), counter, stacks, probe, lines: hottest(by_line) }
}

/// How many functions around each phase are left out: those that all of it is in, but for the innermost.
fn around<'a>(
    spent: impl Iterator<Item = &'a (Vec<Cow<'static, str>>, Vec<String>)> + Clone,
) -> BTreeMap<Vec<Cow<'static, str>>, usize> {
    let phases: BTreeSet<&Vec<Cow<'static, str>>> = spent.clone().map(|(phases, _)| phases).collect();
    let common = |phase: &Vec<Cow<'static, str>>| {
        let mut paths = spent.clone().filter(|(phases, _)| phases.starts_with(phase)).map(|(_, functions)| functions);
        let first = paths.next().map(Vec::as_slice).unwrap_or_default();
        let shared = paths.fold(first.len(), |shared, path| {
            first.iter().zip(path).take(shared).take_while(|(one, other)| one == other).count()
        });
        shared.saturating_sub(1)
    };
    phases.into_iter().map(|phase| (phase.clone(), common(phase))).collect()
}

fn demangled(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(path: &[&str], line: u32, instructions: u64) -> Cost {
        let path = path.iter().map(|&name| name.to_owned()).collect();
        Cost { path, file: "/home/me/core/src/kem/ntt.rs".to_owned(), line, instructions }
    }

    #[test]
    fn parts_are_charged_to_functions_under_their_phases() {
        let parts = [
            (vec![], vec![cost(&["main"], 1, 1000)]),
            (vec!["keygen"], vec![cost(&["run", "kemprof_core::kem::keygen"], 1, 5)]),
            (
                vec!["keygen", "ntt"],
                vec![
                    cost(&["run", "kemprof_core::kem::keygen", "ntt"], 7, 20),
                    cost(&["run", "kemprof_core::kem::keygen", "ntt"], 8, 30),
                    cost(&["run", "kemprof_core::kem::keygen", "ntt", "memcpy"], 0, 2),
                    cost(&["run", "kemprof_core::kem::keygen", "kemprof::counter::callgrind::part"], 1, 3),
                ],
            ),
            (vec!["keygen"], vec![cost(&["run", "kemprof_core::kem::keygen"], 1, 6)]),
        ];
        let parts = parts.into_iter().map(|(phases, costs): (Vec<&'static str>, _)| {
            (phases.into_iter().map(Cow::Borrowed).collect::<Vec<_>>(), costs)
        });
        let all = instructions("callgrind".to_owned(), parts);
        let stack = |phases: &[&'static str], functions: &[&str], own| Stack {
            phases: phases.iter().copied().map(Cow::Borrowed).collect(),
            functions: functions.iter().map(|&name| name.to_owned()).collect(),
            own,
        };
        assert_eq!(
            all.stacks,
            [
                stack(&["keygen"], &["kem::keygen"], 11),
                stack(&["keygen", "ntt"], &["ntt"], 50),
                stack(&["keygen", "ntt"], &["ntt", "memcpy"], 2),
            ]
        );
        assert_eq!((all.probe, all.unit.as_ref()), (3, "instructions"));
        assert_eq!((all.lines["ntt"].line.as_str(), all.lines["ntt"].own), ("kem/ntt.rs:8", 30));
        assert!(!all.lines.contains_key("memcpy"), "its lines are not known");
    }

    #[test]
    fn names_are_readable() {
        assert_eq!(demangled("_ZN12kemprof_core3kem6keygen17h0b82c29fe4feaa8cE"), "kemprof_core::kem::keygen");
        assert_eq!(demangled("memcpy"), "memcpy");
    }
}
