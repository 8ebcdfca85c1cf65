use super::settings::{self, MeasuringOptions};
use super::written::{self, Written};
use crate::cli::{CompareArgs, Failure, output, usage};
use crate::evidence::{Evidence, Operation, Plan};
use crate::guest;
use crate::kat::{self, Verdict};
use crate::platform::{Asked, Platform, Purpose};
use crate::progress;
use crate::render::comparison::{self as view, Panel, Row, chart, table};
use crate::runner::{Job, SuiteSpec, Variant};
use crate::words::{either, plural};
use anstyle::Style;
use anyhow::Context;
use kemprof_core::{Any, Sampling};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Runs an instance over several symmetric functions side by side; prints how much faster each is than the first, as predicted and
/// as measured, and writes the evidence of each and a chart.
///
/// # Errors
/// Usage errors of the options; a failed self-test or known answer; a folder that cannot be written to.
pub fn compare(args: &CompareArgs, command: &[String]) -> Result<(), Failure> {
    let instance = settings::subject(&args.instance, &args.target)?;
    let variants = variants(args, instance)?;
    let operations = args.op.operations();
    let plan: Vec<Vec<Job>> =
        operations.iter().map(|&operation| jobs(args, instance, operation, &variants)).collect::<Result<_, _>>()?;
    let options = MeasuringOptions { counter: args.counter.clone(), cpu: args.cpu, ..MeasuringOptions::default() };
    let mut target = settings::platform(&args.target, options, command)?;
    let waiting = progress::waiting(format!("known answers of {instance}"));
    target.open().map_err(settings::failure)?;
    let folder = args.out.folder(args.json)?;
    // Known answers are of all operations.
    let verdicts: Vec<Verdict> =
        plan[0].iter().map(|job| target.gate(job)).collect::<Result<_, _>>().map_err(settings::failure)?;
    drop(waiting);
    let asked = Asked { trials: args.trials, iterations: args.iterations, warmups: args.warmups };
    let mut panels = Vec::new();
    let mut written = Written::default();
    let mut remarks = Remarks::default();
    for mut jobs in plan {
        for job in &mut jobs {
            job.plan = target.plan(job, Purpose::Compare, &asked).map_err(settings::failure)?;
        }
        let panel = run(&jobs, &verdicts, &variants, target.as_mut(), &mut remarks)?;
        for (job, variant) in jobs.iter().zip(&panel.variants) {
            let Some(folder) = folder else { break };
            let name = written::name(&variant.evidence, &Variant::of(job).to_string(), Purpose::Compare);
            written.extend(written::write(&folder.join(name), &variant.evidence, None)?);
        }
        if !args.json {
            let gap = if panels.is_empty() { "" } else { "\n" };
            output::print(&format!("{gap}{}", table::report(&panel)))?;
        }
        panels.push(panel);
    }
    let picture = folder.map_or(Ok(None), |folder| draw(operations, &panels, folder, &mut written))?;
    if args.json {
        return output::print_json(&panels.iter().flat_map(|panel| &panel.rows).collect::<Vec<&Row>>());
    }
    let picture = picture.map(|path| format!("{} and ", path.display())).unwrap_or_default();
    let place = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
    let legend = if panels.iter().any(Panel::is_timed) { table::LEGEND } else { "" };
    let earlier = match written.replaced() {
        0 => String::new(),
        replaced => format!(" ({replaced} of {} files replaced)", written.paths().len()),
    };
    output::print(&format!("\n{legend}{remarks}wrote {picture}the evidence of each to {place}{earlier}\n"))
}

/// Draws the chart, where there is anything to draw, and says where.
fn draw(
    operations: &[Operation],
    panels: &[Panel],
    folder: &Path,
    written: &mut Written,
) -> Result<Option<PathBuf>, Failure> {
    let Some(picture) = chart::svg(panels).context("the chart is not well-formed XML")? else { return Ok(None) };
    let path = folder.join(written::chart_name(&panels[0].variants[0].evidence, operations));
    written.add(path.clone(), &picture)?;
    Ok(Some(path))
}

/// What is compared where nothing is asked for: functions that every target has.
const COMPARED: [Any; 5] = [Any::Placeholder, Any::Sm3, Any::Shake, Any::TurboShake, Any::Ascon];

