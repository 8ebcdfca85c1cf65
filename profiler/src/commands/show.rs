use crate::cli::{Failure, ShowArgs, output};
use crate::evidence;
use crate::render::table;

/// Prints the breakdown of evidence files.
///
/// # Errors
/// When a file is not evidence.
pub fn show(args: &ShowArgs) -> Result<(), Failure> {
    let records: Vec<Vec<_>> = args.files.iter().map(|file| evidence::read_all(file)).collect::<Result<_, _>>()?;
    let records = records.concat();
    match records.as_slice() {
        [record] if args.json => return output::print_json(record),
        records if args.json => return output::print_json(&records),
        _ => {}
    }
    output::print(&records.iter().map(table::report).collect::<Vec<_>>().join("\n"))
}
