use super::settings::{self, MeasuringOptions};
use super::written::Written;
use crate::cli::{Failure, KatArgs, output, usage};
use crate::files;
use crate::guest;
use crate::kat::{self, AcvpRow, CheckReport, KatRow, Manifest};
use crate::platform::{Platform, Remote};
use crate::progress;
use crate::render::grid::{Align, Grid};
use crate::runner::SuiteSpec;
use crate::words::plural;
use anstyle::{AnsiColor, Style};
use anyhow::anyhow;
use kemprof_core::Sampling;
use kemprof_core::kem::INSTANCES;
use std::path::Path;

/// Reproduces known answers, writes them, or compares a file of them from elsewhere.
///
/// # Errors
/// Usage errors of the options; a wrong answer; a file that cannot be read, understood or written.
pub fn kat(args: &KatArgs, command: &[String]) -> Result<(), Failure> {
    let instances: Vec<&'static str> =
        args.instances.iter().map(|name| subject(name, args)).collect::<Result<_, _>>()?;
    let suites: Vec<Suite> =
        args.suite.hash.iter().map(|text| settings::suite(text, args.sampling)).collect::<Result<_, _>>()?;
    let files =
        [("--write", args.write.is_some()), ("--check", args.check.is_some()), ("--acvp", !args.acvp.is_empty())];
    let others = files.into_iter().filter(|(_, given)| *given).map(|(option, _)| option).collect();
    let options = MeasuringOptions { others, ..MeasuringOptions::default() };
    let compares = args.check.as_ref().map(|_| "--check").or((!args.acvp.is_empty()).then_some("--acvp"));
    if let Some(option) = compares.filter(|_| !args.target.target.is_here()) {
        let target = &args.target.target;
        return Err(usage(format_args!("{option} compares files here, not with --target {target}")));
    }
    let target = settings::platform(&args.target, options.clone(), command)?;
    if let Some(path) = &args.write {
        let remote = settings::remote(&args.target, &options, command)?;
        return write(path, one(&instances, "--write")?, &suites, args, remote);
    }
    match &args.check {
        Some(path) => check(path, at_most_one(&instances, "--check")?, &suites, args),
        None if !args.acvp.is_empty() => acvp(&suites, args),
        None => reproduce(target, if instances.is_empty() { INSTANCES } else { &instances }, &suites, args),
    }
}

/// The instance of this name; with `--check`, the KEM of this manifest.
fn subject(name: &str, args: &KatArgs) -> Result<&'static str, Failure> {
    match guest::is_manifest(name) {
        true if args.check.is_some() => settings::subject(name, &args.target),
        true => Err(usage(format_args!(
            "{name} is a manifest; the known answers of its KEM are in a file of its own: kemprof kat {name} --check FILE.rsp"
        ))),
        false => settings::instance(name),
    }
}

/// Symmetric functions, and the sampling where it is written with them.
type Suite = (SuiteSpec, Option<Sampling>);

