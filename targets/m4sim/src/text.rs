//! Instructions as text, in the assembler's syntax but for branches, which show their distance, and FPU constants.

use std::fmt;

use crate::insn::{Alu, Insn, Mode, Op, PARALLEL_PREFIX, SetFlags, Shift, Width};

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

/// The name of a variant.
fn lower(value: impl fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn list(bits: u32) -> String {
    let names: Vec<String> = (0..16).filter(|n| bits >> n & 1 != 0).map(register).collect();
    format!("{{{}}}", names.join(", "))
}

fn width(width: Width) -> &'static str {
    match width {
        Width::Byte => "b",
        Width::Half => "h",
        Width::Word => "",
        Width::SByte => "sb",
        Width::SHalf => "sh",
    }
}

/// `b` and `t` for the halves of two operands.
fn halves(opt: u8) -> &'static str {
    ["bb", "bt", "tb", "tt"][usize::from(opt & 3)]
}

impl Insn {
    fn flag(&self, bit: u8, text: &'static str) -> &'static str {
        if self.opt & bit != 0 { text } else { "" }
    }

    fn second_operand(&self) -> String {
        let m = register(self.rm);
        match (self.mode, self.shift, self.amount) {
            (Mode::Imm, ..) => format!("#{}", self.imm),
            (Mode::Shifted, Shift::Rrx, _) => format!("{m}, rrx"),
            (Mode::Shifted, kind, 1..) => format!("{m}, {} #{}", lower(kind), self.amount),
            _ => m,
        }
    }

    fn address(&self) -> String {
        let (n, offset) = (register(self.rn), self.imm as i32);
        match self.mode {
            Mode::Literal => format!("[pc, #{offset}]"),
            Mode::Index if self.amount == 0 => format!("[{n}, {}]", register(self.rm)),
            Mode::Index => format!("[{n}, {}, lsl #{}]", register(self.rm), self.amount),
            Mode::Pre => format!("[{n}, #{offset}]!"),
            Mode::Post => format!("[{n}], #{offset}"),
            _ if offset == 0 => format!("[{n}]"),
            _ => format!("[{n}, #{offset}]"),
        }
    }

    /// Distance of a branch from itself.
    fn distance(&self) -> String {
        format!(".{:+}", i64::from(self.imm as i32) + 4)
    }

    fn mnemonic(&self) -> String {
        let s = if self.flags == SetFlags::Never { "" } else { "s" };
        match self.op {
            Op::Alu(op @ (Alu::Cmp | Alu::Cmn | Alu::Tst | Alu::Teq)) => lower(op),
            Op::Alu(op) => lower(op) + s,
            Op::ShiftReg(kind) => lower(kind) + s,
            Op::Mul => format!("mul{s}"),
            Op::MulLong(op) => lower(op),
            Op::MulHalf { acc } => format!("sm{}{}", if acc { "la" } else { "ul" }, halves(self.opt)),
            Op::MulHalfLong => format!("smlal{}", halves(self.opt)),
            Op::MulWide { acc } => format!("sm{}w{}", if acc { "la" } else { "ul" }, &halves(self.opt)[1..]),
            Op::MulDual { sub, acc } => {
                let name = match (sub, acc) {
                    (false, false) => "smuad",
                    (true, false) => "smusd",
                    (false, true) => "smlad",
                    (true, true) => "smlsd",
                };
                format!("{name}{}", self.flag(1, "x"))
            }
            Op::MulDualLong { sub } => format!("sml{}ld{}", if sub { "s" } else { "a" }, self.flag(1, "x")),
            Op::MulTop => format!("{}{}", if self.ra == 15 { "smmul" } else { "smmla" }, self.flag(1, "r")),
            Op::MulTopSub => format!("smmls{}", self.flag(1, "r")),
            Op::Usad8 => if self.ra == 15 { "usad8" } else { "usada8" }.to_owned(),
            Op::Div { signed } => format!("{}div", if signed { "s" } else { "u" }),
            Op::Extend(op) if self.rn == 15 => lower(op),
            Op::Extend(op) => lower(op).replace("xt", "xta"),
            Op::Pkh => if self.opt == 1 { "pkhtb" } else { "pkhbt" }.to_owned(),
            Op::Sat { signed } => format!("{}sat", if signed { "s" } else { "u" }),
            Op::Sat16 { signed } => format!("{}sat16", if signed { "s" } else { "u" }),
            Op::QArith { double, sub } => {
                format!("q{}{}", if double { "d" } else { "" }, if sub { "sub" } else { "add" })
            }
            Op::Parallel(op) => PARALLEL_PREFIX[usize::from(self.opt & 7)].to_lowercase() + &lower(op),
            _ => self.other_mnemonic(),
        }
    }

    /// Loads, stores, branches, system and floating point.
    fn other_mnemonic(&self) -> String {
        let direction = if self.opt & 2 != 0 { "db" } else { "ia" };
        match self.op {
            Op::Load(w) => format!("ldr{}", width(w)),
            Op::Store(w) => format!("str{}", width(w)),
            Op::LoadDual => "ldrd".to_owned(),
            Op::StoreDual => "strd".to_owned(),
            Op::LoadMulti => format!("ldm{direction}"),
            Op::StoreMulti => format!("stm{direction}"),
            Op::LoadEx(w) => format!("ldrex{}", width(w)),
            Op::StoreEx(w) => format!("strex{}", width(w)),
            Op::TableBranch => if self.opt == 1 { "tbh" } else { "tbb" }.to_owned(),
            Op::BCond => format!("b{}", CONDITIONS[usize::from(self.opt & 15)]),
            Op::Cbz => if self.opt == 1 { "cbnz" } else { "cbz" }.to_owned(),
            Op::BlxReg => "blx".to_owned(),
            Op::Hint(op) => lower(op),
            Op::Barrier(op) => lower(op),
            Op::Cps => if self.opt & 16 != 0 { "cpsid" } else { "cpsie" }.to_owned(),
            Op::Fp(crate::insn::Fp::MovReg) | Op::FpMovImm | Op::FpMovCore | Op::FpMovTwo => "vmov".to_owned(),
            Op::Fp(op) => format!("v{}", lower(op)),
            Op::FpCmp => format!("vcmp{}", self.flag(1, "e")),
            Op::FpToInt => format!("vcvt{}", if self.opt & 2 != 0 { "" } else { "r" }),
            Op::FpFromInt | Op::FpFixed => "vcvt".to_owned(),
            Op::FpHalf => if self.opt & 1 != 0 { "vcvtt" } else { "vcvtb" }.to_owned(),
            Op::FpLoad => "vldr".to_owned(),
            Op::FpStore => "vstr".to_owned(),
            Op::FpLoadMulti => format!("vldm{direction}"),
            Op::FpStoreMulti => format!("vstm{direction}"),
            op => lower(op),
        }
    }

    fn operands(&self) -> String {
        let [d, n, m, a] = [self.rd, self.rn, self.rm, self.ra].map(register);
        let field = |source: String| format!("{d}, {source}#{}, #{}", self.amount, self.imm);
        match self.op {
            Op::Alu(Alu::Mov | Alu::Mvn) => format!("{d}, {}", self.second_operand()),
            Op::Alu(Alu::Cmp | Alu::Cmn | Alu::Tst | Alu::Teq) => format!("{n}, {}", self.second_operand()),
            Op::Alu(_) | Op::Pkh => format!("{d}, {n}, {}", self.second_operand()),
            Op::Movt => format!("{d}, #{}", self.imm),
            Op::Adr => format!("{d}, pc, #{}", self.imm as i32),
            Op::Bfi | Op::Sbfx | Op::Ubfx => field(format!("{n}, ")),
            Op::Bfc => field(String::new()),
            Op::Sat { .. } => {
                let shift =
                    if self.amount > 0 { format!(", {} #{}", lower(self.shift), self.amount) } else { String::new() };
                format!("{d}, #{}, {n}{shift}", self.imm)
            }
            Op::Sat16 { .. } => format!("{d}, #{}, {n}", self.imm),
            Op::Extend(_) => {
                let base = if self.rn == 15 { String::new() } else { format!("{n}, ") };
                let turn = if self.amount > 0 { format!(", ror #{}", self.amount) } else { String::new() };
                format!("{d}, {base}{m}{turn}")
            }
            Op::Clz | Op::Rbit | Op::Rev | Op::Rev16 | Op::Revsh => format!("{d}, {m}"),
            Op::QArith { .. } => format!("{d}, {m}, {n}"),
            Op::MulLong(_) | Op::MulHalfLong | Op::MulDualLong { .. } => format!("{d}, {a}, {n}, {m}"),
            Op::Mla | Op::Mls | Op::MulTopSub => format!("{d}, {n}, {m}, {a}"),
            Op::MulHalf { acc: true } | Op::MulWide { acc: true } | Op::MulDual { acc: true, .. } => {
                format!("{d}, {n}, {m}, {a}")
            }
            Op::MulTop | Op::Usad8 if self.ra != 15 => format!("{d}, {n}, {m}, {a}"),
            Op::Load(_) | Op::Store(_) | Op::LoadEx(_) => format!("{d}, {}", self.address()),
            Op::StoreEx(_) => format!("{a}, {d}, {}", self.address()),
            Op::LoadDual | Op::StoreDual => format!("{d}, {a}, {}", self.address()),
            Op::LoadMulti | Op::StoreMulti => format!("{n}{}, {}", self.flag(1, "!"), list(self.imm)),
            Op::TableBranch => format!("[{n}, {m}{}]", self.flag(1, ", lsl #1")),
            Op::B | Op::BCond | Op::Bl => self.distance(),
            Op::Cbz => format!("{n}, {}", self.distance()),
            Op::Bx | Op::BlxReg => m,
            Op::It | Op::Bkpt | Op::Svc | Op::Udf => format!("#{:#x}", self.imm),
            Op::Mrs => format!("{d}, special {}", self.imm),
            Op::Msr => format!("special {}, {n}", self.imm),
            Op::Cps => format!("{}{}", self.flag(2, "i"), self.flag(1, "f")),
            Op::Hint(_) | Op::Barrier(_) | Op::Clrex => String::new(),
            _ => self.fp_operands().unwrap_or_else(|| format!("{d}, {n}, {m}")),
        }
    }

    fn fp_operands(&self) -> Option<String> {
        use crate::insn::Fp;
        let (d, n, m) = (self.rd, self.rn, self.rm);
        let [core, other] = [self.ra, self.rd].map(register);
        let end = u32::from(d) + u32::from(self.ra).max(1) - 1;
        Some(match self.op {
            Op::Fp(Fp::MovReg | Fp::Abs | Fp::Neg | Fp::Sqrt) | Op::FpHalf => format!("s{d}, s{m}"),
            Op::Fp(_) => format!("s{d}, s{n}, s{m}"),
            Op::FpMovImm => format!("s{d}, #{}", f32::from_bits(self.imm)),
            Op::FpCmp if self.opt & 2 != 0 => format!("s{d}, #0"),
            Op::FpCmp => format!("s{d}, s{m}"),
            Op::FpToInt => format!("s{d}, s{m}, {}32", if self.opt & 1 != 0 { "s" } else { "u" }),
            Op::FpFromInt => format!("s{d}, {}32, s{m}", if self.opt & 1 != 0 { "s" } else { "u" }),
            Op::FpFixed => format!("s{d}, #{}", self.imm),
            Op::FpMovCore if self.opt & 1 != 0 => format!("{core}, s{d}"),
            Op::FpMovCore => format!("s{d}, {core}"),
            Op::FpMovTwo if self.opt & 1 != 0 => format!("{other}, {core}, s{m}, s{}", m + 1),
            Op::FpMovTwo => format!("s{m}, s{}, {other}, {core}", m + 1),
            Op::Vmrs if d == 15 => "apsr, fpscr".to_owned(),
            Op::Vmrs => format!("{other}, fpscr"),
            Op::Vmsr => format!("fpscr, {other}"),
            Op::FpLoad | Op::FpStore => format!("s{d}, {}", self.address()),
            Op::FpLoadMulti | Op::FpStoreMulti => {
                format!("{}{}, {{s{d}-s{end}}}", register(n), self.flag(1, "!"))
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Insn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operands = self.operands();
        let space = if operands.is_empty() { "" } else { " " };
        f.pad(&format!("{}{space}{operands}", self.mnemonic()))
    }
}
