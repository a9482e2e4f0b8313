//! Points in time, as answers show them.

const NANOSECONDS_PER_MILLISECOND: i128 = 1_000_000;
const MILLISECONDS_PER_DAY: i128 = 86_400_000;

/// Returns ISO 8601 in UTC with milliseconds for nanoseconds since 1970; none outside the years 0
/// to 9999.
pub fn iso_8601(nanoseconds: i128) -> Option<String> {
    let milliseconds = nanoseconds.div_euclid(NANOSECONDS_PER_MILLISECOND);
    let days = i64::try_from(milliseconds.div_euclid(MILLISECONDS_PER_DAY)).ok()?;
    let of_day = milliseconds.rem_euclid(MILLISECONDS_PER_DAY);
    let (year, month, day) = civil(days)?;
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, millisecond) = (of_day / 1000 % 60, of_day % 1000);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z"
    ))
}

/// Returns the date of a number of days since 1970-01-01, by the algorithm that Howard Hinnant
/// describes in "chrono-Compatible Low-Level Date Algorithms" (`civil_from_days`).
fn civil(days: i64) -> Option<(i64, i64, i64)> {
    let days = days.checked_add(719_468)?;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (0..=9999).contains(&year).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points() {
        for (nanoseconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
            (1_767_323_045_006_999_999, "2026-01-02T03:04:05.006Z"),
            (4_107_542_399_999_000_000, "2100-02-28T23:59:59.999Z"),
        ] {
            assert_eq!(iso_8601(nanoseconds).as_deref(), Some(expected));
        }
        assert_eq!(iso_8601(i128::MAX), None);
        assert_eq!(iso_8601(i128::from(i64::MAX) * 1000), None);
    }
}
