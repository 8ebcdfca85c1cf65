use crate::answer_error::AnswerError;
use crate::line::{ClockFacts, CounterLoop, Digests, Echo, Line, Sample, StackUse, TrialKind};
use crate::lines;
use crate::request::{Command, FunctionCall, Profile, Request};
use crate::suite::Backends;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use kemprof_core::backend::Backend;
use kemprof_core::recorder::{Key, Node};

/// What every answer says of the machine that gave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The version of the firmware.
    pub firmware: String,
    /// What compiled it.
    pub compiler: String,
    /// The board that it was built for.
    pub board: String,
    /// The level of optimisation that it was compiled with: `0` to `3`, `s` or `z`.
    pub opt_level: String,
    /// Flags of the compiler beside the profile's.
    pub flags: Vec<String>,
    /// Which code of each backend is in it, by the backend's name.
    pub code: BTreeMap<String, String>,
    /// How the clock is set.
    pub clock: ClockFacts,
    /// Whether the cycle counter counts, or why not. Where it does not, no answer has ticks.
    pub counter: Result<(), String>,
}

/// An answer, by the command that was asked.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To [`Command::Profile`].
    Profile(Head, ProfileAnswer),
    /// To [`Command::Record`].
    Record(Head, RecordAnswer),
    /// To [`Command::Function`].
    Function(Head, FunctionAnswer),
    /// To [`Command::Counter`].
    Counter(Head, CounterAnswer),
    /// To [`Command::Stack`].
    Stack(Head, StackAnswer),
}

/// A trial: operations, and the ticks they took where the counter counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// Operations that ran.
    pub operations: u64,
    /// What they took together.
    pub ticks: Option<u64>,
}

/// What an operation took.
#[derive(Clone, Debug)]
pub struct ProfileAnswer {
    /// Trials without probes.
    pub trials: Vec<Trial>,
    /// Trials with probes, each run right after the one without of the same number.
    pub probed: Vec<Trial>,
    /// The recorder's rows over all trials with probes.
    pub nodes: Vec<Node>,
    /// Phases and calls that found the recorder's table full: with any, there is no result.
    pub lost: u64,
    /// How deep the stack went.
    pub stack: StackUse,
    /// Whether the extension of the counter to 64 bits is beyond doubt, or why not.
    pub wraps: Option<Result<(), String>>,
}

/// A record of known answers, whose decapsulation agreed with its encapsulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordAnswer {
    /// SHA-256 of its values.
    pub digests: Digests,
}

/// What calls of one function took.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionAnswer {
    /// Ticks of an interval of the probe in which nothing happens, and of two readings one right after the other.
    pub empty: Option<(f64, u64)>,
    /// The samples.
    pub samples: Vec<Sample>,
    /// Whether the extension of the counter to 64 bits is beyond doubt, or why not.
    pub wraps: Option<Result<(), String>>,
}

/// How the counter was tested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterAnswer {
    /// Loops with a known minimum of cycles.
    pub loops: Vec<CounterLoop>,
}

/// Stacks of known depth and what was found: `(asked, found)` in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackAnswer {
    /// Each depth.
    pub depths: Vec<(u32, u32)>,
}

/// Reads the answer to `request`.
///
/// # Errors
/// Whatever is not exactly an answer to it; [`AnswerError::Device`] when the firmware itself reports an error.
pub fn decode(bytes: &[u8], request: &Request) -> Result<Answer, AnswerError> {
    let lines = lines::lines(bytes)?;
    let mut reader = Reader { lines: &lines, at: 0, board: None, counts: None };
    let head = reader.head(request)?;
    let answer = match &request.command {
        Command::Profile(profile) => Answer::Profile(head, reader.profile(profile)?),
        Command::Record(_) => Answer::Record(head, RecordAnswer { digests: reader.digests()? }),
        Command::Function(call) => Answer::Function(head, reader.function(call)?),
        Command::Counter => Answer::Counter(head, CounterAnswer { loops: reader.loops()? }),
        Command::Stack => Answer::Stack(head, StackAnswer { depths: reader.depths()? }),
    };
    reader.end()?;
    Ok(answer)
}

