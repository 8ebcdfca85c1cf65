use crate::analysis::diff;
use crate::cli::{DiffArgs, Failure, output, usage};
use crate::evidence;
use crate::render;
use anyhow::anyhow;

/// Compares two records of one operation and, where asked to, fails when the second is slower.
///
/// # Errors
/// Usage errors (among them records that say nothing about each other, and a gate without ticks); a file that is not evidence;
/// with `--fail-above`, growth beyond it.
pub fn diff(args: &DiffArgs) -> Result<(), Failure> {
    if let Some(limit) = args.fail_above.filter(|limit| !(limit.is_finite() && *limit >= 0.0)) {
        return Err(usage(format_args!("--fail-above {limit} is no limit: expected percent, 0 or more")));
    }
    let (before, after) = (evidence::read(&args.before)?, evidence::read(&args.after)?);
    let compared = diff::diff(&before, &after).map_err(usage)?;
    let verdict = args.fail_above.map(|limit| compared.regression(limit).map_err(usage)).transpose()?;
    if args.json {
        output::print_json(&compared)?;
    } else {
        output::print(&render::diff::report(&compared))?;
    }
    match verdict.flatten() {
        None => Ok(()),
        Some(regression) => Err(anyhow!("{regression}").into()),
    }
}
