use super::Failure;
use super::compare::CompareArgs;
use super::target::{ProfileKind, TargetArgs};
use super::tools::{BenchHashArgs, DiffArgs, WhatIfArgs};
use crate::files;
use crate::platform::TargetName;
use anyhow::anyhow;
use clap::{Args, Parser, Subcommand, ValueEnum};
use kemprof_core::Sampling;
use std::path::{Path, PathBuf};

/// Where the time of a key encapsulation mechanism goes: which symmetric function, for what, and how much of it is
/// thrown away.
#[derive(Debug, Parser)]
#[command(name = "kemprof", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    /// Say more on standard error; twice for more still. RUST_LOG, a level such as debug, overrides it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  kemprof keygen lwekem256                   profile key generation, as submitted
  kemprof all lwekem256 --hash sm3 --sampling lazy
                                             the same scheme and answers, computed faster
  kemprof keygen lwekem256 --xof shake       another XOF for the matrix alone
  kemprof compare lwekem256 --hash placeholder,shake,ascon
                                             what each hash would give
  kemprof keygen lwekem256 --target cortex-m4
                                             the same in core cycles of a microcontroller
  kemprof kat                                do all instances give the published answers?
  kemprof list                               what there is: instances, backends, counters, targets";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Profile key generation.
    #[command(alias = "keypair", after_help = HOW_TO_READ)]
    Keygen(ProfileArgs),
    /// Profile encapsulation.
    #[command(aliases = ["encaps", "encapsulate"], after_help = HOW_TO_READ)]
    Enc(ProfileArgs),
    /// Profile decapsulation.
    #[command(aliases = ["decaps", "decapsulate"], after_help = HOW_TO_READ)]
    Dec(ProfileArgs),
    /// Profile key generation, encapsulation and decapsulation.
    #[command(after_help = HOW_TO_READ)]
    All(ProfileArgs),
    /// Run an instance over several hashes side by side: the gain, predicted and measured.
    Compare(CompareArgs),
    /// Write a first manifest for a KEM in C, from a folder of its sources.
    Init(InitArgs),
    /// Reproduce known answers, write them, or check a file of them from elsewhere.
    Kat(KatArgs),
    /// Draw flamegraphs of evidence again, or what changed between two.
    Flamegraph(FlamegraphArgs),
    /// Predict from evidence what an operation would take if parts of it were faster.
    Whatif(WhatIfArgs),
    /// Compare two pieces of evidence part by part; with an exit code for CI.
    Diff(DiffArgs),
    /// Time functions of the backends by themselves.
    BenchHash(BenchHashArgs),
    /// Print the breakdown of evidence again.
    Show(ShowArgs),
    /// Hold evidence against itself and the published tables: every figure, name, time and count that these determine.
    #[command(after_help = VERIFY_LIMITS)]
    Verify(VerifyArgs),
    /// Print the JSON Schema of evidence.
    Schema,
    /// Say what this machine can measure, what is missing, and what would help.
    Doctor(DoctorArgs),
    /// List instances, backends, counters and targets.
    List(ListArgs),
    /// Print what a shell needs to complete command lines.
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command.
    Man(ManArgs),
    /// Does what another kemprof asks for on standard input, line by line.
    #[command(hide = true)]
    Worker,
}

impl Command {
    /// The KEM that it measures, and where, if it measures one.
    pub(crate) fn subject(&self) -> Option<(&str, &TargetName)> {
        match self {
            Self::Compare(args) => Some((&args.instance, &args.target.target)),
            _ => self.profile().map(|args| (args.instance.as_str(), &args.target.target)),
        }
    }

    /// The settings of a profile, where it is one.
    pub(crate) const fn profile(&self) -> Option<&ProfileArgs> {
        match self {
            Self::Keygen(args) | Self::Enc(args) | Self::Dec(args) | Self::All(args) => Some(args),
            _ => None,
        }
    }
}

const HOW_TO_READ: &str = "\
How to read the table:
  calls         per operation, of this function for this role
  bits in → out of one call; `used` is how much of the output the scheme consumed
  per call      ticks of one call; `per perm.` of one permutation (compression) inside it
  share         of the operation's ticks, measured with probes whose own cost is subtracted
  The lines below `symmetric` are the scheme itself, by phase. All lines add up to the total.
  The time to quote is the median above the table: it is measured without probes.

Known answers are checked first. After a mismatch nothing is timed.";

/// Which symmetric functions serve the scheme.
#[derive(Clone, Debug, Args)]
pub struct SuiteArgs {
    /// Backend for all roles, with exceptions and sampling where wanted: placeholder+xof=shake@lazy; default: the one that the
    /// published answers are over. `kemprof list` shows backends.
    #[arg(long, value_name = "BACKEND")]
    pub hash: Option<String>,
    /// Backend for the expansion of the matrix.
    #[arg(long, value_name = "BACKEND")]
    pub xof: Option<String>,
    /// Backend for noise and secrets.
    #[arg(long, value_name = "BACKEND")]
    pub prf: Option<String>,
    /// Backend whose generator gives the random bytes.
    #[arg(long, value_name = "BACKEND")]
    pub drng: Option<String>,
}

