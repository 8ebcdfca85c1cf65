use super::{CoreKind, Tree, core_kinds, isolated_cores};
use thiserror::Error;

/// Why the program could not be kept on a core.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PinError {
    /// The core is not one that this program may run on.
    #[error("cannot run on core {core}: {}", allowed(cores))]
    NotAllowed {
        /// The core asked for.
        core: usize,
        /// Those that may be used.
        cores: Vec<usize>,
    },
    /// The system cannot or will not.
    #[error("cannot stay on core {core}: {message}")]
    Refused {
        /// The core.
        core: usize,
        /// The system's words.
        message: String,
    },
}

fn allowed(cores: &[usize]) -> String {
    let cores: Vec<_> = cores.iter().map(usize::to_string).collect();
    format!("this program may use {}", cores.join(", "))
}

/// Picks the core to measure on: the one asked for, or else one that the kernel keeps free of others, or else one of the
/// fastest kind, and with all that open the core where the program is now.
///
/// # Errors
/// [`PinError::NotAllowed`] where the core asked for is not among the allowed ones.
pub fn choose_core(
    wanted: Option<usize>,
    current: usize,
    allowed: &[usize],
    isolated: &[usize],
    kinds: &[CoreKind],
) -> Result<usize, PinError> {
    if let Some(core) = wanted {
        let known = allowed.contains(&core);
        return if known { Ok(core) } else { Err(PinError::NotAllowed { core, cores: allowed.to_vec() }) };
    }
    let usable = |core: &usize| allowed.contains(core);
    if let Some(&core) = isolated.iter().find(|core| usable(core)) {
        return Ok(core);
    }
    let fastest = kinds.first().map(|kind| kind.cores.as_slice()).unwrap_or_default();
    if fastest.is_empty() || fastest.contains(&current) {
        return Ok(current);
    }
    // The last: the first ones serve most interrupts.
    Ok(fastest.iter().copied().rfind(|core| usable(core)).unwrap_or(current))
}

/// Keeps the calling thread, and threads that it starts, on one core: `wanted`, or what [`choose_core`] picks.
///
/// # Errors
/// [`PinError`].
pub fn pin(tree: &Tree, wanted: Option<usize>) -> Result<Pinned, PinError> {
    let core = choose_core(wanted, current_core(), &allowed_cores(), &isolated_cores(tree), &core_kinds(tree))?;
    Pinned::to(core)
}

/// [`pin`], where a system that will not have it is no failure unless a core was asked for: then the program may move, and
/// the record says so.
///
/// # Errors
/// [`PinError`], with a core asked for.
pub fn pin_if_possible(tree: &Tree, wanted: Option<usize>) -> Result<Option<Pinned>, PinError> {
    match pin(tree, wanted) {
        Ok(pinned) => Ok(Some(pinned)),
        Err(error) if wanted.is_some() => Err(error),
        Err(_) => Ok(None),
    }
}

pub use imp::{Pinned, allowed_cores, current_core};

#[cfg(target_os = "linux")]
mod imp {
    use super::PinError;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// The calling thread stays on one core as long as this lives.
    #[derive(Debug)]
    pub struct Pinned {
        core: usize,
        before: CpuSet,
    }

    impl Pinned {
        pub(super) fn to(core: usize) -> Result<Self, PinError> {
            let refused = |error: rustix::io::Errno| PinError::Refused { core, message: error.to_string() };
            let before = sched_getaffinity(None).map_err(refused)?;
            let mut only = CpuSet::new();
            if core >= CpuSet::MAX_CPU {
                return Err(PinError::NotAllowed { core, cores: allowed_cores() });
            }
            only.set(core);
            sched_setaffinity(None, &only).map_err(refused)?;
            Ok(Self { core, before })
        }

        /// The core.
        #[must_use]
        pub const fn core(&self) -> usize {
            self.core
        }
    }

    impl Drop for Pinned {
        fn drop(&mut self) {
            // Where even this is refused the thread stays where it is, which harms nothing.
            let _ = sched_setaffinity(None, &self.before);
        }
    }

    /// The logical core that the calling thread is on.
    #[must_use]
    pub fn current_core() -> usize {
        sched_getcpu()
    }

    /// The logical cores that the calling thread may run on, in ascending order.
    #[must_use]
    pub fn allowed_cores() -> Vec<usize> {
        let set = sched_getaffinity(None).unwrap_or_default();
        (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::PinError;

    /// The calling thread stays on one core as long as this lives: not on this system.
    #[derive(Debug)]
    pub struct Pinned(std::convert::Infallible);

    impl Pinned {
        pub(super) fn to(core: usize) -> Result<Self, PinError> {
            Err(PinError::Refused { core, message: "this system has no way to ask for it".to_owned() })
        }

        /// The core.
        #[must_use]
        pub const fn core(&self) -> usize {
            match self.0 {}
        }
    }

    /// The logical core that the calling thread is on: not told by this system.
    #[must_use]
    pub fn current_core() -> usize {
        0
    }

    /// The logical cores that the calling thread may run on.
    #[must_use]
    pub fn allowed_cores() -> Vec<usize> {
        (0..std::thread::available_parallelism().map_or(1, Into::into)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> Vec<CoreKind> {
        let kind = |name: &str, cores: &[usize]| CoreKind { name: name.to_owned(), cores: cores.to_vec() };
        vec![kind("performance", &[4, 5, 6, 7]), kind("efficiency", &[0, 1, 2, 3])]
    }

    const ALL: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[test]
    fn the_core_that_is_asked_for_is_taken_or_refused() {
        assert_eq!(choose_core(Some(2), 0, &ALL, &[7], &kinds()), Ok(2));
        let refused = choose_core(Some(9), 0, &[0, 1], &[], &[]).unwrap_err();
        assert_eq!(refused.to_string(), "cannot run on core 9: this program may use 0, 1");
    }

    #[test]
    fn an_isolated_core_comes_before_a_fast_one() {
        assert_eq!(choose_core(None, 0, &ALL, &[3], &kinds()), Ok(3));
        assert_eq!(choose_core(None, 0, &[0, 5], &[3], &kinds()), Ok(5));
    }

    #[test]
    fn a_slow_core_is_left_for_the_last_fast_one() {
        assert_eq!(choose_core(None, 1, &ALL, &[], &kinds()), Ok(7));
        assert_eq!(choose_core(None, 5, &ALL, &[], &kinds()), Ok(5));
        assert_eq!(choose_core(None, 1, &[0, 1], &[], &kinds()), Ok(1));
        assert_eq!(choose_core(None, 1, &ALL, &[], &[]), Ok(1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pinned_thread_stays_and_is_let_go() {
        let before = allowed_cores();
        let last = *before.last().unwrap();
        let pinned = pin(&Tree::host(), Some(last)).unwrap();
        assert_eq!((pinned.core(), current_core(), allowed_cores()), (last, last, vec![last]));
        assert_eq!(std::thread::spawn(current_core).join().unwrap(), last);
        drop(pinned);
        assert_eq!(allowed_cores(), before);
    }
}
