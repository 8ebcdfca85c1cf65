//! This program, built for another machine.

use super::RemoteError;
use crate::cross::Product;
use std::env;
use std::path::PathBuf;

/// What goes into it, from the top of the sources.
const INPUTS: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "core/Cargo.toml",
    "core/build.rs",
    "core/src",
    "kat",
    "profiler/Cargo.toml",
    "profiler/build.rs",
    "profiler/src",
    "targets/m4sim/Cargo.toml",
    "targets/m4sim/src",
    "targets/protocol/Cargo.toml",
    "targets/protocol/src",
    "targets/cross-cargo",
    "targets/cross-env.sh",
];

/// The triple of a machine by the name that Linux has for it, and the variable with which cargo is given flags for it.
const MACHINES: [(&str, &str, &str); 2] = [
    ("aarch64", "aarch64-unknown-linux-gnu", "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS"),
    ("x86_64", "x86_64-unknown-linux-gnu", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS"),
];

/// Whether there is a program for such a machine.
pub(super) fn runs_on(machine: &str) -> bool {
    MACHINES.iter().any(|(name, ..)| *name == machine)
}

/// The variable of the environment that names a program that was built elsewhere, for whichever machine it is to run on.
const VARIABLE: &str = "KEMPROF_PROGRAM";

/// How a program comes to the C library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Linkage {
    /// It has its own, so that the machine's does not matter.
    Static,
    /// It loads the machine's, and other objects besides.
    Dynamic,
}

/// The program for `machine`, built where it is not there yet.
pub(super) fn build(machine: &str, linkage: Linkage) -> Result<PathBuf, RemoteError> {
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let known = MACHINES.iter().find(|(name, ..)| *name == machine);
    let &(_, triple, flags) = known.ok_or_else(|| RemoteError::UnknownMachine {
        place: "the other machine".to_owned(),
        machine: machine.to_owned(),
    })?;
    let product = Product {
        triple: triple.to_owned(),
        package: "profiler",
        binary: "kemprof",
        arguments: Vec::new(),
        // Without symbols, which are most of it.
        environment: vec![(
            flags,
            match linkage {
                Linkage::Static => "-C target-feature=+crt-static -C strip=symbols",
                Linkage::Dynamic => "-C strip=symbols",
            }
            .to_owned(),
        )],
        inputs: INPUTS,
    };
    Ok(product.build()?.path)
}
