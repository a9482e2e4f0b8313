//! `--trace`: the stages of each call and their times, on stderr.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

use docent_host::{CallTrace, TraceSink};

use super::notes;

/// The state of tracing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trace {
    /// No tracing, and no measurements.
    #[default]
    Off,
    /// Tracing.
    On,
}

impl Trace {
    /// Returns the sink for traces of calls; none without tracing.
    pub fn sink(self) -> Option<TraceSink> {
        match self {
            Self::Off => None,
            Self::On => Some(Arc::new(|trace: &CallTrace| say(trace))),
        }
    }

    /// Runs `work`, and reports its duration as `what`.
    pub fn time<T>(self, what: &str, work: impl FnOnce() -> T) -> T {
        match self {
            Self::Off => work(),
            Self::On => {
                let start = Instant::now();
                let outcome = work();
                let milliseconds = start.elapsed().as_secs_f64() * 1000.0;
                say(&format_args!("{what} in {milliseconds:.3} ms"));
                outcome
            }
        }
    }
}

/// Writes each line of `text` to stderr.
fn say(text: &impl Display) {
    let text = text.to_string();
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("docent: trace: {line}"))
        .collect();
    notes::say(lines.join("\n"));
}
