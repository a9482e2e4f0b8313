//! The clock that measures the time of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use wasmtime_wasi::HostMonotonicClock;

/// Interval at which a running guest is checked for whether it should stop.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// A clock.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Arc<Steps>>);

/// A clock that advances only in steps.
#[derive(Debug)]
struct Steps {
    start: Instant,
    step: Duration,
    looks: AtomicU32,
}

impl Clock {
    /// Returns the machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// Returns a clock that advances by `step` each time a running guest is checked against its
    /// deadline, which happens every 10 ms, and is otherwise frozen. A time limit is then a number
    /// of such checks, however busy the machine is, and work during which no check happens takes no
    /// time.
    #[must_use]
    pub fn stepping(step: Duration) -> Self {
        Self(Some(Arc::new(Steps {
            start: Instant::now(),
            step,
            looks: AtomicU32::new(0),
        })))
    }

    /// Returns the number of deadline checks that have advanced the clock; 0 for the machine's
    /// clock.
    #[must_use]
    pub fn looks(&self) -> u32 {
        let steps = self.0.as_ref();
        steps.map_or(0, |steps| steps.looks.load(Ordering::Relaxed))
    }

    /// Returns the time.
    pub(crate) fn now(&self) -> Instant {
        match &self.0 {
            None => Instant::now(),
            Some(steps) => steps.start + steps.step * steps.looks.load(Ordering::Relaxed),
        }
    }

    /// Returns the time for the deadline check of a running guest, and advances a stepping clock.
    pub(crate) fn look(&self) -> Instant {
        if let Some(steps) = &self.0 {
            steps.looks.fetch_add(1, Ordering::Relaxed);
        }
        self.now()
    }

    /// Waits until the time is `deadline`.
    pub(crate) async fn sleep_until(&self, deadline: Instant) {
        if self.0.is_none() {
            return tokio::time::sleep_until(deadline.into()).await;
        }
        // A stepping clock is frozen between the checks of a running guest, and a guest that
        // waits does not run. The check is made here instead, as often as for one that
        // computes; without it a guest that waits would never reach its deadline.
        loop {
            tokio::time::sleep(TICK).await;
            if self.look() >= deadline {
                return;
            }
        }
    }
}

/// The monotonic clock that a guest reads.
pub(crate) struct GuestClock {
    clock: Clock,
    /// Start of the guest's time: 0 on its clock.
    start: Instant,
}

impl GuestClock {
    pub(crate) fn new(clock: Clock) -> Self {
        let start = clock.now();
        Self { clock, start }
    }
}

impl HostMonotonicClock for GuestClock {
    fn resolution(&self) -> u64 {
        1_000
    }

    fn now(&self) -> u64 {
        let elapsed = self.clock.now().saturating_duration_since(self.start);
        // 64 bits of nanoseconds last for 584 years.
        u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Clocks are equal if they always show the same time.
impl PartialEq for Clock {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Clock {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stepping_clock_moves_by_looks_alone() {
        let clock = Clock::stepping(Duration::from_secs(1));
        let start = clock.now();
        assert_eq!(clock.now(), start);
        assert_eq!(clock.look(), start + Duration::from_secs(1));
        assert_eq!(clock.clone().look(), start + Duration::from_secs(2));
        assert_eq!(
            (clock.now(), clock.looks()),
            (start + Duration::from_secs(2), 2)
        );
        assert_ne!(clock, Clock::stepping(Duration::from_secs(1)));
        assert_eq!(Clock::system(), Clock::default());
    }
}
