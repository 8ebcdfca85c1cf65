//! Options of the commands that work from evidence of others, or of functions alone.

use super::args::OutArgs;
use super::target::TargetArgs;
use clap::Args;
use std::path::PathBuf;

/// Settings of `whatif`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Amdahl's law over a profile that is already there; nothing is run. KEY is one of
  a role      matrix, noise, h, g, j, kdf, entropy
  a part      xof (the matrix), prf (noise), hash (h, g, j and kdf together), drng
  a function  pseudoXOF, sm3hash, shake128, ... as the table of the profile names it
  a phase     ntt, matvec, sample_matrix, ... by its name or path (encrypt/ntt): its own time, as in the table,
              without the calls and phases inside it
FACTOR is how many times as fast it would be (0.5: half as fast), or inf for no cost at all. No time can be given two speeds.
Ticks are quoted against the median without probes. What a swap of functions changes besides (how much is rejected, what
stays in caches) is not in it: `kemprof compare` runs both.

Examples:
  kemprof whatif out/lwekem256-keygen-placeholder.json --speed xof=4 --speed noise=inf
  kemprof whatif out/ml-kem-768-enc-shake.json --speed shake128=1.8 --speed ntt=2 --json")]
pub struct WhatIfArgs {
    /// Evidence of one operation; - is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A part of the operation and how many times as fast it would be; may be given several times.
    #[arg(long = "speed", value_name = "KEY=FACTOR", required = true)]
    pub speeds: Vec<String>,
    /// Print the prediction as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Settings of `diff`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Both files are of one instance and operation, one target and one counter; anything else is refused. Backends, sampling,
plans and machines may differ, and it is said when they do. Figures are per operation and scaled to the median without
probes, so that they add up to it; functions are compared by role, whatever serves the role.
  change         of the part, in percent of what it was
  of the total   the same growth in percent of the whole: over all rows it adds up to the change of the total

With --fail-above the exit code is 1 when the total, or a part that is at least 5 % of the operation before or after, grew
by more than that and beyond noise: one line on standard error says which. Noise is where nine in ten trials of each record
lie, and for a part what disturbed trials with probes; a change in brackets is within that. Files that cannot be read or
compared give 2, as other misuse does.

Examples:
  kemprof diff before.json after.json
  kemprof diff main.json branch.json --fail-above 5       for CI
  kemprof flamegraph --diff before.json after.json        the same as a picture")]
pub struct DiffArgs {
    /// Evidence to compare with; - is standard input.
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// Evidence of the same operation later; - is standard input.
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// Exit with code 1 when the operation, or a part of at least 5 % of it, takes more than so many percent longer.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub fail_above: Option<f64>,
    /// Print the comparison as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Settings of `bench-hash`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Two sets of calls of every backend: each function at the input lengths of the NICCS guide (32 to 65536 bytes in; the
generator has no input and puts out as much), and at the very shapes that the schemes ask for, found by watching
every instance run: lengths, messages in a batch, eager and lazy.
  lanes       messages that run together; figures are of one of them
  per byte    of the longer of input and output
  per perm.   of one permutation (compression) that really ran; what a batch shares is counted once
Every figure is the median of samples that take turns over all rows, each long enough for the counter.
Without a choice a page is timed: of each backend the calls that most schemes make. What is timed is printed and written to a
file, with the machine and the counter.

Examples:
  kemprof bench-hash
  kemprof bench-hash --backend placeholder,sm3 --all
  kemprof bench-hash --instance ml-kem-768 --function shake128,shake256
  kemprof bench-hash --backend shake --length 32,1184 --counter clock --quick --json")]
pub struct BenchHashArgs {
    /// Backends; default: all.
    #[arg(long, value_name = "BACKEND", value_delimiter = ',')]
    pub backend: Vec<String>,
    /// Only calls that these KEMs make.
    #[arg(long, value_name = "INSTANCE", value_delimiter = ',')]
    pub instance: Vec<String>,
    /// Only these functions: pseudoXOF, sm3hash, shake128, ...
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    pub function: Vec<String>,
    /// Only calls with so many bytes in or out.
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    pub length: Vec<usize>,
    /// All calls, not a page of them.
    #[arg(long)]
    pub all: bool,
    /// Counter: auto (the default) takes the best that works of perf-user, perf, tsc or cntvct, clock; callgrind
    /// counts instructions, exactly; cortex-m4 has dwt.
    #[arg(long, value_name = "NAME")]
    pub counter: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub target: TargetArgs,
    /// Few samples: to see that it works, or roughly how much.
    #[arg(long)]
    pub quick: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub out: OutArgs,
    /// Print the record alone, as JSON.
    #[arg(long)]
    pub json: bool,
}
