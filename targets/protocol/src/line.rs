use crate::hex::{self, Hex};
use crate::node::NodeLine;
use crate::request::{Clock, Command};
use crate::words::{WordError, Words, number};
use core::fmt;

/// A line of an answer, between the first and the last.
#[derive(Clone, Copy, Debug)]
pub enum Line<'a> {
    /// The version of the firmware.
    Firmware(&'a str),
    /// What compiled it.
    Compiler(&'a str),
    /// The board that it was built for.
    Board(&'a str),
    /// How it was compiled: the level of optimisation, and flags of the compiler beside the profile's.
    Build {
        /// `0` to `3`, `s` or `z`.
        opt_level: &'a str,
        /// One space between two.
        flags: &'a str,
    },
    /// Which code of a backend is in it.
    Code {
        /// The backend's name.
        backend: &'a str,
        /// See [`Backend::code`](kemprof_core::backend::Backend::code).
        code: &'a str,
    },
    /// How the board's clock is set.
    Clock(ClockFacts),
    /// Whether the cycle counter counts, or why not.
    Counter(Result<(), &'a str>),
    /// What is answered: see [`Line::request`].
    Request(Echo<'a>),
    /// A trial: trials without probes and with them alternate.
    Trial {
        /// Which of the two.
        kind: TrialKind,
        /// Operations that ran.
        operations: u64,
        /// What they took.
        ticks: Option<u64>,
    },
    /// How many rows of the recorder follow.
    Nodes(usize),
    /// A row of the recorder.
    Node(NodeLine<'a>),
    /// Phases and calls that found the recorder's table full.
    Lost(u64),
    /// How deep the stack went during one operation without probes.
    Stack(StackUse),
    /// Whether the extension of the counter to 64 bits is beyond doubt, or why not: `None` where it does not count.
    Wraps(Option<Result<(), &'a str>>),
    /// SHA-256 of what a record holds.
    Digests(Digests),
    /// Ticks of an interval of the probe in which nothing happens, and of two readings one right after the other.
    Empty(Option<(f64, u64)>),
    /// A sample of a symmetric function.
    Sample(Sample),
    /// A loop that was timed to test the counter.
    Loop(CounterLoop),
    /// A stack of known depth, and what painting found, both in bytes.
    Depth {
        /// The depth that was asked for.
        asked: u32,
        /// The depth that was found.
        found: u32,
    },
    /// There is no answer: the kind, and the text.
    Error(ErrorKind, &'a str),
}

/// The setting of the clock tree, and what comes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockFacts {
    /// The setting.
    pub setting: Clock,
    /// Of the core.
    pub hz: u32,
    /// Of the flash.
    pub wait_states: u32,
}

/// What is answered, as a line has it.
#[derive(Clone, Copy, Debug)]
pub enum Echo<'a> {
    /// To be written.
    Command(&'a Command),
    /// As it was read.
    Text(&'a str),
}

/// Whether a trial ran with probes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrialKind {
    /// Without.
    Plain,
    /// With.
    Probed,
}

/// A measured depth of the stack, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackUse {
    /// What the operation took at most.
    pub peak: u32,
    /// What was left below it.
    pub free: u32,
}

/// SHA-256 of the values of a record, and of all of them in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digests {
    /// The encapsulation key.
    pub pk: [u8; 32],
    /// The decapsulation key.
    pub sk: [u8; 32],
    /// The ciphertext.
    pub ct: [u8; 32],
    /// The shared secret.
    pub ss: [u8; 32],
    /// `pk ‖ sk ‖ ct ‖ ss`.
    pub all: [u8; 32],
}

/// A sample of calls of one symmetric function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Calls, of as many messages each as were asked for.
    pub calls: u64,
    /// What all of it took, with what surrounds the calls; one reading of the counter is in it.
    pub ticks: Option<u64>,
    /// What the intervals of a probe around each call add up to.
    pub inside: Option<u64>,
    /// How many intervals these are.
    pub intervals: u64,
}

/// A loop with a known minimum of cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CounterLoop {
    /// How often it ran.
    pub iterations: u32,
    /// Cycles that it takes at the least.
    pub least: u32,
    /// What the counter says.
    pub ticks: u32,
}

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The request was not understood.
    Request,
    /// The request asks for more than the board holds.
    Memory,
    /// The scheme refused its own output, or contradicts itself.
    Scheme,
    /// The stack met the static data.
    StackOverflow,
    /// The program panicked.
    Panic,
    /// The processor faulted.
    Fault,
    /// The clock tree did not come up.
    Clock,
}

impl ErrorKind {
    const ALL: [Self; 7] =
        [Self::Request, Self::Memory, Self::Scheme, Self::StackOverflow, Self::Panic, Self::Fault, Self::Clock];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Memory => "memory",
            Self::Scheme => "scheme",
            Self::StackOverflow => "stack-overflow",
            Self::Panic => "panic",
            Self::Fault => "fault",
            Self::Clock => "clock",
        }
    }
}

