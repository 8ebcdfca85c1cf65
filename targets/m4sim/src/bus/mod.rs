//! Memory: regions of bytes, found fast for the two that matter, and the peripherals behind them.

mod apb;
mod map;
mod stm32;
mod system;

pub(crate) use apb::Peripherals;
pub use map::Map;
pub(crate) use map::Region;
pub use system::CycleCounter;
pub(crate) use system::{FPCCR_ASPEN, FPCCR_LSPACT, FPCCR_LSPEN, SVCALL, System, priority_group};

use crate::core::Core;
use crate::error::{Access, FaultKind, Step, fault};

/// Memory regions of a machine. The first two are tried first: data RAM and code memory.
pub(crate) struct Memory {
    pub(crate) sram: Region,
    pub(crate) code: Region,
    pub(crate) others: Vec<Region>,
    /// Code addresses that were overwritten since the decode cache last looked.
    pub(crate) stale: Vec<u32>,
}

impl Memory {
    /// All regions.
    pub(crate) fn regions(&self) -> impl Iterator<Item = &Region> {
        [&self.sram, &self.code].into_iter().chain(&self.others)
    }

    /// The region of an address.
    pub(crate) fn region_mut(&mut self, address: u32) -> Option<&mut Region> {
        [&mut self.sram, &mut self.code].into_iter().chain(&mut self.others).find(|r| r.contains(address))
    }

    /// Bytes at an address, without side effects; `None` outside the memory.
    pub(crate) fn bytes(&self, address: u32, len: usize) -> Option<&[u8]> {
        let region = self.regions().find(|r| r.contains(address))?;
        region.data.get(region.offset(address)..)?.get(..len)
    }

    /// Writes bytes whatever the region allows; `None` outside the memory.
    pub(crate) fn poke(&mut self, address: u32, bytes: &[u8]) -> Option<()> {
        let region = self.region_mut(address)?;
        let at = region.offset(address);
        region.data.get_mut(at..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let decoded = region.overlaps_decoded(at, bytes.len());
        if decoded {
            // The halfword before may be the first half of an instruction.
            let halfwords = (address & !1)..address + bytes.len() as u32;
            self.stale.push((address & !1).wrapping_sub(2));
            self.stale.extend(halfwords.step_by(2));
        }
        Some(())
    }
}

/// Loads and stores of the three sizes, generated for each with its array type.
macro_rules! accessors {
    ($load:ident, $store:ident, $type:ty, $size:literal) => {
        #[doc = concat!("Loads ", $size, " bytes, little-endian, at any alignment.")]
        #[inline(always)]
        pub(crate) fn $load(&mut self, address: u32) -> Step<u32> {
            if let Some(bytes) = self.mem.sram.get::<$size>(address) {
                return Ok(<$type>::from_le_bytes(*bytes).into());
            }
            if let Some(bytes) = self.mem.code.get::<$size>(address) {
                return Ok(<$type>::from_le_bytes(*bytes).into());
            }
            self.load_elsewhere(address, $size)
        }

        #[doc = concat!("Stores the low ", $size, " bytes of a value, little-endian, at any alignment.")]
        #[inline(always)]
        pub(crate) fn $store(&mut self, address: u32, value: u32) -> Step {
            if self.mem.sram.put(address, (value as $type).to_le_bytes()) {
                return Ok(());
            }
            self.store_elsewhere(address, value, $size)
        }
    };
}

impl Core {
    accessors!(load8, store8, u8, 1);
    accessors!(load16, store16, u16, 2);
    accessors!(load32, store32, u32, 4);

    /// Loads from the other regions, bit-band aliases and devices.
    #[cold]
    #[inline(never)]
    fn load_elsewhere(&mut self, address: u32, size: u32) -> Step<u32> {
        if let Some(bytes) = self.mem.bytes(address, size as usize) {
            return Ok(bytes.iter().rev().fold(0, |acc, &b| acc << 8 | u32::from(b)));
        }
        if let Some((target, bit)) = bit_band(address) {
            return Ok(self.load8(target)? >> bit & 1);
        }
        match self.device_load(address, size) {
            Some(value) => Ok(value),
            None => fault(FaultKind::Bus { access: Access::Load, size, address }),
        }
    }

    /// Stores to code (telling the decode cache), the other regions, bit-band aliases and devices.
    #[inline(never)]
    fn store_elsewhere(&mut self, address: u32, value: u32, size: u32) -> Step {
        if let Some(region) = self.mem.region_mut(address) {
            if region.read_only {
                return fault(FaultKind::ReadOnly { address });
            }
            return match self.mem.poke(address, &value.to_le_bytes()[..size as usize]) {
                Some(()) => {
                    if !self.mem.stale.is_empty() {
                        self.deadline = 0;
                    }
                    Ok(())
                }
                None => fault(FaultKind::Bus { access: Access::Store, size, address }),
            };
        }
        if let Some((target, bit)) = bit_band(address) {
            let old = self.load8(target)?;
            return self.store8(target, old & !(1 << bit) | (value & 1) << bit);
        }
        match self.device_store(address, value, size)? {
            Some(()) => Ok(()),
            None => fault(FaultKind::Bus { access: Access::Store, size, address }),
        }
    }
}

/// Byte and bit behind a bit-band alias (Cortex-M4 TRM, 3.7): one word for each bit of the first MiB of SRAM and of
/// the peripherals.
fn bit_band(address: u32) -> Option<(u32, u32)> {
    let base = match address >> 25 {
        0x11 => 0x2000_0000, // 0x22000000..0x24000000
        0x21 => 0x4000_0000, // 0x42000000..0x44000000
        _ => return None,
    };
    let offset = address & 0x01FF_FFFF;
    Some((base + offset / 32, offset / 4 % 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_make_every_halfword_they_touch_stale() {
        let mut memory = Map::Mps2An386.memory();
        memory.code.mark_decoded(0x100, 0x20);
        memory.poke(0x105, &[0; 4]).expect("memory");
        assert_eq!(memory.stale, [0x102, 0x104, 0x106, 0x108], "and the one before");
        memory.stale.clear();
        memory.poke(0x120, &[0; 4]).expect("memory");
        assert!(memory.stale.is_empty(), "behind the code");
    }

    #[test]
    fn bit_band_regions() {
        assert_eq!(bit_band(0x2200_0000), Some((0x2000_0000, 0)));
        assert_eq!(bit_band(0x23FF_FFFC), Some((0x200F_FFFF, 7)));
        assert_eq!(bit_band(0x4200_0024), Some((0x4000_0001, 1)));
        assert_eq!(bit_band(0x2400_0000), None);
    }
}
