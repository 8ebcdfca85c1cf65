use super::{Batch, Form, MAX_LANES, Role, Symmetric};
use core::hint::black_box;

/// A kind of symmetric call: all that its cost depends on but the functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shape {
    /// What the function is used for.
    pub role: Role,
    /// How it is asked for output.
    pub form: Form,
    /// Bytes in, of each message.
    pub in_bytes: usize,
    /// Bytes of them that all messages of a batch share; 0 for a call that is no batch.
    pub prefix_bytes: usize,
    /// Messages that run together.
    pub lanes: usize,
    /// Bytes out, of each message.
    pub out_bytes: usize,
}

impl Shape {
    /// Bytes that [`call`](Self::call) takes: a message, or the prefix of a batch and then each message's own part.
    #[must_use]
    pub const fn input_bytes(&self) -> usize {
        match self.prefix_bytes {
            0 => self.in_bytes,
            prefix => prefix + self.lanes * (self.in_bytes - prefix),
        }
    }

    /// Bytes that it gives.
    #[must_use]
    pub const fn output_bytes(&self) -> usize {
        self.lanes * self.out_bytes
    }

    /// Fills `input` with messages that are not all alike.
    pub fn fill(&self, input: &mut [u8]) {
        let (prefix, rest) = input.split_at_mut(self.prefix_bytes);
        for part in [prefix, rest] {
            part.iter_mut().enumerate().for_each(|(index, byte)| *byte = index as u8);
        }
    }

    /// Makes the call over `suite` so many times, as schemes make it: of batches, matrices are squeezed as streams, everything else
    /// at once.
    ///
    /// # Panics
    /// When `input` or `out` has another length than [`input_bytes`](Self::input_bytes) and [`output_bytes`](Self::output_bytes).
    pub fn call<S: Symmetric>(&self, suite: &mut S, input: &[u8], out: &mut [u8], times: u64) {
        assert_eq!((input.len(), out.len()), (self.input_bytes(), self.output_bytes()), "lengths of input and output");
        let Self { role, form, prefix_bytes, .. } = *self;
        match form {
            Form::Generator => (0..times).for_each(|_| suite.entropy(black_box(&mut *out))),
            Form::Fixed(_) => (0..times).for_each(|_| suite.hash(role, black_box(&[input]), black_box(&mut *out))),
            Form::Extendable if prefix_bytes == 0 => {
                (0..times).for_each(|_| suite.xof(role, black_box(&[input]), black_box(&mut *out)));
            }
            Form::Extendable => self.batch(suite, input, out, times),
        }
    }

    fn batch<S: Symmetric>(&self, suite: &mut S, input: &[u8], out: &mut [u8], times: u64) {
        let Self { role, in_bytes, prefix_bytes, lanes, out_bytes, .. } = *self;
        let (prefix, suffixes) = input.split_at(prefix_bytes);
        let used_bits = [8 * out_bytes as u32; MAX_LANES];
        for _ in 0..times {
            let batch = black_box(Batch::flat(prefix, suffixes, in_bytes - prefix_bytes));
            if role == Role::Matrix {
                let mut stream = suite.open(role, &batch, black_box(&mut *out));
                suite.close(&mut stream, &used_bits[..lanes]);
            } else {
                suite.xof_batch(role, &batch, black_box(&mut *out));
            }
        }
    }
}