impl TrialKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Probed => "probed",
        }
    }
}

/// A text as a line can hold it: printable, and at most so long.
struct Clean<'a>(&'a str);

/// Characters of a free text at the most: a line has other words too.
const MAX_TEXT: usize = 400;

impl fmt::Display for Clean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        let printable = |character: char| if matches!(character, ' '..='~') { character } else { '?' };
        self.0.chars().take(MAX_TEXT).try_for_each(|character| f.write_char(printable(character)))
    }
}

/// A number that may not be had.
struct Maybe<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("none"),
        }
    }
}

fn maybe(text: &str) -> Option<Option<u64>> {
    if text == "none" { Some(None) } else { number(text).map(Some) }
}

/// The 64 bits of a number.
struct Bits(f64);

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0.to_bits())
    }
}

fn bits(text: &str) -> Option<f64> {
    hex::array(text).map(|bytes| f64::from_bits(u64::from_be_bytes(bytes))).filter(|value| value.is_finite())
}

impl<'a> Line<'a> {
    /// The line that says what is answered.
    #[must_use]
    pub const fn request(command: &'a Command) -> Self {
        Self::Request(Echo::Command(command))
    }

    /// The word that the line begins with.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Firmware(_) => "firmware",
            Self::Compiler(_) => "compiler",
            Self::Board(_) => "board",
            Self::Build { .. } => "build",
            Self::Code { .. } => "code",
            Self::Clock(_) => "clock",
            Self::Counter(_) => "counter",
            Self::Request(_) => "request",
            Self::Trial { .. } => "trial",
            Self::Nodes(_) => "nodes",
            Self::Node(_) => "node",
            Self::Lost(_) => "lost",
            Self::Stack(_) => "stack",
            Self::Wraps(_) => "wraps",
            Self::Digests(_) => "digests",
            Self::Empty(_) => "empty",
            Self::Sample(_) => "sample",
            Self::Loop(_) => "loop",
            Self::Depth { .. } => "depth",
            Self::Error(..) => "error",
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// The first word that is not what belongs in its place.
    pub fn parse(text: &'a str) -> Result<Self, WordError> {
        let mut words = Words::new(text);
        let line = match words.word("a line of an answer")? {
            "firmware" => Self::Firmware(words.text()),
            "compiler" => Self::Compiler(words.text()),
            "board" => Self::Board(words.word("a board")?),
            "build" => Self::Build { opt_level: words.field("opt-level=", Some)?, flags: words.text() },
            "code" => {
                let (backend, code) = words.named("BACKEND=CODE", |word| word.split_once('='))?;
                Self::Code { backend, code }
            }
            "clock" => Self::Clock(clock(&mut words)?),
            "counter" => Self::Counter(verdict(&mut words, "ok", "unavailable")?),
            "request" => Self::Request(Echo::Text(words.text())),
            "trial" => Self::Trial {
                kind: words.named("plain or probed", |word| {
                    [TrialKind::Plain, TrialKind::Probed].into_iter().find(|kind| kind.name() == word)
                })?,
                operations: words.number("operations=")?,
                ticks: words.field("ticks=", maybe)?,
            },
            "nodes" => Self::Nodes(words.named("a number", number)?),
            "node" => Self::Node(NodeLine::parse(&mut words)?),
            "lost" => Self::Lost(words.named("a number", number)?),
            "stack" => Self::Stack(StackUse { peak: words.number("peak=")?, free: words.number("free=")? }),
            "wraps" => Self::Wraps(wraps(&mut words)?),
            "digests" => Self::Digests(digests(&mut words)?),
            "empty" => Self::Empty(empty(&mut words)?),
            "sample" => Self::Sample(Sample {
                calls: words.number("calls=")?,
                ticks: words.field("ticks=", maybe)?,
                inside: words.field("inside=", maybe)?,
                intervals: words.number("intervals=")?,
            }),
            "loop" => Self::Loop(CounterLoop {
                iterations: words.number("iterations=")?,
                least: words.number("least=")?,
                ticks: words.number("ticks=")?,
            }),
            "depth" => Self::Depth { asked: words.number("asked=")?, found: words.number("found=")? },
            "error" => {
                let find = |word: &str| ErrorKind::ALL.into_iter().find(|kind| kind.name() == word);
                Self::Error(words.named("a kind of error", find)?, words.text())
            }
            other => return Err(WordError::unexpected("a line of an answer", other)),
        };
        words.end()?;
        Ok(line)
    }
}

