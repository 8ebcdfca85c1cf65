use super::machine::Machine;
use super::{Opened, Reply, Request};
use crate::counter;
use crate::counter::callgrind::Boundaries;
use crate::guest;
use crate::kat;
use crate::platform::{Platform, PlatformError};
use crate::platform::{doctor, host};
use crate::runner;
use kemprof_core::Phase;
use serde::Serialize;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

/// Between two lines that say how far it is: writing them takes the core from no more than a trial in a hundred.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers what standard input asks for, until it ends.
///
/// # Errors
/// When standard input or output cannot be used.
pub(crate) fn serve() -> io::Result<()> {
    let machine = Machine::of_first_process()?;
    let replies = Replies(RefCell::new(own_output()?));
    let mut platform: Option<Box<dyn Platform>> = None;
    for line in io::stdin().lock().lines() {
        let refused = match serde_json::from_str::<Request>(&line?) {
            Ok(Request::End) => break,
            Ok(request) => {
                answer(request, &mut platform, &replies).err().map(|error| (error.to_string(), error.is_usage()))
            }
            Err(error) => Some((format!("this is no request of another kemprof: {error}"), true)),
        };
        if let Some((message, usage)) = refused {
            replies.send(&Reply::<()>::Refused { message, usage })?;
        }
    }
    machine.map_or(Ok(()), Machine::power_off)
}

/// Standard output, which is ours alone from now on: what anything else writes there goes to standard error.
fn own_output() -> io::Result<File> {
    let own = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(own.into())
}

/// Where lines for the program that asks are written.
struct Replies(RefCell<File>);

impl Replies {
    fn send<T: Serialize>(&self, reply: &Reply<T>) -> io::Result<()> {
        let line = serde_json::to_string(reply)? + "\n";
        self.0.borrow_mut().write_all(line.as_bytes())
    }

    fn answer<T: Serialize>(&self, answer: T) -> Result<(), PlatformError> {
        self.send(&Reply::Answer(answer)).map_err(PlatformError::Reply)
    }

    /// Says how far it is, now and then.
    fn progress(&self) -> impl FnMut(u64, u64) + '_ {
        let mut last = Instant::now();
        move |done, all| {
            if last.elapsed() > PAUSE {
                last = Instant::now();
                // Who does not listen is told nothing.
                drop(self.send(&Reply::<()>::Progress(done, all)));
            }
        }
    }
}

/// Does what is asked for, and answers.
fn answer(request: Request, open: &mut Option<Box<dyn Platform>>, replies: &Replies) -> Result<(), PlatformError> {
    match request {
        Request::Declare(origin) => {
            origin.declare();
            replies.answer(())
        }
        Request::Open(settings) => {
            let mut platform = host::open(settings)?;
            platform.open()?;
            let opened = Opened { only_process: platform.only_process(), triple: platform.triple() };
            *open = Some(platform);
            replies.answer(opened)
        }
        Request::Counters => {
            let found = counter::available().into_iter();
            let found = found.map(|(name, found)| (name, found.map_err(|reason| reason.to_string())));
            replies.answer(found.collect::<Vec<_>>())
        }
        Request::Doctor => replies.answer(doctor::this_machine()),
        Request::Load(package) => replies.answer(guest::adopt(package, true)?.name),
        Request::Examine(package) => {
            guest::adopt(package, true)?;
            let mut last = "";
            let begins = |operation: &'static str| {
                if last != operation {
                    last = operation;
                    drop(replies.send(&Reply::<()>::Begins(operation.to_owned())));
                }
            };
            replies.answer(guest::examine(begins).err().map(|flaw| flaw.to_string()))
        }
        Request::OwnMemory(job) => replies.answer(host::own_memory(&job)?),
        Request::Follow(job) => {
            let parts = runner::observe(&job, Boundaries::new()?)?.into_parts();
            let names = |phases: Vec<Phase>| phases.into_iter().map(Phase::name).collect();
            replies.answer(parts.into_iter().map(names).collect::<Vec<Vec<&str>>>())
        }
        Request::KnownAnswerFile(instance, spec, sampling, count) => {
            replies.answer(kat::file_text(&instance, &spec, sampling, count)?)
        }
        request => measure(request, open.as_deref_mut().ok_or(PlatformError::NotOpen)?, replies),
    }
}

/// Does what needs an open platform.
fn measure(request: Request, platform: &mut dyn Platform, replies: &Replies) -> Result<(), PlatformError> {
    let mut progress = replies.progress();
    match request {
        Request::Backends => replies.answer(platform.backends()?),
        Request::Plan(job, purpose, asked) => replies.answer(platform.plan(&job, purpose, &asked)?),
        Request::Gate(job) => replies.answer(platform.gate(&job)?),
        Request::Profile(job, verdict, processes) => {
            replies.answer(platform.profile(&job, &verdict, processes, &mut progress)?)
        }
        Request::Memory(job) => replies.answer(platform.memory(&job)?),
        Request::Compare(jobs) => replies.answer(platform.compare(&jobs, &mut progress)?),
        Request::HashCalls(backend) => replies.answer(platform.hash_calls(backend)?),
        Request::BenchHash(calls, quick) => replies.answer(platform.bench_hash(&calls, quick, &mut progress)?),
        Request::Instructions(job) => replies.answer(platform.instructions(&job)?),
        Request::Timeline(job, timed) => replies.answer(platform.timeline(&job, timed)?),
        Request::KnownAnswers(instance, spec, sampling) => {
            replies.answer(platform.known_answers(&instance, &spec, sampling)?)
        }
        // Answered without a platform.
        Request::Declare(_)
        | Request::Open(_)
        | Request::Counters
        | Request::Doctor
        | Request::Load(_)
        | Request::Examine(_)
        | Request::OwnMemory(_)
        | Request::Follow(_)
        | Request::KnownAnswerFile(..)
        | Request::End => Err(PlatformError::NotOpen),
    }
}