/// How the matrix is expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SamplingArg {
    /// As much output as the submitted code asks for.
    Eager,
    /// What rejection sampling consumes. Same keys.
    Lazy,
}

impl From<SamplingArg> for Sampling {
    fn from(sampling: SamplingArg) -> Self {
        match sampling {
            SamplingArg::Eager => Self::Eager,
            SamplingArg::Lazy => Self::Lazy,
        }
    }
}

/// Where files go.
#[derive(Clone, Debug, Args)]
pub struct OutArgs {
    /// Folder to write to; it is made if it is not there. Default: out; with --json nothing is written without this option.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl OutArgs {
    /// The folder to write to, which can be written to; none where the command prints JSON and no folder is named.
    ///
    /// # Errors
    /// When it cannot.
    pub fn folder(&self, json: bool) -> Result<Option<&Path>, Failure> {
        let folder = match &self.out {
            None if json => return Ok(None),
            None => Path::new("out"),
            Some(folder) => folder,
        };
        files::check_folder(folder).map_err(|error| {
            anyhow!("{error}; name another folder with --out, or print the evidence and write nothing with --json")
        })?;
        Ok(Some(folder))
    }
}

/// A file to write. Standard output, which tables go to, has to be named as what it is.
fn file_to_write(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("expected the name of a file; standard output is /dev/stdout".to_owned()),
        name => Ok(PathBuf::from(name)),
    }
}

/// Settings of a profile.
#[derive(Clone, Debug, Args)]
pub struct ProfileArgs {
    /// The KEM: lwekem128, lwekem256, ... `kemprof list` shows all; or the path of a manifest, for a KEM in C (docs/own-kem.md).
    pub instance: String,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub suite: SuiteArgs,
    /// How the matrix is expanded; default: as --hash says, else eager.
    #[arg(long, value_enum, ignore_case = true)]
    pub sampling: Option<SamplingArg>,
    /// Seed of everything random, in hexadecimal; default: the bytes 00, 01, ..., 2f.
    #[arg(long, value_name = "HEX")]
    pub seed: Option<String>,
    /// Trials without probes, each followed by one with probes; default: 401, on cortex-m4 3 (64 at most) and with callgrind 2, which are alike.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: Option<u32>,
    /// Operations of one trial; default: as many as run about 6000 permutations, which takes some 1 ms, from 1 to 256, or more
    /// where the counter is coarse; on cortex-m4 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub iterations: Option<u32>,
    /// Operations before the first trial, not counted; default: 3, on cortex-m4 1.
    #[arg(long, value_name = "N")]
    pub warmups: Option<u32>,
    /// Counter: auto (the default) takes the best that works of perf-user, perf, tsc or cntvct, clock; callgrind counts
    /// instructions, exactly; none counts calls only; cortex-m4 has dwt. `kemprof list` shows all, also of a --target.
    #[arg(long, value_name = "NAME")]
    pub counter: Option<String>,
    /// Events to count besides, around whole operations of their own: cycles, instructions, cache-misses, branches,
    /// branch-misses, page-faults, ...; default: cycles and instructions, where the processor's unit counts them.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub events: Vec<String>,
    /// Core to run on; default: the one that the kernel keeps free, else a fast one.
    #[arg(long, value_name = "N")]
    pub cpu: Option<usize>,
    /// Also build a program of this instance and these functions alone, and record what its code, constants and variables occupy: the
    /// `static` memory. It is kept for the next time.
    #[arg(long)]
    pub code_size: bool,
    /// Share the trials among N processes, one after the other, so that figures are over layouts of memory too; default: 5, and 1
    /// where every process would give the same (callgrind, none, cortex-m4) or one has to count it all (--events).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub processes: Option<u32>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub target: TargetArgs,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub out: OutArgs,
    /// Print the evidence alone, as JSON (an array for `all`), and write nothing, unless --out says where to.
    #[arg(long)]
    pub json: bool,
    /// Also charge every instruction of an operation to its function, exactly: on this machine through valgrind, on cortex-m4 by its
    /// simulator.
    #[arg(long, value_enum, value_name = "KIND")]
    pub profile: Option<ProfileKind>,
    /// Also write one operation, phase by phase and call by call, as a trace for Perfetto or chrome://tracing: of several the one of
    /// median length, without the time that watching it took.
    #[arg(long, value_name = "FILE", value_parser = file_to_write)]
    pub trace: Option<PathBuf>,
}

/// Settings of `kat`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Without a file, every answer is computed here and its digest compared with the published one.

