//! Holds a record against itself and the built-in tables, field by field as [`relations`] has it.

mod code;
mod demand;
mod facts;
mod relations;
#[cfg(test)]
mod tests;

use super::record::Evidence;
use facts::Facts;
use kemprof_core::recorder::NODES;
use relations::{RELATIONS, Relation, Rule};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use thiserror::Error;

/// A field that contradicts the rest of its record, or a built-in table.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{field} is {got}, expected {expected}: {source_in_words}")]
pub struct Violation {
    /// The field, e.g. `calls[0].ticks`; `calls#` is the length of a list.
    pub field: String,
    /// Its value.
    pub got: String,
    /// What it should be.
    pub expected: String,
    /// What it follows from.
    pub source_in_words: &'static str,
}

/// Relative difference up to which recomputed figures agree. Files keep every bit, so that only the order of a sum may differ.
const TOLERANCE: f64 = 1e-12;

/// Rows that a record may have, with their parts: several times what a recorder has room for. Each is held against all others.
const ROWS: usize = 8 * NODES;

/// Everything that is wrong with a record; nothing for a good one.
#[must_use]
pub fn violations(evidence: &Evidence) -> Vec<Violation> {
    let rows = evidence.phases.len() + evidence.calls.iter().map(|call| 1 + call.paths.len()).sum::<usize>();
    if rows > ROWS {
        return vec![Violation {
            field: "calls# with phases#".to_owned(),
            got: rows.to_string(),
            expected: format!("at most {ROWS}"),
            source_in_words: "the room that a recorder has",
        }];
    }
    let facts = Facts::of(evidence);
    let got = serde_json::to_value(evidence).unwrap_or_default();
    let mut walk = Walk { facts: &facts, leaf: Leaf::default(), known: HashMap::new(), found: Vec::new() };
    walk.value(&got, &facts.recomputed());
    walk.found
}

/// What a field is called, on the way through a record.
#[derive(Clone, Debug, Default)]
struct Leaf {
    /// With its indices: `calls[0].ticks`.
    path: String,
    /// Without: `calls[].ticks`.
    pattern: String,
    /// The indices.
    at: Vec<usize>,
}

struct Walk<'a> {
    facts: &'a Facts<'a>,
    leaf: Leaf,
    /// Relations by pattern, as far as they were looked up: trials are many, and alike.
    known: HashMap<String, Option<&'static Relation>>,
    found: Vec<Violation>,
}

impl Walk<'_> {
    /// Goes into a value that should be `want`.
    fn value(&mut self, got: &Value, want: &Value) {
        match (got, want) {
            (Value::Object(got), Value::Object(want)) => {
                let missing = want.keys().filter(|name| !got.contains_key(*name));
                for name in got.keys().chain(missing) {
                    let null = &Value::Null;
                    self.inside(name, |walk| walk.value(got.get(name).unwrap_or(null), want.get(name).unwrap_or(null)));
                }
            }
            (Value::Array(got), Value::Array(want)) => {
                self.named("#", |walk| walk.leaf(&got.len().into(), &want.len().into()));
                for (index, item) in got.iter().enumerate() {
                    self.indexed(index, |walk| walk.value(item, want.get(index).unwrap_or(&Value::Null)));
                }
            }
            // A group of figures that should not be there, or is not.
            (Value::Object(_) | Value::Array(_), _) => {
                let relation = self.relation();
                self.differs(got, want, relation);
            }
            _ => self.leaf(got, want),
        }
    }

    /// Holds a value without parts against its relation.
    fn leaf(&mut self, got: &Value, want: &Value) {
        let relation = self.relation();
        if !same(got, want) {
            return self.differs(got, want, relation);
        }
        if let Value::String(text) = got
            && text.chars().any(char::is_control)
        {
            return self.report(got, "text on one line, without control characters".to_owned(), relation);
        }
        let Some(known) = relation else { return };
        match &known.rule {
            Rule::Bounded(bounds) => {
                let Some((least, most)) = bounds(self.facts, &self.leaf.at) else { return };
                if !got.as_f64().is_some_and(|got| (least..=most).contains(&got)) {
                    let most = if most < f64::INFINITY { format!(" to {most}") } else { " or more".to_owned() };
                    self.report(got, format!("{least}{most}"), relation);
                }
            }
            Rule::Text(good) => {
                if got.as_str().is_some_and(|text| !good(self.facts, &self.leaf.at, text)) {
                    self.report(got, "another".to_owned(), relation);
                }
            }
            Rule::Follows | Rule::Free => {}
        }
    }

    /// The relation of the field.
    fn relation(&mut self) -> Option<&'static Relation> {
        if let Some(known) = self.known.get(&self.leaf.pattern) {
            return *known;
        }
        let found = relation(&self.leaf.pattern);
        self.known.insert(self.leaf.pattern.clone(), found);
        found
    }

    fn differs(&mut self, got: &Value, want: &Value, relation: Option<&'static Relation>) {
        let want = if want.is_object() { "an object".to_owned() } else { want.to_string() };
        self.report(got, want, relation);
    }

    fn report(&mut self, got: &Value, expected: String, relation: Option<&'static Relation>) {
        let got = if got.is_object() || got.is_array() { "there".to_owned() } else { got.to_string() };
        let source_in_words = relation.map_or("the rest of the record", |relation| relation.source);
        self.found.push(Violation { field: self.leaf.path.clone(), got, expected, source_in_words });
    }

    fn inside(&mut self, name: &str, then: impl FnOnce(&mut Self)) {
        let dot = if self.leaf.path.is_empty() { "" } else { "." };
        self.named(&format!("{dot}{name}"), then);
    }

    fn indexed(&mut self, index: usize, then: impl FnOnce(&mut Self)) {
        self.leaf.at.push(index);
        let lengths = (self.leaf.path.len(), self.leaf.pattern.len());
        let _ = write!(self.leaf.path, "[{index}]");
        self.leaf.pattern.push_str("[]");
        then(self);
        self.leaf.path.truncate(lengths.0);
        self.leaf.pattern.truncate(lengths.1);
        self.leaf.at.pop();
    }

    fn named(&mut self, name: &str, then: impl FnOnce(&mut Self)) {
        let lengths = (self.leaf.path.len(), self.leaf.pattern.len());
        self.leaf.path.push_str(name);
        self.leaf.pattern.push_str(name);
        then(self);
        self.leaf.path.truncate(lengths.0);
        self.leaf.pattern.truncate(lengths.1);
    }
}

/// The relation of a field.
fn relation(pattern: &str) -> Option<&'static Relation> {
    RELATIONS.iter().find(|relation| relations::matches(relation.field, pattern))
}

/// Whether two values are the same but for the order of a sum.
fn same(got: &Value, want: &Value) -> bool {
    match (got, want) {
        (Value::Number(got), Value::Number(want)) if !(got.is_u64() && want.is_u64()) => {
            let pair = got.as_f64().zip(want.as_f64());
            pair.is_some_and(|(got, want)| (got - want).abs() <= TOLERANCE * want.abs())
        }
        _ => got == want,
    }
}
