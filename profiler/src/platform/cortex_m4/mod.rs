//! A Cortex-M4: firmware that profiles the same core by the cycle counter of the DWT, in a simulator, in an emulator or on a board.
//!
//! Each question is one run of the firmware: a request goes in as its command line, a framed answer comes out. Nothing of this
//! machine's time is in what comes of it.

mod board;
mod clock;
mod doctor;
mod error;
mod functions;
mod image;
mod instructions;
mod known_answers;
mod lines;
mod place;
mod request;
mod runner;
mod settings;

pub use board::Board;
pub use clock::{ClockError, ClockOption};
pub use doctor::{COUNTER, backends, counters, examine, examine_firmware, uncounted};
pub use error::M4Error;
pub use runner::{RunnerName, SimError};
pub use settings::M4Settings;

use super::record::record;
use super::{Asked, Compared, HashRun, Platform, PlatformError, Progress, Purpose, Run, UNTIMED, host};
use crate::analysis::instructions::Instructions;
use crate::evidence::{self, Evidence, Measured, Memory, Plan};
use crate::kat::{KatRow, Verdict};
use crate::runner::{HashCall, Job, SuiteSpec, hash_calls};
use image::Firmware;
use kemprof_core::{Any, Sampling};
use kemprof_protocol::{
    Answer, Command, FunctionAnswer, FunctionCall, Head, MAX_TRIALS, ProfileAnswer, Record, RecordAnswer, Request,
};
use place::Moment;
use runner::{Limit, Runner};
use std::borrow::Cow;
use std::rc::Rc;

/// A Cortex-M4 with its firmware.
pub struct CortexM4 {
    settings: M4Settings,
    command: Vec<String>,
    runner: Box<dyn Runner>,
    /// The firmware and the version of what runs it, once they are there.
    ready: Option<Rc<Ready>>,
    /// How many records of known answers the firmware reproduced, of how many.
    reproduced: Option<(usize, usize)>,
}

/// What runs, on what.
struct Ready {
    firmware: Firmware,
    version: String,
}

/// Trials are alike where nothing but the program takes time, once an operation has filled what caches there are.
const USUAL: Plan = Plan { trials: 3, iterations_per_trial: 1, warmups: 1 };

impl CortexM4 {
    /// A Cortex-M4 as the settings have it; `command` is for the record.
    ///
    /// # Errors
    /// When the settings do not go together.
    pub fn new(settings: M4Settings, command: Vec<String>) -> Result<Self, M4Error> {
        Ok(Self { runner: settings.open()?, settings, command, ready: None, reproduced: None })
    }

    /// The firmware and what runs it, made ready where they are not.
    fn ready(&mut self) -> Result<Rc<Ready>, M4Error> {
        if let Some(ready) = &self.ready {
            return Ok(Rc::clone(ready));
        }
        // Quick to find missing; building is not quick.
        let version = self.runner.version()?;
        let firmware = match &self.settings.image {
            Some(path) => Firmware::read(path)?,
            None => Firmware::build(&self.settings.product())?,
        };
        Ok(Rc::clone(self.ready.insert(Rc::new(Ready { firmware, version }))))
    }

    /// Runs the firmware with one command, and takes what belongs to it out of the answer.
    fn ask<T>(
        &mut self,
        command: Command,
        take: impl FnOnce(Answer) -> Option<(Head, T)>,
    ) -> Result<(Head, T), M4Error> {
        let ready = self.ready()?;
        let request = self.request(command);
        let (bytes, status) = self.runner.run(&ready.firmware, &request, self.limit(&request))?;
        let answer = self.decoded(&request, &bytes, status)?;
        let (head, answer) = take(answer).ok_or(M4Error::OtherAnswer)?;
        if head.board != self.settings.board.name() {
            return Err(M4Error::OtherBoard { built: head.board, asked: self.settings.board });
        }
        Ok((head, answer))
    }

    fn request(&self, command: Command) -> Request {
        Request { clock: self.settings.clock_setting(), command }
    }

    fn limit(&self, request: &Request) -> Limit {
        Limit::of(&request.command, self.settings.timeout)
    }

    /// The answer in what the firmware wrote.
    fn decoded(&self, request: &Request, bytes: &[u8], status: i32) -> Result<Answer, M4Error> {
        let wrong = |source| M4Error::Answer { runner: self.settings.runner, source };
        let answer = kemprof_protocol::decode(bytes, request).map_err(wrong)?;
        if status == 0 { Ok(answer) } else { Err(M4Error::Status(status)) }
    }

    /// Runs the trials of a job.
    fn run_job(&mut self, job: &Job) -> Result<(Head, Measured, Memory), M4Error> {
        let request = Command::Profile(request::profile(job)?);
        let (head, answer) = self.ask(request, |answer| match answer {
            Answer::Profile(head, answer) => Some((head, answer)),
            _ => None,
        })?;
        let memory = Memory { stack_peak: Some(answer.stack.peak.into()), ..Memory::default() };
        let measured = self.measured(&head, answer)?;
        Ok((head, measured, memory))
    }

