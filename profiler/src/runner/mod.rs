//! What runs an operation and yields measurements.

mod bench_hash;
mod calls;
mod count_events;
mod functions;
mod job;
mod native;
mod operation;
mod repeat;
mod samples;
mod session;
mod shapes;
mod stack;
mod stack_depth;
mod suite_spec;
mod timeline;
mod trials;
mod variant;
mod whole;

pub use bench_hash::{GUIDE_LENGTHS, HashCall, Selection, hash_calls};
pub use count_events::count_events;
pub use functions::{Demand, Functions, Timing, demands};
pub use job::{Job, default_iterations};
pub use native::{Clocks, Prepared, RunError, measure, observe, prepared, sizes, stack_peak};
pub use repeat::Repeat;
pub use samples::{Grain, SampleError, Sampled, Task, sample};
pub use shapes::{UsedShape, shapes};
pub use suite_spec::{Part, SuiteSpec, SuiteSpecError, backend};
pub use timeline::{Ran, Span, Timeline, timeline};
pub use trials::Trials;
pub use variant::{Variant, VariantError};
pub use whole::whole_iterations;
