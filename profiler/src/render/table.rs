//! The breakdown of one run for the terminal.

use super::grid::{Align, Grid};
use super::units;
use crate::analysis::stats::Interval;
use crate::evidence::{CallRow, EventRecord, EventsRecord, Evidence, Memory, PhaseRow, Sections};
use crate::kat::{Standing, standing};
use crate::words::plural;
use anstyle::{AnsiColor, Style};
use std::collections::BTreeSet;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const HASH_BAR: Style = AnsiColor::Red.on_default();
const OTHER_BAR: Style = AnsiColor::Blue.on_default();

/// Blocks of a bar for the whole operation.
const BAR: f64 = 20.0;
/// Difference of the total with probes to the time without them from which a reader is told.
const DISTURBED: f64 = 0.1;
/// The part of a figure from which it is shown how uncertain it is.
const NEGLIGIBLE: f64 = 0.01;
/// Shown for a figure that could not be had.
const NONE: &str = "-";

/// The whole report of one run, with ANSI styles: what was run, where its ticks went, and what to think of it.
#[must_use]
pub fn report(evidence: &Evidence) -> String {
    let mut out = heading(evidence);
    out.push('\n');
    out.push_str(&breakdown(evidence).render("  "));
    out.push('\n');
    for note in notes(evidence) {
        out.push_str(&note);
        out.push('\n');
    }
    out
}

/// Two lines: what ran on what, and how long it took.
fn heading(evidence: &Evidence) -> String {
    let derived = &evidence.derived;
    let name = format!("{} {}", evidence.instance, evidence.operation);
    let mut facts = vec![known_answers(evidence)];
    let plan = &evidence.plan;
    facts.push(format!("{} × {}", plan.trials, plural(plan.iterations_per_trial, "operation")));
    if let Some(median) = derived.median {
        let spread = derived.spread().filter(|spread| spread.count > 1);
        let spread = spread.map(|spread| spread.median_absolute_deviation / median);
        let deviation = spread.map(|spread| format!(" ± {}", units::percent(spread)));
        facts.push(format!(
            "median {}{}",
            quantity(units::count(median), &evidence.counter.unit),
            deviation.unwrap_or_default()
        ));
    }
    if evidence.counter.meaningful {
        facts.extend(derived.seconds_per_operation.map(units::seconds));
        facts.extend(derived.operations_per_second.map(|rate| format!("{}/s", units::count(rate))));
    }
    let remark = standing(&evidence.instance, &evidence.backends).and_then(Standing::remark);
    let remark = remark.map(|remark| format!(" ({remark})")).unwrap_or_default();
    let what = format!("{}{remark}", evidence.suite());
    let on = evidence.place();
    format!("{BOLD}{name}{BOLD:#}   {what}   {on}\n{}\n", facts.join("   "))
}

/// `known answers PASS (bfdce171…)`, or why there are none.
fn known_answers(evidence: &Evidence) -> String {
    match &evidence.kat_digest {
        Some(digest) => format!("known answers {} ({}…)", evidence.kat, digest.chars().take(8).collect::<String>()),
        None => evidence.kat.replacen("NOT-APPLICABLE", "known answers not applicable", 1),
    }
}

/// `2.41 M ticks`, `544 ticks`.
fn quantity(count: String, unit: &str) -> String {
    format!("{count} {unit}")
}

/// One line of the table: a share of the total, and what there is to say of it.
struct Row {
    cells: [String; 8],
    ticks: Option<i64>,
    /// Half of the 95 % interval, in ticks of one operation.
    reach: Option<f64>,
}

