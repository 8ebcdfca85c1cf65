//! What a KEM asks of symmetric cryptography, and the words for it.
//!
//! [`Symmetric`] is the only door from a scheme to a hash: [`Suite`](crate::Suite) answers it by role, and
//! [`Profiled`](crate::Profiled) answers it by asking another and telling a probe.

mod batch;
mod call;
mod function;
mod phase;
mod role;
mod shape;

pub(crate) use batch::MAX_OPEN;
pub use batch::{Batch, MAX_BATCH_MESSAGE, MAX_LANES, Readers};
pub use call::{Call, Output};
pub use function::{Form, Function};
pub use phase::Phase;
pub use role::Role;
pub use shape::Shape;

/// The symmetric functions and the phases of one run of a scheme.
///
/// Lengths are in bytes. An `input` is a message in parts, hashed as their concatenation, so that schemes need not
/// copy keys and ciphertexts together.
pub trait Symmetric {
    /// Open output streams, one per lane of a [`Batch`]; see [`open`](Self::open).
    type Stream;

    /// Runs `body` as a phase of the scheme. Phases nest; the outermost is the operation.
    fn phase<R>(&mut self, phase: Phase, body: impl FnOnce(&mut Self) -> R) -> R;

    /// Fills `out` from the deterministic random generator (role [`Role::Entropy`]).
    fn entropy(&mut self, out: &mut [u8]);

    /// Hashes `input` to `out.len()` bytes with the fixed-length function of that size (32 or 64 bytes).
    fn hash(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]);

    /// Fills `out` with extendable output of `input`, all of which the scheme uses.
    fn xof(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]);

    /// [`xof`](Self::xof) of every message of `batch`, of which there are at most [`lanes`](Self::lanes): `out` holds the
    /// outputs one after another, all of one length.
    fn xof_batch(&mut self, role: Role, batch: &Batch<'_>, out: &mut [u8]);

    /// Absorbs every message of `batch` (at most [`lanes`](Self::lanes)) and squeezes the first `first.len() / lanes` bytes of
    /// each into `first`, one after another. More comes from [`squeeze`](Self::squeeze). They are closed before
    /// anything else is called.
    fn open(&mut self, role: Role, batch: &Batch<'_>, first: &mut [u8]) -> Self::Stream;

    /// Squeezes the next `out.len()` bytes of one lane.
    fn squeeze(&mut self, stream: &mut Self::Stream, lane: usize, out: &mut [u8]);

    /// Ends the streams and says how many bits of each lane's output the scheme consumed. Once: they are borrowed because
    /// moving several open streams costs more than ending them.
    fn close(&mut self, stream: &mut Self::Stream, used_bits: &[u32]);

    /// Whether a scheme from outside is to run functions of its own, rather than ask for these.
    fn keeps_own(&self) -> bool {
        true
    }

    /// A function of the scheme's own begins to run, as `call` says. Where nobody watches, nothing happens.
    #[inline]
    fn foreign_begins(&mut self, call: &Call) {
        let _ = call;
    }

    /// It has ended, and put out so much.
    #[inline]
    fn foreign_ends(&mut self, output: Output) {
        let _ = output;
    }

    /// How many messages to put into one [`Batch`] for this role, 1 to [`MAX_LANES`]: 1 where together costs as much as
    /// one by one.
    fn lanes(&self, role: Role) -> usize;

    /// The unit in bytes in which extendable output of this role is produced: squeezing less costs as much.
    fn squeeze_block(&self, role: Role) -> usize;

    /// The function that serves `role` in this form.
    fn function(&self, form: Form, role: Role) -> Function;

    /// How often that function's permutation (or compression) runs for one call of these sizes in bytes.
    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64;

    /// How many of the permutations of extendable output run once for all lanes of a [`Batch`] whose messages share a prefix
    /// of so many bytes.
    fn shared_permutations(&self, role: Role, prefix_bytes: usize) -> u64 {
        let _ = (role, prefix_bytes);
        0
    }
}
