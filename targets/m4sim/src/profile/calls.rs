//! The shadow call stacks: which call path the program is in, and the cycles of each path.
//!
//! A call pushes a frame with its return address and stack pointer. Any branch to the return address of a frame at its
//! stack pointer returns from it, and from all frames above it, however the branch is made. A branch into another
//! function is otherwise a tail call: it replaces the current function. Frames whose stack is gone (longjmp, unwinding)
//! are dropped. An exception's handler is a call from the function that was interrupted.
//!
//! Every stack has frames of its own. What runs on a new one was called from where the first stack is, so that coroutines that
//! start each other are beside each other.

use std::collections::HashMap;

use crate::core::{Core, SP};
use crate::insn::Op;
use crate::run::Executed;
use crate::symbols::Symbols;

/// Index of a symbol; code without a symbol has this one.
pub(super) const UNKNOWN: usize = usize::MAX;
/// Functions of a path from which on recursion adds none: a call goes on where the same function was called before. Without an
/// end, what is written of a recursion would grow with the square of its depth.
const DEEPEST: u32 = 256;

/// A function reached by one call path.
pub(super) struct Node {
    pub(super) parent: usize,
    pub(super) symbol: usize,
    pub(super) cycles: u64,
    pub(super) calls: u64,
    /// Functions above it.
    depth: u32,
    children: Vec<usize>,
}

/// A call that has not returned.
struct Frame {
    /// Path of the caller.
    node: usize,
    return_to: u32,
    sp: u32,
}

/// The calls on one stack, or of one handler. Along the frames stack pointers never rise.
#[derive(Default)]
struct Context {
    stack: usize,
    /// The stack pointer when it began.
    start: u32,
    frames: Vec<Frame>,
    current: usize,
}

impl Context {
    /// Drops the frames from `at` on and goes on in the caller of the lowest.
    fn leave(&mut self, at: usize) {
        if let Some(frame) = self.frames.get(at) {
            self.current = frame.node;
            self.frames.truncate(at);
        }
    }

    /// How many frames are not gone: their stack pointer is not below `sp`.
    fn alive(&self, sp: u32) -> usize {
        self.frames.iter().rposition(|f| f.sp >= sp).map_or(0, |at| at + 1)
    }
}

/// The tree of call paths and the place in it.
pub(super) struct Calls {
    /// Node 0 is the root, above every function.
    pub(super) nodes: Vec<Node>,
    here: Context,
    /// Of the stacks that are not in use.
    parked: HashMap<usize, Context>,
    /// Exceptions being handled, outermost first, and what each interrupted.
    interrupted: Vec<(u16, Context)>,
    /// Addresses of the current function.
    range: (u32, u32),
}

