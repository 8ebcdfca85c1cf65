//! What can go wrong: bad images before the run, and faults that end it.

use std::fmt;

/// Why an image cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The bytes are no ELF file, or a damaged one.
    #[error("not an ELF image: {0}")]
    NotElf(String),
    /// The file is for another machine.
    #[error("the image is for {found}, not for 32-bit little-endian Arm")]
    WrongMachine {
        /// What the ELF header says.
        found: String,
    },
    /// The file is an object or a library, not a linked program.
    #[error("the image is not a linked program (ELF type {0})")]
    NotExecutable(String),
    /// A segment lies outside the memory of the map.
    #[error("the segment {start:#010x}..{end:#010x} is outside the memory of map {map}")]
    OutsideMemory {
        /// First address.
        start: u64,
        /// Address after the last.
        end: u64,
        /// Name of the map.
        map: &'static str,
    },
    /// The file says that it is for another architecture than the core's (Addenda to the ABI for the Arm Architecture, 3.3).
    #[error("the image is for {found} (its build attributes say so), not for Armv7E-M or what that can run")]
    WrongArchitecture {
        /// What the attributes say.
        found: &'static str,
    },
    /// The first words of memory are no vector table.
    #[error("no vector table at {base:#010x}: initial stack pointer {sp:#010x}, reset vector {reset:#010x}; {reason}")]
    NoVectors {
        /// Where the table was looked for.
        base: u32,
        /// Word 0.
        sp: u32,
        /// Word 1.
        reset: u32,
        /// What is wrong with them.
        reason: &'static str,
    },
}

/// What kind of fault ended a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// No row of the decoding table describes the opcode.
    #[error("unknown opcode {opcode}")]
    Unknown {
        /// The halfwords in hexadecimal.
        opcode: String,
    },
    /// The program executed UDF or another encoding that the architecture leaves undefined.
    #[error("undefined instruction")]
    Undefined,
    /// Nothing answers at the address.
    #[error("bus fault: {access} of {size} bytes at {address:#010x}, where nothing is")]
    Bus {
        /// What was tried.
        access: Access,
        /// Bytes.
        size: u32,
        /// Address.
        address: u32,
    },
    /// A store to read-only memory.
    #[error("bus fault: store to read-only memory at {address:#010x}")]
    ReadOnly {
        /// Address.
        address: u32,
    },
    /// An access that must be aligned was not (DDI 0403, A3.2.1).
    #[error("unaligned access at {address:#010x}")]
    Unaligned {
        /// Address.
        address: u32,
    },
    /// A branch to Arm state: bit 0 of the target is clear.
    #[error("branch to Arm state at {target:#010x}")]
    ArmState {
        /// The target as loaded.
        target: u32,
    },
    /// A floating-point instruction while CPACR denies access.
    #[error("floating-point instruction while the FPU is disabled (CPACR)")]
    NoFpu,
    /// Division by zero while CCR.DIV_0_TRP is set.
    #[error("division by zero")]
    DivideByZero,
    /// An exception return with an EXC_RETURN value that does not fit the state.
    #[error("bad exception return {value:#010x}")]
    ExceptionReturn {
        /// The value.
        value: u32,
    },
    /// BKPT with a number that is no service of the simulator.
    #[error("breakpoint {0:#04x}")]
    Breakpoint(u32),
    /// A semihosting call that is not offered.
    #[error("semihosting call {0:#04x} is not offered")]
    Semihosting(u32),
    /// An SVC, or a synchronous fault, at a priority that cannot take it.
    #[error("exception {0} cannot be taken at the current priority: hard fault")]
    Escalated(u16),
    /// The handler's vector is no code address.
    #[error("vector of exception {number} is {target:#010x}")]
    Vector {
        /// Exception number.
        number: u16,
        /// Word of the vector table.
        target: u32,
    },
    /// WFI or WFE with nothing left that could wake the core.
    #[error("sleeps for ever: nothing can wake the core")]
    Asleep,
    /// The program asked for a reset (AIRCR.SYSRESETREQ).
    #[error("the program asked for a system reset")]
    Reset,
}

/// Kinds of memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Instruction fetch.
    Fetch,
    /// Load.
    Load,
    /// Store.
    Store,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Fetch => "instruction fetch",
            Access::Load => "load",
            Access::Store => "store",
        })
    }
}

/// A fault with where it happened and the registers at that moment.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind} at pc {pc:#010x} (opcode {opcode}, {symbol})")]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// Address of the instruction.
    pub pc: u32,
    /// Its halfwords in hexadecimal, as far as they can be read.
    pub opcode: String,
    /// Function and offset, or `no symbol`.
    pub symbol: String,
    /// Registers before the instruction ended.
    pub registers: Registers,
    /// Cycles when it happened.
    pub cycles: u64,
}

/// The registers of the core as a debugger shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// R0 to R14 and the address of the instruction.
    pub r: [u32; 16],
    /// Program status: flags, IT state, exception number.
    pub xpsr: u32,
    /// Main stack pointer.
    pub msp: u32,
    /// Process stack pointer.
    pub psp: u32,
    /// Floating-point registers, bit patterns.
    pub s: [u32; 32],
    /// Floating-point status.
    pub fpscr: u32,
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in (0..16).zip(
            ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"].iter(),
        ) {
            write!(f, "  {name:>3} {:08x}{}", self.r[i], if i % 4 == 3 { "\n" } else { "" })?;
        }
        write!(f, "  xpsr {:08x}  msp {:08x}  psp {:08x}  fpscr {:08x}", self.xpsr, self.msp, self.psp, self.fpscr)
    }
}

/// Why an instruction did not complete; internal to the crate.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The program ended with a status.
    Exit(i32),
    /// A hooked address was reached.
    Hook,
    /// A fault.
    Fault(FaultKind),
}

/// Result of executing one instruction. The error is boxed to keep the good case in one register.
pub(crate) type Step<T = ()> = Result<T, Box<Stop>>;

/// Wraps a fault.
#[cold]
pub(crate) fn fault<T>(kind: FaultKind) -> Step<T> {
    Err(Box::new(Stop::Fault(kind)))
}
