/// The most messages that run together: [`Symmetric::lanes`](super::Symmetric::lanes) is never more.
pub const MAX_LANES: usize = 8;

/// The longest message of a [`Batch`] in bytes: seeds, indices and nonces are short, and a backend may keep a copy.
pub const MAX_BATCH_MESSAGE: usize = 96;

/// Messages of one length that share a prefix and differ in a short suffix, as a scheme's matrix entries (seed and
/// indices) and noise polynomials (seed and nonce) do.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    prefix: &'a [u8],
    suffixes: &'a [u8],
    suffix_bytes: usize,
}

impl<'a> Batch<'a> {
    /// Messages `prefix ‖ suffixes[i]`.
    ///
    /// # Panics
    /// When there is no suffix, they are empty, or messages are longer than [`MAX_BATCH_MESSAGE`]: a scheme's own
    /// constants decide all of that.
    #[must_use]
    pub fn new<const SUFFIX: usize>(prefix: &'a [u8], suffixes: &'a [[u8; SUFFIX]]) -> Self {
        Self::flat(prefix, suffixes.as_flattened(), SUFFIX)
    }

    /// Messages `prefix ‖ suffix` for each piece of `suffix_bytes` bytes of `suffixes`.
    ///
    /// # Panics
    /// As [`new`](Self::new), and when `suffixes` are no whole number of pieces.
    #[must_use]
    pub fn flat(prefix: &'a [u8], suffixes: &'a [u8], suffix_bytes: usize) -> Self {
        assert!(suffix_bytes > 0 && !suffixes.is_empty(), "a batch has messages, and they differ");
        assert!(suffixes.len().is_multiple_of(suffix_bytes), "suffixes are of one length");
        assert!(prefix.len() + suffix_bytes <= MAX_BATCH_MESSAGE, "batches are of short messages");
        Self { prefix, suffixes, suffix_bytes }
    }

    /// The number of messages.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.suffixes.len() / self.suffix_bytes
    }

    /// The bytes of each message.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.prefix.len() + self.suffix_bytes
    }

    /// What all messages begin with.
    #[must_use]
    pub fn prefix(&self) -> &'a [u8] {
        self.prefix
    }

    /// The same messages in batches of at most `lanes`.
    ///
    /// # Panics
    /// When `lanes` is 0.
    pub fn groups(&self, lanes: usize) -> impl Iterator<Item = Self> + use<'a> {
        let batch = *self;
        batch.suffixes.chunks(lanes * batch.suffix_bytes).map(move |suffixes| Self { suffixes, ..batch })
    }

    /// The ends of the messages, in order.
    pub fn suffixes(&self) -> core::slice::ChunksExact<'a, u8> {
        self.suffixes.chunks_exact(self.suffix_bytes)
    }
}

/// How many messages are ever together on this machine. Where no backend runs more than one there is no room for more: moving
/// that took longer than hashing.
pub(crate) const MAX_OPEN: usize = if cfg!(target_arch = "arm") { 1 } else { MAX_LANES };

/// Output streams of as many messages as run together on this machine, up to [`MAX_LANES`].
#[derive(Debug)]
pub struct Readers<R> {
    lanes: [Option<R>; MAX_OPEN],
    open: usize,
}

impl<R> Readers<R> {
    /// No streams yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { lanes: [const { None }; MAX_OPEN], open: 0 }
    }

    /// Adds the stream of the next lane.
    ///
    /// # Panics
    /// When there are more than run together on this machine.
    #[inline]
    pub fn push(&mut self, reader: R) {
        self.lanes[self.open] = Some(reader);
        self.open += 1;
    }

    /// The stream of one lane.
    ///
    /// # Panics
    /// When the lane was never opened.
    pub fn lane(&mut self, lane: usize) -> &mut R {
        self.lanes[lane].as_mut().expect("lane was opened")
    }
}

impl<R> Default for Readers<R> {
    fn default() -> Self {
        Self::new()
    }
}
