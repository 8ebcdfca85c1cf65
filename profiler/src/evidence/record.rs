use super::steadiness::Steadiness;
use crate::analysis::stats::Interval;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The value of [`Evidence::schema`].
pub const SCHEMA: &str = "kemprof/1";

/// An operation of a KEM.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Key generation.
    Keygen,
    /// Encapsulation.
    Enc,
    /// Decapsulation.
    Dec,
}

impl Operation {
    /// All of them, in the order in which a key lives through them.
    pub const ALL: [Self; 3] = [Self::Keygen, Self::Enc, Self::Dec];

    /// The name on the command line and in evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Enc => "enc",
            Self::Dec => "dec",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What one run measured, and all that is needed to check and repeat it.
///
/// Ticks are of [`counter`](Self::counter), in its unit. A figure that could not be had is `None` (`null`), never 0.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// [`SCHEMA`].
    pub schema: String,
    /// The KEM: `lwekem256`, ...
    pub instance: String,
    /// Where the KEM comes from, if it is not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<GuestRecord>,
    /// What was run.
    pub operation: Operation,
    /// How the matrix was sampled: `eager` or `lazy`.
    pub sampling: String,
    /// The target triple of the code that ran.
    pub target: String,
    /// What ran it: `native`, `qemu-user`, `m4sim`, `qemu-system`, `probe-rs`.
    pub runner: String,
    /// The symmetric functions.
    pub backends: Backends,
    /// Which code of each backend ran, by part (`xof`, `prf`, `hash`, `drng`): `portable`, `sse2`, `avx2`, `avx512`, `neon`, `sha3`,
    /// `sm3`, `armv7em`. `None` in files from before it was recorded, which have no `symmetric_share` either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<BTreeMap<String, String>>,
    /// Where ticks come from.
    pub counter: CounterRecord,
    /// The machine, the build and the command.
    pub environment: serde_json::Value,
    /// What makes these figures less than they should be, in words.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// `PASS`, or `NOT-APPLICABLE: ` and why. After a failure nothing is timed.
    pub kat: String,
    /// SHA-256 of the known answers that were reproduced.
    #[serde(default)]
    pub kat_digest: Option<String>,
    /// The seed of everything random, in hexadecimal.
    pub seed: String,
    /// How much was run.
    pub plan: Plan,
    /// Processes that shared the trials, one after the other.
    #[serde(default = "one")]
    pub processes: u32,
    /// Which trials were disturbed, and what was done about it.
    #[serde(default)]
    pub steadiness: Steadiness,
    /// Trials without probes: the time to quote.
    pub trials: Vec<Trial>,
    /// The run with probes: what shares are of.
    pub profiled: ProfiledRun,
    /// What the probe itself cost, and was subtracted.
    pub probe_cost: Option<ProbeCostRecord>,
    /// Symmetric calls by function, role and lengths.
    pub calls: Vec<CallRow>,
    /// The phases of the operation.
    pub phases: Vec<PhaseRow>,
    /// Events of the kernel's, counted over operations of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<super::EventsRecord>,
    /// Lengths of keys, ciphertext and secret in bytes.
    pub sizes: Sizes,
    /// Memory in bytes, where it was measured.
    pub memory: Memory,
    /// What follows from the above.
    #[serde(flatten)]
    pub derived: super::Derived,
}

const fn one() -> u32 {
    1
}

/// What a record calls the symmetric functions that a KEM from outside brings.
pub const OWN: &str = "own";

/// A KEM from outside, in C.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GuestRecord {
    /// SHA-256 of its manifest, sources and headers, the compiler's version and kemprof's own part.
    pub inputs_sha256: String,
    /// The compiler, in its own words.
    pub compiler: String,
    /// Its options.
    pub flags: Vec<String>,
}

/// The backend of each group of roles.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Backends {
    /// Of role matrix.
    pub xof: String,
    /// Of role noise.
    pub prf: String,
    /// Of roles h, g, j and kdf.
    pub hash: String,
    /// Of role entropy: the generator's own name.
    pub drng: String,
    /// The backend whose generator that is: two may have one of the same name. Older records do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
}

