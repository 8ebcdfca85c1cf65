//! What a decoded instruction is: an operation and its operands, without addresses and without costs.

/// Data processing with two operands, in the order of the opcode field of the Thumb encodings where they have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // the mnemonics of the architecture manual
pub enum Alu {
    And,
    Bic,
    Orr,
    Orn,
    Eor,
    Mov,
    Mvn,
    Tst,
    Teq,
    Add,
    Adc,
    Sbc,
    Sub,
    Rsb,
    Cmp,
    Cmn,
}

/// The kinds of shift, as encoded in two bits; `Rrx` is rotate right by an immediate 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Shift {
    Lsl,
    Lsr,
    Asr,
    Ror,
    Rrx,
}

/// Where the second operand or the address comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// `imm`; for data processing, `opt` tells the carry (0 unchanged, 2 cleared, 3 set).
    Imm,
    /// Register `rm` as it is.
    Reg,
    /// Register `rm` shifted by the constant `amount`.
    Shifted,
    /// Memory at `rn + imm`.
    Offset,
    /// Memory at `rn + imm`, written back to `rn`.
    Pre,
    /// Memory at `rn`, then `rn + imm` written back.
    Post,
    /// Memory at `rn + (rm << amount)`.
    Index,
    /// Memory at the word-aligned PC plus `imm`.
    Literal,
}

/// Size and extension of a single load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    /// Byte, zero extended.
    Byte,
    /// Halfword, zero extended.
    Half,
    /// Word.
    Word,
    /// Byte, sign extended.
    SByte,
    /// Halfword, sign extended.
    SHalf,
}

/// The 64-bit multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Long {
    Umull,
    Smull,
    Umlal,
    Smlal,
    Umaal,
}

/// What an extension takes from its (rotated) operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Extend {
    Sxth,
    Uxth,
    Sxtb16,
    Uxtb16,
    Sxtb,
    Uxtb,
}

/// Lanes of the parallel additions and subtractions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Lanes {
    Add8,
    Add16,
    Asx,
    Sub8,
    Sub16,
    Sax,
}

/// The six prefixes of the parallel instructions (kept in `opt`): S, Q, SH, U, UQ, UH.
pub const PARALLEL_PREFIX: [&str; 8] = ["S", "Q", "SH", "?", "U", "UQ", "UH", "?"];

/// Floating-point data processing on two or three registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Fp {
    Mla,
    Mls,
    Nmls,
    Nmla,
    Mul,
    Nmul,
    Add,
    Sub,
    Div,
    Fnms,
    Fnma,
    Fma,
    Fms,
    MovReg,
    Abs,
    Neg,
    Sqrt,
}

/// Hints; none of them changes the state of a machine with one core and no debugger, save WFI and WFE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Hint {
    Nop,
    Yield,
    Wfe,
    Wfi,
    Sev,
    Dbg,
    Preload,
}

/// The barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Barrier {
    Dsb,
    Dmb,
    Isb,
}

