//! A *worker* is this program at the other end of a pipe. It takes requests and gives answers, a line of JSON each: trials in a process
//! of their own, and everything on a machine that is reached over ssh, emulated, or watched by valgrind. Command lines, files and
//! tables are the affair of the program that asks.

mod client;
mod machine;
mod serve;

pub(crate) use client::{Sign, Worker, WorkerError, this_program};
pub(crate) use serve::serve;

use super::{Asked, HostSettings, Purpose};
use crate::environment::Origin;
use crate::guest::Package;
use crate::kat::Verdict;
use crate::runner::{HashCall, Job, SuiteSpec};
use kemprof_core::{Any, Sampling};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The argument that makes this program a worker.
pub(crate) const COMMAND: &str = "worker";

/// What the first program of a machine says when it can read.
const READY: &str = "ready";

/// What a worker is to do. Each is answered by what the method of its name in [`Platform`](super::Platform) returns, unless it says
/// otherwise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// How the worker came to its machine, before anything else; answered by nothing.
    Declare(Origin),
    /// How to measure, before anything that is measured; answered by [`Opened`].
    Open(HostSettings),
    /// What counts there, answered by the counters with their names.
    Counters,
    /// What can be measured there, answered by a heading and findings.
    Doctor,
    /// Load this KEM from outside; answered by its name.
    Load(Package),
    /// Try this KEM from outside; answered by what is wrong with it, if anything is.
    Examine(Package),
    Backends,
    Plan(Job, Purpose, Asked),
    Gate(Job),
    Profile(Job, Verdict, u32),
    Memory(Job),
    /// The same, of this very process.
    OwnMemory(Job),
    Compare(Vec<(Job, Verdict)>),
    HashCalls(Any),
    BenchHash(Vec<HashCall>, bool),
    Instructions(Job),
    /// One operation under valgrind, answered by the phases of each part of what callgrind writes.
    Follow(Job),
    Timeline(Job, bool),
    KnownAnswers(String, SuiteSpec, Sampling),
    /// So many records of known answers, or as many as are published; answered by the text of their file.
    KnownAnswerFile(String, SuiteSpec, Sampling, Option<usize>),
    /// Nothing more; not answered.
    End,
}

/// What a worker says once it is open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Opened {
    /// Why trials are all of one process, if they are.
    pub(crate) only_process: Option<Cow<'static, str>>,
    /// The target triple of its code.
    pub(crate) triple: Cow<'static, str>,
}

/// A line of a worker's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Reply<T> {
    /// So many of so many steps are done.
    Progress(u64, u64),
    /// An operation of a KEM that is tried begins.
    Begins(String),
    /// The answer.
    Answer(T),
    /// Why there is none, and whether the request is wrong.
    Refused { message: String, usage: bool },
}