/// A counter as evidence describes it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CounterRecord {
    /// `perf-user`, `perf`, `tsc`, `cntvct`, `clock`, `callgrind`, `dwt`, `none`.
    pub name: String,
    /// `cycles` (core clock), `ticks` (fixed rate, not the core clock), `ns`, `instructions`.
    pub unit: String,
    /// Rate in Hz, where it has one.
    pub hz: Option<u64>,
    /// The least step seen, in ticks.
    pub resolution: Option<u64>,
    /// What the probe costs around one call, in ticks (inside and outside of it).
    pub overhead_per_call: Option<f64>,
    /// Whether the ticks mean anything: false under emulation without a model of time.
    pub meaningful: bool,
    /// Why there are no ticks, when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// Better counters that were tried first, and why each did not serve.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refused: BTreeMap<String, String>,
}

/// How much was run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Plan {
    /// Trials without probes, each followed by one with probes.
    pub trials: u32,
    /// Operations of one trial.
    pub iterations_per_trial: u32,
    /// Operations before the first trial, not counted.
    pub warmups: u32,
}

/// One trial.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Trial {
    /// Operations.
    pub operations: u64,
    /// Ticks for all of them.
    pub ticks: Option<u64>,
    /// Wall time for all of them in seconds.
    pub seconds: Option<f64>,
    /// Whether the physical core was this program's alone: [`adds_per_cycle`](Self::adds_per_cycle) reached the limit of
    /// [`quiet`](super::Derived::quiet). `None` where nothing tells.
    #[serde(default)]
    pub quiet: Option<bool>,
    /// Additions that the core did in a cycle right before and right after the trial, the fewer of the two: a neighbour on
    /// the same physical core takes about half of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adds_per_cycle: Option<f64>,
    /// The core's clock, in MHz: the mean of right before and right after the trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_mhz: Option<f64>,
    /// Which of the [`processes`](Evidence::processes) ran it, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub process: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_first(process: &u32) -> bool {
    *process == 0
}

impl Trial {
    /// A trial of which nothing more is known.
    #[must_use]
    pub fn new(operations: u64, ticks: Option<u64>, seconds: Option<f64>) -> Self {
        Self { operations, ticks, seconds, ..Self::default() }
    }

    /// Ticks of one operation.
    #[must_use]
    pub fn per_operation(&self) -> Option<f64> {
        self.ticks.map(|ticks| ticks as f64 / self.operations as f64)
    }
}

/// The run with probes. Calls and phases are those of the trials that count.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProfiledRun {
    /// Operations of the trials that count.
    pub operations: u64,
    /// Ticks of all parts in the trials that count, the probe's cost subtracted where it fell.
    pub ticks: Option<u64>,
    /// Ticks of all phases in all trials, before that.
    pub raw_ticks: Option<u64>,
    /// The trials with probes, each run right after the one without of the same number.
    #[serde(default)]
    pub trials: Vec<Trial>,
    /// The numbers of those, from 0, that do not count: they were not quiet, and there are enough others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<u32>,
    /// What the intervals of calls and phases are over: `processes`, or `trials` of one process; `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals_over: Option<String>,
}

impl ProfiledRun {
    /// The trials that count, with their numbers.
    pub fn counted(&self) -> impl Iterator<Item = (usize, &Trial)> {
        self.trials.iter().enumerate().filter(|(number, _)| !self.uncounted.contains(&(*number as u32)))
    }
}

/// See [`kemprof_core::ProbeCost`]: the means over all calls and phases, in ticks. What was subtracted of each is its `probe_ticks`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProbeCostRecord {
    /// Of each interval, in the call.
    pub interval_inside: f64,
    /// Of each interval after a call's first, in the phase around it.
    pub interval_outside: f64,
    /// Of each call, in the phase around it.
    pub call_outside: f64,
    /// Of each phase, inside.
    pub phase_inside: f64,
    /// Of each phase, in the phase around it.
    pub phase_outside: f64,
}

