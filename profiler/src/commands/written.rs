//! What runs write: names that tell records apart which say nothing about each other, and nothing beside them of an earlier run.

use super::settings;
use crate::cli::Failure;
use crate::evidence::{self, Evidence, Operation, with_ending};
use crate::files::{self, WriteError, Wrote};
use crate::platform::Purpose;
use crate::platform::cortex_m4::Board;
use crate::render;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};

/// The name of a record: its operation and `variant`, as `--hash` takes it, then what else two records must have in common to be
/// compared, as far as it is not what the target has without options.
pub(super) fn name(record: &Evidence, variant: &str, purpose: Purpose) -> String {
    let Evidence { instance, operation, .. } = record;
    let compared = if purpose == Purpose::Compare { "-compare" } else { "" };
    plain(&format!("{instance}-{operation}-{variant}{}{compared}", conditions(record)))
}

/// The name of the chart of a comparison, of which `record` is one, with its ending.
pub(super) fn chart_name(record: &Evidence, operations: &[Operation]) -> String {
    let operation = if let [operation] = operations { format!("-{operation}") } else { String::new() };
    plain(&format!("{}{operation}{}-compare.svg", record.instance, conditions(record)))
}

/// Where and how a record was measured, as the end of a name: nothing for this machine with the counter that every machine of its
/// kind has.
fn conditions(record: &Evidence) -> String {
    let fact = |name: &str| record.environment.get(name);
    let architecture = record.target.split('-').next().unwrap_or_default();
    let place = match record.runner.as_str() {
        "native" | "valgrind" => fact("remote").and_then(Value::as_str).unwrap_or_default().replace(':', "-"),
        "qemu-user" => format!("{architecture}-qemu"),
        "m4sim" => "cortex-m4".to_owned(),
        "qemu-system" if architecture == "aarch64" => "aarch64".to_owned(),
        "qemu-system" => "cortex-m4-qemu".to_owned(),
        runner => format!("cortex-m4-{runner}"),
    };
    let on_m4 = place.starts_with("cortex-m4");
    let usual_counter = match architecture {
        _ if on_m4 => "dwt",
        "x86_64" => "tsc",
        "aarch64" if record.runner == "qemu-system" => "instructions",
        "aarch64" => "cntvct",
        _ => "clock",
    };
    let board = fact("board").and_then(Value::as_str).filter(|board| *board != Board::default().name());
    let setting = fact("clock").and_then(Value::as_str).filter(|setting| *setting != "zero-wait");
    let states = fact("wait_states").and_then(Value::as_u64).filter(|states| *states > 0);
    let rate = record.counter.hz.filter(|_| on_m4).map(|hz| format!("{}MHz", hz as f64 / 1e6));
    let seed = hex::encode(Sha256::digest(&record.seed));
    let parts = [
        Some(place).filter(|place| !place.is_empty()),
        board.map(str::to_owned),
        setting.map(str::to_owned),
        rate,
        states.map(|states| format!("{states}ws")),
        Some(record.counter.name.clone()).filter(|name| name != usual_counter),
        (record.seed != hex::encode(settings::DEFAULT_SEED)).then(|| format!("seed-{}", &seed[..8])),
    ];
    parts.into_iter().flatten().map(|part| format!("-{part}")).collect()
}

/// The name with nothing in it that a shell or a file system takes for something else.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.+=@".contains(c) { c } else { '_' }).collect()
}

/// Folded stacks and the flamegraph made of them.
pub(super) struct Pictures {
    pub(super) folded: String,
    pub(super) svg: String,
}

impl Pictures {
    /// Draws a record.
    pub(super) fn of(record: &Evidence) -> Result<Self, render::flamegraph::FlamegraphError> {
        let folded = render::folded::lines(record)?.join("\n") + "\n";
        Ok(Self { folded, svg: render::flamegraph::svg(record)? })
    }

    /// Writes `stem.folded` and `stem.svg`.
    pub(super) fn write(&self, stem: &Path) -> Result<Written, WriteError> {
        let mut written = Written::default();
        written.add(with_ending(stem, "folded"), &self.folded)?;
        written.add(with_ending(stem, "svg"), &self.svg)?;
        Ok(written)
    }
}

