//! The record of what was measured, which is made where it was measured.

use super::{Place, PlatformError};
use crate::evidence::{self, Evidence, Measured, Memory, Subject};
use crate::guest::{self, Guest};
use crate::kat::Verdict;
use crate::runner::{self, Job, Part};
use kemprof_core::backend::Backend;
use tracing::info;

/// The record of what was measured of `job` at `place`, if it holds together.
pub(super) fn record(
    job: &Job,
    verdict: &Verdict,
    place: &Place,
    (measured, memory): (Measured, Memory),
) -> Result<Evidence, PlatformError> {
    let guest = guest::loaded(&job.instance);
    let subject = Subject {
        guest: guest.map(Guest::record),
        instance: job.instance.clone(),
        operation: job.operation,
        sampling: job.sampling.name().to_owned(),
        target: place.target.clone(),
        runner: place.runner.clone(),
        backends: guest.map_or_else(|| job.spec.backends(), |guest| guest.backends(&job.spec)),
        code: Part::ALL
            .into_iter()
            .filter(|part| !job.spec.own || *part == Part::Drng)
            .filter_map(|part| Some((part.name().to_owned(), place.code.get(job.spec.get(part).name())?.clone())))
            .collect(),
        counter: place.counter.clone(),
        environment: place.environment.clone(),
        warnings: place.warnings.clone(),
        kat: verdict.to_string(),
        kat_digest: match verdict {
            Verdict::Pass { digest } => Some(digest.clone()),
            Verdict::Fail(_) | Verdict::NotApplicable { .. } => None,
        },
        seed: job.seed.clone(),
        plan: job.plan.clone(),
        sizes: runner::sizes(&job.instance)?,
        memory,
    };
    sound(Evidence::build(subject, measured))
}

/// The record, unless parts of it contradict each other: then nothing is printed or written of it.
pub(super) fn sound(record: Evidence) -> Result<Evidence, PlatformError> {
    let violations = evidence::violations(&record);
    let Some(first) = violations.first() else { return Ok(record) };
    violations.iter().for_each(|violation| info!(%violation, "contradiction"));
    let more = match violations.len() {
        1 => String::new(),
        several => format!(" (and {} more; -v lists them)", several - 1),
    };
    Err(PlatformError::Unsound(format!(
        "what was measured of {} {} does not hold together, and no evidence of it was written: {first}{more}; a counter, a damaged \
         firmware or kemprof itself is wrong: run it again, and report it if it stays",
        record.instance, record.operation,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_contradicts_itself_is_a_failure_that_names_the_field() {
        let record = || evidence::from_json(include_str!("../../tests/records/cortex-m4.json")).expect("is a record");
        assert!(sound(record()).is_ok());
        // What firmware with one bit flipped gave: parts that are many times the trial that they are of.
        let mut broken = record();
        broken.calls[0].ticks = broken.calls[0].ticks.map(|ticks| 7 * ticks);
        let failure = sound(broken).expect_err("does not hold");
        let line = failure.to_string();
        assert!(line.contains("lwekem128 keygen does not hold together, and no evidence of it was written"), "{line}");
        assert!(line.contains("calls[0].") && line.contains("more; -v lists them"), "{line}");
        assert!(!failure.is_usage());
    }
}
