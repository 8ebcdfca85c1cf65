//! On a Cortex-M4 by semihosting: `twins ROUNDS` compares fast paths with their plain twins, `time INSTANCE BACKEND SAMPLING` prints
//! the cycles of the three operations, without a probe.
#![no_std]
#![no_main]

#[path = "../../../../../targets/cortex-m4/src/memory.rs"]
mod memory;

use core::panic::PanicInfo;
use core::ptr::addr_of_mut;
use cortex_m::Peripherals;
use cortex_m::peripheral::DWT;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln, nr, syscall};
use kemprof_core::kem::{Visitor, visit};
use kemprof_core::{Any, Kem, Sampling, Suite, twins};

/// Room for keys and a ciphertext of any instance, and two shared secrets.
const ROOM: usize = 32 * 1024;

#[entry]
fn main() -> ! {
    let mut peripherals = Peripherals::take().expect("taken once");
    peripherals.DCB.enable_trace();
    peripherals.DWT.enable_cycle_counter();
    let mut line = [0; 128];
    let mut words = command_line(&mut line).split_ascii_whitespace().skip(1);
    let done = match words.next() {
        Some("twins") => words.next().and_then(|rounds| rounds.parse().ok()).is_some_and(compare_twins),
        Some("time") => time(words.next(), words.next(), words.next()).is_some(),
        _ => false,
    };
    debug::exit(if done { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {}
}

/// What the program was started with.
fn command_line(line: &mut [u8]) -> &str {
    let mut block = [line.as_mut_ptr() as usize, line.len()];
    // SAFETY: the call writes at most so many bytes to the line, and their number to the block.
    let failed = unsafe { syscall(nr::GET_CMDLINE, &mut block) };
    if failed == 0 { str::from_utf8(&line[..block[1]]).unwrap_or_default() } else { "" }
}

/// Copies and clears every number of bytes up to some blocks, and looks at each byte and those behind.
fn memory_holds() -> bool {
    const WORDS: usize = 24;
    let from: [u32; WORDS] = core::array::from_fn(|i| 0x0403_0201 * (i as u32 + 1));
    let bytes_of = |words: &[u32; WORDS], i: usize| words[i / 4].to_le_bytes()[i % 4];
    (0..=4 * WORDS).all(|bytes| {
        let (mut copy, mut clear) = ([!0; WORDS], from);
        // SAFETY: the arrays are of words, and there are so many bytes in each.
        unsafe {
            memory::__aeabi_memcpy4(copy.as_mut_ptr(), from.as_ptr(), bytes);
            memory::__aeabi_memclr4(clear.as_mut_ptr(), bytes);
        }
        (0..4 * WORDS).all(|i| {
            let (copied, cleared) = if i < bytes { (bytes_of(&from, i), 0) } else { (0xff, bytes_of(&from, i)) };
            bytes_of(&copy, i) == copied && bytes_of(&clear, i) == cleared
        })
    })
}

fn compare_twins(rounds: usize) -> bool {
    if !memory_holds() {
        hprintln!("copying or clearing memory went wrong");
        return false;
    }
    match twins::check(rounds, b"random") {
        Ok(()) => hprintln!("{} rounds: all alike", rounds),
        Err(error) => {
            hprintln!("{}", error);
            return false;
        }
    }
    true
}

fn time(instance: Option<&str>, backend: Option<&str>, sampling: Option<&str>) -> Option<()> {
    let sampling = match sampling? {
        "eager" => Sampling::Eager,
        "lazy" => Sampling::Lazy,
        _ => return None,
    };
    let cycles = visit(instance?, Time { backend: Any::by_name(backend?)?, sampling })?;
    hprintln!("{} {} {}", cycles[0], cycles[1], cycles[2]);
    Some(())
}

struct Time {
    backend: Any,
    sampling: Sampling,
}

impl Visitor for Time {
    type Output = [u32; 3];

    fn visit<K: Kem>(self) -> [u32; 3] {
        static mut BUFFERS: [u8; ROOM] = [0; ROOM];
        // SAFETY: this runs once, and nothing else names the buffers.
        let rest = unsafe { &mut *addr_of_mut!(BUFFERS) };
        let (public_key, rest) = rest.split_at_mut(K::lengths().public_key);
        let (secret_key, rest) = rest.split_at_mut(K::lengths().secret_key);
        let (ciphertext, rest) = rest.split_at_mut(K::lengths().ciphertext);
        let (sent, rest) = rest.split_at_mut(K::lengths().shared_secret);
        let received = &mut rest[..K::lengths().shared_secret];
        let (sym, sampling) = (&mut Suite::of(self.backend, b"cycles"), self.sampling);
        let start = DWT::cycle_count();
        K::keygen(sym, sampling, public_key, secret_key).expect("right lengths");
        let generated = DWT::cycle_count();
        K::encapsulate(sym, sampling, public_key, ciphertext, sent).expect("a good key");
        let encapsulated = DWT::cycle_count();
        K::decapsulate(sym, sampling, secret_key, ciphertext, received).expect("a good key");
        let decapsulated = DWT::cycle_count();
        assert!(sent == received, "both sides have one secret");
        let times = [start, generated, encapsulated, decapsulated];
        core::array::from_fn(|i| times[i + 1].wrapping_sub(times[i]))
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}
