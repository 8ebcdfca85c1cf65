//! NIST's ACVP vectors of ML-KEM: prompts and expected results are put together by test case, answered, and compared.

use super::check::read_limited;
use super::error::KatError;
use super::manifest::published_suite;
use super::run::{Question, Refusal, answer};
use crate::names;
use crate::runner::SuiteSpec;
use kemprof_core::Sampling;
use kemprof_core::kem::INSTANCES;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the test cases of one kind and one parameter set came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AcvpRow {
    /// The instance.
    pub instance: &'static str,
    /// What was asked: `keyGen`, `encapsulation`, `decapsulation`, `encapsulationKeyCheck` or `decapsulationKeyCheck`.
    pub function: &'static str,
    /// Test cases, all of which were answered.
    pub cases: usize,
    /// What differs, case by case.
    pub differences: Vec<String>,
}

/// What is asked, what it takes, and what comes of it.
struct Kind {
    function: &'static str,
    inputs: &'static [&'static str],
    outputs: &'static [&'static str],
}

const KINDS: [Kind; 5] = [
    Kind { function: "keyGen", inputs: &["d", "z"], outputs: &["ek", "dk"] },
    Kind { function: "encapsulation", inputs: &["ek", "m"], outputs: &["c", "k"] },
    Kind { function: "decapsulation", inputs: &["dk", "c"], outputs: &["k"] },
    Kind { function: "encapsulationKeyCheck", inputs: &["ek"], outputs: &["testPassed"] },
    Kind { function: "decapsulationKeyCheck", inputs: &["dk"], outputs: &["testPassed"] },
];

/// A test case: mode, group and number.
type Id = (String, u64, u64);

/// Answers the test cases of ACVP files together, over `spec` or the functions of the standard, and compares.
///
/// # Errors
/// A file that cannot be read or is none of ACVP for ML-KEM; a case without its inputs or without an expected result. Wrong
/// answers are in the rows.
pub fn check_acvp(paths: &[PathBuf], spec: Option<&SuiteSpec>, sampling: Sampling) -> Result<Vec<AcvpRow>, KatError> {
    let mut cases = BTreeMap::new();
    for path in paths {
        let bytes = read_limited(path)?;
        collect(&bytes, &mut cases).map_err(|problem| KatError::Acvp { path: path.clone(), problem })?;
    }
    let all = || paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut rows: Vec<AcvpRow> = Vec::new();
    for ((mode, group, number), fields) in &cases {
        let place = format!("{mode}, tgId {group}, tcId {number}");
        let wrong =
            |problem| KatError::Acvp { path: Path::new(&all()).to_owned(), problem: format!("{place}: {problem}") };
        let (instance, kind) = subject(mode, fields).map_err(wrong)?;
        let spec = spec.copied().map_or_else(|| published_suite(instance), Ok)?;
        let found = compare(instance, &spec, sampling, kind, fields).map_err(wrong)?;
        let place = rows.iter().position(|row| row.instance == instance && row.function == kind.function);
        let place = place.unwrap_or_else(|| {
            rows.push(AcvpRow { instance, function: kind.function, cases: 0, differences: Vec::new() });
            rows.len() - 1
        });
        let row = &mut rows[place];
        row.cases += 1;
        row.differences.extend(found.into_iter().map(|what| format!("tgId {group}, tcId {number}: {what}")));
    }
    Ok(rows)
}

/// Adds the fields of a file's test cases, those of their groups among them.
fn collect(bytes: &[u8], cases: &mut BTreeMap<Id, Map<String, Value>>) -> Result<(), String> {
    let json: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    // Servers send the version and the vectors in one array.
    let parts = json.as_array().cloned().unwrap_or_else(|| vec![json]);
    let set = parts.iter().find(|part| part.get("testGroups").is_some());
    let set = set.ok_or(
        "it has no testGroups; expected a prompt.json, expectedResults.json or internalProjection.json of ACVP",
    )?;
    let algorithm = set["algorithm"].as_str().unwrap_or_default();
    if algorithm != "ML-KEM" {
        return Err(format!("it is of algorithm {algorithm:?}, expected \"ML-KEM\""));
    }
    let mode = set["mode"].as_str().ok_or("it has no mode, expected keyGen or encapDecap")?;
    let id = |object: &Value, name: &str| object[name].as_u64().ok_or_else(|| format!("a test has no {name}"));
    for group in set["testGroups"].as_array().ok_or("its testGroups is no array")? {
        let group_id = id(group, "tgId")?;
        for test in group["tests"].as_array().ok_or_else(|| format!("tgId {group_id} has no tests"))? {
            let number = id(test, "tcId")?;
            let case = cases.entry((mode.to_owned(), group_id, number)).or_default();
            let fields = [group, test].into_iter().filter_map(Value::as_object).flatten();
            for (name, value) in fields.filter(|(name, _)| *name != "tests") {
                let known = case.entry(name.clone()).or_insert_with(|| value.clone());
                if known != value {
                    return Err(format!("tgId {group_id}, tcId {number}: {name} is not as in the file before"));
                }
            }
        }
    }
    Ok(())
}

