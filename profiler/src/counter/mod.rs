//! The counters of the host behind one trait.
//!
//! [`open`] takes one by name, or the best that works; [`available`] says of each whether it works and, if not, why. A
//! counter is believed only after it was seen to move and not to go backwards ([`check`]).
//!
//! | name | unit | counts |
//! |---|---|---|
//! | `perf-user` | cycles | core cycles in user mode, read from the register without the kernel |
//! | `perf` | cycles | the same by system calls, from the kernel's perf events |
//! | `instructions` | instructions | retired in user mode, from the same group of events |
//! | `tsc` | ticks | the x86-64 time stamp counter, at a fixed rate that is not the core's |
//! | `tsc-fenced` | ticks | the same, read after all earlier instructions have finished |
//! | `cntvct` | ticks | AArch64's virtual timer, at a fixed rate that is not the core's |
//! | `clock` | ns | the system's monotonic clock |
//! | `callgrind` | instructions | exactly, the same on every run, by valgrind; the program starts itself again under it |
//! | `none` | ticks | nothing: calls and bits are counted, no figure of time is made |

pub mod callgrind;
mod candidates;
mod check;
mod event_group;
#[cfg(target_os = "linux")]
mod events;
mod health;
mod host;
mod info;
#[cfg(any(test, feature = "mock-counters"))]
mod mock;
#[cfg(feature = "mock-counters")]
mod mocks;
#[cfg(target_os = "linux")]
mod perf;
mod rate;
mod timers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod trial;
mod unavailable;
mod unit;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod user;

pub use callgrind::{Callgrind, Valgrind, ValgrindError, ValgrindFiles};
pub use candidates::{CYCLE_COUNTER, Candidate, Candidates, OpenError, Opened, Skipped, available, open};
pub use check::{Checked, check};
pub use event_group::{EventGroup, EventsError};
#[cfg(target_os = "linux")]
pub use events::Events;
pub use health::{Fault, Health, Schedule};
pub use host::{available_events, open_events};
pub use info::CounterInfo;
#[cfg(any(test, feature = "mock-counters"))]
pub use mock::Mock;
#[cfg(target_os = "linux")]
pub use perf::{Event, Perf};
pub use rate::rate_against;
pub use timers::Clock;
#[cfg(target_arch = "aarch64")]
pub use timers::Cntvct;
#[cfg(target_arch = "x86_64")]
pub use timers::{Tsc, TscFenced};
pub use unavailable::{ALLOW_EVENTS, Unavailable};
pub use unit::{Unit, rate};
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use user::PerfUser;

use kemprof_core::Counter;

/// A counter of this machine. Cheap to read: one predictable branch before the counter's own cost.
///
/// Clones read the same counter. It belongs to the thread that opened it: perf events count that thread alone.
#[derive(Clone, Debug)]
pub enum HostCounter {
    /// The cycle counter, read without the kernel.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    PerfUser(PerfUser),
    /// Hardware events of the kernel's perf subsystem.
    #[cfg(target_os = "linux")]
    Perf(Perf),
    /// The time stamp counter, which the processor may read early.
    #[cfg(target_arch = "x86_64")]
    Tsc(Tsc),
    /// The time stamp counter, read in program order.
    #[cfg(target_arch = "x86_64")]
    TscFenced(TscFenced),
    /// The virtual timer.
    #[cfg(target_arch = "aarch64")]
    Cntvct(Cntvct),
    /// The monotonic clock.
    Clock(Clock),
    /// Instructions as valgrind counts them.
    Callgrind(Callgrind),
    /// A script, for tests.
    #[cfg(any(test, feature = "mock-counters"))]
    Mock(Mock),
    /// Always 0: there is no figure.
    Nothing,
}

impl Counter for HostCounter {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        match self {
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            Self::PerfUser(counter) => counter.read(),
            #[cfg(target_os = "linux")]
            Self::Perf(counter) => counter.read(),
            #[cfg(target_arch = "x86_64")]
            Self::Tsc(counter) => counter.read(),
            #[cfg(target_arch = "x86_64")]
            Self::TscFenced(counter) => counter.read(),
            #[cfg(target_arch = "aarch64")]
            Self::Cntvct(counter) => counter.read(),
            Self::Clock(counter) => counter.read(),
            Self::Callgrind(counter) => counter.read(),
            #[cfg(any(test, feature = "mock-counters"))]
            Self::Mock(counter) => counter.read(),
            Self::Nothing => 0,
        }
    }

    fn is_exact(&self) -> bool {
        match self {
            Self::Callgrind(counter) => counter.is_exact(),
            #[cfg(target_os = "linux")]
            Self::Perf(counter) => counter.is_exact(),
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            Self::PerfUser(counter) => counter.is_exact(),
            _ => false,
        }
    }
}

impl HostCounter {
    /// Whether its readings mean anything. Where this is `false` every figure of time is `null`.
    #[must_use]
    pub const fn counts(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// How long the counter has been enabled and how long it really ran, where the system shares it out in turns.
    ///
    /// Take it before and after a run: [`Schedule::since`] tells whether the counter missed any of it, see [`Health`].
    pub fn schedule(&mut self) -> Option<Schedule> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Perf(counter) => counter.schedule(),
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            Self::PerfUser(counter) => counter.schedule(),
            #[cfg(any(test, feature = "mock-counters"))]
            Self::Mock(counter) => counter.schedule(),
            _ => None,
        }
    }

    /// Readings that failed since the counter was opened, each of which repeated the value before. A trial during which
    /// this grew has no figure.
    #[must_use]
    pub fn failed_reads(&self) -> u64 {
        match self {
            #[cfg(target_os = "linux")]
            Self::Perf(counter) => counter.failed_reads(),
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            Self::PerfUser(counter) => counter.failed_reads(),
            Self::Callgrind(counter) => counter.failed_reads(),
            _ => 0,
        }
    }
}
