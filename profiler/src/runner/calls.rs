//! Symmetric calls by themselves, made as schemes make them.

use super::samples::Task;
use kemprof_core::Symmetric;
use kemprof_core::symmetric::Shape;

/// What to run: the call over `suite`, of [`lanes`](Shape::lanes) messages an iteration.
pub(super) fn task<S: Symmetric + 'static>(shape: Shape, mut suite: S) -> Box<dyn Task> {
    let mut input = vec![0; shape.input_bytes()];
    shape.fill(&mut input);
    let mut out = Room::new(shape.output_bytes());
    Box::new(move |iterations: u64| shape.call(&mut suite, &input, out.next(), iterations))
}

/// Where output goes: another place in its page for every sample.
///
/// How it lies to the stack is then not the same in all of a process's samples, for the reasons that [`stack`](super::stack) has.
struct Room {
    bytes: Vec<u8>,
    length: usize,
    offset: usize,
}

const PAGE: usize = 4096;
/// From one place to the next: a cache line's multiple that comes to every line of a page.
const STRIDE: usize = 17 * 64;

impl Room {
    fn new(length: usize) -> Self {
        Self { bytes: vec![0; length + PAGE], length, offset: 0 }
    }

    fn next(&mut self) -> &mut [u8] {
        self.offset = (self.offset + STRIDE) % PAGE;
        &mut self.bytes[self.offset..][..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_comes_to_lie_on_every_line_of_a_page() {
        let mut room = Room::new(100);
        let base = room.bytes.as_ptr().addr();
        let mut lines: Vec<usize> = (0..PAGE / 64).map(|_| (room.next().as_ptr().addr() - base) / 64).collect();
        lines.sort_unstable();
        assert!(lines.into_iter().eq(0..PAGE / 64));
        assert_eq!(room.next().len(), 100);
    }
}
