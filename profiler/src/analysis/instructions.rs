//! What single functions take, as what sees every instruction charges each to one.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// What operations spent, function by function.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Instructions {
    /// Operations.
    pub operations: u64,
    /// What is counted: `cycles`, `instructions`.
    pub unit: Cow<'static, str>,
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
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct HotLine {
    /// Its file and number: `kem/mlkem/ntt.rs:87`.
    pub line: String,
    /// What the instructions took that come from it.
    pub own: u64,
}

/// A call path under a phase.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Stack {
    /// Names of the phases, outermost first.
    pub phases: Vec<Cow<'static, str>>,
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
    pub phase: Cow<'static, str>,
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
        let mut phases: BTreeMap<&str, BTreeMap<&Cow<'static, str>, u64>> = BTreeMap::new();
        for stack in &self.stacks {
            let (Some(function), Some(phase)) = (stack.functions.last(), stack.phases.last()) else { continue };
            *phases.entry(function).or_default().entry(phase).or_default() += stack.own;
        }
        let rows = phases.into_iter().filter_map(|(name, phases)| {
            let (phase, _) = phases.iter().max_by_key(|(_, own)| **own)?;
            Some(FunctionCost { name: name.to_owned(), phase: (*phase).clone(), own: phases.values().sum() })
        });
        let mut rows: Vec<FunctionCost> = rows.collect();
        rows.sort_by(|a, b| (b.own, &a.name).cmp(&(a.own, &b.name)));
        rows
    }
}

/// What the names of the probe's functions have in them.
const PROBE: [&str; 3] = ["kemprof_core::recorder::", "kemprof_core::probe::", "kemprof::counter::"];
/// Crates whose names say nothing that a reader of this project's profiles does not know.
const KNOWN_CRATES: [&str; 3] = ["kemprof_core::", "kemprof_m4::", "kemprof::"];
/// What a suite is asked for that is not work of the scheme: only the probe asks.
const FACTS: [&str; 4] = ["::function", "::permutations", "::shared_permutations", "::lanes"];
/// What compilers call for arithmetic and copies.
const HELPERS: [&str; 3] = ["__", "compiler_builtins::", "core::"];

fn is_probe(name: &str) -> bool {
    PROBE.iter().any(|part| name.contains(part))
}

/// The functions of a call path without the probe's; `None` where the probe itself was at work, or what it called for itself.
#[must_use]
pub fn without_probe<'a>(path: impl IntoIterator<Item = &'a str>) -> Option<Vec<String>> {
    let frames: Vec<&str> = path.into_iter().collect();
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
#[must_use]
pub fn short(name: &str) -> String {
    KNOWN_CRATES.iter().fold(name.to_owned(), |name, known| name.replace(known, ""))
}

/// A path from the sources of its package on: where these lie is no one's business.
#[must_use]
pub fn in_sources(path: &str) -> &str {
    path.rsplit_once("/src/").map_or(path, |(_, inside)| inside)
}

/// The line of each function that takes most, of what lines of functions take.
#[must_use]
pub fn hottest(by_line: BTreeMap<(String, String), u64>) -> BTreeMap<String, HotLine> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_in_their_package() {
        assert_eq!(in_sources("/home/me/kemprof/core/src/kem/mlkem/ntt.rs"), "kem/mlkem/ntt.rs");
        assert_eq!(in_sources("main.rs"), "main.rs");
    }

    #[test]
    fn the_line_that_takes_most_is_the_hottest() {
        let lines = [("f", "a.rs:1", 5), ("f", "a.rs:2", 7), ("g", "b.rs:1", 1)];
        let lines = lines.map(|(function, line, own)| ((function.to_owned(), line.to_owned()), own));
        let found = hottest(lines.into());
        assert_eq!(found["f"], HotLine { line: "a.rs:2".to_owned(), own: 7 });
        assert_eq!(found["g"].own, 1);
    }
    #[test]
    fn the_probe_is_told_from_what_it_watches() {
        let watched = "<kemprof_core::probe::Profiled<S,P> as kemprof_core::symmetric::Symmetric>::hash";
        let keccak = "kemprof_core::backend::keccak::rounds";
        let hash = "<kemprof_m4::functions::Functions as kemprof_core::symmetric::Symmetric>::hash";
        let path = |frames: &[&str]| without_probe(frames.iter().copied());
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

    #[test]
    fn functions_add_up_over_paths() {
        let stack = |phases: &[&'static str], functions: &[&str], own| Stack {
            phases: phases.iter().copied().map(Cow::Borrowed).collect(),
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
        let row =
            |name: &str, phase: &'static str, own| FunctionCost { name: name.to_owned(), phase: phase.into(), own };
        assert_eq!(rows, [row("keccak", "matrix", 30), row("keygen", "keygen", 5)]);
    }
}
