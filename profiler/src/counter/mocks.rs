use super::{Candidate, Candidates, CounterInfo, HostCounter, Mock, Schedule, Unavailable, Unit};

/// With what the name of a scripted counter begins.
const PREFIX: &str = "mock:";

/// Readings in which a counter of the second kind behaves well: more than it takes to open it.
const GOOD_READINGS: u64 = 5_000;
/// From one reading to the next, in cycles.
const STEP: u64 = 1000;

impl Candidates {
    /// A counter that fails in the way that its name says (`mock:refused`), as the only one of a machine: for tests of what the
    /// program then does. Its figures, where it has any, are never called meaningful.
    pub(super) fn failing(name: &str) -> Option<Self> {
        let name: &'static str = FAILURES.iter().find(|known| name.strip_prefix(PREFIX) == Some(**known))?;
        Some(Self::new(vec![Candidate::new(name, move || open(name))]))
    }
}

/// Ways to fail: the first six when the counter is opened, the others during the run.
const FAILURES: [&str; 9] =
    ["refused", "missing", "trapping", "zero", "backwards", "starved", "stopping", "turning", "multiplexed"];

fn open(name: &'static str) -> Result<(HostCounter, CounterInfo), Unavailable> {
    let rising = |readings: u64| (0..readings).map(|reading| reading * STEP);
    let whole = Schedule { enabled_ns: 1_000_000, running_ns: 1_000_000 };
    let mock = match name {
        "refused" => return Err(Unavailable::Refused { errno: "EACCES", paranoid: Some(3) }),
        "missing" => return Err(Unavailable::NoHardware { errno: "ENOENT", virtual_machine: true }),
        "trapping" => return Err(Unavailable::Trapped { signal: 4 }),
        "zero" => Mock::new([0]),
        "backwards" => Mock::new(rising(GOOD_READINGS).rev()),
        "starved" => Mock::multiplexed([0], [Schedule { running_ns: 0, ..whole }]),
        "stopping" => Mock::new(rising(GOOD_READINGS)),
        "turning" => Mock::new(rising(GOOD_READINGS).chain((0..GOOD_READINGS * STEP).rev())),
        // Two fifths of 400 ms.
        _ => Mock::multiplexed(
            rising(u64::MAX / STEP),
            [whole, Schedule { enabled_ns: 401_000_000, running_ns: 161_000_000 }],
        ),
    };
    let info = CounterInfo::new(&format!("{PREFIX}{name}"), Unit::Cycles, "a script, for tests");
    Ok((HostCounter::Mock(mock), CounterInfo { meaningful: false, ..info }))
}
