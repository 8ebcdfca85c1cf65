//! Looks at the core that trials run on: which one it is, how fast its clock is, and whether a neighbour shares it.
//!
//! The look takes some 6 µs and touches no memory. See [`analysis::quiet`](crate::analysis::quiet) for what is made of it.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod chains;
mod probe;

pub use probe::CoreProbe;

use crate::analysis::steadiness::{Moment, Observer};
use crate::counter::HostCounter;
use crate::environment::current_core;

/// Looks at this machine.
#[derive(Clone, Debug)]
pub struct HostObserver {
    probe: Option<CoreProbe<HostCounter>>,
}

impl HostObserver {
    /// Looks at the core and, where `real` instructions run on a processor, at how fast it is. An emulator's speed says nothing.
    #[must_use]
    pub fn new(real: bool) -> Self {
        Self { probe: real.then(CoreProbe::of_host).flatten() }
    }
}

impl Observer for HostObserver {
    fn observe(&mut self) -> Moment {
        Moment { core: current_core(), glance: self.probe.as_mut().and_then(CoreProbe::look_well) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_observed() {
        let moment = HostObserver::new(true).observe();
        assert!(crate::environment::allowed_cores().contains(&moment.core));
        if crate::environment::emulated() {
            return;
        }
        // Busy machines make it slow; no core does 7 multiplications in a ns.
        assert!(moment.glance.is_some_and(|glance| (0.3..7000.0).contains(&glance.chain_per_us)), "{moment:?}");
    }

    #[test]
    fn an_emulator_is_not_looked_at() {
        assert_eq!(HostObserver::new(false).observe().glance, None);
    }
}
