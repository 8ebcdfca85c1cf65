//! Fresh processes of this program. Trials are shared by several, because code, stack and heap lie elsewhere in each; the memory of an
//! operation is that of a process that runs nothing else.

use super::HostSettings;
use super::memory::own_memory;
use crate::environment::{Origin, QEMU_SYSTEM, QEMU_USER, System, Tree};
use crate::evidence::{Evidence, Memory, Plan};
use crate::guest;
use crate::kat::Verdict;
use crate::platform::record::sound;
use crate::platform::worker::{Opened, Request, Sign, Worker, WorkerError};
use crate::platform::{PlatformError, Progress};
use crate::runner::{self, Job, RunError};
use std::time::{Duration, Instant};

/// Runs the trials of `job` in so many processes, one after the other, and puts their records together.
pub(super) fn share(
    job: &Job,
    verdict: &Verdict,
    processes: u32,
    settings: &HostSettings,
    progress: Progress<'_>,
) -> Result<Evidence, PlatformError> {
    let trials = job.plan.trials;
    let mut begun = 0;
    let mut records = Vec::new();
    for process in 0..processes {
        // As evenly as it goes: the first ones take what is left over.
        let share = trials / processes + u32::from(process < trials % processes);
        let job = Job { plan: Plan { trials: share, ..job.plan.clone() }, ..job.clone() };
        let mut advance = |done, _| progress(begun + done, trials.into());
        advance(0, 0);
        let record = one(&job, verdict, settings, &mut advance);
        records.push(record.map_err(|source| PlatformError::Share {
            process: process + 1,
            processes,
            source: Box::new(source),
        })?);
        begun += u64::from(share);
    }
    sound(Evidence::merged(records)?)
}

/// Runs the trials of `job` in a process of their own.
fn one(
    job: &Job,
    verdict: &Verdict,
    settings: &HostSettings,
    progress: Progress<'_>,
) -> Result<Evidence, PlatformError> {
    let limit = limit(job)?;
    let mut worker = worker()?;
    let _: Opened = worker.ask(&Request::Open(settings.clone()), Some(LEAST), &mut |_| ())?;
    Ok(worker.ask(&Request::Profile(job.clone(), verdict.clone(), 1), Some(limit), &mut |sign| {
        if let Sign::Progress(done, all) = sign {
            progress(done, all);
        }
    })?)
}

/// A process of this program that has the KEM which this one has from outside, if it has one.
fn worker() -> Result<Worker, WorkerError> {
    let mut worker = Worker::here()?;
    worker.declare(Origin::declared())?;
    if let Some(guest) = guest::current() {
        let _: String = worker.ask(&Request::Load(guest.package.clone()), Some(LEAST), &mut |_| ())?;
    }
    Ok(worker)
}

/// What one operation of `job` takes of memory, in a process of its own where one can be started.
pub(super) fn memory(job: &Job) -> Result<Memory, PlatformError> {
    let job = Job { plan: Plan { trials: 1, iterations_per_trial: 1, warmups: 0 }, ..job.clone() };
    // Under QEMU there is no other process of this program.
    if matches!(System::here(&Tree::host()).emulator.as_deref(), Some(QEMU_USER | QEMU_SYSTEM)) {
        return own_memory(&job);
    }
    let limit = limit(&job)?;
    let answer = worker().and_then(|mut worker| worker.ask(&Request::OwnMemory(job), Some(limit), &mut |_| ()));
    answer.map_err(|error| PlatformError::Memory(error.to_string()))
}

/// What a process may take beside its operations, and how many times as long as one by itself each of these may take.
const LEAST: Duration = Duration::from_secs(60);
const PATIENCE: u64 = 40;

/// How long a process with this job may take before it is held to hang.
fn limit(job: &Job) -> Result<Duration, RunError> {
    let mut operation = runner::prepared(job)?;
    let began = Instant::now();
    operation()?;
    let operations =
        u64::from(job.plan.trials) * u64::from(job.plan.iterations_per_trial) + u64::from(job.plan.warmups);
    let times = u32::try_from(PATIENCE * operations).unwrap_or(u32::MAX);
    Ok(LEAST.saturating_add(began.elapsed().saturating_mul(times)))
}
