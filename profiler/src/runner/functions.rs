//! Symmetric functions on their own, at the lengths that a scheme asks for: what each would cost before the scheme runs over
//! it.

use super::job::{Job, Untimed};
use super::native::{self, RunError};
use kemprof_core::recorder::{CallKey, Counter, Key, Recorder};
use kemprof_core::symmetric::{Batch, Form, MAX_LANES};
use kemprof_core::{Any, Role, Sampling, Suite, Symmetric};
use std::hint::black_box;

/// Symmetric calls of one operation that are alike in function, role and length of input.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shape {
    /// What the scheme uses the function for.
    pub role: Role,
    /// How it asks for output.
    pub form: Form,
    /// The function's name.
    pub function: &'static str,
    /// Bytes in, of one call.
    pub in_bytes: usize,
    /// Bytes out, of one call; where calls differ, the most frequent.
    pub out_bytes: usize,
    /// Bits of output that the scheme consumes, of one call, on average.
    pub used_bits: f64,
    /// Calls of one operation.
    pub calls: usize,
}

/// The symmetric calls that one operation of `job` makes. They are counted, not timed.
///
/// # Errors
/// When the operation does not run.
pub fn shapes(job: &Job) -> Result<Vec<Shape>, RunError> {
    struct Alike {
        shape: Shape,
        used_bits: u64,
        /// How often the most frequent length of output occurs.
        most: u64,
    }
    let recorder = native::observe(job, Recorder::new(Untimed))?;
    let mut all: Vec<Alike> = Vec::new();
    for node in recorder.nodes() {
        let (Key::Call(CallKey { role, form, in_bytes, out_bytes }), Some(function)) = (node.key, node.function) else {
            continue;
        };
        let (in_bytes, out_bytes, function) = (in_bytes as usize, out_bytes as usize, function.name);
        let alike =
            |other: &&mut Alike| (other.shape.role, other.shape.form, other.shape.in_bytes) == (role, form, in_bytes);
        let found = match all.iter_mut().find(alike) {
            Some(found) => found,
            None => {
                let shape = Shape { role, form, function, in_bytes, out_bytes, used_bits: 0.0, calls: 0 };
                all.push(Alike { shape, used_bits: 0, most: 0 });
                all.last_mut().expect("was just added")
            }
        };
        found.shape.calls += node.calls as usize;
        found.used_bits += node.used_bits;
        found.shape.used_bits = found.used_bits as f64 / found.shape.calls as f64;
        if node.calls > found.most {
            (found.most, found.shape.out_bytes) = (node.calls, out_bytes);
        }
    }
    Ok(all.into_iter().map(|alike| alike.shape).collect())
}

/// What the calls of one [`Shape`] cost on their own.
#[derive(Clone, PartialEq, Debug)]
pub struct Timing {
    /// The calls, with the function that ran and the length that it was asked for.
    pub shape: Shape,
    /// The most messages that ran together.
    pub lanes: usize,
    /// Ticks of all calls of one operation, for each round.
    pub ticks: Vec<f64>,
}

/// The symmetric calls of one operation, over the functions of several jobs: on their own, with warm caches, in batches as large
/// as each likes, and taken in turns.
pub struct Functions {
    /// By shape, then by job.
    tasks: Vec<Vec<Task>>,
}

impl Functions {
    /// Prepares the calls of `shapes` for the functions of each of `jobs`.
    ///
    /// Where a job samples lazily, it is not asked for more of the matrix than was consumed, in its own blocks.
    #[must_use]
    pub fn new(shapes: &[Shape], jobs: &[Job]) -> Self {
        let tasks = shapes.iter().map(|shape| jobs.iter().map(|job| Task::new(*shape, job)).collect());
        Self { tasks: tasks.collect() }
    }

    /// Times every shape over every job once.
    pub fn round<C: Counter>(&mut self, counter: &mut C) {
        for task in self.tasks.iter_mut().flatten() {
            task.time(counter);
        }
    }

    /// What was measured: by shape, then by job.
    #[must_use]
    pub fn finish(self) -> Vec<Vec<Timing>> {
        let timing = |task: Task| Timing { shape: task.shape, lanes: task.lanes, ticks: task.ticks };
        self.tasks.into_iter().map(|jobs| jobs.into_iter().map(timing).collect()).collect()
    }
}

