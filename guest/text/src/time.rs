//! Points in time in the format of requests and answers, ISO 8601.

const NANOSECONDS_PER_MILLISECOND: i128 = 1_000_000;
const MILLISECONDS_PER_DAY: i64 = 86_400_000;

/// Days from 0000-03-01 to 1970-01-01. Years begin in March in this computation, so that the leap
/// day is the last day of its year and no month has to be tested for it.
const DAYS_TO_1970: i64 = 719_468;

/// Days of 400 years, the period of the calendar.
const DAYS_PER_ERA: i64 = 146_097;

/// The offset of a local time from UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UtcOffset {
    minutes: i64,
}

impl UtcOffset {
    /// UTC itself.
    pub const UTC: Self = Self { minutes: 0 };

    /// Parses an offset: `Z`, `+09:00` or `+09`.
    pub fn parse(text: &str) -> Option<Self> {
        offset_minutes(text).map(|minutes| Self { minutes })
    }

    /// Appends the offset to a text: `Z`, or `+09:00`.
    fn push_to(self, text: &mut String) {
        if self.minutes == 0 {
            text.push('Z');
            return;
        }
        text.push(if self.minutes < 0 { '-' } else { '+' });
        push_digits(text, self.minutes.abs() / 60, 2);
        text.push(':');
        push_digits(text, self.minutes.abs() % 60, 2);
    }
}

/// A point in time as written in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenTime {
    /// Milliseconds since 1970, rounded down.
    pub milliseconds: i64,
    /// Offset as written, or the assumed one.
    pub offset: UtcOffset,
}

/// Formats nanoseconds since 1970 as ISO 8601 in UTC with milliseconds. Returns `None` outside the
/// years 0 to 9999.
pub fn iso_8601(nanoseconds: i128) -> Option<String> {
    let milliseconds = i64::try_from(nanoseconds.div_euclid(NANOSECONDS_PER_MILLISECOND)).ok()?;
    let (year, ..) = civil(milliseconds.div_euclid(MILLISECONDS_PER_DAY));
    (0..=9999)
        .contains(&year)
        .then(|| iso_8601_expanded(milliseconds))
}

/// Formats milliseconds since 1970 as ISO 8601 in UTC. A year outside 0 to 9999 has a sign and at
/// least six digits, the expanded representation of ISO 8601.
pub fn iso_8601_expanded(milliseconds: i64) -> String {
    iso_8601_at(milliseconds, UtcOffset::UTC)
}

/// Formats milliseconds since 1970 in the local time of an offset, followed by the offset.
pub fn iso_8601_at(milliseconds: i64, offset: UtcOffset) -> String {
    // A local time beyond 64-bit milliseconds is shown in UTC: only the first and last day that the
    // type can represent are affected, some 292 million years from now.
    let (local, offset) = match milliseconds.checked_add(offset.minutes * 60_000) {
        Some(local) => (local, offset),
        None => (milliseconds, UtcOffset::UTC),
    };
    let (year, month, day) = civil(local.div_euclid(MILLISECONDS_PER_DAY));
    let of_day = local.rem_euclid(MILLISECONDS_PER_DAY);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, millisecond) = (of_day / 1000 % 60, of_day % 1000);
    let mut text = String::with_capacity("2025-12-15T09:00:00.000Z".len());
    if (0..=9999).contains(&year) {
        push_digits(&mut text, year, 4);
    } else {
        text = format!("{year:+07}");
    }
    for (mark, number, digits) in [
        ('-', month, 2),
        ('-', day, 2),
        ('T', hour, 2),
        (':', minute, 2),
        (':', second, 2),
        ('.', millisecond, 3),
    ] {
        text.push(mark);
        push_digits(&mut text, number, digits);
    }
    offset.push_to(&mut text);
    text
}

/// Appends the last `digits` digits of a non-negative number. They are written by hand, because a
/// tree is listed with thousands of times, and `format!` took a sixth of the cost.
fn push_digits(text: &mut String, number: i64, digits: u32) {
    for place in (0..digits).rev() {
        let digit = number / 10_i64.pow(place) % 10;
        text.push(char::from(b'0' + digit as u8));
    }
}

