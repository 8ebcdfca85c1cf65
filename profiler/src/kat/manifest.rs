use super::file::MAX_RECORDS;
use super::format::{Format, Value};
use super::text::file_bytes;
use crate::evidence::Sizes;
use crate::runner::{Part, SuiteSpec};
use crate::words::plural;
use kemprof_core::Any;
use kemprof_core::backend::Backend;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// The schema of manifests.
const SCHEMA: &str = "kemprof-kat/1";

/// Declares which manifests are built in: one file in `kat/` and one name here for each instance.
macro_rules! manifests {
    ($($instance:literal,)*) => {
        const MANIFESTS: &[(&str, &str)] = &[$((
            $instance,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../kat/", $instance, ".json")),
        ),)*];
    };
}

manifests! {
    "lwekem128",
    "lwekem256",
    "lwekem512",
    "kyber512",
    "kyber768",
    "kyber1024",
    "ml-kem-512",
    "ml-kem-768",
    "ml-kem-1024",
}

/// What is published of an instance's known answers, and where.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The schema: `kemprof-kat/1`.
    schema: String,
    /// The instance.
    pub instance: String,
    /// The format of the published file.
    pub format: Format,
    /// Its records.
    pub records: usize,
    /// Its length in bytes, with `\n` line ends.
    pub bytes: usize,
    /// SHA-256 of its canonical form, in lower-case hexadecimal.
    pub sha256: String,
    /// Longer files of the same sequence that are published too.
    #[serde(default)]
    longer: Vec<Longer>,
    /// The backends that reproduce it, alone or mixed.
    pub backends: Vec<String>,
    /// Lengths in bytes of keys, ciphertext and secret.
    pub sizes: Sizes,
    /// Where the file comes from.
    pub source: String,
    /// How the digest was recomputed before it was written down.
    pub recomputed: String,
}

/// A longer file that is published too.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Longer {
    records: usize,
    sha256: String,
    /// Where its digest comes from.
    source: String,
}

/// A published file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Published {
    /// Its records.
    pub records: usize,
    /// SHA-256 of its canonical form, in lower-case hexadecimal.
    pub sha256: String,
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the published file of {}", plural(self.records, "record"))
    }
}

/// Why there is no manifest to hold an instance against.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// None is built in.
    #[error("no known answers are published here for {instance}: kat/{instance}.json is missing")]
    Missing {
        /// The instance.
        instance: String,
    },
    /// It is not JSON, or not of the manifest's shape.
    #[error("kat/{instance}.json cannot be read: {source}")]
    Malformed {
        /// The instance.
        instance: String,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// A field contradicts the others or the schema.
    #[error("kat/{instance}.json: {field} is {got}, expected {expected}")]
    Inconsistent {
        /// The instance.
        instance: String,
        /// The field.
        field: &'static str,
        /// Its value.
        got: String,
        /// What it should be.
        expected: String,
    },
}

impl Manifest {
    /// The manifest of an instance.
    ///
    /// # Errors
    /// When there is none, or it is not what a manifest should be.
    pub fn of(instance: &str) -> Result<Self, ManifestError> {
        let text = MANIFESTS.iter().find(|(name, _)| *name == instance).map(|(_, text)| *text);
        Self::parse(instance, text.ok_or_else(|| ManifestError::Missing { instance: instance.to_owned() })?)
    }

    /// Whether a suite of these backends should reproduce the published file. Where the file's format brings a generator
    /// of its own, the suite's does not matter.
    #[must_use]
    pub fn applies_to(&self, spec: &SuiteSpec) -> bool {
        let backends: Vec<&str> = self.backends.iter().map(String::as_str).collect();
        match self.format {
            Format::Ngcc => spec.is_among(&backends),
            Format::NistKat => spec.with(Part::Drng, spec.hash).is_among(&backends),
        }
    }

