//! What an operation would take if parts of it were faster: Amdahl's law over the pieces of a record.

use super::amdahl::Ceiling;
use super::parts::{Piece, part_of_role, pieces, scale};
use crate::evidence::Evidence;
use serde::Serialize;
use std::collections::BTreeSet;
use std::str::FromStr;
use thiserror::Error;

/// A supposition: the part called `key` is `factor` times as fast. Written `xof=4`, `noise=inf`.
#[derive(Clone, PartialEq, Debug)]
pub struct Speed {
    /// A role, part, function or phase.
    pub key: String,
    /// How many times as fast: above 0, and infinite where the part costs nothing.
    pub factor: f64,
}

/// The least factor: a part can be supposed to be so much slower and no more, so that all figures stay finite.
const LEAST_FACTOR: f64 = 1e-9;

/// Why there is no prediction.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum WhatIfError {
    /// Not `KEY=FACTOR`.
    #[error("{0:?} is not of the form KEY=FACTOR, as in xof=4 or noise=inf")]
    Malformed(String),
    /// Not a factor.
    #[error("{factor:?} in {text:?} is not a speed: expected a positive number (4 is four times as fast) or inf")]
    NotASpeed {
        /// What stands after the `=`.
        factor: String,
        /// The whole option.
        text: String,
    },
    /// Nothing in the record is called so.
    #[error("nothing in {run} is called {key:?}; there are {}", known.join(", "))]
    Unmatched {
        /// The key.
        key: String,
        /// Instance and operation.
        run: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Two keys mean the same time.
    #[error("{piece} is meant by {first:?} and by {second:?}: give each part of the time one speed")]
    Twice {
        /// What is meant twice.
        piece: String,
        /// The first key.
        first: String,
        /// The second key.
        second: String,
    },
    /// The record has no ticks.
    #[error("{run} has no ticks to predict from: it was recorded without a working counter")]
    NoTicks {
        /// Instance and operation.
        run: String,
    },
}

impl FromStr for Speed {
    type Err = WhatIfError;

    fn from_str(text: &str) -> Result<Self, WhatIfError> {
        let malformed = || WhatIfError::Malformed(text.to_owned());
        let (key, factor) = text.split_once('=').ok_or_else(malformed)?;
        let (key, factor) = (key.trim(), factor.trim());
        if key.is_empty() || factor.is_empty() {
            return Err(malformed());
        }
        let not_a_speed = || WhatIfError::NotASpeed { factor: factor.to_owned(), text: text.to_owned() };
        let factor: f64 = factor.parse().map_err(|_| not_a_speed())?;
        // A NaN is in no range.
        if !(LEAST_FACTOR..=f64::INFINITY).contains(&factor) {
            return Err(not_a_speed());
        }
        Ok(Self { key: key.to_owned(), factor })
    }
}

/// Part of an operation, now and as it is supposed to be. Ticks are of one operation without probes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PartPrediction {
    /// The key; `None` for all that no key means.
    pub key: Option<String>,
    /// Share of the operation now.
    pub share: f64,
    /// How many times as fast; `None` for infinitely.
    pub speed: Option<f64>,
    /// Ticks now.
    pub before: f64,
    /// Ticks then.
    pub after: f64,
    /// How many times as fast the whole operation would be if this part alone cost nothing; `None` for infinitely.
    pub ceiling: Option<f64>,
}

/// What an operation would take.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Prediction {
    /// The KEM.
    pub instance: String,
    /// The operation.
    pub operation: String,
    /// Unit of all ticks.
    pub unit: String,
    /// Each supposition in turn, then the rest.
    pub parts: Vec<PartPrediction>,
    /// Ticks of an operation now: the median without probes.
    pub before: f64,
    /// Ticks of an operation then.
    pub after: f64,
    /// How many times as fast the operation would be; `None` for infinitely.
    pub speedup: Option<f64>,
    /// Share of all symmetric functions but the generator now.
    pub hash_share_before: f64,
    /// Their share then; `None` when nothing is left to have a share of.
    pub hash_share_after: Option<f64>,
    /// How many times as fast the operation would be if all these parts cost nothing; `None` for infinitely.
    pub ceiling: Option<f64>,
    /// What other symmetric functions can give at most.
    pub without_symmetric: Ceiling,
}

impl Piece<'_> {
    /// Everything that this piece may be called: its role, part and function, or its phase by name, by path, and by the path
    /// inside the operation.
    fn keys(&self) -> Vec<String> {
        match (self.call, self.path) {
            (Some(call), _) => {
                vec![call.role.clone(), part_of_role(&call.role).to_owned(), call.function.clone()]
            }
            (None, []) => Vec::new(),
            (None, path @ [.., leaf]) => vec![leaf.clone(), path.join("/"), path[1..].join("/")],
        }
    }

    fn describe(&self) -> String {
        match self.call {
            Some(call) => format!("{} for {}", call.function, call.role),
            None => format!("the phase {}", self.path.join("/")),
        }
    }
}

