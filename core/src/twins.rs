//! Fast paths against their plain twins on random inputs, for programs on machines where cargo's tests do not run.
//!
//! Which path is fast depends on the machine; where there is none, a twin is compared with itself.

use crate::backend::{self, Any, Backend, Drng, SelfTestError};
use crate::kem;

/// Compares every fast path that this machine has, `rounds` times.
///
/// # Errors
/// The first path that differs from its twin.
pub fn check(rounds: usize, seed: &[u8]) -> Result<(), SelfTestError> {
    let mut random = Any::Shake.drng(seed);
    for _ in 0..rounds {
        backend::check_twins(&mut random)?;
        kem::check_twins(&mut random)?;
    }
    Ok(())
}

/// An array whose every bit is random.
pub(crate) fn array<T: bytemuck::Pod>(random: &mut impl Drng) -> T {
    let mut value = T::zeroed();
    random.generate(bytemuck::bytes_of_mut(&mut value));
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_paths_are_their_twins() {
        assert_eq!(check(100, b"twins"), Ok(()));
    }
}