/// Permutations of one sample at the least: about 0.1 ms of SM3 or Keccak on a 2.5 GHz machine, long against reading any counter.
const SAMPLE_PERMUTATIONS: u64 = 512;

/// The calls of one shape over the functions of one job.
struct Task {
    suite: Suite<Any>,
    shape: Shape,
    lanes: usize,
    /// Operations' worth of calls in one sample.
    repeats: u64,
    input: Vec<u8>,
    output: Vec<u8>,
    ticks: Vec<f64>,
}

impl Task {
    fn new(asked: Shape, job: &Job) -> Self {
        let suite = job.suite();
        let Shape { role, form, in_bytes, calls, .. } = asked;
        let mut shape = Shape { function: suite.function(form, role).name, ..asked };
        if role == Role::Matrix && job.sampling == Sampling::Lazy {
            let used = (asked.used_bits / 8.0).ceil() as usize;
            shape.out_bytes = used.next_multiple_of(suite.squeeze_block(role)).min(asked.out_bytes);
        }
        let lanes = match role {
            Role::Matrix | Role::Noise => suite.lanes(role).min(calls),
            _ => 1,
        };
        let permutations = calls as u64 * suite.permutations(form, role, in_bytes, shape.out_bytes).max(1);
        Self {
            suite,
            lanes,
            repeats: SAMPLE_PERMUTATIONS.div_ceil(permutations),
            // Any bytes: symmetric functions take the same time for all.
            input: (0..in_bytes).map(|index| index as u8).collect(),
            output: vec![0; lanes * shape.out_bytes],
            shape,
            ticks: Vec::new(),
        }
    }

    fn time<C: Counter>(&mut self, counter: &mut C) {
        self.operation();
        let start = counter.read();
        for _ in 0..self.repeats {
            self.operation();
        }
        let ticks = counter.read().saturating_sub(start);
        self.ticks.push(ticks as f64 / self.repeats as f64);
    }

    /// Makes the calls of one operation.
    fn operation(&mut self) {
        let Self { suite, shape: Shape { role, form, calls, .. }, input, output, .. } = self;
        match (*form, *role) {
            // Indices in two bytes at the end of the message, or a nonce in one, as lattice schemes have them.
            (Form::Extendable, Role::Matrix) => self.batches::<2>(|suite, batch, output| {
                let stream = suite.open(Role::Matrix, batch, output);
                suite.close(stream, &[0; MAX_LANES][..batch.lanes()]);
            }),
            (Form::Extendable, Role::Noise) => {
                self.batches::<1>(|suite, batch, output| suite.xof_batch(Role::Noise, batch, output));
            }
            (form, role) => {
                for _ in 0..*calls {
                    let (input, output) = (&[black_box(&input[..])], black_box(&mut output[..]));
                    match form {
                        Form::Generator => suite.entropy(output),
                        Form::Fixed(_) => suite.hash(role, input, output),
                        Form::Extendable => suite.xof(role, input, output),
                    }
                }
            }
        }
    }

