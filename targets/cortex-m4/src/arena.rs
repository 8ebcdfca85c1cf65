//! The one room for everything whose size is known only with the request: keys, ciphertexts, messages.

/// Bytes of it: the keys of lwekem512 and seven of its ciphertexts, or a message of 32 KiB and what becomes of it.
const BYTES: usize = 40 << 10;

/// What is left of the room.
pub(crate) struct Arena(&'static mut [u8]);

/// More was asked for than is left.
pub(crate) struct Full {
    pub(crate) asked: usize,
    pub(crate) left: usize,
}

impl Arena {
    /// The whole room, once.
    ///
    /// # Panics
    /// The second time.
    pub(crate) fn take() -> Self {
        Self(cortex_m::singleton!(ARENA: [u8; BYTES] = [0; BYTES]).expect("the arena is taken once"))
    }

    /// How many bytes are left.
    pub(crate) const fn left(&self) -> usize {
        self.0.len()
    }

    /// `bytes` of it, zeros.
    pub(crate) fn slice(&mut self, bytes: usize) -> Result<&'static mut [u8], Full> {
        let whole = core::mem::take(&mut self.0);
        let left = whole.len();
        match whole.split_at_mut_checked(bytes) {
            Some((slice, rest)) => {
                self.0 = rest;
                Ok(slice)
            }
            None => Err(Full { asked: bytes, left }),
        }
    }
}
