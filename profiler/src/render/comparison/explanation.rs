//! Where prediction and measurement differ.

use crate::analysis::comparison::{Comparison, Deviation};
use crate::evidence::CounterRecord;
use crate::render::units::{count, percent, times};
use serde::Serialize;
use std::fmt;

/// Where prediction and measurement differ, or why there are none. In JSON it is one text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(into = "String")]
pub struct Explanation {
    /// What there is to explain.
    pub what: String,
    /// What the records say of it, the most important first.
    pub reasons: Vec<String>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.reasons.join("; "))
    }
}

impl From<Explanation> for String {
    fn from(explanation: Explanation) -> Self {
        explanation.to_string()
    }
}

/// What is to be said of a comparison; nothing where prediction and measurement agree.
pub(super) fn words(comparison: &Comparison, counter: &CounterRecord) -> Option<Explanation> {
    let missing = |what: &str, reason: String| Some(Explanation { what: what.to_owned(), reasons: vec![reason] });
    let Some(measured) = comparison.measured else {
        let reason = counter.unavailable.as_deref().unwrap_or("it gave no ticks");
        return missing("no speedups", format!("counter {} is unavailable ({reason})", counter.name));
    };
    let Some(predicted) = comparison.predicted else {
        return missing("no prediction", "a function that the first variant calls was not timed alone".to_owned());
    };
    if !comparison.disagrees() {
        return None;
    }
    let mut reasons: Vec<String> = comparison.deviations.iter().map(|part| deviation(part, &counter.unit)).collect();
    if (measured.p25..=measured.p75).contains(&predicted) {
        let (low, high) = (times(measured.p25), times(measured.p75));
        reasons.push(format!("half of the trials lie between {low} and {high}, too far apart to tell"));
    }
    let excess = predicted / measured.median - 1.0;
    let direction = if excess > 0.0 { "more" } else { "less" };
    Some(Explanation { what: format!("takes {} {direction} than predicted", percent(excess.abs())), reasons })
}

fn deviation(Deviation { part, predicted, measured }: &Deviation, unit: &str) -> String {
    format!("{part} {} {unit} instead of {}", count(*measured), count(*predicted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::stats::summarise;

    fn counter(unavailable: Option<&str>) -> CounterRecord {
        CounterRecord {
            name: "tsc".to_owned(),
            unit: "ticks".to_owned(),
            hz: None,
            resolution: None,
            overhead_per_call: None,
            meaningful: true,
            unavailable: unavailable.map(str::to_owned),
            refused: Default::default(),
        }
    }

    fn said(measured: &[f64], predicted: Option<f64>, deviations: Vec<Deviation>) -> Option<String> {
        let comparison = Comparison { measured: summarise(measured), predicted, deviations };
        words(&comparison, &counter(None)).map(String::from)
    }

    #[test]
    fn agreement_needs_no_words() {
        assert_eq!(said(&[5.0, 5.1], Some(5.2), Vec::new()), None);
    }

    #[test]
    fn differences_are_said_with_their_direction_and_parts() {
        let ntt = Deviation { part: "the scheme's own work in ntt".to_owned(), predicted: 1000.0, measured: 2000.0 };
        let matrix = Deviation { part: "shake128 for matrix".to_owned(), ..ntt.clone() };
        assert_eq!(
            said(&[4.0], Some(5.0), vec![ntt.clone(), matrix]).expect("differs"),
            "takes 25.0 % more than predicted: the scheme's own work in ntt 2.00 k ticks instead of 1.00 k; shake128 for \
             matrix 2.00 k ticks instead of 1.00 k"
        );
        let less = said(&[5.0], Some(4.0), vec![ntt]).expect("differs");
        assert!(less.starts_with("takes 20.0 % less than predicted: "), "{less}");
    }

    #[test]
    fn trials_that_disagree_are_a_reason_too() {
        let text = said(&[3.0, 4.0, 6.0], Some(4.9), Vec::new()).expect("differs");
        assert!(text.contains("half of the trials lie between 3.50 × and 5.00 ×, too far apart to tell"), "{text}");
    }

    #[test]
    fn what_is_missing_is_said_with_the_reason() {
        let none = Comparison::default();
        assert_eq!(
            words(&none, &counter(Some("no counter was asked for"))).expect("has no figures").to_string(),
            "no speedups: counter tsc is unavailable (no counter was asked for)"
        );
        assert!(said(&[5.0], None, Vec::new()).expect("has no prediction").starts_with("no prediction: "));
    }
}
