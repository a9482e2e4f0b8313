//! Dates of documents and ranges of dates: ISO 8601 as people write it, in UTC unless an offset is
//! given.

use std::ops::RangeInclusive;

use docent_text::time::{
    days_since_1970, offset_minutes, take_fraction, take_literal, take_number,
};

const MILLISECONDS_PER_DAY: i64 = 86_400_000;

/// A day or a moment. A day is a span and not its first millisecond, so that a range that ends on a
/// day includes all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Date {
    /// A whole day in UTC, as its first millisecond since 1970.
    Day(i64),
    /// A moment, in milliseconds since 1970.
    Moment(i64),
}

impl Date {
    /// Parses a date, a subset of ISO 8601 with a blank in place of the `T` or before the offset.
    /// Returns `None` for anything else.
    ///
    /// ```text
    /// 2025-12-15
    /// 2025-12-15T09:00
    /// 2025-12-15 09:00:30.5
    /// 2025-12-15T09:00Z
    /// 2025-12-15T09:00:30+09:00
    /// 2025-12-15 09:00:30 +0900
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let year = take_number(&mut rest, 4)?;
        take_literal(&mut rest, "-")?;
        let month = take_number(&mut rest, 2)?;
        take_literal(&mut rest, "-")?;
        let day = take_number(&mut rest, 2)?;
        let start = days_since_1970(year, month, day)? * MILLISECONDS_PER_DAY;
        if rest.is_empty() {
            return Some(Self::Day(start));
        }
        rest = rest.strip_prefix(['T', 't', ' '])?;
        let hour = take_number(&mut rest, 2)?;
        take_literal(&mut rest, ":")?;
        let minute = take_number(&mut rest, 2)?;
        let second = match take_literal(&mut rest, ":") {
            Some(()) => take_number(&mut rest, 2)?,
            None => 0,
        };
        let millisecond = take_fraction(&mut rest)?;
        // A blank before the offset is accepted, as in `03:04:05 +0900`, which RFC 3339 forbids and
        // programs write nevertheless.
        let offset = offset(rest.trim_start())?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let seconds = (hour * 60 + minute - offset) * 60 + second;
        Some(Self::Moment(start + seconds * 1000 + millisecond))
    }

    /// Returns the first and last millisecond since 1970.
    pub fn span(self) -> RangeInclusive<i64> {
        match self {
            Self::Day(start) => start..=start + MILLISECONDS_PER_DAY - 1,
            Self::Moment(moment) => moment..=moment,
        }
    }

    /// Returns the first millisecond since 1970.
    pub fn start(self) -> i64 {
        *self.span().start()
    }
}

/// Parses the minutes that local time is ahead of UTC, also from an empty text, `z` and `+0900`. A
/// time without an offset counts as UTC: the zone of its author is unknown, and that of the machine
/// would give different answers on different machines.
fn offset(text: &str) -> Option<i64> {
    match text.split_at_checked(3) {
        None if text.is_empty() || text == "z" => Some(0),
        Some((hours, minutes)) if minutes.len() == 2 => {
            offset_minutes(&format!("{hours}:{minutes}"))
        }
        _ => offset_minutes(text),
    }
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
