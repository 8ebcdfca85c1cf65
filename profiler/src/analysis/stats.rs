//! Statistics of trials and samples: pure functions on slices.
//!
//! Those of nothing are `None`: there is no figure, rather than a 0. Outliers are counted and never dropped.

/// Values in ascending order, to take any number of percentiles from.
#[derive(Clone, Debug)]
pub struct Sorted(Vec<f64>);

impl Sorted {
    /// Sorts `values`, by total order (a NaN sorts last).
    #[must_use]
    pub fn new(values: &[f64]) -> Self {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// The value below which `percent` of 100 of the values lie, linearly interpolated between the two nearest (type 7 of
    /// Hyndman and Fan, 1996: 0 is the least, 100 the greatest). `percent` is clamped to 0..=100.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        let position = percent.clamp(0.0, 100.0) / 100.0 * last as f64;
        let below = position.floor() as usize;
        let above = (below + 1).min(last);
        let (low, high) = (self.0[below], self.0[above]);
        // Equal neighbours stay exactly what they are, whatever the fraction.
        Some(if low == high { low } else { low + (position - below as f64) * (high - low) })
    }

    /// The middle value, or the mean of the middle two.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        self.percentile(50.0)
    }

    /// The least value.
    #[must_use]
    pub fn min(&self) -> Option<f64> {
        self.0.first().copied()
    }

    /// The greatest value.
    #[must_use]
    pub fn max(&self) -> Option<f64> {
        self.0.last().copied()
    }

    /// How far values typically are from the median: the median of the distances. Half of all values can be wild without
    /// moving it far. Not scaled to a standard deviation.
    #[must_use]
    pub fn median_absolute_deviation(&self) -> Option<f64> {
        let median = self.median()?;
        let distances: Vec<_> = self.0.iter().map(|value| (value - median).abs()).collect();
        Self::new(&distances).median()
    }

    /// How many values lie further from the nearest quartile than [`FENCE`] times the distance between the quartiles
    /// (Tukey, *Exploratory Data Analysis*, 1977).
    #[must_use]
    pub fn outliers(&self) -> usize {
        let (Some(lower), Some(upper)) = (self.percentile(25.0), self.percentile(75.0)) else { return 0 };
        let reach = FENCE * (upper - lower);
        self.0.iter().filter(|&&value| value < lower - reach || value > upper + reach).count()
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Interquartile ranges beyond a quartile at which a value counts as an outlier.
pub const FENCE: f64 = 1.5;

/// What a set of measurements comes to.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Summary {
    /// How many.
    pub count: usize,
    /// The middle one.
    pub median: f64,
    /// The median distance from the median.
    pub median_absolute_deviation: f64,
    /// The least.
    pub min: f64,
    /// A twentieth of them are below.
    pub p5: f64,
    /// A quarter of them are below.
    pub p25: f64,
    /// A quarter of them are above.
    pub p75: f64,
    /// A twentieth of them are above.
    pub p95: f64,
    /// The greatest.
    pub max: f64,
    /// How many lie outside [`FENCE`]; they are part of all of the above.
    pub outliers: usize,
}

/// Sums up `values`; none where there are none.
#[must_use]
pub fn summarise(values: &[f64]) -> Option<Summary> {
    let sorted = Sorted::new(values);
    Some(Summary {
        count: sorted.count(),
        median: sorted.median()?,
        median_absolute_deviation: sorted.median_absolute_deviation()?,
        min: sorted.min()?,
        p5: sorted.percentile(5.0)?,
        p25: sorted.percentile(25.0)?,
        p75: sorted.percentile(75.0)?,
        p95: sorted.percentile(95.0)?,
        max: sorted.max()?,
        outliers: sorted.outliers(),
    })
}

/// An interval that a figure lies in with some confidence.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// How far it reaches from its middle.
    #[must_use]
    pub fn reach(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// A 95 % interval for the mean of what `values` were drawn from, by Student's t: mean ± t · s / √n. Of fewer than three there is
/// none: that of two is so wide that it says nothing.
///
/// The percentile bootstrap over five processes, which draws each of them 0 to 5 times, would hold the mean in 8 of 10 cases.
#[must_use]
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let count = values.len();
    if count < 3 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (count - 1) as f64).sqrt();
    let reach = student(count - 1) * deviation / (count as f64).sqrt();
    let interval = Interval { low: mean - reach, high: mean + reach };
    (interval.low.is_finite() && interval.high.is_finite()).then_some(interval)
}

