use super::job::Job;
use super::suite_spec::{SuiteSpec, SuiteSpecError};
use crate::evidence::variant;
use kemprof_core::Sampling;
use std::fmt;
use std::str::FromStr;

/// One of several ways to run a scheme, as `kemprof compare` takes them: symmetric functions, and how the matrix is sampled with
/// them.
///
/// Written as one word: `placeholder`, `sm3@lazy`, `placeholder+xof=shake@lazy`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    /// The symmetric functions.
    pub spec: SuiteSpec,
    /// How the matrix is sampled.
    pub sampling: Sampling,
}

/// Why a variant was not understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum VariantError {
    /// The symmetric functions were not.
    #[error(transparent)]
    Spec(#[from] SuiteSpecError),
    /// The sampling was not.
    #[error("unknown sampling {name:?} in {variant:?}; there are @eager and @lazy")]
    Sampling {
        /// The name given.
        name: String,
        /// The whole variant.
        variant: String,
    },
}

impl Variant {
    /// The variant that a job runs.
    #[must_use]
    pub const fn of(job: &Job) -> Self {
        Self { spec: job.spec, sampling: job.sampling }
    }

    /// Reads a variant that samples as `sampling` says where it does not say so itself.
    ///
    /// # Errors
    /// [`VariantError`].
    pub fn parse(text: &str, sampling: Sampling) -> Result<Self, VariantError> {
        let (spec, own) = Self::read(text)?;
        Ok(Self { spec, sampling: own.unwrap_or(sampling) })
    }

    /// Reads symmetric functions and, where they have one, the sampling with them.
    ///
    /// # Errors
    /// [`VariantError`].
    pub fn read(text: &str) -> Result<(SuiteSpec, Option<Sampling>), VariantError> {
        let (spec, sampling) = match text.split_once('@') {
            None => (text, None),
            Some((spec, name)) => (spec, Some(named(name.trim(), text)?)),
        };
        Ok((spec.trim().parse()?, sampling))
    }
}

fn named(name: &str, variant: &str) -> Result<Sampling, VariantError> {
    [Sampling::Eager, Sampling::Lazy]
        .into_iter()
        .find(|sampling| sampling.name().eq_ignore_ascii_case(name))
        .ok_or_else(|| VariantError::Sampling { name: name.to_owned(), variant: variant.to_owned() })
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text, Sampling::default())
    }
}

impl fmt::Display for Variant {
    /// The shortest word that reads back as this variant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&variant(&self.spec.to_string(), self.sampling.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kemprof_core::Any;
    use proptest::prelude::*;

    #[test]
    fn every_variant_reads_back_as_it_is_written() {
        let [xof, prf, hash, drng] = [0; 4].map(|_| proptest::sample::select(Any::ALL));
        let samplings = proptest::sample::select(vec![Sampling::Eager, Sampling::Lazy]);
        proptest!(|((xof, prf, hash, drng) in (xof, prf, hash, drng), sampling in samplings)| {
            let variant = Variant { spec: SuiteSpec { xof, prf, hash, drng, own: false }, sampling };
            prop_assert_eq!(variant.to_string().parse(), Ok(variant));
            // Evidence spells it in the same way.
            let suite = variant.spec.backends().spelled();
            prop_assert_eq!(crate::evidence::variant(&suite, sampling.name()), variant.to_string());
        });
    }

    #[test]
    fn variants_read_back_as_they_are_written() {
        for text in ["placeholder", "sm3@lazy", "placeholder+xof=shake@lazy", "shake+drng=placeholder"] {
            assert_eq!(text.parse::<Variant>().map(|variant| variant.to_string()), Ok(text.to_owned()));
        }
        let eager: Variant = "sm3@eager".parse().expect("is a variant");
        assert_eq!(eager.to_string(), "sm3");
    }

    #[test]
    fn a_variant_overrides_what_holds_for_all() {
        let sampling = |text| Variant::parse(text, Sampling::Lazy).map(|variant| variant.sampling);
        assert_eq!(sampling("sm3"), Ok(Sampling::Lazy));
        assert_eq!(sampling("sm3@eager"), Ok(Sampling::Eager));
        assert_eq!(sampling(" sm3 @ eager "), Ok(Sampling::Eager));
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let message = |text: &str| text.parse::<Variant>().expect_err("is no variant").to_string();
        assert_eq!(message("sm3@later"), "unknown sampling \"later\" in \"sm3@later\"; there are @eager and @lazy");
        assert!(message("md5@lazy").contains("unknown backend \"md5\""));
        assert!(message("@lazy").contains("unknown backend \"\""));
        assert!(message("sm3@lazy@lazy").contains("unknown sampling \"lazy@lazy\""));
    }
}
