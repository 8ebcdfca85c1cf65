//! An end before its time: what this program began is undone when a signal ends it.
//!
//! Programs that it started are stopped, and temporary files removed, by a thread that waits for signals; what runs in the other
//! threads, a loop that is timed for example, need not look for them.

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// How to undo something.
pub(crate) enum Undo {
    /// Stop a process group.
    Stop(Pid),
    /// Do this.
    Run(Box<dyn FnOnce() + Send>),
}

/// Something that is undone when a signal ends the program while this lives.
#[derive(Debug)]
pub(crate) struct AtEnd(u64);

/// What there is to undo, by its number.
#[derive(Default)]
struct Begun {
    last: u64,
    undo: BTreeMap<u64, Undo>,
}

static BEGUN: Mutex<Begun> = Mutex::new(Begun { last: 0, undo: BTreeMap::new() });
/// The thread that ends the program, once there is one.
static ENDING: OnceLock<ThreadId> = OnceLock::new();

/// What a program that is asked to end may take for it.
const GRACE: Duration = Duration::from_secs(1);
/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(5);
/// Signals within so much are one request: `timeout` sends two at once, one to the program and one to its group.
const ONE_REQUEST: Duration = Duration::from_secs(1);

fn begun() -> MutexGuard<'static, Begun> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AtEnd {
    /// Begins something, and knows from the same moment on how to undo it: no signal comes between.
    ///
    /// # Errors
    /// When it cannot begin.
    pub(crate) fn begin<T>(begin: impl FnOnce() -> io::Result<(T, Undo)>) -> io::Result<(T, Self)> {
        let mut begun = begun();
        if is_ended_by_another() {
            drop(begun);
            wait_for_the_end();
        }
        let (value, undo) = begin()?;
        begun.last += 1;
        let number = begun.last;
        begun.undo.insert(number, undo);
        Ok((value, Self(number)))
    }
}

impl Drop for AtEnd {
    fn drop(&mut self) {
        let undo = begun().undo.remove(&self.0);
        drop(undo);
        if is_ended_by_another() {
            wait_for_the_end();
        }
    }
}

/// Whether another thread ends the program. What this one does then is of no use any more.
fn is_ended_by_another() -> bool {
    ENDING.get().is_some_and(|ending| *ending != thread::current().id())
}

fn wait_for_the_end() -> ! {
    loop {
        thread::park();
    }
}

/// From now on, SIGINT, SIGTERM and SIGHUP undo what was begun before they end the program. One that the caller has it ignore, as
/// `nohup` does, stays ignored.
///
/// # Errors
/// When the system refuses to say when a signal comes.
pub fn watch_signals() -> io::Result<()> {
    let ignored = ignored_signals();
    let watched = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(watched)?;
    let watch = move || {
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            match first {
                None => {
                    first = Some(Instant::now());
                    thread::spawn(move || end(signal));
                }
                // Whoever asks again does not want to wait for what takes time to undo.
                Some(first) if first.elapsed() > ONE_REQUEST => drop(emulate_default_handler(signal)),
                Some(_) => {}
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(watch).map(drop)
}

/// Undoes everything, and ends the program as the signal does.
fn end(signal: i32) {
    let _ = ENDING.set(thread::current().id());
    stop_groups();
    // The last first: a file is in a folder that was made before.
    let undo = std::mem::take(&mut begun().undo);
    for (_, undo) in undo.into_iter().rev() {
        if let Undo::Run(undo) = undo {
            undo();
        }
    }
    let _ = emulate_default_handler(signal);
}

/// Asks all groups to end, and stops those that have not ended after a while.
fn stop_groups() {
    let send = |signal| {
        let groups: Vec<Pid> = begun()
            .undo
            .values()
            .filter_map(|undo| if let Undo::Stop(group) = undo { Some(*group) } else { None })
            .collect();
        for group in &groups {
            // It may have ended just now.
            let _ = kill_process_group(*group, signal);
        }
        !groups.is_empty()
    };
    if !send(Signal::TERM) {
        return;
    }
    let began = Instant::now();
    let some = || begun().undo.values().any(|undo| matches!(undo, Undo::Stop(_)));
    while some() && began.elapsed() < GRACE {
        thread::sleep(LOOK);
    }
    send(Signal::KILL);
}

/// The signals that the caller had this program ignore, a bit each (proc(5), `SigIgn`); none where the system does not say.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
