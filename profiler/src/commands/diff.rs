use crate::analysis::diff;
use crate::cli::{DiffArgs, Failure, output, usage};
use crate::evidence;
use crate::render;
use anyhow::anyhow;

/// Compares two records of one operation and, where asked to, fails when the second is slower.
///
/// # Errors
/// Usage errors (among them a file that is not evidence, records that say nothing about each other, and a gate without ticks);
/// with `--fail-above`, growth beyond it and beyond the spread of both records' trials.
pub fn diff(args: &DiffArgs) -> Result<(), Failure> {
    if let Some(limit) = args.fail_above.filter(|limit| !(limit.is_finite() && *limit >= 0.0)) {
        return Err(usage(format_args!("--fail-above {limit} is no limit: expected percent, 0 or more")));
    }
    // Exit code 1 is a regression's alone.
    let read = |file| evidence::read(file).map_err(usage);
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let compared = diff::diff(&before, &after).map_err(usage)?;
    let verdict = args.fail_above.map(|limit| compared.gate(limit).map_err(usage)).transpose()?.unwrap_or_default();
    if args.json {
        output::print_json(&compared)?;
    } else {
        let noise = verdict.noise.filter(|_| verdict.regression.is_none());
        let noise = noise.map(|growth| format!("no regression: {growth}, within the spread of the trials\n"));
        output::print(&(render::diff::report(&compared) + &noise.unwrap_or_default()))?;
    }
    match verdict.regression {
        None => Ok(()),
        Some(regression) => Err(anyhow!("{regression}").into()),
    }
}
