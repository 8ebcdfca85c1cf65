//! Boards that the firmware is built for. The firmware's build reads this file by itself, so that it needs nothing else.

/// A board's memory, as its firmware uses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardMemory {
    /// The board's name in requests to the build, answers and evidence.
    pub name: &'static str,
    /// Flash: address and length in bytes.
    pub flash: (u32, u32),
    /// RAM: address and length in bytes.
    pub ram: (u32, u32),
}

const KIB: u32 = 1 << 10;

/// Every board, the default first. All have at least 128 KiB of RAM in one piece, and all of it is used that is in that piece; the
/// MPS2 is given no more than the smallest, so that what fits there fits everywhere.
pub const BOARDS: &[BoardMemory] = &[
    // Application Note AN386, memory map: 4 MiB each.
    BoardMemory { name: "mps2-an386", flash: (0x0000_0000, 4096 * KIB), ram: (0x2000_0000, 128 * KIB) },
    // RM0390, 2.2.2: SRAM1 and SRAM2 are contiguous.
    BoardMemory { name: "nucleo-f446ze", flash: (0x0800_0000, 512 * KIB), ram: (0x2000_0000, 128 * KIB) },
    // RM0090, 2.3.1: STM32F407VG; SRAM1 and SRAM2 are contiguous, the CCM is elsewhere.
    BoardMemory { name: "stm32f4discovery", flash: (0x0800_0000, 1024 * KIB), ram: (0x2000_0000, 128 * KIB) },
    // RM0432, 2.3: SRAM1, the first of three.
    BoardMemory { name: "nucleo-l4r5zi", flash: (0x0800_0000, 2048 * KIB), ram: (0x2000_0000, 192 * KIB) },
];
