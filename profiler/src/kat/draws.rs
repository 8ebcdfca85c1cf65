//! Generators that are watched, and bytes that stand in for one.

use kemprof_core::Drng;
use kemprof_core::symmetric::Function;
use std::cell::RefCell;
use std::iter::Copied;
use std::rc::Rc;
use std::slice::Iter;

/// A generator that notes what it gives.
pub(super) struct Noted<D> {
    drng: D,
    draws: Rc<RefCell<Vec<u8>>>,
}

impl<D> Noted<D> {
    /// Watches a generator: what it gives is in the second.
    pub(super) fn new(drng: D) -> (Self, Rc<RefCell<Vec<u8>>>) {
        let draws = Rc::default();
        (Self { drng, draws: Rc::clone(&draws) }, draws)
    }
}

impl<D: Drng> Drng for Noted<D> {
    fn name(&self) -> &'static str {
        self.drng.name()
    }

    fn function(&self) -> Function {
        self.drng.function()
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        self.drng.permutations(out_bytes)
    }

    fn generate(&mut self, out: &mut [u8]) {
        self.drng.generate(out);
        self.draws.borrow_mut().extend_from_slice(out);
    }
}

/// Bytes that are drawn in order, then zeros: who draws has to see that there were as many as it drew.
pub(super) struct Given<'a>(Copied<Iter<'a, u8>>);

impl<'a> Given<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.iter().copied())
    }
}

impl Drng for Given<'_> {
    fn name(&self) -> &'static str {
        "given"
    }

    fn function(&self) -> Function {
        Function { name: "drng", permutation: "none", absorb_rate: 1, squeeze_rate: 1 }
    }

    fn permutations(&self, _: usize) -> u64 {
        0
    }

    fn generate(&mut self, out: &mut [u8]) {
        out.fill_with(|| self.0.next().unwrap_or(0));
    }
}
