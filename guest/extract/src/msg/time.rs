//! Times of Windows: tenths of microseconds since the year 1601.

/// Seconds of a day.
const DAY: u64 = 86_400;

/// Units of a second.
const SECOND: u64 = 10_000_000;

/// Days from the first of March of the year 0 to the first of January 1601.
const DAYS_BEFORE: u64 = 584_694;

/// Returns a time in the form of ISO 8601, in UTC; none for a time beyond the year 9999.
pub fn iso_file_time(time: u64) -> Option<String> {
    let seconds = time / SECOND;
    let (days, second) = (seconds / DAY + DAYS_BEFORE, seconds % DAY);
    // Years that begin in March end with their leap day, and 400 of them repeat.
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, is_next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = era * 400 + year + is_next;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    (time > 0 && year <= 9999)
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (seconds, expected) in [
            (1, "1601-01-01T00:00:01+00:00"),
            (11_644_473_600, "1970-01-01T00:00:00+00:00"),
            (11_644_473_600 + 951_782_400, "2000-02-29T00:00:00+00:00"),
            (11_644_473_600 + 1_795_566_600, "2026-11-25T00:30:00+00:00"),
        ] {
            let time = iso_file_time(seconds * SECOND);
            assert_eq!(time.as_deref(), Some(expected));
        }
        assert_eq!(iso_file_time(0), None);
        assert_eq!(iso_file_time(u64::MAX), None);
    }
}
