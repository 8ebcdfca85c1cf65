//! Work in fresh processes: this program starts itself again, tells each process on standard input what to do, and reads what it
//! prints. Trials are shared by several, because code, stack and heap lie elsewhere in each; the memory of an operation is that of a
//! process that runs nothing else.

use super::bench;
use super::settings::failure;
use crate::cli::{Failure, output, usage};
use crate::environment::{self, Environment, Tree};
use crate::evidence::{self, Evidence, Memory, Operation, Plan};
use crate::guest;
use crate::kat::Verdict;
use crate::process::{Ended, ProcessError, Program, Terms, last_words};
use crate::progress;
use crate::runner::{self, Job, RunError, Variant};
use crate::target::{Host, Target};
use crate::words::plural;
use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use tracing::level_filters::LevelFilter;

/// What every process that runs trials is told besides the job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Origin {
    pub(super) counter: Option<String>,
    pub(super) cpu: Option<usize>,
    /// The command line, for the record.
    pub(super) command: Vec<String>,
    /// What became of the known answers, which are checked once.
    pub(super) verdict: Verdict,
}

/// What one process is to run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    instance: String,
    operation: Operation,
    /// Symmetric functions and sampling, as `compare` names them.
    variant: String,
    /// In hexadecimal.
    seed: String,
    plan: Plan,
    task: Task,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Task {
    /// The trials of the plan, printed as [`Evidence`].
    Trials(Origin),
    /// One operation, printed as its [`Memory`].
    Memory,
    /// A trial run of a KEM from outside, printed as what is wrong with it.
    Examine,
}

impl Request {
    pub(super) fn of(job: &Job, task: Task) -> Self {
        Self {
            instance: guest::loaded(&job.instance).map_or_else(|| job.instance.clone(), |guest| guest.source.clone()),
            operation: job.operation,
            variant: Variant::of(job).to_string(),
            seed: hex::encode(&job.seed),
            plan: job.plan.clone(),
            task,
        }
    }

    fn job(&self) -> Result<Job, Failure> {
        let Variant { spec, sampling } = self.variant.parse().map_err(usage)?;
        let seed = hex::decode(&self.seed).map_err(usage)?;
        let plan = self.plan.clone();
        let instance = match guest::is_manifest(&self.instance) {
            true => guest::open(&self.instance)?.name.to_owned(),
            false => self.instance.clone(),
        };
        Ok(Job { instance, operation: self.operation, spec, sampling, seed, plan })
    }
}

/// Does what standard input asks for, and prints what comes of it.
///
/// # Errors
/// A request that is none; what a profile fails of.
pub fn child() -> Result<(), Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    let request: Request = serde_json::from_str(&text)
        .map_err(|error| usage(format_args!("standard input is no request of another kemprof: {error}")))?;
    let job = request.job()?;
    match request.task {
        Task::Trials(origin) => output::print_json(&trials(&job, origin)?),
        Task::Memory => output::print_json(&memory_here(&job)?),
        Task::Examine => output::print_json(&super::guest::examine()),
    }
}

fn trials(job: &Job, origin: Origin) -> Result<Evidence, Failure> {
    let mut host = Host::new(origin.counter.unwrap_or_else(|| "auto".to_owned()), origin.cpu, origin.command);
    host.open().map_err(failure)?;
    let mut run = host.profile(job, &mut report()).map_err(failure)?;
    let measured = run.jobs.pop().context("a job gives one measurement")?;
    bench::record(job, &origin.verdict, &run.place, measured)
}

/// With what a line on standard error begins that says how many of how many trials are done.
const PROGRESS: &str = "progress ";
/// Between two such lines: writing them takes the core from no more than a trial in a hundred.
const PAUSE: Duration = Duration::from_millis(100);

fn report() -> impl FnMut(u64, u64) {
    let mut last = Instant::now();
    move |done, all| {
        if last.elapsed() > PAUSE {
            last = Instant::now();
            // Who does not listen is told nothing.
            let _ = writeln!(std::io::stderr(), "{PROGRESS}{done} {all}");
        }
    }
}

/// Of how many trials how many are done, in such a line.
fn progress(line: &str) -> Option<u64> {
    line.strip_prefix(PROGRESS)?.split_whitespace().next()?.parse().ok()
}

