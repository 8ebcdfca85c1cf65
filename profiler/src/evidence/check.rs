use super::record::{CallRow, Evidence, SCHEMA, Trial};
use super::{Derived, calm, coherence, events};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// A way in which a record breaks the contract.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Violation {
    /// Of another schema.
    #[error("schema is {0:?}, expected {SCHEMA:?}")]
    Schema(String),
    /// A field outside its range.
    #[error("{field} is {got}, expected {expected}")]
    Range {
        /// The field.
        field: String,
        /// Its value.
        got: String,
        /// What it may be.
        expected: &'static str,
    },
    /// A figure that does not follow from the raw ones.
    #[error("{field} is {got}, but the record's own trials and calls give {recomputed}")]
    NotDerived {
        /// The field.
        field: String,
        /// Its value.
        got: String,
        /// What the raw figures give.
        recomputed: String,
    },
}

/// Relative difference up to which recomputed figures agree: they went through decimal and back.
const TOLERANCE: f64 = 1e-9;

/// Everything that is wrong with a record; nothing for a good one.
#[must_use]
pub fn violations(evidence: &Evidence) -> Vec<Violation> {
    let mut found = Found(Vec::new());
    if evidence.schema != SCHEMA {
        found.0.push(Violation::Schema(evidence.schema.clone()));
    }
    found.in_what_ran(evidence);
    for call in &evidence.calls {
        found.in_call(call);
    }
    found.in_rows(evidence);
    found.in_operations(evidence);
    found.in_sums(evidence);
    found.0.extend(coherence::violations(evidence));
    found.0.extend(events::violations(evidence));
    found.0.extend(unprintable(evidence));
    found.0.extend(quietness(evidence));
    found.0.extend(figures(evidence));
    found.0
}

/// What is wrong, as far as the check has come.
struct Found(Vec<Violation>);

impl Found {
    /// One field: whether it is `good`, and else its value and what it may be.
    fn range(&mut self, good: bool, field: &str, got: String, expected: &'static str) {
        if !good {
            self.0.push(Violation::Range { field: field.to_owned(), got, expected });
        }
    }

    /// The fields that say what ran, and with which counter.
    fn in_what_ran(&mut self, evidence: &Evidence) {
        let unit = &evidence.counter.unit;
        self.range(
            ["cycles", "ticks", "ns", "instructions"].contains(&unit.as_str()),
            "counter.unit",
            format!("{unit:?}"),
            "cycles, ticks, ns or instructions",
        );
        self.range(evidence.counter.hz != Some(0), "counter.hz", "0".to_owned(), "a rate, or null");
        let fixed_rate = ["tsc", "tsc-fenced", "cntvct"].contains(&evidence.counter.name.as_str());
        self.range(!(fixed_rate && unit == "cycles"), "counter.unit", format!("{unit:?}"), "ticks: not the core clock");
        self.range(
            evidence.kat == "PASS" || evidence.kat.starts_with("NOT-APPLICABLE: "),
            "kat",
            format!("{:?}", evidence.kat),
            "PASS or NOT-APPLICABLE: and why",
        );
        let seed = &evidence.seed;
        self.range(hex::decode(seed).is_ok(), "seed", format!("{seed:?}"), "an even number of hexadecimal digits");
    }

