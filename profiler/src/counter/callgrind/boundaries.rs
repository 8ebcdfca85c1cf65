use super::Request;
use crate::counter::Unavailable;
use kemprof_core::Phase;
use kemprof_core::probe::{Call, Output, Probe};

/// A probe that has callgrind end a part of its output wherever a phase begins or ends. What it does itself is not counted.
#[derive(Debug)]
pub struct Boundaries {
    open: Vec<Phase>,
    parts: Vec<Vec<Phase>>,
}

impl Boundaries {
    /// One that has seen nothing yet. Until the first phase begins, nothing is counted.
    ///
    /// # Errors
    /// [`Unavailable::NotUnderValgrind`] where no valgrind runs this program.
    pub fn new() -> Result<Self, Unavailable> {
        let around = Request::RunningOnValgrind.make() > 0;
        around.then(|| Self { open: Vec::new(), parts: Vec::new() }).ok_or(Unavailable::NotUnderValgrind)
    }

    /// The phases that were open in each part, outermost first; none in those outside of the operation.
    #[must_use]
    pub fn into_parts(self) -> Vec<Vec<Phase>> {
        self.parts
    }

    /// Never inlined, so that what it takes has a name of its own.
    #[inline(never)]
    fn part(&mut self, change: impl FnOnce(&mut Vec<Phase>)) {
        if self.parts.is_empty() {
            Request::StartInstrumentation.make();
        }
        if self.parts.is_empty() || !self.open.is_empty() {
            Request::ToggleCollect.make();
        }
        Request::DumpStats.make();
        self.parts.push(self.open.clone());
        change(&mut self.open);
        if !self.open.is_empty() {
            Request::ToggleCollect.make();
        }
    }
}

impl Probe for Boundaries {
    type Open = ();
    // Calls are told apart by the names of their functions.
    const ENABLED: bool = false;

    fn enter(&mut self, phase: Phase) {
        self.part(|open| open.push(phase));
    }

    fn exit(&mut self, _phase: Phase) {
        self.part(|open| {
            open.pop();
        });
    }

    fn open(&mut self, _call: &Call) {}

    fn close(&mut self, (): (), _call: &Call, _outputs: &[Output]) {}
}
