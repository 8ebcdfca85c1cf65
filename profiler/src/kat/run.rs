use super::draws::{Given, Noted};
use super::record::GenerateError;
use crate::runner::SuiteSpec;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::{Kem, Sampling};

/// One operation on given inputs, without a generator.
#[derive(Clone, Copy, Debug)]
pub(super) enum Question<'a> {
    /// A key pair from these random bytes: d ‖ z in FIPS 203.
    Keygen(&'a [u8]),
    /// A ciphertext and its secret for this key, from these random bytes: m in FIPS 203.
    Encapsulate(&'a [u8], &'a [u8]),
    /// What this key makes of this ciphertext.
    Decapsulate(&'a [u8], &'a [u8]),
}

/// What came of it, in the order of FIPS 203: `(ek, dk)`, `(K, c)` is written `(c, K)` here, `K`.
pub(super) type Answer = Result<Vec<Vec<u8>>, Refusal>;

/// Why an operation gave nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// An input is none of the scheme's.
    #[error(transparent)]
    Input(#[from] kem::Error),
    /// The random bytes are not as many as it draws.
    #[error("{got} random bytes are given, expected {expected}")]
    Draws { got: usize, expected: usize },
}

/// Runs one operation.
pub(super) fn answer(
    instance: &str,
    spec: &SuiteSpec,
    sampling: Sampling,
    question: Question<'_>,
) -> Result<Answer, GenerateError> {
    let visitor = Ask { spec, sampling, question };
    kem::visit(instance, visitor).ok_or_else(|| GenerateError::UnknownInstance(instance.to_owned()))
}

struct Ask<'a> {
    spec: &'a SuiteSpec,
    sampling: Sampling,
    question: Question<'a>,
}

impl Visitor for Ask<'_> {
    type Output = Answer;

    fn visit<K: Kem>(self) -> Answer {
        let given = match self.question {
            Question::Keygen(draws) | Question::Encapsulate(_, draws) => draws,
            Question::Decapsulate(..) => &[],
        };
        let (drng, draws) = Noted::new(Given::new(given));
        let mut sym = self.spec.build_with(drng);
        let outputs = match self.question {
            Question::Keygen(_) => {
                let (mut pk, mut sk) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
                K::keygen(&mut sym, self.sampling, &mut pk, &mut sk)?;
                vec![pk, sk]
            }
            Question::Encapsulate(pk, _) => {
                let (mut ct, mut ss) = (vec![0; K::lengths().ciphertext], vec![0; K::lengths().shared_secret]);
                K::encapsulate(&mut sym, self.sampling, pk, &mut ct, &mut ss)?;
                vec![ct, ss]
            }
            Question::Decapsulate(sk, ct) => {
                let mut ss = vec![0; K::lengths().shared_secret];
                K::decapsulate(&mut sym, self.sampling, sk, ct, &mut ss)?;
                vec![ss]
            }
        };
        let (got, expected) = (given.len(), draws.borrow().len());
        if got == expected { Ok(outputs) } else { Err(Refusal::Draws { got, expected }) }
    }
}
