//! The shadow call stack: which call path the program is in, and the cycles of each path.
//!
//! A call pushes a frame with its return address and stack pointer. Any branch to the return address of a frame at its
//! stack pointer returns from it, and from all frames above it, however the branch is made. A branch into another
//! function is otherwise a tail call: it replaces the current function. Frames whose stack is gone (longjmp, unwinding)
//! are dropped. An exception's handler is a call from the function that was interrupted.

use crate::core::{Core, SP};
use crate::insn::Op;
use crate::run::Executed;
use crate::symbols::Symbols;

/// Index of a symbol; code without a symbol has this one.
pub(super) const UNKNOWN: usize = usize::MAX;

/// A function reached by one call path.
pub(super) struct Node {
    pub(super) parent: usize,
    pub(super) symbol: usize,
    pub(super) cycles: u64,
    pub(super) calls: u64,
    children: Vec<usize>,
}

/// A call that has not returned.
struct Frame {
    /// Path of the caller.
    node: usize,
    return_to: u32,
    sp: u32,
    /// Exception number; 0 for calls.
    exception: u16,
}

/// The tree of call paths and the place in it.
pub(super) struct Calls {
    /// Node 0 is the root, above every function.
    pub(super) nodes: Vec<Node>,
    frames: Vec<Frame>,
    current: usize,
    /// Addresses of the current function.
    range: (u32, u32),
}

impl Calls {
    pub(super) fn new() -> Self {
        let root = Node { parent: 0, symbol: UNKNOWN, cycles: 0, calls: 0, children: Vec::new() };
        Calls { nodes: vec![root], frames: Vec::new(), current: 0, range: (0, 0) }
    }

    pub(super) fn total(&self) -> u64 {
        self.nodes.iter().map(|n| n.cycles).sum()
    }

    #[inline(always)]
    fn inside(&self, address: u32) -> bool {
        address >= self.range.0 && address < self.range.1
    }

    /// Charges an instruction and follows its branch.
    #[inline(always)]
    pub(super) fn executed(&mut self, symbols: &Symbols, core: &Core, step: &Executed<'_>) {
        if !self.inside(step.address) {
            self.replace(symbols, step.address);
        }
        self.nodes[self.current].cycles += step.cycles;
        if step.taken && core.exc_return.is_none() {
            self.follow(symbols, core, step);
        }
    }

    fn follow(&mut self, symbols: &Symbols, core: &Core, step: &Executed<'_>) {
        let (target, sp) = (core.next, core.r[SP]);
        if matches!(step.slot.insn.op, Op::Bl | Op::BlxReg) {
            let return_to = step.address.wrapping_add(step.slot.insn.size.into());
            self.call(symbols, target, Frame { node: self.current, return_to, sp, exception: 0 });
            return;
        }
        let returns = |f: &Frame| f.exception == 0 && f.return_to == target && f.sp == sp;
        if self.frames.last().is_some_and(returns) {
            self.leave(symbols, self.frames.len() - 1, target);
        } else if !self.inside(target) {
            self.leave_to(symbols, target, sp);
        }
    }

    /// A branch out of the function that is no plain return: a return over several frames, a jump back into a caller
    /// (longjmp, unwinding), the end of frames whose stack is gone, or a tail call.
    fn leave_to(&mut self, symbols: &Symbols, target: u32, sp: u32) {
        let floor = self.frames.iter().rposition(|f| f.exception != 0).map_or(0, |at| at + 1);
        let frames = &self.frames[floor..];
        let returned = frames.iter().rposition(|f| f.return_to == target && f.sp == sp);
        let jumped_back = frames.iter().rposition(|f| f.sp == sp && self.is_within(symbols, f.node, target));
        let gone = frames.iter().position(|f| f.sp < sp);
        if let Some(at) = [returned, jumped_back, gone].into_iter().flatten().min() {
            self.leave(symbols, floor + at, target);
        }
        if !self.inside(target) {
            self.replace(symbols, target);
        }
    }

    /// Whether an address is in a node's function but not its entry, where calls and tail calls go.
    fn is_within(&self, symbols: &Symbols, node: usize, address: u32) -> bool {
        let symbol = self.nodes[node].symbol;
        symbol != UNKNOWN && {
            let symbol = symbols.get(symbol);
            address > symbol.address && address < symbol.end
        }
    }

    /// Drops the frames from `at` on and goes on in the caller of the lowest.
    fn leave(&mut self, symbols: &Symbols, at: usize, target: u32) {
        self.current = self.frames[at].node;
        self.frames.truncate(at);
        self.range = self.range_of(symbols, self.current, target);
    }

    fn call(&mut self, symbols: &Symbols, target: u32, frame: Frame) {
        self.frames.push(frame);
        self.current = self.child(self.current, symbols.index(target).unwrap_or(UNKNOWN));
        self.nodes[self.current].calls += 1;
        self.range = self.range_of(symbols, self.current, target);
    }

    /// The current function goes on as another one, with the same caller.
    #[cold]
    fn replace(&mut self, symbols: &Symbols, target: u32) {
        let parent = self.nodes[self.current].parent;
        let symbol = symbols.index(target).unwrap_or(UNKNOWN);
        let fresh = self.current == 0 || self.nodes[self.current].symbol != symbol;
        if fresh {
            self.current = self.child(parent, symbol);
            self.nodes[self.current].calls += 1;
        }
        self.range = self.range_of(symbols, self.current, target);
    }

    fn child(&mut self, parent: usize, symbol: usize) -> usize {
        let found = self.nodes[parent].children.iter().copied().find(|&c| self.nodes[c].symbol == symbol);
        found.unwrap_or_else(|| {
            let new = self.nodes.len();
            self.nodes.push(Node { parent, symbol, cycles: 0, calls: 0, children: Vec::new() });
            self.nodes[parent].children.push(new);
            new
        })
    }

    /// Addresses of a node's function; of code without a symbol only the one at hand, so that leaving it is noticed.
    fn range_of(&self, symbols: &Symbols, node: usize, at: u32) -> (u32, u32) {
        match self.nodes[node].symbol {
            UNKNOWN => (at, at.saturating_add(2)),
            symbol => (symbols.get(symbol).address, symbols.get(symbol).end),
        }
    }

    /// Follows exceptions that were entered or left, and charges the cycles that this took to where it led.
    pub(super) fn attended(&mut self, symbols: &Symbols, core: &Core, cycles: u64) {
        let handled = core.sys.nvic.handled();
        let known: Vec<(usize, u16)> =
            self.frames.iter().enumerate().filter(|(_, f)| f.exception != 0).map(|(at, f)| (at, f.exception)).collect();
        let same = known.iter().zip(handled).take_while(|((_, known), handled)| known == *handled).count();
        if let Some(&(at, _)) = known.get(same) {
            self.leave(symbols, at, core.next);
        }
        for &exception in &handled[same..] {
            let frame = Frame { node: self.current, return_to: 0, sp: core.r[SP], exception };
            self.call(symbols, core.next, frame);
        }
        self.nodes[self.current].cycles += cycles;
    }
}
