//! One KEM over one choice of symmetric functions, and nothing else: it is linked and never run. What its sections hold is what the
//! algorithm occupies.

#![no_std]
#![no_main]

#[allow(dead_code, reason = "one backend for all roles needs none of it")]
mod by_role;

use core::hint::black_box;
use core::panic::PanicInfo;
use kemprof_core::{Backend, Kem, Sampling, Suite, backend};

// What `build.rs` chose: `Instance`, `FUNCTIONS`, `GENERATOR`, `SAMPLING`.
include!(concat!(env!("OUT_DIR"), "/chosen.rs"));

/// All three operations, on inputs that the compiler does not know.
#[allow(unsafe_code, reason = "the linker finds the entry by its name, and no other has it")]
#[unsafe(no_mangle)]
pub extern "C" fn start() -> ! {
    let drng = GENERATOR.drng(black_box(&[0; 48]));
    let mut suite = Suite { xof: FUNCTIONS, prf: FUNCTIONS, hash: FUNCTIONS, drng, own: false };
    let mut public_key = black_box([0; Instance::PUBLIC_KEY]);
    let mut secret_key = black_box([0; Instance::SECRET_KEY]);
    let mut ciphertext = black_box([0; Instance::CIPHERTEXT]);
    let mut secret = black_box([0; Instance::SHARED_SECRET]);
    let made = Instance::keygen(&mut suite, SAMPLING, &mut public_key, &mut secret_key);
    black_box((&mut public_key, &mut secret_key, made.is_ok()));
    let made = Instance::encapsulate(&mut suite, SAMPLING, &public_key, &mut ciphertext, &mut secret);
    black_box((&mut ciphertext, &mut secret, made.is_ok()));
    let made = Instance::decapsulate(&mut suite, SAMPLING, &secret_key, &ciphertext, &mut secret);
    black_box((&mut secret, made.is_ok()));
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