    /// The files that are published of the instance.
    #[must_use]
    pub fn published(&self) -> Vec<Published> {
        let first = Published { records: self.records, sha256: self.sha256.clone() };
        let longer = self.longer.iter().map(|file| Published { records: file.records, sha256: file.sha256.clone() });
        std::iter::once(first).chain(longer).collect()
    }

    /// A suite of each backend that reproduces the published file.
    #[must_use]
    pub fn suites(&self) -> Vec<SuiteSpec> {
        self.backends.iter().filter_map(|name| Any::by_name(name)).map(SuiteSpec::of).collect()
    }

    fn parse(instance: &str, text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = serde_json::from_str(text)
            .map_err(|source| ManifestError::Malformed { instance: instance.to_owned(), source })?;
        match manifest.inconsistency(instance) {
            None => Ok(manifest),
            Some((field, got, expected)) => {
                Err(ManifestError::Inconsistent { instance: instance.to_owned(), field, got, expected })
            }
        }
    }

    /// The first field that is not as it should be, its value, and what it should be.
    fn inconsistency(&self, instance: &str) -> Option<(&'static str, String, String)> {
        let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
        let digest = is_digest(&self.sha256);
        let longer = |file: &Longer| {
            (self.records + 1..=MAX_RECORDS).contains(&file.records)
                && is_digest(&file.sha256)
                && !file.source.is_empty()
        };
        let bytes = file_bytes(self.format, self.records.min(MAX_RECORDS), |value| match value {
            Value::Seed => self.format.seed_bytes(),
            Value::PublicKey => self.sizes.pk,
            Value::SecretKey => self.sizes.sk,
            Value::Ciphertext => self.sizes.ct,
            Value::SharedSecret => self.sizes.ss,
            // No published file has them.
            Value::D | Value::Z | Value::Message | Value::RejectedCiphertext | Value::RejectionSecret => 0,
        });
        let words = |text: &str| !text.trim().is_empty();
        let checks = [
            (self.schema == SCHEMA, "schema", self.schema.clone(), SCHEMA.to_owned()),
            (self.instance == instance, "instance", self.instance.clone(), instance.to_owned()),
            (digest, "sha256", self.sha256.clone(), "64 digits of lower-case hexadecimal".to_owned()),
            (
                (1..=MAX_RECORDS).contains(&self.records),
                "records",
                self.records.to_string(),
                format!("1 to {MAX_RECORDS}"),
            ),
            (self.bytes == bytes, "bytes", self.bytes.to_string(), format!("{bytes}, as records and sizes have it")),
            (
                !self.backends.is_empty() && self.suites().len() == self.backends.len(),
                "backends",
                self.backends.join(", "),
                format!("some of {}", Any::ALL.iter().map(Backend::name).collect::<Vec<_>>().join(", ")),
            ),
            (
                self.longer.iter().all(longer),
                "longer",
                format!("{:?}", self.longer),
                "more records, a digest and a source".to_owned(),
            ),
            (words(&self.source), "source", "empty".to_owned(), "where the file comes from".to_owned()),
            (words(&self.recomputed), "recomputed", "empty".to_owned(), "how it was recomputed".to_owned()),
        ];
        checks.into_iter().find(|check| !check.0).map(|(_, field, got, expected)| (field, got, expected))
    }
}