impl Calls {
    pub(super) fn new() -> Self {
        let root = Node { parent: 0, symbol: UNKNOWN, cycles: 0, calls: 0, depth: 0, children: Vec::new() };
        Calls {
            nodes: vec![root],
            here: Context::default(),
            parked: HashMap::new(),
            interrupted: Vec::new(),
            range: (0, 0),
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.nodes.iter().map(|n| n.cycles).sum()
    }

    #[inline(always)]
    fn inside(&self, address: u32) -> bool {
        address >= self.range.0 && address < self.range.1
    }

    /// Charges an instruction.
    #[inline(always)]
    pub(super) fn charge(&mut self, symbols: &Symbols, step: &Executed<'_>) {
        if !self.inside(step.address) {
            self.replace(symbols, step.address);
        }
        self.nodes[self.here.current].cycles += step.cycles;
    }

    /// Follows the branch of an instruction.
    pub(super) fn follow(&mut self, symbols: &Symbols, core: &Core, step: &Executed<'_>) {
        let (target, sp) = (core.next, core.r[SP]);
        if matches!(step.slot.insn.op, Op::Bl | Op::BlxReg) {
            let alive = self.here.alive(sp);
            if alive < self.here.frames.len() {
                self.leave(symbols, alive, step.address);
            }
            let return_to = step.address.wrapping_add(step.slot.insn.size.into());
            self.here.frames.push(Frame { node: self.here.current, return_to, sp });
            self.enter(symbols, target);
            return;
        }
        if self.here.frames.last().is_some_and(|f| f.return_to == target && f.sp == sp) {
            self.leave(symbols, self.here.frames.len() - 1, target);
        } else if !self.inside(target) {
            self.leave_to(symbols, target, sp);
        }
    }

    /// A branch out of the function that is no plain return: a return over several frames, a jump back into a caller
    /// (longjmp, unwinding), the end of frames whose stack is gone, or a tail call.
    fn leave_to(&mut self, symbols: &Symbols, target: u32, sp: u32) {
        let frames = &self.here.frames;
        let alive = self.here.alive(sp);
        let level = || (0..alive).rev().take_while(|&at| frames[at].sp == sp);
        let returned = level().find(|&at| frames[at].return_to == target);
        let jumped_back = level().find(|&at| self.is_within(symbols, frames[at].node, target));
        let gone = (alive < frames.len()).then_some(alive);
        if let Some(at) = [returned, jumped_back, gone].into_iter().flatten().min() {
            self.leave(symbols, at, target);
        } else {
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

    /// Drops the frames from `at` on and goes on in the caller of the lowest, or in what takes its place.
    fn leave(&mut self, symbols: &Symbols, at: usize, target: u32) {
        self.here.leave(at);
        self.look_around(symbols, target);
    }

    /// The program goes on at `target`, in the current function or in what takes its place.
    fn look_around(&mut self, symbols: &Symbols, target: u32) {
        self.range = self.range_of(symbols, self.here.current, target);
        if !self.inside(target) {
            self.replace(symbols, target);
        }
    }

    /// A function is called.
    fn enter(&mut self, symbols: &Symbols, target: u32) {
        self.here.current = self.child(self.here.current, symbols.index(target).unwrap_or(UNKNOWN));
        self.nodes[self.here.current].calls += 1;
        self.range = self.range_of(symbols, self.here.current, target);
    }

    /// The current function goes on as another one, with the same caller.
    #[cold]
    fn replace(&mut self, symbols: &Symbols, target: u32) {
        let Node { parent, symbol: current, .. } = self.nodes[self.here.current];
        let symbol = symbols.index(target).unwrap_or(UNKNOWN);
        if self.here.current == 0 || current != symbol {
            self.here.current = self.child(parent, symbol);
            self.nodes[self.here.current].calls += 1;
        }
        self.range = self.range_of(symbols, self.here.current, target);
    }

    fn child(&mut self, parent: usize, symbol: usize) -> usize {
        let found = self.nodes[parent].children.iter().copied().find(|&c| self.nodes[c].symbol == symbol);
        let depth = self.nodes[parent].depth + 1;
        let before = || self.path(parent).find(|&n| self.nodes[n].symbol == symbol);
        found.or_else(|| (depth > DEEPEST).then(before).flatten()).unwrap_or_else(|| {
            let new = self.nodes.len();
            self.nodes.push(Node { parent, symbol, cycles: 0, calls: 0, depth, children: Vec::new() });
            self.nodes[parent].children.push(new);
            new
        })
    }

    /// Nodes from a function up to the outermost, itself included.
    pub(super) fn path(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| Some(self.nodes[n].parent)).take_while(|&n| n != 0)
    }

    /// Addresses of a node's function; of code without a symbol only the one at hand, so that leaving it is noticed.
    fn range_of(&self, symbols: &Symbols, node: usize, at: u32) -> (u32, u32) {
        match self.nodes[node].symbol {
            UNKNOWN => (at, at.saturating_add(2)),
            symbol => (symbols.get(symbol).address, symbols.get(symbol).end),
        }
    }

    /// The program goes on on a stack, by a move of its stack pointer.
    pub(super) fn on_stack(&mut self, symbols: &Symbols, core: &Core, stack: usize) {
        if self.here.stack == stack {
            return;
        }
        if !self.interrupted.is_empty() {
            // A handler on another stack is still that handler; what it interrupted may be left when it returns.
            self.here.stack = stack;
            return;
        }
        let sp = core.r[SP];
        let left = std::mem::take(&mut self.here);
        self.parked.insert(left.stack, left);
        let known = self.parked.remove(&stack).and_then(|mut context| {
            context.leave(context.alive(sp));
            // Nothing is left of what ran there: the stack is used again.
            let used_again = context.frames.is_empty() && sp >= context.start;
            (stack == 0 || !used_again).then_some(context)
        });
        self.here = known.unwrap_or_else(|| {
            let current = self.parked.get(&0).map_or(0, |first| first.current);
            Context { stack, start: sp, frames: Vec::new(), current }
        });
        self.look_around(symbols, core.next);
    }

    /// Follows exceptions that were entered or left, and charges the cycles that this took to where it led.
    pub(super) fn attended(&mut self, symbols: &Symbols, core: &Core, stack: usize, cycles: u64) {
        let handled = core.sys.nvic.handled();
        let same = self.interrupted.iter().zip(handled).take_while(|((known, _), handled)| known == *handled).count();
        let changed = same < self.interrupted.len().max(handled.len());
        if same < self.interrupted.len() {
            // The outermost handler that is over knows where the program was.
            self.here = self.interrupted.drain(same..).next().map(|(_, context)| context).unwrap_or_default();
            if handled.len() == same {
                self.on_stack(symbols, core, stack);
            }
        }
        for &exception in &handled[same..] {
            let handler = Context { stack, start: core.r[SP], frames: Vec::new(), current: self.here.current };
            self.interrupted.push((exception, std::mem::replace(&mut self.here, handler)));
            self.enter(symbols, core.next);
        }
        if changed && handled.len() == same {
            self.look_around(symbols, core.next);
        }
        self.nodes[self.here.current].cycles += cycles;
    }
}
