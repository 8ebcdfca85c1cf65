//! What lattice schemes share: kernels compiled for the processor at hand, packing, comparison in constant time,
//! and secrets that are wiped.

mod compare;
#[cfg(target_arch = "x86_64")]
mod front;
mod pack;
mod secret;
#[cfg(test)]
pub(super) mod testing;
mod vectorise;

pub(super) use compare::{assign_if, same};
#[cfg(target_arch = "x86_64")]
pub(super) use front::FRONT;
pub(super) use pack::{pack, unpack};
pub(super) use secret::SecretBytes;
pub(super) use vectorise::vectorised;
#[cfg(target_arch = "x86_64")]
pub(super) use vectorise::wide_vectors;