fn breakdown(evidence: &Evidence) -> Grid {
    use Align::{Left, Right};
    let total = evidence.profiled.ticks.map(|ticks| ticks as i64);
    let operations = evidence.profiled.operations;
    let mut grid = Grid::new(&[Left, Left, Right, Right, Right, Right, Right, Right, Right, Right, Left])
        .giving_way(&["", "permutations", "per perm.", "used", "bits in → out"]);
    grid.row(
        BOLD,
        [
            "function",
            "role",
            "calls",
            "bits in → out",
            "used",
            "per call",
            "permutations",
            "per perm.",
            "share",
            "±",
            "",
        ],
    );
    let mut push = |row: Row, style: Style, bar: Style| {
        let share = row.ticks.zip(total).map(|(ticks, total)| ticks as f64 / total as f64);
        let blocks = "█".repeat(share.map_or(0, |share| (share.min(1.0) * BAR).round() as usize));
        let shown = share.map_or(NONE.to_owned(), units::percent);
        let reach = row
            .reach
            .zip(row.ticks.filter(|&ticks| ticks > 0))
            .map(|(reach, ticks)| reach * operations as f64 / ticks as f64);
        let reach = reach.filter(|&reach| reach >= NEGLIGIBLE).map(units::percent).unwrap_or_default();
        grid.row(style, row.cells.into_iter().chain([shown, reach, blocks]));
        grid.restyle_last(bar);
    };
    let (generators, hashes): (Vec<_>, Vec<_>) =
        groups(&evidence.calls).into_iter().partition(|group| group.generator());
    let mut last_function = "";
    for group in &hashes {
        let repeated = group.first().function == last_function;
        last_function = &group.first().function;
        push(group.row(operations, repeated), PLAIN, HASH_BAR);
    }
    let all: Vec<&CallRow> = hashes.iter().flat_map(|group| group.0.iter().copied()).collect();
    push(Group(all.clone()).summary(operations, "hash"), BOLD, HASH_BAR);
    for group in &generators {
        push(group.row(operations, false), PLAIN, HASH_BAR);
    }
    if !generators.is_empty() {
        let all = all.into_iter().chain(generators.iter().flat_map(|group| group.0.iter().copied())).collect();
        push(Group(all).summary(operations, "symmetric"), BOLD, HASH_BAR);
    }
    for (name, phase) in rest(&evidence.phases) {
        let mut cells = labelled(name);
        if total.is_none() {
            // Then how often they ran is all that there is.
            cells[2] = units::calls(phase.calls as f64 / operations as f64);
        }
        push(
            Row { cells, ticks: phase.self_ticks, reach: phase.interval.map(|interval| interval.reach()) },
            PLAIN,
            OTHER_BAR,
        );
    }
    if total.is_some() {
        let mut cells = labelled("total".to_owned());
        cells[5] = ticks_per(total, operations as f64);
        push(Row { cells, ticks: total, reach: None }, BOLD, PLAIN);
    }
    grid.without_empty(NONE)
}

fn labelled(name: String) -> [String; 8] {
    let mut cells: [String; 8] = Default::default();
    cells[0] = name;
    cells
}

fn ticks_per(ticks: Option<i64>, count: f64) -> String {
    ticks.filter(|_| count > 0.0).map_or(NONE.to_owned(), |ticks| units::count(ticks as f64 / count))
}

/// Time outside of symmetric functions by phase, the largest first.
fn rest(phases: &[PhaseRow]) -> Vec<(String, &PhaseRow)> {
    let name = |phase: &PhaseRow| {
        let within = |other: &PhaseRow| other.path.len() > phase.path.len() && other.path.starts_with(&phase.path);
        let itself = if phases.iter().any(within) { " itself" } else { "" };
        // The outermost phase is the operation, which the heading names.
        let shown = if phase.path.len() > 1 { &phase.path[1..] } else { &phase.path[..] };
        shown.join("/") + itself
    };
    let mut rows: Vec<_> = phases.iter().map(|phase| (name(phase), phase)).collect();
    rows.sort_by_key(|(_, phase)| std::cmp::Reverse(phase.self_ticks));
    rows
}

/// Calls of one function and role with inputs of one length. Lazy sampling gives outputs of several lengths.
struct Group<'a>(Vec<&'a CallRow>);

fn groups(calls: &[CallRow]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for call in calls {
        let alike = |other: &CallRow| {
            (&other.function, &other.role, other.in_bits) == (&call.function, &call.role, call.in_bits)
                && (call.used_bits < call.out_bits as f64 || call.out_bits == other.out_bits)
        };
        match groups.last_mut().filter(|group| alike(group.first())) {
            Some(group) => group.0.push(call),
            None => groups.push(Group(vec![call])),
        }
    }
    groups
}

