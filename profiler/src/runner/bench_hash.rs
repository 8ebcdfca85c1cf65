use super::calls::task;
use super::native::RunError;
use super::samples::Task;
use super::shapes::shapes;
use kemprof_core::backend::Backend;
use kemprof_core::symmetric::{Form, Shape};
use kemprof_core::{Any, Role, Suite, Symmetric};
use std::cmp::Reverse;

/// Input lengths in bytes at which the NICCS guide wants hash functions measured.
pub const GUIDE_LENGTHS: [usize; 8] = [32, 128, 512, 1024, 4096, 8192, 16384, 65536];

/// Bytes of extendable output at those lengths: as many as of the shorter fixed hash, so that absorbing is what is measured.
const GUIDE_OUTPUT: usize = 32;

/// A call to be timed by itself.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct HashCall {
    /// The backend.
    pub backend: Any,
    /// What is called.
    pub shape: Shape,
    /// The schemes that call it so; none for a length of the guide.
    pub used_by: Vec<String>,
}

/// The calls of `backend` to time: every function at the lengths of the guide, then every shape that some scheme asks for.
///
/// # Errors
/// When an instance does not run over the backend.
pub fn hash_calls(backend: Any) -> Result<Vec<HashCall>, RunError> {
    let single = |role, form, in_bytes, out_bytes| Shape { role, form, in_bytes, prefix_bytes: 0, lanes: 1, out_bytes };
    let kinds = [
        (Role::Matrix, Form::Extendable, GUIDE_OUTPUT),
        (Role::Noise, Form::Extendable, GUIDE_OUTPUT),
        (Role::H, Form::Fixed(32), 32),
        (Role::G, Form::Fixed(64), 64),
    ];
    let mut calls = Vec::new();
    let mut known = Vec::new();
    for (role, form, out_bytes) in kinds {
        // Where one function serves several roles with outputs of a length, once is enough.
        let kind = (backend.function(form, role).name, out_bytes);
        if !known.contains(&kind) {
            known.push(kind);
            calls.extend(GUIDE_LENGTHS.map(|bytes| single(role, form, bytes, out_bytes)));
        }
    }
    calls.extend(GUIDE_LENGTHS.map(|bytes| single(Role::Entropy, Form::Generator, 0, bytes)));
    let guide = calls.into_iter().map(|shape| HashCall { backend, shape, used_by: Vec::new() });
    let schemes =
        shapes(backend)?.into_iter().map(|used| HashCall { backend, shape: used.shape, used_by: used.used_by });
    Ok(guide.chain(schemes).collect())
}

/// Which calls to time. An empty list asks for all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Those that one of these instances makes.
    pub instances: Vec<&'static str>,
    /// Those of these functions.
    pub functions: Vec<&'static str>,
    /// Those with so many bytes in or out.
    pub lengths: Vec<usize>,
    /// All of them rather than a page, where nothing is chosen.
    pub all: bool,
}

/// Calls of a page.
const PAGE: usize = 24;

impl Selection {
    /// The calls that are asked for, in their order. Where nothing is chosen, as many of each backend as there is room for on a
    /// page: those that most schemes make.
    #[must_use]
    pub fn of(&self, calls: Vec<HashCall>) -> Vec<HashCall> {
        if *self != Self::default() {
            return calls.into_iter().filter(|call| self.takes(call)).collect();
        }
        let mut backends: Vec<Any> = calls.iter().map(|call| call.backend).collect();
        backends.dedup();
        let room = (PAGE / backends.len().max(1)).max(1);
        let mut chosen: Vec<usize> = Vec::new();
        for backend in backends {
            let mut mine: Vec<usize> = (0..calls.len()).filter(|&at| calls[at].backend == backend).collect();
            mine.sort_by_key(|&at| Reverse(calls[at].used_by.len()));
            chosen.extend(mine.into_iter().take(room));
        }
        let numbered = calls.into_iter().enumerate();
        numbered.filter(|(at, _)| chosen.contains(at)).map(|(_, call)| call).collect()
    }

    fn takes(&self, call: &HashCall) -> bool {
        let Shape { in_bytes, out_bytes, .. } = call.shape;
        let makes = |instance: &&str| call.used_by.iter().any(|user| user.split(' ').next() == Some(instance));
        (self.instances.is_empty() || self.instances.iter().any(makes))
            && (self.functions.is_empty() || self.functions.contains(&call.function().name))
            && (self.lengths.is_empty() || self.lengths.iter().any(|length| [in_bytes, out_bytes].contains(length)))
    }
}