fn one(instances: &[&'static str], option: &str) -> Result<&'static str, Failure> {
    at_most_one(instances, option)?
        .ok_or_else(|| usage(format_args!("{option} needs an instance: kemprof kat lwekem256 {option} FILE")))
}

fn at_most_one(instances: &[&'static str], option: &str) -> Result<Option<&'static str>, Failure> {
    match instances {
        [] => Ok(None),
        [instance] => Ok(Some(instance)),
        several => Err(usage(format_args!("{option} is for one instance, not {}", several.join(" and ")))),
    }
}

/// The one backend of an option, where one is named.
fn at_most_one_backend(suites: &[Suite], option: &str) -> Result<Option<Suite>, Failure> {
    match suites {
        [] => Ok(None),
        [suite] => Ok(Some(*suite)),
        several => Err(usage(format_args!("{option} is for one backend, not {}", several.len()))),
    }
}

/// Both ways give the same answers.
fn sampling(suite: Option<Suite>, args: &KatArgs) -> Sampling {
    let asked = args.sampling.map(Sampling::from);
    suite.and_then(|(_, sampling)| sampling).or(asked).unwrap_or_default()
}

fn write(
    path: &Path,
    instance: &'static str,
    suites: &[Suite],
    args: &KatArgs,
    remote: Option<Remote>,
) -> Result<(), Failure> {
    // Not after seconds of computing.
    files::check(path)?;
    let suite = at_most_one_backend(suites, "--write")?;
    let spec = match suite {
        Some((spec, _)) => spec,
        None => kat::published_suite(instance)?,
    };
    let count = args.count.and_then(|count| usize::try_from(count).ok());
    let sampling = sampling(suite, args);
    let text = match remote {
        Some(mut remote) => remote.known_answer_file(instance, &spec, sampling, count).map_err(settings::failure)?,
        None => kat::file_text(instance, &spec, sampling, count)?,
    };
    let mut written = Written::default();
    written.add(path.to_owned(), &text)?;
    if args.json {
        return output::print_json(&serde_json::json!({ "instance": instance, "file": path }));
    }
    output::print(&written.to_string())
}

fn check(path: &Path, instance: Option<&str>, suites: &[Suite], args: &KatArgs) -> Result<(), Failure> {
    let suite = at_most_one_backend(suites, "--check")?;
    let spec = suite.map(|(spec, _)| spec);
    let report = kat::check_file(path, instance, spec.as_ref(), sampling(suite, args))?;
    if args.json {
        output::print_json(&report)?;
    } else {
        output::print(&check_text(&report))?;
    }
    if report.passed() {
        return Ok(());
    }
    Err(anyhow!("{}: {}", path.display(), report.to_string().trim_start_matches("FAIL: ")).into())
}

fn check_text(report: &CheckReport) -> String {
    let mut text = format!("{report}\nSHA-256 of the canonical form {}\n", report.digest);
    text.extend(report.differences.iter().skip(1).take(LISTED).map(|difference| format!("      {difference}\n")));
    if let Some(more) = report.differences.len().checked_sub(LISTED + 1).filter(|more| *more > 0) {
        text += &format!("      and {}; --json lists all\n", plural(more, "more difference"));
    }
    text
}

/// Differences that are listed below the first.
const LISTED: usize = 20;

/// Answers ACVP test cases and prints a row for each kind.
fn acvp(suites: &[Suite], args: &KatArgs) -> Result<(), Failure> {
    let suite = at_most_one_backend(suites, "--acvp")?;
    let rows = kat::check_acvp(&args.acvp, suite.map(|(spec, _)| spec).as_ref(), sampling(suite, args))?;
    if args.json {
        output::print_json(&rows)?;
    } else {
        let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Right, Align::Left]);
        grid.row(Style::new().bold(), ["instance", "function", "cases", "verdict"]);
        for AcvpRow { instance, function, cases, differences } in &rows {
            grid.row(Style::new(), [*instance, *function, &cases.to_string()]);
            match differences.as_slice() {
                [] => grid.cell(AnsiColor::Green.on_default(), "PASS"),
                wrong => grid.cell(AnsiColor::Red.on_default().bold(), &format!("FAIL: {}", wrong.join("; "))),
            }
        }
        output::print(&grid.render("  "))?;
    }
    let wrong = rows.iter().flat_map(|row| row.differences.iter().map(move |what| (row, what)));
    match wrong.clone().next() {
        None => Ok(()),
        Some((AcvpRow { instance, function, .. }, what)) => {
            let wrong = plural(wrong.count(), "difference");
            Err(anyhow!("{wrong} from the expected results; the first: {instance} {function}, {what}").into())
        }
    }
}

fn reproduce(
    mut target: Box<dyn Platform>,
    instances: &[&'static str],
    suites: &[Suite],
    args: &KatArgs,
) -> Result<(), Failure> {
    let samplings = match args.sampling {
        None => vec![Sampling::Eager, Sampling::Lazy],
        Some(sampling) => vec![sampling.into()],
    };
    let mut rows = Vec::new();
    for instance in instances {
        let published = Manifest::of(instance)?.suites().into_iter().map(|spec| (spec, None)).collect();
        for (spec, own) in if suites.is_empty() { published } else { suites.to_vec() } {
            for sampling in own.map_or(samplings.clone(), |own| vec![own]) {
                let _waiting = progress::waiting(format!("known answers of {instance} over {spec}"));
                rows.push(target.known_answers(instance, &spec, sampling).map_err(settings::failure)?);
            }
        }
    }
    if args.json {
        output::print_json(&rows)?;
    } else {
        output::print(&table(&rows))?;
    }
    match rows.iter().filter(|row| row.verdict == "FAIL").count() {
        0 => Ok(()),
        failed => Err(anyhow!("{failed} of {} known answers are wrong", rows.len()).into()),
    }
}

fn table(rows: &[KatRow]) -> String {
    // Where a target made records, how many of them.
    let elsewhere = rows.iter().any(|row| row.on_target.is_some());
    let mut grid = Grid::new(&vec![Align::Left; if elsewhere { 7 } else { 6 }]).giving_way(&[
        "SHA-256 of the known answers",
        "on the target",
        "called",
    ]);
    let headings = ["instance", "backend", "called", "sampling", "SHA-256 of the known answers"].into_iter();
    grid.row(Style::new().bold(), headings.chain(elsewhere.then_some("on the target")).chain(["verdict"]));
    for row in rows {
        let verdict = match &row.reason {
            None => row.verdict.to_string(),
            Some(reason) => format!("{}: {reason}", row.verdict),
        };
        let digest = row.digest.as_deref().unwrap_or("-");
        let called = row.standing.as_deref().unwrap_or_default();
        let cells = [row.instance.as_str(), &row.backend, called, &row.sampling, digest].into_iter();
        let on_target = row.on_target.as_deref().filter(|_| elsewhere);
        grid.row(Style::new(), cells.chain(on_target).chain([verdict.as_str()]));
        grid.restyle_last(match row.verdict.as_ref() {
            "PASS" => AnsiColor::Green.on_default(),
            "FAIL" => AnsiColor::Red.on_default().bold(),
            _ => Style::new().dimmed(),
        });
    }
    grid.without_empty("").render("  ")
}
