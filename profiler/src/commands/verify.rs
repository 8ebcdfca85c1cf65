use crate::cli::{Failure, VerifyArgs, output};
use crate::evidence;
use crate::words::{either, plural};
use anyhow::{Context, anyhow};
use serde::Serialize;
use std::fs;

#[derive(Serialize)]
struct Verdict {
    file: String,
    verdict: &'static str,
    violations: Vec<String>,
}

/// Recomputes every figure of evidence files from their own trials and calls.
///
/// # Errors
/// When a file cannot be read or any figure does not follow.
pub fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let mut verdicts = Vec::new();
    for file in &args.files {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let records =
            evidence::all_from_json(&text).with_context(|| format!("{} is not kemprof evidence", file.display()))?;
        if records.is_empty() {
            return Err(anyhow!("{} holds no evidence: the array is empty", file.display()).into());
        }
        for (index, record) in records.iter().enumerate() {
            let place = if records.len() > 1 { format!("[{index}]") } else { String::new() };
            let violations: Vec<String> = evidence::violations(record).iter().map(ToString::to_string).collect();
            let verdict = if violations.is_empty() { "PASS" } else { "FAIL" };
            verdicts.push(Verdict { file: format!("{}{place}", file.display()), verdict, violations });
        }
    }
    if args.json {
        output::print_json(&verdicts)?;
    } else {
        let mut text = String::new();
        for Verdict { file, verdict, violations } in &verdicts {
            text.push_str(&format!("{verdict}  {file}\n"));
            text.extend(violations.iter().map(|violation| format!("      {violation}\n")));
        }
        output::print(&text)?;
    }
    match verdicts.iter().filter(|verdict| !verdict.violations.is_empty()).count() {
        0 => Ok(()),
        bad => {
            let (of, not) = (plural(verdicts.len(), "record"), either(bad, "does not", "do not"));
            Err(anyhow!("{bad} of {of} {not} hold together").into())
        }
    }
}
