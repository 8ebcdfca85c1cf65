use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::unregister;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// While this lives, signals to end the program do not end it: what was begun is cleaned up first.
#[derive(Debug)]
pub struct Interrupts {
    seen: Arc<AtomicBool>,
    registered: Vec<signal_hook::SigId>,
}

impl Interrupts {
    /// Holds them from now on.
    #[must_use]
    pub fn held() -> Self {
        let seen = Arc::new(AtomicBool::new(false));
        // A signal that cannot be held ends the program as ever.
        let hold = |signal| flag::register(signal, Arc::clone(&seen)).ok();
        let registered = [SIGINT, SIGTERM, SIGHUP].into_iter().filter_map(hold).collect();
        Self { seen, registered }
    }

    pub(super) fn seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}
