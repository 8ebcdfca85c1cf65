//! The stacks of a program: which one the stack pointer is on, and how deep each got.
//!
//! Pushes, pops, and sums with the stack pointer itself stay on a stack. Anything else that sets it may leave for another one:
//! a context switch, a handler that uses the main stack, a function that is run on an array. Then the stack is the one that was
//! seen around the new pointer before; where there was none, it is a new one, unless neither place lies in a data object of the image
//! and they are close to each other (a frame pointer or longjmp from before the profile began, space that a compiler
//! makes by a move).

use crate::core::SP;
use crate::insn::{Alu, Insn, Op};
use crate::symbols::Symbols;

/// Bytes that a move of the pointer outside all data objects may go and stay on its stack.
const REACH: u32 = 4096;
/// Most bytes that entering or leaving a handler moves the pointer by: two frames with floating-point state, aligned.
const FRAMES: u32 = 2 * (104 + 4);

/// One stack.
struct Stack {
    /// The data object that it lies in.
    object: Option<usize>,
    /// The pointer when the program was first seen on it.
    start: u32,
    /// The lowest and the highest pointer on it.
    lowest: u32,
    highest: u32,
}

/// The stacks so far. The first one is the one that was current when the profile began.
#[derive(Default)]
pub(super) struct Stacks {
    all: Vec<Stack>,
    current: usize,
    pointer: u32,
}

/// Whether an instruction that changes the stack pointer sets it relative to what it was.
pub(super) fn is_relative(insn: &Insn) -> bool {
    let onto_itself = usize::from(insn.rd) == SP;
    usize::from(insn.rn) == SP
        && match insn.op {
            Op::Alu(Alu::Add | Alu::Sub) => true,
            Op::Load(_) | Op::LoadDual => !onto_itself,
            Op::Store(_) | Op::StoreDual => true,
            Op::LoadMulti | Op::StoreMulti | Op::FpLoadMulti | Op::FpStoreMulti => true,
            _ => false,
        }
}

impl Stacks {
    /// The stack pointer as it was last shown.
    #[inline(always)]
    pub(super) fn pointer(&self) -> Option<u32> {
        (!self.all.is_empty()).then_some(self.pointer)
    }

    /// Index of the stack that the pointer is on.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// The pointer moved along its stack.
    pub(super) fn moved(&mut self, symbols: &Symbols, pointer: u32) {
        self.pointer = pointer;
        match self.all.get_mut(self.current) {
            Some(stack) => stack.reach(pointer),
            None => self.add(symbols, pointer),
        }
    }

    /// The pointer was set: it may be on another stack.
    pub(super) fn set(&mut self, symbols: &Symbols, pointer: u32) {
        let around = |stack: &Stack| (stack.lowest..=stack.highest).contains(&pointer);
        let known = self.all.get(self.current).is_some_and(around).then_some(self.current);
        if let Some(at) = known.or_else(|| self.all.iter().position(around)) {
            self.current = at;
        } else if !self.is_near(symbols, pointer) {
            self.add(symbols, pointer);
        }
        self.moved(symbols, pointer);
    }

    /// Handlers were entered or left, with the pointer of the stack that is not in use.
    pub(super) fn attended(&mut self, symbols: &Symbols, pointer: u32, other: u32) {
        if let Some(stack) = self.all.get_mut(self.current)
            && other <= stack.lowest
            && stack.lowest - other <= FRAMES
        {
            // The frame of a handler that runs on the other stack.
            stack.reach(other);
        }
        let elsewhere =
            |(at, stack): (usize, &Stack)| at != self.current && (stack.lowest..=stack.highest).contains(&pointer);
        if pointer.abs_diff(self.pointer) <= FRAMES && !self.all.iter().enumerate().any(elsewhere) {
            self.moved(symbols, pointer);
        } else {
            self.set(symbols, pointer);
        }
    }

    /// Whether a pointer outside every known stack still belongs to the current one.
    fn is_near(&self, symbols: &Symbols, pointer: u32) -> bool {
        let outside = |object: Option<usize>| object.is_none();
        self.all.get(self.current).is_some_and(|stack| outside(stack.object))
            && outside(object(symbols, pointer))
            && pointer.abs_diff(self.pointer) <= REACH
    }

    fn add(&mut self, symbols: &Symbols, pointer: u32) {
        self.current = self.all.len();
        self.pointer = pointer;
        let object = object(symbols, pointer);
        self.all.push(Stack { object, start: pointer, lowest: pointer, highest: pointer });
    }

    /// Bytes of the first stack, below where it was when the profile began.
    pub(super) fn peak(&self) -> u32 {
        self.all.first().map_or(0, |stack| stack.start - stack.lowest)
    }

    /// The other stacks in the order in which the program came to them: what each lies in, and the bytes that it took.
    pub(super) fn others<'a>(&'a self, symbols: &'a Symbols) -> impl Iterator<Item = (String, u32)> + 'a {
        self.all.iter().skip(1).map(|stack| {
            let name = match stack.object {
                Some(object) => symbols.object_name(object).to_owned(),
                None => format!("{:#010x}", stack.highest),
            };
            (name, stack.highest - stack.lowest)
        })
    }
}

impl Stack {
    fn reach(&mut self, pointer: u32) {
        self.lowest = self.lowest.min(pointer);
        self.highest = self.highest.max(pointer);
    }
}

/// The data object that a stack pointer is in: stacks are full and descending, so an empty one points behind its own.
fn object(symbols: &Symbols, pointer: u32) -> Option<usize> {
    symbols.object(pointer.wrapping_sub(1))
}
