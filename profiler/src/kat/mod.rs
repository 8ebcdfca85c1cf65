//! Known answers: their files, manifests and checks.
//!
//! [`known_answer`] is the gate before any timing. [`run`], [`file_text`] and [`check_file`] are the `kat` command.
//! What is published of each instance is in its [`Manifest`], in the folder `kat/`.

mod acvp;
mod check;
mod draws;
mod error;
mod exchange;
mod file;
mod format;
mod gate;
mod manifest;
mod nist;
mod record;
mod rows;
mod run;
mod standing;
mod text;
#[cfg(test)]
mod tiny;

pub use acvp::{AcvpRow, check_acvp};
pub use check::{CheckReport, Difference, Identity, check_bytes, check_file};
pub use error::KatError;
pub use file::{FileError, MAX_RECORDS};
pub use format::{Format, Value};
pub use gate::{Fault, Verdict, known_answer};
pub use manifest::{Manifest, ManifestError, Published, published_suite};
pub use nist::AesCtrDrbg;
pub use record::{EXAMINED, Exam, GenerateError, Randomness, Record, exams, generate};
pub use rows::{KatRow, file_text, row, run};
pub use standing::{Standing, standing};
pub use text::{canonical, digest, write};
