use super::file::FileError;
use super::manifest::ManifestError;
use super::record::GenerateError;
use crate::files::{self, WriteError};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why there is no answer about known answers.
#[derive(Debug, Error)]
pub enum KatError {
    /// The scheme cannot give any.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// What is published is not known.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The file is not one of known answers.
    #[error(transparent)]
    Parse(#[from] FileError),
    /// No instance has keys of the lengths in the file.
    #[error("no instance has pk, sk, ct and ss of {pk}, {sk}, {ct} and {ss} bytes, as the file has; name the instance")]
    NoInstanceFits {
        /// Length of the encapsulation key.
        pk: usize,
        /// Length of the decapsulation key.
        sk: usize,
        /// Length of the ciphertext.
        ct: usize,
        /// Length of the shared secret.
        ss: usize,
    },
    /// Several instances have keys of the lengths in the file, and its values do not tell which it is.
    #[error("the file may be of {}; name the instance", .0.join(" or "))]
    SeveralInstancesFit(Vec<&'static str>),
    /// This build does not reproduce what is published, so it has nothing to hold a file against.
    #[error("nothing to compare with: {0}")]
    OwnAnswersWrong(String),
    /// The file cannot be read.
    #[error("cannot read {}: {source}", files::shown(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is far longer than known answers are.
    #[error("{} is longer than {limit} bytes, which no file of known answers is", files::shown(path))]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Bytes at the most.
        limit: u64,
    },
    /// A line of the file is wrong.
    #[error("{}: {source}", files::shown(path))]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<KatError>,
    },
    /// A file is none of ACVP for ML-KEM, or a test case of it cannot be answered.
    #[error("{}: {problem}", path.display())]
    Acvp {
        /// The file, or the files.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