    /// Makes one record of known answers.
    fn record(&mut self, record: Record) -> Result<RecordAnswer, M4Error> {
        let answer = self.ask(Command::Record(record), |answer| match answer {
            Answer::Record(head, answer) => Some((head, answer)),
            _ => None,
        });
        Ok(answer?.1)
    }

    /// Times one function alone.
    fn function(&mut self, call: FunctionCall) -> Result<(Head, FunctionAnswer), M4Error> {
        self.ask(Command::Function(call), |answer| match answer {
            Answer::Function(head, answer) => Some((head, answer)),
            _ => None,
        })
    }

    /// The rate that turns cycles into time: the one that was given, or a board's own.
    fn hz(&self, head: &Head) -> Option<u64> {
        self.settings.rate(head.clock.hz)
    }

    /// What the firmware measured, as every runner gives it.
    fn measured(&self, head: &Head, answer: ProfileAnswer) -> Result<Measured, M4Error> {
        if answer.lost > 0 {
            return Err(M4Error::TableFull(answer.lost));
        }
        let hz = self.hz(head);
        let trial = |trial: &kemprof_protocol::Trial| {
            // Simulated time, or the board's: never this machine's.
            let seconds = trial.ticks.zip(hz).map(|(ticks, hz)| ticks as f64 / hz as f64);
            evidence::Trial::new(trial.operations, trial.ticks, seconds)
        };
        let measured = Measured {
            trials: answer.trials.iter().map(trial).collect(),
            profiled_trials: answer.probed.iter().map(trial).collect(),
            nodes: answer.nodes,
            unavailable: head.counter.clone().err(),
            ..Measured::default()
        };
        Ok(match answer.wraps {
            // A counter that may have wrapped unseen gives no figures.
            Some(Err(doubt)) => measured.without_ticks(&doubt),
            Some(Ok(())) | None => measured,
        })
    }
}

impl Platform for CortexM4 {
    fn open(&mut self) -> Result<(), PlatformError> {
        self.ready()?;
        Ok(())
    }

    fn only_process(&self) -> Option<Cow<'static, str>> {
        Some("firmware always lies at the same addresses".into())
    }

    fn triple(&self) -> Cow<'static, str> {
        image::TRIPLE.into()
    }

    fn backends(&mut self) -> Result<Vec<Any>, PlatformError> {
        Ok(backends())
    }

    fn plan(&mut self, _job: &Job, _purpose: Purpose, asked: &Asked) -> Result<Plan, PlatformError> {
        let plan = asked.or(if self.settings.runner.counts() { USUAL } else { UNTIMED });
        if plan.trials as usize > MAX_TRIALS {
            return Err(M4Error::TooManyTrials(plan.trials).into());
        }
        Ok(plan)
    }

    fn gate(&mut self, job: &Job) -> Result<Verdict, PlatformError> {
        let verdict = host::gate(job)?;
        self.reproduce_first(job)?;
        Ok(verdict)
    }

    fn profile(
        &mut self,
        job: &Job,
        verdict: &Verdict,
        _processes: u32,
        progress: Progress<'_>,
    ) -> Result<Evidence, PlatformError> {
        let (mut run, _) = self.run_all(std::slice::from_ref(job), progress)?;
        record(job, verdict, &run.place, run.jobs.pop().ok_or(M4Error::OtherAnswer)?)
    }

    fn compare(&mut self, jobs: &[(Job, Verdict)], progress: Progress<'_>) -> Result<Vec<Compared>, PlatformError> {
        let (jobs, verdicts): (Vec<Job>, Vec<Verdict>) = jobs.iter().cloned().unzip();
        let (run, head) = self.run_all(&jobs, progress)?;
        let alone = match head.counter {
            Ok(()) => self.alone(&jobs, &run)?,
            Err(_) => Vec::new(),
        };
        host::compared(&jobs, &verdicts, run, &alone)
    }

    fn hash_calls(&mut self, backend: Any) -> Result<Vec<HashCall>, PlatformError> {
        Ok(functions::one_by_one(hash_calls(backend)?))
    }

    fn bench_hash(
        &mut self,
        calls: &[HashCall],
        quick: bool,
        progress: Progress<'_>,
    ) -> Result<HashRun, PlatformError> {
        self.time_calls(calls, quick, progress)
    }

    fn instructions(&mut self, job: &Job) -> Result<Option<Instructions>, PlatformError> {
        Ok(self.follow(job)?)
    }

    fn known_answers(&mut self, instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<KatRow, PlatformError> {
        self.reproduce(instance, spec, sampling)
    }
}

impl CortexM4 {
    /// Runs the trials of all jobs, one after the other: nothing disturbs one more than the others.
    fn run_all(&mut self, jobs: &[Job], progress: Progress<'_>) -> Result<(Run, Head), PlatformError> {
        let began = Moment::now();
        let mut measured = Vec::new();
        let mut last = None;
        for (done, job) in jobs.iter().enumerate() {
            let (head, one, memory) = self.run_job(job)?;
            measured.push((one, memory));
            last = Some(head);
            progress(done as u64 + 1, jobs.len() as u64);
        }
        let head = last.ok_or(M4Error::OtherAnswer)?;
        let place = self.place(&head, began)?;
        Ok((Run { jobs: measured, place }, head))
    }
}
