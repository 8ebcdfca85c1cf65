//! This machine.

mod instructions;
mod memory;
mod processes;

pub(super) use memory::own_memory;

use super::record::record;
use super::{Asked, Compared, HashRun, Place, Platform, PlatformError, Progress, Purpose, Remote, Run, UNTIMED};
use crate::analysis::comparison::FunctionCost;
use crate::analysis::instructions::Instructions;
use crate::counter::{self, Callgrind, EventGroup, Health, HostCounter, Opened, Skipped, Unit, Valgrind};
use crate::environment::{self, Environment, Pinned, Tree};
use crate::evidence::{CounterRecord, Evidence, Measured, Memory, Plan};
use crate::guest;
use crate::kat::{self, KatRow, Verdict};
use crate::runner::{
    self, Clocks, Functions, Grain, HashCall, Job, Part, Repeat, Sampled, SuiteSpec, Timeline, Timing, Trials,
    default_iterations, whole_iterations,
};
use crate::watch::HostObserver;
use kemprof_core::backend::Backend;
use kemprof_core::{Any, Counter, Sampling};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Instant;
use tracing::{debug, info};

/// How to measure on a host.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct HostSettings {
    /// The counter's name.
    pub counter: String,
    /// The core to stay on; without one, that which suits best.
    pub cpu: Option<usize>,
    /// Events that a profile counts besides.
    pub events: Vec<String>,
    /// Whether every instruction of a profile is to be charged to its function besides.
    pub instructions: bool,
    /// The command line, for the record.
    pub command: Vec<String>,
}

/// The name of the counter that valgrind is.
pub const CALLGRIND: &str = "callgrind";

/// This machine: in this process, or under valgrind where that is to count.
pub fn open(settings: HostSettings) -> Result<Box<dyn Platform>, PlatformError> {
    if settings.counter.eq_ignore_ascii_case(CALLGRIND) && !Callgrind::is_around() {
        return Ok(Box::new(Remote::under_valgrind(settings)));
    }
    Ok(Box::new(Host::new(settings)))
}

/// This machine, in this process.
#[derive(Debug)]
pub struct Host {
    settings: HostSettings,
    bench: Option<Bench>,
}

impl Host {
    /// This machine, measured so.
    #[must_use]
    pub const fn new(settings: HostSettings) -> Self {
        Self { settings, bench: None }
    }

    /// The open counter, on a core that the program stays on.
    fn bench(&mut self) -> Result<&mut Bench, PlatformError> {
        let bench = match self.bench.take() {
            Some(bench) => bench,
            None => Bench::open(&self.settings.counter, self.settings.cpu, &self.settings.events)?,
        };
        Ok(self.bench.insert(bench))
    }

    /// The machine as a run begins.
    fn begin(&self) -> Environment {
        let pinned = self.bench.as_ref().is_some_and(|bench| bench.pinned.is_some());
        Environment::begin(&Tree::host(), self.settings.command.clone(), pinned)
    }

    /// Runs the trials of one job in this process.
    fn trials(&mut self, job: &Job, progress: Progress<'_>) -> Result<Run, PlatformError> {
        self.open()?;
        let mut machine = self.begin();
        let bench = self.bench()?;
        debug!(plan = ?job.plan, operation = %job.operation, "trials");
        let trials = Trials::open(std::slice::from_ref(job), &bench.clocks())?;
        let health = bench.health();
        let mut trials = trials.repeating(bench.repeat(INTERRUPTED), bench.observer(&machine));
        let rounds = trials.rounds();
        for round in 0..rounds {
            trials.round(|| progress(u64::from(round) + 1, rounds.into()))?;
        }
        machine.end();
        let mut run = bench.run(&machine, health, trials.finish()?)?;
        if let Some(events) = &mut bench.events {
            let counted = runner::count_events(job, events.as_mut())?;
            run.jobs.iter_mut().for_each(|(measured, _)| measured.events = Some(counted.clone()));
        }
        Ok(run)
    }
}

