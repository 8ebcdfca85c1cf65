//! What a terminal sees while something takes time. Where standard error is none, only what takes minutes says so, in lines.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// All that is shown at one time, a line each.
static SHOWN: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Between two looks of what turns.
const TICK: Duration = Duration::from_millis(100);

/// Something goes on, until this is dropped.
#[derive(Debug)]
pub struct Waiting {
    bar: ProgressBar,
    /// What is said at the end.
    done: Option<(String, Instant)>,
}

/// Shows that something goes on of which no length is known. Its thread wakes up ten times a second: nothing is to be timed beside it.
#[must_use]
pub fn waiting(what: impl Into<String>) -> Waiting {
    let bar = SHOWN.add(ProgressBar::no_length().with_style(style("{spinner} {wide_msg} {elapsed}")));
    bar.set_message(what.into());
    bar.enable_steady_tick(TICK);
    Waiting { bar, done: None }
}

/// The same for what takes minutes: how long it usually takes is said when it begins, and how long it took when it is done.
#[must_use]
pub fn building(what: &str, usually: &str) -> Waiting {
    let began = format!("building {what}, once; it is kept for the next time; this takes {usually}");
    if !std::io::stderr().is_terminal() {
        line(&began);
    }
    let mut building = waiting(began);
    building.done = Some((what.to_owned(), Instant::now()));
    building
}

impl Waiting {
    /// Says that it is done, and how long it took.
    pub fn succeeded(mut self) {
        if let Some((what, began)) = self.done.take() {
            self.bar.finish_and_clear();
            line(&format!("built {what} in {} s", began.elapsed().as_secs()));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar of `step`s, which turns until it is known how many there are. It has no thread: what is timed beside it moves it.
#[must_use]
pub fn bar(name: String, step: &'static str) -> ProgressBar {
    let bar = SHOWN.add(ProgressBar::no_length().with_style(style("{spinner} {prefix}")));
    bar.set_prefix(name);
    bar.set_message(step);
    bar.tick();
    bar
}

/// Moves a bar.
pub fn advance(bar: &ProgressBar) -> impl FnMut(u64, u64) + '_ {
    |done, all| {
        if bar.length() != Some(all) {
            bar.set_style(style("{prefix} {wide_bar} {msg} {pos} of {len}, {eta} left"));
            bar.set_length(all);
        }
        bar.set_position(done);
    }
}

/// Does what writes to standard error, with nothing shown there meanwhile.
pub fn suspended<T>(write: impl FnOnce() -> T) -> T {
    SHOWN.suspend(write)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn line(text: &str) {
    // Where standard error is closed, nobody waits for it.
    suspended(|| drop(writeln!(std::io::stderr(), "{text}")));
}
