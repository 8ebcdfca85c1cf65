use super::{Scaled, Schedule, Unavailable};
use perf_event::events::{Cache, CacheOp, CacheResult, Event as Kind, Hardware, Software, WhichCache};
use perf_event::{Builder, Group};
use std::io;
use thiserror::Error;

/// Makes the kernel's description of an event.
type MakeKind = fn() -> Kind;

/// Events that can be counted together, by name.
const EVENTS: [(&str, MakeKind); 12] = [
    ("cycles", || Hardware::CPU_CYCLES.into()),
    ("instructions", || Hardware::INSTRUCTIONS.into()),
    ("cache-references", || Hardware::CACHE_REFERENCES.into()),
    ("cache-misses", || Hardware::CACHE_MISSES.into()),
    ("branches", || Hardware::BRANCH_INSTRUCTIONS.into()),
    ("branch-misses", || Hardware::BRANCH_MISSES.into()),
    ("stalled-cycles-frontend", || Hardware::STALLED_CYCLES_FRONTEND.into()),
    ("stalled-cycles-backend", || Hardware::STALLED_CYCLES_BACKEND.into()),
    ("l1d-load-misses", || first_level(WhichCache::L1D)),
    ("l1i-load-misses", || first_level(WhichCache::L1I)),
    ("page-faults", || Software::PAGE_FAULTS.into()),
    ("context-switches", || Software::CONTEXT_SWITCHES.into()),
];

fn first_level(which: WhichCache) -> Kind {
    Cache { which, operation: CacheOp::READ, result: CacheResult::MISS }.into()
}

/// Why a set of events cannot be counted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EventsError {
    /// No event has this name.
    #[error("no event is called `{name}`; there are {}", known.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// The processor cannot count so many at once.
    #[error(
        "{asked} events do not fit into the hardware's counters at once: the first {fits} do, `{name}` does not; ask for \
         fewer, and run again for the rest"
    )]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many of them, in order, fit.
        fits: usize,
        /// The first that does not.
        name: String,
    },
    /// One of them does not work here.
    #[error("event `{name}` is not available: {reason}")]
    Unavailable {
        /// Its name.
        name: String,
        /// Why not.
        reason: Unavailable,
    },
}

/// Events in user mode of the calling thread, counted as one group: all over the same time.
#[derive(Debug)]
pub struct Events {
    group: Group,
    counters: Vec<(String, perf_event::Counter)>,
    /// When counting began; resetting a group resets its counts and not its times.
    began: Schedule,
}

/// What [`Events`] counted.
#[derive(Clone, PartialEq, Debug)]
pub struct EventCounts {
    /// Each event's name and count, in the order asked for.
    pub counts: Vec<(String, Scaled)>,
    /// The time they are of.
    pub schedule: Schedule,
}

impl Events {
    /// Names of the events there are. Which of them a processor has is only known when they are opened.
    #[must_use]
    pub fn known() -> Vec<&'static str> {
        EVENTS.iter().map(|&(name, _)| name).collect()
    }

    /// Opens these events as one group.
    ///
    /// # Errors
    /// [`EventsError`]; `explain` turns the kernel's error for one event into a reason, see [`Unavailable::from_perf`].
    pub fn open(names: &[&str], explain: impl Fn(&io::Error) -> Unavailable) -> Result<Self, EventsError> {
        let first = names.first().copied().unwrap_or_default();
        let unavailable =
            |name: &str, error: &io::Error| EventsError::Unavailable { name: name.to_owned(), reason: explain(error) };
        let kinds = names.iter().map(|name| kind(name)).collect::<Result<Vec<_>, _>>()?;
        let mut group = Group::new().map_err(|error| unavailable(first, &error))?;
        let mut counters = Vec::new();
        for (name, kind) in names.iter().zip(kinds) {
            let fits = counters.len();
            let counter = Builder::new().group(&mut group).kind(kind).build().map_err(|error| {
                if is_full(&error, fits) {
                    EventsError::TooMany { asked: names.len(), fits, name: (*name).to_owned() }
                } else {
                    unavailable(name, &error)
                }
            })?;
            counters.push(((*name).to_owned(), counter));
        }
        group.enable().map_err(|error| unavailable(first, &error))?;
        Ok(Self { group, counters, began: Schedule::default() })
    }

    /// Counts from here on.
    ///
    /// # Errors
    /// The system's.
    pub fn restart(&mut self) -> io::Result<()> {
        self.group.reset()?;
        self.began = schedule(&self.group.read()?);
        Ok(())
    }

    /// What was counted since the group was opened or last restarted, scaled where the group had to take turns.
    ///
    /// # Errors
    /// The system's.
    pub fn read(&mut self) -> io::Result<EventCounts> {
        let counts = self.group.read()?;
        let schedule = schedule(&counts).since(self.began);
        let counted = |(name, counter): &(String, perf_event::Counter)| (name.clone(), schedule.scale(counts[counter]));
        Ok(EventCounts { counts: self.counters.iter().map(counted).collect(), schedule })
    }
}

fn schedule(counts: &perf_event::Counts) -> Schedule {
    Schedule { enabled_ns: counts.time_enabled(), running_ns: counts.time_running() }
}

fn kind(name: &str) -> Result<Kind, EventsError> {
    let known = EVENTS.iter().find(|(known, _)| *known == name);
    known.map(|(_, kind)| kind()).ok_or_else(|| EventsError::Unknown { name: name.to_owned(), known: Events::known() })
}

/// Whether the kernel refused a member because the group would not fit: it validates groups as they grow, and says EINVAL
/// (perf_event_open(2)); ENOSPC on some architectures. For the first event that can only mean something else.
fn is_full(error: &io::Error, members: usize) -> bool {
    members > 0 && matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSPC))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(names: &[&str]) -> Result<Events, EventsError> {
        Events::open(names, |error| Unavailable::from_perf(error, None, false))
    }

    #[test]
    fn an_unknown_event_is_an_error_with_the_names_there_are() {
        let error = open(&["instructions", "sunspots"]).unwrap_err().to_string();
        assert!(error.starts_with("no event is called `sunspots`; there are cycles, instructions,"), "{error}");
    }

    #[test]
    fn a_group_counts_what_happens_in_it() {
        let mut events = match open(&["page-faults", "context-switches"]) {
            Ok(events) => events,
            Err(error) => {
                eprintln!("skipped: {error}");
                return;
            }
        };
        events.restart().unwrap();
        // Fresh pages, each touched once.
        std::hint::black_box(vec![1_u8; 4 << 20]);
        let counted = events.read().unwrap();
        assert_eq!((counted.counts[0].0.as_str(), counted.counts.len()), ("page-faults", 2));
        assert!(counted.counts[0].1.count() > Some(0), "{counted:?}");
        assert!(counted.schedule.running_ns > 0);
    }

    #[test]
    fn a_full_group_is_told_from_a_missing_event() {
        let full = io::Error::from_raw_os_error(libc::EINVAL);
        assert!(is_full(&full, 4) && !is_full(&full, 0));
        assert!(!is_full(&io::Error::from_raw_os_error(libc::ENOENT), 4));
        let error = EventsError::TooMany { asked: 8, fits: 6, name: "branch-misses".to_owned() }.to_string();
        assert!(error.contains("the first 6 do, `branch-misses` does not"), "{error}");
    }
}
