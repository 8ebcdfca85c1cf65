use crate::evidence::Evidence;
use crate::words::{self, plural};
use serde_json::Value;
use thiserror::Error;

/// Relative difference of counter rates up to which they are of one counter: a rate that is measured at each start moves
/// by parts in a million.
const RATE_TOLERANCE: f64 = 0.01;

/// Two records that say nothing about each other.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("these records cannot be compared: {}", .0.join("; "))]
pub struct Incomparable(Vec<String>);

/// What is different that must not be.
///
/// # Errors
/// When the records differ in instance, operation, target or counter.
pub fn comparable(before: &Evidence, after: &Evidence) -> Result<(), Incomparable> {
    let (mine, theirs) = (&before.counter, &after.counter);
    let rate = |hz: Option<u64>| hz.map_or("no fixed rate".to_owned(), |hz| format!("{hz} Hz"));
    // A cycle is a cycle at any rate.
    let same_rate = mine.unit == "cycles"
        || match (mine.hz, theirs.hz) {
            (Some(a), Some(b)) => a.abs_diff(b) as f64 <= RATE_TOLERANCE * a.max(b) as f64,
            (a, b) => a == b,
        };
    let fields = [
        ("instance", before.instance.clone(), after.instance.clone(), before.instance == after.instance),
        ("operation", before.operation.to_string(), after.operation.to_string(), before.operation == after.operation),
        ("target", words::target(&before.target), words::target(&after.target), before.target == after.target),
        ("counter", mine.name.clone(), theirs.name.clone(), mine.name == theirs.name),
        ("unit of the counter", mine.unit.clone(), theirs.unit.clone(), mine.unit == theirs.unit),
        ("rate of the counter", rate(mine.hz), rate(theirs.hz), same_rate),
    ];
    let different = fields.iter().filter(|(_, _, _, same)| !same);
    let found: Vec<String> =
        different.map(|(field, before, after, _)| format!("{field} is {before} before and {after} after")).collect();
    if found.is_empty() { Ok(()) } else { Err(Incomparable(found)) }
}

/// What makes the same source cost something else: the name, and where the environment says it.
const CONDITIONS: [(&str, &str); 9] = [
    ("wait states", "/wait_states"),
    ("clock", "/clock_hz"),
    ("board", "/board"),
    ("processor", "/cpu_model"),
    ("compiler", "/compiler"),
    ("build profile", "/build/profile"),
    ("opt-level", "/build/opt_level"),
    ("compiler flags", "/build/flags"),
    ("target features", "/build/target_features"),
];

/// What is different that may be, but must be said: what makes the same source cost something else comes first.
pub(super) fn notes(before: &Evidence, after: &Evidence) -> Vec<String> {
    let condition = |evidence: &Evidence, pointer: &str| match evidence.environment.pointer(pointer) {
        None | Some(Value::Null) => "not recorded".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.is_empty() => "none".to_owned(),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map_or(item.to_string(), str::to_owned)).collect::<Vec<_>>().join(" ")
        }
        Some(other) => other.to_string(),
    };
    let plan = |evidence: &Evidence| {
        format!("{} × {}", evidence.plan.trials, plural(evidence.plan.iterations_per_trial, "operation"))
    };
    let meaning =
        |evidence: &Evidence| if evidence.counter.meaningful { "mean something" } else { "mean nothing" }.to_owned();
    let code = |evidence: &Evidence| match &evidence.code {
        None => "not recorded".to_owned(),
        Some(code) => code.iter().map(|(part, code)| format!("{part} {code}")).collect::<Vec<_>>().join(", "),
    };
    let built = |evidence: &Evidence| match &evidence.guest {
        None => "built in".to_owned(),
        Some(guest) => {
            let digest: String = guest.inputs_sha256.chars().take(8).collect();
            format!("{} ({}…)", guest.flags.join(" "), digest)
        }
    };
    let conditions = CONDITIONS.map(|(name, pointer)| (name, condition(before, pointer), condition(after, pointer)));
    let fields = [
        ("ticks", meaning(before), meaning(after)),
        ("runner", before.runner.clone(), after.runner.clone()),
        ("backends", before.backends.spelled(), after.backends.spelled()),
        ("generator", before.backends.drng.clone(), after.backends.drng.clone()),
        ("sampling", before.sampling.clone(), after.sampling.clone()),
        ("seed", before.seed.clone(), after.seed.clone()),
        ("plan", plan(before), plan(after)),
    ];
    let fields = conditions
        .into_iter()
        .chain([("sources", built(before), built(after)), ("code", code(before), code(after))])
        .chain(fields);
    let differs = fields.filter(|(_, before, after)| before != after);
    let mut notes: Vec<String> =
        differs.map(|(field, before, after)| format!("{field}: {before} before, {after} after")).collect();
    if before.profiled.ticks.is_none() || after.profiled.ticks.is_none() {
        notes.push("not both records have ticks: only calls and permutations are compared".to_owned());
    } else if !before.counter.meaningful && !after.counter.meaningful {
        notes.push("ticks mean nothing on either side: compare calls and permutations".to_owned());
    }
    notes
}
