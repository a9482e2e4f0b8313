//! What a call did, for those who want to know why it took as long as it did.
//!
//! Nobody asks as a rule, and then no clock is read: what is counted in any case, files and bytes
//! for progress, costs a few nanoseconds beside a call of the system.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::guard::Work;

/// Receives the trace of each call when it has ended, in the thread that ran it.
pub type TraceSink = Arc<dyn Fn(&CallTrace) + Send + Sync>;

/// What one call did.
#[derive(Clone, Debug)]
pub struct CallTrace {
    /// The function that was called.
    pub function: String,
    /// Where its instance came from.
    pub origin: InstanceOrigin,
    /// Whether the instance keeps text between calls.
    pub cache: Cache,
    /// Each stage that the call came to, in order, and how long it took.
    pub stages: Vec<(Stage, Duration)>,
    /// What the guest did with files meanwhile.
    pub work: Work,
    /// Why there was no answer; none where there was one.
    pub failure: Option<String>,
}

/// A stage of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// An instance is taken, whose directories are looked at, or made.
    Instance,
    /// JSON becomes the types of the function.
    Arguments,
    /// The guest runs.
    Guest,
    /// What it returned becomes JSON.
    Answer,
}

/// Whether an instance keeps document text between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// As much as the limits say.
    Kept,
    /// A small part of that, beside an instance that has it: enough for small trees.
    Small,
    /// None.
    Off,
}

/// Where an instance came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceOrigin {
    /// It was kept from an earlier call.
    Warm,
    /// It was made for this one.
    New,
}

/// Measures the stages of a call, if somebody wants to know.
pub(crate) struct Stopwatch(Option<Laps>);

struct Laps {
    last: Instant,
    stages: Vec<(Stage, Duration)>,
}

impl Stopwatch {
    /// Starts, if there is a `sink`.
    pub(crate) fn start(sink: Option<&TraceSink>) -> Self {
        Self(sink.map(|_| Laps {
            last: Instant::now(),
            stages: Vec::new(),
        }))
    }

    /// Ends a stage; the next one begins.
    pub(crate) fn lap(&mut self, stage: Stage) {
        if let Some(laps) = &mut self.0 {
            let now = Instant::now();
            laps.stages.push((stage, now - laps.last));
            laps.last = now;
        }
    }

    /// Returns the stages that have ended.
    pub(crate) fn stages(self) -> Vec<(Stage, Duration)> {
        self.0.map(|laps| laps.stages).unwrap_or_default()
    }
}

impl CallTrace {
    /// Returns how long all stages took.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.stages.iter().map(|(_, time)| *time).sum()
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Instance => "instance",
            Self::Arguments => "arguments",
            Self::Guest => "guest",
            Self::Answer => "answer",
        })
    }
}

/// Several lines, without a line break at the end.
impl fmt::Display for CallTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = Milliseconds(self.total());
        match &self.failure {
            None => write!(f, "{} answered in {total}", self.function)?,
            Some(failure) => write!(f, "{} failed in {total}: {failure}", self.function)?,
        }
        for (stage, time) in &self.stages {
            write!(f, "\n  {stage:<9} {}", Milliseconds(*time))?;
            if *stage == Stage::Instance {
                let origin = match self.origin {
                    InstanceOrigin::Warm => "warm",
                    InstanceOrigin::New => "new",
                };
                let cache = match self.cache {
                    Cache::Kept => "with a cache",
                    Cache::Small => "with a small cache",
                    Cache::Off => "without a cache",
                };
                write!(f, ", {origin}, {cache}")?;
            }
        }
        let work = &self.work;
        write!(
            f,
            "\n  opened    {} files ({} bytes read), {} directories ({} listed)",
            work.files, work.bytes, work.directories, work.listings
        )?;
        // A stamp that is answered spares the opening of a file that has not changed.
        write!(
            f,
            "\n  stamps    {} answered one by one, {} in sums",
            work.stamps, work.summed_stamps
        )?;
        if work.documents > 0 {
            let time = Milliseconds(work.reading);
            write!(f, "\n  readers   {} documents in {time}", work.documents)?;
        }
        if work.passages > 0 {
            write!(f, "\n  meaning   {} passages", work.passages)?;
        }
        Ok(())
    }
}

/// A time as people compare it.
struct Milliseconds(Duration);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ms", self.0.as_secs_f64() * 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_says_what_was_done_and_for_how_long() {
        let trace = CallTrace {
            function: "search-documents".to_owned(),
            origin: InstanceOrigin::Warm,
            cache: Cache::Kept,
            stages: vec![
                (Stage::Instance, Duration::from_micros(15)),
                (Stage::Guest, Duration::from_millis(2)),
            ],
            work: Work {
                files: 3,
                bytes: 4096,
                directories: 2,
                listings: 1,
                stamps: 5,
                summed_stamps: 70,
                documents: 1,
                reading: Duration::from_millis(1),
                passages: 9,
            },
            failure: None,
        };
        assert_eq!(
            trace.to_string(),
            "search-documents answered in 2.015 ms\n  \
             instance  0.015 ms, warm, with a cache\n  \
             guest     2.000 ms\n  \
             opened    3 files (4096 bytes read), 2 directories (1 listed)\n  \
             stamps    5 answered one by one, 70 in sums\n  \
             readers   1 documents in 1.000 ms\n  \
             meaning   9 passages"
        );
    }

    #[test]
    fn no_one_measures_what_no_one_asks_for() {
        let mut stopwatch = Stopwatch::start(None);
        stopwatch.lap(Stage::Guest);
        assert!(stopwatch.stages().is_empty());
        let sink: TraceSink = Arc::new(|_| {});
        let mut stopwatch = Stopwatch::start(Some(&sink));
        stopwatch.lap(Stage::Instance);
        stopwatch.lap(Stage::Guest);
        let stages: Vec<Stage> = stopwatch.stages().iter().map(|(stage, _)| *stage).collect();
        assert_eq!(stages, [Stage::Instance, Stage::Guest]);
    }
}
