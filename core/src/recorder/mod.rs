//! The probe that produces numbers: a fixed table of ticks by phase and by call.

mod calibrate;
mod node;
mod stopwatch;

pub use calibrate::{ProbeCost, calibrate, empty_interval};
pub use node::{CallKey, Key, LANE_SHARES, Node};
pub use stopwatch::{Stopwatch, Tally};

use crate::probe::{Call, Output, Probe};
use crate::symmetric::Phase;

/// A clock that only counts up: a reading below the one before counts as no time at all, and it is for the owner of the
/// counter to notice. What a tick is worth is known where the counter was opened, not here.
pub trait Counter {
    /// The count now, in ticks.
    fn read(&mut self) -> u64;

    /// Whether the same work always takes the same count, so that nothing is learnt from doing it again.
    fn is_exact(&self) -> bool {
        false
    }
}

/// Rows of the table: enough for every phase and every combination of function, role and lengths of the largest scheme.
pub const NODES: usize = 128;
/// Places in the index of rows by key: twice as many as rows, so that looking one up seldom takes more than one look.
const SLOTS: usize = 2 * NODES;
/// Phases that may be open at once.
const DEPTH: usize = 12;

const _: () = assert!(SLOTS.is_power_of_two() && NODES <= 1 << u8::BITS);

/// Records into a tree of phases and, under them, symmetric calls. Nothing is allocated.
///
/// A call is recorded under the phase in which it is closed; its intervals count as that phase's children, so that the
/// phase's own time excludes them.
///
/// Rows are found by hashing: that takes the same time whatever came before, so that what is calibrated afterwards is what each
/// cost.
#[derive(Clone, Debug)]
pub struct Recorder<C> {
    counter: C,
    nodes: [Node; NODES],
    len: usize,
    /// Rows by the hash of their key and parent, from there on the first that is right; 0 is none.
    slots: [u8; SLOTS],
    current: usize,
    open_phases: [OpenPhase; DEPTH],
    depth: usize,
    interval_start: u64,
    lost: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct OpenPhase {
    node: usize,
    start: u64,
}

/// What [`Recorder`] keeps of a call that is not closed yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Running {
    ticks: u64,
    intervals: u32,
}

impl<C: Counter> Recorder<C> {
    /// An empty table that reads `counter`.
    pub const fn new(counter: C) -> Self {
        Self {
            counter,
            nodes: [Node::EMPTY; NODES],
            len: 1,
            slots: [0; SLOTS],
            current: 0,
            open_phases: [OpenPhase { node: 0, start: 0 }; DEPTH],
            depth: 0,
            interval_start: 0,
            lost: 0,
        }
    }

    /// Forgets everything that was recorded.
    pub fn reset(&mut self) {
        self.nodes[0] = Node::EMPTY;
        self.len = 1;
        self.slots = [0; SLOTS];
        self.current = 0;
        self.depth = 0;
        self.lost = 0;
    }

    /// Forgets what was counted and keeps the rows, so that what comes next finds those made that it needs. Rows that it does not
    /// need have no calls.
    pub fn forget_counts(&mut self) {
        for node in &mut self.nodes[1..self.len] {
            *node = node.emptied();
        }
        self.current = 0;
        self.depth = 0;
        self.lost = 0;
    }

    /// Adds what this table counted before its counts were forgotten, row by row.
    pub fn add_counts(&mut self, earlier: &[Node]) {
        self.nodes[..self.len].iter_mut().zip(earlier).for_each(|(node, earlier)| node.add(earlier));
    }

    /// The rows, each after its parent. Row 0 is the root: it has no key and no ticks.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes[..self.len]
    }

    /// Phases and calls that found the table full. A run that lost any has no result.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The counter.
    pub fn counter(&mut self) -> &mut C {
        &mut self.counter
    }

    /// The child of the current phase with this key, made where there is none and room for it.
    #[inline]
    fn child(&mut self, key: Key) -> Option<usize> {
        let mut slot = slot(self.current, &key);
        // Fewer rows than slots: it ends.
        loop {
            let row = usize::from(self.slots[slot]);
            if row == 0 {
                return self.add(key, slot);
            }
            if self.nodes[row].key == key && self.nodes[row].parent() == self.current {
                return Some(row);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    #[cold]
    fn add(&mut self, key: Key, slot: usize) -> Option<usize> {
        let row = self.len;
        *self.nodes.get_mut(row)? = Node::under(self.current, key);
        self.slots[slot] = row as u8;
        self.len += 1;
        Some(row)
    }
}

/// Where to look first for a row: a multiplicative hash (Knuth, The Art of Computer Programming 3, 6.4), 2^32 over the golden
/// ratio.
#[inline]
fn slot(parent: usize, key: &Key) -> usize {
    let word = match key {
        Key::Root => 0,
        Key::Phase(phase) => *phase as u32,
        Key::Call(call) => call.out_bytes ^ call.in_bytes << 16 ^ (call.role as u32) << 28,
    };
    let hash = (word ^ (parent as u32) << 8).wrapping_mul(0x9e37_79b9);
    (hash >> (u32::BITS - SLOTS.ilog2())) as usize
}

/// On a microcontroller the table's bookkeeping is in the image once: see [`Profiled`](crate::Profiled).
impl<C: Counter> Probe for Recorder<C> {
    type Open = Running;

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn enter(&mut self, phase: Phase) {
        let node = self.child(Key::Phase(phase)).filter(|_| self.depth < DEPTH);
        let Some(node) = node else {
            self.lost += 1;
            return;
        };
        self.current = node;
        self.open_phases[self.depth] = OpenPhase { node, start: 0 };
        self.depth += 1;
        self.open_phases[self.depth - 1].start = self.counter.read();
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn exit(&mut self, phase: Phase) {
        let now = self.counter.read();
        let Some(OpenPhase { node, start }) = self.depth.checked_sub(1).map(|top| self.open_phases[top]) else {
            return;
        };
        // A phase that found the table full was not opened, and must not close its parent.
        if self.nodes[node].key != Key::Phase(phase) {
            return;
        }
        self.depth -= 1;
        self.nodes[node].record(now.saturating_sub(start), 1, LANE_SHARES, 1);
        self.current = self.nodes[node].parent();
    }

    #[inline(always)]
    fn open(&mut self, _call: &Call) -> Running {
        Running::default()
    }

    #[inline]
    fn resume(&mut self, _open: &mut Running) {
        self.interval_start = self.counter.read();
    }

    #[inline]
    fn pause(&mut self, open: &mut Running) {
        let now = self.counter.read();
        open.ticks += now.saturating_sub(self.interval_start);
        open.intervals += 1;
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn close(&mut self, open: Running, call: &Call, outputs: &[Output]) {
        let lanes = outputs.len() as u64;
        // Divisions of 64 bits take hundreds of cycles where the processor has none.
        let share = if lanes == 1 { open.ticks } else { open.ticks / lanes };
        let shares = u64::from(LANE_SHARES as u32 / lanes as u32);
        // Equal shares that still add up: the first lane takes the remainder.
        let mut ticks = open.ticks - share * (lanes - 1);
        for output in outputs {
            let key = CallKey::new(call, output.out_bytes);
            let Some(node) = self.child(Key::Call(key)) else {
                self.lost += 1;
                return;
            };
            let node = &mut self.nodes[node];
            node.record(ticks, u64::from(open.intervals), shares, outputs.len() as u32);
            node.used_bits += u64::from(output.used_bits);
            node.permutations += output.permutations;
            node.function = Some(call.function);
            ticks = share;
        }
    }
}
