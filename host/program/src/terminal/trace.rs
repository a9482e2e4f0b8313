//! `--trace`: what docent does and how long it takes, on stderr.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

use docent_host::{CallTrace, TraceSink};

use super::notes;

/// Whether docent says what it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trace {
    /// It does not, and measures nothing.
    #[default]
    Off,
    /// It does.
    On,
}

impl Trace {
    /// Returns who receives the traces of calls; none where nobody wants them.
    pub fn sink(self) -> Option<TraceSink> {
        match self {
            Self::Off => None,
            Self::On => Some(Arc::new(|trace: &CallTrace| say(trace))),
        }
    }

    /// Does `work`, and says how long it took as `what`.
    pub fn timed<T>(self, what: &str, work: impl FnOnce() -> T) -> T {
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
