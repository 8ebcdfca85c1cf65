use super::{CounterInfo, HostCounter, Schedule, Unavailable, Unit, Valgrind, check};
use crate::environment::Tree;
use crate::names::{self, UnknownName};
use thiserror::Error;

/// The name that stands for the best that works.
const BEST: &str = "auto";

/// A counter that works, and what is known of it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The counter.
    pub counter: HostCounter,
    /// What to tell of it.
    pub info: CounterInfo,
    /// With `auto`: better counters that do not work here, and why.
    pub skipped: Vec<Skipped>,
}

/// A counter that does not work here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Its name.
    pub name: &'static str,
    /// Why not.
    pub reason: Unavailable,
}

/// Why no counter was opened.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// No counter has this name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The counter is another target's.
    #[error("counter {name} is that of a Cortex-M4: add --target cortex-m4")]
    Elsewhere {
        /// Its name.
        name: &'static str,
    },
    /// The counter asked for does not work here.
    #[error("counter `{name}` is not available: {reason}")]
    Unavailable {
        /// Its name.
        name: &'static str,
        /// Why not.
        reason: Unavailable,
    },
}

/// How one counter is opened: what is returned is checked by [`Candidates`], not by the opener.
pub struct Candidate {
    /// Its name.
    pub name: &'static str,
    /// Whether `auto` may take it.
    pub automatic: bool,
    /// Opens it.
    pub open: Box<dyn Fn() -> Result<(HostCounter, CounterInfo), Unavailable>>,
}

/// The counter of every Cortex-M4: CYCCNT of its Data Watchpoint and Trace unit (Armv7-M Architecture Reference Manual, C1.8).
pub const CYCLE_COUNTER: &str = "dwt";

/// Counters to choose from, the best first.
pub struct Candidates(Vec<Candidate>);

/// Opens the counter called `name`, or with `auto` the best that works here: cycles before ticks before nanoseconds. `auto`
/// does not fail: where nothing works the counter is `none`, and [`Opened::skipped`] says why.
///
/// # Errors
/// [`OpenError`]: an unknown name, or why the one that was asked for does not work.
pub fn open(name: &str) -> Result<Opened, OpenError> {
    #[cfg(feature = "mock-counters")]
    if let Some(only) = Candidates::failing(name) {
        return Ok(only.open_best());
    }
    Candidates::of_host(&Tree::host()).open(name)
}

/// Every counter by name, the best first: what it is, or why it does not work here.
#[must_use]
pub fn available() -> Vec<(&'static str, Result<CounterInfo, Unavailable>)> {
    let all = Candidates::of_host(&Tree::host()).available();
    all.into_iter().map(|(name, result)| (name, result.or_else(under_valgrind))).collect()
}

/// What the counter is that needs valgrind around the program, where there is a valgrind.
fn under_valgrind(reason: Unavailable) -> Result<CounterInfo, Unavailable> {
    match (reason, Valgrind::find()) {
        (Unavailable::NotUnderValgrind, Ok(_)) => Ok(CounterInfo::of_callgrind()),
        (Unavailable::NotUnderValgrind, Err(error)) => {
            Err(Unavailable::Failed { operation: "running valgrind", message: error.to_string() })
        }
        (reason, _) => Err(reason),
    }
}

impl Candidates {
    /// Counters from openers of your own, the best first. `none` is always there besides.
    #[must_use]
    pub fn new(candidates: Vec<Candidate>) -> Self {
        Self(candidates)
    }

    /// As the function [`open`], from these.
    ///
    /// # Errors
    /// As there.
    pub fn open(&self, name: &str) -> Result<Opened, OpenError> {
        let own = self.0.iter().map(|candidate| candidate.name);
        let known: Vec<&str> = std::iter::once(BEST).chain(own).chain([NOTHING]).collect();
        if name.eq_ignore_ascii_case(CYCLE_COUNTER) {
            return Err(OpenError::Elsewhere { name: CYCLE_COUNTER });
        }
        let name = names::find("counter", name, &known)?;
        let Some(candidate) = self.0.iter().find(|candidate| candidate.name == name) else {
            return Ok(if name == BEST { self.open_best() } else { nothing(Vec::new()) });
        };
        let (counter, info) =
            candidate.checked().map_err(|reason| OpenError::Unavailable { name: candidate.name, reason })?;
        Ok(Opened { counter, info, skipped: Vec::new() })
    }

    /// As the function [`available`], of these.
    #[must_use]
    pub fn available(&self) -> Vec<(&'static str, Result<CounterInfo, Unavailable>)> {
        self.0.iter().map(|candidate| (candidate.name, candidate.checked().map(|(_, info)| info))).collect()
    }

    fn open_best(&self) -> Opened {
        let mut skipped = Vec::new();
        for candidate in self.0.iter().filter(|candidate| candidate.automatic) {
            match candidate.checked() {
                Ok((counter, info)) => return Opened { counter, info, skipped },
                // That a counter belongs to another kind of machine is no news here.
                Err(Unavailable::Architecture { .. } | Unavailable::System { .. }) => {}
                Err(reason) => skipped.push(Skipped { name: candidate.name, reason }),
            }
        }
        nothing(skipped)
    }
}

/// The name of the counter that does not count.
const NOTHING: &str = "none";

fn nothing(skipped: Vec<Skipped>) -> Opened {
    let info = CounterInfo::new(NOTHING, Unit::Ticks, "nothing: calls and bits are counted, and no time is taken");
    Opened { counter: HostCounter::Nothing, info: CounterInfo { meaningful: false, ..info }, skipped }
}

