use core::fmt;
use core::ops::{Deref, DerefMut};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Polynomials that are wiped when they are no longer needed.
pub(super) struct Secret<const N: usize, const COUNT: usize>([[u16; N]; COUNT]);

impl<const N: usize, const COUNT: usize> Secret<N, COUNT> {
    /// Zero polynomials.
    pub(super) const fn new() -> Self {
        Self([[0; N]; COUNT])
    }
}

impl<const N: usize, const COUNT: usize> Deref for Secret<N, COUNT> {
    type Target = [[u16; N]; COUNT];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<const N: usize, const COUNT: usize> DerefMut for Secret<N, COUNT> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<const N: usize, const COUNT: usize> fmt::Debug for Secret<N, COUNT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").finish_non_exhaustive()
    }
}

impl<const N: usize, const COUNT: usize> Drop for Secret<N, COUNT> {
    fn drop(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

impl<const N: usize, const COUNT: usize> ZeroizeOnDrop for Secret<N, COUNT> {}