    /// One row of calls by itself.
    fn in_call(&mut self, call: &CallRow) {
        let name = row_name(call);
        self.range(call.calls > 0, &format!("calls of {name}"), "0".to_owned(), "at least 1");
        self.range(
            (0.0..=call.out_bits as f64 + 1e-6).contains(&call.used_bits),
            &format!("used_bits of {name}"),
            call.used_bits.to_string(),
            "0 to out_bits",
        );
        self.range(
            (0.0..1e15).contains(&call.permutations),
            &format!("permutations of {name}"),
            call.permutations.to_string(),
            "a number of permutations",
        );
        let parts = total(call.paths.iter().map(|part| Some(part.calls)));
        let (field, got) = (format!("calls by phase of {name}"), format!("{parts:?}"));
        self.range(parts == Some(call.calls), &field, got, "as many as the row has");
        let parts = total(call.paths.iter().map(|part| part.ticks));
        let (field, got) = (format!("ticks by phase of {name}"), format!("{parts:?}"));
        self.range(parts == call.ticks, &field, got, "as many as the row has");
        let mean = call.ticks.map(|ticks| ticks as f64 / call.calls as f64);
        let (least, most) = (call.min.map(|min| min as f64 - 1.0), call.max.map(|max| max as f64 + 1.0));
        let ordered = mean.zip(least.zip(most)).is_none_or(|(mean, (least, most))| (least..=most).contains(&mean));
        let (field, got) = (format!("min and max of {name}"), format!("{:?} and {:?}", call.min, call.max));
        self.range(ordered, &field, got, "around the mean of the calls");
    }

    /// Rows as a table: there are some, and none twice.
    fn in_rows(&mut self, evidence: &Evidence) {
        self.range(!evidence.calls.is_empty(), "calls", "empty".to_owned(), "at least one symmetric call");
        self.range(!evidence.phases.is_empty(), "phases", "empty".to_owned(), "at least the operation itself");
        let mut rows = BTreeSet::new();
        for call in &evidence.calls {
            self.range(
                rows.insert((&call.function, &call.role, call.in_bits, call.out_bits)),
                &format!("row {}", row_name(call)),
                "there twice".to_owned(),
                "one row for each function, role and lengths",
            );
        }
        for phase in &evidence.phases {
            self.range(!phase.path.is_empty(), "path of a phase", "empty".to_owned(), "at least one name");
        }
    }

    /// Operations, which are those of the plan.
    fn in_operations(&mut self, evidence: &Evidence) {
        self.range(evidence.profiled.operations > 0, "profiled.operations", "0".to_owned(), "at least 1");
        let trials = || evidence.trials.iter().chain(&evidence.profiled.trials);
        let all = trials().all(|trial| trial.operations > 0);
        self.range(all, "operations of a trial", "0".to_owned(), "at least 1");
        let operations = |trials: &[Trial]| trials.iter().map(|trial| trial.operations).sum::<u64>();
        let planned = u64::from(evidence.plan.trials) * u64::from(evidence.plan.iterations_per_trial);
        for (field, got) in [
            ("operations of all trials", operations(&evidence.trials)),
            ("operations of all profiled trials", operations(&evidence.profiled.trials)),
            ("profiled.operations", evidence.profiled.operations),
        ] {
            self.range(got == planned, field, got.to_string(), "trials × iterations_per_trial of the plan");
        }
    }

    /// Totals, which are the sums of their parts.
    fn in_sums(&mut self, evidence: &Evidence) {
        for phase in &evidence.phases {
            let field = format!("ticks of phase {}", phase.path.join("/"));
            let inside = inclusive(evidence, &phase.path);
            self.range(
                phase.ticks == inside,
                &field,
                format!("{:?}", phase.ticks),
                "the sum of all that ran inside it",
            );
        }
        if let (Some(total), Some(raw)) = (evidence.profiled.ticks, evidence.profiled.raw_ticks) {
            // Rounding of each part may add up to more than what was subtracted.
            let slack = (evidence.calls.len() + evidence.phases.len()) as u64;
            self.range(total <= raw + slack, "profiled.raw_ticks", raw.to_string(), "at least profiled.ticks");
        }
        if let Some(total) = evidence.profiled.ticks {
            let calls = evidence.calls.iter().map(|call| call.ticks);
            let parts = self::total(calls.chain(evidence.phases.iter().map(|phase| phase.self_ticks)));
            self.range(parts == Some(total), "the sum of all parts", format!("{parts:?}"), "profiled.ticks");
            self.range(total > 0, "profiled.ticks", "0".to_owned(), "null where the counter does not move");
        }
    }
}

/// A row of calls, in messages.
fn row_name(call: &CallRow) -> String {
    format!("{}/{} {} -> {}", call.function, call.role, call.in_bits, call.out_bits)
}