/// Trials of a profile, of which each is about 1 ms.
const PROFILE_TRIALS: u32 = 401;
/// Trials of each variant of a comparison, which run in turns.
const COMPARE_TRIALS: u32 = 151;
/// Trials of a counter on which equal work takes equal counts: one, and another that shows it.
const EXACT_TRIALS: u32 = 2;
/// Operations of such a trial at the most. They differ by what they reject, some percent at the most.
const EXACT_ITERATIONS: u32 = 4;
/// Operations before the first trial.
const WARMUPS: u32 = 3;
/// Trials of a profile are run again that another program interrupted, not those that only met a neighbour: they are too long to
/// avoid it. Where its stack lies makes a trial up to a quarter longer, and a clock within bounds a tenth.
const INTERRUPTED: Repeat = Repeat { times: 2, beyond: 2.5, beyond_alone: 1.5 };
/// Every trial of a variant does the same work, so that one which takes a quarter longer than the shortest was disturbed all the
/// same, be it by a short interruption or by a neighbour on the physical core.
const DISTURBED: Repeat = Repeat { times: 4, beyond: 1.25, beyond_alone: 1.25 };
/// Rounds of trials for each round of functions alone, which takes longer and is steadier.
const ALONE: u32 = 3;
/// Samples of every call of a function by itself.
const SAMPLES: u64 = 101;
/// The same where they shall be few.
const QUICK_SAMPLES: u64 = 5;

impl Platform for Host {
    fn open(&mut self) -> Result<(), PlatformError> {
        if self.settings.instructions {
            Valgrind::find()?;
        }
        self.bench().map(drop)
    }