/// The 97.5th percentile of Student's t with so many degrees of freedom (Abramowitz and Stegun, table 26.10, and from where that
/// ends formula 26.7.5).
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    const NORMAL: f64 = 1.959_964;
    if let Some(percentile) = freedom.checked_sub(1).and_then(|index| TABLE.get(index)) {
        return *percentile;
    }
    let (freedom, x) = (freedom as f64, NORMAL);
    x + (x.powi(3) + x) / (4.0 * freedom) + (5.0 * x.powi(5) + 16.0 * x.powi(3) + 3.0 * x) / (96.0 * freedom.powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;
    use kemprof_core::Counter;
    use proptest::prelude::*;

    #[test]
    fn hand_computed_values() {
        let sorted = Sorted::new(&[9.0, 2.0, 4.0, 4.0, 5.0, 7.0]);
        // Sorted: 2 4 4 5 7 9, positions 0 to 5.
        assert_eq!(sorted.median(), Some(4.5));
        assert_eq!((sorted.percentile(0.0), sorted.percentile(100.0)), (Some(2.0), Some(9.0)));
        // 25 % is position 1.25: between 4 and 4. 90 % is position 4.5: between 7 and 9.
        assert_eq!((sorted.percentile(25.0), sorted.percentile(90.0)), (Some(4.0), Some(8.0)));
        // Distances from 4.5: 0.5 0.5 0.5 2.5 2.5 4.5.
        assert_eq!(sorted.median_absolute_deviation(), Some(1.5));
        assert_eq!((sorted.min(), sorted.max(), sorted.count()), (Some(2.0), Some(9.0), 6));
        // Quartiles 4 and 6.5: fences at 0.25 and 10.25.
        assert_eq!(sorted.outliers(), 0);
        assert_eq!(Sorted::new(&[2.0, 4.0, 4.0, 5.0, 7.0, 30.0]).outliers(), 1);
    }

    #[test]
    fn nothing_has_no_statistics() {
        let nothing = Sorted::new(&[]);
        assert!(nothing.count() == 0 && nothing.outliers() == 0);
        assert_eq!((nothing.median(), nothing.min(), nothing.median_absolute_deviation()), (None, None, None));
        assert_eq!(summarise(&[]), None);
        assert_eq!((mean_interval(&[]), mean_interval(&[1.0, 2.0])), (None, None));
        assert_eq!(mean_interval(&[1.0, 2.0, f64::NAN]), None);
    }

    #[test]
    fn an_interval_by_hand() {
        // Mean 3, standard deviation √2.5, over √5: √0.5, times 2.776.
        let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let reach = 2.776 * 0.5_f64.sqrt();
        assert!((interval.low - 3.0 + reach).abs() < 1e-12 && (interval.high - 3.0 - reach).abs() < 1e-12);
        assert_eq!(mean_interval(&[-2.0; 7]), Some(Interval { low: -2.0, high: -2.0 }));
    }

    #[test]
    fn students_t_is_the_published_one() {
        for (freedom, expected) in [(4, 2.776), (10, 2.228), (11, 2.201), (30, 2.042), (120, 1.980), (400, 1.966)] {
            assert!((student(freedom) - expected).abs() < 3e-3, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn one_wild_trial_in_ten_is_reported_and_moves_no_median() {
        // Ten trials of 1000 ticks on a mock counter, give or take 2, one of them of 9000.
        let lengths = [1000, 1001, 999, 1000, 9000, 998, 1000, 1002, 1000, 1000];
        let mut now = 0;
        let mut counter = Mock::new(lengths.into_iter().flat_map(move |length| {
            now += length + 50;
            [now - length, now]
        }));
        let trials: Vec<_> = lengths
            .iter()
            .map(|_| {
                let start = counter.read();
                (counter.read() - start) as f64
            })
            .collect();
        let summary = summarise(&trials).unwrap();
        assert_eq!((summary.count, summary.median, summary.max), (10, 1000.0, 9000.0));
        assert_eq!((summary.median_absolute_deviation, summary.min), (0.5, 998.0));
        // Quartiles 1000 and 1000.75: fences at 998.875 and 1001.875, which 998, 1002 and 9000 lie outside.
        assert_eq!((summary.p25, summary.p75, summary.outliers), (1000.0, 1000.75, 3));
    }

    proptest! {
        #[test]
        fn percentiles_rise_and_stay_within_the_values(
            values in prop::collection::vec(-1e12..1e12, 1..60), a in 0.0..100.0, b in 0.0..100.0,
        ) {
            let sorted = Sorted::new(&values);
            let (low, high) = (sorted.percentile(f64::min(a, b)).unwrap(), sorted.percentile(f64::max(a, b)).unwrap());
            prop_assert!(sorted.min().unwrap() <= low && low <= high && high <= sorted.max().unwrap());
        }

        #[test]
        fn half_of_the_values_are_on_each_side_of_the_median(values in prop::collection::vec(-1e6..1e6, 1..60)) {
            let median = Sorted::new(&values).median().unwrap();
            let below = values.iter().filter(|&&value| value <= median).count();
            let above = values.iter().filter(|&&value| value >= median).count();
            prop_assert!(2 * below >= values.len() && 2 * above >= values.len());
        }

        #[test]
        fn order_does_not_matter_and_shifts_shift(values in prop::collection::vec(0_u32..1_000_000, 1..40)) {
            let values: Vec<_> = values.into_iter().map(f64::from).collect();
            let reversed: Vec<_> = values.iter().rev().copied().collect();
            prop_assert_eq!(summarise(&values), summarise(&reversed));
            let shifted: Vec<_> = values.iter().map(|value| value + 4096.0).collect();
            let (before, after) = (summarise(&values).unwrap(), summarise(&shifted).unwrap());
            prop_assert_eq!(after.median, before.median + 4096.0);
            prop_assert_eq!(after.median_absolute_deviation, before.median_absolute_deviation);
        }

        #[test]
        fn an_interval_is_around_the_mean(values in prop::collection::vec(-1e6..1e6, 3..60)) {
            let interval = mean_interval(&values).unwrap();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            prop_assert!(interval.low <= mean && mean <= interval.high);
        }
    }
}
