use serde::{Deserialize, Serialize};
use std::env;

/// Where a run was asked for, when it was not here: a `kemprof` on another machine, or one that runs this one under an emulator, says
/// so in the environment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The command line that the user typed there.
    pub command: Vec<String>,
    /// What runs this program in place of a processor, as evidence names it.
    pub emulator: Option<String>,
    /// How this machine was reached, as the command line names it: `ssh:HOST`.
    pub remote: Option<String>,
}

impl Origin {
    /// The variable of the environment, which holds it as JSON.
    pub const VARIABLE: &str = "KEMPROF_ELSEWHERE";

    /// That of this process; none where the run was asked for here.
    ///
    /// # Errors
    /// When the variable holds something else.
    pub fn of_process() -> Result<Option<Self>, serde_json::Error> {
        match env::var(Self::VARIABLE) {
            Ok(text) if !text.is_empty() => serde_json::from_str(&text).map(Some),
            _ => Ok(None),
        }
    }

    /// What the variable holds.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Strings alone, so this cannot fail.
        serde_json::to_string(self).expect("an origin is serialisable")
    }

    /// Where the run is, in words.
    #[must_use]
    pub fn place(&self) -> String {
        let place = self.remote.as_ref().or(self.emulator.as_ref());
        place.map_or_else(|| "this machine".to_owned(), Clone::clone)
    }
}
