//! What runs an operation and yields measurements.

mod job;
mod native;
mod operation;
mod session;
mod suite_spec;

pub use job::{Job, default_iterations};
pub use native::{Clocks, RunError, measure, observe, sizes};
pub use suite_spec::{Part, SuiteSpec, SuiteSpecError, backend};
