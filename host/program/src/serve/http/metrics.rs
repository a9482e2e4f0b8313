//! Metrics for Prometheus, under OpenTelemetry's names for MCP. Labels contain no text from
//! callers: tools and kinds of failure are from fixed lists, names of tokens from the token file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use docent_host::{CallError, Fault};

use crate::serve::tool_service::CompletedCall;

/// Upper bounds of the buckets of durations, in seconds: those of OpenTelemetry for MCP operations,
/// and two smaller ones, because a warm call takes a millisecond.
const BOUNDS: [f64; 16] = [
    0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];

/// Content type of the Prometheus text format.
pub const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The present load of a server.
pub struct Load {
    /// Number of running calls.
    pub running: usize,
    /// Number of calls that wait for a permit.
    pub waiting: usize,
    /// Number of sets of rights in use.
    pub services: usize,
}

/// The counters of a server.
#[derive(Default)]
pub struct Metrics {
    calls: Mutex<BTreeMap<(&'static str, &'static str), Durations>>,
    /// Number of calls, by the name of their token.
    callers: Mutex<BTreeMap<Arc<str>, u64>>,
    /// Number of requests without a valid token.
    pub unauthorized: AtomicU64,
    /// Number of calls that were refused a permit.
    pub refused: AtomicU64,
    /// Number of files that calls opened.
    files: AtomicU64,
}

#[derive(Default)]
struct Durations {
    /// Number of durations in each bucket, not cumulative.
    counts: [u64; BOUNDS.len()],
    count: u64,
    sum: Duration,
}

impl Metrics {
    /// Counts a completed call.
    pub fn count_call(&self, call: &CompletedCall<'_>) {
        let opened = call.openings.files.len() as u64 + call.openings.left_out;
        self.files.fetch_add(opened, Ordering::Relaxed);
        let failure = call.outcome.as_ref().err().map_or("", failure);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let durations = calls.entry((&call.tool.name, failure)).or_default();
        let seconds = call.time.as_secs_f64();
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            durations.counts[at] += 1;
        }
        durations.count += 1;
        durations.sum += call.time;
        drop(calls);
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        *callers.entry(Arc::clone(&call.caller.name)).or_default() += 1;
    }

    /// Returns all metrics in the text format of Prometheus.
    pub fn text(&self, load: Load) -> String {
        let mut text = MetricsText::default();
        self.write_calls(&mut text);
        self.write_callers(&mut text);
        let gauge = |name| (name, "gauge");
        let counter = |name| (name, "counter");
        text.single(
            gauge("docent_calls_running"),
            "Calls that run.",
            load.running,
        );
        text.single(
            gauge("docent_calls_waiting"),
            "Calls that are waiting.",
            load.waiting,
        );
        text.single(
            gauge("docent_pools"),
            "Sets of rights in use.",
            load.services,
        );
        text.single(
            counter("docent_files_opened_total"),
            "Files that calls opened, or tried to.",
            self.files.load(Ordering::Relaxed),
        );
        text.single(
            counter("docent_calls_refused_total"),
            "Calls rejected because too many waited, of one token or in total.",
            self.refused.load(Ordering::Relaxed),
        );
        text.single(
            counter("docent_auth_failures_total"),
            "Requests without a good token.",
            self.unauthorized.load(Ordering::Relaxed),
        );
        text.0
    }

    fn write_callers(&self, text: &mut MetricsText) {
        const NAME: &str = "docent_calls_total";

        text.head(NAME, "counter", "Calls by the name of their token.");
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, count) in &*callers {
            // Names of tokens contain neither quotation marks nor backslashes, which the text
            // format requires to be escaped in a label. The names come from the token file, and
            // never from a request.
            text.value(&format!("{NAME}{{token=\"{name}\"}}"), count);
        }
    }

    fn write_calls(&self, text: &mut MetricsText) {
        const NAME: &str = "mcp_server_operation_duration_seconds";

        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        text.head(NAME, "histogram", "Calls of tools, and how long they took.");
        for ((tool, failure), durations) in &*calls {
            let mut labels = format!(
                "mcp_method_name=\"tools/call\",gen_ai_tool_name=\"{tool}\",\
                 gen_ai_operation_name=\"execute_tool\",network_transport=\"tcp\""
            );
            if !failure.is_empty() {
                labels.push_str(&format!(",error_type=\"{failure}\""));
            }
            let mut below = 0;
            for (bound, count) in BOUNDS.iter().zip(durations.counts) {
                below += count;
                text.value(&format!("{NAME}_bucket{{{labels},le=\"{bound}\"}}"), below);
            }
            let count = durations.count;
            text.value(&format!("{NAME}_bucket{{{labels},le=\"+Inf\"}}"), count);
            text.value(
                &format!("{NAME}_sum{{{labels}}}"),
                durations.sum.as_secs_f64(),
            );
            text.value(&format!("{NAME}_count{{{labels}}}"), count);
        }
    }
}

/// Returns the kind of a failure.
fn failure(error: &CallError) -> &'static str {
    match error {
        // OpenTelemetry's name for an error that a tool reports.
        CallError::Refused(_) => "tool_error",
        CallError::Fault(fault) => match fault {
            Fault::Timeout(_) | Fault::RootSilent(_) => "timeout",
            Fault::OutOfMemory(_) | Fault::ResultTooLarge(_) => "limit",
            Fault::Cancelled => "cancelled",
            Fault::Busy => "busy",
            _ => "_OTHER",
        },
    }
}

/// The text of a response.
#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, series: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{series} {value}");
    }

    fn single(&mut self, (name, kind): (&str, &str), help: &str, value: impl std::fmt::Display) {
        self.head(name, kind, help);
        self.value(name, value);
    }
}

#[cfg(test)]
mod tests {
    use docent_host::Openings;
    use serde_json::{Map, Value};

    use super::*;
    use crate::serve::caller::Caller;

    #[test]
    fn calls_are_counted_by_tool_outcome_and_duration() {
        let metrics = Metrics::default();
        let tool = &docent_host::tools::table().tools[0];
        for (outcome, milliseconds) in [
            (Ok(Value::Null), 3),
            (Ok(Value::Null), 700),
            (Ok(Value::Null), 400_000),
            (Err(CallError::Fault(Fault::Cancelled)), 1),
        ] {
            metrics.count_call(&CompletedCall {
                caller: &Caller::local(),
                tool,
                request: &Map::new(),
                outcome: &outcome,
                time: Duration::from_millis(milliseconds),
                openings: &Openings::default(),
            });
        }
        let mut lines = MetricsText::default();
        metrics.write_calls(&mut lines);
        let name = &tool.name;
        let series = |suffix: &str, labels: &str| {
            let start = format!("mcp_server_operation_duration_seconds_{suffix}{{");
            let mut found = lines.0.lines().filter(|line| {
                line.starts_with(&start) && line.contains(labels) && line.contains(name)
            });
            let found = found.next().unwrap_or_default();
            found.rsplit_once(' ').unwrap().1.to_owned()
        };
        for (bound, count) in [
            ("0.001", "0"),
            ("0.005", "1"),
            ("0.5", "1"),
            ("1", "2"),
            ("+Inf", "3"),
        ] {
            assert_eq!(
                series("bucket", &format!("\"tcp\",le=\"{bound}\"")),
                count,
                "{bound}"
            );
        }
        assert_eq!(series("count", "\"tcp\"}"), "3");
        assert_eq!(series("sum", "\"tcp\"}"), "400.703");
        assert_eq!(series("count", "error_type=\"cancelled\""), "1");
    }
}
