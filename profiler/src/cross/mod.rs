//! Programs for other machines, built when they are needed and kept.
//!
//! A [`Product`] is built by `targets/cross-cargo` from the sources that `kemprof` itself was built from, and kept under the digest
//! of all that went into it, so that a change of any source, of the lock file or of the compiler builds it again and nothing else
//! does. Two processes may ask at once: one builds, the other waits for it, and what is kept is put in place whole.

mod cache;
mod error;
mod footprint;
mod inputs;
mod tree;

pub use error::CrossError;
pub use footprint::Footprint;
pub use tree::{SOURCE_VARIABLE, SourceTree};

use crate::files::Scratch;
use crate::process::{Program, Terms};
use crate::progress;
use crate::words;
use cache::Cache;
use std::path::{Path, PathBuf};
use std::process::Command;
use tracing::info;

/// Where programs are kept.
///
/// # Errors
/// When there is no such folder, and none can be made.
pub fn kept_in() -> Result<PathBuf, CrossError> {
    Ok(Cache::open()?.folder().to_owned())
}

/// A program for another machine.
#[derive(Clone, Debug)]
pub struct Product {
    /// The target triple.
    pub triple: String,
    /// The folder of its package, from the top of the sources.
    pub package: &'static str,
    /// Its binary.
    pub binary: &'static str,
    /// Arguments of `cargo build` beside package, profile and target: features, for example.
    pub arguments: Vec<String>,
    /// Variables of the environment that its build reads.
    pub environment: Vec<(&'static str, String)>,
    /// Files and folders that go into it, from the top of the sources.
    pub inputs: &'static [&'static str],
}

/// A program that was built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// Where it is kept.
    pub path: PathBuf,
    /// SHA-256 of what went into it, in hexadecimal.
    pub inputs: String,
}

impl Product {
    /// Builds the program, or finds it where it was built before from the same inputs.
    ///
    /// # Errors
    /// See [`CrossError`].
    pub fn build(&self) -> Result<Built, CrossError> {
        let tree = SourceTree::find()?;
        let cache = Cache::open()?;
        let inputs = self.inputs(&tree)?;
        let path = cache.place(self, &inputs);
        if !path.is_file() {
            let what = format!("{} for {}", self.binary, words::target(&self.triple));
            let building = progress::building(&what, "one or two minutes, more on a busy machine");
            // Whoever waited for the lock may find that the work is done.
            let _lock = cache.lock(&self.triple)?;
            if !path.is_file() {
                self.compile(&tree, &cache, &path)?;
            }
            building.succeeded();
        }
        Ok(Built { path, inputs })
    }

    /// SHA-256 of all that goes into the program: files by name and content, arguments, variables, and the compiler.
    fn inputs(&self, tree: &SourceTree) -> Result<String, CrossError> {
        let toolchain = self.toolchain_in(tree)?;
        let words = [self.triple.as_str(), self.package, self.binary, &toolchain].map(str::to_owned);
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> = words.into_iter().chain(self.arguments.iter().cloned()).chain(variables).collect();
        inputs::digest(tree.path(), self.inputs, &words)
            .map_err(|(path, source)| CrossError::Unreadable { path, source })
    }

    /// Whether it would be found, not built.
    ///
    /// # Errors
    /// What keeps it from being built.
    pub fn is_kept(&self) -> Result<bool, CrossError> {
        let inputs = self.inputs(&SourceTree::find()?)?;
        Ok(Cache::open()?.place(self, &inputs).is_file())
    }

    /// The toolchain that builds for this target, as it calls itself in one line.
    ///
    /// # Errors
    /// When there is none.
    pub fn toolchain(&self) -> Result<String, CrossError> {
        let text = self.toolchain_in(&SourceTree::find()?)?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }

    /// The same with all that it says of itself.
    fn toolchain_in(&self, tree: &SourceTree) -> Result<String, CrossError> {
        let output = self.output(tree, ["-Vv"], None)?;
        if output.succeeded {
            return Ok(output.stdout);
        }
        Err(CrossError::NoToolchain { triple: self.triple.clone(), source_tree: tree.path().to_owned() })
    }

    fn compile(&self, tree: &SourceTree, cache: &Cache, path: &Path) -> Result<(), CrossError> {
        info!(triple = self.triple, binary = self.binary, "building; it is kept for the next time");
        let manifest = tree.path().join(self.package).join("Cargo.toml");
        let folder = cache.build_folder();
        let mut arguments =
            ["build", "--release", "--locked", "--quiet", "--bin", self.binary].map(Into::into).to_vec();
        arguments.extend(["--manifest-path".into(), manifest.into_os_string()]);
        arguments.extend(["--target-dir".into(), folder.clone().into_os_string()]);
        arguments.extend(self.arguments.iter().map(Into::into));
        // Linkers that are stopped leave what they had made.
        let scratch = Scratch::folder().map_err(CrossError::Temporary)?;
        let output = self.output(tree, arguments, Some(scratch.path()))?;
        if !output.succeeded {
            return Err(CrossError::failed(self, &output.stderr));
        }
        cache.keep(&folder.join(&self.triple).join("release").join(self.binary), path)
    }

    /// What `targets/cross-cargo` says to these arguments.
    fn output<A: AsRef<std::ffi::OsStr>>(
        &self,
        tree: &SourceTree,
        arguments: impl IntoIterator<Item = A>,
        temporary: Option<&Path>,
    ) -> Result<Output, CrossError> {
        let mut command = Command::new(tree.path().join("targets/cross-cargo"));
        // Flags and folders that the caller's own build was given are not for this one.
        for variable in FOREIGN {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.envs(temporary.map(|folder| ("TMPDIR", folder)));
        command.arg(&self.triple).args(arguments).current_dir(tree.path());
        let mut stderr = String::new();
        let ended = BUILDER.run(&mut command, Terms::default(), &mut |line| stderr += line)?;
        let stdout = String::from_utf8_lossy(&ended.stdout).into_owned();
        Ok(Output { succeeded: ended.status == 0, stdout, stderr })
    }
}

/// What starts the toolchain.
const BUILDER: Program<'_> = Program { name: "targets/cross-cargo", help: "it is among the sources" };

/// What it said.
struct Output {
    succeeded: bool,
    stdout: String,
    stderr: String,
}

/// Variables of the environment that steer cargo, and would let one caller's choices into what all callers share.
const FOREIGN: [&str; 6] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
];