impl HashCall {
    /// The function that runs.
    #[must_use]
    pub fn function(&self) -> kemprof_core::symmetric::Function {
        self.suite().function(self.shape.form, self.shape.role)
    }

    /// Permutations of one message: what a batch shares is counted once and spread over its messages.
    #[must_use]
    pub fn permutations(&self) -> f64 {
        let Shape { role, form, in_bytes, prefix_bytes, lanes, out_bytes } = self.shape;
        let suite = self.suite();
        let each = suite.permutations(form, role, in_bytes, out_bytes);
        let shared = if lanes > 1 { suite.shared_permutations(role, prefix_bytes) } else { 0 };
        each as f64 - (lanes as u64 - 1) as f64 * shared as f64 / lanes as f64
    }

    /// What to run: the call as schemes make it, of [`lanes`](Shape::lanes) messages an iteration.
    #[must_use]
    pub fn task(&self) -> Box<dyn Task> {
        task(self.shape, self.suite())
    }

    fn suite(&self) -> Suite<Any> {
        Suite::of(self.backend, SEED)
    }
}

/// What generators are instantiated with.
const SEED: &[u8] = b"bench-hash";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_comes_at_every_length_of_the_guide() {
        for (backend, functions) in [(Any::Shake, 4), (Any::Placeholder, 3), (Any::Free, 2)] {
            let calls = hash_calls(backend).expect("all instances run");
            let guide: Vec<_> = calls.iter().filter(|call| call.used_by.is_empty()).collect();
            assert_eq!(guide.len(), (functions + 1) * GUIDE_LENGTHS.len(), "{}", backend.name());
            assert!(calls.len() > guide.len() + 10, "schemes make more kinds of calls than {}", calls.len());
        }
    }

    #[test]
    fn a_selection_is_what_its_filters_say_and_a_page_without_any() {
        let calls = || hash_calls(Any::Shake).expect("all instances run");
        let of = |selection: &Selection| selection.of(calls());
        assert_eq!(of(&Selection { all: true, ..Selection::default() }).len(), calls().len());
        let page = of(&Selection::default());
        assert!(page.len() == PAGE && page.iter().all(|call| !call.used_by.is_empty()), "{page:?}");
        let least = page.iter().map(|call| call.used_by.len()).min();
        let left_out = calls().into_iter().filter(|call| page.iter().all(|other| other.shape != call.shape));
        assert!(left_out.map(|call| call.used_by.len()).max() <= least);
        let of_scheme = of(&Selection { instances: vec!["ml-kem-768"], ..Selection::default() });
        assert!(of_scheme.iter().all(|call| call.used_by.iter().any(|user| user.starts_with("ml-kem-768"))));
        let selection = Selection {
            instances: vec!["ml-kem-768"],
            functions: vec!["sha3_256"],
            lengths: vec![1184],
            ..Selection::default()
        };
        let [call] = &of(&selection)[..] else { panic!("{:?}", of(&selection)) };
        assert_eq!((call.shape.in_bytes, call.function().name), (1184, "sha3_256"));
        let several: Vec<HashCall> =
            Any::ALL.iter().flat_map(|&backend| hash_calls(backend).expect("all instances run")).collect();
        let page = Selection::default().of(several);
        assert!(page.len() <= PAGE && Any::ALL.iter().all(|any| page.iter().any(|call| call.backend == *any)));
    }

    #[test]
    fn every_call_runs() {
        for &backend in Any::ALL {
            for call in hash_calls(backend).expect("all instances run") {
                call.task().run(2);
                assert!(call.permutations() > 0.0, "{call:?}");
            }
        }
    }

    #[test]
    fn a_permutation_that_a_batch_shares_counts_once() {
        for &backend in Any::ALL {
            let calls = hash_calls(backend).expect("all instances run");
            for call in calls.iter().filter(|call| call.shape.lanes > 1) {
                let Shape { role, form, in_bytes, out_bytes, lanes, prefix_bytes } = call.shape;
                let alone = backend.permutations(form, role, in_bytes, out_bytes) as f64;
                let shared = backend.shared_permutations(role, prefix_bytes) as f64;
                let batch = call.permutations() * lanes as f64;
                assert!((batch - (lanes as f64 * alone - (lanes - 1) as f64 * shared)).abs() < 1e-9, "{call:?}");
            }
        }
    }
}
