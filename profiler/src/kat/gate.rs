use super::error::KatError;
use super::exchange::Exchange;
use super::manifest::Manifest;
use super::record::{GenerateError, generate};
use super::text;
use crate::runner::{Part, SuiteSpec};
use kemprof_core::backend::Backend;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::{Kem, Sampling};
use std::fmt;

/// Whether an instance over a suite gives the answers that are published for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It does.
    Pass {
        /// SHA-256 of its known-answer file in canonical form.
        digest: String,
    },
    /// It does not, or it contradicts itself.
    Fail(Fault),
    /// Nothing is published for these backends; the scheme agrees with itself.
    NotApplicable {
        /// Why nothing applies.
        reason: String,
    },
}

/// A wrong answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The question.
    pub what: String,
    /// The right answer.
    pub expected: String,
    /// The answer given.
    pub got: String,
}

impl Verdict {
    /// The verdict in one word, without its reasons.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass { .. } => "PASS",
            Self::Fail(_) => "FAIL",
            Self::NotApplicable { .. } => "NOT-APPLICABLE",
        }
    }

    /// Whether the combination may be timed.
    #[must_use]
    pub const fn allows_timing(&self) -> bool {
        !matches!(self, Self::Fail(_))
    }
}

impl fmt::Display for Verdict {
    /// As evidence has it: `PASS`, `FAIL: …` or `NOT-APPLICABLE: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass { .. } => f.write_str(self.word()),
            Self::Fail(fault) => write!(f, "{}: {fault}", self.word()),
            Self::NotApplicable { reason } => write!(f, "{}: {reason}", self.word()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.what, self.expected, self.got)
    }
}

/// Holds an instance over a suite against its published known answers. Where none are published for these backends,
/// checks that it agrees with itself, so that nothing broken is timed. The self-tests of the backends come first.
///
/// # Errors
/// When there is no such instance, or its manifest is missing or wrong.
pub fn known_answer(instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<Verdict, KatError> {
    let unknown = || GenerateError::UnknownInstance(instance.to_owned());
    if !kem::INSTANCES.contains(&instance) {
        return Err(unknown().into());
    }
    let manifest = Manifest::of(instance)?;
    let answer = match self_test(spec) {
        Err(fault) => Err(fault),
        Ok(()) if manifest.applies_to(spec) => reproduce(&manifest, spec, sampling),
        Ok(()) => kem::visit(instance, Consistency { spec, sampling })
            .ok_or_else(unknown)?
            .map(|()| Verdict::NotApplicable { reason: format!("backend {spec} has no published vectors") }),
    };
    Ok(answer.unwrap_or_else(Verdict::Fail))
}

fn self_test(spec: &SuiteSpec) -> Result<(), Fault> {
    for part in Part::ALL {
        spec.get(part).self_test().map_err(|error| Fault {
            what: format!("self-test of backend {}", error.backend),
            expected: "the right answers".to_owned(),
            got: format!("a wrong answer from {}", error.what),
        })?;
    }
    Ok(())
}

fn reproduce(manifest: &Manifest, spec: &SuiteSpec, sampling: Sampling) -> Result<Verdict, Fault> {
    let Manifest { instance, format, records, sha256, .. } = manifest;
    let generated = generate(instance, *format, spec, sampling, *records).map_err(|error| Fault {
        what: format!("known answers of {instance}"),
        expected: "a scheme that accepts its own keys and ciphertexts".to_owned(),
        got: error.to_string(),
    })?;
    let digest = text::digest(text::write(*format, &generated).as_bytes());
    if digest == *sha256 {
        Ok(Verdict::Pass { digest })
    } else {
        let what = format!("SHA-256 of the known answers of {instance}");
        Err(Fault { what, expected: sha256.clone(), got: digest })
    }
}

/// Checks that a scheme agrees with itself: decapsulation gives the secret of the encapsulation, a tampered ciphertext
/// gives another, the same one each time, and both ways of sampling give the same keys.
pub(super) struct Consistency<'a> {
    pub(super) spec: &'a SuiteSpec,
    pub(super) sampling: Sampling,
}

impl Visitor for Consistency<'_> {
    type Output = Result<(), Fault>;

    fn visit<K: Kem>(self) -> Self::Output {
        let fault = |what: &str, expected: &str, got: &str| Fault {
            what: format!("consistency of {} over {}", K::NAME, self.spec),
            expected: expected.to_owned(),
            got: format!("{got} ({what})"),
        };
        let refused =
            |error: kem::Error| fault("its own keys", "a scheme that accepts what it made", &error.to_string());
        let mut suite = self.spec.build(SEED);
        let exchange = Exchange::run::<K>(&mut suite, self.sampling).map_err(refused)?;
        let mut decapsulate = |ciphertext: &[u8]| exchange.decapsulate::<K>(&mut suite, self.sampling, ciphertext);
        if decapsulate(&exchange.ciphertext).map_err(refused)? != exchange.shared_secret {
            return Err(fault("decapsulation", "the secret of the encapsulation", "another"));
        }
        for index in [0, K::CIPHERTEXT - 1] {
            let mut tampered = exchange.ciphertext.clone();
            tampered[index] ^= 1;
            let secret = decapsulate(&tampered).map_err(refused)?;
            if secret == exchange.shared_secret {
                return Err(fault("tampered ciphertext", "implicit rejection", "the secret of the encapsulation"));
            }
            if secret != decapsulate(&tampered).map_err(refused)? {
                return Err(fault("tampered ciphertext", "the same rejection key again", "another"));
            }
        }
        let other = match self.sampling {
            Sampling::Eager => Sampling::Lazy,
            Sampling::Lazy => Sampling::Eager,
        };
        match Exchange::run::<K>(&mut self.spec.build(SEED), other).map_err(refused)? == exchange {
            true => Ok(()),
            false => Err(fault("sampling", "the same keys and ciphertext from eager and lazy", "others")),
        }
    }
}

/// The seed of the consistency check: any.
const SEED: &[u8] = b"consistency check";
