//! Times as people write them: relative times, and local dates and times.

use chrono::{DateTime, Days, Duration, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};

use crate::terminal::error::CommandError;

/// Formats of a date and time without an offset.
const LOCAL: [&str; 4] = [
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M",
];

/// An error for a text that is not a time. Displayed for a person.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time; expected `2d`, `3h`, `today`, `2025-12-15` or `2025-12-15T09:00`")]
pub struct NoTime(String);

impl From<NoTime> for CommandError {
    fn from(error: NoTime) -> Self {
        Self::Usage(error.to_string())
    }
}

/// Resolves `text`, written at the local time `now`, to ISO 8601 with an offset. A text that
/// already has an offset is returned unchanged.
///
/// # Errors
/// Returns [`NoTime`] for a text in none of the forms.
pub fn understand<Z: TimeZone>(text: &str, now: &DateTime<Z>) -> Result<String, NoTime> {
    let zone = now.timezone();
    // Unchanged, so that the component applies the same checks as to requests of models.
    if DateTime::parse_from_rfc3339(text).is_ok() {
        return Ok(text.to_owned());
    }
    let today = now.date_naive();
    let local = match text {
        "now" => return Ok(iso_8601(now)),
        "today" => Some(today.into()),
        "yesterday" => today.checked_sub_days(Days::new(1)).map(Into::into),
        _ => local(text),
    };
    if let Some(local) = local
        && let Some(time) = at(&zone, local)
    {
        return Ok(iso_8601(&time));
    }
    // Tried last, because no date looks like `2d`.
    let before = age(text).and_then(|age| now.clone().checked_sub_signed(age));
    before
        // Before the year 0, `%Y` writes a sign and four digits, which the component does not
        // parse.
        .filter(|time| time.naive_utc() >= NaiveDateTime::MIN.max(year_zero()))
        .map(|time| iso_8601(&time))
        .ok_or_else(|| NoTime(text.to_owned()))
}

fn year_zero() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(0, 1, 1).unwrap_or_default().into()
}

fn local(text: &str) -> Option<NaiveDateTime> {
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(date.and_time(NaiveTime::MIN));
    }
    let parsed = |form: &&str| NaiveDateTime::parse_from_str(text, form).ok();
    LOCAL.iter().find_map(parsed)
}

/// Resolves a local time in `zone`: to the earlier instant if it occurs twice; if it is skipped, to
/// the instant that clocks show an hour later.
fn at<Z: TimeZone>(zone: &Z, local: NaiveDateTime) -> Option<DateTime<Z>> {
    let shown = |local: &NaiveDateTime| zone.from_local_datetime(local).earliest();
    shown(&local).or_else(|| shown(&local.checked_add_signed(Duration::hours(1))?))
}

/// Parses an age such as `2d`.
fn age(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: i64 = number.parse().ok()?;
    let seconds = match unit {
        "s" => 1,
        "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    Duration::try_seconds(number.checked_mul(seconds)?)
}

fn iso_8601<Z: TimeZone>(time: &DateTime<Z>) -> String {
    time.to_utc().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    /// Noon in Seoul.
    fn now() -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339("2026-03-01T12:00:00.5+09:00").unwrap()
    }

    #[test]
    fn times_that_people_write() {
        for (text, expected) in [
            ("90s", "2026-03-01T02:58:30.500Z"),
            ("30min", "2026-03-01T02:30:00.500Z"),
            ("3h", "2026-03-01T00:00:00.500Z"),
            ("2d", "2026-02-27T03:00:00.500Z"),
            ("2w", "2026-02-15T03:00:00.500Z"),
            ("0s", "2026-03-01T03:00:00.500Z"),
            ("now", "2026-03-01T03:00:00.500Z"),
            ("today", "2026-02-28T15:00:00.000Z"),
            ("yesterday", "2026-02-27T15:00:00.000Z"),
            ("2025-12-15", "2025-12-14T15:00:00.000Z"),
            ("2025-12-15T09:00", "2025-12-15T00:00:00.000Z"),
            ("2025-12-15 09:00", "2025-12-15T00:00:00.000Z"),
            ("2025-12-15T09:00:01.25", "2025-12-15T00:00:01.250Z"),
            ("2025-12-15T09:00:00Z", "2025-12-15T09:00:00Z"),
            ("2025-12-15T09:00:00-05:00", "2025-12-15T09:00:00-05:00"),
        ] {
            assert_eq!(understand(text, &now()).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "d",
            "2",
            "2m",
            "2x",
            "-2d",
            "2.5d",
            "2 d",
            "2025",
            "2025-13-01",
            "2025-02-30",
            "tomorrow",
            "9223372036854775807w",
            "9999999999999w",
            "3000w3",
            "200000w",
        ] {
            assert_eq!(understand(text, &now()), Err(NoTime(text.to_owned())));
        }
    }
}