impl Group<'_> {
    fn first(&self) -> &CallRow {
        self.0[0]
    }

    fn generator(&self) -> bool {
        self.first().is_generator()
    }

    fn calls(&self) -> f64 {
        self.0.iter().map(|row| row.calls).sum::<u64>() as f64
    }

    fn ticks(&self) -> Option<i64> {
        self.0.iter().map(|row| row.ticks).sum()
    }

    fn total(&self, of: impl Fn(&CallRow) -> f64) -> f64 {
        self.0.iter().map(|row| of(row) * row.calls as f64).sum()
    }

    fn row(&self, operations: u64, repeated: bool) -> Row {
        let first = self.first();
        let lengths = self.0.iter().map(|row| row.out_bits);
        let (least, most) = (lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0));
        let out = if least == most { least.to_string() } else { format!("{least}..{most}") };
        let summary = self.summary(operations, if repeated { "" } else { &first.function });
        let [function, _, calls, _, used, per_call, permutations, per_permutation] = summary.cells;
        let lengths = if self.generator() { format!("→ {out}") } else { format!("{} → {out}", first.in_bits) };
        let role = first.role.clone();
        Row { cells: [function, role, calls, lengths, used, per_call, permutations, per_permutation], ..summary }
    }

    /// The figures that add up over functions.
    fn summary(&self, operations: u64, name: &str) -> Row {
        let (calls, ticks) = (self.calls(), self.ticks());
        let permutations = self.total(|row| row.permutations);
        let used = self.total(|row| row.used_bits) / self.total(|row| row.out_bits as f64);
        let mut cells = labelled(name.to_owned());
        cells[2] = units::calls(calls / operations as f64);
        cells[4] = if used.is_finite() { format!("{:.0} %", 100.0 * used) } else { String::new() };
        cells[5] = ticks_per(ticks, calls);
        cells[6] = units::calls(permutations / operations as f64);
        cells[7] = ticks_per(ticks, permutations);
        // At most: intervals of rows that move together add up.
        let reach = self.0.iter().map(|row| row.interval.map(|interval| interval.reach())).sum();
        Row { cells, ticks, reach }
    }
}

/// Which code the backends chose on that processor: `code: avx2`, or each part by its name.
fn code(evidence: &Evidence) -> Option<String> {
    let code = evidence.code.as_ref()?;
    let names: BTreeSet<&String> = code.values().collect();
    let parts: Vec<String> = match names.len() {
        1 => names.into_iter().cloned().collect(),
        _ => code.iter().map(|(part, name)| format!("{part} {name}")).collect(),
    };
    Some(format!("code that ran: {}.", parts.join(", ")))
}

/// How the trials spread, and how sure the share is.
fn trials(evidence: &Evidence) -> Option<String> {
    let derived = &evidence.derived;
    let spread = derived.spread().filter(|spread| spread.count > 1)?;
    let range = |low, high| format!("{} to {}", units::count(low), units::count(high));
    let quiet = derived.quiet.as_ref();
    let quiet =
        quiet.map(|quiet| format!("{} of {} quiet: ", quiet.quiet, plural(quiet.trials, "trial"))).unwrap_or_default();
    let unit = &evidence.counter.unit;
    let mut text = if spread.min == spread.max {
        format!("{quiet}each trial took the same {} {unit}", units::count(spread.max))
    } else {
        format!(
            "{quiet}half of them take {} {unit}, nine in ten {}; {}, none dropped",
            range(spread.p25, spread.p75),
            range(spread.p5, spread.p95),
            plural(spread.outliers, "outlier")
        )
    };
    if let Some(medians) = derived.process_medians {
        let range = range(medians.min, medians.max);
        text += &format!("; {}, whose medians are {range}", plural(evidence.processes, "process"));
    }
    let interval = |name: &str, interval: Option<Interval>| {
        interval.map(|Interval { low, high }| format!("{name} {:.2} to {:.2} %", 100.0 * low, 100.0 * high))
    };
    let shares = [
        interval("hash share", derived.hash_share_interval),
        interval("symmetric share", derived.symmetric_share_interval),
    ];
    let shares: Vec<String> = shares.into_iter().flatten().collect();
    if !shares.is_empty() {
        text += &format!("; {} (95 %, over {} processes)", shares.join(", "), evidence.processes);
    }
    Some(text + ".")
}