    fn only_process(&self) -> Option<Cow<'static, str>> {
        let bench = self.bench.as_ref()?;
        let reason = match bench {
            _ if !bench.counts() => Some("nothing is timed"),
            _ if bench.is_exact() => Some("its counter counts the same in all of them"),
            _ if !self.settings.events.is_empty() => Some("--events counts over all trials of one process"),
            // A script, which goes on from where it is.
            _ if !bench.opened.info.meaningful => Some("this counter is no machine's"),
            _ => None,
        };
        reason.map(Cow::Borrowed)
    }

    fn triple(&self) -> Cow<'static, str> {
        env!("KEMPROF_TARGET").into()
    }

    fn backends(&mut self) -> Result<Vec<Any>, PlatformError> {
        Ok(Any::ALL.to_vec())
    }

    fn plan(&mut self, job: &Job, purpose: Purpose, asked: &Asked) -> Result<Plan, PlatformError> {
        if self.bench.as_ref().is_some_and(|bench| !bench.counts()) {
            return Ok(asked.or(UNTIMED));
        }
        let exact = self.bench.as_ref().is_some_and(Bench::is_exact);
        let (trials, most) = match purpose {
            _ if exact => (EXACT_TRIALS, EXACT_ITERATIONS),
            Purpose::Profile => (PROFILE_TRIALS, u32::MAX),
            Purpose::Compare => (COMPARE_TRIALS, u32::MAX),
        };
        let counter = self.bench.as_ref().and_then(Bench::counter);
        let resolution = self.bench.as_ref().and_then(|bench| bench.opened.info.resolution);
        let iterations = || match counter.zip(resolution) {
            Some((mut counter, resolution)) if !exact => whole_iterations(job, &mut counter, resolution),
            _ => default_iterations(job).map(|iterations| iterations.min(most)),
        };
        let iterations_per_trial = asked.iterations.map_or_else(iterations, Ok)?;
        Ok(asked.or(Plan { trials, iterations_per_trial, warmups: WARMUPS }))
    }

    fn gate(&mut self, job: &Job) -> Result<Verdict, PlatformError> {
        gate(job)
    }

    fn profile(
        &mut self,
        job: &Job,
        verdict: &Verdict,
        processes: u32,
        progress: Progress<'_>,
    ) -> Result<Evidence, PlatformError> {
        if processes > 1 {
            // The core is theirs.
            let pinned = self.bench.take().and_then(|bench| bench.pinned.as_ref().map(Pinned::core));
            self.settings.cpu = pinned.or(self.settings.cpu);
            return processes::share(job, verdict, processes, &self.settings, progress);
        }
        let mut run = self.trials(job, progress)?;
        record(job, verdict, &run.place, run.jobs.pop().ok_or(PlatformError::NotOpen)?)
    }

    fn memory(&mut self, job: &Job) -> Result<Option<Memory>, PlatformError> {
        processes::memory(job).map(Some)
    }

    fn compare(&mut self, jobs: &[(Job, Verdict)], progress: Progress<'_>) -> Result<Vec<Compared>, PlatformError> {
        self.open()?;
        let (jobs, verdicts): (Vec<Job>, Vec<Verdict>) = jobs.iter().cloned().unzip();
        let jobs = jobs.as_slice();
        let mut machine = self.begin();
        let bench = self.bench()?;
        let mut functions = match (jobs.first(), bench.counter()) {
            // What a KEM from outside brings is not timed by itself.
            (Some(first), Some(counter)) if guest::loaded(&first.instance).is_none() => {
                Some(Functions::new(&runner::demands(first)?, jobs, &counter))
            }
            _ => None,
        };
        let mut trials =
            Trials::open(jobs, &bench.clocks())?.repeating(bench.repeat(DISTURBED), bench.observer(&machine));
        let health = bench.health();
        let (mut done, all) = (0, u64::from(trials.rounds()) * jobs.len() as u64);
        for round in 0..trials.rounds() {
            trials.round(|| {
                done += 1;
                progress(done, all);
            })?;
            if let Some(functions) = functions.as_mut().filter(|_| round % ALONE == 0) {
                functions.round(bench.repeat(DISTURBED));
            }
        }
        let measured = trials.finish()?;
        machine.end();
        let alone = functions.map(Functions::finish).unwrap_or_default();
        compared(jobs, &verdicts, bench.run(&machine, health, measured)?, &alone)
    }

    fn hash_calls(&mut self, backend: Any) -> Result<Vec<HashCall>, PlatformError> {
        Ok(runner::hash_calls(backend)?)
    }

    fn bench_hash(
        &mut self,
        calls: &[HashCall],
        quick: bool,
        progress: Progress<'_>,
    ) -> Result<HashRun, PlatformError> {
        let bench = self.bench()?;
        bench.require_counter()?;
        for call in calls {
            let test = call.backend.self_test();
            test.map_err(|error| PlatformError::WrongAnswer(format!("{error}; it is not timed")))?;
        }
        let mut machine = self.begin();
        let bench = self.bench()?;
        let samples = match quick {
            _ if bench.is_exact() => 1,
            true => QUICK_SAMPLES,
            false => SAMPLES,
        };
        let sampled = bench.sample(calls, samples, &mut bench.observer(&machine), progress)?;
        machine.end();
        Ok(HashRun {
            sampled: sampled.into_iter().map(Some).collect(),
            unit: bench.opened.info.unit_in_words(),
            place: bench.place(&machine)?,
        })
    }

    fn instructions(&mut self, job: &Job) -> Result<Option<Instructions>, PlatformError> {
        Ok(self.settings.instructions.then(|| instructions::follow(job)).transpose()?)
    }

    fn timeline(&mut self, job: &Job, timed: bool) -> Result<Option<Timeline>, PlatformError> {
        let counter = self.bench()?.counter().filter(|_| timed);
        Ok(Some(runner::timeline(job, counter)?))
    }

    fn known_answers(&mut self, instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<KatRow, PlatformError> {
        Ok(kat::row(instance, spec, sampling)?)
    }
}

/// The records of jobs that were run side by side, with what their functions cost alone, by call and then by job.
pub(super) fn compared(
    jobs: &[Job],
    verdicts: &[Verdict],
    run: Run,
    alone: &[Vec<Timing>],
) -> Result<Vec<Compared>, PlatformError> {
    let Run { jobs: measured, place } = run;
    let all = jobs.iter().zip(verdicts).zip(measured).enumerate();
    let one = |(index, ((job, verdict), measured)): (usize, ((&Job, &Verdict), _))| {
        let record = record(job, verdict, &place, measured)?;
        Ok(Compared { record, functions: costs(alone, index) })
    };
    all.map(one).collect()
}

