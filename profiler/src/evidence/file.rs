use super::check::{Violation, violations};
use super::record::Evidence;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is no evidence.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not JSON, or not of the record's shape.
    #[error("{} is not kemprof evidence: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: NotEvidence,
    },
    /// It is an array without records.
    #[error("{} holds no evidence: the array is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is an array of records where one is wanted.
    #[error(
        "{} is not kemprof evidence of one run, but an array: take one of the files that `kemprof all` writes with it",
        path.display()
    )]
    Several {
        /// The file.
        path: PathBuf,
    },
    /// It breaks the contract.
    #[error("{} does not hold together: {first}{}", path.display(), more(*others))]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first violation.
        first: Box<Violation>,
        /// How many more there are.
        others: usize,
    },
}

/// Why a text is no evidence.
#[derive(Debug, Error)]
pub enum NotEvidence {
    /// It is of another kind altogether.
    #[error("it holds {0}; expected the .json file that a run wrote")]
    Other(&'static str),
    /// It ends too early.
    #[error("{0} (the file is cut short; run the profile again)")]
    Short(serde_json::Error),
    /// It is not JSON, or not of the record's shape.
    #[error(transparent)]
    Shape(serde_json::Error),
}

impl NotEvidence {
    fn of(text: &str, error: serde_json::Error) -> Self {
        let first = text.trim_start().lines().next().unwrap_or_default();
        let counted = first.rsplit_once(' ').is_some_and(|(_, count)| count.parse::<f64>().is_ok());
        match text.trim_start().chars().next() {
            None => Self::Other("nothing"),
            Some('{' | '[') if error.is_eof() => Self::Short(error),
            Some('{' | '[') => Self::Shape(error),
            Some('<') => Self::Other("a picture or a page"),
            Some(_) if counted && text.contains(';') => Self::Other("folded stacks"),
            Some(_) if first.split_once(" = ").is_some() => {
                Self::Other("known answers (`kemprof kat --check` takes them)")
            }
            Some(_) => Self::Other("text that is not JSON"),
        }
    }
}

fn more(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" (and {others} more; `kemprof verify` lists them)") }
}

/// Why a file was not written. Nothing is left of it.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// The record as JSON text, with a final newline.
#[must_use]
pub fn to_json(evidence: &Evidence) -> String {
    // Every map key is a string and every number is finite or null, so this cannot fail.
    let mut text = serde_json::to_string_pretty(evidence).expect("evidence is serialisable");
    text.push('\n');
    text
}

/// Parses a record without holding it against the contract.
///
/// # Errors
/// When the text is not JSON or not of the record's shape.
pub fn from_json(text: &str) -> Result<Evidence, NotEvidence> {
    serde_json::from_str(text).map_err(|error| NotEvidence::of(text, error))
}

/// Parses a record, or an array of records as `kemprof all --json` prints it, without holding them against the contract.
///
/// # Errors
/// When the text is not JSON or not of that shape.
pub fn all_from_json(text: &str) -> Result<Vec<Evidence>, NotEvidence> {
    if is_array(text) {
        return serde_json::from_str(text).map_err(|error| NotEvidence::of(text, error));
    }
    Ok(vec![from_json(text)?])
}

/// Reads a record and holds it against the contract.
///
/// # Errors
/// See [`ReadError`].
pub fn read(path: &Path) -> Result<Evidence, ReadError> {
    let malformed = |source| ReadError::Malformed { path: path.to_owned(), source };
    let text = text(path)?;
    if is_array(&text) {
        return Err(ReadError::Several { path: path.to_owned() });
    }
    sound(path, from_json(&text).map_err(malformed)?)
}

/// Reads a record, or an array of records as `kemprof all --json` prints it, and holds each against the contract.
///
/// # Errors
/// See [`ReadError`].
pub fn read_all(path: &Path) -> Result<Vec<Evidence>, ReadError> {
    let malformed = |source| ReadError::Malformed { path: path.to_owned(), source };
    let records = all_from_json(&text(path)?).map_err(malformed)?;
    if records.is_empty() {
        return Err(ReadError::Empty { path: path.to_owned() });
    }
    records.into_iter().map(|record| sound(path, record)).collect()
}

fn is_array(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

fn text(path: &Path) -> Result<String, ReadError> {
    fs::read_to_string(path).map_err(|source| ReadError::Unreadable { path: path.to_owned(), source })
}

fn sound(path: &Path, evidence: Evidence) -> Result<Evidence, ReadError> {
    let mut found = violations(&evidence).into_iter();
    match found.next() {
        None => Ok(evidence),
        Some(first) => {
            let (path, first) = (path.to_owned(), Box::new(first));
            Err(ReadError::Broken { path, first, others: found.count() })
        }
    }
}

/// Writes a record, whole or not at all.
///
/// # Errors
/// When the folder cannot be made or the file not written.
pub fn write(path: &Path, evidence: &Evidence) -> Result<(), WriteError> {
    write_text(path, &to_json(evidence))
}

/// Writes a file, whole or not at all: to a temporary file beside it, which then takes its name. A link stays one, and what
/// it points to is written; a device or pipe is written to as it is.
///
/// # Errors
/// When the folder cannot be made or the file not written.
pub fn write_text(path: &Path, text: &str) -> Result<(), WriteError> {
    let write = || match fs::canonicalize(path) {
        Ok(target) if !target.is_file() && !target.is_dir() => {
            fs::OpenOptions::new().write(true).open(target)?.write_all(text.as_bytes())
        }
        Ok(target) => replace(&target, text),
        Err(_) => replace(path, text),
    };
    write().map_err(|source| WriteError { path: path.to_owned(), source })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    // Evidence is made to be shared: what the process's umask allows, not the private mode of temporary files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".kemprof-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Makes `folder` where there is none, and sees that files can be made in it.
///
/// # Errors
/// When either fails.
pub fn check_folder(folder: &Path) -> Result<(), WriteError> {
    let check = || {
        fs::create_dir_all(folder)?;
        tempfile::tempfile_in(folder).map(drop)
    };
    check().map_err(|source| WriteError { path: folder.to_owned(), source })
}
