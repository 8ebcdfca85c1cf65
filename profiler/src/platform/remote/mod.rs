//! A host that a worker is: under QEMU or valgrind here, or over `ssh` there.

mod emulated;
mod error;
mod program;
mod ssh;

pub use emulated::Emulator;
pub use error::RemoteError;
pub(super) use ssh::HostError;
pub use ssh::SshHost;

use super::worker::{Opened, Request, Sign, Worker, WorkerError, this_program};
use super::{Asked, Compared, HashRun, HostSettings, Platform, PlatformError, Progress, Purpose, TargetName};
use crate::analysis::instructions::Instructions;
use crate::counter::{CounterInfo, Valgrind};
use crate::environment::Origin;
use crate::evidence::{Evidence, Memory, Plan};
use crate::guest::{self, Package};
use crate::kat::{KatRow, Verdict};
use crate::platform::doctor::Finding;
use crate::process::Program;
use crate::runner::{HashCall, Job, SuiteSpec, Timeline};
use kemprof_core::{Any, Sampling};
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// The exit status of ssh when it is ssh that failed.
const NO_CONNECTION: i32 = 255;

/// A counter by its name: what it is, or why it does not work.
pub type Counting = (String, Result<CounterInfo, String>);

/// The processor that QEMU emulates with all that it knows.
const NEWEST: &str = "max";

/// Where the worker is.
#[derive(Clone, Debug)]
enum Place {
    /// Linux on AArch64, emulated here, on a processor of this model.
    Emulated(Emulator, String),
    /// On another machine.
    Ssh(SshHost),
    /// On this machine, watched by valgrind.
    Valgrind,
}

/// A host at the other end of a pipe. It is reached when it is first asked for something.
#[derive(Debug)]
pub struct Remote {
    place: Place,
    origin: Origin,
    settings: HostSettings,
    worker: Option<Worker>,
    /// Whether the worker knows where it is.
    is_declared: bool,
    opened: Option<Opened>,
}

impl Remote {
    /// The machine that the command line names, if it is none that this process runs on or drives.
    #[must_use]
    pub fn of(
        target: &TargetName,
        emulator: Emulator,
        cpu_model: Option<&str>,
        settings: HostSettings,
    ) -> Option<Self> {
        let (place, origin) = match target {
            _ if target.is_here() => return None,
            TargetName::Ssh(host) => {
                (Place::Ssh(host.clone()), Origin { remote: Some(target.to_string()), emulator: None })
            }
            _ => {
                let model = cpu_model.unwrap_or(NEWEST).to_owned();
                let origin = Origin { remote: None, emulator: Some(emulator.name().to_owned()) };
                (Place::Emulated(emulator, model), origin)
            }
        };
        Some(Self::new(place, origin, settings))
    }

    /// This machine under valgrind.
    pub(super) fn under_valgrind(settings: HostSettings) -> Self {
        Self::new(Place::Valgrind, Origin::declared(), settings)
    }

    const fn new(place: Place, origin: Origin, settings: HostSettings) -> Self {
        Self { place, origin, settings, worker: None, is_declared: false, opened: None }
    }

    /// What counts there, by name.
    ///
    /// # Errors
    /// When it is not reached.
    pub fn counters(&mut self) -> Result<Vec<Counting>, PlatformError> {
        self.ask_before(&Request::Counters)
    }

    /// A heading, and what can be measured there.
    ///
    /// # Errors
    /// When it is not reached.
    pub fn doctor(&mut self) -> Result<(String, Vec<Finding>), PlatformError> {
        self.ask_before(&Request::Doctor)
    }

    /// The file of an instance's known answers over a suite, as it is made there.
    ///
    /// # Errors
    /// When it is not reached, or the instance does not run.
    pub fn known_answer_file(
        &mut self,
        instance: &str,
        spec: &SuiteSpec,
        sampling: Sampling,
        count: Option<usize>,
    ) -> Result<String, PlatformError> {
        self.ask_before(&Request::KnownAnswerFile(instance.to_owned(), *spec, sampling, count))
    }

    /// A worker for a KEM from outside alone, and that KEM as it is there.
    pub(crate) fn worker_for(&self, guest: &Package) -> Result<(Worker, Package), PlatformError> {
        let mut worker = self.start(Some(guest))?;
        worker.declare(self.origin.clone())?;
        Ok((worker, self.placed(guest)))
    }

    /// A KEM from outside as it is there.
    fn placed(&self, guest: &Package) -> Package {
        match self.place {
            Place::Emulated(Emulator::System, _) => Package { object: emulated::GUEST.into(), ..guest.clone() },
            _ => guest.clone(),
        }
    }