/// Writes evidence, pictures of it (none without ticks, of which there is nothing to draw) and `instructions`, and removes what an
/// earlier run wrote under this name.
pub(super) fn write(stem: &Path, record: &Evidence, instructions: Option<Pictures>) -> Result<Written, Failure> {
    let pictures = record.profiled.ticks.map(|_| Pictures::of(record)).transpose()?;
    let pairs = [("", pictures), ("instructions.", instructions)].into_iter();
    let pictures: Vec<(String, String)> = pairs
        .filter_map(|(prefix, pair)| Some((prefix, pair?)))
        .flat_map(|(prefix, Pictures { folded, svg })| {
            [(format!("{prefix}folded"), folded), (format!("{prefix}svg"), svg)]
        })
        .collect();
    // Before the new evidence is there, so that none of them is ever beside what it was not made of.
    let mut written = Written { removed: evidence::remove_drawn(stem)?, ..Written::default() };
    written.add(with_ending(stem, "json"), &evidence::to_json(record))?;
    for (ending, text) in pictures {
        written.add(with_ending(stem, &ending), &text)?;
    }
    Ok(written)
}

/// Files that were written, and that were removed.
#[derive(Default)]
pub(super) struct Written {
    files: Vec<(PathBuf, Wrote)>,
    removed: Vec<PathBuf>,
}

impl Written {
    /// Writes one more.
    pub(super) fn add(&mut self, path: PathBuf, text: &str) -> Result<(), WriteError> {
        let wrote = files::write(&path, text.as_bytes())?;
        let before = self.removed.iter().position(|removed| *removed == path).map(|index| self.removed.remove(index));
        self.files.push((path, if before.is_some() { Wrote::Replaced } else { wrote }));
        Ok(())
    }

    /// What others wrote, too.
    pub(super) fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.removed.extend(other.removed);
    }

    pub(super) fn paths(&self) -> Vec<&Path> {
        self.files.iter().map(|(path, _)| path.as_path()).collect()
    }

    /// How many of the files were there before.
    pub(super) fn replaced(&self) -> usize {
        self.files.iter().filter(|(_, wrote)| *wrote == Wrote::Replaced).count()
    }
}

/// One line, or none where nothing was written that has a name.
impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.files.iter().filter(|(_, wrote)| *wrote != Wrote::Stream);
        let mut words: Vec<String> = named
            .map(|(path, wrote)| format!("{}{}", path.display(), if *wrote == Wrote::Replaced { REPLACED } else { "" }))
            .collect();
        if words.is_empty() {
            return Ok(());
        }
        words.extend(self.removed.iter().map(|path| format!("removed {} of an earlier run", path.display())));
        writeln!(f, "wrote {}", words.join(", "))
    }
}

