//! Frames that stand on each other, as wide as what they took. Folded stacks and pictures are made of the same frames.

use super::folded::frame;
use super::palette::Rgb;

/// A frame with those that stand on it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Frame {
    /// What it is, as folded stacks have it.
    pub(super) name: String,
    pub(super) color: Rgb,
    /// What there is to say of it besides how long it took, line by line.
    pub(super) tip: Vec<String>,
    /// What it took without those that stand on it.
    pub(super) own: u64,
    pub(super) above: Vec<Self>,
}

impl Frame {
    /// A frame of this name, in which nothing was spent yet.
    pub(super) fn new(name: &str, color: Rgb) -> Self {
        Self { name: frame(name), color, tip: Vec::new(), own: 0, above: Vec::new() }
    }

    /// What it took with those that stand on it.
    pub(super) fn total(&self) -> u64 {
        self.own + self.above.iter().map(Self::total).sum::<u64>()
    }

    /// The frame of this name that stands on it: the one that is there, or else a new one.
    pub(super) fn child(&mut self, name: &str, color: Rgb) -> &mut Self {
        let new = Self::new(name, color);
        let place = self.above.iter().position(|frame| frame.name == new.name).unwrap_or(self.above.len());
        if place == self.above.len() {
            self.above.push(new);
        }
        &mut self.above[place]
    }

    /// Folded stacks: one line for each frame that took something itself. They sum to the total.
    pub(super) fn folded(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.fold(&self.name, &mut lines);
        lines
    }

    fn fold(&self, stack: &str, lines: &mut Vec<String>) {
        if self.own > 0 {
            lines.push(format!("{stack} {}", self.own));
        }
        for frame in &self.above {
            frame.fold(&format!("{stack};{}", frame.name), lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::PHASE;
    use super::*;

    fn tower() -> Frame {
        let mut root = Frame::new("enc", PHASE);
        root.own = 10;
        root.child("matrix", PHASE).own = 60;
        root.child("matrix", PHASE).child("used 7", PHASE).own = 30;
        root
    }

    #[test]
    fn folded_stacks_sum_to_the_width_of_the_root() {
        let root = tower();
        assert_eq!(root.folded(), ["enc 10", "enc;matrix 60", "enc;matrix;used_7 30"]);
        assert_eq!((root.total(), root.above[0].total()), (100, 90));
    }
}
