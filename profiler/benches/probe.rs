//! What watching costs: the same key generation unwatched, with `NoProbe`, with the recorder and with `tracing` spans.
//!
//! `cargo bench -p kemprof --bench probe`

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use anstyle::Style;
use kemprof::counter::{self, HostCounter};
use kemprof::render::grid::{Align, Grid};
use kemprof::render::units;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::trace::TracingProbe;
use kemprof_core::{Any, Counter, Kem, NoProbe, Probe, Profiled, Recorder, Sampling, Suite, Symmetric};
use std::hint::black_box;

const INSTANCE: &str = "lwekem128";
const ROUNDS: usize = 301;
/// Key generations of one sample.
const BATCH: u32 = 8;

struct Compare {
    counter: HostCounter,
    rounds: usize,
}

impl Visitor for Compare {
    type Output = Vec<(&'static str, Vec<f64>)>;

    fn visit<K: Kem>(mut self) -> Self::Output {
        let suite = || Suite::of(Any::Shake, &[0; 48]);
        let mut samples = vec![
            ("unwatched", Vec::new()),
            ("NoProbe", Vec::new()),
            ("recorder", Vec::new()),
            ("tracing, no subscriber", Vec::new()),
        ];
        for _ in 0..self.rounds {
            samples[0].1.push(self.sample::<K, _>(&mut suite()));
            samples[1].1.push(self.watched::<K, _>(suite(), NoProbe));
            let recorder = Recorder::new(self.counter.clone());
            samples[2].1.push(self.watched::<K, _>(suite(), recorder));
            samples[3].1.push(self.watched::<K, _>(suite(), TracingProbe::new()));
        }
        samples
    }
}

impl Compare {
    fn watched<K: Kem, P: Probe>(&mut self, suite: Suite<Any>, probe: P) -> f64 {
        self.sample::<K, _>(&mut Profiled::new(suite, probe))
    }

    /// Ticks of one key generation, over a batch.
    fn sample<K: Kem, S: Symmetric>(&mut self, sym: &mut S) -> f64 {
        let (mut public_key, mut secret_key) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
        let start = self.counter.read();
        for _ in 0..BATCH {
            K::keygen(sym, Sampling::Lazy, &mut public_key, &mut secret_key).expect("key generation runs");
            black_box((&public_key, &secret_key));
        }
        (self.counter.read() - start) as f64 / f64::from(BATCH)
    }
}

fn main() {
    // `cargo test --benches` runs this too, where a few rounds show that it still works.
    let quick = !std::env::args().any(|arg| arg == "--bench");
    let opened = counter::open("auto").expect("auto takes what there is");
    let rounds = if quick { 3 } else { ROUNDS };
    let samples = kem::visit(INSTANCE, Compare { counter: opened.counter, rounds }).expect("an instance");
    println!("{INSTANCE} keygen, shake, lazy; {rounds} rounds, interleaved; {}", opened.info.unit_in_words());
    let mut grid = Grid::new(&[Align::Left, Align::Right, Align::Right, Align::Right]);
    grid.row(Style::new(), ["probe", "median", "least", "over unwatched"]);
    for (name, ticks) in &samples {
        let over = ticks.iter().zip(&samples[0].1).map(|(ticks, unwatched)| ticks / unwatched - 1.0).collect();
        let least = ticks.iter().copied().fold(f64::INFINITY, f64::min);
        let cells = [units::count(median(ticks.clone())), units::count(least), units::percent(median(over))];
        grid.row(Style::new(), [(*name).to_owned()].into_iter().chain(cells));
    }
    print!("{}", anstream::adapter::strip_str(&grid.render("  ")));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
