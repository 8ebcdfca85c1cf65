//! Options as typed settings. What is wrong with them is a usage error.

use crate::cli::{Failure, ProfileArgs, SuiteArgs, TargetArgs, usage};
use crate::evidence::{Operation, Plan};
use crate::runner::{Job, Part, SuiteSpec, backend};
use crate::target::{Host, Target, TargetError, TargetName};
use kemprof_core::Sampling;
use kemprof_core::kem::INSTANCES;

/// The seed when none is given: the bytes 00, 01, ..., 2f, as long as the seeds of NIST's known-answer files.
const DEFAULT_SEED: [u8; 48] = {
    let mut seed = [0; 48];
    let mut index = 0;
    while index < seed.len() {
        seed[index] = index as u8;
        index += 1;
    }
    seed
};

/// The instance of this name.
pub(super) fn instance(name: &str) -> Result<&'static str, Failure> {
    let known = || INSTANCES.join(", ");
    INSTANCES
        .iter()
        .copied()
        .find(|known| *known == name)
        .ok_or_else(|| usage(format_args!("unknown instance {name:?}; known: {}", known())))
}

/// The backends that the options choose.
pub(super) fn suite(args: &SuiteArgs) -> Result<SuiteSpec, Failure> {
    let mut spec: SuiteSpec = args.hash.parse().map_err(usage)?;
    for (part, name) in [(Part::Xof, &args.xof), (Part::Prf, &args.prf), (Part::Drng, &args.drng)] {
        if let Some(name) = name {
            spec = spec.with(part, backend(name).map_err(usage)?);
        }
    }
    Ok(spec)
}

/// The seed in hexadecimal, or the default.
pub(super) fn seed(hexadecimal: Option<&str>) -> Result<Vec<u8>, Failure> {
    let Some(text) = hexadecimal else { return Ok(DEFAULT_SEED.to_vec()) };
    match hex::decode(text) {
        Ok(seed) if !seed.is_empty() => Ok(seed),
        Ok(_) => Err(usage("--seed is empty, expected hexadecimal digits")),
        Err(error) => Err(usage(format_args!("--seed {text:?} is not hexadecimal: {error}"))),
    }
}

/// Options that say how to measure on this machine.
#[derive(Clone, Debug, Default)]
pub(super) struct HostOptions {
    pub(super) counter: Option<String>,
    pub(super) cpu: Option<usize>,
}

/// The target that the options choose.
pub(super) fn target(args: &TargetArgs, host: HostOptions, command: &[String]) -> Result<Box<dyn Target>, Failure> {
    match args.target {
        TargetName::Host => {
            let counter = host.counter.unwrap_or_else(|| "auto".to_owned());
            Ok(Box::new(Host::new(counter, host.cpu, command.to_vec())))
        }
    }
}

/// The exit code that an error of a target asks for.
pub(super) fn failure(error: TargetError) -> Failure {
    if error.is_usage() { usage(error) } else { error.into() }
}

/// What `operation` is to run. How much of it is for the target to say: its plan is empty.
pub(super) fn job(operation: Operation, args: &ProfileArgs) -> Result<Job, Failure> {
    Ok(Job {
        instance: instance(&args.instance)?.to_owned(),
        operation,
        spec: suite(&args.suite)?,
        sampling: Sampling::from(args.sampling),
        seed: seed(args.seed.as_deref())?,
        plan: Plan::default(),
    })
}