/// What the functions of one job cost alone, beside those of the first.
fn costs(timings: &[Vec<Timing>], job: usize) -> Vec<FunctionCost> {
    let cost = |jobs: &Vec<Timing>| {
        let Timing { demand, ticks } = &jobs[job];
        let cost = FunctionCost {
            function: demand.function.to_owned(),
            role: demand.shape.role.name().to_owned(),
            in_bits: 8 * demand.shape.in_bytes as u64,
            out_bits: 8 * demand.shape.out_bytes as u64,
            calls: demand.calls,
            lanes: demand.shape.lanes,
            ticks: 0.0,
            speedup: 0.0,
        };
        cost.timed(&jobs[0].ticks, ticks)
    };
    timings.iter().filter_map(cost).collect()
}

/// What must hold on this machine before anything is timed, here or elsewhere.
pub(super) fn gate(job: &Job) -> Result<Verdict, PlatformError> {
    if guest::loaded(&job.instance).is_some() {
        // It was tried when it was loaded, over its own functions.
        if let Some(flaw) = guest::disagrees(job.suite()) {
            let Job { instance, spec, .. } = job;
            return Err(PlatformError::WrongAnswer(format!("{instance} with {spec}: {flaw}; nothing was timed")));
        }
        let what = if job.spec.own { "a KEM from outside" } else { "not as submitted" };
        let reason = format!("{what}: its operations agree with each other, and no known answers were given");
        return Ok(Verdict::NotApplicable { reason });
    }
    for part in Part::ALL {
        let test = job.spec.get(part).self_test();
        test.map_err(|error| PlatformError::WrongAnswer(format!("{error}; it is not profiled")))?;
    }
    let verdict = kat::known_answer(&job.instance, &job.spec, job.sampling)?;
    if verdict.allows_timing() {
        return Ok(verdict);
    }
    let Job { instance, spec, .. } = job;
    Err(PlatformError::WrongAnswer(format!("{instance} with {spec}: {verdict}; nothing was timed")))
}

/// Events that are counted without being asked for, where they can be.
const CYCLES: [&str; 2] = ["cycles", "instructions"];

/// A counter, on a core that the program stays on as long as this lives.
#[derive(Debug)]
struct Bench {
    opened: Opened,
    pinned: Option<Pinned>,
    /// Events to count besides.
    events: Option<Box<dyn EventGroup>>,
}

impl Bench {
    fn open(counter: &str, cpu: Option<usize>, events: &[String]) -> Result<Self, PlatformError> {
        let opened = counter::open(counter)?;
        let pinned = environment::pin_if_possible(&Tree::host(), cpu)?;
        info!(counter = opened.info.name, core = pinned.as_ref().map(Pinned::core), "counting");
        for skipped in &opened.skipped {
            debug!(counter = skipped.name, reason = %skipped.reason, "passed over");
        }
        let events = match events {
            // Where there is a unit that counts cycles, it counts instructions as well, mostly.
            [] if opened.info.unit == Unit::Cycles => counter::open_events(&CYCLES.map(str::to_owned)).ok(),
            [] => None,
            names => Some(counter::open_events(names)?),
        };
        Ok(Self { opened, pinned, events })
    }

    /// The counter, unless nothing is to be counted.
    fn counter(&self) -> Option<HostCounter> {
        self.counts().then(|| self.opened.counter.clone())
    }

    /// Whether anything is counted besides calls and bits.
    fn counts(&self) -> bool {
        self.opened.counter.counts()
    }

    /// Whether equal work always takes equal counts, so that it need not be done often.
    fn is_exact(&self) -> bool {
        self.opened.counter.is_exact()
    }

    /// Which trials are run again: none where nothing can disturb them.
    fn repeat(&self, disturbed: Repeat) -> Repeat {
        if self.is_exact() || !self.counts() { Repeat::NEVER } else { disturbed }
    }