/// `before / after`, unless nothing is left.
fn ratio(before: f64, after: f64) -> Option<f64> {
    (after > 0.0).then(|| before / after)
}

/// Predicts what the operation of a record takes under these suppositions. A phase is its own time, as in the table of a
/// profile: without the phases and symmetric calls inside it.
///
/// # Errors
/// When a key means nothing or what another means already, or the record has no ticks.
pub fn predict(evidence: &Evidence, speeds: &[Speed]) -> Result<Prediction, WhatIfError> {
    let run = format!("{} {}", evidence.instance, evidence.operation);
    let scale = scale(evidence).ok_or_else(|| WhatIfError::NoTicks { run: run.clone() })?;
    let without_symmetric = Ceiling::of(evidence).ok_or_else(|| WhatIfError::NoTicks { run: run.clone() })?;
    let pieces = pieces(evidence);
    let places = pieces.iter().map(|piece| place(piece, speeds)).collect::<Result<Vec<_>, _>>()?;
    if let Some(missed) = (0..speeds.len()).find(|&speed| !places.contains(&Some(speed))) {
        return Err(WhatIfError::Unmatched { key: speeds[missed].key.clone(), run, known: known(&pieces) });
    }
    // One place for each speed, and one for the rest.
    let (mut before, mut hash_before, mut hash_after) = (vec![0.0; speeds.len() + 1], 0.0, 0.0);
    for (piece, place) in pieces.iter().zip(places) {
        let ticks = piece.ticks.unwrap_or_default() as f64 * scale;
        before[place.unwrap_or(speeds.len())] += ticks;
        if piece.call.is_some_and(|call| !call.is_generator()) {
            hash_before += ticks;
            hash_after += ticks / place.map_or(1.0, |place| speeds[place].factor);
        }
    }
    let total: f64 = before.iter().sum();
    let suppositions = speeds.iter().map(|speed| (Some(speed.key.as_str()), speed.factor)).chain([(None, 1.0)]);
    let parts: Vec<PartPrediction> = suppositions.zip(&before).map(|(of, &before)| part(of, before, total)).collect();
    let after: f64 = parts.iter().map(|part| part.after).sum();
    Ok(Prediction {
        instance: evidence.instance.clone(),
        operation: evidence.operation.to_string(),
        unit: evidence.counter.unit.clone(),
        ceiling: ratio(total, before[speeds.len()]),
        speedup: ratio(total, after),
        hash_share_before: hash_before / total,
        hash_share_after: (after > 0.0).then(|| hash_after / after),
        before: total,
        after,
        parts,
        without_symmetric,
    })
}

/// Which of the speeds means this piece.
fn place(piece: &Piece<'_>, speeds: &[Speed]) -> Result<Option<usize>, WhatIfError> {
    let keys = piece.keys();
    // Tables call a phase's own time `dec itself` where there are phases inside it.
    let called = |key: &str| {
        let own = key.strip_suffix(" itself").filter(|_| piece.call.is_none());
        keys.iter().any(|name| name == key || Some(name.as_str()) == own)
    };
    let mut means = (0..speeds.len()).filter(|&speed| called(&speeds[speed].key));
    match (means.next(), means.next()) {
        (Some(first), Some(second)) => {
            let [first, second] = [first, second].map(|speed| speeds[speed].key.clone());
            Err(WhatIfError::Twice { piece: piece.describe(), first, second })
        }
        (place, _) => Ok(place),
    }
}

fn part((key, factor): (Option<&str>, f64), before: f64, total: f64) -> PartPrediction {
    PartPrediction {
        key: key.map(str::to_owned),
        share: before / total,
        speed: factor.is_finite().then_some(factor),
        before,
        after: before / factor,
        ceiling: ratio(total, total - before),
    }
}

