//! How long firmware may run before it is held to be in a loop.

use super::super::M4Error;
use super::RunnerName;
use kemprof_protocol::{Command, Profile, Record};
use std::time::Duration;

/// What one run may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Limit {
    /// Cycles, five times what the slowest of such operations takes.
    pub(super) cycles: u64,
    /// Time on this machine, where the command line says it: then cycles do not count.
    pub(super) timeout: Option<Duration>,
}

/// Cycles of an operation at the most: lwekem512 dec takes 48 M over its slowest functions, without wait states.
const OPERATION: u64 = 250_000_000;
/// Operations besides: keys and ciphertexts that are made before, the probe's calibration, the stack's measurement.
const BESIDE: u64 = 5;
/// Cycles of a function for a byte of its messages at the most: the slowest takes some 150.
const BYTE: u64 = 1_000;

impl Limit {
    /// The limit of a run with this command.
    pub(in super::super) fn of(command: &Command, timeout: Option<Duration>) -> Self {
        let (operations, bytes) = match command {
            Command::Profile(Profile { trials, iterations, warmups, .. }) => {
                let probed_and_not = 2 * u64::from(*trials) * u64::from(*iterations);
                (probed_and_not + u64::from(*warmups), 0)
            }
            Command::Record(Record { .. }) => (3, 0),
            Command::Function(call) => {
                let shape = &call.shape;
                let message = (shape.prefix_bytes + shape.in_bytes + shape.out_bytes) * shape.lanes.max(1);
                (0, message as u64 * u64::from(call.samples) * u64::from(call.iterations))
            }
            Command::Counter | Command::Stack => (0, 0),
        };
        let cycles = (operations + BESIDE).saturating_mul(OPERATION).saturating_add(bytes.saturating_mul(BYTE));
        Self { cycles, timeout }
    }

    /// The same in time, on what runs at least so many cycles a second.
    pub(super) fn time(&self, hz: u64) -> Duration {
        self.timeout.unwrap_or_else(|| Duration::from_secs(self.cycles / hz))
    }

    /// The error of firmware that has not ended.
    pub(super) fn reached(&self, runner: RunnerName, limit: String) -> M4Error {
        let advice = match self.timeout {
            Some(_) => "as --timeout has it",
            None => "five times what was asked of it takes: it may be in a loop; --timeout SECONDS sets another limit",
        };
        M4Error::Endless { runner, limit, advice }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kemprof_core::kem::INSTANCES;
    use kemprof_core::{Any, Sampling};
    use kemprof_protocol::{Backends, Operation, Randomness, Subject};

    #[test]
    fn a_limit_follows_from_what_is_asked() {
        let subject = Subject { instance: INSTANCES[0], backends: Backends::of(Any::Sm3), sampling: Sampling::Eager };
        let cycles = |command: &Command| Limit::of(command, None).cycles;
        let profile = |trials, iterations, warmups| {
            let (operation, seed) = (Operation::Dec, Default::default());
            cycles(&Command::Profile(Profile { subject, operation, seed, trials, iterations, warmups }))
        };
        let record = Command::Record(Record { subject, randomness: Randomness::Seed(Default::default()) });
        assert_eq!(cycles(&record), 8 * OPERATION);
        assert_eq!(profile(3, 1, 1), 12 * OPERATION);
        assert_eq!(profile(1, 1000, 0) - profile(1, 10, 0), 1980 * OPERATION);
        assert_eq!(profile(64, u32::MAX, u32::MAX), u64::MAX);
        let limit = Limit::of(&record, None);
        assert_eq!((limit.time(4_000_000).as_secs(), limit.time(16_000_000).as_secs()), (500, 125));
        let limit = Limit::of(&record, Some(Duration::from_secs(7)));
        assert_eq!(limit.time(4_000_000), Duration::from_secs(7));
    }
}
