use super::Unavailable;
use kemprof_core::Counter;
use std::hint::black_box;

/// What readings of a counter in a row tell of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The least step, in ticks.
    pub resolution: u64,
    /// The least ticks between two readings, one right after the other; 0 where steps are longer than a reading.
    pub read_ticks: u64,
}

/// Readings of either kind: one right after the other, and with work in between.
const READINGS: usize = 2048;
/// Readings of a counter that is exact, which tells no more when it is asked again.
const EXACT_READINGS: usize = 4;
/// Multiplications between two of the latter: at least 3 cycles each, so that all of them together take about
/// 2048 * 128 * 3 cycles, some 200 µs: 200 steps of the slowest timer in use, which counts 1 MHz.
const WORK: u64 = 128;

/// Reads `counter` many times, half of them with work in between.
///
/// The *resolution* of a counter that gave one value twice is its least step. One that never did is slower to read than
/// it steps, so that the least step would only be the time of a reading. There it is the greatest common divisor of the
/// steps with work in between: those right after each other may be smaller than the counter counts, as processors of AMD
/// add 1 to a time stamp that was read already, to keep it rising, though it otherwise moves on by 26 or so.
///
/// # Errors
/// [`Unavailable::WentBackwards`] or [`Unavailable::DidNotMove`].
pub fn check<C: Counter>(counter: &mut C) -> Result<Checked, Unavailable> {
    let readings = if counter.is_exact() { EXACT_READINGS } else { READINGS };
    let quick: Vec<_> = (0..readings).map(|_| counter.read()).collect();
    let spaced: Vec<_> = (0..readings as u64)
        .map(|seed| {
            work(seed);
            counter.read()
        })
        .collect();
    let (quick_steps, spaced_steps) = (steps(&quick)?, steps(&spaced)?);
    steps(&[quick[readings - 1], spaced[0]])?;
    let least = quick_steps.iter().copied().min().unwrap_or_default();
    let least_nonzero = quick_steps.iter().chain(&spaced_steps).copied().filter(|&step| step > 0).min();
    let Some(least_nonzero) = least_nonzero else {
        return Err(Unavailable::DidNotMove { value: quick[0], reads: 2 * readings });
    };
    let divisor = spaced_steps.into_iter().fold(0, greatest_common_divisor);
    Ok(Checked { resolution: if least == 0 { least_nonzero } else { divisor.max(1) }, read_ticks: least })
}

/// Something for the core to do that no compiler can shorten: it does not see the values.
fn work(seed: u64) {
    let mut value = black_box(seed | 1);
    for _ in 0..WORK {
        value = black_box(value.wrapping_mul(5));
    }
}

fn steps(readings: &[u64]) -> Result<Vec<u64>, Unavailable> {
    let step = |pair: &[u64]| {
        let (from, to) = (pair[0], pair[1]);
        to.checked_sub(from).ok_or(Unavailable::WentBackwards { from, to })
    };
    readings.windows(2).map(step).collect()
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;

    #[test]
    fn a_coarse_counter_has_the_resolution_of_its_least_step() {
        // 24 MHz shown as 1 GHz: steps of 41 or 42, several readings to a step.
        let mut mock = Mock::new((0..).map(|reading: u64| reading / 3 * 125 / 3));
        assert_eq!(check(&mut mock), Ok(Checked { resolution: 41, read_ticks: 0 }));
    }

    #[test]
    fn a_fine_counter_has_the_common_divisor_of_its_steps() {
        let mut even = Mock::new((0..).map(|reading: u64| 1000 + reading * 26 + reading % 2 * 4));
        assert_eq!(check(&mut even), Ok(Checked { resolution: 2, read_ticks: 22 }));
        let mut every = Mock::new((0..).map(|reading: u64| reading * 26 + reading % 2));
        assert_eq!(check(&mut every).map(|checked| checked.resolution), Ok(1));
    }

    #[test]
    fn a_counter_that_adds_one_to_stay_ahead_of_itself_is_not_finer_for_it() {
        // Steps of 26, of which every other quick reading finds the value of the one before and gets 1 more.
        let quick = (0..READINGS as u64).map(|reading| reading / 2 * 26 + reading % 2);
        let spaced = (READINGS as u64..).map(|reading| (reading * 7 + reading % 3) * 26);
        let checked = check(&mut Mock::new(quick.chain(spaced)));
        assert_eq!(checked, Ok(Checked { resolution: 26, read_ticks: 1 }));
    }

    #[test]
    fn a_constant_counter_did_not_move() {
        for value in [0, 7] {
            let refused = check(&mut Mock::new([value]));
            assert_eq!(refused, Err(Unavailable::DidNotMove { value, reads: 2 * READINGS }));
        }
    }

    #[test]
    fn one_step_back_is_enough_to_refuse() {
        let mut mock = Mock::new((0..4000).chain([3998]).chain(4000..));
        assert_eq!(check(&mut mock), Err(Unavailable::WentBackwards { from: 3999, to: 3998 }));
    }
}