/// The variants that are asked for, and `free` last: no hash is faster.
fn variants(args: &CompareArgs, instance: &str) -> Result<Vec<Variant>, Failure> {
    let parse = |text: &String| Variant::parse(text, args.sampling.into()).map_err(usage);
    let mut variants: Vec<Variant> = args.hash.iter().map(parse).collect::<Result<_, _>>()?;
    if variants.is_empty() {
        let published = match guest::loaded(instance) {
            Some(_) => SuiteSpec::OWN,
            None => kat::published_suite(instance)?,
        };
        let others = COMPARED.map(SuiteSpec::of).into_iter().filter(|spec| *spec != published);
        let suites = std::iter::once(published).chain(others);
        variants = suites.map(|spec| Variant { spec, sampling: args.sampling.into() }).collect();
    }
    variants.iter().try_for_each(|variant| settings::suits(instance, variant))?;
    let mut seen = BTreeSet::new();
    if let Some(twice) = variants.iter().find(|variant| !seen.insert(variant.to_string())) {
        return Err(usage(format_args!("variant {twice} is given twice")));
    }
    let free = |variant: &Variant| variant.spec == SuiteSpec::of(Any::Free);
    let lazy = variants.iter().any(|variant| variant.sampling == Sampling::Lazy);
    if !variants.iter().any(free) {
        // The fastest of all: no variant may squeeze less than it does.
        let sampling = if lazy { Sampling::Lazy } else { Sampling::Eager };
        variants.push(Variant { spec: SuiteSpec::of(Any::Free), sampling });
    }
    // Stable, so that the others stay in order; the first is the base, whatever it is.
    variants[1..].sort_by_key(free);
    Ok(variants)
}

/// What to run of each variant. How much of it is for the target to say.
fn jobs(args: &CompareArgs, instance: &str, operation: Operation, variants: &[Variant]) -> Result<Vec<Job>, Failure> {
    let seed = settings::seed(args.seed.as_deref())?;
    let job = |variant: &Variant| Job {
        instance: instance.to_owned(),
        operation,
        spec: variant.spec,
        sampling: variant.sampling,
        seed: seed.clone(),
        plan: Plan::default(),
    };
    Ok(variants.iter().map(job).collect())
}

/// Measures one operation of all variants.
fn run(
    jobs: &[Job],
    verdicts: &[Verdict],
    variants: &[Variant],
    target: &mut dyn Platform,
    remarks: &mut Remarks,
) -> Result<Panel, Failure> {
    let bar = progress::bar(format!("{} {}", jobs[0].instance, jobs[0].operation), "trial");
    let jobs: Vec<(Job, Verdict)> = jobs.iter().cloned().zip(verdicts.iter().cloned()).collect();
    let compared = target.compare(&jobs, &mut progress::advance(&bar));
    bar.finish_and_clear();
    let compared = compared.map_err(settings::failure)?;
    compared.iter().for_each(|compared| remarks.add(&compared.record));
    let seen = compared.into_iter().zip(variants).map(|(compared, variant)| view::Variant {
        name: variant.to_string(),
        evidence: compared.record,
        functions: compared.functions,
    });
    Ok(Panel::of(seen.collect()))
}

/// What makes the figures of all operations less than they should be.
#[derive(Default)]
struct Remarks {
    trials: usize,
    repeated: u32,
    /// Of the machine, when the last operation began.
    warnings: Vec<String>,
}

impl Remarks {
    fn add(&mut self, record: &Evidence) {
        self.trials += 2 * record.trials.len();
        self.repeated += record.steadiness.repeated;
        self.warnings.clone_from(&record.warnings);
    }
}

impl fmt::Display for Remarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dim = Style::new().dimmed();
        for warning in &self.warnings {
            writeln!(f, "{dim}warning: {warning}{dim:#}")?;
        }
        let Self { trials, repeated, .. } = self;
        match repeated {
            0 => Ok(()),
            _ => writeln!(
                f,
                "{dim}{} {} disturbed and run again, beside the {trials} that count{dim:#}",
                plural(repeated, "trial"),
                either(repeated, "was", "were"),
            ),
        }
    }
}
