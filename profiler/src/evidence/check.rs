use super::Derived;
use super::record::{Evidence, SCHEMA};
use std::collections::BTreeSet;
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
    let mut found = Vec::new();
    if evidence.schema != SCHEMA {
        found.push(Violation::Schema(evidence.schema.clone()));
    }
    let mut range = |good: bool, field: &str, got: String, expected| {
        if !good {
            found.push(Violation::Range { field: field.to_owned(), got, expected });
        }
    };
    let unit = &evidence.counter.unit;
    range(
        ["cycles", "ticks", "ns", "instructions"].contains(&unit.as_str()),
        "counter.unit",
        format!("{unit:?}"),
        "cycles, ticks, ns or instructions",
    );
    let fixed_rate = ["tsc", "cntvct"].contains(&evidence.counter.name.as_str());
    range(!(fixed_rate && unit == "cycles"), "counter.unit", format!("{unit:?}"), "ticks: not the core clock");
    range(
        evidence.kat == "PASS" || evidence.kat.starts_with("NOT-APPLICABLE: "),
        "kat",
        format!("{:?}", evidence.kat),
        "PASS or NOT-APPLICABLE: and why",
    );
    let seed = &evidence.seed;
    range(hex::decode(seed).is_ok(), "seed", format!("{seed:?}"), "an even number of hexadecimal digits");
    range(evidence.profiled.operations > 0, "profiled.operations", "0".to_owned(), "at least 1");
    range(!evidence.calls.is_empty(), "calls", "empty".to_owned(), "at least one symmetric call");
    range(!evidence.phases.is_empty(), "phases", "empty".to_owned(), "at least the operation itself");
    let mut rows = BTreeSet::new();
    for call in &evidence.calls {
        let name = format!("{}/{} {} -> {}", call.function, call.role, call.in_bits, call.out_bits);
        range(call.calls > 0, &format!("calls of {name}"), "0".to_owned(), "at least 1");
        range(
            (0.0..=call.out_bits as f64 + 1e-6).contains(&call.used_bits),
            &format!("used_bits of {name}"),
            call.used_bits.to_string(),
            "0 to out_bits",
        );
        range(
            rows.insert((&call.function, &call.role, call.in_bits, call.out_bits)),
            &format!("row {name}"),
            "there twice".to_owned(),
            "one row for each function, role and lengths",
        );
        let parts: u64 = call.paths.iter().map(|part| part.calls).sum();
        range(parts == call.calls, &format!("calls by phase of {name}"), parts.to_string(), "as many as the row has");
        let parts: Option<u64> = call.paths.iter().map(|part| part.ticks).sum();
        range(
            parts == call.ticks,
            &format!("ticks by phase of {name}"),
            format!("{parts:?}"),
            "as many as the row has",
        );
    }
    for phase in &evidence.phases {
        range(!phase.path.is_empty(), "path of a phase", "empty".to_owned(), "at least one name");
    }
    range(
        evidence.trials.iter().chain(&evidence.profiled.trials).all(|trial| trial.operations > 0),
        "operations of a trial",
        "0".to_owned(),
        "at least 1",
    );
    if let Some(total) = evidence.profiled.ticks {
        let calls = evidence.calls.iter().map(|call| call.ticks);
        let parts: Option<u64> = calls.chain(evidence.phases.iter().map(|phase| phase.self_ticks)).sum();
        range(parts == Some(total), "the sum of all parts", format!("{parts:?}"), "profiled.ticks");
        range(total > 0, "profiled.ticks", "0".to_owned(), "null where the counter does not move");
    }
    found.extend(figures(evidence));
    found
}

/// Derived figures that differ from what the raw ones give.
fn figures(evidence: &Evidence) -> Vec<Violation> {
    let recomputed = Derived::of(&evidence.trials, &evidence.profiled, &evidence.calls);
    let (got, want) = (flat(&evidence.derived), flat(&recomputed));
    let fields: BTreeSet<&String> = got.keys().chain(want.keys()).collect();
    let differs = |field: &&String| match (got.get(*field), want.get(*field)) {
        (Some(Some(got)), Some(Some(want))) => (got - want).abs() > TOLERANCE * want.abs(),
        (got, want) => got != want,
    };
    let show = |figure: Option<&Option<f64>>| figure.copied().flatten().map_or("null".to_owned(), |x| x.to_string());
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
fn flat(derived: &Derived) -> std::collections::BTreeMap<String, Option<f64>> {
    let serde_json::Value::Object(fields) = serde_json::to_value(derived).unwrap_or_default() else {
        return Default::default();
    };
    let mut flat = std::collections::BTreeMap::new();
    for (name, value) in fields {
        if let serde_json::Value::Object(inner) = value {
            flat.extend(inner.into_iter().map(|(key, value)| (format!("{name}.{key}"), value.as_f64())));
        } else {
            flat.insert(name, value.as_f64());
        }
    }
    flat
}
