/// How long a counter has been asked to count, and how long it really had a hardware register to count with.
///
/// A processor has few registers for events; where programs ask for more, the kernel multiplexes them, and each counts part of the
/// time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Time enabled, in ns.
    pub enabled_ns: u64,
    /// Time counting, in ns; at most `enabled_ns`.
    pub running_ns: u64,
}

impl Schedule {
    /// What passed between `earlier` and this.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            enabled_ns: self.enabled_ns.saturating_sub(earlier.enabled_ns),
            running_ns: self.running_ns.saturating_sub(earlier.running_ns),
        }
    }
}
