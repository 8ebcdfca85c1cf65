//! What one operation takes of memory.

use crate::environment::{self, Environment, Tree};
use crate::evidence::Memory;
use crate::platform::PlatformError;
use crate::runner::{self, Job, RunError};
use std::thread;

/// Stack of the thread that the operation runs on: more than any takes.
const STACK: usize = 2 << 20;
/// How often it is run, each time alone.
const ATTEMPTS: usize = 3;

/// What one operation takes in this process, which has run nothing else.
pub(crate) fn own_memory(job: &Job) -> Result<Memory, PlatformError> {
    let tree = Tree::host();
    let is_real = Environment::begin(&tree, Vec::new(), true).is_real();
    let mut operation = runner::prepared(job)?;
    // Its code and constants are in RAM from then on: what is found is the operation's own.
    operation()?;
    let mut peaks = Vec::new();
    for attempt in 1..=ATTEMPTS {
        // It is larger than those that were there before, so that nothing has touched it yet.
        let seen = on_a_stack(attempt * STACK, &mut || {
            let forgotten = environment::forget_peak(&tree).is_ok();
            let before = environment::resident(&tree);
            operation()?;
            // Here, while the stack is still there: the kernel's mark is exact when it is looked at, and no sooner.
            let seen = before.zip(environment::resident(&tree));
            Ok(seen.filter(|(before, after)| is_real && (forgotten || after.peak > before.peak)))
        })?;
        peaks.extend(seen.map(|(before, after)| (before.now, after.peak.max(before.now))));
    }
    // What the kernel took away meanwhile and gave back is not the operation's.
    let least = peaks.into_iter().min_by_key(|(baseline, peak)| peak - baseline);
    Ok(Memory {
        baseline: least.map(|(baseline, _)| baseline),
        peak: least.map(|(_, peak)| peak),
        // Not before the peak is known: the stack is painted for it.
        stack_peak: runner::stack_peak(job)?,
        ..Memory::default()
    })
}

/// What comes of `body` on a thread of its own with so much stack.
fn on_a_stack<T: Send>(
    bytes: usize,
    body: &mut (impl FnMut() -> Result<T, RunError> + Send),
) -> Result<T, PlatformError> {
    let joined = thread::scope(|scope| Ok(thread::Builder::new().stack_size(bytes).spawn_scoped(scope, body)?.join()));
    let joined: thread::Result<_> =
        joined.map_err(|error: std::io::Error| PlatformError::Memory(format!("cannot start a thread: {error}")))?;
    Ok(joined.map_err(|_| PlatformError::Memory("the operation panicked".to_owned()))??)
}
