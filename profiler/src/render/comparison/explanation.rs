//! Why prediction and measurement differ, in words.

use crate::analysis::comparison::Comparison;
use crate::analysis::deviation::{Cause, Change, Deviation, Part};
use crate::evidence::CounterRecord;
use crate::render::units::{calls, count, percent, times};
use crate::words::plural;
use serde::Serialize;
use std::fmt;

/// Why prediction and measurement differ, or why there are none. In JSON it is one text.
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

fn deviation(deviation: &Deviation, unit: &str) -> String {
    let part = match &deviation.part {
        Part::Calls { function, role } => format!("{function} for {role}"),
        Part::Phase(name) => format!("the scheme's own work in {name}"),
    };
    let (got, expected) = (count(deviation.measured), count(deviation.predicted));
    let cause = cause(deviation.cause).map(|cause| format!(" ({cause})")).unwrap_or_default();
    format!("{part} {got} {unit} instead of {expected}{cause}")
}

fn cause(cause: Cause) -> Option<String> {
    let change = |Change { got, expected }, what: &str| format!("{} {what} instead of {}", count(got), count(expected));
    Some(match cause {
        Cause::New => "not called by the first".to_owned(),
        Cause::Gone => "called by the first alone".to_owned(),
        Cause::Calls(Change { got, expected }) => {
            format!("{} instead of {}", plural(calls(got), "call"), calls(expected))
        }
        Cause::Output(bits) => change(bits, "bits of output"),
        Cause::Inside { inside, alone, lanes } => {
            let together = if lanes > 1 { format!(", up to {lanes} together") } else { String::new() };
            format!("{} a call in the scheme and {} alone{together}", count(inside), count(alone))
        }
        Cause::FirstInside { inside, alone } => {
            format!(
                "as it costs alone, but the first's costs {} a call in the scheme and {} alone",
                count(inside),
                count(alone)
            )
        }
        Cause::Entered(Change { got, expected }) => {
            format!("entered {} instead of {}", plural(calls(got), "time"), calls(expected))
        }
        Cause::Read(bits) => change(bits, "bits of candidates"),
        Cause::Together(Change { got, expected }) => {
            format!("up to {} at once instead of {}", plural(calls(got), "message"), calls(expected))
        }
        Cause::SameRead(bits) => format!("the same {} bits of output read", count(bits)),
        Cause::SameWork => return None,
    })
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

    fn phase(cause: Cause) -> Deviation {
        Deviation { part: Part::Phase("ntt".to_owned()), predicted: 1000.0, measured: 2000.0, cause }
    }

    #[test]
    fn agreement_needs_no_words() {
        assert_eq!(said(&[5.0, 5.1], Some(5.2), Vec::new()), None);
    }

    #[test]
    fn differences_are_said_with_their_direction_and_parts() {
        assert_eq!(
            said(&[4.0], Some(5.0), vec![phase(Cause::SameWork)]).expect("differs"),
            "takes 25.0 % more than predicted: the scheme's own work in ntt 2.00 k ticks instead of 1.00 k"
        );
        let calls = Part::Calls { function: "shake128".to_owned(), role: "matrix".to_owned() };
        let cause = Cause::Inside { inside: 200.0, alone: 100.0, lanes: 4 };
        let both = vec![phase(Cause::SameRead(1890.0)), Deviation { part: calls, cause, ..phase(cause) }];
        assert_eq!(
            said(&[5.0], Some(4.0), both).expect("differs"),
            "takes 20.0 % less than predicted: the scheme's own work in ntt 2.00 k ticks instead of 1.00 k (the same 1.89 k \
             bits of output read); shake128 for matrix 2.00 k ticks instead of 1.00 k (200 a call in the scheme and \
             100 alone, up to 4 together)"
        );
    }

    #[test]
    fn trials_that_disagree_are_a_reason_too() {
        let text = said(&[3.0, 4.0, 6.0], Some(4.9), Vec::new()).expect("differs");
        assert!(text.contains("half of the trials lie between 3.50 × and 5.00 ×, too far apart to tell"), "{text}");
    }

    #[test]
    fn every_cause_reads_as_a_remark() {
        let change = Change { got: 20.0, expected: 10.0 };
        for (one, expected) in [
            (Cause::New, "not called by the first"),
            (Cause::Gone, "called by the first alone"),
            (Cause::Calls(change), "20 calls instead of 10"),
            (Cause::Output(change), "20 bits of output instead of 10"),
            (Cause::Inside { inside: 2.0, alone: 1.0, lanes: 1 }, "2 a call in the scheme and 1 alone"),
            (Cause::Entered(change), "entered 20 times instead of 10"),
            (Cause::Read(change), "20 bits of candidates instead of 10"),
            (Cause::Together(change), "up to 20 messages at once instead of 10"),
        ] {
            assert_eq!(cause(one).expect("is said"), expected);
        }
        let one = cause(Cause::Together(Change { got: 1.0, expected: 10.0 })).expect("is said");
        assert_eq!(one, "up to 1 message at once instead of 10");
        let first = cause(Cause::FirstInside { inside: 2.0, alone: 1.0 }).expect("is said");
        assert!(first.contains("the first's costs 2 a call in the scheme and 1 alone"), "{first}");
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
