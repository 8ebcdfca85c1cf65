use super::native::RunError;
use crate::evidence::Operation;
use kemprof_core::kem::{self, INSTANCES, Visitor};
use kemprof_core::probe::{Call, Output};
use kemprof_core::symmetric::Shape;
use kemprof_core::{Any, Kem, Probe, Profiled, Role, Sampling, Suite};

/// A shape, and the schemes that ask for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsedShape {
    /// The shape.
    pub shape: Shape,
    /// Instances, each with its sampling where only one of the two asks for it: `lwekem256 eager`.
    pub used_by: Vec<String>,
}

/// Every shape in which some instance calls `backend` in a key generation, an encapsulation or a decapsulation, found by
/// watching all of them without a clock. Of batches that differ in width, the widest is taken; of outputs that rejection
/// sampling leaves unfinished, the commonest.
///
/// # Errors
/// When an instance does not run.
pub fn shapes(backend: Any) -> Result<Vec<UsedShape>, RunError> {
    let mut found: Vec<(Shape, Vec<(&str, Sampling)>)> = Vec::new();
    for &instance in INSTANCES {
        for sampling in [Sampling::Eager, Sampling::Lazy] {
            let watch = Watch { backend, sampling };
            let seen = kem::visit(instance, watch).ok_or_else(|| RunError::UnknownInstance(instance.to_owned()))??;
            for shape in seen.typical() {
                match found.iter_mut().find(|(other, _)| *other == shape) {
                    Some((_, users)) => users.push((instance, sampling)),
                    None => found.push((shape, vec![(instance, sampling)])),
                }
            }
        }
    }
    let order = |shape: &Shape| {
        let role = Role::ALL.iter().position(|role| *role == shape.role);
        (role, shape.in_bytes, shape.out_bytes, shape.lanes)
    };
    found.sort_by_key(|(shape, _)| order(shape));
    Ok(found.into_iter().map(|(shape, users)| UsedShape { shape, used_by: names(&users) }).collect())
}

fn names(users: &[(&str, Sampling)]) -> Vec<String> {
    let name =
        |&(instance, sampling): &(&str, Sampling)| match users.iter().filter(|(other, _)| *other == instance).count() {
            1 => format!("{instance} {}", sampling.name()),
            _ => instance.to_owned(),
        };
    let mut names: Vec<String> = users.iter().map(name).collect();
    names.dedup();
    names
}

struct Watch {
    backend: Any,
    sampling: Sampling,
}

impl Visitor for Watch {
    type Output = Result<Seen, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let Self { backend, sampling } = self;
        let (mut public_key, mut secret_key) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
        let (mut ciphertext, mut secret) = (vec![0; K::lengths().ciphertext], vec![0; K::lengths().shared_secret]);
        let mut sym = Profiled::new(Suite::of(backend, K::name().as_bytes()), Seen::default());
        let failed = |operation| move |source| RunError::Scheme { instance: K::name(), operation, source };
        K::keygen(&mut sym, sampling, &mut public_key, &mut secret_key).map_err(failed(Operation::Keygen))?;
        K::encapsulate(&mut sym, sampling, &public_key, &mut ciphertext, &mut secret)
            .map_err(failed(Operation::Enc))?;
        K::decapsulate(&mut sym, sampling, &secret_key, &ciphertext, &mut secret).map_err(failed(Operation::Dec))?;
        Ok(sym.probe)
    }
}

/// The probe that writes down shapes.
#[derive(Debug, Default)]
struct Seen(Vec<SeenShape>);

#[derive(Clone, Copy, Debug)]
struct SeenShape {
    shape: Shape,
    /// Whether some of the output was left.
    unfinished: bool,
    calls: u64,
}

impl Probe for Seen {
    type Open = ();

    fn open(&mut self, _call: &Call) {}