impl Candidate {
    /// A counter that `auto` may take.
    pub fn new(
        name: &'static str,
        open: impl Fn() -> Result<(HostCounter, CounterInfo), Unavailable> + 'static,
    ) -> Self {
        Self { name, automatic: true, open: Box::new(open) }
    }

    /// The same, but only for those who ask for it by name.
    #[must_use]
    pub fn by_name_only(self) -> Self {
        Self { automatic: false, ..self }
    }

    /// The same where `emulator` runs the program, if anything does: then there is nothing to open.
    pub(super) fn unless_emulated(self, emulator: Option<&str>) -> Self {
        let Some(emulator) = emulator.map(str::to_owned) else { return self };
        Self { open: Box::new(move || Err(Unavailable::Emulated { emulator: emulator.clone() })), ..self }
    }

    /// Opens it and sees it move.
    fn checked(&self) -> Result<(HostCounter, CounterInfo), Unavailable> {
        let (mut counter, info) = (self.open)()?;
        let checked = check(&mut counter).map_err(|reason| match (&reason, counter.schedule()) {
            // One that never had a turn did not move either, but here the cause is known.
            (Unavailable::DidNotMove { .. }, Some(Schedule { enabled_ns, running_ns: 0 })) => {
                Unavailable::NeverScheduled { enabled_ns }
            }
            _ => reason,
        })?;
        if counter.failed_reads() > 0 {
            return Err(Unavailable::Failed {
                operation: "reading it",
                message: "the kernel gave no value".to_owned(),
            });
        }
        // What is known of a counter beforehand is not measured.
        let resolution = info.resolution.or(Some(checked.resolution));
        let info = CounterInfo { resolution, read_ticks: Some(checked.read_ticks), ..info };
        Ok((counter, info))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;

    fn mock(name: &'static str, values: impl Fn() -> Mock + 'static) -> Candidate {
        Candidate::new(name, move || Ok((HostCounter::Mock(values()), CounterInfo::new(name, Unit::Cycles, ""))))
    }

    fn refused() -> Candidate {
        Candidate::new("refused", || Err(Unavailable::Refused { errno: "EACCES", paranoid: Some(4) }))
    }

    fn missing() -> Candidate {
        Candidate::new("missing", || Err(Unavailable::NoHardware { errno: "ENOENT", virtual_machine: true }))
    }

    fn foreign() -> Candidate {
        Candidate::new("foreign", || Err(Unavailable::Architecture { needs: "s390x", here: "this" }))
    }

    fn trapping() -> Candidate {
        Candidate::new("trapping", || Err(Unavailable::Trapped { signal: 4 }))
    }

    fn zero() -> Candidate {
        mock("zero", || Mock::new([0]))
    }

    fn backwards() -> Candidate {
        mock("backwards", || Mock::new((0..1_000_000_u64).rev()))
    }

    fn starved() -> Candidate {
        mock("starved", || Mock::multiplexed([0], [Schedule { enabled_ns: 900, running_ns: 0 }]))
    }

    fn good() -> Candidate {
        mock("good", || Mock::new((0..).step_by(4)))
    }

    #[test]
    fn auto_takes_the_first_that_works_and_says_what_it_passed_over() {
        let all = vec![refused(), missing(), foreign(), trapping(), zero(), backwards(), starved(), good(), zero()];
        let opened = Candidates::new(all).open("auto").unwrap();
        assert_eq!((opened.info.name.as_str(), opened.info.resolution), ("good", Some(4)));
        let names: Vec<_> = opened.skipped.iter().map(|skipped| skipped.name).collect();
        assert_eq!(names, ["refused", "missing", "trapping", "zero", "backwards", "starved"]);
        let reasons: Vec<_> = opened.skipped.iter().map(|skipped| skipped.reason.clone()).collect();
        assert!(matches!(reasons[3], Unavailable::DidNotMove { value: 0, .. }), "{:?}", reasons[3]);
        assert_eq!(reasons[4], Unavailable::WentBackwards { from: 999_999, to: 999_998 });
        assert_eq!(reasons[5], Unavailable::NeverScheduled { enabled_ns: 900 });
    }

    #[test]
    fn with_nothing_that_works_nothing_is_timed() {
        let opened = Candidates::new(vec![refused(), zero()]).open("auto").unwrap();
        assert!(!opened.counter.counts() && !opened.info.meaningful);
        assert_eq!((opened.info.resolution, opened.info.hz, opened.skipped.len()), (None, None, 2));
    }

    #[test]
    fn a_counter_that_is_asked_for_works_or_is_an_error_with_the_reason() {
        let all = Candidates::new(vec![zero(), good(), refused()]);
        assert_eq!(all.open("good").unwrap().skipped, []);
        let text = all.open("zero").unwrap_err().to_string();
        assert!(text.starts_with("counter `zero` is not available: it does not move: it read 0"), "{text}");
        let text = all.open("refused").unwrap_err().to_string();
        assert!(text.contains("EACCES") && text.contains("sysctl"), "{text}");
        let text = all.open("sundial").unwrap_err().to_string();
        assert_eq!(text, "unknown counter \"sundial\"; known: auto, zero, good, refused, none");
        assert!(!all.open("none").unwrap().counter.counts());
    }

    #[test]
    fn one_for_those_who_ask_is_not_taken_by_itself() {
        let all = Candidates::new(vec![good().by_name_only()]);
        assert_eq!(all.open("auto").unwrap().info.name, "none");
        assert_eq!(all.open("good").unwrap().info.name, "good");
    }

    #[test]
    fn the_list_tells_of_each() {
        let list = Candidates::new(vec![zero(), good()]).available();
        assert!(matches!(list[0], ("zero", Err(Unavailable::DidNotMove { .. }))));
        assert!(matches!(&list[1], ("good", Ok(info)) if info.meaningful));
    }
}
