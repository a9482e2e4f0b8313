//! Dates of documents, and ranges of them: ISO 8601 as people write it, in UTC where no offset is
//! given.

use std::ops::RangeInclusive;

const MILLISECONDS_PER_DAY: i64 = 86_400_000;

/// A day or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Date {
    /// A whole day in UTC, by its first millisecond since 1970.
    Day(i64),
    /// A moment, in milliseconds since 1970.
    Moment(i64),
}

impl Date {
    /// Returns the date that `text` says: `2025-12-15`, or with a time (`T09:00`, ` 09:00:30.5`) and
    /// perhaps an offset (`Z`, `+09:00`, `+0900`). None for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (year, rest) = number(text, 4)?;
        let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
        let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
        let start = day_number(year, month, day)? * MILLISECONDS_PER_DAY;
        if rest.is_empty() {
            return Some(Self::Day(start));
        }
        let (hour, rest) = number(rest.strip_prefix(['T', 't', ' '])?, 2)?;
        let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
        let (second, rest) = match rest.strip_prefix(':') {
            Some(rest) => number(rest, 2)?,
            None => (0, rest),
        };
        let (fraction, rest) = match rest.strip_prefix(['.', ',']) {
            Some(rest) => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let thousandths = rest[..digits].bytes().chain([b'0'; 3]).take(3);
                if digits == 0 {
                    return None;
                }
                let value = thousandths.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
                (value, &rest[digits..])
            }
            None => (0, rest),
        };
        let offset = offset_minutes(rest.trim_start())?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let seconds = (hour * 60 + minute - offset) * 60 + second;
        Some(Self::Moment(start + seconds * 1000 + fraction))
    }

    /// Returns its first and last millisecond since 1970.
    pub fn span(self) -> RangeInclusive<i64> {
        match self {
            Self::Day(start) => start..=start + MILLISECONDS_PER_DAY - 1,
            Self::Moment(moment) => moment..=moment,
        }
    }

    /// Returns its first millisecond since 1970.
    pub fn start(self) -> i64 {
        *self.span().start()
    }
}

/// Returns the number that so many digits at the beginning are, and what follows them.
fn number(text: &str, digits: usize) -> Option<(i64, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Some((number.parse().ok()?, rest)))?
}

fn offset_minutes(text: &str) -> Option<i64> {
    if matches!(text, "" | "Z" | "z") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, rest) = number(text.strip_prefix(['+', '-'])?, 2)?;
    let minutes = match rest.strip_prefix(':').unwrap_or(rest) {
        "" => 0,
        rest => number(rest, 2).filter(|(_, rest)| rest.is_empty())?.0,
    };
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

/// Returns the days from 1970-01-01 to a date, by the algorithm that Howard Hinnant describes in
/// "chrono-Compatible Low-Level Date Algorithms" (`days_from_civil`); none for a day that is not in
/// the calendar.
fn day_number(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_dates() {
        for (text, expected) in [
            ("1970-01-01", Some(Date::Day(0))),
            ("2000-02-29", Some(Date::Day(951_782_400_000))),
            (
                "2026-01-02T03:04:05Z",
                Some(Date::Moment(1_767_323_045_000)),
            ),
            (
                "2026-01-02 03:04:05.0069",
                Some(Date::Moment(1_767_323_045_006)),
            ),
            (
                "2026-01-02T12:04:05+09:00",
                Some(Date::Moment(1_767_323_045_000)),
            ),
            (
                "2026-01-02T12:04:05 +0900",
                Some(Date::Moment(1_767_323_045_000)),
            ),
            ("1970-01-01T00:01", Some(Date::Moment(60_000))),
            ("1969-12-31", Some(Date::Day(-86_400_000))),
            ("0000-03-01", Some(Date::Day(-719_468 * 86_400_000))),
            ("2025-02-29", None),
            ("2025-13-01", None),
            ("2025-1-1", None),
            ("2025-01-01T25:00", None),
            ("2025-01-01T10:00+25:00", None),
            ("today", None),
            ("2025-01-01x", None),
            ("", None),
        ] {
            assert_eq!(Date::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_day_is_all_of_it() {
        let day = Date::Day(86_400_000).span();
        assert_eq!((*day.start(), *day.end()), (86_400_000, 172_799_999));
    }
}