/// Symmetric calls that are alike in function, role and lengths. `calls` and `ticks` are totals; the lengths,
/// `used_bits` and `permutations` are of one call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CallRow {
    /// The function that ran.
    #[serde(rename = "fn")]
    pub function: String,
    /// What the scheme used it for.
    pub role: String,
    /// Bits in.
    pub in_bits: u64,
    /// Bits out.
    pub out_bits: u64,
    /// Bits of output that the scheme consumed, on average.
    pub used_bits: f64,
    /// Permutations or compressions.
    pub permutations: f64,
    /// Which permutation.
    pub permutation: String,
    /// The most messages that ran together in one batch and shared its ticks.
    pub lanes: u32,
    /// Calls.
    pub calls: u64,
    /// Ticks. Less than 0 where the calls took less than the probe was found to cost.
    pub ticks: Option<i64>,
    /// The shortest call in ticks, of all trials.
    pub min: Option<i64>,
    /// The longest call in ticks, of all trials: those too that do not count.
    pub max: Option<i64>,
    /// What the probe cost inside of them, in ticks: it is subtracted from `ticks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_ticks: Option<i64>,
    /// A 95 % interval for the ticks of one operation; see [`ProfiledRun::intervals_over`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// In which phases they ran.
    pub paths: Vec<PathTicks>,
}

/// The part of a [`CallRow`] that ran in one phase.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PathTicks {
    /// The phase, outermost first.
    pub path: Vec<String>,
    /// Calls.
    pub calls: u64,
    /// Ticks.
    pub ticks: Option<i64>,
    /// Ticks in each trial with probes, also in those that do not count. Empty where they were not taken one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trial_ticks: Vec<i64>,
}

/// One phase of the operation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PhaseRow {
    /// Its name after those of the phases around it, outermost first.
    pub path: Vec<String>,
    /// How often it ran.
    pub calls: u64,
    /// Ticks with all that ran inside it.
    pub ticks: Option<i64>,
    /// Ticks without the phases and symmetric calls inside it. Less than 0 where it took less than the probe was found to cost.
    pub self_ticks: Option<i64>,
    /// What the probe cost in it and around what ran inside it, in ticks: it is subtracted from `self_ticks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_ticks: Option<i64>,
    /// A 95 % interval for its own ticks of one operation; see [`ProfiledRun::intervals_over`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Its own ticks in each trial with probes, also in those that do not count. Empty where they were not taken one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trial_ticks: Vec<i64>,
}

/// Lengths in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sizes {
    /// Encapsulation key.
    pub pk: usize,
    /// Decapsulation key.
    pub sk: usize,
    /// Ciphertext.
    pub ct: usize,
    /// Shared secret.
    pub ss: usize,
}

/// Memory of one operation in bytes. `None` where the system does not tell.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Memory {
    /// In RAM before the operation, in a process that runs nothing else: the program, its keys and ciphertexts.
    #[serde(default)]
    pub baseline: Option<u64>,
    /// The most that was in RAM during the operation, in whole pages. What it takes is that above the baseline.
    #[serde(default)]
    pub peak: Option<u64>,
    /// The deepest stack that the operation reached.
    pub stack_peak: Option<u64>,
    /// What a program of this instance and these functions alone, with all three operations, occupies as soon as it is loaded: all of
    /// `sections`.
    #[serde(rename = "static")]
    pub static_bytes: Option<u64>,
    /// What that is made of.
    #[serde(default)]
    pub sections: Option<Sections>,
    /// Why that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_unavailable: Option<String>,
}

/// Sections of a program, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sections {
    /// Code.
    pub text: u64,
    /// Constants.
    pub rodata: u64,
    /// Variables with an initial value.
    pub data: u64,
    /// Variables that begin as zero.
    pub bss: u64,
}

impl Sections {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.text.saturating_add(self.rodata).saturating_add(self.data).saturating_add(self.bss)
    }
}

impl Memory {
    /// Why what a program occupies is not known, where nobody asked.
    pub const NOT_ASKED: &str = "not asked for: use --code-size";

    /// The same with what a program of the algorithm alone occupies, or why that is not known.
    #[must_use]
    pub fn with_sections(self, sections: &Result<Sections, String>) -> Self {
        let found = sections.as_ref().ok().copied();
        Self {
            static_bytes: found.as_ref().map(Sections::total),
            sections: found,
            static_unavailable: sections.as_ref().err().cloned(),
            ..self
        }
    }
}