/// What one operation takes of memory, as far as it is known.
fn memory(memory: &Memory) -> Option<String> {
    let kib = |bytes: u64| format!("{} KiB", bytes.div_ceil(1024));
    let resident = memory.peak.zip(memory.baseline).map(|(peak, baseline)| {
        format!(
            "at most {} of RAM above the {} of a process of its own",
            kib(peak.saturating_sub(baseline)),
            kib(baseline)
        )
    });
    let parts = [memory.stack_peak.map(|bytes| format!("one operation takes {} of stack", kib(bytes))), resident];
    let known: Vec<String> = parts.into_iter().flatten().collect();
    (!known.is_empty()).then(|| format!("memory: {}.", known.join("; ")))
}

/// What a program of the algorithm alone occupies, or why that is not known where it was asked for.
fn code_size(memory: &Memory) -> Option<String> {
    if let Some((Sections { text, rodata, data, bss }, total)) = memory.sections.zip(memory.static_bytes) {
        return Some(format!(
            "code size: {total} bytes (text {text}, rodata {rodata}, data {data}, bss {bss}) of a program of this instance and these \
             functions alone, all three operations."
        ));
    }
    let reason = memory.static_unavailable.as_ref().filter(|reason| *reason != Memory::NOT_ASKED)?;
    Some(format!("code size: unknown, {reason}."))
}

/// What a reader should know besides the table.
fn notes(evidence: &Evidence) -> Vec<String> {
    let mut notes = Vec::new();
    let matrix: Vec<&CallRow> = evidence.calls.iter().filter(|call| call.role == "matrix").collect();
    let group = Group(matrix);
    let (used, out) = (group.total(|row| row.used_bits), group.total(|row| row.out_bits as f64));
    if out > 0.0 && used / out < 0.5 {
        let advice = if evidence.sampling == "eager" { "; `--sampling lazy` gives the same keys" } else { "" };
        notes.push(format!(
            "{:.0} % of what the matrix XOF put out was never used{advice}.",
            100.0 * (1.0 - used / out)
        ));
    }
    notes.extend(code(evidence));
    notes.extend(trials(evidence));
    if let Some(overhead) = evidence.derived.probe_overhead {
        let cost = evidence.counter.overhead_per_call.unwrap_or_default();
        let unit = &evidence.counter.unit;
        let share = if overhead > 0.0 { units::percent(overhead) } else { "less than can be told".to_owned() };
        let whole = if unit == "instructions" { "instructions" } else { "time" };
        notes.push(format!("probes cost {share} of the {whole} ({cost:.0} {unit} a call, subtracted above)."));
    }
    let profiled = evidence.profiled.ticks.map(|ticks| ticks as f64 / evidence.profiled.operations as f64);
    if let Some((profiled, median)) = profiled.zip(evidence.derived.median)
        && (profiled / median - 1.0).abs() > DISTURBED
    {
        notes.push(format!(
            "the parts sum to {} an operation, {} the time without probes: calls as short as these are disturbed by \
             watching them, or the machine was busy.",
            units::count(profiled),
            units::percent(profiled / median),
        ));
    }
    notes.extend(memory(&evidence.memory));
    notes.extend(code_size(&evidence.memory));
    notes.extend(evidence.events.as_ref().map(events));
    if let Some(reason) = &evidence.counter.unavailable {
        let counter = &evidence.counter;
        notes.push(match counter.name.as_str() {
            "none" => format!("no {}: {reason}.", counter.unit),
            name => format!("no {}: counter {name} is unavailable ({reason}).", counter.unit),
        });
    }
    notes.extend(evidence.warnings.iter().map(|warning| format!("{DIM}warning: {warning}{DIM:#}")));
    notes
}

/// `events an operation: cycles 4.21 M, instructions 13.1 M, 3.11 instructions per cycle (401 operations of their own).`
fn events(events: &EventsRecord) -> String {
    let one = |event: &EventRecord| {
        let figure = event.per_operation.map_or(NONE.to_owned(), units::count);
        let unit = if event.name == "task-clock" { " ns" } else { "" };
        format!("{} {figure}{unit}", event.name)
    };
    let mut parts: Vec<String> = events.counts.iter().map(one).collect();
    parts.extend(events.instructions_per_cycle.map(|ratio| format!("{ratio:.2} instructions per cycle")));
    format!("events an operation: {} ({} of their own).", parts.join(", "), plural(events.operations, "operation"))
}
