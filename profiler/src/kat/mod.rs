//! Known answers: their files, manifests and checks.
//!
//! [`known_answer`] is the gate before any timing. [`run`], [`write_file`] and [`check_file`] are the `kat` command.
//! What is published of each instance is in its [`Manifest`], in the folder `kat/`.

mod check;
mod error;
mod exam;
mod exchange;
mod format;
mod gate;
mod lines;
mod manifest;
mod nist;
mod parse;
mod parse_error;
mod record;
mod remark;
mod rows;
mod standing;
mod text;
#[cfg(test)]
mod tiny;

pub use check::{CheckReport, Identity, Mismatch, check_bytes, check_file};
pub use error::KatError;
pub use exam::{EXAMINED, Exam, Randomness, exams};
pub use format::{Format, Value};
pub use gate::{Fault, Verdict, known_answer};
pub use manifest::{Manifest, ManifestError, published_suite};
pub use nist::AesCtrDrbg;
pub use parse::MAX_RECORDS;
pub use parse_error::{ParseError, Problem};
pub use record::{GenerateError, Record, generate};
pub use remark::Remark;
pub use rows::{KatRow, file_text, row, run, write_file};
pub use standing::{Standing, standing};
pub use text::{canonical, digest, write};
