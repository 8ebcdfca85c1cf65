use core::fmt;
use core::ops::{Deref, DerefMut};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes that are wiped when they are no longer needed, and never printed.
///
/// `zeroize` wipes arrays one element after another and slices at once; this wipes the slice.
pub(in crate::kem) struct SecretBytes<const N: usize>([u8; N]);

impl<const N: usize> SecretBytes<N> {
    /// Zeros.
    pub(in crate::kem) const fn new() -> Self {
        Self([0; N])
    }

    /// A copy of `bytes`.
    pub(in crate::kem) const fn copy_of(bytes: &[u8; N]) -> Self {
        Self(*bytes)
    }
}

impl<const N: usize> Deref for SecretBytes<N> {
    type Target = [u8; N];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<const N: usize> DerefMut for SecretBytes<N> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<const N: usize> fmt::Debug for SecretBytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretBytes").finish_non_exhaustive()
    }
}

impl<const N: usize> Drop for SecretBytes<N> {
    fn drop(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

impl<const N: usize> ZeroizeOnDrop for SecretBytes<N> {}