/// The instance that a case is of, and what it asks.
fn subject(mode: &str, fields: &Map<String, Value>) -> Result<(&'static str, &'static Kind), String> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let missing = |name: &str| format!("it has no {name}: give the prompt's file too");
    let set = text("parameterSet").ok_or_else(|| missing("parameterSet"))?;
    let instance = names::find("parameter set", set, INSTANCES).map_err(|error| error.to_string())?;
    let function = if mode == "keyGen" { mode } else { text("function").ok_or_else(|| missing("function"))? };
    let kind = KINDS.iter().find(|kind| kind.function == function);
    let known = || KINDS.map(|kind| kind.function).join(", ");
    Ok((instance, kind.ok_or_else(|| format!("unknown function {function:?}; known: {}", known()))?))
}

/// What a case's answers are instead of what is expected.
fn compare(
    instance: &str,
    spec: &SuiteSpec,
    sampling: Sampling,
    kind: &Kind,
    fields: &Map<String, Value>,
) -> Result<Vec<String>, String> {
    let bytes = |name: &str| match fields.get(name).and_then(Value::as_str) {
        None => Err(format!("it has no {name}: give the prompt's file too")),
        Some(text) => hex::decode(text).map_err(|error| format!("{name} is not hexadecimal: {error}")),
    };
    let inputs: Vec<Vec<u8>> = kind.inputs.iter().map(|name| bytes(name)).collect::<Result<_, _>>()?;
    let expected: Vec<(&str, &Value)> =
        kind.outputs.iter().filter_map(|name| Some((*name, fields.get(*name)?))).collect();
    if expected.is_empty() {
        return Err(format!("it has no {}: give the expected results' file too", kind.outputs.join(", ")));
    }
    let ask = |question| answer(instance, spec, sampling, question).map_err(|error| error.to_string());
    let answered = match kind.function {
        "keyGen" => ask(Question::Keygen(&inputs.concat()))?,
        "encapsulation" => ask(Question::Encapsulate(&inputs[0], &inputs[1]))?,
        "decapsulation" => ask(Question::Decapsulate(&inputs[0], &inputs[1]))?,
        "encapsulationKeyCheck" => ask(Question::Encapsulate(&inputs[0], &[0; 32]))?,
        _ => {
            let length = crate::runner::sizes(instance).map_err(|error| error.to_string())?.ct;
            ask(Question::Decapsulate(&inputs[0], &vec![0; length]))?
        }
    };
    if kind.outputs == ["testPassed"] {
        let passed = match answered {
            Ok(_) => true,
            Err(Refusal::Input(_)) => false,
            Err(refusal) => return Err(refusal.to_string()),
        };
        let same = expected[0].1.as_bool() == Some(passed);
        return Ok(if same { Vec::new() } else { vec![format!("testPassed is {}, expected {passed}", expected[0].1)] });
    }
    let outputs = match answered {
        Ok(outputs) => outputs,
        Err(refusal) => return Ok(vec![format!("refused: {refusal}")]),
    };
    let mut found = Vec::new();
    for (name, right) in kind.outputs.iter().zip(&outputs) {
        let Some((_, got)) = expected.iter().find(|(field, _)| field == name) else { continue };
        let got = got.as_str().unwrap_or_default();
        if !got.eq_ignore_ascii_case(&hex::encode(right)) {
            found.push(format!("{name} is {}…, expected {}…", start(got), start(&hex::encode_upper(right))));
        }
    }
    Ok(found)
}

/// As much of a value as tells it from others.
fn start(text: &str) -> String {
    text.chars().take(16).collect()
}
