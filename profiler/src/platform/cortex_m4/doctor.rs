//! What of `--target cortex-m4` works on this machine.

use super::{Board, M4Error, M4Settings, RunnerName, request};
use crate::cross::{self, CrossError, SourceTree};
use crate::platform::doctor::{Finding, State, installs};
use kemprof_core::Any;
use kemprof_core::backend::Backend;

pub use crate::counter::CYCLE_COUNTER as COUNTER;

/// The backends that the firmware has.
#[must_use]
pub fn backends() -> Vec<Any> {
    Any::ALL.iter().copied().filter(|backend| request::is_in_firmware(*backend)).collect()
}

/// Why the counter does not count under this runner, where it does not.
#[must_use]
pub const fn uncounted(runner: RunnerName) -> Option<&'static str> {
    if runner.counts() { None } else { Some("an emulator without a model of time: calls and known answers alone") }
}

/// Of each runner what its counter counts, where a run on this machine would have it, or why not.
#[must_use]
pub fn counters() -> Vec<(RunnerName, Result<&'static str, String>)> {
    let firmware = prepared().map_err(|error| M4Error::from(error).to_string());
    let counter = |runner| {
        if let Some(reason) = uncounted(runner) {
            return Err(reason.to_owned());
        }
        version(runner).map_err(|error| error.to_string())?;
        firmware.clone().map(|_| counted(runner))
    };
    RunnerName::ALL.into_iter().map(|runner| (runner, counter(runner))).collect()
}

const fn counted(runner: RunnerName) -> &'static str {
    match runner {
        RunnerName::M4sim => "core cycles of a model",
        RunnerName::Qemu => "nothing",
        RunnerName::ProbeRs => "core cycles of a board, which has to be connected",
    }
}

/// What this runner calls itself, where it is installed.
fn version(runner: RunnerName) -> Result<String, M4Error> {
    let board = Board::ALL.into_iter().find(|board| board.runs_on(runner)).unwrap_or_default();
    M4Settings { runner, board, ..M4Settings::default() }.open()?.version()
}

/// The toolchain that builds the firmware, where there is a folder to keep it in as well.
fn prepared() -> Result<String, CrossError> {
    let toolchain = M4Settings::default().product().toolchain()?;
    cross::kept_in()?;
    Ok(toolchain)
}

/// Whether this machine can build the firmware.
#[must_use]
pub fn examine_firmware() -> Finding {
    let toolchain = prepared();
    finding("cortex-m4 firmware", toolchain.map(|toolchain| format!("{toolchain} builds it")))
}

/// What a run on a Cortex-M4 needs, and what there is: what builds the firmware, what runs it, boards, backends.
#[must_use]
pub fn examine() -> Vec<Finding> {
    let sources = SourceTree::find().map(|tree| tree.path().display().to_string());
    let toolchain = M4Settings::default().product().toolchain();
    let kept = cross::kept_in().map(|folder| format!("{}, with {}", folder.display(), kept()));
    let mut findings = vec![
        finding("sources", sources),
        finding("cross toolchain", toolchain.map(|toolchain| format!("{toolchain} builds the firmware"))),
        finding("cache", kept),
    ];
    let versions = RunnerName::ALL.map(|runner| (runner, version(runner)));
    let installed: Vec<RunnerName> =
        versions.iter().filter(|(_, version)| version.is_ok()).map(|(runner, _)| *runner).collect();
    findings.extend(versions.map(|(runner, version)| examine_runner(runner, version)));
    findings.extend(Board::ALL.map(|board| examine_board(board, &installed)));
    findings.push(examine_backends());
    findings
}

fn finding(what: &str, found: Result<String, CrossError>) -> Finding {
    let what = what.to_owned();
    match found {
        Ok(detail) => Finding { what, state: State::Works, detail, fix: None },
        Err(error) => {
            let fix = matches!(error, CrossError::NoToolchain { .. }).then(|| "targets/setup".to_owned());
            Finding { what, state: State::Missing, detail: error.to_string(), fix }
        }
    }
}

/// Which firmware is in the cache.
fn kept() -> String {
    let is_kept = |board: &Board| {
        let product = M4Settings { board: *board, ..M4Settings::default() }.product();
        product.is_kept().unwrap_or(false)
    };
    let boards: Vec<&str> = Board::ALL.into_iter().filter(is_kept).map(Board::name).collect();
    match boards[..] {
        [] => "no firmware yet: the first run builds it".to_owned(),
        _ => format!("the firmware for {}; others are built by their first run", boards.join(", ")),
    }
}

fn examine_runner(runner: RunnerName, version: Result<String, M4Error>) -> Finding {
    let what = format!("runner {runner}");
    let gives = uncounted(runner).map_or_else(|| format!("counter {COUNTER}, {}", counted(runner)), str::to_owned);
    match version {
        Ok(version) => {
            // That the program is there does not say that a board is.
            let state = if runner == RunnerName::ProbeRs { State::Caution } else { State::Works };
            Finding {
                what,
                state,
                detail: format!("{version}: {gives}; boards: {}", runner.boards().join(", ")),
                fix: None,
            }
        }
        Err(error) => {
            let fix = runner.program().and_then(installs).map(str::to_owned);
            Finding { what, state: State::Missing, detail: format!("{error}; it would give {gives}"), fix }
        }
    }
}

/// What a board has, and which runners have it; it works with one that is installed.
fn examine_board(board: Board, installed: &[RunnerName]) -> Finding {
    let (with, without): (Vec<RunnerName>, Vec<RunnerName>) = RunnerName::ALL
        .into_iter()
        .filter(|runner| board.runs_on(*runner))
        .partition(|runner| installed.contains(runner));
    let names = |runners: &[RunnerName]| runners.iter().map(|runner| runner.name()).collect::<Vec<_>>().join(", ");
    let memory = board.memory();
    let mut detail = format!("{} KiB of flash, {} KiB of RAM used", memory.flash.1 >> 10, memory.ram.1 >> 10);
    for (runners, how) in [(&with, "with"), (&without, "not here with")] {
        if !runners.is_empty() {
            detail += &format!("; {how} --runner {}", names(runners));
        }
    }
    let state = if with.is_empty() { State::Missing } else { State::Works };
    Finding { what: format!("board {board}"), state, detail, fix: None }
}

fn examine_backends() -> Finding {
    let names =
        |backends: &mut dyn Iterator<Item = Any>| backends.map(|backend| backend.name()).collect::<Vec<_>>().join(", ");
    let present = backends();
    let absent = names(&mut Any::ALL.iter().copied().filter(|backend| !present.contains(backend)));
    let detail = format!("{}; not in the firmware: {absent}", names(&mut present.iter().copied()));
    Finding { what: "backends".to_owned(), state: State::Works, detail, fix: None }
}
