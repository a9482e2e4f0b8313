//! Dates of messages (RFC 5322), with the liberties that mail programs take.

use std::fmt::Write as _;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Names of time zones, with their hours from Greenwich.
const ZONES: [(&str, i32); 16] = [
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
    ("cet", 1),
    ("cest", 2),
    ("kst", 9),
    ("jst", 9),
];

/// The pieces of a date that were found.
#[derive(Debug, Default)]
struct DatePieces {
    day: Option<u32>,
    month: Option<u32>,
    year: Option<u32>,
    /// Hours, minutes and seconds.
    time: Option<(u32, u32, u32)>,
    /// Minutes from Greenwich.
    zone: Option<i32>,
}

/// Returns a date such as `Wed, 25 Nov 2026 09:30:00 +0900 (KST)` in the form of ISO 8601,
/// `2026-11-25T09:30:00+09:00`: without the zone if that is unknown, or none if it is not a date.
pub fn iso_date(value: &str) -> Option<String> {
    let is_separator = |c: char| c.is_whitespace() || c == ',';
    let mut pieces = DatePieces::default();
    for word in value.split(is_separator).filter(|word| !word.is_empty()) {
        // A comment, mostly the name of the zone.
        if word.starts_with('(') {
            break;
        }
        pieces.add(word);
    }
    let (year, month, day) = (pieces.year?, pieces.month?, pieces.day?);
    let (hours, minutes, seconds) = pieces.time?;
    let mut date = format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}");
    if let Some(zone) = pieces.zone {
        let sign = if zone < 0 { '-' } else { '+' };
        let zone = zone.abs();
        // Writing to a string cannot fail.
        let _ = write!(date, "{sign}{:02}:{:02}", zone / 60, zone % 60);
    }
    Some(date)
}

impl DatePieces {
    /// Adds a word of a date. Words of no piece, such as the day of the week, are ignored.
    fn add(&mut self, word: &str) {
        let lower = word.to_ascii_lowercase();
        // `25-Nov-2026` is one word.
        if self.month.is_none() && lower.split('-').count() == 3 {
            lower.split('-').for_each(|part| self.add(part));
            return;
        }
        if word.contains(':') {
            self.time = self.time.or_else(|| clock_time(word));
        } else if self.time.is_some() && self.zone.is_none() && word.starts_with(['+', '-']) {
            self.zone = numeric_zone(word);
        } else if let Ok(number) = word.parse::<u32>() {
            self.add_number(number, word.len());
        } else if let Some(month) = MONTHS.iter().position(|month| lower.starts_with(month)) {
            self.month = self.month.or(u32::try_from(month + 1).ok());
        } else if self.time.is_some() && self.zone.is_none() {
            let named = ZONES.iter().find(|(name, _)| *name == lower);
            self.zone = named.map(|(_, hours)| hours * 60);
        }
    }

    /// Adds a number of this many digits: a day or a year.
    fn add_number(&mut self, number: u32, digits: usize) {
        if self.day.is_none() && digits <= 2 {
            self.day = Some(number).filter(|day| (1..=31).contains(day));
        } else if self.year.is_none() {
            // RFC 5322, section 4.3: years of two and three digits.
            self.year = match (digits, number) {
                (1 | 2, ..50) => Some(number + 2000),
                (2 | 3, _) => Some(number + 1900),
                (4, _) => Some(number),
                _ => None,
            };
        }
    }
}

fn clock_time(word: &str) -> Option<(u32, u32, u32)> {
    let mut parts = word
        .split(':')
        .map(|part| part.split('.').next()?.parse::<u32>().ok());
    let (hours, minutes) = (parts.next()??, parts.next()??);
    let seconds = parts.next().flatten().unwrap_or(0);
    (hours < 24 && minutes < 60 && seconds <= 60).then_some((hours, minutes, seconds))
}

/// Returns the minutes of a zone such as `+0900`. `-0000` says that the zone is unknown.
fn numeric_zone(word: &str) -> Option<i32> {
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let number: i32 = digits.parse().ok()?;
    if digits.len() != 4 || word == "-0000" || number % 100 >= 60 || number >= 2400 {
        return None;
    }
    let minutes = number / 100 * 60 + number % 100;
    Some(if word.starts_with('-') {
        -minutes
    } else {
        minutes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (value, expected) in [
            (
                "Wed, 25 Nov 2026 09:30:00 +0900 (KST)",
                Some("2026-11-25T09:30:00+09:00"),
            ),
            ("25 nov 2026 9:30 -0330", Some("2026-11-25T09:30:00-03:30")),
            (
                "Wed,25 Nov 26 09:30:00 GMT",
                Some("2026-11-25T09:30:00+00:00"),
            ),
            (
                "Wed, 25 November 2026 09:30:00 EST",
                Some("2026-11-25T09:30:00-05:00"),
            ),
            ("Mon Jun  1 04:28:28 2009", Some("2009-06-01T04:28:28")),
            (
                "Mon Jun  1 04:28:28 +0900 2009",
                Some("2009-06-01T04:28:28+09:00"),
            ),
            ("Wed, 25-Nov-99 09:30:00 -0000", Some("1999-11-25T09:30:00")),
            (
                "Wed, 25 Nov 2026 09:30:00 UNKNOWN",
                Some("2026-11-25T09:30:00"),
            ),
            ("Wed, 25 Nov 2026 25:30:00 +0900", None),
            ("Wed, 45 Nov 2026 09:30:00 +0900", None),
            ("25 Nov 2026", None),
            ("어제", None),
            ("", None),
        ] {
            assert_eq!(iso_date(value).as_deref(), expected, "{value}");
        }
    }
}
