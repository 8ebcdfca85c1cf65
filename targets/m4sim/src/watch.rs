//! Watching a run: a profile, a trace, or both.

use std::io::Write;

use crate::core::Core;
use crate::profile::Profile;
use crate::run::{Executed, Observer};
use crate::symbols::Symbols;
use crate::trace::Trace;

/// What is watched of a run. Watching costs a good part of the speed, and nothing of the simulated time.
#[derive(Default)]
pub struct Watch {
    profile: Option<Profile>,
    trace: Option<Trace>,
}

impl Watch {
    /// Watches nothing yet.
    pub fn nothing() -> Self {
        Watch::default()
    }

    /// Adds a profile over the symbols of the image.
    pub fn with_profile(self, symbols: &Symbols) -> Self {
        Watch { profile: Some(Profile::new(symbols.clone())), ..self }
    }

    /// Adds a trace, a line for each instruction.
    pub fn with_trace(self, symbols: &Symbols, out: Box<dyn Write + Send>) -> Self {
        Watch { trace: Some(Trace::new(symbols.clone(), out)), ..self }
    }

    /// The profile so far.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    /// Writes out what a trace still holds.
    ///
    /// # Errors
    /// The first error that writing any line of the trace met.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.trace.take().map_or(Ok(()), Trace::finish)
    }
}

impl Observer for Watch {
    fn executed(&mut self, core: &Core, step: &Executed<'_>) {
        if let Some(profile) = &mut self.profile {
            profile.executed(core, step);
        }
        if let Some(trace) = &mut self.trace {
            trace.executed(core, step);
        }
    }

    fn attended(&mut self, core: &Core, cycles: u64) {
        if let Some(profile) = &mut self.profile {
            profile.attended(core, cycles);
        }
        if let Some(trace) = &mut self.trace {
            trace.attended(core, cycles);
        }
    }
}