--check computes each record from its own seed, so files of other seeds pass too, and it says how a file stands to the published
ones. Line ends, blank lines, comments and the case of digits do not count. Fields z, d, msg, ct_n and ss_n are checked where a
record has them. One wrong digit fails and is named by record and field, and so is a record that is missing, repeated or not in
its place.

Examples:
  kemprof kat                                every instance
  kemprof kat ml-kem-768 --hash shake        one instance over one backend
  kemprof kat lwekem256 --write lwekem256.rsp
  kemprof kat ml-kem-768 --write PQCkemKAT_2400.rsp --count 100
  kemprof kat --check theirs.rsp             the instance is told by lengths and values
  kemprof kat --acvp prompt.json expectedResults.json")]
pub struct KatArgs {
    /// Instances; default: all.
    pub instances: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub suite: KatSuiteArgs,
    /// How the matrix is expanded; default: both ways.
    #[arg(long, value_enum, ignore_case = true)]
    pub sampling: Option<SamplingArg>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "its own documentation shows in the help")]
    pub target: TargetArgs,
    /// Write the known-answer file of one instance.
    #[arg(long, value_name = "FILE", value_parser = file_to_write, conflicts_with_all = ["check", "acvp"])]
    pub write: Option<PathBuf>,
    /// Records to write; default: as many as the shortest published file has.
    #[arg(long, value_name = "N", requires = "write", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub count: Option<u64>,
    /// Compare a known-answer file from elsewhere, field by field; - is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "acvp")]
    pub check: Option<PathBuf>,
    /// Answer NIST's ACVP test cases of ML-KEM and compare: prompts and expected results, or internal projections, together.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "instances")]
    pub acvp: Vec<PathBuf>,
    /// Print rows as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Which backends `kat` runs.
#[derive(Clone, Debug, Args)]
pub struct KatSuiteArgs {
    /// Backends; default: every one that has published answers for the instance.
    #[arg(long, value_name = "BACKEND", value_delimiter = ',')]
    pub hash: Vec<String>,
}

/// Settings of `flamegraph`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
On calls stand their permutations, and on these how much of the output was used and how much thrown away, in proportion.
With --diff the picture is of the second file: widths are its ticks per operation. A frame is red where it takes more time than in the
first file, with all that stands on it, and blue where less; darker is more. It is written beside the second file, as
FIRST-to-SECOND.svg.

Examples:
  kemprof flamegraph out/*.json --out pictures
  kemprof flamegraph --diff before.json after.json")]
pub struct FlamegraphArgs {
    /// Evidence: files, of one record or an array of them, folders of files that end in .json, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Draw what changed from the first to the second of two files.
    #[arg(long)]
    pub diff: bool,
    /// Folder for the pictures; default: beside each file.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print what was written as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Settings of `init`.
#[derive(Clone, Debug, Args)]
pub struct InitArgs {
    /// The folder with the sources of one KEM; the manifest is written into it.
    pub folder: PathBuf,
}

/// Settings of `show`.
#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    /// Evidence: files, of one record or an array of them, folders of files that end in .json, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the evidence itself.
    #[arg(long)]
    pub json: bool,
}

/// What no record can show of itself.
const VERIFY_LIMITS: &str = "\
What it recomputes: sizes, known-answer digest and calls of the instance (from built-in tables, and by running the operation once
without a clock), functions of the backends, unit of the counter, operations, sums of ticks, shares, medians and intervals, quiet
trials, disturbed attempts, events; and that times are in order.

What it cannot know: whether the raw ticks and seconds of the trials were measured at all, or are all off by one factor; the cost of
phases in probe_cost, and ticks moved from one part to another with all that follows from them; how many operations warmed up; stack
and size of the program; what the environment says of processor, system, compiler and command line; the reasons in counter.refused
and the warnings; the seed, as long as it is one. A record in which everything was changed consistently holds together: only the
same run again shows that it is wrong.";

/// Settings of `verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// Evidence: files, of one record or an array of them, folders of files that end in .json, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print verdicts as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Settings of `list`.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// Whose counters and backends: host is this machine; aarch64, cortex-m4, ssh:HOST.
    #[arg(long, value_name = "TARGET", default_value_t = TargetName::Host)]
    pub target: TargetName,
    /// Print the lists as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Settings of `completions`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kemprof completions bash > ~/.local/share/bash-completion/completions/kemprof
  kemprof completions fish > ~/.config/fish/completions/kemprof.fish")]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: clap_complete::Shell,
}

/// Settings of `man`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kemprof man | man -l -
  kemprof man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for kemprof.1 and a page for each command; without it, kemprof.1 is printed.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Settings of `doctor`.
#[derive(Clone, Debug, Args)]
pub struct DoctorArgs {
    /// Which machine: host is this one; aarch64, cortex-m4, ssh:HOST.
    #[arg(long, value_name = "TARGET", default_value_t = TargetName::Host)]
    pub target: TargetName,
    /// Print the findings as JSON.
    #[arg(long)]
    pub json: bool,
}
