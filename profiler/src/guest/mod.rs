//! A KEM from outside, in C: a *guest*. A manifest says what its sources are and which of its functions are symmetric; it is compiled to a
//! shared object, in which calls of these functions go through kemprof, and loaded.
//!
//! A process has one guest at most: C code keeps what it knows in global variables, and so does what it calls back.

mod build;
mod glue;
mod library;
mod manifest;
mod rename;
mod survey;
mod trial_run;

pub use build::build;
pub use library::GuestKem;
pub use manifest::{Api, Family, FunctionEntry, Manifest, ManifestError};
pub use survey::{Known, Survey, survey};
pub use trial_run::{Flaw, disagrees, examine};

use crate::evidence::{Backends, GuestRecord, OWN};
use crate::process::ProcessError;
use crate::runner::SuiteSpec;
use kemprof_core::kem::{self, Visitor};
use library::Library;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};
use thiserror::Error;

/// The guest of this process.
static GUEST: OnceLock<Guest> = OnceLock::new();

/// What a guest is built for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// The machine that this program runs on.
    This,
    /// Linux on AArch64.
    Aarch64,
}

/// A KEM that was built from a manifest, ready to be loaded, here or by a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Package {
    /// Its name in tables and records.
    pub name: String,
    /// Where its manifest is, perhaps with the name of a build behind `#`.
    pub source: String,
    /// SHA-256 of all that it was built from.
    pub inputs: String,
    /// The compiler, in its own words.
    pub compiler: String,
    /// Its options.
    pub flags: Vec<String>,
    /// Whose generator gives the random bytes: kemprof's, or its own.
    pub api: Api,
    /// Its symmetric functions.
    pub functions: Vec<FunctionEntry>,
    /// The shared object.
    pub object: PathBuf,
}

/// The KEM from outside of this process.
#[derive(Debug)]
pub struct Guest {
    /// Its name.
    pub name: &'static str,
    /// What it was built to.
    pub package: Package,
    /// It itself, where this process runs it.
    library: Option<Library>,
}

impl Guest {
    /// Whether other functions can take the place of its own.
    ///
    /// # Errors
    /// Those that none can.
    pub fn exchangeable(&self) -> Result<(), String> {
        let fixed = self.package.functions.iter().filter(|entry| !glue::is_whole(entry));
        let fixed: Vec<&str> = fixed.map(|entry| entry.symbol.as_str()).collect();
        match fixed.as_slice() {
            [] => Ok(()),
            fixed => Err(format!(
                "{} of {} have a state of their own, so that no backend can take their place; list functions that do all of their \
                 work in one call instead (xof, hash, xof-bits, hash-bits)",
                fixed.join(", "),
                self.name
            )),
        }
    }

    /// What a record says of it.
    #[must_use]
    pub fn record(&self) -> GuestRecord {
        let Package { inputs, compiler, flags, .. } = self.package.clone();
        let inputs_sha256 = inputs;
        GuestRecord { inputs_sha256, compiler, flags }
    }

    /// Its symmetric functions as a record names them: its own, and kemprof's generator where it brings none.
    #[must_use]
    pub fn backends(&self, spec: &SuiteSpec) -> Backends {
        let given = spec.backends();
        match self.package.api {
            Api::Nist => given,
            Api::Ngcc => Backends { drng: OWN.to_owned(), generator: Some(OWN.to_owned()), ..given },
        }
    }
}

/// Why a guest cannot be run.
#[derive(Debug, Error)]
pub enum GuestError {
    /// The manifest is wrong.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file cannot be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A program failed that it is built with.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A source does not compile.
    #[error("{} does not compile: {said}", path.display())]
    Compile {
        /// The source.
        path: PathBuf,
        /// What the compiler says first.
        said: String,
    },
    /// The objects do not link.
    #[error("{name} does not link: {said}")]
    Link {
        /// The guest.
        name: String,
        /// What the linker says first.
        said: String,
    },
    /// A function that is to be watched was not found.
    #[error(
        "incomplete: {name} has no function {symbol} whose calls can be seen{hint}; a share without it would be wrong, so nothing is run"
    )]
    NotCaught {
        /// The guest.
        name: String,
        /// The function.
        symbol: String,
        /// Why, if it is known.
        hint: String,
    },
    /// The shared object cannot be loaded.
    #[error("cannot load {name}: {said}")]
    Load {
        /// The guest.
        name: String,
        /// What the loader says.
        said: String,
    },
    /// It tells lengths that no KEM has.
    #[error("{name} says that its {part} has {bytes} bytes; expected 1 to {}", library::MOST)]
    Length {
        /// The guest.
        name: String,
        /// Of what.
        part: &'static str,
        /// The length.
        bytes: u64,
    },
    /// A folder has no KEM.
    #[error("{folder} has no KEM of a known interface: neither {operations} is a function there that compiles")]
    NoKem {
        /// The folder.
        folder: String,
        /// What was looked for.
        operations: String,
    },
    /// A process has one guest.
    #[error("{second} and {first} are two KEMs from outside; a command takes one")]
    Second {
        /// The one that is loaded.
        first: String,
        /// The other.
        second: String,
    },
}

/// Whether an instance on the command line is a manifest rather than a name.
#[must_use]
pub fn is_manifest(instance: &str) -> bool {
    let path = instance.split('#').next().unwrap_or(instance);
    path.contains(['/', '\\']) || Path::new(path).extension().is_some_and(|extension| extension == "toml")
}

/// Makes this the guest of the process; it is loaded where the process is to run it itself.
///
/// # Errors
/// [`GuestError`].
pub fn adopt(package: Package, runs_here: bool) -> Result<&'static Guest, GuestError> {
    if let Some(guest) = GUEST.get() {
        return match guest.package.source == package.source {
            true => Ok(guest),
            false => Err(GuestError::Second { first: guest.package.source.clone(), second: package.source }),
        };
    }
    let library = runs_here.then(|| Library::load(&package)).transpose()?;
    Ok(GUEST.get_or_init(|| Guest { name: package.name.clone().leak(), package, library }))
}

/// The guest of this process, if it has one.
#[must_use]
pub fn current() -> Option<&'static Guest> {
    GUEST.get()
}

/// The guest of this name, if this process has it.
#[must_use]
pub fn loaded(name: &str) -> Option<&'static Guest> {
    GUEST.get().filter(|guest| guest.name == name)
}

/// Does `visitor` for the instance of this name: the guest of this process, or one that is built in. `None` where there is neither.
pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
    match loaded(name) {
        Some(guest) => guest.library.is_some().then(|| visitor.visit::<GuestKem>()),
        None => kem::visit(name, visitor),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, GuestError> {
    fs::read(path).map_err(failed("read", path))
}

fn failed<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> GuestError + 'a {
    move |source| GuestError::File { what, path: path.to_owned(), source }
}