/// Runs the trials of `job` in so many processes, one after the other, and puts their evidence together.
///
/// # Errors
/// More processes than trials; a process that fails.
pub(super) fn share(job: &Job, processes: u32, origin: &Origin) -> Result<Evidence, Failure> {
    let trials = job.plan.trials;
    if processes > trials {
        return Err(usage(format_args!(
            "{} cannot be shared by {}: ask for more --trials, or fewer --processes",
            plural(trials, "trial"),
            plural(processes, "process")
        )));
    }
    let bar = progress::bar(format!("{} {}", job.instance, job.operation), "trial");
    let mut begun = 0;
    let records: Result<Vec<Evidence>, _> = (0..processes)
        .map(|process| {
            // As evenly as it goes: the first ones take what is left over.
            let share = trials / processes + u32::from(process < trials % processes);
            let job = Job { plan: Plan { trials: share, ..job.plan.clone() }, ..job.clone() };
            let mut advance = |done| progress::advance(&bar)(begun + done, trials.into());
            advance(0);
            let text =
                ask(&mut this_program()?, &Request::of(&job, Task::Trials(origin.clone())), limit(&job)?, &mut advance);
            begun += u64::from(share);
            let record = text.and_then(|text| evidence::from_json(&text).context("what it printed is not evidence"));
            record.with_context(|| format!("process {} of {processes}", process + 1))
        })
        .collect();
    bar.finish_and_clear();
    bench::sound(Evidence::merged(records?)?)
}

/// What one operation of `job` takes of memory, in a process of its own where one can be started.
///
/// # Errors
/// When the process or the operation fails.
pub(super) fn memory(job: &Job) -> Result<Memory, Failure> {
    // Under an emulator there is no other process of this program, nor memory of its own.
    if Environment::begin(&Tree::host(), Vec::new(), true).system.emulator.as_deref() == Some(environment::QEMU_USER) {
        return memory_here(job);
    }
    let job = Job { plan: Plan { trials: 1, iterations_per_trial: 1, warmups: 0 }, ..job.clone() };
    let text = ask(&mut this_program()?, &Request::of(&job, Task::Memory), limit(&job)?, &mut |_| ());
    let memory = text.and_then(|text| serde_json::from_str(&text).context("what it printed is no memory"));
    Ok(memory.context("the process that measures memory")?)
}

/// Stack of the thread that the operation runs on: more than any takes.
const STACK: usize = 2 << 20;
/// How often it is run, each time alone.
const ATTEMPTS: usize = 3;

/// What one operation takes in this process, which has run nothing else.
fn memory_here(job: &Job) -> Result<Memory, Failure> {
    let tree = Tree::host();
    let is_real = Environment::begin(&tree, Vec::new(), true).is_real();
    let mut operation = runner::prepared(job)?;
    // Its code and constants are in RAM from then on: what is found is the operation's own.
    operation()?;
    let mut peaks = Vec::new();
    for attempt in 1..=ATTEMPTS {
        // It is larger than those that were there before, so that nothing has touched it yet.
        let seen = on_a_stack(attempt * STACK, &mut || {
            let forgotten = environment::forget_peak(&tree).is_ok();
            let before = environment::resident(&tree);
            operation()?;
            // Here, while the stack is still there: the kernel's mark is exact when it is looked at, and no sooner.
            let seen = before.zip(environment::resident(&tree));
            Ok(seen.filter(|(before, after)| is_real && (forgotten || after.peak > before.peak)))
        })?;
        peaks.extend(seen.map(|(before, after)| (before.now, after.peak.max(before.now))));
    }
    // What the kernel took away meanwhile and gave back is not the operation's.
    let least = peaks.into_iter().min_by_key(|(baseline, peak)| peak - baseline);
    Ok(Memory {
        baseline: least.map(|(baseline, _)| baseline),
        peak: least.map(|(_, peak)| peak),
        // Not before the peak is known: the stack is painted for it.
        stack_peak: runner::stack_peak(job)?,
        ..Memory::default()
    })
}

/// What comes of `body` on a thread of its own with so much stack.
fn on_a_stack<T: Send>(bytes: usize, body: &mut (impl FnMut() -> Result<T, RunError> + Send)) -> anyhow::Result<T> {
    let ended = thread::scope(|scope| Ok(thread::Builder::new().stack_size(bytes).spawn_scoped(scope, body)?.join()));
    let ended: thread::Result<_> = ended.map_err(|error: std::io::Error| anyhow!("cannot start a thread: {error}"))?;
    Ok(ended.map_err(|_| anyhow!("the operation panicked"))??)
}

/// What a process may take beside its operations, and how many times as long as one by itself each of these may take.
const LEAST: Duration = Duration::from_secs(60);
const PATIENCE: u64 = 40;

/// How long a process with this job may take before it is held to hang.
fn limit(job: &Job) -> anyhow::Result<Duration> {
    let mut operation = runner::prepared(job)?;
    let began = Instant::now();
    operation()?;
    let operations =
        u64::from(job.plan.trials) * u64::from(job.plan.iterations_per_trial) + u64::from(job.plan.warmups);
    let times = u32::try_from(PATIENCE * operations).unwrap_or(u32::MAX);
    Ok(LEAST.saturating_add(began.elapsed().saturating_mul(times)))
}

/// This program as a child, which says as much as this process.
pub(super) fn this_program() -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("cannot find this program to start it again")?);
    match LevelFilter::current() {
        LevelFilter::INFO => drop(command.arg("-v")),
        LevelFilter::DEBUG | LevelFilter::TRACE => drop(command.arg("-vv")),
        _ => {}
    }
    command.arg("child");
    Ok(command)
}

