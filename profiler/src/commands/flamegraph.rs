use crate::cli::{Failure, FlamegraphArgs, output, usage};
use crate::evidence::{self, Evidence};
use crate::render;
use crate::render::differential::{Differential, DifferentialError, differential};
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Draws evidence files again: folded stacks and a flamegraph each, or what changed between two of them. Nothing is written
/// unless all can be drawn.
///
/// # Errors
/// When a file is not evidence or cannot be drawn, or a picture cannot be written.
pub fn flamegraph(args: &FlamegraphArgs) -> Result<(), Failure> {
    let written = if args.diff { draw_difference(args)? } else { draw_each(args)? };
    if args.json {
        return output::print_json(&written);
    }
    output::print(&written.iter().map(|path| format!("wrote {}\n", path.display())).collect::<String>())
}

fn draw_each(args: &FlamegraphArgs) -> Result<Vec<PathBuf>, Failure> {
    let mut pictures = Vec::new();
    for file in &args.files {
        let record = evidence::read(file)?;
        let pair = Pictures::of(&record).with_context(|| format!("cannot draw {}", file.display()))?;
        let folder = args.out.as_deref().or(file.parent()).unwrap_or(Path::new(""));
        pictures.push((pair, folder.join(file.file_stem().unwrap_or_default())));
    }
    for (index, (_, stem)) in pictures.iter().enumerate() {
        let outputs = ["folded", "svg"].map(|ending| with_ending(stem, ending));
        if let Some(input) = args.files.iter().find(|file| outputs.contains(file)) {
            return Err(usage(format_args!(
                "the picture would replace its input {}; give another --out",
                input.display()
            )));
        }
        if pictures[..index].iter().any(|(_, other)| other == stem) {
            let stem = stem.display();
            return Err(usage(format_args!("two files would both be drawn to {stem}.svg; draw them one by one")));
        }
    }
    let mut written = Vec::new();
    for (pair, stem) in pictures {
        written.extend(pair.write(&stem)?);
    }
    Ok(written)
}

/// Draws what changed between two files, named after both.
fn draw_difference(args: &FlamegraphArgs) -> Result<Vec<PathBuf>, Failure> {
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
    Ok(Pictures { folded, svg }.write(&stem)?.into())
}

/// Folded stacks and the flamegraph made of them.
pub(super) struct Pictures {
    pub(super) folded: String,
    pub(super) svg: String,
}

impl Pictures {
    /// Draws a record.
    pub(super) fn of(record: &Evidence) -> Result<Self, render::flamegraph::FlamegraphError> {
        let folded = render::folded::lines(record)?.join("\n") + "\n";
        Ok(Self { folded, svg: render::flamegraph::svg(record)? })
    }

    /// Writes `stem.folded` and `stem.svg`.
    pub(super) fn write(&self, stem: &Path) -> Result<[PathBuf; 2], evidence::WriteError> {
        let paths = [with_ending(stem, "folded"), with_ending(stem, "svg")];
        evidence::write_text(&paths[0], &self.folded)?;
        evidence::write_text(&paths[1], &self.svg)?;
        Ok(paths)
    }
}

/// `stem.ending`, whatever dots the stem has.
pub(super) fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
