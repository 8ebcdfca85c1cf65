use kemprof_core::Counter;
use std::time::Instant;

/// Nanoseconds of the system's monotonic clock since this counter was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// Starts at 0.
    #[must_use]
    pub fn new() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Counter for Clock {
    #[inline]
    fn read(&mut self) -> u64 {
        // 2^64 ns are 584 years.
        self.origin.elapsed().as_nanos() as u64
    }
}
