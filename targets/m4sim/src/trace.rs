//! The instruction trace: cycles, address, opcode, function, instruction and the registers it changed.

use std::io::{BufWriter, Write};

use crate::core::Core;
use crate::run::{Executed, Observer};
use crate::symbols::Symbols;

const NAMES: [&str; 15] = ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr"];

/// Writes a line for each instruction. After the first error of the writer it falls silent.
pub(crate) struct Trace {
    symbols: Symbols,
    out: BufWriter<Box<dyn Write + Send>>,
    error: Option<std::io::Error>,
    /// Registers, singles and flags as they were.
    before: ([u32; 16], [u32; 32], u32),
}

impl Trace {
    pub(crate) fn new(symbols: Symbols, out: Box<dyn Write + Send>) -> Self {
        Trace { symbols, out: BufWriter::new(out), error: None, before: ([0; 16], [0; 32], 0) }
    }

    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn note(&mut self, result: std::io::Result<()>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    fn line(&mut self, core: &Core, step: &Executed<'_>) -> std::io::Result<()> {
        let (start, insn) = (core.cycles - step.cycles, &step.slot.insn);
        let place = self.symbols.describe(step.address);
        let opcode = core.opcode_text(step.address);
        let out = &mut self.out;
        write!(out, "{start:>10} +{:<2} {:08x}  {opcode:<9}  {place:<28} ", step.cycles, step.address)?;
        if step.skipped {
            write!(out, "(skipped) ")?;
        }
        write!(out, "{insn:<30}")?;
        for (i, name) in NAMES.iter().enumerate() {
            if core.r[i] != self.before.0[i] {
                write!(out, " {name}={:08x}", core.r[i])?;
            }
        }
        for i in 0..32 {
            if core.s[i] != self.before.1[i] {
                write!(out, " s{i}={:08x}", core.s[i])?;
            }
        }
        if core.apsr() != self.before.2 {
            write!(out, " apsr={:08x}", core.apsr())?;
        }
        if step.taken {
            write!(out, " -> {:08x}", core.next)?;
        }
        writeln!(out)
    }
}

impl Observer for Trace {
    fn executed(&mut self, core: &Core, step: &Executed<'_>) {
        if self.error.is_some() {
            return;
        }
        let result = self.line(core, step);
        self.note(result);
        self.before = (core.r, core.s, core.apsr());
    }

    fn attended(&mut self, core: &Core, cycles: u64) {
        let start = core.cycles - cycles;
        let result = if core.ipsr == 0 {
            writeln!(self.out, "{start:>10} +{cycles:<2} thread mode, next {:08x}", core.next)
        } else {
            writeln!(self.out, "{start:>10} +{cycles:<2} exception {}, next {:08x}", core.ipsr, core.next)
        };
        self.note(result);
        self.before = (core.r, core.s, core.apsr());
    }
}
