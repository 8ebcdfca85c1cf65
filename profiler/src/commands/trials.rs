//! Trials in fresh processes: this program starts itself again, tells each process on standard input what to run, and reads the
//! evidence that it prints.

use super::bench;
use super::settings::failure;
use crate::cli::{Failure, output, usage};
use crate::evidence::{self, Evidence, Operation, Plan};
use crate::runner::{Job, Variant};
use crate::target::{Host, Target};
use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::process::{Child, Command, Output, Stdio};

/// What every process of a run is told besides the job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Origin {
    pub(super) counter: Option<String>,
    pub(super) cpu: Option<usize>,
    /// The command line, for the record.
    pub(super) command: Vec<String>,
}

/// What one process is to run.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    instance: String,
    operation: Operation,
    /// Symmetric functions and sampling, as `compare` names them.
    variant: String,
    /// In hexadecimal.
    seed: String,
    plan: Plan,
    origin: Origin,
}

impl Request {
    fn of(job: &Job, trials: u32, origin: &Origin) -> Self {
        Self {
            instance: job.instance.clone(),
            operation: job.operation,
            variant: Variant { spec: job.spec, sampling: job.sampling }.to_string(),
            seed: hex::encode(&job.seed),
            plan: Plan { trials, ..job.plan.clone() },
            origin: origin.clone(),
        }
    }

    fn job(&self) -> Result<Job, Failure> {
        let Variant { spec, sampling } = self.variant.parse().map_err(usage)?;
        let seed = hex::decode(&self.seed).map_err(usage)?;
        let (instance, plan) = (self.instance.clone(), self.plan.clone());
        Ok(Job { instance, operation: self.operation, spec, sampling, seed, plan })
    }
}

/// Runs the trials that standard input asks for, and prints their evidence.
///
/// # Errors
/// A request that is none; what a profile fails of.
pub fn trials() -> Result<(), Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    let request: Request = serde_json::from_str(&text)
        .map_err(|error| usage(format_args!("standard input is no request of --separate-processes: {error}")))?;
    let (job, Origin { counter, cpu, command }) = (request.job()?, request.origin);
    let mut host = Host::new(counter.unwrap_or_else(|| "auto".to_owned()), cpu, command);
    host.open().map_err(failure)?;
    let verdict = host.gate(&job)?;
    let mut run = host.profile(&job, &mut |_, _| ())?;
    let measured = run.jobs.pop().context("a job gives one measurement")?;
    output::print_json(&bench::record(&job, &verdict, &run.place, measured)?)
}

/// Runs the trials of `job` in so many processes, one after the other, and puts their evidence together.
///
/// # Errors
/// More processes than trials; a process that fails.
pub(super) fn share(job: &Job, processes: u32, origin: &Origin) -> Result<Evidence, Failure> {
    let trials = job.plan.trials;
    if processes > trials {
        return Err(usage(format_args!(
            "{trials} trials cannot be shared by {processes} processes: ask for more --trials"
        )));
    }
    let program = std::env::current_exe().context("cannot find this program to start it again")?;
    let bar = bench::progress(format!("{} {}", job.instance, job.operation), "process");
    let records: Result<Vec<Evidence>, _> = (0..processes)
        .map(|process| {
            bench::advance(&bar)(process.into(), processes.into());
            // As evenly as it goes: the first ones take what is left over.
            let share = trials / processes + u32::from(process < trials % processes);
            let mut command = Command::new(&program);
            let record = in_process(command.arg("trials"), &Request::of(job, share, origin));
            record.with_context(|| format!("process {} of {processes}", process + 1))
        })
        .collect();
    bar.finish_and_clear();
    Ok(Evidence::merged(records?)?)
}

/// Has one process run what is asked for.
fn in_process(command: &mut Command, request: &Request) -> anyhow::Result<Evidence> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start this program again")?;
    let asked = ask(&mut child, request);
    // It has said itself what went wrong, where anything did, even where it did not read to the end.
    let Output { status, stdout, stderr } = child.wait_with_output().context("cannot wait for it")?;
    if !status.success() {
        let said = String::from_utf8_lossy(&stderr);
        let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
        let line = line.strip_prefix("kemprof: ").unwrap_or(line);
        return Err(anyhow!("{line} ({status})"));
    }
    asked.context("cannot tell it what to run")?;
    evidence::from_json(&String::from_utf8_lossy(&stdout)).context("what it printed is not evidence")
}

/// Tells a process what to run, and closes its standard input.
fn ask(child: &mut Child, request: &Request) -> anyhow::Result<()> {
    let mut input = child.stdin.take().context("it has no standard input")?;
    Ok(input.write_all(serde_json::to_string(request)?.as_bytes())?)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::runner::SuiteSpec;
    use kemprof_core::Sampling;

    fn request() -> Request {
        let job = Job {
            instance: "lwekem128".to_owned(),
            operation: Operation::Dec,
            spec: SuiteSpec::default(),
            sampling: Sampling::Lazy,
            seed: vec![7, 8],
            plan: Plan { trials: 10, iterations_per_trial: 2, warmups: 1 },
        };
        Request::of(&job, 3, &Origin { counter: None, cpu: Some(1), command: vec!["kemprof".to_owned()] })
    }

    #[test]
    fn a_request_reads_back_as_the_job() {
        let text = serde_json::to_string(&request()).unwrap();
        let job = serde_json::from_str::<Request>(&text).unwrap().job().unwrap();
        assert_eq!((job.instance.as_str(), job.operation, job.sampling), ("lwekem128", Operation::Dec, Sampling::Lazy));
        assert_eq!((job.plan.trials, job.plan.iterations_per_trial, job.seed), (3, 2, vec![7, 8]));
    }

    /// What comes of a process that does this.
    fn outcome(script: &str) -> String {
        Failure::from(in_process(Command::new("sh").args(["-c", script]), &request()).unwrap_err()).to_string()
    }

    #[test]
    fn a_process_that_fails_is_one_line_that_says_why() {
        let line = outcome("cat >/dev/null; echo >&2 'kemprof: cannot stay on core 1'; exit 1");
        assert_eq!(line, "cannot stay on core 1 (exit status: 1)");
        // It may not even read.
        let line = outcome("kill -9 $$");
        assert!(line.contains("it says nothing") && line.contains("signal: 9"), "{line}");
        let line = outcome("cat >/dev/null; echo '{\"schema\":'");
        assert!(line.starts_with("what it printed is not evidence: EOF while parsing"), "{line}");
        assert_eq!(outcome("cat").lines().count(), 1);
    }
}
