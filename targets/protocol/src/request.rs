use crate::REQUEST_MAGIC;
use crate::hex::{self, Hex};
use crate::suite::Backends;
use crate::words::{WordError, Words};
use arrayvec::ArrayVec;
use core::fmt;
use core::str::FromStr;
use kemprof_core::symmetric::{Form, Shape};
use kemprof_core::{Phase, Role, Sampling, kem};

/// Bytes of a command line at the most, with some room for a program's name before it.
pub const MAX_REQUEST: usize = 384;
/// Bytes of a seed, or of draws, at the most: key generation draws 64 bytes and encapsulation 32 in the schemes whose
/// known answers come from the host's generator.
pub const MAX_SEED: usize = 96;

/// Trials of a profile, and samples of a function, at the most: the firmware keeps their figures until all is measured.
pub const MAX_TRIALS: usize = 64;

/// Everything that the host wants of one run of the firmware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// At which setting of the clock tree.
    pub clock: Clock,
    /// What to do.
    pub command: Command,
}

/// A setting of the board's clock tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Clock {
    /// As fast as the flash answers without wait states.
    #[default]
    ZeroWait,
    /// As the chip comes out of reset.
    Default,
    /// As fast as the chip runs.
    Full,
}

impl Clock {
    /// Every setting.
    pub const ALL: [Self; 3] = [Self::ZeroWait, Self::Default, Self::Full];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ZeroWait => "zero-wait",
            Self::Default => "default",
            Self::Full => "full",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|clock| clock.name() == text)
    }
}

/// What to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Times an operation, without probes and with them.
    Profile(Profile),
    /// Makes one record of known answers.
    Record(Record),
    /// Times one symmetric function alone.
    Function(FunctionCall),
    /// Tests the cycle counter.
    Counter,
    /// Tests how the depth of the stack is measured.
    Stack,
}

#[cfg(feature = "alloc")]
impl Command {
    /// The backends that it runs, where it runs any: an answer is held against them where one is read.
    pub(crate) const fn backends(&self) -> Option<Backends> {
        match self {
            Self::Profile(profile) => Some(profile.subject.backends),
            Self::Record(record) => Some(record.subject.backends),
            Self::Function(call) => Some(call.backends),
            Self::Counter | Self::Stack => None,
        }
    }
}

/// A KEM over symmetric functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The KEM, one of [`INSTANCES`](kem::INSTANCES).
    pub instance: &'static str,
    /// The symmetric functions.
    pub backends: Backends,
    /// How the matrix is sampled.
    pub sampling: Sampling,
}

/// An operation of a KEM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Key generation.
    Keygen,
    /// Encapsulation.
    Enc,
    /// Decapsulation.
    Dec,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 3] = [Self::Keygen, Self::Enc, Self::Dec];

    /// The phase that the operation is.
    #[must_use]
    pub const fn phase(self) -> Phase {
        match self {
            Self::Keygen => Phase::Keygen,
            Self::Enc => Phase::Enc,
            Self::Dec => Phase::Dec,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.phase().name()
    }
}

/// An operation to time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Of what.
    pub subject: Subject,
    /// Which.
    pub operation: Operation,
    /// What every trial's generator is instantiated with.
    pub seed: ArrayVec<u8, MAX_SEED>,
    /// Trials without probes, and as many with them.
    pub trials: u32,
    /// Operations of a trial.
    pub iterations: u32,
    /// Operations before the first trial.
    pub warmups: u32,
}

/// A record of known answers to make: a key pair, an encapsulation to it, and its decapsulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Of what.
    pub subject: Subject,
    /// Where the scheme draws from.
    pub randomness: Randomness,
}

/// Where a record's random bytes come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Randomness {
    /// The suite's own generator, instantiated with this.
    Seed(ArrayVec<u8, MAX_SEED>),
    /// These bytes, in order, and no more.
    Draws(ArrayVec<u8, MAX_SEED>),
}

/// Calls of one symmetric function to time, with their lengths in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionCall {
    /// The symmetric functions, of which role and form choose one.
    pub backends: Backends,
    /// What is called.
    pub shape: Shape,
    /// Samples to take.
    pub samples: u32,
    /// Calls (of [`lanes`](Shape::lanes) messages each) of a sample.
    pub iterations: u32,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "suite={} sampling={}", self.backends, self.sampling.name())
    }
}

