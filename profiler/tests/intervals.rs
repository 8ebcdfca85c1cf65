//! Whether an interval for a share holds it as often as it says.

mod common;

use common::kemprof;
use kemprof::analysis::stats::{Sorted, mean_interval};
use kemprof::evidence;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A hundred runs of each case, made by the ignored test below with a release build on a virtual machine with other programs: the
/// command, ticks of the hash functions in each of five processes, and all ticks in them. One run gave no record.
const RUNS: &str = include_str!("shares.csv");
const CASES: [&str; 3] = ["dec ml-kem-768", "keygen lwekem256 --hash sm3 --sampling lazy", "enc lwekem128"];

#[test]
fn of_a_hundred_intervals_90_to_99_hold_the_median_of_all_runs() {
    let mut cases: BTreeMap<&str, Vec<Vec<f64>>> = BTreeMap::new();
    for line in RUNS.lines() {
        let [case, hash, all] = line.split(',').collect::<Vec<_>>()[..] else { panic!("three columns in {line}") };
        let ticks = |column: &str| column.split(' ').map(|ticks| ticks.parse().expect("ticks")).collect::<Vec<f64>>();
        // A process without a trial that counts has no share.
        let counted = ticks(hash).into_iter().zip(ticks(all)).filter(|(_, all)| *all > 0.0);
        let shares = counted.map(|(hash, all)| hash / all).collect();
        cases.entry(case).or_default().push(shares);
    }
    assert!(cases.keys().eq(&BTreeMap::from(CASES.map(|case| (case, ()))).into_keys().collect::<Vec<_>>()));
    for (case, runs) in cases {
        let median = Sorted::new(&runs.concat()).median().expect("runs");
        let holds = |shares: &&Vec<f64>| {
            mean_interval(shares).is_some_and(|interval| (interval.low..=interval.high).contains(&median))
        };
        let held = runs.iter().filter(holds).count();
        assert!((90..=99).contains(&(100 * held / runs.len())) && runs.len() >= 99, "{case}: {held} of {}", runs.len());
    }
}

#[test]
#[ignore = "it takes minutes, and makes tests/shares.csv"]
fn runs_are_recorded() {
    let mut text = String::new();
    for case in CASES.iter().cycle().take(300) {
        let args: Vec<&str> = case.split(' ').chain(["--trials", "20", "--processes", "5", "--json"]).collect();
        let output = kemprof().args(&args).output().expect("starts");
        let record = evidence::from_json(&String::from_utf8_lossy(&output.stdout)).expect("evidence");
        let (mut hash, mut all) = ([0; 5], [0; 5]);
        for (number, trial) in record.profiled.counted() {
            let process = trial.process as usize;
            for row in &record.calls {
                let ticks = row.trial_ticks()[number];
                all[process] += ticks;
                hash[process] += if row.is_generator() { 0 } else { ticks };
            }
            all[process] += record.phases.iter().map(|phase| phase.trial_ticks[number]).sum::<i64>();
        }
        let column = |ticks: [i64; 5]| ticks.map(|ticks| ticks.to_string()).join(" ");
        writeln!(text, "{case},{},{}", column(hash), column(all)).expect("a string takes all");
    }
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shares.csv"), text).expect("can be written");
}
