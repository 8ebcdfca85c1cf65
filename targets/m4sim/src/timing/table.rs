//! The table of costs.

/// Classes of instructions that cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // named in the rows
pub enum Class {
    Simple,
    Multiply,
    Divide,
    Load,
    StoreOffset,
    StoreIndexed,
    Dual,
    LoadMultiple,
    StoreMultiple,
    Branch,
    TableBranch,
    ItBlock,
    Exclusive,
    Barrier,
    InstructionBarrier,
    SpecialRegister,
    ChangeState,
    Hint,
    Trap,
    FpSimple,
    FpMoveTwo,
    FpMultiplyAdd,
    FpDivide,
    FpTransfer,
    FpMultiple,
}

/// A row of the table: the cost of a class before the rules of [`super::cycles`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Class, which is also the index.
    pub class: Class,
    /// Cycles.
    pub base: u8,
    /// Further cycles for each register of a list.
    pub per_register: u8,
    /// Refills the pipeline even without a branch. Taken branches and loads to the PC refill it in every class.
    pub refills: bool,
    /// Instructions.
    pub instructions: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
}

const SUMMARY: &str = "DDI 0439, table 3-1";
const TIMINGS: &str = "DDI 0439, 3.3.2";
const FPU: &str = "DDI 0439, table 7-1";

const fn row(class: Class, base: u8, per_register: u8, instructions: &'static str, source: &'static str) -> Row {
    Row { class, base, per_register, refills: false, instructions, source }
}

/// Costs by class.
pub const ROWS: [Row; 25] = [
    row(Class::Simple, 1, 0, "data processing, shifts, extends, bit fields, saturation, parallel arithmetic", SUMMARY),
    row(Class::Multiply, 1, 0, "all multiplies, 32 and 64 bits", SUMMARY),
    row(Class::Divide, 2, 0, "SDIV, UDIV: 2 to 12, by the significant bits of the quotient", SUMMARY),
    row(Class::Load, 2, 0, "LDR, LDRB, LDRH, LDRSB, LDRSH: 1 behind a load it does not depend on", TIMINGS),
    row(Class::StoreOffset, 1, 0, "STR, STRB, STRH with a constant offset: the store buffer takes it", TIMINGS),
    row(Class::StoreIndexed, 2, 0, "STR, STRB, STRH with an index register: 1 behind a load", TIMINGS),
    row(Class::Dual, 3, 0, "LDRD, STRD: 1 + 2", SUMMARY),
    row(Class::LoadMultiple, 1, 1, "LDM, POP: 1 + N, and P with the PC", SUMMARY),
    row(Class::StoreMultiple, 1, 1, "STM, PUSH: 1 + N", SUMMARY),
    row(Class::Branch, 1, 0, "B, BL, BX, BLX, CBZ, CBNZ: 1 + P taken, 1 not taken", SUMMARY),
    row(Class::TableBranch, 2, 0, "TBB, TBH: 2 + P", SUMMARY),
    row(Class::ItBlock, 1, 0, "IT: 0 behind a 16-bit instruction", SUMMARY),
    row(Class::Exclusive, 2, 0, "LDREX, STREX and their byte and halfword forms", SUMMARY),
    row(Class::Barrier, 1, 0, "DMB, DSB: 1 + B, where B is 0 with an empty store buffer", SUMMARY),
    Row { refills: true, ..row(Class::InstructionBarrier, 1, 0, "ISB: 1 + B, where B is a refill", SUMMARY) },
    row(Class::SpecialRegister, 2, 0, "MRS, MSR: 1 or 2, taken as 2", SUMMARY),
    row(Class::ChangeState, 1, 0, "CPS: 1 or 2, taken as 1", SUMMARY),
    row(Class::Hint, 1, 0, "NOP, SEV, PLD; WFI and WFE and then the wait", SUMMARY),
    row(Class::Trap, 1, 0, "SVC (and then the exception), BKPT", SUMMARY),
    row(Class::FpSimple, 1, 0, "VADD, VSUB, VMUL, VABS, VNEG, VCMP, VCVT, VMOV, VMRS, VMSR", FPU),
    row(Class::FpMoveTwo, 2, 0, "VMOV of two registers", FPU),
    row(Class::FpMultiplyAdd, 3, 0, "VMLA, VMLS, VNMLA, VNMLS, VFMA and its forms", FPU),
    row(Class::FpDivide, 14, 0, "VDIV, VSQRT", FPU),
    row(Class::FpTransfer, 1, 1, "VLDR, VSTR: 2 for a single, 3 for a double", FPU),
    row(Class::FpMultiple, 1, 1, "VLDM, VSTM, VPUSH, VPOP: 1 + N", FPU),
];
