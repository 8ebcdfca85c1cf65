use crate::analysis::whatif::{Speed, WhatIfError, predict};
use crate::cli::{Failure, WhatIfArgs, output, usage};
use crate::evidence;
use crate::render;

/// Predicts what an operation would take if parts of it were faster, from its evidence alone.
///
/// # Errors
/// Usage errors of the speeds; a file that is not evidence or has no ticks.
pub fn whatif(args: &WhatIfArgs) -> Result<(), Failure> {
    let speeds: Vec<Speed> = args.speeds.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(usage)?;
    let record = evidence::read(&args.file)?;
    let prediction = predict(&record, &speeds).map_err(|error| match error {
        WhatIfError::NoTicks { .. } => error.into(),
        _ => usage(error),
    })?;
    if args.json {
        return output::print_json(&prediction);
    }
    output::print(&render::whatif::report(&record, &prediction))
}
