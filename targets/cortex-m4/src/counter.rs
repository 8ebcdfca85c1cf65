//! The cycle counter: DWT's CYCCNT, believed only after a test, and extended to 64 bits (DDI 0403, C1.8).
#![expect(
    unsafe_code,
    reason = "registers of the trace unit are read by address, and a loop is timed as it is written"
)]

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{DCB, DWT, SYST};
use cortex_m_rt::exception;
use kemprof_core::Counter;
use kemprof_m4::{loops, wide};
use kemprof_protocol::CounterLoop;

/// The lock of DWT, which most chips of this family do not have: LAR unlocks, LSR tells.
const LAR_KEY: u32 = 0xc5ac_ce55;
const LSR: *const u32 = 0xe000_1fb4 as *const u32;
const LSR_PRESENT: u32 = 1;
const LSR_LOCKED: u32 = 1 << 1;
/// DWT_CTRL.CYCCNTENA.
const CYCCNTENA: u32 = 1;
/// DEMCR, and its bit TRCENA.
const DEMCR: *const u32 = 0xe000_edfc as *const u32;
const TRCENA: u32 = 1 << 24;

/// Cycles from one look at CYCCNT to the next: as many as SysTick's 24 bits allow. What ends before is not interrupted.
const PERIOD: u32 = 1 << 24;
/// How late an exception may come: behind the longest instruction, at the slowest flash, with much to spare.
const TOLERANCE: u32 = 1 << 12;

/// Half periods of CYCCNT that SysTick's handler has seen.
static HALVES: AtomicU32 = AtomicU32::new(0);
/// CYCCNT when SysTick's handler last looked, or when SysTick was started.
static LOOKED: AtomicU32 = AtomicU32::new(0);
/// Looks that did not come when they should.
static DOUBTS: AtomicU32 = AtomicU32::new(0);

/// CYCCNT in 64 bits. All copies are one counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cycles(());

/// What the test of the counter measured.
pub(crate) struct Test {
    /// The counter, or what is wrong with it.
    pub(crate) verdict: Result<Cycles, &'static str>,
    /// The loops that were timed, of which there are none when the counter could not be started.
    pub(crate) loops: [Option<CounterLoop>; loops::ITERATIONS.len()],
}

/// Starts CYCCNT and tests it.
pub(crate) fn start(mut dcb: DCB, mut dwt: DWT) -> Test {
    let mut test = Test { verdict: Ok(Cycles(())), loops: [None; loops::ITERATIONS.len()] };
    if let Err(reason) = enable(&mut dcb, &mut dwt) {
        test.verdict = Err(reason);
        return test;
    }
    for (iterations, timed) in loops::ITERATIONS.into_iter().zip(&mut test.loops) {
        let ticks = time(iterations);
        let result = CounterLoop { iterations, least: loops::least(iterations), ticks };
        *timed = Some(result);
        if let Err(reason) = loops::check(result) {
            test.verdict = test.verdict.and(Err(reason));
        }
    }
    test
}

fn enable(dcb: &mut DCB, dwt: &mut DWT) -> Result<(), &'static str> {
    dcb.enable_trace();
    // SAFETY: DEMCR can be read at any time, without effect.
    if unsafe { DEMCR.read_volatile() } & TRCENA == 0 {
        return Err("DEMCR.TRCENA does not stay set: there is no trace unit, or a debugger holds it");
    }
    // SAFETY: LSR can be read at any time, without effect; where there is no lock it reads as zero.
    let lock = || unsafe { LSR.read_volatile() };
    if lock() & LSR_PRESENT != 0 {
        // SAFETY: the key unlocks DWT's registers, and does nothing else.
        unsafe { dwt.lar.write(LAR_KEY) };
        if lock() & LSR_LOCKED != 0 {
            return Err("DWT stays locked after its key was written");
        }
    }
    if !DWT::has_cycle_counter() {
        return Err("DWT_CTRL.NOCYCCNT: this processor has no cycle counter");
    }
    dwt.set_cycle_count(0);
    dwt.enable_cycle_counter();
    if dwt.ctrl.read() & CYCCNTENA == 0 {
        return Err("DWT_CTRL.CYCCNTENA does not stay set");
    }
    Ok(())
}

/// Cycles of a loop of a subtraction and a taken branch.
#[inline(never)]
fn time(iterations: u32) -> u32 {
    let start = DWT::cycle_count();
    // SAFETY: the loop counts a register of its own down and touches nothing else.
    unsafe {
        asm!("2:", "subs {left}, #1", "bne 2b", left = inout(reg) iterations => _, options(nomem, nostack));
    }
    DWT::cycle_count().wrapping_sub(start)
}

impl Cycles {
    /// The register as it is, whatever its test said: what it gives is sent only if the test was passed.
    pub(crate) const UNTESTED: Self = Self(());

    /// Begins an interval that will be timed: SysTick, which looks at CYCCNT, starts afresh.
    pub(crate) fn watch(self, syst: &mut SYST) {
        syst.disable_counter();
        syst.set_clock_source(SystClkSource::Core);
        syst.set_reload(PERIOD - 1);
        syst.clear_current();
        syst.enable_interrupt();
        let low = DWT::cycle_count();
        HALVES.store(wide::halves(HALVES.load(Ordering::Relaxed), low), Ordering::Relaxed);
        LOOKED.store(low, Ordering::Relaxed);
        syst.enable_counter();
    }

    /// Whether every look came when it should, since the program started.
    pub(crate) fn certain(self) -> Result<(), &'static str> {
        match DOUBTS.load(Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err("CYCCNT and SysTick disagree: CYCCNT stood, was set or wrapped unseen during a measurement"),
        }
    }
}

/// No interruptions until the next [`Cycles::watch`]. Nothing may be timed across it that takes half a period.
pub(crate) fn rest(syst: &mut SYST) {
    syst.disable_interrupt();
    syst.disable_counter();
}

impl Counter for Cycles {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        // In this order: see `wide`.
        let halves = HALVES.load(Ordering::Relaxed);
        wide::count(halves, DWT::cycle_count())
    }
}

#[exception]
fn SysTick() {
    let low = DWT::cycle_count();
    let elapsed = low.wrapping_sub(LOOKED.load(Ordering::Relaxed));
    LOOKED.store(low, Ordering::Relaxed);
    HALVES.store(wide::halves(HALVES.load(Ordering::Relaxed), low), Ordering::Relaxed);
    if !wide::on_time(elapsed, PERIOD, TOLERANCE) {
        DOUBTS.store(DOUBTS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}
