//! The spans of one operation as a trace in the Chrome trace event format, which Perfetto and chrome://tracing open.

use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// One interval in which a span was entered ("complete event").
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Event {
    name: String,
    cat: &'static str,
    ph: &'static str,
    /// Start, in microseconds as the format asks.
    ts: f64,
    /// Length, in microseconds.
    dur: f64,
    pid: u32,
    tid: u32,
    args: Map<String, Value>,
}

/// A layer that keeps every interval of every `kemprof` span. A span's fields, those recorded late included, are the
/// arguments of all its intervals.
#[derive(Clone, Debug)]
pub struct TraceLayer {
    epoch: Instant,
    events: Arc<Mutex<Vec<Event>>>,
}

/// What the layer keeps of an open span.
#[derive(Debug, Default)]
struct OpenSpan {
    fields: Map<String, Value>,
    entered: Option<Instant>,
    /// Positions of its intervals among the events.
    intervals: Vec<usize>,
}

impl Default for TraceLayer {
    fn default() -> Self {
        Self { epoch: Instant::now(), events: Arc::default() }
    }
}

impl TraceLayer {
    /// The intervals so far as a JSON document, in the order in which they began.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner).clone();
        events.sort_by(|a, b| a.ts.total_cmp(&b.ts).then(b.dur.total_cmp(&a.dur)));
        let document = serde_json::json!({ "displayTimeUnit": "ns", "traceEvents": events });
        document.to_string() + "\n"
    }

    fn watches(metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("kemprof::phase") || metadata.target().starts_with("kemprof::symmetric")
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TraceLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id).filter(|span| Self::watches(span.metadata())) {
            let mut open = OpenSpan::default();
            attributes.record(&mut Fields(&mut open.fields));
            span.extensions_mut().insert(open);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<OpenSpan>()
        {
            values.record(&mut Fields(&mut open.fields));
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<OpenSpan>()
        {
            open.entered = Some(Instant::now());
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let now = Instant::now();
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<OpenSpan>()
            && let Some(entered) = open.entered.take()
        {
            let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            open.intervals.push(events.len());
            events.push(Event {
                name: span.name().to_owned(),
                cat: span.metadata().target(),
                ph: "X",
                ts: (entered - self.epoch).as_nanos() as f64 / 1e3,
                dur: (now - entered).as_nanos() as f64 / 1e3,
                pid: 1,
                tid: 1,
                args: Map::new(),
            });
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if let Some(span) = context.span(&id)
            && let Some(open) = span.extensions_mut().remove::<OpenSpan>()
        {
            let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            for interval in open.intervals {
                let event = &mut events[interval];
                // A call goes by its function; the span's own name is the same for all calls.
                if let (Some(function), Some(role)) = (open.fields.get("function"), open.fields.get("role")) {
                    event.name = format!("{} {}", text(function), text(role));
                }
                event.args.clone_from(&open.fields);
            }
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Collects a span's fields as JSON values.
struct Fields<'a>(&'a mut Map<String, Value>);

impl Visit for Fields<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}
