//! Where programs are kept.

use super::{CrossError, Product};
use crate::files::ScratchFile;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A folder of programs, each named after what it was made of.
pub(super) struct Cache(PathBuf);

/// Digits of a digest in a name: 64 bits, with which programs of one machine do not meet by chance.
const DIGITS: usize = 16;

impl Cache {
    /// The folder of `KEMPROF_CACHE`, else the user's own for such things.
    pub(super) fn open() -> Result<Self, CrossError> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("KEMPROF_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("kemprof")))
            .or_else(|| variable("HOME").map(|home| home.join(".cache/kemprof")))
            .ok_or(CrossError::NoCache)?;
        fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
        Ok(Self(folder.canonicalize().map_err(failed("find", &folder))?))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    /// Where a program that was made of these inputs is kept.
    pub(super) fn place(&self, product: &Product, inputs: &str) -> PathBuf {
        self.0.join(format!("{}-{}-{}", product.binary, product.triple, &inputs[..DIGITS]))
    }

    /// Where cargo works: with it the second build takes seconds.
    pub(super) fn build_folder(&self) -> PathBuf {
        self.0.join("build")
    }

    /// Waits until no other process builds for this target. The lock goes when it is dropped, or its holder ends.
    pub(super) fn lock(&self, triple: &str) -> Result<File, CrossError> {
        let path = self.0.join(format!("{triple}.lock"));
        let file = File::create(&path).map_err(failed("make", &path))?;
        file.lock().map_err(failed("lock", &path))?;
        Ok(file)
    }

    /// Keeps a copy of `program` as `place`, whole or not at all.
    pub(super) fn keep(&self, program: &Path, place: &Path) -> Result<(), CrossError> {
        let bytes = fs::read(program).map_err(failed("read", program))?;
        let permissions = program.metadata().map_err(failed("read", program))?.permissions();
        let write = || {
            let mut copy = ScratchFile::beside(place)?;
            copy.write_all(&bytes)?;
            copy.set_permissions(permissions)?;
            copy.persist(place)
        };
        write().map_err(failed("write", place))
    }
}

fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> CrossError {
    let path = path.to_owned();
    move |source| CrossError::Cache { action, path: path.clone(), source }
}
