//! Chooses the board, says what memory it has, and links by the script of `cortex-m-rt`.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// A board's memory: origin and length of each.
struct Board {
    name: &'static str,
    flash: (u32, u32),
    ram: (u32, u32),
}

const KIB: u32 = 1 << 10;

/// The default comes first. All have at least 128 KiB of RAM in one piece, and all of it is used that is in that piece; the
/// MPS2 is given no more than the smallest, so that what fits there fits everywhere.
const BOARDS: &[Board] = &[
    // Application Note AN386, memory map: 4 MiB each.
    Board { name: "mps2-an386", flash: (0x0000_0000, 4096 * KIB), ram: (0x2000_0000, 128 * KIB) },
    // RM0390, 2.2.2: SRAM1 and SRAM2 are contiguous.
    Board { name: "nucleo-f446ze", flash: (0x0800_0000, 512 * KIB), ram: (0x2000_0000, 128 * KIB) },
    // RM0090, 2.3.1: STM32F407VG; SRAM1 and SRAM2 are contiguous, the CCM is elsewhere.
    Board { name: "stm32f4discovery", flash: (0x0800_0000, 1024 * KIB), ram: (0x2000_0000, 128 * KIB) },
    // RM0432, 2.3: SRAM1, the first of three.
    Board { name: "nucleo-l4r5zi", flash: (0x0800_0000, 2048 * KIB), ram: (0x2000_0000, 192 * KIB) },
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
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

fn link(board: &Board) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    let Board { flash, ram, .. } = board;
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
