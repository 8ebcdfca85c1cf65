//! The options of `compare`.

use super::args::{OutArgs, SamplingArg};
use super::target::TargetArgs;
use crate::evidence::Operation;
use clap::{Args, ValueEnum};

/// Settings of `compare`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Variants are backends as for a profile, each with @eager or @lazy where it should not sample as --sampling says.
The first is what the others are compared with; `free`, which is no hash but a few operations a block, comes last.

How to read the table:
  measured      how many times faster than the first, without probes, trials side by side
  predicted     by Amdahl's law: the first's profile, with each of its functions as many times faster as the variant's
                function is alone, at the lengths that the profile says; the scheme's own work unchanged
  ceiling       what the first would gain if its hash functions cost nothing at all: `free` is fast, not nothing
  Where the two differ by more than a tenth, lines below name the four parts that differ most.

Examples:
  kemprof compare lwekem256                                      every hash
  kemprof compare lwekem256 --op keygen --hash placeholder,placeholder@lazy,sm3@lazy
  kemprof compare lwekem256 --hash placeholder,placeholder+xof=shake,placeholder+xof=turboshake
  kemprof compare ml-kem-768 --hash shake,turboshake,ascon --sampling lazy")]
pub struct CompareArgs {
    /// The KEM: lwekem128, lwekem256, ... `kemprof list` shows all.
    pub instance: String,
    /// Operation to compare.
    #[arg(long, value_enum, ignore_case = true, default_value = "all")]
    pub op: OperationArg,
    /// Variants, the first is the base: BACKEND, BACKEND+PART=BACKEND, each with or without @eager or @lazy; default: the one that
    /// the published answers are over, then the others of placeholder, sm3, shake, turboshake, ascon.
    #[arg(long, value_name = "VARIANT,...", value_delimiter = ',')]
    pub hash: Vec<String>,
    /// How variants expand the matrix that do not say so themselves.
    #[arg(long, value_enum, ignore_case = true, default_value = "eager")]
    pub sampling: SamplingArg,
    /// Seed of everything random, in hexadecimal; default: the bytes 00, 01, ..., 2f.
    #[arg(long, value_name = "HEX")]
    pub seed: Option<String>,
    /// Trials of each variant, taken in turns; default: 151, on cortex-m4 3 and with callgrind 2, which are alike.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: Option<u32>,
    /// Operations of one trial; default: as many as take about 1 ms; on cortex-m4 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub iterations: Option<u32>,
    /// Operations before the first trial, not counted; default: 3, on cortex-m4 1.
    #[arg(long, value_name = "N")]
    pub warmups: Option<u32>,
    /// Counter: auto (the default) takes the best that works of perf-user, perf, tsc or cntvct, clock; callgrind counts
    /// instructions, exactly; none counts calls only; cortex-m4 has dwt. `kemprof list` shows all, also of a --target.
    #[arg(long, value_name = "NAME")]
    pub counter: Option<String>,
    /// Core to run on; default: the one that the kernel keeps free, else a fast one.
    #[arg(long, value_name = "N")]
    pub cpu: Option<usize>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub target: TargetArgs,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub out: OutArgs,
    /// Print the rows alone, as JSON, and write nothing, unless --out says where to.
    #[arg(long)]
    pub json: bool,
}

/// What to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum OperationArg {
    /// Key generation.
    #[value(alias = "keypair")]
    Keygen,
    /// Encapsulation.
    #[value(alias = "encaps", alias = "encapsulate")]
    Enc,
    /// Decapsulation.
    #[value(alias = "decaps", alias = "decapsulate")]
    Dec,
    /// All three.
    All,
}

impl OperationArg {
    /// The operations.
    #[must_use]
    pub const fn operations(self) -> &'static [Operation] {
        match self {
            Self::Keygen => &[Operation::Keygen],
            Self::Enc => &[Operation::Enc],
            Self::Dec => &[Operation::Dec],
            Self::All => &Operation::ALL,
        }
    }
}
