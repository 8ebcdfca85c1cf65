//! What calls of a hash function cost by themselves.

use super::stats::Summary;
use crate::evidence::CounterRecord;
use serde::Serialize;

/// Which length of a call its cost is divided by: the longer one, which its time goes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Bytes that are absorbed.
    Input,
    /// Bytes that are squeezed or generated.
    Output,
}

/// Why calls of these sizes were timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A length of the NICCS guide.
    Guide,
    /// Schemes make them.
    Schemes,
}

/// Calls of one function at one shape. Ticks, bytes and permutations are of one call; where several run together, of one of
/// them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HashCost {
    /// The backend.
    pub backend: &'static str,
    /// The function that ran.
    #[serde(rename = "fn")]
    pub function: &'static str,
    /// What it is used for.
    pub role: &'static str,
    /// Why it was timed.
    pub origin: Origin,
    /// The schemes that call it so: all, or with one way of sampling (`lwekem256 eager`).
    pub used_by: Vec<String>,
    /// Bytes in.
    pub in_bytes: usize,
    /// Bytes out.
    pub out_bytes: usize,
    /// Messages that ran together.
    pub lanes: usize,
    /// Which permutation (or compression).
    pub permutation: &'static str,
    /// How many of them ran; what a batch shares is spread over its messages.
    pub permutations: f64,
    /// Ticks, the median of the samples.
    pub per_call: f64,
    /// The median distance of the samples from it, in ticks.
    pub deviation: f64,
    /// Ticks of a byte of `per_byte_of`.
    pub per_byte: Option<f64>,
    /// The longer of input and output.
    pub per_byte_of: Side,
    /// Ticks of a permutation.
    pub per_permutation: Option<f64>,
    /// Calls in each sample.
    pub calls_per_sample: u64,
    /// Samples that the figures are of: the quiet ones where there are enough, else all.
    pub samples: usize,
    /// Samples during which the physical core was the program's alone. None where nothing tells.
    pub quiet_samples: Option<usize>,
}

/// The value of [`HashRecord::schema`].
pub const SCHEMA: &str = "kemprof-hash/1";

/// What calls of functions cost, and all that is needed to check and repeat it: the file of `kemprof bench-hash`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HashRecord {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The target triple of the code that ran.
    pub target: String,
    /// What ran it.
    pub runner: String,
    /// Where ticks come from.
    pub counter: CounterRecord,
    /// The machine, the build and the command.
    pub environment: serde_json::Value,
    /// What makes these figures less than they should be, in words.
    pub warnings: Vec<String>,
    /// Calls that could have been timed and were not asked for.
    pub left_out: usize,
    /// The calls.
    pub rows: Vec<HashCost>,
}

/// The side of a call that its cost is divided by, and ticks of a byte and of a permutation.
#[must_use]
pub fn rates(ticks: f64, in_bytes: usize, out_bytes: usize, permutations: f64) -> (Side, Option<f64>, Option<f64>) {
    let (side, bytes) = if out_bytes > in_bytes { (Side::Output, out_bytes) } else { (Side::Input, in_bytes) };
    let per = |count: f64| (count > 0.0).then(|| ticks / count);
    (side, per(bytes as f64), per(permutations))
}

/// Ticks of one of `lanes` messages, from those of all.
#[must_use]
pub fn per_lane(ticks: &Summary, lanes: usize) -> (f64, f64) {
    (ticks.median / lanes as f64, ticks.median_absolute_deviation / lanes as f64)
}

#[cfg(test)]
mod tests {
    use super::super::stats::summarise;
    use super::*;

    #[test]
    fn bytes_are_those_of_the_longer_side() {
        assert_eq!(rates(3000.0, 35, 1500, 48.0), (Side::Output, Some(2.0), Some(62.5)));
        assert_eq!(rates(3000.0, 1500, 32, 0.0), (Side::Input, Some(2.0), None));
        assert_eq!(rates(320.0, 32, 32, 2.0).0, Side::Input);
        assert_eq!(rates(1.0, 0, 0, 1.0), (Side::Input, None, Some(1.0)));
    }

    #[test]
    fn a_batch_shares_its_ticks() {
        let summary = summarise(&[800.0, 816.0, 808.0]).expect("has values");
        assert_eq!(per_lane(&summary, 8), (101.0, 1.0));
    }
}
