//! Operations as they went, in the Chrome trace event format ("Trace Event Format", Google, 2016), which Perfetto and
//! chrome://tracing open.

use super::units::{count, percent};
use crate::evidence::Evidence;
use crate::runner::{Ran, Span, Timeline};
use kemprof_core::probe::Output;
use serde_json::{Value, json};

/// The operations, one after the other, each with the record that says what was run and what counted.
///
/// An event lies where it lies in time; its ticks and counts are arguments. Counts that are of each message are arrays.
#[must_use]
pub fn json(operations: &[(&Evidence, Timeline)]) -> String {
    let mut events = Vec::new();
    if let Some((record, _)) = operations.first() {
        let process = format!("kemprof {} {}, {}", record.instance, record.suite(), record.counts());
        events.push(name("process_name", 0, &process));
    }
    let (mut start, mut about) = (0.0, Vec::new());
    for (thread, (record, timeline)) in (1..).zip(operations) {
        let axis = Axis::of(record, timeline);
        events.push(name("thread_name", thread, &format!("{}, {}", record.operation, origin(record, timeline, &axis))));
        events.extend(timeline.spans.iter().map(|span| event(span, thread, |at| start + at * axis.microseconds)));
        start += timeline.spans.first().map_or(0.0, |operation| operation.from_to[1]) * axis.microseconds;
        about.push(json!({
            "instance": record.instance, "operation": record.operation, "variant": record.suite(),
            "counter": record.counter.name, "unit": timeline.probe_ticks.map(|_| &record.counter.unit),
            "hz": record.counter.hz, "probe_ticks": timeline.probe_ticks, "median_of": timeline.operations,
        }));
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events, "otherData": { "operations": about } }).to_string() + "\n"
}

/// What a microsecond of the picture stands for.
struct Axis {
    microseconds: f64,
    /// Where it is no microsecond.
    instead: Option<String>,
}

impl Axis {
    /// The scale of a timeline, in microseconds a tick or step.
    fn of(record: &Evidence, timeline: &Timeline) -> Self {
        let instead = |what: &str| Self { microseconds: 1.0, instead: Some(format!("1 µs stands for 1 {what}")) };
        match (timeline.probe_ticks, record.counter.hz) {
            (None, _) => instead("step: nothing was timed"),
            (_, Some(hz)) => Self { microseconds: 1e6 / hz as f64, instead: None },
            (_, None) => instead(record.counter.unit.trim_end_matches('s')),
        }
    }
}

/// Of what the timeline is, and what watching cost.
fn origin(record: &Evidence, timeline: &Timeline, axis: &Axis) -> String {
    let whole = timeline.spans.first().and_then(|operation| operation.ticks);
    let cost = timeline.probe_ticks.zip(whole).map(|(probe, whole)| {
        let of = percent(probe / (whole + probe));
        format!("without the {} {} ({of}) that probes took", count(probe), record.counter.unit)
    });
    let which = (timeline.operations > 1).then(|| format!("the median of {}", timeline.operations));
    let parts: Vec<String> = which.into_iter().chain(cost).chain(axis.instead.clone()).collect();
    parts.join(", ")
}

/// A metadata event.
fn name(what: &str, thread: u32, name: &str) -> Value {
    json!({ "name": what, "ph": "M", "pid": 1, "tid": thread, "args": { "name": name } })
}

/// A complete event.
fn event(span: &Span, thread: u32, microseconds: impl Fn(f64) -> f64) -> Value {
    let [from, to] = span.from_to.map(microseconds);
    let (name, category, mut args) = match &span.ran {
        Ran::Phase(phase) => (phase.to_string(), "phase", json!({})),
        Ran::Call { function, permutation, role, in_bytes, lanes, outputs, interval, intervals } => {
            let each = |count: fn(&Output) -> u64| outputs.iter().map(count).collect::<Vec<_>>();
            let args = json!({
                "function": function, "role": role.name(), "permutation": permutation, "lanes": lanes, "in_bits": 8 * in_bytes,
                "out_bits": each(|output| 8 * output.out_bytes as u64),
                "used_bits": each(|output| output.used_bits.into()),
                "permutations": each(|output| output.permutations),
                "interval": format!("{interval} of {intervals}"),
            });
            (format!("{function} {}", role.name()), "symmetric", args)
        }
    };
    args["ticks"] = json!(span.ticks);
    json!({
        "name": name, "cat": category, "ph": "X", "ts": from, "dur": to - from, "pid": 1, "tid": thread, "args": args,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture::record;
    use kemprof_core::Phase;

    fn timeline(ticks: Option<f64>) -> Timeline {
        let spans = [(Phase::Keygen, [0.0, 3000.0]), (Phase::Ntt, [500.0, 1500.0])];
        let spans = spans.map(|(phase, from_to)| Span {
            ran: Ran::Phase(phase.name().into()),
            from_to,
            ticks: ticks.map(|_| from_to[1] - from_to[0]),
        });
        Timeline { spans: spans.into(), probe_ticks: ticks, operations: 15 }
    }

    /// The names of processes and threads, and where each span lies in µs.
    fn shown(operations: &[(&Evidence, Timeline)]) -> (Vec<String>, Vec<[f64; 2]>) {
        let trace: Value = serde_json::from_str(&json(operations)).expect("JSON");
        let (names, spans): (Vec<_>, Vec<_>) =
            trace["traceEvents"].as_array().expect("events").iter().partition(|event| event["ph"] == "M");
        let name = |event: &Value| event["args"]["name"].as_str().expect("a name").to_owned();
        let span = |event: &Value| ["ts", "dur"].map(|part| event[part].as_f64().expect("µs"));
        (names.into_iter().map(name).collect(), spans.into_iter().map(span).collect())
    }

    #[test]
    fn its_face_says_what_counted_and_what_watching_cost() {
        let mut record = record(&[], &[(&["keygen"], 100)]);
        let (names, spans) = shown(&[(&record, timeline(Some(600.0))), (&record, timeline(Some(600.0)))]);
        assert!(names[0].ends_with(", tsc at 1000 MHz (ticks, not core cycles)"), "{names:?}");
        assert!(names[1].ends_with(", the median of 15, without the 600 ticks (16.7 %) that probes took"), "{names:?}");
        // One after the other.
        assert_eq!(spans, [[0.0, 3.0], [0.5, 1.0], [3.0, 3.0], [3.5, 1.0]]);

        (record.counter.hz, record.counter.unit) = (None, "instructions".to_owned());
        let (names, spans) = shown(&[(&record, timeline(Some(0.0)))]);
        assert!(names[1].ends_with(", 1 µs stands for 1 instruction") && spans[1] == [500.0, 1000.0], "{names:?}");
        let (names, _) = shown(&[(&record, timeline(None))]);
        assert!(names[1].ends_with("15, 1 µs stands for 1 step: nothing was timed"), "{names:?}");
    }
}
