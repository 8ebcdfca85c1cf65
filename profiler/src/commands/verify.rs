use crate::cli::{Failure, VerifyArgs, output};
use crate::evidence;
use crate::words::{either, plural};
use anyhow::anyhow;
use serde::Serialize;

#[derive(Serialize)]
struct Verdict {
    file: String,
    verdict: &'static str,
    violations: Vec<String>,
}

/// Recomputes every figure of evidence from its own trials and calls.
///
/// # Errors
/// When some of it cannot be read, or any figure does not follow. All verdicts are printed first.
pub fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let mut verdicts = Vec::new();
    let mut unread = Vec::new();
    evidence::for_each(&args.files, &mut |source, record| {
        let violations: Vec<String> = match record {
            Ok(record) => evidence::violations(&record).iter().map(ToString::to_string).collect(),
            Err(error) => {
                let reason = error.to_string();
                unread.push(error);
                vec![reason]
            }
        };
        let verdict = if violations.is_empty() { "PASS" } else { "FAIL" };
        verdicts.push(Verdict { file: source.to_string(), verdict, violations });
    });
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
        bad if bad == unread.len() => Failure::of_each(unread),
        bad => {
            let (of, not) = (plural(verdicts.len(), "record"), either(bad, "does not", "do not"));
            Err(anyhow!("{bad} of {of} {not} hold together").into())
        }
    }
}
