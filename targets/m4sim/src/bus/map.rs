//! The memory maps.

use super::Memory;

/// Contiguous memory.
#[derive(Default)]
pub(crate) struct Region {
    pub(crate) base: u32,
    pub(crate) data: Vec<u8>,
    /// Stores fault.
    pub(crate) read_only: bool,
    /// Offsets that hold decoded instructions: first, and one past the last.
    decoded: (usize, usize),
}

impl Region {
    fn new(base: u32, len: usize, read_only: bool) -> Self {
        Region { base, data: vec![0; len], read_only, decoded: (usize::MAX, 0) }
    }

    /// Offset of an address; beyond the length when the address is outside.
    #[inline(always)]
    pub(crate) fn offset(&self, address: u32) -> usize {
        address.wrapping_sub(self.base) as usize
    }

    /// Whether the address is inside.
    pub(crate) fn contains(&self, address: u32) -> bool {
        self.offset(address) < self.data.len()
    }

    /// `N` bytes at an address.
    #[inline(always)]
    pub(crate) fn get<const N: usize>(&self, address: u32) -> Option<&[u8; N]> {
        let at = self.offset(address);
        self.data.get(at..at + N)?.first_chunk()
    }

    /// Stores `N` bytes in writable memory unless they are outside or decoded code.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let at = self.offset(address);
        if at < self.decoded.1 && at + N > self.decoded.0 {
            return false;
        }
        let Some(place) = self.data.get_mut(at..at + N) else { return false };
        place.copy_from_slice(&bytes);
        true
    }

    /// Notes that the bytes from an offset on were decoded.
    pub(crate) fn mark_decoded(&mut self, at: usize, len: usize) {
        self.decoded = (self.decoded.0.min(at), self.decoded.1.max(at + len));
    }

    /// Whether a range of offsets touches decoded bytes.
    pub(crate) fn overlaps_decoded(&self, at: usize, len: usize) -> bool {
        at < self.decoded.1 && at + len > self.decoded.0
    }
}

/// Which board is simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Map {
    /// Arm MPS2 with AN386 (Application Note AN386, memory map): 4 MiB of writable code memory at 0, 4 MiB of RAM at
    /// 0x20000000, 16 MiB of PSRAM at 0x21000000, UART0 at 0x40004000; 25 MHz.
    #[default]
    Mps2An386,
    /// STM32F4 as the F407 and F429 have it (RM0090): 2 MiB of flash at 0x08000000, 192 KiB of RAM at 0x20000000 and
    /// CCM at 0x10000000 (64 KiB); 168 MHz. Of the peripherals only the clock tree, which says that all is ready; no alias of
    /// the flash at 0.
    Stm32F4,
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

impl Map {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Map::Mps2An386 => "mps2-an386",
            Map::Stm32F4 => "stm32f4",
        }
    }

    /// Core clock in Hz, for the services that tell time.
    pub const fn clock(self) -> u64 {
        match self {
            Map::Mps2An386 => 25_000_000,
            Map::Stm32F4 => 168_000_000,
        }
    }

    /// Bits of a priority that are implemented, and external interrupts.
    pub(crate) const fn interrupts(self) -> (u32, usize) {
        match self {
            Map::Mps2An386 => (3, 32), // CMSDK_CM4.h of the board's support package
            Map::Stm32F4 => (4, 91),   // PM0214, 4.3.7; RM0090, table 62
        }
    }

    /// Where the vector table is after reset.
    pub const fn vectors(self) -> u32 {
        match self {
            Map::Mps2An386 => 0,
            Map::Stm32F4 => 0x0800_0000,
        }
    }

    /// Empty memory.
    pub(crate) fn memory(self) -> Memory {
        let (sram, code, others) = match self {
            Map::Mps2An386 => (
                Region::new(0x2000_0000, 4 * MIB, false),
                Region::new(0, 4 * MIB, false),
                vec![Region::new(0x0100_0000, 16 * KIB, false), Region::new(0x2100_0000, 16 * MIB, false)],
            ),
            Map::Stm32F4 => (
                Region::new(0x2000_0000, 192 * KIB, false),
                Region::new(0x0800_0000, 2 * MIB, true),
                vec![Region::new(0x1000_0000, 64 * KIB, false)],
            ),
        };
        Memory { sram, code, others, stale: Vec::new() }
    }
}
