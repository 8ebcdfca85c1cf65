use crate::cli::{Failure, output};
use crate::evidence::Evidence;

/// Prints the JSON Schema of a record of evidence.
///
/// # Errors
/// When standard output cannot be written.
pub fn schema() -> Result<(), Failure> {
    output::print_json(&schemars::schema_for!(Evidence))
}
