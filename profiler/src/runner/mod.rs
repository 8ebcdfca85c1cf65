//! What runs an operation and yields measurements.

mod suite_spec;

pub use suite_spec::{Part, SuiteSpec, SuiteSpecError, backend};