    fn close(&mut self, (): (), call: &Call, outputs: &[Output]) {
        let Call { role, form, in_bytes, prefix_bytes, lanes, .. } = *call;
        for output in outputs {
            let shape = Shape { role, form, in_bytes, prefix_bytes, lanes, out_bytes: output.out_bytes };
            let unfinished = (output.used_bits as usize) < 8 * output.out_bytes;
            match self.0.iter_mut().find(|seen| seen.shape == shape) {
                Some(seen) => {
                    seen.calls += 1;
                    seen.unfinished |= unfinished;
                }
                None => self.0.push(SeenShape { shape, unfinished, calls: 1 }),
            }
        }
    }
}

impl Seen {
    /// The widest batch of each kind of call, and of outputs that were left unfinished the commonest.
    fn typical(self) -> Vec<Shape> {
        let rejects = |shape: &Shape| self.0.iter().any(|seen| seen.unfinished && alike(&seen.shape, shape));
        let mut typical: Vec<SeenShape> = Vec::new();
        for seen in &self.0 {
            let same = |other: &&mut SeenShape| {
                let (a, b) = (&other.shape, &seen.shape);
                alike(a, b) && (a.out_bytes == b.out_bytes || rejects(a))
            };
            match typical.iter_mut().find(same) {
                Some(best) if (best.shape.lanes, best.calls) < (seen.shape.lanes, seen.calls) => *best = *seen,
                Some(_) => {}
                None => typical.push(*seen),
            }
        }
        typical.into_iter().map(|seen| seen.shape).collect()
    }
}

/// Whether two shapes differ at most in width and output.
fn alike(a: &Shape, b: &Shape) -> bool {
    (a.role, a.form, a.in_bytes) == (b.role, b.form, b.in_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(instance: &str, role: Role, backend: Any) -> Vec<UsedShape> {
        let all = shapes(backend).expect("all instances run");
        let uses =
            |shape: &UsedShape| shape.shape.role == role && shape.used_by.iter().any(|user| user.starts_with(instance));
        all.into_iter().filter(uses).collect()
    }

    #[test]
    fn the_matrix_of_lwekem256_is_that_of_the_published_profile() {
        let found = of("lwekem256", Role::Matrix, Any::Placeholder);
        let eager = found.iter().find(|found| found.used_by.contains(&"lwekem256 eager".to_owned())).expect("is there");
        let Shape { in_bytes, prefix_bytes, lanes, out_bytes, .. } = eager.shape;
        assert_eq!((in_bytes, prefix_bytes, lanes, out_bytes), (35, 32, 1, 1536));
        let lazy = found.iter().find(|found| found.used_by.contains(&"lwekem256 lazy".to_owned())).expect("is there");
        assert!(lazy.shape.in_bytes == 35 && lazy.shape.out_bytes < 1536 / 4, "{lazy:?}");
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn batches_are_as_wide_as_the_backend_asks_for() {
        for (role, in_bytes) in [(Role::Matrix, 35), (Role::Noise, 33)] {
            let found = of("lwekem256", role, Any::Sm3);
            assert!(
                found.iter().all(|found| found.shape.in_bytes == in_bytes && found.shape.prefix_bytes == 32),
                "{found:?}"
            );
            let lanes = kemprof_core::Backend::lanes(&Any::Sm3, role);
            assert!(found.iter().all(|found| found.shape.lanes == lanes), "{found:?}");
        }
    }

    #[test]
    fn every_role_of_some_scheme_is_found_with_its_users() {
        let all = shapes(Any::Shake).expect("all instances run");
        for role in Role::ALL {
            assert!(all.iter().any(|found| found.shape.role == role), "{role}");
        }
        let kdf: Vec<_> = all.iter().filter(|found| found.shape.role == Role::Kdf).collect();
        assert!(kdf.iter().all(|found| found.used_by.iter().all(|user| user.starts_with("kyber"))), "{kdf:?}");
        assert!(all.iter().all(|found| !found.used_by.is_empty()));
        for (index, found) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other.shape != found.shape), "twice: {found:?}");
        }
    }

    #[test]
    fn users_are_named_with_their_sampling_where_it_matters() {
        let users = [("a", Sampling::Eager), ("a", Sampling::Lazy), ("b", Sampling::Lazy)];
        assert_eq!(names(&users), ["a", "b lazy"]);
    }
}
