use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// How a program came to run on a machine on which nobody typed its command line: the `kemprof` that started it says so.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// What runs this program in place of a processor, as evidence names it.
    pub emulator: Option<String>,
    /// How this machine was reached, as the command line names it: `ssh:HOST`.
    pub remote: Option<String>,
}

static DECLARED: OnceLock<Origin> = OnceLock::new();

impl Origin {
    /// Says how this process came here. What was said first holds.
    pub fn declare(self) {
        DECLARED.get_or_init(|| self);
    }

    /// That of this process.
    #[must_use]
    pub fn declared() -> Self {
        // For tests of the command, as counters are that fail.
        #[cfg(feature = "mock-counters")]
        if let Ok(emulator) = std::env::var("KEMPROF_MOCK_EMULATOR") {
            return Self { emulator: Some(emulator), remote: None };
        }
        DECLARED.get().cloned().unwrap_or_default()
    }
}
