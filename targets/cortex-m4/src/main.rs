//! Firmware that profiles `kemprof-core` on a Cortex-M4: it reads one request, runs it, sends one answer and exits.
//!
//! ```text
//! host ──▶ request ──▶ board's clock ──▶ counter, tested ──▶ profile | record | function | counter | stack ──▶ answer
//! ```
//!
//! Nothing is allocated. What a request needs is in the [arena] or on the stack, and nothing is sent before everything is
//! measured.
#![no_std]
#![no_main]

mod arena;
mod bench;
mod board;
mod clockwork;
mod counter;
mod fail;
mod function;
mod functions;
mod host;
mod marks;
mod memory;
mod profile;
mod record;
mod scheme;
mod stack;

use arena::Arena;
use board::BOARD;
use clockwork::Clockwork;
use core::fmt;
use cortex_m::Peripherals;
use fail::{Failure, fail};
use host::Answer;
use kemprof_core::{Any, Backend, FLAGS, OPT_LEVEL};
use kemprof_protocol::{ClockFacts, Command, FunctionCall, Line, Request};

#[cortex_m_rt::entry]
fn main() -> ! {
    stack::guard();
    match run() {
        Ok(()) => host::exit(true),
        Err(failure) => fail(&failure),
    }
}

fn run() -> Result<(), Failure> {
    let request = host::request().map_err(Failure::Request)?;
    let clock = BOARD.set_clock(request.clock).map_err(Failure::Clock)?;
    let mut peripherals = Peripherals::take().expect("they are taken once");
    let test = counter::start(peripherals.DCB, peripherals.DWT);
    let mut clockwork = Clockwork { cycles: test.verdict, syst: &mut peripherals.SYST };
    let head = Head { request: &request, clock, counter: test.verdict.map(|_| ()) };
    match &request.command {
        Command::Profile(profile) => profile::run(profile, clockwork, Arena::take(), |lines| head.answer(lines)),
        Command::Record(record) => {
            let digests = record::make(record, Arena::take())?;
            head.answer(|answer| answer.line(&Line::Digests(digests)));
            Ok(())
        }
        Command::Function(call) => function_alone(&head, call, &mut clockwork),
        Command::Counter => {
            head.answer(|answer| answer.lines(test.loops.into_iter().flatten().map(Line::Loop)));
            Ok(())
        }
        Command::Stack => known_depths(&head),
    }
}

#[inline(never)]
fn function_alone(head: &Head<'_>, call: &FunctionCall, clockwork: &mut Clockwork<'_>) -> Result<(), Failure> {
    let timed = function::time(call, clockwork, Arena::take())?;
    head.answer(|answer| {
        answer.line(&Line::Empty(timed.empty))?;
        answer.lines(timed.samples.iter().map(|sample| Line::Sample(*sample)))?;
        answer.line(&clockwork.wraps())
    });
    Ok(())
}

#[inline(never)]
fn known_depths(head: &Head<'_>) -> Result<(), Failure> {
    let mut depths = [Line::Depth { asked: 0, found: 0 }; stack::DEPTHS.len()];
    for (asked, line) in stack::DEPTHS.into_iter().zip(&mut depths) {
        let used = stack::known(asked)?;
        *line = Line::Depth { asked, found: used.peak };
    }
    head.answer(|answer| answer.lines(depths));
    Ok(())
}

/// What every answer begins with.
struct Head<'a> {
    request: &'a Request,
    clock: ClockFacts,
    counter: Result<(), &'static str>,
}

impl Head<'_> {
    /// Sends an answer, unless the stack was too small for making it. A host that does not take it cannot be told.
    fn answer(&self, lines: impl FnOnce(&mut Answer) -> fmt::Result) {
        if !stack::intact() {
            fail(&Failure::Overflow);
        }
        let sent = host::answer(|answer| {
            answer.lines([
                Line::Firmware(env!("CARGO_PKG_VERSION")),
                Line::Compiler(env!("KEMPROF_COMPILER")),
                Line::Board(BOARD.name),
                Line::Build { opt_level: OPT_LEVEL, flags: FLAGS },
            ])?;
            answer.lines(Any::ALL.iter().map(|of| Line::Code { backend: of.name(), code: of.code() }))?;
            answer.lines([
                Line::Clock(self.clock),
                Line::Counter(self.counter),
                Line::request(&self.request.command),
            ])?;
            lines(answer)
        });
        if sent.is_err() {
            host::exit(false);
        }
    }
}