/// The lines between the first and the last, of which the next one is at `at`.
struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
    board: Option<&'a str>,
    /// Whether the counter counts, once the answer has said so.
    counts: Option<bool>,
}

/// The value of the next line, which is of this kind.
macro_rules! expect {
    ($reader:expr, $word:literal, $pattern:pat => $value:expr) => {
        match $reader.next($word)? {
            $pattern => $value,
            other => return Err($reader.order($word, other.word())),
        }
    };
}

impl<'a> Reader<'a> {
    /// The number of the line that was read last; the first line is not among `lines`.
    fn number(&self) -> usize {
        self.at + 1
    }

    fn next(&mut self, expected: &'static str) -> Result<Line<'a>, AnswerError> {
        let Some(text) = self.lines.get(self.at) else {
            return Err(AnswerError::Order { line: self.at + 2, expected, found: "end".to_owned() });
        };
        self.at += 1;
        match lines::parse(self.number(), text)? {
            Line::Error(kind, text) => {
                self.end()?;
                Err(AnswerError::Device { board: self.board.map(str::to_owned), kind, text: text.to_owned() })
            }
            line => Ok(line),
        }
    }

    fn order(&self, expected: &'static str, found: &str) -> AnswerError {
        AnswerError::Order { line: self.number(), expected, found: found.to_owned() }
    }

    fn contradiction(&self, what: &'static str) -> AnswerError {
        AnswerError::Contradiction { line: self.number(), what }
    }

    /// Fails unless the last line is next.
    fn end(&mut self) -> Result<(), AnswerError> {
        match self.lines.get(self.at) {
            None => Ok(()),
            Some(text) => {
                let found = text.split(' ').next().unwrap_or_default().to_owned();
                Err(AnswerError::Order { line: self.at + 2, expected: "end", found })
            }
        }
    }

    fn head(&mut self, request: &Request) -> Result<Head, AnswerError> {
        let firmware = expect!(self, "firmware", Line::Firmware(text) => text.to_owned());
        let compiler = expect!(self, "compiler", Line::Compiler(text) => text.to_owned());
        let board = expect!(self, "board", Line::Board(board) => board);
        self.board = Some(board);
        let (opt_level, flags) =
            expect!(self, "build", Line::Build { opt_level, flags } => (opt_level.to_owned(), flags));
        let flags = flags.split(' ').filter(|flag| !flag.is_empty()).map(str::to_owned).collect();
        let code = self.code()?;
        let clock = expect!(self, "clock", Line::Clock(facts) => facts);
        if clock.setting != request.clock {
            return Err(self.contradiction("the clock is not set as was asked"));
        }
        let counter = expect!(self, "counter", Line::Counter(verdict) => verdict.map_err(str::to_owned));
        let found = expect!(self, "request", Line::Request(Echo::Text(text)) => text);
        let expected = request.command.to_string();
        if found != expected {
            return Err(AnswerError::OtherRequest { line: self.number(), expected, found: found.to_owned() });
        }
        self.counts = Some(counter.is_ok());
        let used = request.command.backends().map(|Backends { xof, prf, hash, drng }| [xof, prf, hash, drng]);
        if used.into_iter().flatten().any(|backend| !code.contains_key(backend.name())) {
            return Err(self.contradiction("it does not say which code of a backend it has"));
        }
        Ok(Head { firmware, compiler, board: board.to_owned(), opt_level, flags, code, clock, counter })
    }

    /// As many lines of code as there are.
    fn code(&mut self) -> Result<BTreeMap<String, String>, AnswerError> {
        let mut all = BTreeMap::new();
        while self.lines.get(self.at).is_some_and(|line| line.starts_with("code ")) {
            let (backend, code) = expect!(self, "code", Line::Code { backend, code } => (backend, code));
            if all.insert(backend.to_owned(), code.to_owned()).is_some() {
                return Err(self.contradiction("it says twice which code of a backend it has"));
            }
        }
        Ok(all)
    }

    /// Checks that a value is there exactly where the counter counts.
    fn counted<T>(&self, value: Option<T>) -> Result<Option<T>, AnswerError> {
        if Some(value.is_some()) == self.counts {
            Ok(value)
        } else {
            Err(self.contradiction("ticks, and a counter that does not count, or no ticks of one that does"))
        }
    }

    fn profile(&mut self, profile: &Profile) -> Result<ProfileAnswer, AnswerError> {
        let (mut trials, mut probed) = (Vec::new(), Vec::new());
        for _ in 0..profile.trials {
            trials.push(self.trial(TrialKind::Plain, profile.iterations)?);
            probed.push(self.trial(TrialKind::Probed, profile.iterations)?);
        }
        let nodes = self.nodes(profile)?;
        let lost = expect!(self, "lost", Line::Lost(lost) => lost);
        let stack = expect!(self, "stack", Line::Stack(stack) => stack);
        Ok(ProfileAnswer { trials, probed, nodes, lost, stack, wraps: self.wraps()? })
    }

    fn trial(&mut self, wanted: TrialKind, iterations: u32) -> Result<Trial, AnswerError> {
        let (kind, trial) =
            expect!(self, "trial", Line::Trial { kind, operations, ticks } => (kind, Trial { operations, ticks }));
        if kind != wanted {
            return Err(self.contradiction("trials without probes and with them do not alternate"));
        }
        if trial.operations != u64::from(iterations) {
            return Err(self.contradiction("the trial has other operations than were asked for"));
        }
        self.counted(trial.ticks)?;
        Ok(trial)
    }

    fn nodes(&mut self, profile: &Profile) -> Result<Vec<Node>, AnswerError> {
        let count = expect!(self, "nodes", Line::Nodes(count) => count);
        let suite = profile.subject.backends.suite(&[]);
        let mut nodes: Vec<Node> = Vec::new();
        for index in 0..count {
            let line = expect!(self, "node", Line::Node(line) => line);
            let node = line.node(&suite);
            let node = node.ok_or_else(|| self.contradiction("it names a function that these backends do not have"))?;
            let root = node.key == Key::Root;
            let under_phase = nodes.get(node.parent()).is_some_and(|parent| !matches!(parent.key, Key::Call(_)));
            if root != (index == 0) || !(root && node.parent() == 0 || under_phase) {
                return Err(self.contradiction("the rows are no tree in which every row follows its parent"));
            }
            nodes.push(node);
        }
        Ok(nodes)
    }

    fn wraps(&mut self) -> Result<Option<Result<(), String>>, AnswerError> {
        let wraps = expect!(self, "wraps", Line::Wraps(wraps) => self.counted(wraps)?);
        Ok(wraps.map(|wraps| wraps.map_err(str::to_owned)))
    }

    fn digests(&mut self) -> Result<Digests, AnswerError> {
        Ok(expect!(self, "digests", Line::Digests(digests) => digests))
    }

    fn function(&mut self, call: &FunctionCall) -> Result<FunctionAnswer, AnswerError> {
        let empty = expect!(self, "empty", Line::Empty(empty) => self.counted(empty)?);
        let mut samples = Vec::new();
        for _ in 0..call.samples {
            let sample = expect!(self, "sample", Line::Sample(sample) => sample);
            if sample.calls != u64::from(call.iterations) {
                return Err(self.contradiction("the sample has other calls than were asked for"));
            }
            self.counted(sample.ticks)?;
            self.counted(sample.inside)?;
            samples.push(sample);
        }
        Ok(FunctionAnswer { empty, samples, wraps: self.wraps()? })
    }

    /// All lines that are left.
    fn rest<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T, AnswerError>) -> Result<Vec<T>, AnswerError> {
        let mut all = Vec::new();
        while self.at < self.lines.len() {
            all.push(read(self)?);
        }
        Ok(all)
    }

    fn loops(&mut self) -> Result<Vec<CounterLoop>, AnswerError> {
        self.rest(|reader| Ok(expect!(reader, "loop", Line::Loop(timed) => timed)))
    }

    fn depths(&mut self) -> Result<Vec<(u32, u32)>, AnswerError> {
        self.rest(|reader| Ok(expect!(reader, "depth", Line::Depth { asked, found } => (asked, found))))
    }
}
