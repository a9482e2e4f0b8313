//! The trace of a call: its stages, their times and its file operations.
//!
//! Without a sink no clock is read. The counters of files and bytes, which progress needs anyway,
//! cost a few nanoseconds beside a system call.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::guard::Work;

/// A callback that receives the trace of each call when it has ended, in the thread that ran it.
pub type TraceSink = Arc<dyn Fn(&CallTrace) + Send + Sync>;

/// The trace of one call.
#[derive(Clone, Debug)]
pub struct CallTrace {
    /// Name of the called function.
    pub function: String,
    /// Origin of its instance.
    pub origin: InstanceOrigin,
    /// Cache of the instance.
    pub cache: Cache,
    /// Stages that the call reached, in order, and the duration of each.
    pub stages: Vec<(Stage, Duration)>,
    /// File operations of the guest.
    pub work: Work,
    /// Error of the call; none if it was answered.
    pub failure: Option<String>,
}

/// A stage of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A warm instance is taken, after its directories are looked up, or one is created.
    Instance,
    /// JSON is converted to the types of the function.
    Arguments,
    /// The guest runs.
    Guest,
    /// The guest's answer is converted to JSON.
    Answer,
}

/// The cache of document text that an instance keeps between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// The size that the limits set.
    Kept,
    /// A small part of that, beside an instance that has the whole: enough for small trees.
    Small,
    /// No cache.
    Off,
}

/// The origin of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceOrigin {
    /// It was kept from an earlier call.
    Warm,
    /// It was created for this call.
    New,
}

/// A stopwatch for the stages of a call, which only runs if there is a sink.
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
    /// Returns the total duration of all stages.
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

/// Formats the trace in several lines, without a trailing line break.
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
        // A stamp that equals the remembered one saves opening the file, so the two lines
        // together show how well the cache works.
        write!(
            f,
            "\n  stamps    {} answered one by one, {} in sums, {} from watches",
            work.stamps, work.summed_stamps, work.watched_stamps
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

/// A duration in milliseconds, with three decimals.
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
                watched_stamps: 12,
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
             stamps    5 answered one by one, 70 in sums, 12 from watches\n  \
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
