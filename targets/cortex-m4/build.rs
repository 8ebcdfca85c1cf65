//! Chooses the board, tells the linker of its memory, and links by the script of `cortex-m-rt`.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The firmware's own half of a fact that `kemprof` tells as well.
#[path = "../protocol/src/boards.rs"]
#[allow(unreachable_pub, reason = "it is public where it belongs")]
mod boards;

use boards::{BOARDS, BoardMemory};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../protocol/src/boards.rs");
    println!("cargo:rerun-if-env-changed=KEMPROF_BOARD");
    println!("cargo:rerun-if-env-changed=RUSTC");
    let name = env::var("KEMPROF_BOARD").unwrap_or_else(|_| BOARDS[0].name.to_owned());
    let Some(board) = BOARDS.iter().find(|board| board.name == name) else {
        let known: Vec<&str> = BOARDS.iter().map(|board| board.name).collect();
        println!("cargo::error=KEMPROF_BOARD is {name:?}; there are {}", known.join(", "));
        return;
    };
    println!("cargo:rustc-env=KEMPROF_BOARD={name}");
    println!("cargo:rustc-env=KEMPROF_COMPILER={}", compiler());
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        link(board);
    }
}

fn link(board: &BoardMemory) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    let BoardMemory { flash, ram, .. } = board;
    let memory = format!(
        "MEMORY\n{{\n  FLASH : ORIGIN = {:#010x}, LENGTH = {}\n  RAM : ORIGIN = {:#010x}, LENGTH = {}\n}}\n",
        flash.0, flash.1, ram.0, ram.1
    );
    fs::write(out.join("memory.x"), memory).expect("the build folder is writable");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
}

/// What compiles the firmware, as it calls itself.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").expect("cargo says which");
    let output = Command::new(rustc).arg("--version").output().expect("the compiler runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