/// What is said of a file that took the place of another.
const REPLACED: &str = " (replaced)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::diff::diff;
    use crate::analysis::fixture::{call, record};
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::fs;

    /// A record of this kind of machine, without options.
    fn usual() -> Evidence {
        let mut record = record(&[call("f", "g", 8, 8, 1000)], &[(&["keygen"], 100)]);
        record.instance = "lwekem256".to_owned();
        record.sampling = "eager".to_owned();
        record.target = "x86_64-unknown-linux-gnu".to_owned();
        record.runner = "native".to_owned();
        record.seed = hex::encode(settings::DEFAULT_SEED);
        record.environment = json!({});
        record
    }

    fn on_m4(change: impl FnOnce(&mut Evidence)) -> Evidence {
        let mut record = usual();
        record.target = "thumbv7em-none-eabihf".to_owned();
        record.runner = "m4sim".to_owned();
        (record.counter.name, record.counter.unit, record.counter.hz) = ("dwt".to_owned(), "cycles".to_owned(), None);
        record.environment = json!({ "board": "mps2-an386", "clock": "zero-wait", "wait_states": 0 });
        change(&mut record);
        record
    }

    fn host(change: impl FnOnce(&mut Evidence)) -> Evidence {
        let mut record = usual();
        change(&mut record);
        record
    }

    fn environment(record: &mut Evidence, name: &str, value: impl Into<Value>) {
        record.environment[name] = value.into();
    }

    #[test]
    fn defaults_have_no_words_and_everything_else_has_its_own() {
        let of = |record: &Evidence| name(record, "sm3", Purpose::Profile);
        assert_eq!(of(&usual()), "lwekem256-keygen-sm3");
        assert_eq!(
            name(&usual(), "sm3+xof=shake@lazy", Purpose::Compare),
            "lwekem256-keygen-sm3+xof=shake@lazy-compare"
        );
        assert_eq!(of(&on_m4(|_| ())), "lwekem256-keygen-sm3-cortex-m4");
        let board = on_m4(|record| {
            environment(record, "board", "stm32f4discovery");
            environment(record, "wait_states", 5);
            environment(record, "clock", "full");
            record.counter.hz = Some(168_000_000);
        });
        assert_eq!(of(&board), "lwekem256-keygen-sm3-cortex-m4-stm32f4discovery-full-168MHz-5ws");
        assert_eq!(of(&host(|record| record.counter.name = "clock".to_owned())), "lwekem256-keygen-sm3-clock");
        let remote = host(|record| environment(record, "remote", "ssh:me@a/b c"));
        assert_eq!(of(&remote), "lwekem256-keygen-sm3-ssh-me@a_b_c");
        let seed = of(&host(|record| record.seed = "00".to_owned()));
        assert!(seed.starts_with("lwekem256-keygen-sm3-seed-") && seed.len() == 34, "{seed}");
    }

    #[test]
    fn records_that_are_not_comparable_have_different_names() {
        let records = [
            usual(),
            host(|record| record.operation = Operation::Dec),
            host(|record| record.instance = "lwekem128".to_owned()),
            host(|record| record.counter.name = "perf".to_owned()),
            host(|record| {
                record.runner = "valgrind".to_owned();
                record.counter.name = "callgrind".to_owned();
            }),
            host(|record| record.seed = "01".to_owned()),
            host(|record| record.seed = "02".to_owned()),
            host(|record| environment(record, "remote", "ssh:pi")),
            host(|record| {
                record.target = "aarch64-unknown-linux-gnu".to_owned();
                record.runner = "qemu-user".to_owned();
                record.counter.name = "cntvct".to_owned();
            }),
            on_m4(|_| ()),
            on_m4(|record| record.runner = "qemu-system".to_owned()),
            on_m4(|record| record.runner = "probe-rs".to_owned()),
            on_m4(|record| record.counter.hz = Some(168_000_000)),
            on_m4(|record| environment(record, "board", "nucleo-f446ze")),
            on_m4(|record| environment(record, "clock", "default")),
            on_m4(|record| environment(record, "wait_states", 1)),
            on_m4(|record| environment(record, "wait_states", 5)),
        ];
        let mut names = BTreeMap::new();
        for (number, record) in records.iter().enumerate() {
            for purpose in [Purpose::Profile, Purpose::Compare] {
                let earlier = names.insert(name(record, "sm3", purpose), number);
                assert_eq!(earlier, None, "records {earlier:?} and {number}");
            }
        }
        assert!(records.iter().skip(1).any(|record| diff(&records[0], record).is_err()));
    }

    #[test]
    fn an_earlier_run_of_the_same_name_leaves_nothing() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let stem = folder.path().join("a.b");
        let record = usual();
        let pair = || Pictures { folded: "x 1\n".to_owned(), svg: "<svg/>".to_owned() };
        let first = write(&stem, &record, Some(pair())).expect("writable");
        assert_eq!((first.paths().len(), first.replaced(), first.removed.len()), (5, 0, 0));
        let other = with_ending(&stem, "other");
        fs::write(&other, "mine").expect("writable");
        let mut without = record.clone();
        without.profiled.ticks = None;
        let second = write(&stem, &without, None).expect("writable");
        assert_eq!((second.paths(), second.replaced()), (vec![with_ending(&stem, "json").as_path()], 1));
        let line = second.to_string();
        assert!(
            line.contains("a.b.json (replaced), removed ") && line.contains("a.b.instructions.svg of an"),
            "{line}"
        );
        assert_eq!(fs::read_dir(folder.path()).expect("is there").count(), 2);
        write(&stem, &record, None).expect("writable");
        let third = write(&stem, &record, None).expect("writable");
        assert_eq!((third.replaced(), third.removed.len()), (3, 0), "{third}");
        assert!(other.is_file());
    }
}
