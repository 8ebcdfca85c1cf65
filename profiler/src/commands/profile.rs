use super::settings::{self, MeasuringOptions};
use super::written::{self, Pictures, Written};
use crate::analysis::instructions::Instructions;
use crate::cli::{Failure, ProfileArgs, output, usage};
use crate::cross::Footprint;
use crate::evidence::{Evidence, Memory, Operation, Plan, Sections};
use crate::files;
use crate::platform::{Asked, Platform, Purpose};
use crate::progress;
use crate::render::{self, table};
use crate::runner::{Job, Part};
use crate::words::plural;
use anyhow::Context;
use kemprof_core::backend::Backend;
use std::path::Path;
use tracing::info;

/// Profiles operations of an instance: known answers, then trials without probes and with them; prints the breakdown and
/// writes the evidence with its pictures.
///
/// # Errors
/// Usage errors of the options; a failed self-test or known answer; a folder that cannot be written to.
pub fn profile(operations: &[Operation], args: &ProfileArgs, command: &[String]) -> Result<(), Failure> {
    let mut jobs: Vec<Job> =
        operations.iter().map(|&operation| settings::job(operation, args)).collect::<Result<_, _>>()?;
    let options = measuring_options(args);
    let mut target = settings::platform(&args.target, options, command)?;
    args.trace.as_deref().map_or(Ok(()), check_trace)?;
    let folder = args.out.folder(args.json)?;
    let waiting = progress::waiting(format!("known answers of {}", jobs[0].instance));
    target.open().map_err(settings::failure)?;
    let verdict = target.gate(&jobs[0]).map_err(settings::failure)?;
    drop(waiting);
    info!(instance = args.instance, %verdict, "known answers");
    let asked = Asked { trials: args.trials, iterations: args.iterations, warmups: args.warmups };
    for job in &mut jobs {
        job.plan = target.plan(job, Purpose::Profile, &asked).map_err(settings::failure)?;
    }
    let processes = processes(args.processes, target.as_ref(), &jobs[0].plan)?;
    let sections =
        if args.code_size { sections(&jobs[0], &target.triple()) } else { Err(Memory::NOT_ASKED.to_owned()) };
    let mut records = Vec::new();
    for job in &jobs {
        let bar = progress::bar(format!("{} {}", job.instance, job.operation), "trial");
        let record = target.profile(job, &verdict, processes, &mut progress::advance(&bar));
        bar.finish_and_clear();
        let mut record = record.map_err(settings::failure)?;
        if let Some(memory) = target.memory(job).map_err(settings::failure)? {
            record.memory = memory;
        }
        record.memory = record.memory.with_sections(&sections);
        let mut report = table::report(&record);
        let mut pictures = None;
        if let Some(instructions) = target.instructions(job).map_err(settings::failure)? {
            pictures = Some(draw_instructions(&record, &instructions)?);
            report = format!("{report}\n{}", render::instructions::report(&instructions));
        }
        let name = written::name(&record, &record.suite(), Purpose::Profile);
        let written = folder.map(|folder| written::write(&folder.join(name), &record, pictures)).transpose()?;
        if !args.json {
            let gap = if records.is_empty() { "" } else { "\n" };
            output::print(&format!("{gap}{report}{}", written.unwrap_or_default()))?;
        }
        records.push(record);
    }
    if let Some(path) = &args.trace {
        let written = trace(&jobs, &records, target.as_mut(), path)?.to_string();
        if !args.json {
            output::print(&written.replace('\n', " (open it at ui.perfetto.dev or chrome://tracing)\n"))?;
        }
    }
    match records.as_slice() {
        _ if !args.json => Ok(()),
        [record] => output::print_json(record),
        records => output::print_json(&records),
    }
}

/// What the options say of how to measure.
fn measuring_options(args: &ProfileArgs) -> MeasuringOptions {
    MeasuringOptions {
        counter: args.counter.clone(),
        cpu: args.cpu,
        events: args.events.clone(),
        others: args.trace.iter().map(|_| "--trace").collect(),
        several_processes: args.processes.is_some_and(|processes| processes > 1),
        code_size: args.code_size,
        instructions: args.profile.is_some(),
    }
}

/// What a program of the job's instance and functions alone occupies; else why that is not known.
fn sections(job: &Job, triple: &str) -> Result<Sections, String> {
    let [xof, prf, hash, drng] = Part::ALL.map(|part| job.spec.get(part).name());
    let (instance, sampling) = (job.instance.as_str(), job.sampling.name());
    let footprint = Footprint { triple, instance, xof, prf, hash, drng, sampling };
    footprint.sections().map_err(|error| error.to_string())
}

/// Processes that share the trials where it is not said how many: figures of one are of one layout of memory.
const PROCESSES: u32 = 5;

/// How many processes share the trials of a plan.
fn processes(asked: Option<u32>, target: &dyn Platform, plan: &Plan) -> Result<u32, Failure> {
    match (asked, target.only_process()) {
        (Some(asked @ 2..), Some(reason)) => {
            Err(usage(format_args!("--processes {asked} is for what layouts of memory change: {reason}")))
        }
        (_, Some(_)) => Ok(1),
        (Some(asked), None) if asked > plan.trials => Err(usage(format_args!(
            "{} cannot be shared by {}: ask for more --trials, or fewer --processes",
            plural(plan.trials, "trial"),
            plural(asked, "process")
        ))),
        (Some(asked), None) => Ok(asked),
        (None, None) => Ok(PROCESSES.min(plan.trials)),
    }
}

/// Sees that a trace can be written, before minutes of trials.
fn check_trace(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(usage(format_args!("--trace {} is a folder, expected a file to write", path.display())));
    }
    Ok(files::check(path)?)
}

/// The folded stacks of single functions, and their picture.
fn draw_instructions(record: &Evidence, instructions: &Instructions) -> Result<Pictures, Failure> {
    let folded = render::instructions::lines(record, instructions).join("\n") + "\n";
    Ok(Pictures { folded, svg: render::instructions::svg(record, instructions)? })
}

/// Writes one run of each operation as it went.
fn trace(jobs: &[Job], records: &[Evidence], target: &mut dyn Platform, path: &Path) -> Result<Written, Failure> {
    let mut operations = Vec::new();
    for (job, record) in jobs.iter().zip(records) {
        let timeline = target.timeline(job, record.profiled.ticks.is_some()).map_err(settings::failure)?;
        operations.push((record, timeline.context("this target shows no operation step by step")?));
    }
    let mut written = Written::default();
    written.add(path.to_owned(), &render::trace::json(&operations))?;
    Ok(written)
}