/// Parses an ISO 8601 date and time with an offset and returns milliseconds since 1970, rounded
/// down: `2025-12-15T09:00:00+09:00`, also with fractional seconds, `Z`, an offset in hours, or an
/// expanded year as [`iso_8601_expanded`] writes it. Returns `None` for a date alone, a time
/// without an offset, a day that the calendar does not have, and a leap second.
pub fn parse_iso_8601(text: &str) -> Option<i64> {
    parse_iso_8601_in(text, None).map(|time| time.milliseconds)
}

/// Parses the same format and returns the written offset too; a time without an offset is taken to
/// be in the offset `local`, if given.
pub fn parse_iso_8601_in(text: &str, local: Option<UtcOffset>) -> Option<WrittenTime> {
    let mut rest = text;
    let year = match rest.as_bytes().first()? {
        sign @ (b'+' | b'-') => {
            // A year with a sign has at least six digits, as in the expanded representation that
            // answers use. `+2025` is refused: without the sign it would be the same year, and two
            // forms of one time would be accepted.
            let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
            // Years within 64-bit milliseconds have at most nine digits.
            if !(6..=9).contains(&digits) {
                return None;
            }
            rest = &rest[1..];
            let year = take_number(&mut rest, digits)?;
            if *sign == b'-' { -year } else { year }
        }
        _ => take_number(&mut rest, 4)?,
    };
    take_literal(&mut rest, "-")?;
    let month = take_number(&mut rest, 2)?;
    take_literal(&mut rest, "-")?;
    let day = take_number(&mut rest, 2)?;
    take_literal(&mut rest, "T")?;
    let hour = take_number(&mut rest, 2)?;
    take_literal(&mut rest, ":")?;
    let minute = take_number(&mut rest, 2)?;
    take_literal(&mut rest, ":")?;
    let second = take_number(&mut rest, 2)?;
    let millisecond = take_fraction(&mut rest)?;
    let offset = match local {
        Some(local) if rest.is_empty() => local,
        _ => UtcOffset::parse(rest)?,
    };
    let days = days_since_1970(year, month, day)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // A year of nine digits with an offset may exceed 64-bit milliseconds. The product is computed
    // in 128 bits and refused if it does not fit, while wrapping around would return a time in
    // another era.
    let seconds = ((days * 24 + hour) * 60 + minute - offset.minutes) * 60 + second;
    let milliseconds = i64::try_from(i128::from(seconds) * 1000 + i128::from(millisecond)).ok()?;
    Some(WrittenTime {
        milliseconds,
        offset,
    })
}

/// Parses a number of exactly `digits` digits and advances `rest`.
pub fn take_number(rest: &mut &str, digits: usize) -> Option<i64> {
    let (text, after) = rest.split_at_checked(digits)?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    *rest = after;
    text.parse().ok()
}

/// Skips an expected literal.
pub fn take_literal(rest: &mut &str, expected: &str) -> Option<()> {
    *rest = rest.strip_prefix(expected)?;
    Some(())
}

