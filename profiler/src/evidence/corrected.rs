//! The recorder's rows with the probe's cost subtracted where it fell.

use kemprof_core::recorder::{Key, Node};

/// A row's own ticks, in whole ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    /// What is left of it. A part that is shorter than what the probe was found to cost comes out below 0.
    pub(super) ticks: i64,
    /// What was subtracted.
    pub(super) probe: i64,
}

/// Of each of these rows.
pub(super) fn own(nodes: &[Node]) -> Vec<Own> {
    let mut raw: Vec<i64> = nodes.iter().map(|node| node.ticks as i64).collect();
    let mut cost: Vec<f64> = nodes.iter().map(Node::cost_inside).collect();
    for node in nodes.iter().skip(1) {
        raw[node.parent()] -= node.ticks as i64;
        cost[node.parent()] += node.cost_outside();
    }
    let own = |(raw, cost): (i64, f64)| {
        let probe = cost.round() as i64;
        Own { ticks: raw - probe, probe }
    };
    let mut own: Vec<Own> = raw.into_iter().zip(cost).map(own).collect();
    // The root stands for no time.
    own[0] = Own::default();
    own
}

/// Ticks between the probe's readings in all outermost phases.
pub(super) fn raw(nodes: &[Node]) -> u64 {
    nodes.iter().filter(|node| matches!(node.key, Key::Phase(_)) && node.parent() == 0).map(|node| node.ticks).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kemprof_core::{Phase, ProbeCost};

    #[test]
    fn the_probes_cost_is_subtracted_where_it_fell_and_nothing_is_lost() {
        let row = |parent: usize, phase: Phase, ticks: u64| {
            let mut node = Node::under(parent, Key::Phase(phase));
            (node.calls, node.ticks) = (2, ticks);
            (node.interval_shares, node.call_shares) = (1680, 1680);
            node.cost = ProbeCost { interval_inside: 3.0, call_outside: 10.25, ..ProbeCost::default() };
            node
        };
        let nodes =
            [Node::under(0, Key::Root), row(0, Phase::Keygen, 100), row(1, Phase::Ntt, 70), row(1, Phase::Encode, 2)];
        let own = own(&nodes);
        let figures: Vec<(i64, i64)> = own.iter().map(|own| (own.ticks, own.probe)).collect();
        // Inside 2 · 3; around two phases 2 · 2 · 10.25. What is below the probe's cost is not 0.
        assert_eq!(figures, [(0, 0), (28 - 6 - 41, 47), (64, 6), (-4, 6)]);
        assert_eq!(own.iter().map(|own| own.ticks + own.probe).sum::<i64>(), raw(&nodes) as i64);
    }
}
