use crate::counter;
use crate::environment::{Environment, Finding, Tree, current_core, examine};
use crate::platform::cortex_m4;
use std::env;

/// A heading, and what this machine can measure.
#[must_use]
pub fn doctor() -> (String, Vec<Finding>) {
    let tree = Tree::host();
    // Whether a run stays on its core is the run's affair: `kemprof keygen` pins itself.
    let environment = Environment::begin(&tree, Vec::new(), true);
    let path = env::var_os("PATH");
    let mut findings =
        examine(&environment, &counter::available(), &counter::available_events(), &tree, path.as_deref());
    findings.push(cortex_m4::examine_firmware());
    (format!("{} on core {}", environment.kemprof, current_core()), findings)
}
