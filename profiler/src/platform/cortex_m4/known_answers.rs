//! Known answers: what the firmware makes, held against what this machine made and verified.

use super::{CortexM4, RunnerName, request};
use crate::kat::{self, EXAMINED, Exam, KatRow, Randomness, Verdict};
use crate::platform::PlatformError;
use crate::runner::{Job, SuiteSpec};
use crate::words::plural;
use kemprof_core::Sampling;
use kemprof_protocol::{Digests, MAX_SEED, Record, RecordAnswer, Subject};

impl CortexM4 {
    /// Makes the first record on the target. Any difference from this machine's is an error.
    pub(super) fn reproduce_first(&mut self, job: &Job) -> Result<(), PlatformError> {
        let Job { instance, spec, sampling, .. } = job;
        let exams = kat::exams(instance, spec, *sampling, 1)?;
        if let Some(difference) = self.first_difference(instance, spec, *sampling, &exams)? {
            let what = format!("{instance} with {spec} on {}", self.settings.runner);
            return Err(PlatformError::WrongAnswer(format!("{what}: FAIL: {difference}; nothing was timed")));
        }
        self.reproduced = Some((exams.len(), kat::Manifest::of(instance).map_err(kat::KatError::from)?.records));
        Ok(())
    }

    /// The row of `kemprof kat`: all records where a run costs nothing but time, the first where it is a session with a board.
    pub(super) fn reproduce(
        &mut self,
        instance: &str,
        spec: &SuiteSpec,
        sampling: Sampling,
    ) -> Result<KatRow, PlatformError> {
        let mut row = kat::row(instance, spec, sampling)?;
        let records = if self.settings.runner == RunnerName::ProbeRs { 1 } else { row.records };
        let runner = self.settings.runner;
        if row.verdict == Verdict::FAILED {
            row.on_target = Some(format!("{runner}: not run"));
            return Ok(row);
        }
        let exams = kat::exams(instance, spec, sampling, records)?;
        let difference = self.first_difference(instance, spec, sampling, &exams)?;
        row.on_target = Some(match &difference {
            None => format!("{runner}: {records} of {}", plural(row.records, "record")),
            Some(_) => format!("{runner}: differs"),
        });
        if let Some(difference) = difference {
            row.verdict = Verdict::FAILED.into();
            row.reason = Some(difference);
        }
        Ok(row)
    }

    /// The first value that the target makes otherwise, in words.
    fn first_difference(
        &mut self,
        instance: &str,
        spec: &SuiteSpec,
        sampling: Sampling,
        exams: &[Exam],
    ) -> Result<Option<String>, PlatformError> {
        let subject = request::subject(instance, spec, sampling)?;
        for (count, exam) in exams.iter().enumerate() {
            let RecordAnswer { digests } = self.record(record(subject, &exam.randomness)?)?;
            let Digests { pk, sk, ct, ss, all } = digests;
            let made = [pk, sk, ct, ss, all];
            if let Some(value) = (0..made.len()).find(|&value| made[value] != exam.digests[value]) {
                let [expected, got] = [exam.digests[value], made[value]].map(hex::encode);
                let what = EXAMINED[value];
                return Ok(Some(format!("record {count}: SHA-256 of the {what}: expected {expected}, got {got}")));
            }
        }
        Ok(None)
    }
}

fn record(subject: Subject, randomness: &Randomness) -> Result<Record, PlatformError> {
    let too_long = |bytes: &[u8]| {
        PlatformError::WrongAnswer(format!("a record draws {} bytes, the firmware takes {MAX_SEED}", bytes.len()))
    };
    let randomness = match randomness {
        Randomness::Seed(seed) => {
            kemprof_protocol::Randomness::Seed(seed.as_slice().try_into().map_err(|_| too_long(seed))?)
        }
        Randomness::Draws(draws) => {
            kemprof_protocol::Randomness::Draws(draws.as_slice().try_into().map_err(|_| too_long(draws))?)
        }
    };
    Ok(Record { subject, randomness })
}