/// The operation of an instruction. Names follow the mnemonics of the ARMv7-M Architecture Reference Manual (DDI 0403);
/// families that differ in one choice share a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Two-operand data processing. Shifts by a constant are `Mov` with a shifted operand.
    Alu(Alu),
    /// Shift of `rn` by the bottom byte of `rm`.
    ShiftReg(Shift),
    /// Top halfword of `rd` = `imm`.
    Movt,
    /// `rd` = word-aligned PC + `imm`.
    Adr,
    /// `rd = rn * rm`.
    Mul,
    /// `rd = ra + rn * rm`.
    Mla,
    /// `rd = ra - rn * rm`.
    Mls,
    /// `rd:ra = rn * rm`, with accumulation for some; `rd` is the low half.
    MulLong(Long),
    /// SMUL and SMLA of halfwords; `opt` bit 1 and bit 0 choose the top halves of `rn` and `rm`.
    MulHalf {
        /// SMLA rather than SMUL.
        acc: bool,
    },
    /// SMLALxy: `rd:ra` (low, high); `opt` as in `MulHalf`.
    MulHalfLong,
    /// SMULW and SMLAW; `opt` bit 0 chooses the top half of `rm`.
    MulWide {
        /// SMLAW rather than SMULW.
        acc: bool,
    },
    /// SMUAD, SMUSD, SMLAD, SMLSD; `opt` bit 0 exchanges the halves of `rm`.
    MulDual {
        /// Subtracts the second product.
        sub: bool,
        /// Adds `ra`.
        acc: bool,
    },
    /// SMLALD, SMLSLD; `opt` bit 0 exchanges the halves of `rm`.
    MulDualLong {
        /// Subtracts the second product.
        sub: bool,
    },
    /// SMMUL, SMMLA (`ra` added; 15 for none); `opt` bit 0 rounds.
    MulTop,
    /// SMMLS; `opt` bit 0 rounds.
    MulTopSub,
    /// USAD8 and USADA8 (`ra`; 15 for none).
    Usad8,
    /// SDIV, UDIV.
    Div {
        /// SDIV.
        signed: bool,
    },
    /// Extension of `rm` rotated right by `amount`, added to `rn` (15 for none).
    Extend(Extend),
    /// Bit field insert: lsb in `amount`, width in `imm`.
    Bfi,
    /// Bit field clear.
    Bfc,
    /// Signed bit field extract.
    Sbfx,
    /// Unsigned bit field extract.
    Ubfx,
    /// Count of leading zeros.
    Clz,
    /// Bit reversal.
    Rbit,
    /// Byte reversal.
    Rev,
    /// Byte reversal in halfwords.
    Rev16,
    /// Byte reversal of the low halfword, sign extended.
    Revsh,
    /// Bytes chosen by the GE flags.
    Sel,
    /// Halves packed; `opt` 1 for PKHTB. `rm` is shifted.
    Pkh,
    /// Saturation of the shifted `rn` to `imm` bits.
    Sat {
        /// SSAT.
        signed: bool,
    },
    /// Saturation of both halves of `rn` to `imm` bits.
    Sat16 {
        /// SSAT16.
        signed: bool,
    },
    /// QADD, QDADD, QSUB, QDSUB of `rm` and `rn`.
    QArith {
        /// Doubles `rn` first.
        double: bool,
        /// Subtracts.
        sub: bool,
    },
    /// Parallel addition and subtraction; the prefix is in `opt`.
    Parallel(Lanes),
    /// Single load to `rd`.
    Load(Width),
    /// Single store of `rd`.
    Store(Width),
    /// Two words to `rd` and `ra`.
    LoadDual,
    /// Two words from `rd` and `ra`.
    StoreDual,
    /// Registers in `imm` from `rn` on; `opt` bit 0 writes back, bit 1 is decrement-before.
    LoadMulti,
    /// Registers in `imm` stored.
    StoreMulti,
    /// Exclusive load; address `rn + imm`.
    LoadEx(Width),
    /// Exclusive store of `rd`, status to `ra`.
    StoreEx(Width),
    /// CLREX.
    Clrex,
    /// TBB, TBH (`opt` 1).
    TableBranch,
    /// Branch by `imm`.
    B,
    /// Branch by `imm` under the condition `opt`.
    BCond,
    /// Call by `imm`.
    Bl,
    /// Branch to `rm`.
    Bx,
    /// Call of `rm`.
    BlxReg,
    /// Branch when `rn` is zero (`opt` 0) or not (1).
    Cbz,
    /// IT; its state byte is `imm`.
    It,
    /// Hint.
    Hint(Hint),
    /// Barrier.
    Barrier(Barrier),
    /// CPS; `opt` bit 4 disables, bit 1 is PRIMASK, bit 0 FAULTMASK.
    Cps,
    /// Special register `imm` to `rd`.
    Mrs,
    /// `rn` to special register `imm`; `opt` is the mask of APSR fields.
    Msr,
    /// Supervisor call.
    Svc,
    /// Breakpoint; semihosting with `imm` 0xAB.
    Bkpt,
    /// Permanently undefined.
    Udf,
    /// Floating-point arithmetic on `rd`, `rn`, `rm` (single-precision register numbers).
    Fp(Fp),
    /// VMOV of the constant `imm` (already expanded).
    FpMovImm,
    /// VCMP, VCMPE (`opt` bit 0); against zero with `opt` bit 1.
    FpCmp,
    /// Float to integer: `opt` bit 0 signed, bit 1 rounds towards zero.
    FpToInt,
    /// Integer to float: `opt` bit 0 signed.
    FpFromInt,
    /// To and from fixed point: `opt` bit 0 signed, bit 1 32-bit, bit 2 to fixed; `imm` fraction bits.
    FpFixed,
    /// VCVTB, VCVTT: `opt` bit 0 top, bit 1 to half precision.
    FpHalf,
    /// VMOV between `ra` (core) and single register `rd`; `opt` bit 0 to core.
    FpMovCore,
    /// VMOV between `rd`, `ra` (core) and singles `rm`, `rm + 1`; `opt` bit 0 to core.
    FpMovTwo,
    /// VMRS to `rd` (15: flags).
    Vmrs,
    /// VMSR from `rd`.
    Vmsr,
    /// VLDR of `opt` (1 or 2) singles from `rd` on.
    FpLoad,
    /// VSTR.
    FpStore,
    /// VLDM of `ra` singles from `rd` on: `opt` bit 0 writes back, bit 1 decrement-before.
    FpLoadMulti,
    /// VSTM.
    FpStoreMulti,
}

/// When an instruction writes the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SetFlags {
    /// Never.
    Never,
    /// Always.
    Always,
    /// Outside IT blocks only, as most 16-bit data processing does.
    OutsideIt,
}

/// A decoded instruction. Fields that an operation does not use are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insn {
    /// Operation.
    pub op: Op,
    /// Destination (or the register loaded or stored).
    pub rd: u8,
    /// First operand or base.
    pub rn: u8,
    /// Second operand or index.
    pub rm: u8,
    /// Accumulator, high half, or second register of a pair.
    pub ra: u8,
    /// Constant; offsets are two's complement.
    pub imm: u32,
    /// Kind of shift of `rm`.
    pub shift: Shift,
    /// Amount of shift, 0 to 32.
    pub amount: u8,
    /// Operand or addressing mode.
    pub mode: Mode,
    /// Flag setting.
    pub flags: SetFlags,
    /// Small choices of the operation.
    pub opt: u8,
    /// Length in bytes, 2 or 4.
    pub size: u8,
}

impl Insn {
    /// An instruction of `size` bytes with all operands zero.
    pub const fn new(op: Op, size: u8) -> Self {
        Insn {
            op,
            rd: 0,
            rn: 0,
            rm: 0,
            ra: 0,
            imm: 0,
            shift: Shift::Lsl,
            amount: 0,
            mode: Mode::Imm,
            flags: SetFlags::Never,
            opt: 0,
            size,
        }
    }
}
