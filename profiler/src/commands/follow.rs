use super::settings;
use crate::cli::{Failure, FollowArgs, output, usage};
use crate::counter::callgrind::Boundaries;
use crate::evidence::{Operation, Plan};
use crate::guest;
use crate::runner::{self, Job, Variant};
use kemprof_core::Sampling;

/// Runs one operation under valgrind, which another kemprof started for `--profile instructions`, and prints the phases of each part
/// of what callgrind writes.
///
/// # Errors
/// Arguments that make no sense; no valgrind around this program; an operation that fails.
pub fn follow(args: &FollowArgs) -> Result<(), Failure> {
    let Variant { spec, sampling } = Variant::parse(&args.variant, Sampling::default()).map_err(usage)?;
    let operation = Operation::ALL.into_iter().find(|operation| operation.name() == args.operation);
    let job = Job {
        instance: match guest::is_manifest(&args.instance) {
            true => guest::open(&args.instance)?.name.to_owned(),
            false => settings::instance(&args.instance)?.to_owned(),
        },
        operation: operation.ok_or_else(|| usage(format_args!("unknown operation {:?}", args.operation)))?,
        spec,
        sampling,
        seed: settings::seed(Some(&args.seed))?,
        plan: Plan::default(),
    };
    let boundaries = Boundaries::new().map_err(usage)?;
    let parts = runner::observe(&job, boundaries)?.into_parts();
    let names = |phases: Vec<kemprof_core::Phase>| phases.into_iter().map(kemprof_core::Phase::name).collect();
    output::print_json(&parts.into_iter().map(names).collect::<Vec<Vec<&str>>>())
}
