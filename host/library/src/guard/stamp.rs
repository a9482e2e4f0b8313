//! Stamps: values that change whenever a file's content, or a directory's list of entries, may
//! have changed. A guest receives them from `metadata-hash` and `metadata-hash-at`.
//!
//! The inode change time is set by the kernel at every write and cannot be set by a program, so
//! equal device, inode, size, modification and change time mean equal content, with one gap: the
//! kernel's clock moves in ticks, and a file that is written twice within one tick keeps its times.
//! An object that changed within the last ticks therefore gets a different stamp at each request.
//! A second gap is the kernel's: a program that writes through a shared memory map changes the
//! times only when the page is next written back.

use std::hash::{BuildHasher as _, Hasher as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foldhash::quality::RandomState;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::MetadataHashValue;

/// Five ticks of the slowest kernel clock (100 Hz).
const TICKS: Duration = Duration::from_millis(50);

/// The coarsest resolution of file times in common file systems (FAT: two seconds), for times
/// without a fraction.
const WHOLE_SECONDS: Duration = Duration::from_secs(3);

/// The fields from which a stamp is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatFields {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// Seconds and nanoseconds since 1970.
    pub(crate) modified: (i64, u32),
    /// Seconds and nanoseconds since 1970.
    pub(crate) changed: (i64, u32),
}

/// A generator of stamps that are comparable within one instance.
pub(crate) struct Stamper {
    keys: [RandomState; 2],
    unsettled: u64,
}

impl Stamper {
    pub(crate) fn new() -> Self {
        Self {
            keys: [RandomState::default(), RandomState::default()],
            unsettled: 0,
        }
    }

    /// Returns the number of stamps so far that never recur.
    pub(crate) fn unsettled(&self) -> u64 {
        self.unsettled
    }

    /// Returns the stamp of an object with these `stat_fields` at the time `now`.
    pub(crate) fn stamp(&mut self, stat_fields: &StatFields, now: SystemTime) -> MetadataHashValue {
        // An object that changed within the last ticks may change again without another change
        // time: an editor that writes `a` and then `b` within one tick leaves one size and one
        // time. It gets a stamp that never recurs, so the guest reads it again at each call
        // until it has settled.
        let nonce = if is_settled(stat_fields.changed, now) {
            0
        } else {
            self.unsettled += 1;
            self.unsettled
        };
        // The hash is keyed with random keys and has 128 bits, so that nobody can craft two
        // files with equal stamps: the second would be answered from what is remembered of the
        // first. Stamps are only compared within one instance, so the keys need not outlive it.
        let [lower, upper] = [0, 1].map(|index: usize| {
            let mut hasher = self.keys[index].build_hasher();
            for word in [
                stat_fields.device,
                stat_fields.inode,
                stat_fields.size,
                stat_fields.modified.0.cast_unsigned(),
                stat_fields.changed.0.cast_unsigned(),
                u64::from(stat_fields.modified.1) << 32 | u64::from(stat_fields.changed.1),
                nonce,
            ] {
                hasher.write_u64(word);
            }
            hasher.finish()
        });
        MetadataHashValue { lower, upper }
    }
}

/// The wrapping sum of stamps as 128-bit numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum(u128);

impl Sum {
    pub(crate) fn add(&mut self, stamp: &MetadataHashValue) {
        let number = u128::from(stamp.upper) << 64 | u128::from(stamp.lower);
        self.0 = self.0.wrapping_add(number);
    }
}

impl From<Sum> for MetadataHashValue {
    fn from(Sum(sum): Sum) -> Self {
        let [lower, upper] = [sum, sum >> 64]
            .map(|half| u64::try_from(half & u128::from(u64::MAX)).unwrap_or_default());
        Self { lower, upper }
    }
}

/// Returns true if any later change would also change the change time.
fn is_settled(changed: (i64, u32), now: SystemTime) -> bool {
    let Ok(now) = now.duration_since(UNIX_EPOCH) else {
        return false;
    };
    // A file system that keeps whole seconds has no fraction in its times, and a second write
    // within the same second is invisible there. A time that happens to end in zero nanoseconds
    // on a finer file system only settles later than necessary.
    let margin = if changed.1 == 0 { WHOLE_SECONDS } else { TICKS };
    // A change time before 1970 is older than any margin.
    let Ok(seconds) = u64::try_from(changed.0) else {
        return true;
    };
    Duration::new(seconds, changed.1) + margin < now
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{MetadataHashValue, Stamper, StatFields, Sum, is_settled};

    const STAT_FIELDS: StatFields = StatFields {
        device: 1,
        inode: 2,
        size: 3,
        modified: (1000, 4),
        changed: (1000, 500_000_000),
    };

    fn at(seconds: u64, milliseconds: u64) -> std::time::SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(milliseconds)
    }

    #[test]
    fn an_unchanged_object_keeps_its_stamp() {
        let mut stamper = Stamper::new();
        let first = stamper.stamp(&STAT_FIELDS, at(2000, 0));
        let second = stamper.stamp(&STAT_FIELDS, at(3000, 0));
        assert_eq!((first.lower, first.upper), (second.lower, second.upper));
    }

    #[test]
    fn each_fact_changes_the_stamp() {
        let mut stamper = Stamper::new();
        let base = stamper.stamp(&STAT_FIELDS, at(2000, 0));
        for other in [
            StatFields {
                device: 9,
                ..STAT_FIELDS
            },
            StatFields {
                inode: 9,
                ..STAT_FIELDS
            },
            StatFields {
                size: 9,
                ..STAT_FIELDS
            },
            StatFields {
                modified: (999, 4),
                ..STAT_FIELDS
            },
            StatFields {
                modified: (1000, 5),
                ..STAT_FIELDS
            },
            StatFields {
                changed: (999, 500_000_000),
                ..STAT_FIELDS
            },
            StatFields {
                changed: (1000, 500_000_001),
                ..STAT_FIELDS
            },
        ] {
            let stamp = stamper.stamp(&other, at(2000, 0));
            assert!(
                stamp.lower != base.lower && stamp.upper != base.upper,
                "{other:?}"
            );
        }
    }

    #[test]
    fn a_sum_carries_and_wraps() {
        let mut sum = Sum::default();
        let all = u64::MAX;
        sum.add(&MetadataHashValue {
            lower: all,
            upper: all,
        });
        sum.add(&MetadataHashValue { lower: 2, upper: 5 });
        let sum = MetadataHashValue::from(sum);
        assert_eq!((sum.lower, sum.upper), (1, 5));
    }

    #[test]
    fn what_changed_just_now_never_has_the_same_stamp_twice() {
        let mut stamper = Stamper::new();
        let now = at(1000, 501);
        let first = stamper.stamp(&STAT_FIELDS, now);
        let second = stamper.stamp(&STAT_FIELDS, now);
        assert_ne!(first.lower, second.lower);
    }

    #[test]
    fn a_change_settles_after_its_clock_has_moved_on() {
        assert!(!is_settled((1000, 500_000_000), at(1000, 540)));
        assert!(is_settled((1000, 500_000_000), at(1000, 551)));
        assert!(
            !is_settled((1000, 0), at(1002, 900)),
            "whole seconds are coarse"
        );
        assert!(is_settled((1000, 0), at(1003, 1)));
        assert!(
            !is_settled((5000, 1), at(1000, 0)),
            "a time to come settles nothing"
        );
        assert!(is_settled((-5, 1), at(1000, 0)));
    }
}