/// The sum; `None` where any part is unknown, or where it is more than can be counted.
fn total(parts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    parts.into_iter().try_fold(0_u64, |sum, part| sum.checked_add(part?))
}

/// Fields whose text would do something to a terminal or break a line.
fn unprintable(evidence: &Evidence) -> Vec<Violation> {
    fn walk(value: &Value, path: &str, found: &mut Vec<Violation>) {
        match value {
            Value::String(text) if text.chars().any(char::is_control) => {
                let (field, got) = (path.to_owned(), format!("{text:?}"));
                found.push(Violation::Range { field, got, expected: "text on one line, without control characters" });
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| walk(item, &format!("{path}[{index}]"), found));
            }
            Value::Object(fields) => {
                fields.iter().for_each(|(name, item)| walk(item, &format!("{path}.{name}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(&serde_json::to_value(evidence).unwrap_or_default(), "", &mut found);
    found
}

/// Ticks of a phase with all phases and calls inside it.
fn inclusive(evidence: &Evidence, path: &[String]) -> Option<u64> {
    let phases = evidence.phases.iter().filter(|phase| phase.path.starts_with(path)).map(|phase| phase.self_ticks);
    let parts = evidence.calls.iter().flat_map(|call| &call.paths);
    total(phases.chain(parts.filter(|part| part.path.starts_with(path)).map(|part| part.ticks)))
}

/// Trials that are not as quiet as what was seen during them says.
fn quietness(evidence: &Evidence) -> Vec<Violation> {
    let (mut trials, mut profiled) = (evidence.trials.clone(), evidence.profiled.trials.clone());
    calm::mark(&mut trials, &mut profiled);
    let recorded = [("trials", &evidence.trials, trials), ("profiled.trials", &evidence.profiled.trials, profiled)];
    let differs = recorded.into_iter().flat_map(|(name, recorded, marked)| {
        let pairs = recorded.iter().zip(marked).enumerate();
        let wrong = pairs.filter(|(_, (recorded, marked))| recorded.quiet != marked.quiet);
        let wrong = wrong.map(|(index, (recorded, marked))| Violation::NotDerived {
            field: format!("{name}[{index}].quiet"),
            got: format!("{:?}", recorded.quiet),
            recomputed: format!("{:?}", marked.quiet),
        });
        wrong.collect::<Vec<_>>()
    });
    differs.collect()
}

/// Derived figures that differ from what the raw ones give.
fn figures(evidence: &Evidence) -> Vec<Violation> {
    let recomputed = Derived::of(&evidence.trials, &evidence.profiled, &evidence.calls);
    let (got, want) = (flat(&evidence.derived), flat(&recomputed));
    let fields: BTreeSet<&String> = got.keys().chain(want.keys()).collect();
    let close = |got: f64, want: f64| (got - want).abs() <= TOLERANCE * want.abs();
    let differs = |field: &&String| match (got.get(*field), want.get(*field)) {
        (Some(Value::Number(got)), Some(Value::Number(want))) => {
            !got.as_f64().zip(want.as_f64()).is_some_and(|(got, want)| close(got, want))
        }
        (got, want) => got.unwrap_or(&Value::Null) != want.unwrap_or(&Value::Null),
    };
    let show = |figure: Option<&Value>| figure.unwrap_or(&Value::Null).to_string();
    fields
        .into_iter()
        .filter(differs)
        .map(|field| Violation::NotDerived {
            field: field.clone(),
            got: show(got.get(field)),
            recomputed: show(want.get(field)),
        })
        .collect()
}

/// The figures by their names in the record.
fn flat(derived: &Derived) -> BTreeMap<String, Value> {
    fn walk(name: String, value: Value, flat: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(fields) => {
                let prefix = if name.is_empty() { name } else { name + "." };
                fields.into_iter().for_each(|(key, value)| walk(format!("{prefix}{key}"), value, flat));
            }
            value => drop(flat.insert(name, value)),
        }
    }
    let mut flat = BTreeMap::new();
    walk(String::new(), serde_json::to_value(derived).unwrap_or_default(), &mut flat);
    flat
}
