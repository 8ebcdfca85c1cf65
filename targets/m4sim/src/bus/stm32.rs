//! Clock tree of the STM32F4 (RM0090, RM0390): registers keep what is written, and everything that is switched on is ready at
//! once. Nothing runs faster or slower for it: cycles are what is counted, and wait states are the user's to set.

/// Reset and clock control, the flash's interface, and power control.
const RCC: u32 = 0x4002_3800;
const FLASH: u32 = 0x4002_3C00;
const PWR: u32 = 0x4000_7000;

const RCC_CR: u32 = RCC;
const RCC_CFGR: u32 = RCC + 0x08;
/// The last register of RCC, DCKCFGR2.
const RCC_LAST: u32 = RCC + 0x94;
const FLASH_ACR: u32 = FLASH;
const PWR_CR: u32 = PWR;
const PWR_CSR: u32 = PWR + 0x04;

/// RCC_CR: what is switched on, each with its ready flag one bit higher: HSI, HSE, the PLLs.
const ON: u32 = 1 | 1 << 16 | 1 << 24 | 1 << 26 | 1 << 28;
/// RCC_CFGR.SW, which SWS shows two bits higher.
const SWITCH: u32 = 0b11;
/// FLASH_ACR: wait states, prefetch, caches and their resets.
const ACR_WRITABLE: u32 = 0x1F0F;
/// PWR_CR.ODEN and ODSWEN, which PWR_CSR shows at the same places.
const OVER_DRIVE: u32 = 0b11 << 16;
/// PWR_CSR.VOSRDY.
const VOS_READY: u32 = 1 << 14;

/// The registers.
pub(crate) struct ClockTree {
    rcc: [u32; ((RCC_LAST - RCC) / 4 + 1) as usize],
    flash_acr: u32,
    pwr_cr: u32,
}

impl ClockTree {
    /// As the chip comes out of reset: HSI on, and the core's clock (RM0390, 6.3).
    pub(crate) const RESET: Self = {
        let mut rcc = [0; ((RCC_LAST - RCC) / 4 + 1) as usize];
        rcc[0] = 0x80 | 1;
        rcc[1] = 0x2400_3010; // PLLCFGR
        Self { rcc, flash_acr: 0, pwr_cr: 0xC000 }
    };

    /// A word; `None` where there is no such register.
    pub(super) fn load(&self, address: u32) -> Option<u32> {
        Some(match address {
            RCC..=RCC_LAST => {
                let value = self.rcc[((address - RCC) / 4) as usize];
                match address {
                    RCC_CR => value | (value & ON) << 1,
                    RCC_CFGR => value & !(SWITCH << 2) | (value & SWITCH) << 2,
                    _ => value,
                }
            }
            FLASH_ACR => self.flash_acr,
            PWR_CR => self.pwr_cr,
            PWR_CSR => VOS_READY | self.pwr_cr & OVER_DRIVE,
            _ => return None,
        })
    }

    /// Stores a word; `None` where there is no such register.
    pub(super) fn store(&mut self, address: u32, value: u32) -> Option<()> {
        match address {
            RCC..=RCC_LAST => {
                let read_only = if address == RCC_CR { ON << 1 } else { 0 };
                self.rcc[((address - RCC) / 4) as usize] = value & !read_only;
            }
            FLASH_ACR => self.flash_acr = value & ACR_WRITABLE,
            PWR_CR => self.pwr_cr = value,
            PWR_CSR => {}
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_switched_on_is_ready_and_what_is_not_is_not() {
        let mut tree = ClockTree::RESET;
        assert_eq!(tree.load(RCC_CR), Some(0x83));
        tree.store(RCC_CR, 1 << 24 | 1 << 17);
        assert_eq!(tree.load(RCC_CR), Some(0b11 << 24));
        tree.store(RCC_CFGR, 0b10 | 1 << 3);
        assert_eq!(tree.load(RCC_CFGR), Some(0b1010));
        tree.store(RCC_CFGR, 0b11 << 2);
        assert_eq!(tree.load(RCC_CFGR), Some(0));
        assert_eq!(tree.load(PWR_CSR), Some(VOS_READY));
        tree.store(PWR_CR, 1 << 16);
        assert_eq!(tree.load(PWR_CSR), Some(VOS_READY | 1 << 16));
        tree.store(FLASH_ACR, u32::MAX);
        assert_eq!(tree.load(FLASH_ACR), Some(ACR_WRITABLE));
    }

    #[test]
    fn there_is_nothing_else() {
        let mut tree = ClockTree::RESET;
        for address in [0x4000_0000, RCC - 4, RCC_LAST + 4, FLASH + 4, PWR + 8] {
            assert_eq!((tree.load(address), tree.store(address, 1)), (None, None), "{address:#x}");
        }
    }
}