/// Every name that means something: roles, parts and functions, then phases by name.
fn known(pieces: &[Piece<'_>]) -> Vec<String> {
    let (calls, phases): (Vec<&Piece<'_>>, Vec<_>) = pieces.iter().partition(|piece| piece.call.is_some());
    let calls: BTreeSet<String> = calls.iter().flat_map(|piece| piece.keys()).collect();
    let phases: BTreeSet<String> = phases.iter().filter_map(|piece| piece.path.last().cloned()).collect();
    calls.into_iter().chain(phases).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn speeds(texts: &[&str]) -> Vec<Speed> {
        texts.iter().map(|text| text.parse().expect("is a speed")).collect()
    }

    fn predicted(texts: &[&str]) -> Prediction {
        predict(&sample::evidence(), &speeds(texts)).expect("has a prediction")
    }

    fn refused(texts: &[&str]) -> String {
        predict(&sample::evidence(), &speeds(texts)).expect_err("has none").to_string()
    }

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-9, "{got}, expected {want}");
    }

    /// 900 ticks without probes where the pieces have 1000: every piece counts nine tenths.
    #[test]
    fn amdahls_law_over_the_median_without_probes() {
        let prediction = predicted(&["xof=4", "noise=inf"]);
        close(prediction.before, 900.0);
        close(prediction.after, 900.0 - 540.0 + 135.0 - 90.0);
        close(prediction.speedup.expect("is finite"), 900.0 / 405.0);
        close(prediction.hash_share_before, 0.8);
        // 135 for the matrix and 90 for g and h remain.
        close(prediction.hash_share_after.expect("something remains"), 225.0 / 405.0);
        close(prediction.ceiling.expect("is finite"), 1.0 / 0.3);
        let [xof, noise, rest] = prediction.parts.as_slice() else { panic!("{prediction:?}") };
        close(xof.share, 0.6);
        close(xof.ceiling.expect("is finite"), 1.0 / 0.4);
        assert_eq!((xof.speed, noise.speed, rest.speed), (Some(4.0), None, Some(1.0)));
        assert_eq!((noise.after, rest.key.as_deref()), (0.0, None));
        close(rest.before, 270.0);
        close(rest.after, 270.0);
    }

    #[test]
    fn without_a_supposition_nothing_changes() {
        let prediction = predicted(&[]);
        assert_eq!(
            (prediction.before, prediction.speedup, prediction.ceiling),
            (prediction.after, Some(1.0), Some(1.0))
        );
    }

    #[test]
    fn a_key_is_a_role_a_part_a_function_or_a_phase() {
        for (key, ticks) in [
            ("matrix", 600.0),
            ("xof", 600.0),
            ("pseudoXOF", 700.0),
            ("prf", 100.0),
            ("hash", 100.0),
            ("g", 50.0),
            ("pseudohash", 100.0),
            ("drng", 20.0),
            ("entropy", 20.0),
            ("ntt", 80.0),
            ("encrypt/ntt", 30.0),
            ("enc/ntt", 50.0),
            ("enc/encrypt/ntt", 30.0),
            // The phase itself, without the calls in it.
            ("sample_matrix", 60.0),
            ("enc", 40.0),
        ] {
            let prediction = predicted(&[&format!("{key}=inf")]);
            close(prediction.parts[0].before, 0.9 * ticks);
        }
    }

    #[test]
    fn slower_is_a_speed_too() {
        let prediction = predicted(&["ntt=0.5"]);
        close(prediction.after, 900.0 + 72.0);
        assert!(prediction.speedup.is_some_and(|speedup| speedup < 1.0));
    }

    #[test]
    fn when_everything_is_free_there_is_no_limit_and_no_share() {
        let all = [
            "matrix=inf",
            "noise=inf",
            "hash=inf",
            "drng=inf",
            "enc=inf",
            "encrypt=inf",
            "sample_matrix=inf",
            "ntt=inf",
        ];
        let prediction = predicted(&all);
        assert_eq!((prediction.after, prediction.speedup, prediction.ceiling), (0.0, None, None));
        assert_eq!(prediction.hash_share_after, None);
    }

    #[test]
    fn what_is_no_speed_is_refused() {
        let refused = |text: &str| text.parse::<Speed>().expect_err("is no speed").to_string();
        for text in ["xof", "", "=4", "xof=", " = "] {
            assert!(refused(text).contains("not of the form KEY=FACTOR"), "{text:?}: {}", refused(text));
        }
        for text in ["xof=0", "xof=-1", "xof=nan", "xof=-inf", "xof=fast", "xof=4=5", "xof=1e-320", "xof=-0"] {
            assert!(refused(text).contains("expected a positive number"), "{text:?}: {}", refused(text));
        }
        assert_eq!(" xof = inf ".parse(), Ok(Speed { key: "xof".to_owned(), factor: f64::INFINITY }));
    }

    #[test]
    fn a_key_that_means_nothing_is_refused_with_those_that_do() {
        let message = refused(&["xof=2", "j=2"]);
        assert!(message.starts_with("nothing in lwekem256 enc is called \"j\"; there are "), "{message}");
        for name in ["matrix", "prf", "pseudohash", "drng", "sample_matrix"] {
            assert!(message.contains(name), "{message}");
        }
    }

    #[test]
    fn time_that_two_keys_mean_is_refused() {
        assert!(
            refused(&["matrix=2", "prf=3", "xof=4"])
                .contains("pseudoXOF for matrix is meant by \"matrix\" and by \"xof\"")
        );
        assert!(refused(&["ntt=2", "enc/ntt=4"]).contains("the phase enc/ntt is meant by"));
        assert!(refused(&["g=2", "g=2"]).contains("pseudohash for g is meant by \"g\" and by \"g\""));
    }

    #[test]
    fn without_ticks_there_is_no_prediction() {
        let error = predict(&sample::without_ticks(), &speeds(&["xof=2"])).expect_err("has none");
        assert_eq!(error, WhatIfError::NoTicks { run: "lwekem256 enc".to_owned() });
    }
}
