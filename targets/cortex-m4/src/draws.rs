//! Random bytes that the host chose.

use arrayvec::ArrayVec;
use kemprof_core::Drng;
use kemprof_core::backend::AnyDrng;
use kemprof_core::symmetric::Function;
use kemprof_protocol::MAX_SEED;

/// Where a scheme draws from. One type for both, so that every scheme is in the image once.
#[derive(Clone, Debug)]
pub enum Source {
    /// A backend's generator.
    Generator(AnyDrng),
    /// Bytes that the host chose.
    Draws(Draws),
}

/// Bytes that are handed out in order: what the generator of published known answers gives, which only the host has.
#[derive(Clone, Debug)]
pub struct Draws {
    bytes: ArrayVec<u8, MAX_SEED>,
    drawn: usize,
}

impl Draws {
    /// None of `bytes` is drawn yet.
    #[must_use]
    pub const fn new(bytes: ArrayVec<u8, MAX_SEED>) -> Self {
        Self { bytes, drawn: 0 }
    }

    /// How many bytes were asked for, and how many there were.
    #[must_use]
    pub fn account(&self) -> (usize, usize) {
        (self.drawn, self.bytes.len())
    }
}

impl Drng for Draws {
    fn name(&self) -> &'static str {
        "draws"
    }

    fn function(&self) -> Function {
        Function { name: "draws", permutation: "copy", absorb_rate: 1, squeeze_rate: 1 }
    }

    fn permutations(&self, _out_bytes: usize) -> u64 {
        0
    }

    /// Bytes that are not there are zeros: [`account`](Self::account) tells.
    fn generate(&mut self, out: &mut [u8]) {
        for out in out {
            *out = self.bytes.get(self.drawn).copied().unwrap_or(0);
            self.drawn += 1;
        }
    }
}

impl Drng for Source {
    fn name(&self) -> &'static str {
        match self {
            Self::Generator(generator) => generator.name(),
            Self::Draws(draws) => draws.name(),
        }
    }

    fn function(&self) -> Function {
        match self {
            Self::Generator(generator) => generator.function(),
            Self::Draws(draws) => draws.function(),
        }
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        match self {
            Self::Generator(generator) => generator.permutations(out_bytes),
            Self::Draws(draws) => draws.permutations(out_bytes),
        }
    }

    fn generate(&mut self, out: &mut [u8]) {
        match self {
            Self::Generator(generator) => generator.generate(out),
            Self::Draws(draws) => draws.generate(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_in_order_and_are_counted() {
        let mut draws = Draws::new((1..=5).collect());
        let mut out = [0; 3];
        draws.generate(&mut out);
        assert_eq!((out, draws.account()), ([1, 2, 3], (3, 5)));
        draws.generate(&mut out);
        assert_eq!((out, draws.account()), ([4, 5, 0], (6, 5)));
    }
}
