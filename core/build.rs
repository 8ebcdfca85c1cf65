//! Names the machine that the assembly in this crate is for, and says how the crate is compiled.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The Cortex-M4 and M7 with floating-point registers. Other Arm targets with the same `target_arch` and `target_abi` lack the
    // DSP instructions or have another instruction set, and no stable `cfg` tells them apart.
    println!("cargo::rustc-check-cfg=cfg(armv7em)");
    let set = |name| env::var(name).unwrap_or_default();
    if set("TARGET").starts_with("thumbv7em-none-") && set("CARGO_CFG_TARGET_ABI") == "eabihf" {
        println!("cargo::rustc-cfg=armv7em");
    }
    println!("cargo::rustc-env=KEMPROF_OPT_LEVEL={}", set("OPT_LEVEL"));
    println!("cargo::rustc-env=KEMPROF_FLAGS={}", flags(&set("CARGO_ENCODED_RUSTFLAGS")));
}

/// Flags of the compiler beside the profile's, which cargo hands down separated by 0x1f. Those that name a path are left out: they say
/// where the crate is built, not how.
fn flags(encoded: &str) -> String {
    encoded.split('\x1f').filter(|flag| !flag.contains('/')).collect::<Vec<_>>().join(" ")
}