/// The suite that an instance is published over: the first of those that give the published answers.
///
/// # Errors
/// As [`Manifest::of`].
pub fn published_suite(instance: &str) -> Result<SuiteSpec, ManifestError> {
    let suites = Manifest::of(instance)?.suites();
    Ok(*suites.first().unwrap_or_else(|| unreachable!("a manifest names at least one backend")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kemprof_core::kem::INSTANCES;

    fn text(instance: &str) -> &'static str {
        MANIFESTS.iter().find(|(name, _)| *name == instance).expect("is built in").1
    }

    fn message(instance: &str, text: &str) -> String {
        Manifest::parse(instance, text).expect_err("is wrong").to_string()
    }

    #[test]
    fn every_manifest_is_of_an_instance_and_of_backends_that_there_are() {
        for (instance, _) in MANIFESTS {
            let manifest = Manifest::of(instance).expect("is a manifest");
            assert!(INSTANCES.contains(instance), "{instance}");
            let suites: Vec<String> = manifest.suites().iter().map(SuiteSpec::to_string).collect();
            assert_eq!(suites, manifest.backends);
        }
    }

    #[test]
    fn every_instance_has_one() {
        for instance in INSTANCES {
            Manifest::of(instance).expect("has a manifest");
        }
        let error = Manifest::of("frodo").expect_err("is no instance").to_string();
        assert!(error.contains("kat/frodo.json is missing"), "{error}");
    }

    #[test]
    fn a_manifest_is_parsed_strictly() {
        let good = text("lwekem256");
        let broken = |from: &str, to: &str| {
            let broken = good.replacen(from, to, 1);
            assert_ne!(broken, good);
            message("lwekem256", &broken)
        };
        assert!(broken("\"records\": 10,", "").contains("missing field `records`"));
        assert!(broken("\"records\": 10,", "\"records\": 10, \"note\": 1,").contains("unknown field `note`"));
        assert!(broken("\"ngcc\"", "\"csv\"").contains("unknown variant `csv`"));
        assert!(broken("kemprof-kat/1", "kemprof-kat/2").contains("schema is kemprof-kat/2, expected kemprof-kat/1"));
        assert!(broken("\"bfdc", "\"BFDC").contains("sha256 is BFDC"));
        assert!(broken("\"bfdc", "\"fdc").contains("sha256 is fdc"));
        assert!(broken("143830", "143831").contains("bytes is 143831, expected 143830"));
        assert!(broken("\"records\": 10", "\"records\": 0").contains("records is 0"));
        assert!(broken("\"records\": 10", "\"records\": 9000000000").contains("records is 9000000000"));
        assert!(broken("\"sm3\"", "\"md5\"").contains("backends is placeholder, md5, expected some of placeholder, "));
        assert!(broken("\"placeholder\",\n    \"sm3\"", "").contains("backends is , expected some of placeholder, "));
        assert!(broken("\"pk\": 1760", "\"pk\": 1761").contains("bytes is 143830, expected 143850"));
        assert!(message("lwekem128", good).contains("instance is lwekem256, expected lwekem128"));
        assert!(message("lwekem256", &good[..good.len() / 2]).contains("cannot be read"));
    }

    #[test]
    fn the_backends_of_a_manifest_apply_alone_and_mixed() {
        let lwekem = Manifest::of("lwekem256").expect("is a manifest");
        assert!(lwekem.applies_to(&SuiteSpec::of(Any::Placeholder)));
        assert!(!lwekem.applies_to(&SuiteSpec::of(Any::Shake)));
        assert!(lwekem.applies_to(&SuiteSpec::of(Any::Sm3)));
        for part in Part::ALL {
            assert!(lwekem.applies_to(&SuiteSpec::of(Any::Placeholder).with(part, Any::Sm3)));
            assert!(!lwekem.applies_to(&SuiteSpec::of(Any::Placeholder).with(part, Any::Shake)));
        }
    }

    #[test]
    fn a_format_with_its_own_generator_does_not_ask_for_the_suites() {
        let kyber = Manifest::of("kyber512").expect("is a manifest");
        assert!(kyber.applies_to(&SuiteSpec::of(Any::Shake)));
        assert!(kyber.applies_to(&SuiteSpec::of(Any::Shake).with(Part::Drng, Any::Placeholder)));
        for part in [Part::Xof, Part::Prf, Part::Hash] {
            assert!(!kyber.applies_to(&SuiteSpec::of(Any::Shake).with(part, Any::Placeholder)));
        }
    }
}
