use crate::cli::{Failure, ShowArgs, output};
use crate::evidence;
use crate::render::table;

/// Prints the breakdown of evidence.
///
/// # Errors
/// When some of it is no evidence; the rest is printed all the same.
pub fn show(args: &ShowArgs) -> Result<(), Failure> {
    let mut records = Vec::new();
    let mut failures = Vec::new();
    evidence::for_each(
        &args.files,
        &mut |source, read| match read.and_then(|record| evidence::sound(source, record)) {
            Ok(record) => records.push(record),
            Err(error) => failures.push(error),
        },
    );
    match records.as_slice() {
        [] => {}
        [record] if args.json => output::print_json(record)?,
        records if args.json => output::print_json(&records)?,
        records => output::print(&records.iter().map(table::report).collect::<Vec<_>>().join("\n"))?,
    }
    Failure::of_each(failures)
}
