use super::record::TrialParts;
use kemprof_core::ProbeCost;
use kemprof_core::recorder::{Key, LANE_SHARES, Node};

/// Each row's own ticks with the probe's cost subtracted where it fell, in whole ticks; `None` without a counter.
pub(super) struct Corrected {
    pub(super) own: Vec<Option<u64>>,
    /// Inside cost of one call of the row.
    inside_per_call: Vec<f64>,
}

impl Corrected {
    pub(super) fn of(nodes: &[Node], cost: Option<&ProbeCost>) -> Self {
        let Some(cost) = cost else {
            return Self { own: vec![None; nodes.len()], inside_per_call: vec![0.0; nodes.len()] };
        };
        let mut own: Vec<f64> = nodes.iter().map(|node| node.ticks as f64).collect();
        let mut inside_per_call = vec![0.0; nodes.len()];
        own[0] = 0.0;
        for (index, node) in nodes.iter().enumerate().skip(1) {
            let (inside, outside) = match node.key {
                Key::Root => (0.0, 0.0),
                Key::Phase(_) => (cost.phase_inside * node.calls as f64, cost.phase_outside * node.calls as f64),
                Key::Call(_) => {
                    let intervals = node.interval_shares as f64 / LANE_SHARES as f64;
                    let calls = node.call_shares as f64 / LANE_SHARES as f64;
                    let outside = cost.interval_outside * intervals + cost.call_outside * calls;
                    (cost.interval_inside * intervals, outside)
                }
            };
            own[index] -= inside;
            own[node.parent()] -= node.ticks as f64 + outside;
            inside_per_call[index] = inside / node.calls.max(1) as f64;
        }
        // A part that is shorter than the probe's own cost cannot be told from nothing.
        Self { own: own.into_iter().map(|ticks| Some(ticks.max(0.0).round() as u64)).collect(), inside_per_call }
    }

    /// One call's ticks less the probe's cost inside it.
    pub(super) fn single(&self, index: usize, ticks: u64) -> Option<u64> {
        self.own[index].map(|_| (ticks as f64 - self.inside_per_call[index]).max(0.0).round() as u64)
    }

    /// The row's ticks with those of all rows under it.
    pub(super) fn with_children(&self, nodes: &[Node], index: usize) -> Option<u64> {
        let children = (index + 1..nodes.len()).filter(|&child| nodes[child].parent() == index);
        children.map(|child| self.with_children(nodes, child)).chain([self.own[index]]).sum()
    }
}

/// What one trial added to the recorder's rows, which were `before` and are `after` now: rows are only ever added at the end.
#[must_use]
pub fn trial_parts(before: &[Node], after: &[Node], cost: &ProbeCost) -> TrialParts {
    let mut added = after.to_vec();
    for (node, before) in added.iter_mut().zip(before) {
        node.calls -= before.calls;
        node.ticks -= before.ticks;
        node.interval_shares -= before.interval_shares;
        node.call_shares -= before.call_shares;
    }
    let own = Corrected::of(&added, Some(cost)).own;
    let total = |of: fn(&Node) -> bool| {
        let chosen = added.iter().zip(&own).filter(|(node, _)| of(node));
        chosen.filter_map(|(_, ticks)| *ticks).sum()
    };
    TrialParts { hash: total(is_hash), all: total(|_| true) }
}

fn is_hash(node: &Node) -> bool {
    node.function.is_some_and(|function| !is_generator(function.name))
}

/// Whether a function is the generator of randomness, which the hash share leaves out.
pub(super) fn is_generator(function: &str) -> bool {
    function.starts_with("drng")
}