/// Why a process gave no answer.
pub(super) enum Asked {
    /// It was ended by this signal; what it said last.
    Signal(i32, String),
    /// It did not end in time.
    Late,
    /// Anything else, and what the process said last.
    Failed(anyhow::Error),
}

/// Has one process do what is asked for, within so much time, and gives what it prints. `done` hears of its trials.
fn ask(command: &mut Command, request: &Request, limit: Duration, done: &mut dyn FnMut(u64)) -> anyhow::Result<String> {
    let heard = ask_and_hear(command, request, limit, &mut |line| match progress(line) {
        Some(trials) => {
            done(trials);
            true
        }
        None => false,
    });
    heard.map_err(|asked| match asked {
        Asked::Signal(signal, said) => anyhow!("{said} (ended by signal {signal})"),
        Asked::Late => anyhow!("kemprof did not end within {} s and was stopped", limit.as_secs()),
        Asked::Failed(error) => error,
    })
}

/// The same; `hear` is told every line on standard error, and says whether that was for it.
pub(super) fn ask_and_hear(
    command: &mut Command,
    request: &Request,
    limit: Duration,
    hear: &mut dyn FnMut(&str) -> bool,
) -> Result<String, Asked> {
    let input = serde_json::to_vec(request).map_err(|error| Asked::Failed(error.into()))?;
    let terms = Terms { input, limit: Some(limit) };
    let program = Program { name: "kemprof", help: "it was there a moment ago" };
    let mut said = String::new();
    let ended = program.run(command, terms, &mut |line| {
        if !hear(line) {
            said += line;
        }
    });
    let Ended { stdout, status } = ended.map_err(|error| match error {
        ProcessError::Endless { .. } => Asked::Late,
        other => Asked::Failed(other.into()),
    })?;
    let last = || {
        let line = last_words(&said, status);
        line.strip_prefix("kemprof: ").map_or(line.clone(), str::to_owned)
    };
    match status {
        0 => {}
        129.. => return Err(Asked::Signal(status - 128, last())),
        _ => return Err(Asked::Failed(anyhow!("{}", last()))),
    }
    // What it had to say besides is for the user.
    let _ = write!(std::io::stderr(), "{said}");
    String::from_utf8(stdout).map_err(|error| Asked::Failed(anyhow!("what it printed is no text: {error}")))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::runner::SuiteSpec;
    use kemprof_core::Sampling;

    fn job() -> Job {
        Job {
            instance: "lwekem128".to_owned(),
            operation: Operation::Dec,
            spec: SuiteSpec::default(),
            sampling: Sampling::Lazy,
            seed: vec![7, 8],
            plan: Plan { trials: 10, iterations_per_trial: 2, warmups: 1 },
        }
    }

    #[test]
    fn a_request_reads_back_as_the_job() {
        let text = serde_json::to_string(&Request::of(&job(), Task::Memory)).unwrap();
        let job = serde_json::from_str::<Request>(&text).unwrap().job().unwrap();
        assert_eq!((job.instance.as_str(), job.operation, job.sampling), ("lwekem128", Operation::Dec, Sampling::Lazy));
        assert_eq!((job.plan.trials, job.plan.iterations_per_trial, job.seed), (10, 2, vec![7, 8]));
    }

    /// What comes of a process that does this, and the trials that it told of.
    fn outcome(script: &str, limit: Duration) -> (anyhow::Result<String>, Vec<u64>) {
        let mut heard = Vec::new();
        let request = Request::of(&job(), Task::Memory);
        let answer = ask(Command::new("sh").args(["-c", script]), &request, limit, &mut |done| heard.push(done));
        (answer, heard)
    }

    fn error(script: &str, limit: Duration) -> String {
        Failure::from(outcome(script, limit).0.unwrap_err()).to_string()
    }

    #[test]
    fn a_process_that_fails_is_one_line_that_says_why() {
        if environment::emulated() {
            return;
        }
        let line = error("cat >/dev/null; echo >&2 'kemprof: cannot stay on core 1'; exit 1", LEAST);
        assert_eq!(line, "cannot stay on core 1");
        // It may not even read.
        let line = error("kill -9 $$", LEAST);
        assert!(line.contains("without a word") && line.contains("signal 9"), "{line}");
        let line = error("exec sleep 60", Duration::from_millis(50));
        assert_eq!(line, "kemprof did not end within 0 s and was stopped");
    }

    #[test]
    fn progress_is_heard_and_is_no_word_of_failure() {
        if environment::emulated() {
            return;
        }
        let (answer, heard) = outcome("echo >&2 progress 3 80; echo >&2 progress 9 80; echo answer", LEAST);
        assert_eq!((answer.unwrap().as_str(), heard), ("answer\n", vec![3, 9]));
        assert_eq!(error("echo >&2 'no core'; echo >&2 progress 3 80; exit 1", LEAST), "no core");
    }
}
