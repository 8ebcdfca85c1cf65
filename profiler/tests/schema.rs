//! `kemprof schema` against real records.

mod common;

use common::succeed;
use serde_json::Value;

/// What of `value` the schema does not describe, or describes as something else.
fn undescribed(schema: &Value, root: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(place) = schema["$ref"].as_str() {
        let described = root.pointer(place.trim_start_matches('#')).expect("a definition");
        return undescribed(described, root, value, path, found);
    }
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let fits = |choice: &Value| {
            let mut missed = Vec::new();
            undescribed(choice, root, value, path, &mut missed);
            missed.is_empty()
        };
        if !choices.iter().any(fits) {
            found.push(path.to_owned());
        }
        return;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = |name: &Value| name == kind || (name == "number" && kind == "integer");
    let typed = match &schema["type"] {
        Value::Array(names) => names.iter().any(allowed),
        Value::Null => true,
        name => allowed(name),
    };
    let named = schema["const"].is_null() || schema["const"] == *value;
    if !typed || !named || schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        found.push(format!("{path} is no {}", schema["type"]));
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| undescribed(&schema["items"], root, item, path, found)),
        Value::Object(fields) => {
            for (name, field) in
                fields.iter().filter(|_| schema["properties"].is_object() || schema["additionalProperties"].is_object())
            {
                let described = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                if described.is_null() {
                    found.push(format!("{path}.{name} is not described"));
                }
                undescribed(described, root, field, &format!("{path}.{name}"), found);
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                if !fields.contains_key(name.as_str().unwrap_or_default()) {
                    found.push(format!("{path} has no {name}"));
                }
            }
        }
        _ => {}
    }
}

fn problems(schema: &Value, record: &Value) -> Vec<String> {
    let mut found = Vec::new();
    undescribed(schema, schema, record, "", &mut found);
    found
}

#[test]
fn real_records_are_as_the_schema_says() {
    let schema: Value = serde_json::from_str(&succeed(&["schema"])).expect("JSON");
    let (records, _out) = common::profile("dec", "ml-kem-512", &[]);
    let mut all: Vec<Value> = records.iter().map(|record| serde_json::to_value(record).expect("JSON")).collect();
    for name in ["host", "compared", "uncounted", "callgrind", "aarch64", "cortex-m4"] {
        let path = format!("{}/tests/records/{name}.json", env!("CARGO_MANIFEST_DIR"));
        all.push(serde_json::from_str(&std::fs::read_to_string(path).expect("there")).expect("JSON"));
    }
    for record in &all {
        assert_eq!(problems(&schema, record), Vec::<String>::new());
    }
    for (pointer, value) in [
        ("/operation", Value::from("sign")),
        ("/trials/0/ticks", "many".into()),
        ("/calls/0/calls", Value::Null),
        ("/sizes", 7.into()),
    ] {
        let mut bad = all[0].clone();
        *bad.pointer_mut(pointer).expect("there") = value;
        assert_ne!(problems(&schema, &bad), Vec::<String>::new(), "{pointer}");
    }
    let described = |name: &str| schema["properties"][name]["description"].is_string();
    assert!(["hash_share", "symmetric_share", "trials", "probe_overhead"].into_iter().all(described));
}