    /// Runs all messages in batches; the last `SUFFIX` bytes of each are its number.
    fn batches<const SUFFIX: usize>(&mut self, run: impl Fn(&mut Suite<Any>, &Batch<'_>, &mut [u8])) {
        let Self { suite, shape, lanes, input, output, .. } = self;
        let prefix = &black_box(&input[..])[..shape.in_bytes.saturating_sub(SUFFIX)];
        for start in (0..shape.calls).step_by(*lanes) {
            let suffixes: [[u8; SUFFIX]; MAX_LANES] = std::array::from_fn(|lane| [(start + lane) as u8; SUFFIX]);
            let batch = Batch::new(prefix, &suffixes[..(*lanes).min(shape.calls - start)]);
            run(suite, &batch, &mut black_box(&mut output[..])[..batch.lanes() * shape.out_bytes]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;
    use crate::evidence::{Operation, Plan};
    use crate::runner::Variant;

    fn job(instance: &str, operation: Operation, variant: &str) -> Job {
        let Variant { spec, sampling } = variant.parse().expect("is a variant");
        let plan = Plan { trials: 1, iterations_per_trial: 1, warmups: 0 };
        Job { instance: instance.to_owned(), operation, spec, sampling, seed: vec![1], plan }
    }

    fn shape(role: Role, all: &[Shape]) -> Shape {
        *all.iter().find(|shape| shape.role == role).expect("the role is there")
    }

    /// The published profile of lwekem256 keygen: 101 calls of pseudoXOF, two of the generator.
    #[test]
    fn shapes_are_the_calls_of_the_scheme() {
        let all = shapes(&job("lwekem256", Operation::Keygen, "placeholder")).expect("runs");
        let matrix = shape(Role::Matrix, &all);
        assert_eq!((matrix.calls, matrix.in_bytes, matrix.out_bytes, matrix.function), (81, 35, 1536, "pseudoXOF"));
        let noise = shape(Role::Noise, &all);
        assert_eq!((noise.calls, noise.in_bytes, noise.out_bytes, noise.used_bits), (18, 33, 32, 256.0));
        assert_eq!(shape(Role::Entropy, &all).calls, 2);
        assert_eq!(all.iter().map(|shape| shape.calls).sum::<usize>(), 101 + 2);
    }

    #[test]
    fn lengths_that_differ_are_one_shape_of_the_most_frequent() {
        let all = shapes(&job("lwekem256", Operation::Keygen, "shake@lazy")).expect("runs");
        let matrix = shape(Role::Matrix, &all);
        // Two blocks of SHAKE128.
        assert_eq!((matrix.calls, matrix.out_bytes), (81, 2 * 168));
        assert_eq!(all.iter().filter(|shape| shape.role == Role::Matrix).count(), 1);
    }

    #[test]
    fn lazy_variants_are_asked_for_what_is_consumed() {
        let all = shapes(&job("lwekem256", Operation::Keygen, "placeholder")).expect("runs");
        let jobs =
            ["placeholder", "sm3@lazy", "shake@lazy", "shake"].map(|name| job("lwekem256", Operation::Keygen, name));
        let timings = Functions::new(&all, &jobs).finish();
        let matrix = timings.iter().find(|jobs| jobs[0].shape.role == Role::Matrix).expect("the role is there");
        let lengths: Vec<_> = matrix.iter().map(|timing| timing.shape.out_bytes).collect();
        // Of 128 coefficients in 12 bits, 3329 of 4096 candidates accepted: 236 bytes, in blocks of 32 and 168.
        assert_eq!(lengths, [1536, 256, 336, 1536]);
        assert_eq!(matrix[2].shape.function, "shake128");
    }

    #[test]
    fn every_shape_of_every_scheme_runs_over_every_backend() {
        for instance in kemprof_core::kem::INSTANCES {
            for operation in Operation::ALL {
                let all = shapes(&job(instance, operation, "placeholder")).expect("runs");
                let jobs: Vec<Job> = Any::ALL
                    .iter()
                    .map(|&backend| Job {
                        spec: crate::runner::SuiteSpec::of(backend),
                        ..job(instance, operation, "placeholder@lazy")
                    })
                    .collect();
                let mut functions = Functions::new(&all, &jobs);
                for task in functions.tasks.iter_mut().flatten() {
                    task.output.fill(0);
                    task.operation();
                    let shape = task.shape;
                    assert!(task.output.iter().any(|&byte| byte != 0), "{instance} {operation} {shape:?}");
                }
            }
        }
    }

    #[test]
    fn ticks_are_of_one_operation() {
        let all = shapes(&job("lwekem128", Operation::Keygen, "placeholder")).expect("runs");
        let mut functions = Functions::new(&all, &[job("lwekem128", Operation::Keygen, "placeholder")]);
        let repeats: Vec<u64> = functions.tasks.iter().map(|jobs| jobs[0].repeats).collect();
        let mut counter = Mock::new((0..).step_by(1000));
        functions.round(&mut counter);
        functions.round(&mut counter);
        for (timings, repeats) in functions.finish().iter().zip(repeats) {
            assert_eq!(timings[0].ticks, [1000.0 / repeats as f64; 2]);
        }
    }
}
