use crate::evidence::{Backends, OWN};
use crate::names::{self, UnknownName};
use kemprof_core::backend::Backend;
use kemprof_core::{Any, Drng, Suite};
use std::fmt;
use std::str::FromStr;

/// Which backend serves each group of roles: what `--hash`, `--xof`, `--prf` and `--drng` come to.
///
/// Written as one word, it is a backend for everything, then exceptions: `placeholder`, `placeholder+xof=shake`,
/// `sm3+prf=shake+drng=shake`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct SuiteSpec {
    /// Serves the expansion of the matrix.
    pub xof: Any,
    /// Serves noise and secrets.
    pub prf: Any,
    /// Serves the fixed hashes and key derivation.
    pub hash: Any,
    /// Whose generator serves the random bytes.
    pub drng: Any,
    /// Whether a KEM from outside keeps its own functions: then only the generator is asked, if the KEM has none.
    pub own: bool,
}

/// A group of roles that one backend serves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// Expansion of the matrix.
    Xof,
    /// Noise and secrets.
    Prf,
    /// Fixed hashes and key derivation.
    Hash,
    /// Random bytes.
    Drng,
}

impl Part {
    /// Every part, in the order in which they are written.
    pub const ALL: [Self; 4] = [Self::Xof, Self::Prf, Self::Hash, Self::Drng];

    /// The name in a specification, on the command line and in evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xof => "xof",
            Self::Prf => "prf",
            Self::Hash => "hash",
            Self::Drng => "drng",
        }
    }
}

/// Why a choice of backends was not understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SuiteSpecError {
    /// No backend has this name.
    #[error(transparent)]
    UnknownBackend(#[from] UnknownName),
    /// An exception is not for a part that exists.
    #[error("unknown part {name:?} in {spec:?}; parts are xof, prf, hash and drng, as in placeholder+xof=shake")]
    UnknownPart {
        /// The part given.
        name: String,
        /// The whole specification.
        spec: String,
    },
    /// An exception has no `=`, or stands where the backend for everything should.
    #[error("{text:?} in {spec:?} is not of the form BACKEND or BACKEND+PART=BACKEND, as in placeholder+xof=shake")]
    Malformed {
        /// What was found.
        text: String,
        /// The whole specification.
        spec: String,
    },
    /// A KEM's own functions serve all roles or none.
    #[error("{part} in {spec:?} takes one role from the KEM's own functions; they serve all or none")]
    Mixed {
        /// The name of the part.
        part: &'static str,
        /// The whole specification.
        spec: String,
    },
    /// A part is given twice.
    #[error("{part} is given twice in {spec:?}")]
    Repeated {
        /// The name of the part.
        part: &'static str,
        /// The whole specification.
        spec: String,
    },
}

/// The backend of this name.
///
/// # Errors
/// When there is none; the error lists those that there are.
pub fn backend(name: &str) -> Result<Any, SuiteSpecError> {
    Ok(names::choose("backend", name, Any::ALL, |backend| backend.name())?)
}

impl SuiteSpec {
    /// The functions that a KEM from outside brings.
    pub const OWN: Self = Self { own: true, ..Self::of(Any::Placeholder) };

    /// One backend for everything.
    #[must_use]
    pub const fn of(backend: Any) -> Self {
        Self { xof: backend, prf: backend, hash: backend, drng: backend, own: false }
    }

    /// The backend that serves `part`.
    #[must_use]
    pub const fn get(&self, part: Part) -> Any {
        match part {
            Part::Xof => self.xof,
            Part::Prf => self.prf,
            Part::Hash => self.hash,
            Part::Drng => self.drng,
        }
    }

    /// The same, but `backend` serves `part`.
    #[must_use]
    pub const fn with(mut self, part: Part, backend: Any) -> Self {
        match part {
            Part::Xof => self.xof = backend,
            Part::Prf => self.prf = backend,
            Part::Hash => self.hash = backend,
            Part::Drng => self.drng = backend,
        }
        self
    }

    /// The backends themselves, the generator instantiated with `seed`.
    #[must_use]
    pub fn build(&self, seed: &[u8]) -> Suite<Any> {
        self.build_with(self.drng.drng(seed))
    }

    /// The backends themselves, with a generator from elsewhere.
    #[must_use]
    pub fn build_with<D: Drng>(&self, drng: D) -> Suite<Any, D> {
        Suite { xof: self.xof, prf: self.prf, hash: self.hash, drng, own: self.own }
    }

    /// The names as evidence has them: of the backends, and of the generator itself.
    #[must_use]
    pub fn names(&self) -> [(&'static str, &'static str); 4] {
        Part::ALL.map(|part| {
            let backend = self.get(part);
            let name = match part {
                Part::Drng => backend.drng(&[]).name(),
                _ if self.own => OWN,
                _ => backend.name(),
            };
            (part.name(), name)
        })
    }

    /// The same as a record has them.
    #[must_use]
    pub fn backends(&self) -> Backends {
        let [xof, prf, hash, drng] = self.names().map(|(_, name)| name.to_owned());
        Backends { xof, prf, hash, drng, generator: Some(self.drng.name().to_owned()) }
    }

