//! Watching a run.
use crate::core::Core;
use crate::run::{Executed, Observer};

/// What is watched.
#[derive(Default)]
pub struct Watch {}

impl Watch {
    pub(crate) fn nothing() -> Self {
        Watch {}
    }
}

impl Observer for Watch {
    fn executed(&mut self, _: &Core, _: &Executed<'_>) {}
    fn attended(&mut self, _: &Core, _: u64) {}
}
