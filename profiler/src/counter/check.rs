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

/// Readings that are looked at, and how many of them have no work in between.
const READINGS: usize = 4096;
/// Multiplications between two of the other readings: at least 3 cycles each, so that all of them together take about
/// 2048 * 128 * 3 cycles, some 200 µs: 200 steps of the slowest timer in use, which counts 1 MHz.
const WORK: u64 = 128;

/// Reads `counter` many times, half of them with work in between.
///
/// The *resolution* of a counter that gave one value twice is its least step. One that never did is slower to read than
/// it steps, so that the least step would only be the time of a reading: there it is the greatest common divisor of all
/// steps.
///
/// # Errors
/// [`Unavailable::WentBackwards`] or [`Unavailable::DidNotMove`].
pub fn check<C: Counter>(counter: &mut C) -> Result<Checked, Unavailable> {
    let mut readings = Vec::with_capacity(READINGS);
    for index in 0..READINGS {
        if index >= READINGS / 2 {
            work(index as u64);
        }
        readings.push(counter.read());
    }
    judge(&readings)
}

fn work(seed: u64) {
    // Multiplication by 5 modulo a power of 2 never ends in a fixed point that a compiler could skip to.
    let mut value = black_box(seed | 1);
    for _ in 0..WORK {
        value = black_box(value.wrapping_mul(5));
    }
}

fn judge(readings: &[u64]) -> Result<Checked, Unavailable> {
    let mut least = u64::MAX;
    let mut least_nonzero = u64::MAX;
    let mut divisor = 0;
    for pair in readings.windows(2) {
        let &[from, to] = pair else { continue };
        let step = to.checked_sub(from).ok_or(Unavailable::WentBackwards { from, to })?;
        least = least.min(step);
        if step > 0 {
            least_nonzero = least_nonzero.min(step);
        }
        divisor = greatest_common_divisor(divisor, step);
    }
    if divisor == 0 {
        let value = readings.first().copied().unwrap_or_default();
        return Err(Unavailable::DidNotMove { value, reads: readings.len() });
    }
    Ok(Checked { resolution: if least == 0 { least_nonzero } else { divisor }, read_ticks: least })
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
    fn a_constant_counter_did_not_move() {
        for value in [0, 7] {
            let refused = check(&mut Mock::new([value]));
            assert_eq!(refused, Err(Unavailable::DidNotMove { value, reads: READINGS }));
        }
    }

    #[test]
    fn one_step_back_is_enough_to_refuse() {
        let mut mock = Mock::new((0..4000).chain([3998]).chain(4000..));
        assert_eq!(check(&mut mock), Err(Unavailable::WentBackwards { from: 3999, to: 3998 }));
    }
}
