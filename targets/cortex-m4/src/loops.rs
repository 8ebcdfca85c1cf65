//! Whether to believe a cycle counter: loops whose cycles are known within bounds.

use kemprof_protocol::CounterLoop;

/// How often the test loops run.
pub const ITERATIONS: [u32; 3] = [100, 1000, 10_000];

/// Cycles of an iteration of a subtraction and a taken branch, at the least: 1, and 1 more than the refill of the pipeline,
/// which is 1 to 3 (Cortex-M4 Technical Reference Manual, DDI 0439, table 3-1).
const LEAST: u32 = 3;
/// And at the most, with every fetch from a flash of 16 wait states.
const MOST: u32 = 5 + 2 * 16;
/// The last branch is not taken, and costs 2 less.
const LAST: u32 = 2;
/// Reading the counter twice, and getting into the loop, at the most.
const AROUND: u32 = 400;

/// Cycles of a loop at the least.
#[must_use]
pub const fn least(iterations: u32) -> u32 {
    LEAST * iterations - LAST
}

/// What is wrong with what the counter said of a loop.
///
/// # Errors
/// In words.
pub fn check(timed: CounterLoop) -> Result<(), &'static str> {
    let CounterLoop { iterations, least, ticks } = timed;
    if ticks == 0 {
        Err("CYCCNT is enabled but does not move: an emulator without it, or its clock is off")
    } else if ticks < least {
        Err("CYCCNT counts fewer cycles than a loop has: it is not the core's clock")
    } else if ticks > MOST * iterations + AROUND {
        Err("CYCCNT counts more cycles than a loop can have: it is not the core's clock, or something interrupts")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_possible_is_believed() {
        for iterations in ITERATIONS {
            let least = least(iterations);
            let verdict = |ticks| check(CounterLoop { iterations, least, ticks });
            assert!(verdict(0).is_err_and(|reason| reason.contains("does not move")));
            assert!(verdict(1).is_err_and(|reason| reason.contains("fewer")));
            assert!(verdict(least - 1).is_err_and(|reason| reason.contains("fewer")));
            assert_eq!(verdict(least), Ok(()));
            assert_eq!(verdict(5 * iterations), Ok(()));
            assert!(verdict(50 * iterations).is_err_and(|reason| reason.contains("more")));
        }
    }
}
