use super::error::KatError;
use super::format::Format;
use super::gate::{Verdict, known_answer};
use super::manifest::Manifest;
use super::record::{generate, require_instance};
use super::standing::{Standing, standing};
use super::text;
use crate::runner::SuiteSpec;
use kemprof_core::Sampling;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One line of `kemprof kat`: an instance over a suite, and whether it gives what is published.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KatRow {
    /// The instance.
    pub instance: String,
    /// The backends, as on the command line.
    pub backend: String,
    /// How the matrix was sampled.
    pub sampling: Cow<'static, str>,
    /// What the scheme is called over these backends, unless it is the published one.
    pub standing: Option<Cow<'static, str>>,
    /// The format of the known answers.
    pub format: Format,
    /// Their records.
    pub records: usize,
    /// `PASS`, `FAIL` or `NOT-APPLICABLE`.
    pub verdict: Cow<'static, str>,
    /// Why, unless it passed.
    pub reason: Option<String>,
    /// SHA-256 of the known answers in canonical form; `None` when the scheme gives none.
    pub digest: Option<String>,
    /// The published digest, where one applies.
    pub expected: Option<String>,
    /// How many of the records another target made as well, and which; `None` where everything was made here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_target: Option<String>,
}

/// Holds every instance over every suite, sampled in every way, against its known answers.
///
/// # Errors
/// When an instance is unknown, or its manifest is missing or wrong. A wrong answer is a row.
pub fn run(instances: &[&str], specs: &[SuiteSpec], samplings: &[Sampling]) -> Result<Vec<KatRow>, KatError> {
    let mut rows = Vec::new();
    for instance in instances {
        for spec in specs {
            for &sampling in samplings {
                rows.push(row(instance, spec, sampling)?);
            }
        }
    }
    Ok(rows)
}

/// Holds an instance over a suite against its known answers.
///
/// # Errors
/// As [`run`].
pub fn row(instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<KatRow, KatError> {
    let verdict = known_answer(instance, spec, sampling)?;
    let manifest = Manifest::of(instance)?;
    let (digest, reason) = match &verdict {
        Verdict::Pass { digest } => (Some(digest.clone()), None),
        Verdict::Fail(fault) => (digest(&manifest, spec, sampling), Some(fault.to_string())),
        Verdict::NotApplicable { reason } => (digest(&manifest, spec, sampling), Some(reason.clone())),
    };
    Ok(KatRow {
        instance: instance.to_owned(),
        backend: spec.to_string(),
        sampling: sampling.name().into(),
        standing: standing(instance, &spec.backends()).and_then(Standing::remark).map(Cow::Borrowed),
        format: manifest.format,
        records: manifest.records,
        verdict: verdict.word().into(),
        reason,
        digest,
        expected: manifest.applies_to(spec).then_some(manifest.sha256),
        on_target: None,
    })
}

/// The digest of what the scheme gives, right or wrong, if it gives anything.
fn digest(manifest: &Manifest, spec: &SuiteSpec, sampling: Sampling) -> Option<String> {
    let records = generate(&manifest.instance, manifest.format, spec, sampling, manifest.records).ok()?;
    Some(text::digest(text::write(manifest.format, &records).as_bytes()))
}

/// The known answers of an instance over a suite in the format of its published file, and as many as that has unless told
/// otherwise.
///
/// # Errors
/// When there is no such instance, or it does not run.
pub fn file_text(
    instance: &str,
    spec: &SuiteSpec,
    sampling: Sampling,
    records: impl Into<Option<usize>>,
) -> Result<String, KatError> {
    require_instance(instance)?;
    let Manifest { format, records: published, .. } = Manifest::of(instance)?;
    let records = records.into().unwrap_or(published);
    Ok(text::write(format, &generate(instance, format, spec, sampling, records)?))
}
