use super::{EventGroup, EventsError, Schedule, Unavailable};
use crate::names;
use perf_event::events::{Cache, CacheOp, CacheResult, Event as Kind, Hardware, Software, WhichCache};
use perf_event::{Builder, Group};
use std::io;

/// Makes the kernel's description of an event.
type MakeKind = fn() -> Kind;

/// Events that can be counted together, by name.
const EVENTS: [(&str, MakeKind); 14] = [
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
    ("cpu-migrations", || Software::CPU_MIGRATIONS.into()),
    ("task-clock", || Software::TASK_CLOCK.into()),
];

fn first_level(which: WhichCache) -> Kind {
    Cache { which, operation: CacheOp::READ, result: CacheResult::MISS }.into()
}

/// Events in user mode of the calling thread, counted as one group: all over the same time.
#[derive(Debug)]
pub struct Events {
    group: Group,
    counters: Vec<(&'static str, perf_event::Counter)>,
    /// When counting began; resetting a group resets its counts and not its times.
    began: Schedule,
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
    pub fn open(names: &[String], explain: impl Fn(&io::Error) -> Unavailable) -> Result<Self, EventsError> {
        let kinds = kinds(names)?;
        let unread = |error: io::Error| EventsError::Unread(error.to_string());
        // Where there is no group at all, there is not its first event.
        let mut group = Group::new().map_err(|error| match kinds.first() {
            Some((name, _)) => EventsError::Unavailable { name: (*name).to_owned(), reason: explain(&error) },
            None => unread(error),
        })?;
        let counters = gather(&kinds, |kind| Builder::new().group(&mut group).kind(kind()).build(), explain)?;
        group.enable().map_err(unread)?;
        Ok(Self { group, counters, began: Schedule::default() })
    }
}

impl EventGroup for Events {
    fn restart(&mut self) -> io::Result<()> {
        self.group.reset()?;
        self.began = schedule(&self.group.read()?);
        Ok(())
    }

    fn read(&mut self) -> io::Result<(Vec<(String, u64)>, Schedule)> {
        let counts = self.group.read()?;
        let counted = self.counters.iter().map(|(name, counter)| ((*name).to_owned(), counts[counter]));
        Ok((counted.collect(), schedule(&counts).since(self.began)))
    }
}

fn schedule(counts: &perf_event::Counts) -> Schedule {
    Schedule { enabled_ns: counts.time_enabled(), running_ns: counts.time_running() }
}

/// The events of these names.
fn kinds(names: &[String]) -> Result<Vec<(&'static str, MakeKind)>, EventsError> {
    let mut kinds: Vec<(&'static str, MakeKind)> = Vec::new();
    for name in names {
        let kind = names::choose("event", name, &EVENTS, |(known, _)| known)?;
        if kinds.iter().any(|(name, _)| *name == kind.0) {
            return Err(EventsError::Twice(name.clone()));
        }
        kinds.push(kind);
    }
    Ok(kinds)
}

/// Adds event after event to a group with `add`, and says which does not fit.
fn gather<T>(
    kinds: &[(&'static str, MakeKind)],
    mut add: impl FnMut(MakeKind) -> io::Result<T>,
    explain: impl Fn(&io::Error) -> Unavailable,
) -> Result<Vec<(&'static str, T)>, EventsError> {
    let mut members = Vec::new();
    for &(name, kind) in kinds {
        match add(kind) {
            Ok(member) => members.push((name, member)),
            Err(error) if is_full(&error, members.len()) => {
                return Err(EventsError::TooMany { asked: kinds.len(), fits: members.len(), name: name.to_owned() });
            }
            Err(error) => return Err(EventsError::Unavailable { name: name.to_owned(), reason: explain(&error) }),
        }
    }
    Ok(members)
}

/// Whether the kernel refused a member because the group would not fit: it validates groups as they grow, and says EINVAL
/// (perf_event_open(2)); ENOSPC on some architectures. For the first event that can only mean something else.
fn is_full(error: &io::Error, members: usize) -> bool {
    members > 0 && matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSPC))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn explain(error: &io::Error) -> Unavailable {
        Unavailable::from_perf(error, None, true)
    }

    /// Opens events on a processor that has so many registers, and fails for more with `errno`.
    fn on_a_processor(registers: usize, errno: i32, asked: &[&str]) -> Result<usize, EventsError> {
        let mut used = 0;
        let add = |_: MakeKind| {
            used += 1;
            if used > registers { Err(io::Error::from_raw_os_error(errno)) } else { Ok(()) }
        };
        gather(&kinds(&names(asked))?, add, explain).map(|members| members.len())
    }

    const SIX: [&str; 6] = ["cycles", "instructions", "branches", "branch-misses", "cache-misses", "cache-references"];

    #[test]
    fn a_group_that_does_not_fit_says_how_many_do() {
        assert_eq!(on_a_processor(6, libc::EINVAL, &SIX), Ok(6));
        for errno in [libc::EINVAL, libc::ENOSPC] {
            let error = on_a_processor(4, errno, &SIX).unwrap_err();
            let expected = EventsError::TooMany { asked: 6, fits: 4, name: "cache-misses".to_owned() };
            assert_eq!(error, expected);
            assert!(
                error
                    .to_string()
                    .starts_with("6 events do not fit into the hardware's counters at once: the first 4 do")
            );
        }
    }

    #[test]
    fn a_missing_event_is_told_from_a_full_group() {
        let missing = on_a_processor(2, libc::ENOENT, &SIX).unwrap_err().to_string();
        assert!(
            missing.contains("event `branches` is not available: there is no hardware performance counter"),
            "{missing}"
        );
        let first = on_a_processor(0, libc::EINVAL, &SIX).unwrap_err();
        assert!(matches!(first, EventsError::Unavailable { ref name, .. } if name == "cycles"), "{first}");
    }

    #[test]
    fn unknown_and_repeated_events_are_errors() {
        let error = on_a_processor(9, 0, &["instructions", "sunspots"]).unwrap_err().to_string();
        assert!(error.starts_with("unknown event \"sunspots\"; known: cycles, instructions,"), "{error}");
        assert_eq!(on_a_processor(9, 0, &["cycles", "cycles"]), Err(EventsError::Twice("cycles".to_owned())));
    }

    #[test]
    fn a_group_counts_what_happens_in_it() {
        let mut events = match Events::open(&names(&["page-faults", "context-switches"]), explain) {
            Ok(events) => events,
            Err(error) => {
                let _ = writeln!(io::stderr(), "skipped: {error}");
                return;
            }
        };
        events.restart().unwrap();
        // Fresh pages, each touched once.
        std::hint::black_box(vec![1_u8; 4 << 20]);
        let (counts, schedule) = events.read().unwrap();
        assert_eq!((counts[0].0.as_str(), counts.len()), ("page-faults", 2));
        assert!(counts[0].1 > 0, "{counts:?}");
        assert!(schedule.running_ns > 0);
    }
}
