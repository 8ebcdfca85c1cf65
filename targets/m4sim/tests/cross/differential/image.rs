//! The image that holds many sequences: the harness, what each sequence starts with, and their code, as one ELF file.

use std::path::Path;
use std::process::Command;

use super::random::Random;
use super::unit::Unit;
use crate::tools::{OBJCOPY, compile, scratch, source, succeed};

/// These are the harness's too (`programs/random_harness.S`).
pub(crate) const MEMORY: u32 = 0x2001_0000;
pub(crate) const MEMORY_BYTES: u32 = 96 * 4;
const SEQUENCES: u32 = 0x0010_0000;
const DONE: u32 = 0x100;

/// How many different contents memory may begin with.
const POOLS: u32 = 16;

/// The bits of the FPSCR that exist: flags, AHP, DN, FZ, rounding mode, cumulative exceptions.
pub(crate) const FPSCR: u32 = 0xF7C0_009F;

/// A random sequence and the registers that it starts with.
#[derive(Clone)]
pub(crate) struct Sequence {
    pub(crate) units: Vec<Unit>,
    /// r0 to r12, lr, APSR, FPSCR, s0 to s31.
    start: [u32; 48],
    pool: u32,
}

impl Sequence {
    pub(crate) fn new(random: &mut Random, units: Vec<Unit>) -> Self {
        let mut start = [0; 48];
        start[..14].fill_with(|| random.integer());
        start[14] = random.word() & 0xF80F_0000;
        start[15] = random.word() & FPSCR;
        if random.one_in(2) {
            // Half of them with the usual arithmetic: subnormals, NaNs that keep their payload.
            start[15] &= !0x0300_0000;
        }
        start[16..].fill_with(|| random.float());
        Self { units, start, pool: random.below(POOLS) }
    }

    /// What it starts with, in words.
    pub(crate) fn beginning(&self) -> String {
        let hex = |words: &[u32]| words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ");
        let [core, special, float] = [0..14, 14..16, 16..48].map(|range| hex(&self.start[range]));
        format!("r0 to r12, lr: {core}\napsr, fpscr: {special}\ns0 to s31: {float}")
    }

    /// The halfwords, each unit at a multiple of 4, without the end.
    pub(crate) fn code(&self) -> Vec<u16> {
        let mut code = Vec::new();
        for unit in &self.units {
            code.extend(&unit.code);
            if code.len() % 2 == 1 {
                code.push(0xBF00);
            }
        }
        code
    }
}

/// Compiles the harness (for the test `name`) and returns its bytes, which belong at address 0.
pub(crate) fn harness(name: &str) -> Vec<u8> {
    let elf = scratch(&format!("random/{name}-harness.elf"));
    let binary = scratch(&format!("random/{name}-harness.bin"));
    let text = source("programs/random_harness.S");
    compile(&elf, &[text], &[], &["-mcpu=cortex-m4", "-mthumb", "-nostdlib", "-Wl,-Ttext=0", "-Wl,-e,reset"]);
    succeed(Command::new(OBJCOPY.0).args(["-O", "binary"]).arg(&elf).arg(&binary));
    std::fs::read(&binary).expect("the harness")
}

/// How all sequences of an image are run.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    /// Where the stack pointer is at first.
    pub(crate) stack: u32,
    /// Cycles between two interrupts, whose handler spoils all that exceptions save; 0 for none.
    pub(crate) ticks: u32,
}

/// In the midst of the data area, so that a sequence's accesses and its stack meet; no interrupts.
pub(crate) const PLAIN: Setting = Setting { stack: MEMORY + 0x80, ticks: 0 };

/// Writes the ELF file at `path` that runs `sequences`.
pub(crate) fn write(path: &Path, harness: &[u8], sequences: &[Sequence], setting: Setting) {
    std::fs::write(path, elf(&[(0, harness), (SEQUENCES, &blob(sequences, setting))], DONE)).expect("the image");
}

fn blob(sequences: &[Sequence], setting: Setting) -> Vec<u8> {
    let descriptors = SEQUENCES + 16;
    let pools = descriptors + sequences.len() as u32 * 200;
    let code = pools + POOLS * MEMORY_BYTES;
    let mut text: Vec<u16> = Vec::new();
    let mut words = vec![sequences.len() as u32, setting.stack, setting.ticks, 0];
    for sequence in sequences {
        words.push((code + text.len() as u32 * 2) | 1);
        words.push(pools + sequence.pool * MEMORY_BYTES);
        words.extend(sequence.start);
        text.extend(sequence.code());
        text.extend(end(code + text.len() as u32 * 2));
    }
    let mut random = Random::new(1);
    for index in 0..POOLS * MEMORY_BYTES / 4 {
        words.push(if index % 2 == 0 { random.float() } else { random.integer() });
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(text.iter().flat_map(|half| half.to_le_bytes()));
    bytes
}

/// The branch, at address `from`, to the end.
fn end(from: u32) -> [u16; 2] {
    let offset = DONE.wrapping_sub(from + 4);
    let (sign, i1, i2) = (offset >> 31, offset >> 23 & 1, offset >> 22 & 1);
    let (j1, j2) = (1 ^ i1 ^ sign, 1 ^ i2 ^ sign);
    let high = 0xF000 | sign << 10 | offset >> 12 & 0x3FF;
    let low = 0x9000 | j1 << 13 | j2 << 11 | offset >> 1 & 0x7FF;
    [high as u16, low as u16]
}

/// An executable with such segments to load.
pub(crate) fn elf(segments: &[(u32, &[u8])], entry: u32) -> Vec<u8> {
    let header_size = 52 + 32 * segments.len() as u32;
    let mut file: Vec<u8> = vec![0x7F, b'E', b'L', b'F', 1, 1, 1];
    file.resize(16, 0);
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    half(&mut file, 2); // an executable
    half(&mut file, 40); // for Arm
    for value in [1, entry | 1, 52, 0, 0x0500_0400] {
        word(&mut file, value);
    }
    for value in [52, 32, segments.len() as u16, 40, 0, 0] {
        half(&mut file, value);
    }
    let mut at = header_size;
    for (address, bytes) in segments {
        let size = bytes.len() as u32;
        for value in [1, at, *address, *address, size, size, 7, 4] {
            word(&mut file, value);
        }
        at += size;
    }
    for (_, bytes) in segments {
        file.extend(*bytes);
    }
    file
}
