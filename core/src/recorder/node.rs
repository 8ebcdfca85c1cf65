use super::{NODES, ProbeCost};
use crate::probe::Call;
use crate::symmetric::{Form, Function, MAX_LANES, Phase, Role};

/// A lane's part of one call is counted in this many shares, so that equal parts of 1 to [`MAX_LANES`] lanes are whole
/// numbers: the least common multiple of 1, 2, ..., 8.
pub const LANE_SHARES: u64 = 840;

const _: () = {
    let mut lanes = 1;
    while lanes <= MAX_LANES {
        assert!(LANE_SHARES.is_multiple_of(lanes as u64));
        lanes += 1;
    }
};

/// What a row is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// The root of the tree, which stands for no time of its own.
    Root,
    /// A phase of the scheme.
    Phase(Phase),
    /// Symmetric calls that are alike.
    Call(CallKey),
}

/// What calls of one row have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallKey {
    /// What the scheme used the function for.
    pub role: Role,
    /// How it asked for output.
    pub form: Form,
    /// Which function of its own a scheme from outside called, from 1; 0 for that of a backend.
    pub own: u8,
    /// Bytes in, of one call.
    pub in_bytes: u32,
    /// Bytes out, of one call.
    pub out_bytes: u32,
}

impl CallKey {
    #[inline]
    pub(super) fn new(call: &Call, out_bytes: usize) -> Self {
        Self {
            role: call.role,
            form: call.form,
            own: call.own,
            in_bytes: call.in_bytes as u32,
            out_bytes: out_bytes as u32,
        }
    }
}

/// A row of the table: totals of one phase or of calls that are alike, under one parent.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What the row is about.
    pub key: Key,
    /// The function that ran, for calls.
    pub function: Option<Function>,
    /// How often the phase or call ran. Lanes of a batch count one each.
    pub calls: u64,
    /// Ticks between the probe's readings: of phases with all that ran inside them.
    pub ticks: u64,
    /// The shortest, in ticks; `u64::MAX` before the first.
    pub min: u64,
    /// The longest, in ticks.
    pub max: u64,
    /// Bits of output that the scheme consumed.
    pub used_bits: u64,
    /// Permutations (or compressions) that ran.
    pub permutations: u64,
    /// Intervals between readings, each counted in [`LANE_SHARES`] shares, of which a lane of a batch has its part.
    pub interval_shares: u64,
    /// Openings and closings, counted likewise.
    pub call_shares: u64,
    /// The most messages that ran together.
    pub lanes: u32,
    /// What the probe costs around one of them, where it was measured: see [`calibrate`](super::calibrate).
    pub cost: ProbeCost,
    parent: u16,
}

impl Node {
    pub(super) const EMPTY: Self = Self {
        key: Key::Root,
        function: None,
        calls: 0,
        ticks: 0,
        min: u64::MAX,
        max: 0,
        used_bits: 0,
        permutations: 0,
        interval_shares: 0,
        call_shares: 0,
        lanes: 0,
        cost: ProbeCost { interval_inside: 0.0, interval_outside: 0.0, call_outside: 0.0, lane_outside: 0.0 },
        parent: 0,
    };

    /// An empty row about `key` under row `parent`: of a recorder's table, or for totals that were recorded on another machine.
    ///
    /// # Panics
    /// When `parent` is no row that a table can have.
    #[must_use]
    pub fn under(parent: usize, key: Key) -> Self {
        assert!(parent < NODES, "the parent is a row of the table");
        Self { key, parent: parent as u16, ..Self::EMPTY }
    }

    /// The index of the row that this one is under.
    #[must_use]
    pub fn parent(&self) -> usize {
        self.parent.into()
    }

    /// Intervals between readings. Lanes of a batch share its intervals, so that it is no whole number for a row of some of them.
    #[must_use]
    pub fn intervals(&self) -> f64 {
        self.interval_shares as f64 / LANE_SHARES as f64
    }

    /// Openings and closings, counted likewise: a batch counts once.
    #[must_use]
    pub fn openings(&self) -> f64 {
        self.call_shares as f64 / LANE_SHARES as f64
    }

    /// Ticks that the probe took inside of all intervals.
    #[must_use]
    pub fn cost_inside(&self) -> f64 {
        f64::from(self.cost.interval_inside) * self.intervals()
    }

    /// Ticks that the probe took around all calls, in the phase that they are under.
    #[must_use]
    pub fn cost_outside(&self) -> f64 {
        f64::from(self.cost.call_outside) * self.openings()
            + f64::from(self.cost.lane_outside) * self.calls as f64
            + f64::from(self.cost.interval_outside) * (self.intervals() - self.openings())
    }

    /// The same row with nothing counted.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self { key: self.key, parent: self.parent, cost: self.cost, ..Self::EMPTY }
    }

    /// Adds the counts of a row that is about the same.
    pub fn add(&mut self, other: &Self) {
        self.function = self.function.or(other.function);
        self.calls += other.calls;
        self.ticks += other.ticks;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.used_bits += other.used_bits;
        self.permutations += other.permutations;
        self.interval_shares += other.interval_shares;
        self.call_shares += other.call_shares;
        self.lanes = self.lanes.max(other.lanes);
    }

    #[inline]
    pub(super) fn record(&mut self, ticks: u64, intervals: u64, shares: u64, lanes: u32) {
        self.calls += 1;
        self.ticks += ticks;
        self.min = self.min.min(ticks);
        self.max = self.max.max(ticks);
        self.interval_shares += intervals * shares;
        self.call_shares += shares;
        self.lanes = self.lanes.max(lanes);
    }
}