    fn start(&self, guest: Option<&Package>) -> Result<Worker, RemoteError> {
        match &self.place {
            Place::Emulated(emulator, model) => emulator.start(model, guest),
            Place::Ssh(host) => ssh::start(host),
            Place::Valgrind => {
                let (mut command, files) = Valgrind::find()?.this_program(this_program())?;
                let program = Program { name: "valgrind", help: "" };
                Ok(Worker::start("kemprof under valgrind".to_owned(), program, &mut command, Some(Box::new(files)))?)
            }
        }
    }

    /// Asks a worker that need not be open.
    fn ask_before<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, PlatformError> {
        self.ask_with_progress(request, &mut |_, _| ())
    }

    fn ask_with_progress<T: DeserializeOwned>(
        &mut self,
        request: &Request,
        progress: Progress<'_>,
    ) -> Result<T, PlatformError> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.start(guest::current().map(|guest| &guest.package))?,
        };
        let declared = match self.is_declared {
            true => Ok(()),
            false => worker.declare(self.origin.clone()),
        };
        self.is_declared = true;
        let answer = declared.and_then(|()| {
            worker.ask(request, None, &mut |sign| {
                if let Sign::Progress(done, all) = sign {
                    progress(done, all);
                }
            })
        });
        self.worker = Some(worker);
        answer.map_err(|error| {
            // One that refuses goes on.
            if !matches!(error, WorkerError::Refused { .. }) {
                (self.worker, self.is_declared, self.opened) = (None, false, None);
            }
            match (error, &self.place) {
                (WorkerError::Ended { status: NO_CONNECTION, said, .. }, Place::Ssh(host)) => {
                    let reason = said.unwrap_or_else(|| format!("exit status {NO_CONNECTION}, without a word"));
                    RemoteError::NoConnection { place: host.to_string(), reason }.into()
                }
                (error, _) => error.into(),
            }
        })
    }

    /// Asks a worker that is open.
    fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, PlatformError> {
        self.open()?;
        self.ask_before(request)
    }
}

impl Platform for Remote {
    fn open(&mut self) -> Result<(), PlatformError> {
        if self.opened.is_none() {
            if let Some(guest) = guest::current() {
                let _: String = self.ask_before(&Request::Load(self.placed(&guest.package)))?;
            }
            self.opened = Some(self.ask_before(&Request::Open(self.settings.clone()))?);
        }
        Ok(())
    }

    fn only_process(&self) -> Option<Cow<'static, str>> {
        self.opened.as_ref().and_then(|opened| opened.only_process.clone())
    }

    fn triple(&self) -> Cow<'static, str> {
        self.opened.as_ref().map(|opened| opened.triple.clone()).unwrap_or_default()
    }

    fn backends(&mut self) -> Result<Vec<Any>, PlatformError> {
        self.ask(&Request::Backends)
    }

    fn plan(&mut self, job: &Job, purpose: Purpose, asked: &Asked) -> Result<Plan, PlatformError> {
        self.ask(&Request::Plan(job.clone(), purpose, *asked))
    }

    fn gate(&mut self, job: &Job) -> Result<Verdict, PlatformError> {
        self.ask(&Request::Gate(job.clone()))
    }

    fn profile(
        &mut self,
        job: &Job,
        verdict: &Verdict,
        processes: u32,
        progress: Progress<'_>,
    ) -> Result<Evidence, PlatformError> {
        self.open()?;
        self.ask_with_progress(&Request::Profile(job.clone(), verdict.clone(), processes), progress)
    }

    fn memory(&mut self, job: &Job) -> Result<Option<Memory>, PlatformError> {
        self.ask(&Request::Memory(job.clone()))
    }

    fn compare(&mut self, jobs: &[(Job, Verdict)], progress: Progress<'_>) -> Result<Vec<Compared>, PlatformError> {
        self.open()?;
        self.ask_with_progress(&Request::Compare(jobs.to_vec()), progress)
    }

    fn hash_calls(&mut self, backend: Any) -> Result<Vec<HashCall>, PlatformError> {
        self.ask(&Request::HashCalls(backend))
    }

    fn bench_hash(
        &mut self,
        calls: &[HashCall],
        quick: bool,
        progress: Progress<'_>,
    ) -> Result<HashRun, PlatformError> {
        self.open()?;
        self.ask_with_progress(&Request::BenchHash(calls.to_vec(), quick), progress)
    }

    fn instructions(&mut self, job: &Job) -> Result<Option<Instructions>, PlatformError> {
        self.ask(&Request::Instructions(job.clone()))
    }

    fn timeline(&mut self, job: &Job, timed: bool) -> Result<Option<Timeline>, PlatformError> {
        self.ask(&Request::Timeline(job.clone(), timed))
    }

    fn known_answers(&mut self, instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<KatRow, PlatformError> {
        self.ask(&Request::KnownAnswers(instance.to_owned(), *spec, sampling))
    }
}
