use super::Glance;
use crate::analysis::stats::Sorted;
use serde::{Deserialize, Serialize};

/// One sample with what the probe saw right before and right after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timed {
    /// The figure, in any unit.
    pub value: f64,
    /// Before.
    pub before: Glance,
    /// After.
    pub after: Glance,
}

/// Samples taken apart by whether the core was shared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QuietSplit {
    /// The median of the quiet samples, or of all where there are none.
    pub figure: f64,
    /// The median of all samples.
    pub median_of_all: f64,
    /// How many samples were quiet from before to after.
    pub quiet: usize,
    /// How many there were.
    pub all: usize,
    /// Additions for each cycle at and above which a core counts as quiet.
    pub limit: f64,
    /// What a reader must be told, where anything.
    pub warning: Option<String>,
}

/// The part of the best throughput from which a core counts as quiet: above the half that a neighbour leaves, with room for
/// interrupts below the whole.
pub const QUIET_SHARE: f64 = 0.8;
/// The percentile that stands for the best: an interrupt within the chain makes a glance look better than can be.
const BEST: f64 = 98.0;
/// Quiet samples below which a median says little.
const FEW: usize = 5;
/// Additions for each cycle that every core of the last decade reaches when it is alone. (In cycles of the chain; on cores
/// with slower multiplication the figure is lower, see [`Glance::core_mhz`].)
const ALONE: f64 = if cfg!(target_arch = "x86_64") { 3.0 } else { 1.0 };

/// Takes `samples` apart. The limit is [`QUIET_SHARE`] of the best throughput among the samples themselves. None where there
/// are no samples.
#[must_use]
pub fn split(samples: &[Timed]) -> Option<QuietSplit> {
    let glances: Vec<_> =
        samples.iter().flat_map(|sample| [sample.before.adds_per_cycle, sample.after.adds_per_cycle]).collect();
    let best = Sorted::new(&glances).percentile(BEST)?;
    let limit = QUIET_SHARE * best;
    let is_quiet = |sample: &&Timed| sample.before.adds_per_cycle.min(sample.after.adds_per_cycle) >= limit;
    let quiet: Vec<_> = samples.iter().filter(is_quiet).map(|sample| sample.value).collect();
    let values: Vec<_> = samples.iter().map(|sample| sample.value).collect();
    let median_of_all = Sorted::new(&values).median()?;
    let warning = if best < ALONE {
        Some(format!(
            "the core was never seen alone (at best {best:.1} additions a cycle): a neighbour shares it all the time, and \
             figures may be up to twice too high"
        ))
    } else if quiet.len() < FEW.min(samples.len()) {
        Some(format!(
            "only {} of {} samples were quiet: a neighbour shares the core; run again later, or longer",
            quiet.len(),
            samples.len()
        ))
    } else {
        None
    };
    Some(QuietSplit {
        figure: Sorted::new(&quiet).median().unwrap_or(median_of_all),
        median_of_all,
        quiet: quiet.len(),
        all: samples.len(),
        limit,
        warning,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn glance(adds_per_cycle: f64) -> Glance {
        Glance { adds_per_cycle, core_mhz: 3000.0 }
    }

    fn sample(value: f64, before: f64, after: f64) -> Timed {
        Timed { value, before: glance(before), after: glance(after) }
    }

    #[test]
    fn the_quiet_median_is_the_figure() {
        // Twice as slow in the shared two thirds, and one sample during which a neighbour came.
        let mut samples = vec![sample(1900.0, 2.0, 2.1); 13];
        samples.extend([1000.0, 1001.0, 1002.0, 1003.0, 1004.0, 1005.0].map(|value| sample(value, 3.9, 4.0)));
        samples.push(sample(1500.0, 3.9, 2.0));
        let split = split(&samples).unwrap();
        assert_eq!((split.figure, split.median_of_all, split.quiet, split.all), (1002.5, 1900.0, 6, 20));
        assert!((split.limit - 3.2).abs() < 1e-9 && split.warning.is_none(), "{split:?}");
    }

    #[test]
    fn too_few_quiet_samples_are_a_warning() {
        let mut samples = vec![sample(1900.0, 2.0, 2.1); 18];
        samples.extend([sample(1000.0, 4.0, 4.0), sample(1002.0, 4.0, 4.0)]);
        let split = split(&samples).unwrap();
        assert_eq!((split.figure, split.quiet), (1001.0, 2));
        assert!(split.warning.unwrap().starts_with("only 2 of 20 samples were quiet"));
    }

    #[test]
    fn without_a_quiet_sample_the_figure_is_of_all_and_says_so() {
        let samples = [sample(10.0, 4.0, 2.0), sample(30.0, 2.0, 4.0)];
        let split = split(&samples).unwrap();
        assert_eq!((split.figure, split.quiet), (20.0, 0));
        assert!(split.warning.unwrap().starts_with("only 0 of 2"));
    }

    #[test]
    fn one_impossible_glance_does_not_raise_the_limit() {
        let mut samples = vec![sample(1000.0, 4.0, 4.0); 100];
        samples.push(sample(1000.0, 95.0, 4.0));
        assert_eq!(split(&samples).unwrap().quiet, 101);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_core_that_is_never_alone_is_known() {
        let split = split(&[sample(1900.0, 2.0, 2.0); 20]).unwrap();
        assert_eq!(split.quiet, 20);
        assert!(split.warning.unwrap().contains("never seen alone"));
    }

    #[test]
    fn nothing_is_split_into_nothing() {
        assert_eq!(split(&[]), None);
    }
}
