//! Which code a backend has on which processor.

use super::facts::Facts;
use crate::runner::{Part, SuiteSpec};
use kemprof_core::Any;
use std::collections::BTreeMap;

/// The name of a target's architecture in `environment.arch`.
pub(super) fn architecture(target: &str) -> &str {
    match target.split('-').next().unwrap_or_default() {
        "thumbv7em" => "armv7e-m",
        "i586" | "i686" => "x86",
        "riscv64gc" => "riscv64",
        arch if arch.starts_with("arm") || arch.starts_with("thumb") => "arm",
        arch => arch,
    }
}

/// Code with the features of the processor that it needs, the best first.
type Choices = &'static [(&'static str, &'static [&'static str])];

fn choices(backend: Any, architecture: &str) -> Choices {
    match (backend, architecture) {
        // The last is of older records.
        (Any::Sm3, "x86_64") => {
            &[("avx512", &["avx2", "avx512f", "avx512vl"]), ("avx2", &["avx2"]), ("portable", &[]), ("sse2", &[])]
        }
        (Any::Sm3, "aarch64") => &[("sm3", &["sm4"]), ("neon", &[])],
        (Any::Shake | Any::TurboShake, "x86_64") => &[("avx2", &["avx2"]), ("portable", &[])],
        (Any::Shake | Any::TurboShake, "aarch64") => &[("sha3", &["sha3"]), ("portable", &[])],
        (Any::Sm3 | Any::Shake | Any::TurboShake, "armv7e-m") => &[("armv7em", &[])],
        (Any::Blake3, "x86_64") => &[("sse41", &["sse4.1"]), ("sse2", &[])],
        _ => &[("portable", &[])],
    }
}

impl Facts<'_> {
    /// The code of each part of a suite: what is recorded where that can be, or what should be.
    pub(super) fn code(&self, spec: &SuiteSpec, recorded: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let features = self.environment("/processor/features").as_array();
        let has = |feature: &&str| features.is_none_or(|features| features.iter().any(|known| known == feature));
        let of_part = |part: Part| {
            let choices = choices(spec.get(part), architecture(&self.evidence.target));
            let possible = choices.iter().filter(|(_, needs)| needs.iter().all(has)).map(|(code, _)| *code);
            // Older records do not say which features there were.
            let possible: Vec<&str> = possible.take(if features.is_some() { 1 } else { choices.len() }).collect();
            let found = recorded.get(part.name()).filter(|code| possible.contains(&code.as_str()));
            (part.name().to_owned(), found.cloned().unwrap_or_else(|| possible.join(" or ")))
        };
        Part::ALL.map(of_part).into()
    }
}
