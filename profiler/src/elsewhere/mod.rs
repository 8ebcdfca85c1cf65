//! Command lines that run elsewhere: this same program, built for another machine, under an emulator here or over `ssh` there.
//!
//! ```text
//! command line ──▶ Handover ──▶ Place (QEMU, ssh) ──▶ what it printed, and its files ──▶ Handover puts them where they belong
//! ```
//!
//! The whole command line runs there but for the option that chose the place. Every path that it would write to is replaced by a
//! name of the handover's own in a folder of its own; the files come back into memory, and are written here whole or not at all.

mod archive;
mod emulated;
mod error;
mod handover;
mod program;
mod ssh;
mod step;

pub use emulated::Emulated;
pub use error::ElsewhereError;
pub use handover::{Destination, Handover};
pub use ssh::{HostError, Ssh, SshHost};

use crate::process::Ended;
use std::collections::BTreeMap;

/// Where a command line runs.
pub trait Place {
    /// Runs the program there with these arguments and this environment, in an empty folder but for the folders named. What it
    /// writes to standard error is given to `errors` as it comes.
    ///
    /// # Errors
    /// When it does not run to an end of its own.
    fn run(&mut self, request: &Request<'_>, errors: &mut dyn FnMut(&str)) -> Result<Answer, ElsewhereError>;
}

/// What is to run.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Arguments, without the program's own name.
    pub arguments: &'a [String],
    /// Variables of the environment beside those that are there.
    pub environment: &'a [(&'static str, String)],
    /// Folders for what it writes, each a plain name.
    pub folders: &'a [String],
}

/// What came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What it wrote to standard output.
    pub output: String,
    /// Its exit status.
    pub status: u8,
    /// The files that it left, by folder and name.
    pub files: Files,
}

impl Answer {
    /// What a program that ran in `place` gave, unless something stopped it. The statuses of `kemprof` are 0 to 2.
    fn of(ended: Ended, files: Files, place: &str) -> Result<Self, ElsewhereError> {
        let status = match ended.status {
            0..=2 => ended.status as u8,
            status => return Err(ElsewhereError::Stopped { place: place.to_owned(), status }),
        };
        let output = String::from_utf8(ended.stdout).map_err(|_| ElsewhereError::Garbled {
            place: format!("kemprof {place}"),
            what: "output that is not text".to_owned(),
        })?;
        Ok(Self { output, status, files })
    }
}

/// Texts of files by folder and name.
pub type Files = BTreeMap<(String, String), String>;
