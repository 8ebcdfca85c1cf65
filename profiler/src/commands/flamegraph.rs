use super::written::{self, Pictures, Written};
use crate::cli::{Failure, FlamegraphArgs, output, usage};
use crate::evidence::{self, Source, with_ending};
use crate::files;
use crate::platform::Purpose;
use crate::render::differential::{Differential, DifferentialError, differential};
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Draws evidence again: folded stacks and a flamegraph each, or what changed between two files. Nothing is written where two would
/// be drawn to one name, or one in place of what it is made of.
///
/// # Errors
/// When some of it is no evidence or cannot be drawn, or a picture cannot be written; the rest is drawn all the same.
pub fn flamegraph(args: &FlamegraphArgs) -> Result<(), Failure> {
    let mut failures = Vec::new();
    let written = if args.diff { vec![draw_difference(args)?] } else { draw_each(args, &mut failures)? };
    if args.json {
        output::print_json(&written.iter().flat_map(Written::paths).collect::<Vec<_>>())?;
    } else {
        output::print(&written.iter().map(Written::to_string).collect::<String>())?;
    }
    Failure::of_each(failures)
}

fn draw_each(args: &FlamegraphArgs, failures: &mut Vec<Failure>) -> Result<Vec<Written>, Failure> {
    let mut pictures: Vec<(Source, PathBuf, Pictures)> = Vec::new();
    evidence::for_each(&args.files, &mut |source, read| {
        let drawn = read.and_then(|record| evidence::sound(source, record)).map_err(Failure::from).and_then(|record| {
            let pair = Pictures::of(&record).with_context(|| format!("cannot draw {source}"))?;
            let folder = args.out.as_deref().or(source.path.parent()).unwrap_or(Path::new(""));
            let name = match source {
                // A file has a name already.
                Source { path, index: None } if !files::is_standard_input(path) => {
                    path.file_stem().unwrap_or_default().to_owned()
                }
                _ => written::name(&record, &record.suite(), Purpose::Profile).into(),
            };
            Ok((folder.join(name), pair))
        });
        match drawn {
            Ok((stem, pair)) => pictures.push((source.clone(), stem, pair)),
            Err(error) => failures.push(error),
        }
    });
    for (index, (_, stem, _)) in pictures.iter().enumerate() {
        let outputs = ["folded", "svg"].map(|ending| with_ending(stem, ending));
        if let Some((input, ..)) = pictures.iter().find(|(source, ..)| outputs.contains(&source.path)) {
            return Err(usage(format_args!("the picture would replace its input {input}; give another --out")));
        }
        if pictures[..index].iter().any(|(_, other, _)| other == stem) {
            let stem = stem.display();
            return Err(usage(format_args!("two records would both be drawn to {stem}.svg; draw them one by one")));
        }
    }
    Ok(pictures.iter().map(|(_, stem, pair)| pair.write(stem)).collect::<Result<_, _>>()?)
}

/// Draws what changed between two files, named after both.
fn draw_difference(args: &FlamegraphArgs) -> Result<Written, Failure> {
    let [before, after] = args.files.as_slice() else {
        return Err(usage(format_args!("--diff compares two files, BEFORE and AFTER, not {}", args.files.len())));
    };
    let (first, second) = (evidence::read(before)?, evidence::read(after)?);
    let Differential { folded, svg } = differential(&first, &second).map_err(|error| match error {
        DifferentialError::Incomparable(_) => usage(error),
        DifferentialError::Flamegraph(_) => error.into(),
    })?;
    let name = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = args.out.as_deref().or(after.parent()).unwrap_or(Path::new(""));
    let stem = folder.join(format!("{}-to-{}", name(before), name(after)));
    Ok(Pictures { folded, svg }.write(&stem)?)
}
