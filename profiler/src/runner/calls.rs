//! Symmetric calls by themselves, made as schemes make them.

use super::samples::Task;
use super::shapes::Shape;
use kemprof_core::symmetric::{Batch, Form, MAX_LANES};
use kemprof_core::{Role, Symmetric};
use std::hint::black_box;

impl Shape {
    /// What to run: the call over `suite`, of [`lanes`](Self::lanes) messages an iteration.
    #[must_use]
    pub fn task<S: Symmetric + 'static>(self, mut suite: S) -> Box<dyn Task> {
        let Self { role, form, in_bytes, out_bytes, lanes, prefix_bytes } = self;
        let (input, mut out) = (message(in_bytes), Room::new(lanes * out_bytes));
        match form {
            Form::Generator => Box::new(move |iterations: u64| {
                let out = out.next();
                for _ in 0..iterations {
                    suite.entropy(black_box(&mut *out));
                }
            }),
            Form::Fixed(_) => Box::new(move |iterations: u64| {
                let out = out.next();
                for _ in 0..iterations {
                    suite.hash(role, black_box(&[&input]), black_box(&mut *out));
                }
            }),
            Form::Extendable if prefix_bytes == 0 => Box::new(move |iterations: u64| {
                let out = out.next();
                for _ in 0..iterations {
                    suite.xof(role, black_box(&[&input]), black_box(&mut *out));
                }
            }),
            Form::Extendable => self.batch(suite, out),
        }
    }

    /// A batch: matrices are squeezed as streams, everything else at once.
    fn batch<S: Symmetric + 'static>(self, mut suite: S, mut out: Room) -> Box<dyn Task> {
        let Self { role, in_bytes, prefix_bytes, lanes, out_bytes, .. } = self;
        let (prefix, suffix_bytes) = (message(prefix_bytes), in_bytes - prefix_bytes);
        let suffixes = message(lanes * suffix_bytes);
        let used_bits = [8 * out_bytes as u32; MAX_LANES];
        Box::new(move |iterations: u64| {
            let out = out.next();
            for _ in 0..iterations {
                let batch = black_box(Batch::flat(&prefix, &suffixes, suffix_bytes));
                if role == Role::Matrix {
                    let mut stream = suite.open(role, &batch, black_box(&mut *out));
                    suite.close(&mut stream, &used_bits[..lanes]);
                } else {
                    suite.xof_batch(role, &batch, black_box(&mut *out));
                }
            }
        })
    }
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

/// A message that is not all alike.
fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| index as u8).collect()
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
