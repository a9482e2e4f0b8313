//! Rate limits as token buckets: a burst, then a sustained rate.

use tokio::time::Instant;

/// A rate limit.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Maximum events at once.
    pub burst: u32,
    /// Sustained events per minute.
    pub per_minute: u32,
}

/// A token bucket: the remaining events.
#[derive(Clone, Debug)]
pub struct Bucket {
    rate: Rate,
    left: f64,
    filled: Instant,
}

impl Bucket {
    /// Creates a full bucket.
    pub fn new(rate: Rate, now: Instant) -> Self {
        Self {
            rate,
            left: rate.burst.into(),
            filled: now,
        }
    }

    /// Takes one event.
    ///
    /// # Errors
    /// Returns the seconds, at least 1, until the next event is available.
    pub fn take(&mut self, now: Instant) -> Result<(), u64> {
        self.fill(now);
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        let seconds = (1.0 - self.left) * 60.0 / f64::from(self.rate.per_minute);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is between 0 and 60"
        )]
        let seconds = seconds.ceil() as u64;
        Err(seconds.max(1))
    }

    /// Returns true if the bucket is full.
    pub fn is_full(&self, now: Instant) -> bool {
        let mut filled = self.clone();
        filled.fill(now);
        filled.left >= self.rate.burst.into()
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        let more = passed * f64::from(self.rate.per_minute) / 60.0;
        self.left = (self.left + more).min(self.rate.burst.into());
        self.filled = now;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_full_at_first_and_fills_with_time() {
        let rate = Rate {
            burst: 3,
            per_minute: 30,
        };
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_millis(seconds * 1000 + 1);
        let mut bucket = Bucket::new(rate, start);
        assert!(bucket.is_full(start));
        for _ in 0..3 {
            assert_eq!(bucket.take(start), Ok(()));
        }
        assert_eq!(bucket.take(start), Err(2));
        assert_eq!(bucket.take(after(1)), Err(1));
        assert_eq!(bucket.take(after(2)), Ok(()));
        assert!(bucket.take(after(2)).is_err());
        assert!(!bucket.is_full(after(7)));
        assert!(bucket.is_full(after(8)));
        for _ in 0..3 {
            assert_eq!(
                bucket.take(after(1000)),
                Ok(()),
                "it holds no more than a burst"
            );
        }
        assert!(bucket.take(after(1000)).is_err());
    }
}
