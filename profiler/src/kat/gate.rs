use super::error::KatError;
use super::exchange::Exchange;
use super::manifest::Manifest;
use super::record::{GenerateError, generate, require_instance};
use super::text;
use crate::runner::{Part, SuiteSpec};
use kemprof_core::backend::Backend;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::{Kem, Sampling};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether an instance over a suite gives the answers that are published for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The question.
    pub what: String,
    /// The right answer.
    pub expected: String,
    /// The answer given.
    pub got: String,
}

impl Verdict {
    /// The word for a wrong answer.
    pub const FAILED: &'static str = "FAIL";

    /// The verdict in one word, without its reasons.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass { .. } => "PASS",
            Self::Fail(_) => Self::FAILED,
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
    require_instance(instance)?;
    let manifest = Manifest::of(instance)?;
    let answer = match self_test(spec) {
        Err(fault) => Err(fault),
        Ok(()) if manifest.applies_to(spec) => reproduce(&manifest, spec, sampling),
        Ok(()) => kem::visit(instance, Consistency { spec, sampling })
            .ok_or_else(|| GenerateError::UnknownInstance(instance.to_owned()))?
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
            what: format!("consistency of {} over {}", K::name(), self.spec),
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
        for index in [0, K::lengths().ciphertext - 1] {
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

#[cfg(test)]
mod tests {
    use super::super::tiny::Tiny;
    use super::*;
    use kemprof_core::kem::{Error, Lengths};
    use kemprof_core::{Any, Symmetric};

    const NONE: u8 = 0;
    const DISAGREES: u8 = 1;
    const NEVER_REJECTS: u8 = 2;
    const REJECTS_AT_RANDOM: u8 = 3;
    const SAMPLES_DIFFERENTLY: u8 = 4;

    /// [`Tiny`] with a flaw.
    struct Flawed<const FLAW: u8>;

    impl<const FLAW: u8> Kem for Flawed<FLAW> {
        fn name() -> &'static str {
            "flawed"
        }

        fn lengths() -> Lengths {
            Tiny::lengths()
        }

        fn keygen<S: Symmetric>(sym: &mut S, sampling: Sampling, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
            if FLAW == SAMPLES_DIFFERENTLY && sampling == Sampling::Lazy {
                sym.entropy(pk);
            }
            Tiny::keygen(sym, sampling, pk, sk)
        }

        fn encapsulate<S: Symmetric>(
            sym: &mut S,
            sampling: Sampling,
            pk: &[u8],
            ct: &mut [u8],
            ss: &mut [u8],
        ) -> Result<(), Error> {
            Tiny::encapsulate(sym, sampling, pk, ct, ss)?;
            if FLAW == NEVER_REJECTS {
                ss.fill(1);
            }
            Ok(())
        }

        fn decapsulate<S: Symmetric>(
            sym: &mut S,
            sampling: Sampling,
            sk: &[u8],
            ct: &[u8],
            ss: &mut [u8],
        ) -> Result<(), Error> {
            Tiny::decapsulate(sym, sampling, sk, ct, ss)?;
            match FLAW {
                DISAGREES => ss[0] ^= 1,
                NEVER_REJECTS => ss.fill(1),
                REJECTS_AT_RANDOM => {
                    let mut made = vec![0; ct.len()];
                    let message: Vec<u8> =
                        ct.iter().zip(&sk[Self::lengths().public_key..]).map(|(ct, pk)| ct ^ pk).collect();
                    sym.xof(kemprof_core::Role::Noise, &[&sk[Self::lengths().public_key..], &message], &mut made[..8]);
                    if made[..8] != ct[8..] {
                        sym.entropy(ss);
                    }
                }
                _ => {}
            }
            Ok(())
        }
    }

    fn consistency<const FLAW: u8>(sampling: Sampling) -> Result<(), String> {
        let spec = &SuiteSpec::of(Any::Shake);
        Consistency { spec, sampling }.visit::<Flawed<FLAW>>().map_err(|fault| fault.to_string())
    }

    #[test]
    fn every_flaw_is_found() {
        for sampling in [Sampling::Eager, Sampling::Lazy] {
            assert_eq!(consistency::<NONE>(sampling), Ok(()));
            let found = |result: Result<(), String>| result.expect_err("is flawed");
            assert_eq!(
                found(consistency::<DISAGREES>(sampling)),
                "consistency of flawed over shake: expected the secret of the encapsulation, got another (decapsulation)"
            );
            assert_eq!(
                found(consistency::<NEVER_REJECTS>(sampling)),
                "consistency of flawed over shake: expected implicit rejection, got the secret of the encapsulation \
                 (tampered ciphertext)"
            );
            assert_eq!(
                found(consistency::<REJECTS_AT_RANDOM>(sampling)),
                "consistency of flawed over shake: expected the same rejection key again, got another \
                 (tampered ciphertext)"
            );
            assert_eq!(
                found(consistency::<SAMPLES_DIFFERENTLY>(sampling)),
                "consistency of flawed over shake: expected the same keys and ciphertext from eager and lazy, got others \
                 (sampling)"
            );
        }
    }

    #[test]
    fn verdicts_read_as_evidence_has_them() {
        let fault = Fault { what: "a".to_owned(), expected: "b".to_owned(), got: "c".to_owned() };
        assert_eq!(Verdict::Pass { digest: "00".to_owned() }.to_string(), "PASS");
        assert_eq!(Verdict::Fail(fault.clone()).to_string(), "FAIL: a: expected b, got c");
        assert!(!Verdict::Fail(fault).allows_timing());
        let reason = "backend shake has no published vectors".to_owned();
        let verdict = Verdict::NotApplicable { reason };
        assert_eq!(verdict.to_string(), "NOT-APPLICABLE: backend shake has no published vectors");
        assert!(verdict.allows_timing());
    }

    #[test]
    fn a_published_digest_that_is_not_reproduced_fails_with_both() {
        let mut manifest = Manifest::of("lwekem128").expect("is a manifest");
        let right = std::mem::replace(&mut manifest.sha256, "0".repeat(64));
        let fault = reproduce(&manifest, &SuiteSpec::default(), Sampling::Lazy).expect_err("is not reproduced");
        assert_eq!((fault.expected, fault.got), ("0".repeat(64), right));
    }
}