    /// The counter with the seconds that go with it.
    fn clocks(&self) -> Clocks<HostCounter, impl FnMut() -> f64 + Clone + 'static> {
        let epoch = Instant::now();
        Clocks { counter: self.counter(), seconds: move || epoch.elapsed().as_secs_f64() }
    }

    /// Who looks at the core before and after each trial on `machine`. Without figures there is nothing to look for.
    fn observer(&self, machine: &Environment) -> HostObserver {
        HostObserver::new(machine.is_real() && self.counts())
    }

    /// How the counter stands now.
    fn health(&self) -> Health {
        Health::of(&mut self.opened.counter.clone())
    }

    /// What was measured on `machine`, whose run has ended, since the counter stood like this.
    fn run(&self, machine: &Environment, health: Health, measured: Vec<Measured>) -> Result<Run, PlatformError> {
        let fault = self.health().since(health).err();
        let jobs = measured.into_iter().map(|measured| {
            let timed = self.counts() && !self.is_exact();
            let measured = if timed { measured } else { measured.without_seconds() };
            match &fault {
                Some(fault) => (measured.without_ticks(&fault.to_string()), Memory::default()),
                None => (measured, Memory::default()),
            }
        });
        Ok(Run { jobs: jobs.collect(), place: self.place(machine)? })
    }

    /// `machine`, whose run has ended, as evidence describes it.
    fn place(&self, machine: &Environment) -> Result<Place, PlatformError> {
        Ok(Place {
            target: machine.build.target.clone(),
            runner: machine.system.emulator.clone().unwrap_or_else(|| "native".to_owned()),
            counter: self.counter_record(machine),
            environment: serde_json::to_value(machine)?,
            code: Any::ALL.iter().map(|backend| (backend.name().to_owned(), backend.code().to_owned())).collect(),
            warnings: self.warnings(machine),
        })
    }

    /// What makes figures from `machine` less than they should be. It does nothing to exact counts, nor to calls and bits.
    fn warnings(&self, machine: &Environment) -> Vec<String> {
        match self.is_exact() {
            true => vec![exact(machine.system.emulator.as_deref().unwrap_or("an emulator"))],
            false if !self.counts() => Vec::new(),
            false => environment::warnings(machine),
        }
    }

    /// The counter as evidence from `machine` describes it.
    fn counter_record(&self, machine: &Environment) -> CounterRecord {
        let Opened { counter, info, skipped } = &self.opened;
        let refused = skipped.iter().map(|skipped| (skipped.name.to_owned(), skipped.reason.to_string()));
        CounterRecord {
            name: info.name.clone(),
            unit: info.unit.word().to_owned(),
            hz: info.hz,
            resolution: info.resolution,
            overhead_per_call: None,
            meaningful: info.meaningful && (machine.is_real() || self.is_exact()),
            unavailable: (!counter.counts() && !skipped.is_empty())
                .then(|| format!("none works here: {}", reasons(skipped))),
            refused: refused.collect(),
        }
    }

    fn require_counter(&self) -> Result<(), PlatformError> {
        let Opened { counter, info, skipped } = &self.opened;
        if counter.counts() {
            return Ok(());
        }
        if skipped.is_empty() {
            return Err(PlatformError::CountsNothing(info.name.clone()));
        }
        Err(PlatformError::NoCounter(reasons(skipped)))
    }

    fn sample(
        &mut self,
        calls: &[HashCall],
        samples: u64,
        observer: &mut HostObserver,
        progress: Progress<'_>,
    ) -> Result<Vec<Sampled>, PlatformError> {
        let info = &self.opened.info;
        let grain = Grain { resolution: info.resolution.unwrap_or(1), read_ticks: info.read_ticks.unwrap_or_default() };
        let mut tasks: Vec<_> = calls.iter().map(HashCall::task).collect();
        Ok(runner::sample(&mut tasks, &mut self.opened.counter, grain, samples, observer, progress)?)
    }
}

/// What a reader of exact counts has to know.
fn exact(emulator: &str) -> String {
    format!(
        "instructions are counted under {emulator}: exact, and the same on every run, but they do not tell how long each takes, and \
         seconds are not given"
    )
}

/// Why each of these counters does not work, on one line; once where it is the same for all.
fn reasons(skipped: &[Skipped]) -> String {
    if let [first, others @ ..] = skipped
        && others.iter().all(|other| other.reason == first.reason)
    {
        return first.reason.to_string();
    }
    let reasons = skipped.iter().map(|skipped| format!("{}: {}", skipped.name, skipped.reason));
    reasons.collect::<Vec<_>>().join("; ")
}
