use super::{Product, SOURCE_VARIABLE};
use crate::process::ProcessError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a program for another machine was not built.
#[derive(Debug, Error)]
pub enum CrossError {
    /// The sources are not there.
    #[error("{}", no_sources(path, *named))]
    NoSources {
        /// Where they should be.
        path: PathBuf,
        /// Whether the environment named them.
        named: bool,
    },
    /// No toolchain builds for the target.
    #[error("no Rust toolchain for {triple} is installed; run targets/setup in {}", source_tree.display())]
    NoToolchain {
        /// The target triple.
        triple: String,
        /// The sources.
        source_tree: PathBuf,
    },
    /// The script that starts the toolchain does not start.
    #[error(transparent)]
    NotStarted(#[from] ProcessError),
    /// A temporary folder cannot be used.
    #[error("cannot use a temporary folder: {_0}")]
    Temporary(io::Error),
    /// A source cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The source.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The compiler refused it.
    #[error(
        "building {binary} for {triple} failed: {reason} (all of it: targets/cross-cargo {triple} build --manifest-path {package}/Cargo.toml)"
    )]
    Failed {
        /// The program.
        binary: &'static str,
        /// The target triple.
        triple: String,
        /// The folder of its package.
        package: &'static str,
        /// The first error.
        reason: String,
    },
    /// What was built cannot be kept.
    #[error("cannot {action} {}: {source}", path.display())]
    Cache {
        /// What was tried.
        action: &'static str,
        /// Of what.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// There is no folder to keep it in.
    #[error("there is no folder to keep what is built: set KEMPROF_CACHE, XDG_CACHE_HOME or HOME")]
    NoCache,
}

fn no_sources(path: &std::path::Path, named: bool) -> String {
    let path = path.display();
    if named {
        return format!(
            "{SOURCE_VARIABLE} is {path}, which is no checkout of kemprof: targets/cross-cargo is not there"
        );
    }
    format!("the sources that kemprof was built from are not at {path} any more; set {SOURCE_VARIABLE} to a checkout")
}

impl CrossError {
    /// What cargo's messages come to in one line.
    pub(super) fn failed(product: &Product, text: &str) -> Self {
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines().find(|line| line.starts_with("error")).or_else(|| lines().next_back());
        // A linker's own words come in a note behind the compiler's.
        let linker = lines().find_map(|line| line.split_once("lld: error: ").or_else(|| line.split_once("ld: ")));
        let reason = linker.map(|(_, reason)| reason).or(first);
        Self::Failed {
            binary: product.binary,
            triple: product.triple.clone(),
            package: product.package,
            reason: reason.unwrap_or("cargo says nothing").trim_start_matches("error: ").to_owned(),
        }
    }
}
