//! An operation's time by what scales together: symmetric calls that are alike, and the scheme's own phases.

use crate::evidence::{CallRow, Evidence};

/// Symmetric calls of one operation that are alike in function, role and length of input. Whatever makes one of them faster makes
/// all of them faster.
#[derive(Clone, PartialEq, Debug)]
pub struct CallGroup {
    /// The function that ran.
    pub function: String,
    /// What the scheme used it for.
    pub role: String,
    /// Bits in, of one call.
    pub in_bits: u64,
    /// Their share of the profiled ticks.
    pub share: f64,
}

/// The scheme's own work in one phase.
#[derive(Clone, PartialEq, Debug)]
pub struct PhasePart {
    /// The phase, outermost first.
    pub path: Vec<String>,
    /// Its share of the profiled ticks, without phases and symmetric calls inside it.
    pub share: f64,
}

/// All parts of an operation. Their shares sum to 1.
#[derive(Clone, PartialEq, Debug)]
pub struct Breakdown {
    /// Symmetric calls, in the order of the evidence.
    pub calls: Vec<CallGroup>,
    /// The scheme's own phases, in the order of the evidence.
    pub phases: Vec<PhasePart>,
}

impl Breakdown {
    /// The parts of a record; `None` where it has no ticks.
    #[must_use]
    pub fn of(evidence: &Evidence) -> Option<Self> {
        let total = evidence.profiled.ticks.filter(|&ticks| ticks > 0)? as f64;
        let mut calls: Vec<CallGroup> = Vec::new();
        for row in &evidence.calls {
            let one = CallGroup::of(row, row.ticks? as f64 / total);
            match calls.iter_mut().find(|group| group.is_like(&one)) {
                Some(group) => group.share += one.share,
                None => calls.push(one),
            }
        }
        let phase = |row: &crate::evidence::PhaseRow| {
            Some(PhasePart { path: row.path.clone(), share: row.self_ticks? as f64 / total })
        };
        Some(Self { calls, phases: evidence.phases.iter().map(phase).collect::<Option<_>>()? })
    }

    /// The calls that serve `role` on inputs of so many bits. A scheme decides both, so that they mean the same whatever the
    /// function is.
    #[must_use]
    pub fn calls_for(&self, role: &str, in_bits: u64) -> Option<&CallGroup> {
        self.calls.iter().find(|group| (group.role.as_str(), group.in_bits) == (role, in_bits))
    }

    /// The phase of this path.
    #[must_use]
    pub fn phase(&self, path: &[String]) -> Option<&PhasePart> {
        self.phases.iter().find(|phase| phase.path == path)
    }
}

impl CallGroup {
    fn of(row: &CallRow, share: f64) -> Self {
        Self { function: row.function.clone(), role: row.role.clone(), in_bits: row.in_bits, share }
    }

    fn is_like(&self, other: &Self) -> bool {
        (&self.function, &self.role, self.in_bits) == (&other.function, &other.role, other.in_bits)
    }
}

impl PhasePart {
    /// The phase without the operation around it, which everything is in: `encrypt/sample_matrix`, and `keygen` for the
    /// operation's own work.
    #[must_use]
    pub fn name(&self) -> String {
        self.path[usize::from(self.path.len() > 1)..].join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{call, record};
    use super::*;

    #[test]
    fn calls_that_differ_in_output_alone_are_one_part() {
        let calls = [call("shake128", "matrix", 280, 1344, 900), call("shake128", "matrix", 280, 2688, 100)];
        let mut evidence = record(&calls, &[(&["keygen"], 1000)]);
        evidence.profiled.operations = 2;
        let parts = Breakdown::of(&evidence).expect("has ticks");
        assert_eq!(parts.calls.len(), 1);
        let group = &parts.calls[0];
        assert_eq!(group.share, 0.5);
        assert_eq!(parts.calls_for("matrix", 280), Some(group));
        assert_eq!(parts.calls_for("matrix", 288), None);
        assert_eq!(parts.phases[0].share, 0.5);
    }

    #[test]
    fn shares_sum_to_one() {
        let calls = [call("h", "h", 8, 8, 17), call("g", "g", 8, 8, 5)];
        let evidence = record(&calls, &[(&["keygen"], 3), (&["keygen", "ntt"], 40)]);
        let parts = Breakdown::of(&evidence).expect("has ticks");
        let calls = parts.calls.iter().map(|group| group.share);
        let sum: f64 = calls.chain(parts.phases.iter().map(|phase| phase.share)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        let names: Vec<String> = parts.phases.iter().map(PhasePart::name).collect();
        assert_eq!(names, ["keygen", "ntt"]);
    }

    #[test]
    fn without_ticks_there_are_no_shares() {
        let mut evidence = record(&[call("h", "h", 8, 8, 17)], &[(&["keygen"], 3)]);
        evidence.profiled.ticks = None;
        assert_eq!(Breakdown::of(&evidence), None);
    }
}