    /// Whether every part is served by one of `backends`.
    #[must_use]
    pub fn is_among(&self, backends: &[&str]) -> bool {
        Part::ALL.iter().all(|&part| backends.contains(&self.get(part).name()))
    }
}

impl Default for SuiteSpec {
    /// The functions that candidates are submitted with.
    fn default() -> Self {
        Self::of(Any::Placeholder)
    }
}

impl fmt::Display for SuiteSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.backends().spelled())
    }
}

impl FromStr for SuiteSpec {
    type Err = SuiteSpecError;

    fn from_str(spec: &str) -> Result<Self, Self::Err> {
        let mut words = spec.split('+').map(str::trim);
        let malformed = |text: &str| SuiteSpecError::Malformed { text: text.to_owned(), spec: spec.to_owned() };
        let base = words.next().filter(|base| spec.is_empty() || !base.is_empty() && !base.contains('='));
        let base = base.ok_or_else(|| malformed(spec.split('+').next().unwrap_or(spec)))?;
        let mut suite = if base.eq_ignore_ascii_case(OWN) { Self::OWN } else { Self::of(backend(base)?) };
        let mut seen = Vec::new();
        for word in words {
            let (name, value) = word.split_once('=').ok_or_else(|| malformed(word))?;
            let part = Part::ALL
                .into_iter()
                .find(|part| part.name().eq_ignore_ascii_case(name.trim()))
                .ok_or_else(|| SuiteSpecError::UnknownPart { name: name.trim().to_owned(), spec: spec.to_owned() })?;
            if seen.contains(&part) {
                return Err(SuiteSpecError::Repeated { part: part.name(), spec: spec.to_owned() });
            }
            if suite.own && part != Part::Drng {
                return Err(SuiteSpecError::Mixed { part: part.name(), spec: spec.to_owned() });
            }
            seen.push(part);
            suite = suite.with(part, backend(value.trim())?);
        }
        Ok(suite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(spec: &str) -> Result<SuiteSpec, SuiteSpecError> {
        spec.parse()
    }

    #[test]
    fn every_choice_reads_back_as_it_is_written() {
        for &xof in Any::ALL {
            for &prf in Any::ALL {
                for &hash in Any::ALL {
                    for &drng in Any::ALL {
                        let spec = SuiteSpec { xof, prf, hash, drng, own: false };
                        assert_eq!(parse(&spec.to_string()), Ok(spec));
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_read_in_any_case() {
        assert_eq!(parse("SHAKE"), Ok(SuiteSpec::of(Any::Shake)));
        assert_eq!(parse("Turbo-SHAKE+XOF=Ascon"), parse("turboshake+xof=ascon"));
    }

    #[test]
    fn functions_of_the_kems_own_are_all_or_none() {
        assert_eq!(parse("own+drng=placeholder"), Ok(SuiteSpec::OWN));
        assert_eq!(SuiteSpec::OWN.to_string(), "own+drng=placeholder");
        assert!(parse("own+xof=shake").expect_err("is mixed").to_string().contains("all or none"));
    }

    #[test]
    fn exceptions_override_one_part() {
        let spec = parse("placeholder+xof=shake").expect("is a specification");
        assert_eq!(spec, SuiteSpec::of(Any::Placeholder).with(Part::Xof, Any::Shake));
        assert_eq!(spec.to_string(), "placeholder+xof=shake");
        assert_eq!(
            parse("shake+prf=placeholder+hash=placeholder+drng=placeholder"),
            Ok(SuiteSpec::of(Any::Placeholder).with(Part::Xof, Any::Shake))
        );
        assert_eq!(parse("shake"), Ok(SuiteSpec::of(Any::Shake)));
    }

    #[test]
    fn names_are_those_of_evidence() {
        let spec = parse("shake+drng=placeholder").expect("is a specification");
        let names = [("xof", "shake"), ("prf", "shake"), ("hash", "shake"), ("drng", "hash-drbg-sm3")];
        assert_eq!(spec.names(), names);
        assert_eq!((spec.backends().xof, spec.backends().drng), ("shake".to_owned(), "hash-drbg-sm3".to_owned()));
        assert!(spec.is_among(&["placeholder", "shake"]) && !spec.is_among(&["shake"]));
    }

    #[test]
    fn build_seeds_the_generator() {
        let draw = |seed: &[u8]| {
            let mut out = [0; 16];
            SuiteSpec::default().build(seed).drng.generate(&mut out);
            out
        };
        assert_eq!(draw(b"a"), draw(b"a"));
        assert_ne!(draw(b"a"), draw(b"b"));
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let message = |spec: &str| parse(spec).expect_err("is not a specification").to_string();
        assert!(message("md5").starts_with("unknown backend \"md5\"; known: placeholder, "), "{}", message("md5"));
        assert!(message("placeholder+xof=md5").contains("unknown backend \"md5\""));
        assert!(message("ascom").contains("did you mean ascon?"), "{}", message("ascom"));
        assert!(message("placeholder+mac=shake").contains("unknown part \"mac\""));
        assert!(message("placeholder+shake").contains("not of the form"));
        assert!(message("xof=shake").contains("not of the form"));
        assert!(message("").contains("unknown backend \"\"; known: "));
        assert!(message("+xof=shake").contains("not of the form"));
        assert!(message("shake+xof=shake+xof=placeholder").contains("xof is given twice"));
    }
}