impl fmt::Display for Command {
    /// The command line without its first two words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profile(Profile { subject, operation, seed, trials, iterations, warmups }) => write!(
                f,
                "profile {} {} {subject} seed={} trials={trials} iterations={iterations} warmups={warmups}",
                subject.instance,
                operation.name(),
                Hex(seed)
            ),
            Self::Record(Record { subject, randomness }) => {
                write!(f, "record {} {subject} ", subject.instance)?;
                match randomness {
                    Randomness::Seed(seed) => write!(f, "seed={}", Hex(seed)),
                    Randomness::Draws(draws) => write!(f, "draws={}", Hex(draws)),
                }
            }
            Self::Function(call) => {
                let FunctionCall { backends, shape, samples, iterations } = call;
                let Shape { role, form, in_bytes, prefix_bytes, lanes, out_bytes } = *shape;
                write!(
                    f,
                    "function suite={backends} role={role} form={} in={in_bytes} prefix={prefix_bytes} lanes={lanes} \
                     out={out_bytes} samples={samples} iterations={iterations}",
                    FormWord(form)
                )
            }
            Self::Counter => f.write_str("counter"),
            Self::Stack => f.write_str("stack"),
        }
    }
}

impl fmt::Display for Request {
    /// The command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{REQUEST_MAGIC} {} {}", self.clock.name(), self.command)
    }
}

/// The word for a form: `fixed:32`, `extendable`, `generator`.
pub(crate) struct FormWord(pub(crate) Form);

impl fmt::Display for FormWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Form::Fixed(bytes) => write!(f, "fixed:{bytes}"),
            Form::Extendable => f.write_str("extendable"),
            Form::Generator => f.write_str("generator"),
        }
    }
}

pub(crate) fn form(text: &str) -> Option<Form> {
    match text {
        "fixed:32" => Some(Form::Fixed(32)),
        "fixed:64" => Some(Form::Fixed(64)),
        "extendable" => Some(Form::Extendable),
        "generator" => Some(Form::Generator),
        _ => None,
    }
}

pub(crate) fn role(text: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|role| role.name() == text)
}

fn instance(text: &str) -> Option<&'static str> {
    kem::INSTANCES.iter().copied().find(|name| *name == text)
}

fn sampling(text: &str) -> Option<Sampling> {
    [Sampling::Eager, Sampling::Lazy].into_iter().find(|sampling| sampling.name() == text)
}

fn subject(instance: &'static str, words: &mut Words<'_>) -> Result<Subject, WordError> {
    let backends = words.field("suite=", Backends::parse)?;
    Ok(Subject { instance, backends, sampling: words.field("sampling=", sampling)? })
}

fn profile(words: &mut Words<'_>) -> Result<Profile, WordError> {
    let instance = words.named("an instance", instance)?;
    let find = |text: &str| Operation::ALL.into_iter().find(|operation| operation.name() == text);
    let operation = words.named("keygen, enc or dec", find)?;
    Ok(Profile {
        subject: subject(instance, words)?,
        operation,
        seed: words.field("seed=", hex::bytes)?,
        trials: words.number("trials=")?,
        iterations: words.number("iterations=")?,
        warmups: words.number("warmups=")?,
    })
}

fn record(words: &mut Words<'_>) -> Result<Record, WordError> {
    let instance = words.named("an instance", instance)?;
    let subject = subject(instance, words)?;
    let randomness = words.named("seed= or draws=", |word| match word.split_once('=')? {
        ("seed", seed) => hex::bytes(seed).map(Randomness::Seed),
        ("draws", draws) => hex::bytes(draws).map(Randomness::Draws),
        _ => None,
    })?;
    Ok(Record { subject, randomness })
}

fn function(words: &mut Words<'_>) -> Result<FunctionCall, WordError> {
    Ok(FunctionCall {
        backends: words.field("suite=", Backends::parse)?,
        shape: Shape {
            role: words.field("role=", role)?,
            form: words.field("form=", form)?,
            in_bytes: words.number("in=")?,
            prefix_bytes: words.number("prefix=")?,
            lanes: words.number("lanes=")?,
            out_bytes: words.number("out=")?,
        },
        samples: words.number("samples=")?,
        iterations: words.number("iterations=")?,
    })
}

impl FromStr for Request {
    type Err = WordError;

    fn from_str(line: &str) -> Result<Self, WordError> {
        let start = line.find(REQUEST_MAGIC).unwrap_or(0);
        let mut words = Words::new(&line[start..]);
        words.named(REQUEST_MAGIC, |word| (word == REQUEST_MAGIC).then_some(()))?;
        let clock = words.named("zero-wait, default or full", Clock::parse)?;
        const COMMANDS: &str = "profile, record, function, counter or stack";
        let command = match words.word(COMMANDS)? {
            "profile" => Command::Profile(profile(&mut words)?),
            "record" => Command::Record(record(&mut words)?),
            "function" => Command::Function(function(&mut words)?),
            "counter" => Command::Counter,
            "stack" => Command::Stack,
            other => return Err(WordError::unexpected(COMMANDS, other)),
        };
        words.end()?;
        Ok(Self { clock, command })
    }
}
