//! The decoder takes any input: every 16-bit opcode, and many of 32 bits, decode to an instruction or to none. Programs
//! of random bytes end by a fault or at a limit, and do not take the simulator down.

use m4sim::decode::{decode, is_wide};

use crate::differential::{Random, all_rows, elf};
use crate::run::m4sim;
use crate::tools::scratch;

/// Decodes, and looks at everything that came of it.
fn probe(first: u16, second: u16) -> bool {
    let decoded = decode(first, second);
    assert_eq!(decoded, decode(first, second), "{first:04x} {second:04x} decodes to one thing");
    decoded.is_some_and(|insn| !format!("{insn:?}").is_empty())
}

#[test]
fn every_narrow_opcode() {
    for first in (0..=u16::MAX).filter(|first| !is_wide(*first)) {
        probe(first, 0);
        assert_eq!(decode(first, 0), decode(first, 0xFFFF), "{first:04x}: what follows a 16-bit instruction matters");
    }
}

#[test]
fn random_wide_opcodes() {
    let mut random = Random::new(32);
    let mut known = 0;
    for first in (0..=u16::MAX).filter(|first| is_wide(*first)) {
        for _ in 0..150 {
            // Half of them with the few bits set or clear that most encodings ask for.
            let mut second = random.word() as u16;
            match random.below(4) {
                0 => second &= random.word() as u16,
                1 => second |= random.word() as u16,
                _ => {}
            }
            known += usize::from(probe(first, second));
        }
    }
    assert!(known > 10_000, "{known} were known");
}

#[test]
fn every_generated_instruction_is_known() {
    let mut random = Random::new(16);
    for row in all_rows() {
        for _ in 0..200 {
            let mut code = Vec::new();
            row.emit(&mut random, None, &mut code);
            let second = code.get(1).copied().unwrap_or(0);
            assert_eq!(is_wide(code[0]), code.len() == 2, "{}", row.name);
            assert!(probe(code[0], second), "{}: {:04x} {second:04x} is unknown", row.name, code[0]);
        }
    }
}

/// Random halfwords as a program, with the vectors that it needs to start and a handler that is random, too.
#[test]
fn programs_of_random_bytes() {
    let path = scratch("decoder/random.elf");
    let mut random = Random::new(64);
    for round in 0..40 {
        let mut code: Vec<u8> = [0x2000_1000_u32, 0x101].iter().flat_map(|word| word.to_le_bytes()).collect();
        for _ in 0..2000 {
            // A part is real instructions: pure noise faults after a few.
            if round % 2 == 0 || random.one_in(20) {
                code.extend((random.word() as u16).to_le_bytes());
            } else {
                let mut halves = Vec::new();
                random.pick(&all_rows().collect::<Vec<_>>()).emit(&mut random, None, &mut halves);
                code.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
            }
        }
        std::fs::write(&path, elf(&[(0, &code)], 0x100)).expect("a program");
        let outcome = m4sim(&path, &["--cycles", "100000"], &[]);
        let said = &outcome.messages;
        assert!(
            outcome.status.is_some_and(|status| status != 101) && !said.contains("panicked"),
            "round {round}: {said}"
        );
    }
}
