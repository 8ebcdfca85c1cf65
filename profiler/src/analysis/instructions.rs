//! What single functions take, as what sees every instruction charges each to one.

use std::collections::BTreeMap;

/// What operations spent, function by function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instructions {
    /// Operations.
    pub operations: u64,
    /// What is counted: `cycles`, `instructions`.
    pub unit: &'static str,
    /// What counts it, in words: `DWT cycles (m4sim, 0 wait states)`, `valgrind-3.19.0, callgrind`.
    pub counter: String,
    /// What was counted, by where it was spent.
    pub stacks: Vec<Stack>,
    /// What the probe took, which told the phases apart; it is not among the others.
    pub probe: u64,
    /// The line of each function that takes most, where the debug information tells lines.
    pub lines: BTreeMap<String, HotLine>,
}

/// A line of the sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HotLine {
    /// Its file and number: `kem/mlkem/ntt.rs:87`.
    pub line: String,
    /// What the instructions took that come from it.
    pub own: u64,
}

/// A call path under a phase.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stack {
    /// Names of the phases, outermost first.
    pub phases: Vec<&'static str>,
    /// Names of the functions that the last phase is in, outermost first.
    pub functions: Vec<String>,
    /// What the innermost function took itself.
    pub own: u64,
}

/// A function over all paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionCost {
    /// Its name.
    pub name: String,
    /// The innermost phase in which it spent most.
    pub phase: &'static str,
    /// What it took itself.
    pub own: u64,
}

impl Instructions {
    /// All but the probe's.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.stacks.iter().map(|stack| stack.own).sum()
    }

    /// The functions, those that took most themselves first.
    #[must_use]
    pub fn functions(&self) -> Vec<FunctionCost> {
        let mut phases: BTreeMap<&str, BTreeMap<&'static str, u64>> = BTreeMap::new();
        for stack in &self.stacks {
            let (Some(function), Some(phase)) = (stack.functions.last(), stack.phases.last()) else { continue };
            *phases.entry(function).or_default().entry(phase).or_default() += stack.own;
        }
        let rows = phases.into_iter().filter_map(|(name, phases)| {
            let (&phase, _) = phases.iter().max_by_key(|(_, own)| **own)?;
            Some(FunctionCost { name: name.to_owned(), phase, own: phases.values().sum() })
        });
        let mut rows: Vec<FunctionCost> = rows.collect();
        rows.sort_by(|a, b| (b.own, &a.name).cmp(&(a.own, &b.name)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_add_up_over_paths() {
        let stack = |phases: &[&'static str], functions: &[&str], own| Stack {
            phases: phases.to_vec(),
            functions: functions.iter().map(|&name| name.to_owned()).collect(),
            own,
        };
        let all = Instructions {
            operations: 1,
            stacks: vec![
                stack(&["keygen"], &["keygen"], 5),
                stack(&["keygen", "noise"], &["keygen", "keccak"], 10),
                stack(&["keygen", "matrix"], &["keygen", "keccak"], 20),
            ],
            ..Instructions::default()
        };
        assert_eq!(all.total(), 35);
        let rows = all.functions();
        let row = |name: &str, phase, own| FunctionCost { name: name.to_owned(), phase, own };
        assert_eq!(rows, [row("keccak", "matrix", 30), row("keygen", "keygen", 5)]);
    }
}