/// Skips fractional seconds, if any, and returns their whole milliseconds.
pub fn take_fraction(rest: &mut &str) -> Option<i64> {
    let Some(after) = rest.strip_prefix(['.', ',']) else {
        return Some(0);
    };
    let length = after.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, after) = after.split_at(length);
    *rest = after;
    if digits.is_empty() {
        return None;
    }
    // The digits after milliseconds are cut off and not rounded, because all other times are
    // rounded down as well. Rounded up, a time with nanoseconds would be later than the same time
    // as answers show it.
    let thousandths = digits.bytes().chain([b'0'; 3]).take(3);
    Some(thousandths.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

/// Parses `Z`, `+09:00` or `+09` and returns the minutes that local time is ahead of UTC.
pub fn offset_minutes(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let is_after = text.starts_with('-');
    let mut rest = text.strip_prefix(['+', '-'])?;
    let hours = take_number(&mut rest, 2)?;
    let minutes = if rest.is_empty() {
        0
    } else {
        take_literal(&mut rest, ":")?;
        take_number(&mut rest, 2)?
    };
    if !rest.is_empty() || hours > 23 || minutes > 59 {
        return None;
    }
    let ahead = hours * 60 + minutes;
    Some(if is_after { -ahead } else { ahead })
}

/// Returns the days from 1970-01-01 to a date, or `None` for a date that the calendar does not
/// have. The algorithm is `days_from_civil` of Howard Hinnant's "chrono-Compatible Low-Level Date
/// Algorithms".
pub fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is the last of its year: January and February
    // belong to the year before, and the lengths of the months before them do not depend on leap
    // years.
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    // The five months from March to July have 153 days, and so have those from August to December;
    // January and February follow as in a third group. The term is the number of days before a
    // month.
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970)
}

