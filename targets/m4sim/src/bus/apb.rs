//! Peripherals of the boards, as far as programs without drivers use them: UART and GPIO of the MPS2, the clock tree of the
//! STM32F4.

use super::Map;
use super::stm32::ClockTree;
use crate::semihost::Host;

/// UART0 of the CMSDK (Application Note AN386, table 4-1).
const UART0: u32 = 0x4000_4000;
/// First of the four GPIO blocks, 4 KiB each.
const GPIO0: u32 = 0x4001_0000;
const GPIO_END: u32 = 0x4001_4000;
/// LEDs, counters and switches.
const FPGAIO: u32 = 0x4002_8000;
/// Serial configuration controller.
const SCC: u32 = 0x4002_F000;
/// Size of a peripheral's page.
const PAGE: u32 = 0x1000;

/// Registers of the peripherals.
pub(crate) struct Peripherals {
    map: Map,
    uart_ctrl: u32,
    uart_bauddiv: u32,
    /// Output enable and alternate function of the four GPIO blocks.
    gpio: [[u32; 3]; 4],
    leds: u32,
    clock_tree: ClockTree,
}

impl Peripherals {
    pub(crate) fn new(map: Map) -> Self {
        Peripherals { map, uart_ctrl: 0, uart_bauddiv: 0, gpio: [[0; 3]; 4], leds: 0, clock_tree: ClockTree::RESET }
    }

    /// Word of a peripheral; `None` where there is none.
    pub(crate) fn load(&self, address: u32, now: u64) -> Option<u32> {
        if self.map == Map::Stm32F4 {
            return self.clock_tree.load(address);
        }
        Some(match address {
            _ if in_page(address, UART0) => match address - UART0 {
                0x8 => self.uart_ctrl,
                0x10 => self.uart_bauddiv,
                _ => 0, // never full, nothing received, no interrupt
            },
            GPIO0..GPIO_END => {
                let block = &self.gpio[((address - GPIO0) / PAGE) as usize];
                match address & (PAGE - 1) {
                    0x0 | 0x4 => block[0],
                    0x10 | 0x14 => block[1],
                    0x18 | 0x1C => block[2],
                    _ => 0,
                }
            }
            _ if in_page(address, FPGAIO) => {
                let clock = self.map.clock();
                match address - FPGAIO {
                    0x00 => self.leds,
                    0x10 => (now / clock) as u32,         // CLK1HZ
                    0x14 => (now / (clock / 100)) as u32, // CLK100HZ
                    _ => 0,
                }
            }
            _ if in_page(address, SCC) => 0,
            _ => return None,
        })
    }

    /// Stores a word; `None` where there is no peripheral.
    pub(crate) fn store(&mut self, address: u32, value: u32, host: &mut Host) -> Option<()> {
        if self.map == Map::Stm32F4 {
            return self.clock_tree.store(address, value);
        }
        match address {
            _ if in_page(address, UART0) => match address - UART0 {
                0x0 => host.console.write(&[value as u8]),
                0x8 => self.uart_ctrl = value & 0x7F,
                0x10 => self.uart_bauddiv = value,
                _ => {}
            },
            GPIO0..GPIO_END => {
                let block = &mut self.gpio[((address - GPIO0) / PAGE) as usize];
                match address & (PAGE - 1) {
                    0x4 => block[0] = value,
                    0x10 => block[1] |= value,
                    0x14 => block[1] &= !value,
                    0x18 => block[2] |= value,
                    0x1C => block[2] &= !value,
                    _ => {}
                }
            }
            _ if in_page(address, FPGAIO) => {
                if address == FPGAIO {
                    self.leds = value;
                }
            }
            _ if in_page(address, SCC) => {}
            _ => return None,
        }
        Some(())
    }
}

fn in_page(address: u32, base: u32) -> bool {
    address & !(PAGE - 1) == base
}