fn clock(words: &mut Words<'_>) -> Result<ClockFacts, WordError> {
    Ok(ClockFacts {
        setting: words.field("setting=", Clock::parse)?,
        hz: words.number("hz=")?,
        wait_states: words.number("wait-states=")?,
    })
}

/// `good`, or `bad` and a reason.
fn verdict<'a>(words: &mut Words<'a>, good: &'static str, bad: &'static str) -> Result<Result<(), &'a str>, WordError> {
    let word = words.word(good)?;
    if word == good {
        Ok(Ok(()))
    } else if word == bad {
        Ok(Err(words.text()))
    } else {
        Err(WordError::unexpected(good, word))
    }
}

fn wraps<'a>(words: &mut Words<'a>) -> Result<Option<Result<(), &'a str>>, WordError> {
    if words.clone().word("certain")? == "none" {
        words.word("none")?;
        return Ok(None);
    }
    verdict(words, "certain", "doubtful").map(Some)
}

/// `none` alone, which is what is left where the counter does not count.
fn is_none(words: &mut Words<'_>, expected: &'static str) -> Result<bool, WordError> {
    let none = words.clone().word(expected)? == "none";
    if none {
        words.word(expected)?;
    }
    Ok(none)
}

fn empty(words: &mut Words<'_>) -> Result<Option<(f64, u64)>, WordError> {
    if is_none(words, "none or interval=")? {
        return Ok(None);
    }
    Ok(Some((words.field("interval=", bits)?, words.number("reading=")?)))
}

fn digests(words: &mut Words<'_>) -> Result<Digests, WordError> {
    Ok(Digests {
        pk: words.field("pk=", hex::array)?,
        sk: words.field("sk=", hex::array)?,
        ct: words.field("ct=", hex::array)?,
        ss: words.field("ss=", hex::array)?,
        all: words.field("all=", hex::array)?,
    })
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        f.write_str(" ")?;
        match self {
            Self::Firmware(text) | Self::Compiler(text) | Self::Board(text) => write!(f, "{}", Clean(text)),
            Self::Build { opt_level, flags: "" } => write!(f, "opt-level={opt_level}"),
            Self::Build { opt_level, flags } => write!(f, "opt-level={opt_level} {}", Clean(flags)),
            Self::Code { backend, code } => write!(f, "{backend}={code}"),
            Self::Clock(ClockFacts { setting, hz, wait_states }) => {
                write!(f, "setting={} hz={hz} wait-states={wait_states}", setting.name())
            }
            Self::Counter(Ok(())) => f.write_str("ok"),
            Self::Counter(Err(reason)) => write!(f, "unavailable {}", Clean(reason)),
            Self::Request(Echo::Command(command)) => write!(f, "{command}"),
            Self::Request(Echo::Text(text)) => f.write_str(text),
            Self::Empty(None) | Self::Wraps(None) => f.write_str("none"),
            Self::Empty(Some((interval, reading))) => write!(f, "interval={} reading={reading}", Bits(*interval)),
            Self::Trial { kind, operations, ticks } => {
                write!(f, "{} operations={operations} ticks={}", kind.name(), Maybe(*ticks))
            }
            Self::Nodes(count) => write!(f, "{count}"),
            Self::Node(node) => write!(f, "{node}"),
            Self::Lost(lost) => write!(f, "{lost}"),
            Self::Stack(StackUse { peak, free }) => write!(f, "peak={peak} free={free}"),
            Self::Wraps(Some(Ok(()))) => f.write_str("certain"),
            Self::Wraps(Some(Err(reason))) => write!(f, "doubtful {}", Clean(reason)),
            Self::Digests(Digests { pk, sk, ct, ss, all }) => {
                write!(f, "pk={} sk={} ct={} ss={} all={}", Hex(pk), Hex(sk), Hex(ct), Hex(ss), Hex(all))
            }
            Self::Sample(Sample { calls, ticks, inside, intervals }) => {
                write!(f, "calls={calls} ticks={} inside={} intervals={intervals}", Maybe(*ticks), Maybe(*inside))
            }
            Self::Loop(CounterLoop { iterations, least, ticks }) => {
                write!(f, "iterations={iterations} least={least} ticks={ticks}")
            }
            Self::Depth { asked, found } => write!(f, "asked={asked} found={found}"),
            Self::Error(kind, text) => write!(f, "{} {}", kind.name(), Clean(text)),
        }
    }
}
