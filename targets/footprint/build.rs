//! Chooses the KEM and its symmetric functions by type, so that no other is linked.

use std::path::PathBuf;
use std::{env, fs};

/// Instances and their types in `kemprof_core::kem`.
const INSTANCES: &[(&str, &str)] = &[
    ("lwekem128", "lwekem::Lwekem128"),
    ("lwekem256", "lwekem::Lwekem256"),
    ("lwekem512", "lwekem::Lwekem512"),
    ("ml-kem-512", "mlkem::MlKem512"),
    ("ml-kem-768", "mlkem::MlKem768"),
    ("ml-kem-1024", "mlkem::MlKem1024"),
    ("kyber512", "mlkem::Kyber512"),
    ("kyber768", "mlkem::Kyber768"),
    ("kyber1024", "mlkem::Kyber1024"),
];

/// Backends and their types in `kemprof_core::backend`.
const BACKENDS: &[(&str, &str)] = &[
    ("placeholder", "Placeholder"),
    ("sm3", "Sm3"),
    ("shake", "Shake"),
    ("turboshake", "TurboShake"),
    ("ascon", "Ascon"),
    ("blake3", "Blake3"),
    ("free", "Free"),
];

/// How the matrix is expanded.
const SAMPLINGS: &[(&str, &str)] = &[("eager", "Eager"), ("lazy", "Lazy")];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let backends = ["KEMPROF_XOF", "KEMPROF_PRF", "KEMPROF_HASH"].map(|variable| choice(variable, BACKENDS));
    let [xof, prf, hash] = backends;
    // One that serves all roles is asked without a look at the role.
    let (functions, value) = if backends == [hash; 3] {
        (format!("backend::{hash}"), format!("backend::{hash}"))
    } else {
        let part = |name: &str, path: &str| format!("{name}: backend::{path}");
        let parts = [part("xof", xof), part("prf", prf), part("hash", hash)].join(", ");
        (
            format!("by_role::ByRole<backend::{xof}, backend::{prf}, backend::{hash}>"),
            format!("by_role::ByRole {{ {parts} }}"),
        )
    };
    let chosen = format!(
        "type Instance = kemprof_core::kem::{};\nconst FUNCTIONS: {functions} = {value};\n\
         const GENERATOR: backend::{drng} = backend::{drng};\nconst SAMPLING: Sampling = Sampling::{};\n",
        choice("KEMPROF_INSTANCE", INSTANCES),
        choice("KEMPROF_SAMPLING", SAMPLINGS),
        drng = choice("KEMPROF_DRNG", BACKENDS),
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    fs::write(out.join("chosen.rs"), chosen).expect("the build folder is writable");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo:rustc-link-arg-bins=--entry=start");
    } else {
        // The C library copies memory, and is not part of the program.
        for argument in ["-nostartfiles", "-no-pie", "-Wl,--entry=start", "-lc"] {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
    }
}

/// The type that goes with the name in this variable.
fn choice(variable: &str, known: &[(&str, &'static str)]) -> &'static str {
    println!("cargo:rerun-if-env-changed={variable}");
    let name = env::var(variable).unwrap_or_else(|_| known[0].0.to_owned());
    known.iter().find(|(known, _)| *known == name).map_or_else(
        || {
            let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            panic!("{variable} is {name:?}; there are {}", known.join(", "))
        },
        |(_, path)| path,
    )
}
