//! Instructions as text, for the trace.

use std::fmt;

use crate::insn::{Insn, Mode, Op, PARALLEL_PREFIX, SetFlags, Shift};

const CONDITIONS: [&str; 16] =
    ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];

fn register(n: u8) -> String {
    match n {
        13 => "sp".to_owned(),
        14 => "lr".to_owned(),
        15 => "pc".to_owned(),
        n => format!("r{n}"),
    }
}

/// Names of the registers in a list.
fn list(bits: u32) -> String {
    let names: Vec<String> = (0..16).filter(|n| bits >> n & 1 != 0).map(register).collect();
    format!("{{{}}}", names.join(","))
}

fn offset(imm: u32) -> String {
    format!("#{}", imm as i32)
}

impl Insn {
    fn second_operand(&self) -> String {
        let m = register(self.rm);
        match (self.mode, self.shift) {
            (Mode::Imm, _) => format!("#{:#x}", self.imm),
            (Mode::Shifted, Shift::Rrx) => format!("{m}, rrx"),
            (Mode::Shifted, kind) => format!("{m}, {} #{}", lower(kind), self.amount),
            _ => m,
        }
    }

    fn address(&self) -> String {
        let n = register(self.rn);
        match self.mode {
            Mode::Literal => format!("[pc, {}]", offset(self.imm)),
            Mode::Index => format!("[{n}, {}, lsl #{}]", register(self.rm), self.amount),
            Mode::Pre => format!("[{n}, {}]!", offset(self.imm)),
            Mode::Post => format!("[{n}], {}", offset(self.imm)),
            _ => format!("[{n}, {}]", offset(self.imm)),
        }
    }

    /// Operation without operands: the variant's name, with what its payload adds.
    fn mnemonic(&self) -> String {
        let s = if self.flags == SetFlags::Never { "" } else { "s" };
        match self.op {
            Op::Alu(op) => format!("{}{s}", lower(op)),
            Op::ShiftReg(kind) => format!("{}{s}", lower(kind)),
            Op::Parallel(lanes) => {
                format!("{}{}", PARALLEL_PREFIX[usize::from(self.opt & 7)], lower(lanes)).to_lowercase()
            }
            Op::BCond => format!("b{}", CONDITIONS[usize::from(self.opt & 15)]),
            Op::Cbz if self.opt == 1 => "cbnz".to_owned(),
            Op::MulLong(op) => lower(op),
            Op::Extend(op) => lower(op),
            Op::Fp(op) => format!("v{}", lower(op)),
            Op::Hint(op) => lower(op),
            Op::Barrier(op) => lower(op),
            op => lower(op),
        }
    }
}

/// The debug form in lower case, without brackets.
fn lower(value: impl fmt::Debug) -> String {
    format!("{value:?}").to_lowercase().replace(['(', ' ', '{'], ".").replace([')', '}'], "").replace(':', "")
}

impl fmt::Display for Insn {
    /// Close to the assembler's syntax, but made for reading a trace: families print their common name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (d, n, m, a) = (register(self.rd), register(self.rn), register(self.rm), register(self.ra));
        write!(f, "{} ", self.mnemonic())?;
        match self.op {
            Op::Alu(crate::insn::Alu::Mov | crate::insn::Alu::Mvn) => write!(f, "{d}, {}", self.second_operand()),
            Op::Alu(op) if (op as u8) < crate::insn::Alu::Cmp as u8 && !matches!(op, crate::insn::Alu::Tst) => {
                write!(f, "{d}, {n}, {}", self.second_operand())
            }
            Op::Alu(_) => write!(f, "{n}, {}", self.second_operand()),
            Op::Load(_) | Op::Store(_) => write!(f, "{d}, {}", self.address()),
            Op::LoadDual | Op::StoreDual => write!(f, "{d}, {a}, {}", self.address()),
            Op::LoadMulti | Op::StoreMulti => {
                write!(f, "{n}{}, {}", if self.opt & 1 != 0 { "!" } else { "" }, list(self.imm))
            }
            Op::B | Op::BCond | Op::Bl => write!(f, "pc{:+}", self.imm as i32 + 4),
            Op::Cbz => write!(f, "{n}, pc{:+}", self.imm as i32 + 4),
            Op::Bx | Op::BlxReg => write!(f, "{m}"),
            Op::It | Op::Bkpt | Op::Svc | Op::Udf => write!(f, "{:#x}", self.imm),
            Op::Hint(_) | Op::Barrier(_) | Op::Clrex => Ok(()),
            Op::Fp(_) | Op::FpCmp => write!(f, "s{}, s{}, s{}", self.rd, self.rn, self.rm),
            Op::FpLoad | Op::FpStore => write!(f, "s{}, {}", self.rd, self.address()),
            Op::FpLoadMulti | Op::FpStoreMulti => {
                write!(f, "{n}, s{}..{}", self.rd, u32::from(self.rd) + u32::from(self.ra))
            }
            Op::MulLong(_) => write!(f, "{d}, {a}, {n}, {m}"),
            Op::Mla | Op::Mls => write!(f, "{d}, {n}, {m}, {a}"),
            _ => write!(f, "{d}, {n}, {m} #{:#x}", self.imm),
        }
    }
}
