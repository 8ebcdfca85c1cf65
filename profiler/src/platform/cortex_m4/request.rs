//! What this machine asks for, in the words of the protocol.

use super::M4Error;
use crate::evidence;
use crate::runner::{Job, Part, SuiteSpec};
use kemprof_core::backend::Backend;
use kemprof_core::kem::INSTANCES;
use kemprof_core::symmetric::Shape;
use kemprof_core::{Any, Sampling};
use kemprof_protocol::{Backends, FunctionCall, Operation, Profile, Subject};

/// Backends that the firmware is built without: BLAKE3's XOF is a hash made for PCs.
const ABSENT: [&str; 1] = ["blake3"];

pub(super) fn is_in_firmware(backend: Any) -> bool {
    !ABSENT.contains(&backend.name())
}

/// The trials of a job.
pub(super) fn profile(job: &Job) -> Result<Profile, M4Error> {
    Ok(Profile {
        subject: subject(&job.instance, &job.spec, job.sampling)?,
        operation: match job.operation {
            evidence::Operation::Keygen => Operation::Keygen,
            evidence::Operation::Enc => Operation::Enc,
            evidence::Operation::Dec => Operation::Dec,
        },
        seed: job.seed.as_slice().try_into().map_err(|_| M4Error::SeedTooLong(job.seed.len()))?,
        trials: job.plan.trials,
        iterations: job.plan.iterations_per_trial,
        warmups: job.plan.warmups,
    })
}

/// An instance over a suite.
pub(super) fn subject(instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<Subject, M4Error> {
    if let Some(part) = Part::ALL.into_iter().find(|part| !is_in_firmware(spec.get(*part))) {
        return Err(M4Error::NoBackend(spec.get(part).name()));
    }
    let known = INSTANCES.iter().copied().find(|known| *known == instance);
    let instance = known.ok_or_else(|| M4Error::Usage(format!("unknown instance {instance:?}")))?;
    Ok(Subject { instance, backends: backends(spec), sampling })
}

pub(super) const fn backends(spec: &SuiteSpec) -> Backends {
    Backends { xof: spec.xof, prf: spec.prf, hash: spec.hash, drng: spec.drng }
}

/// Calls of this shape.
pub(super) const fn function(spec: &SuiteSpec, shape: Shape, samples: u32, iterations: u32) -> FunctionCall {
    FunctionCall { backends: backends(spec), shape, samples, iterations }
}