/// Returns the year, month and day of a number of days since 1970-01-01, within 64-bit
/// milliseconds. The algorithm is `civil_from_days` of the same text.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let era = days.div_euclid(DAYS_PER_ERA);
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    // The leap days before this day are removed: one in 1460 days, except for one in 36 524, except
    // for the last day of an era. Each year that remains has 365 days.
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
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    #[test]
    fn years_beyond_four_digits() {
        for (milliseconds, expected) in [
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
            (i64::MAX, "+292278994-08-17T07:12:55.807Z"),
            (i64::MIN, "-292275055-05-16T16:47:04.192Z"),
        ] {
            assert_eq!(iso_8601_expanded(milliseconds), expected);
            assert_eq!(parse_iso_8601(expected), Some(milliseconds));
        }
    }

    macro_rules! taken {
        ($($name:ident: $text:expr => $expected:expr;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!(parse_iso_8601($text), Some($expected));
            }
        )*};
    }

    taken! {
        utc: "2025-12-15T00:00:00Z" => 1_765_756_800_000;
        ahead: "2025-12-15T09:00:00+09:00" => 1_765_756_800_000;
        behind: "2025-12-14T18:30:00-05:30" => 1_765_756_800_000;
        hours_alone: "2025-12-15T09:00:00+09" => 1_765_756_800_000;
        no_offset_but_signed: "2025-12-15T00:00:00-00:00" => 1_765_756_800_000;
        tenth: "1970-01-01T00:00:00.1Z" => 100;
        comma: "1970-01-01T00:00:00,25Z" => 250;
        finer_is_cut: "1970-01-01T00:00:00.0019999999999999999999Z" => 1;
        before_1970: "1969-12-31T23:59:59.999Z" => -1;
        leap_day: "2000-02-29T00:00:00Z" => 951_782_400_000;
        year_zero: "0000-01-01T00:00:00Z" => -62_167_219_200_000;
        last_offset: "1970-01-01T00:00:00-23:59" => 86_340_000;
    }

    #[test]
    fn local_times_have_their_offset_after_them() {
        for (text, local, expected) in [
            (
                "2025-12-15T09:00:00+09:00",
                None,
                "2025-12-15T09:00:00.000+09:00",
            ),
            (
                "2025-12-15T09:00:00-03:30",
                None,
                "2025-12-15T09:00:00.000-03:30",
            ),
            (
                "2025-12-15T00:00:00+00:00",
                None,
                "2025-12-15T00:00:00.000Z",
            ),
            (
                "2025-12-15T00:10:00",
                Some("+01"),
                "2025-12-15T00:10:00.000+01:00",
            ),
            (
                "2025-12-15T00:10:00Z",
                Some("+01"),
                "2025-12-15T00:10:00.000Z",
            ),
            (
                "2025-12-31T23:59:59.5",
                Some("-12:00"),
                "2025-12-31T23:59:59.500-12:00",
            ),
        ] {
            let local = local.and_then(UtcOffset::parse);
            let time = parse_iso_8601_in(text, local);
            let shown = time.map(|time| iso_8601_at(time.milliseconds, time.offset));
            assert_eq!(shown.as_deref(), Some(expected), "{text}");
        }
        assert_eq!(parse_iso_8601_in("2025-12-15T00:10:00", None), None);
        let ahead = UtcOffset { minutes: 60 };
        assert_eq!(iso_8601_at(i64::MAX, ahead), iso_8601_expanded(i64::MAX));
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "yesterday",
            "now",
            "1765756800",
            "1765756800000",
            "2025-12-15",
            "2025-12-15T00:00:00",
            "2025-12-15T00:00Z",
            "2025-12-15 00:00:00Z",
            "2025-12-15t00:00:00z",
            "20251215T000000Z",
            "2025-12-15T00:00:00.Z",
            "2025-12-15T00:00:00+0900",
            "2025-12-15T00:00:00+9:00",
            "2025-12-15T00:00:00+24:00",
            "2025-12-15T00:00:00+09:60",
            "2025-12-15T00:00:00+",
            "2025-12-15T00:00:00ZZ",
            " 2025-12-15T00:00:00Z",
            "2025-12-15T00:00:00Z ",
            "2025-12-15T24:00:00Z",
            "2025-12-15T00:60:00Z",
            "2016-12-31T23:59:60Z",
            "2025-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2025-04-31T00:00:00Z",
            "2025-13-01T00:00:00Z",
            "2025-00-01T00:00:00Z",
            "2025-01-00T00:00:00Z",
            "25-12-15T00:00:00Z",
            "+2025-12-15T00:00:00Z",
            "+999999999-12-15T00:00:00Z",
            "+1234567890-12-15T00:00:00Z",
            "2025-12-15T00:00:00Z\u{661}",
            "\u{661}025-12-15T00:00:00Z",
        ] {
            assert_eq!(parse_iso_8601(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn formatted_times_round_trip(milliseconds: i64) {
            prop_assert_eq!(parse_iso_8601(&iso_8601_expanded(milliseconds)), Some(milliseconds));
        }

        #[test]
        fn chrono_reads_the_same(
            milliseconds in -62_167_132_800_000i64..253_402_214_400_000,
            offset in -86_340i32..86_340,
            digits in 3..10usize,
        ) {
            let zone = chrono::FixedOffset::east_opt(offset / 60 * 60)
                .ok_or_else(|| TestCaseError::reject("zone"))?;
            let time = chrono::DateTime::from_timestamp_millis(milliseconds)
                .ok_or_else(|| TestCaseError::reject("time"))?
                .with_timezone(&zone);
            let second = time.format("%Y-%m-%dT%H:%M:%S");
            let fraction = format!("{:03}", milliseconds.rem_euclid(1000));
            let finer = "9".repeat(digits - 3);
            let text = format!("{second}.{fraction}{finer}{}", time.format("%:z"));
            prop_assert_eq!(parse_iso_8601(&text), Some(milliseconds), "{}", text);
            let read = chrono::DateTime::parse_from_rfc3339(&text);
            prop_assert_eq!(read.map(|time| time.timestamp_millis()), Ok(milliseconds));
            let shown = iso_8601_expanded(milliseconds);
            let written = time.with_timezone(&chrono::Utc).format("%Y-%m-%dT%H:%M:%S%.3fZ");
            prop_assert_eq!(shown, written.to_string());
        }

        #[test]
        fn times_that_chrono_rejects_are_rejected(
            text in "[0-9]{3,5}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\\.[0-9]{0,3})?\
                (Z|[+-][0-2][0-9]:[0-6][0-9])",
        ) {
            let read = chrono::DateTime::parse_from_rfc3339(&text).ok();
            prop_assert_eq!(parse_iso_8601(&text), read.map(|time| time.timestamp_millis()));
        }

        #[test]
        fn no_text_faults(text in ".{0,40}") {
            let _ = parse_iso_8601(&text);
        }
    }
}
