//! Number formats: dates, times, percentages, and plain numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use crate::failure::EarlyStop;
use crate::limits::PERCENT_PLACES;
use crate::xml::{Xml, XmlEvent};

/// The first day of a workbook's dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Epoch {
    /// 1 is 1900-01-01, and that year has a 29th of February.
    Y1900,
    /// 0 is 1904-01-01.
    Y1904,
}

/// The meaning of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellForm {
    /// A number in any other format.
    #[default]
    Number,
    /// A percentage with this number of decimal places.
    Percent(usize),
    /// A day.
    Date,
    /// A day with a time.
    DateTime,
    /// A time of day.
    Time,
    /// A duration, whose hours may exceed a day.
    Duration,
}

/// The field that a letter or sign of a format code displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DateField {
    /// A year or a day.
    Day,
    /// A month, or minutes next to hours.
    MonthOrMinute,
    /// Hours or seconds.
    Time,
    /// Unlimited hours, minutes or seconds.
    Duration,
    Percent,
}

/// The formats of numbers by cell style.
#[derive(Debug, Default)]
pub struct Formats(Vec<CellForm>);

const SECONDS_A_DAY: f64 = 86_400.0;

/// Days from 0000-03-01 to 1970-01-01, in the calendar of the algorithm below.
const DAYS_TO_1970: i64 = 719_468;

impl Formats {
    /// Creates the formats of these styles.
    pub fn new(forms: Vec<CellForm>) -> Self {
        Self(forms)
    }

    /// Reads the part of the styles.
    pub fn read<R: BufRead>(mut xml: Xml<R>) -> Result<Self, EarlyStop> {
        // A workbook defines its own formats before the styles that refer to them.
        let mut own: BTreeMap<u32, CellForm> = BTreeMap::new();
        let mut forms = Vec::new();
        loop {
            match xml.next()? {
                XmlEvent::Start(element) if element.name() == "numFmt" => {
                    if let (Some(id), Some(code)) =
                        (element.number("numFmtId"), element.attribute("formatCode"))
                    {
                        own.insert(id, CellForm::parse(&code));
                    }
                }
                // `cellStyleXfs` has the formats of named styles, to which cells do not refer.
                XmlEvent::Start(element) if element.name() == "cellXfs" => {
                    let end = xml.depth() - 1;
                    while xml.depth() > end {
                        if let XmlEvent::Start(element) = xml.next()?
                            && element.name() == "xf"
                        {
                            let id = element.number::<u32>("numFmtId").unwrap_or_default();
                            let form = own.get(&id).copied();
                            forms.push(form.unwrap_or_else(|| CellForm::built_in_format(id)));
                        }
                    }
                }
                XmlEvent::Eof => return Ok(Self(forms)),
                _ => {}
            }
        }
    }

    /// Formats a number like a cell of this style, with dates in ISO 8601.
    pub fn format(&self, number: f64, style: usize, epoch: Epoch) -> String {
        let form = self.0.get(style).copied().unwrap_or_default();
        let text = match form {
            CellForm::Number => None,
            CellForm::Percent(places) => Some(format!("{:.places$}%", number * 100.0)),
            CellForm::Date | CellForm::DateTime | CellForm::Time | CellForm::Duration => {
                form.date(number, epoch)
            }
        };
        text.unwrap_or_else(|| plain(number))
    }
}

impl CellForm {
    /// Returns a number as a date or a time in ISO 8601, or `None` if the form is neither.
    pub fn date(self, number: f64, epoch: Epoch) -> Option<String> {
        match self {
            Self::Number | Self::Percent(_) => None,
            Self::Date | Self::DateTime | Self::Time | Self::Duration => {
                format_date_time(number, self, epoch)
            }
        }
    }

    /// Returns the format that every workbook has under this number.
    pub fn built_in_format(id: u32) -> Self {
        match id {
            9 => Self::Percent(0),
            10 => Self::Percent(2),
            14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58 => Self::Date,
            18..=21 | 32..=35 | 45 | 47 | 55 | 56 => Self::Time,
            22 => Self::DateTime,
            46 => Self::Duration,
            _ => Self::Number,
        }
    }

    /// Parses a format code: letters outside quotes are the fields of a date.
    pub fn parse(code: &str) -> Self {
        let mut fields = BTreeSet::new();
        // Number of digits after the decimal point, once there is one.
        let mut places: Option<usize> = None;
        let mut characters = code.chars();
        while let Some(c) = characters.next() {
            let field = match c.to_ascii_lowercase() {
                // The part after `;` is the format of negative numbers, as in `0.0;[Red]-0.0`.
                ';' => break,
                // Text in quotes is literal: the `d` in `0 "dollars"` does not make a date of
                // the number.
                '"' => {
                    characters.by_ref().find(|c| *c == '"');
                    None
                }
                // These signs precede a character that is shown as it is, left out with its
                // width, or repeated to fill the cell.
                '\\' | '_' | '*' => {
                    characters.next();
                    None
                }
                // Brackets contain a colour, a language or a condition: `[Red]`, `[$-412]`,
                // `[>9]`. Only `[h]`, `[m]` and `[s]` are fields: they count hours, minutes and
                // seconds beyond a day.
                '[' => {
                    let inside: String = characters.by_ref().take_while(|c| *c != ']').collect();
                    let inside = inside.to_ascii_lowercase();
                    let is_of = |unit: char| inside.chars().all(|c| c == unit);
                    let is_unit = !inside.is_empty() && ['h', 'm', 's'].into_iter().any(is_of);
                    is_unit.then_some(DateField::Duration)
                }
                'y' | 'd' => Some(DateField::Day),
                'h' | 's' => Some(DateField::Time),
                'm' => Some(DateField::MonthOrMinute),
                '%' => Some(DateField::Percent),
                '.' => {
                    places = places.or(Some(0));
                    None
                }
                '0' | '#' if !fields.contains(&DateField::Percent) => {
                    places = places.map(|places| places + 1);
                    None
                }
                // `General` contains letters that are fields elsewhere.
                'g' if code.eq_ignore_ascii_case("general") => return Self::Number,
                _ => None,
            };
            fields.extend(field);
        }
        let has = |field| fields.contains(&field);
        match (has(DateField::Day), has(DateField::Time)) {
            _ if has(DateField::Duration) => Self::Duration,
            (true, true) => Self::DateTime,
            (true, false) => Self::Date,
            (false, true) => Self::Time,
            (false, false) if has(DateField::MonthOrMinute) => Self::Date,
            (false, false) if has(DateField::Percent) => {
                Self::Percent(places.unwrap_or_default().min(PERCENT_PLACES))
            }
            (false, false) => Self::Number,
        }
    }
}

/// Formats a number with the fifteen digits of a workbook.
pub fn plain(number: f64) -> String {
    // Negative zero is 0 as well. A workbook cannot contain a number that is not finite.
    if number == 0.0 || !number.is_finite() {
        return "0".to_owned();
    }
    // Excel keeps fifteen digits. `0.1 + 0.2` is stored as 0.30000000000000004 and shown as
    // 0.3: the number is rounded to fifteen digits, and written with the fewest digits that are
    // equal to that.
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if (1e-9..1e21).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// Formats a number of days as a date or time, or returns `None` outside the years 1900 to 9999.
fn format_date_time(number: f64, form: CellForm, epoch: Epoch) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&number) {
        return None;
    }
    // A time of day is a fraction of a day, and few of these are exact: 08:30 is 0.3541666….
    // Truncating one that is a little too small would show 08:29:59, so the seconds are
    // rounded.
    let seconds = (number * SECONDS_A_DAY).round();
    // The range was checked, so the number fits.
    let seconds = seconds as i64;
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
    let time = |hours: i64| match seconds {
        0 => format!("{hours:02}:{minutes:02}"),
        _ => format!("{hours:02}:{minutes:02}:{seconds:02}"),
    };
    let date = date(days, epoch);
    Some(match form {
        CellForm::Duration => time(days * 24 + hours),
        CellForm::Time => time(hours),
        CellForm::DateTime => format!("{date} {}", time(hours)),
        // The format of a date hides the time of day.
        CellForm::Date | CellForm::Number | CellForm::Percent(_) => date,
    })
}

/// Formats the date of a day.
fn date(days: i64, epoch: Epoch) -> String {
    let since_1970 = match epoch {
        // Excel keeps an error of Lotus 1-2-3: day 60 is 1900-02-29, which never existed, since
        // 1900 was not a leap year.
        Epoch::Y1900 if days == 60 => return "1900-02-29".to_owned(),
        // After that day the count is one too high; before it, it is not.
        Epoch::Y1900 if days < 60 => days - 25_568,
        Epoch::Y1900 => days - 25_569,
        Epoch::Y1904 => days - 24_107,
    };
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    let days = since_1970 + DAYS_TO_1970;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_codes_say() {
        for (code, expected) in [
            ("General", CellForm::Number),
            ("0.00", CellForm::Number),
            ("#,##0\\ \"days\"", CellForm::Number),
            ("[Red]0;[Blue]-0", CellForm::Number),
            ("0.0%", CellForm::Percent(1)),
            ("0%", CellForm::Percent(0)),
            ("yyyy\\-mm\\-dd", CellForm::Date),
            ("yyyy\"년\" m\"월\" d\"일\"", CellForm::Date),
            ("mmm", CellForm::Date),
            ("[$-412]yyyy-mm-dd hh:mm", CellForm::DateTime),
            ("h:mm AM/PM", CellForm::Time),
            ("[h]:mm:ss", CellForm::Duration),
            ("0;\"yes\"", CellForm::Number),
        ] {
            assert_eq!(CellForm::parse(code), expected, "{code}");
        }
    }

    #[test]
    fn a_percentage_has_no_more_places_than_can_be_shown() {
        let form = CellForm::parse(&format!("0.{}%", "0".repeat(70_000)));
        assert_eq!(form, CellForm::Percent(PERCENT_PLACES));
        let text = Formats(vec![form]).format(0.5, 0, Epoch::Y1900);
        assert_eq!(text, format!("50.{}%", "0".repeat(PERCENT_PLACES)));
    }

    #[test]
    fn days_as_workbooks_count_them() {
        for (days, epoch, expected) in [
            (1, Epoch::Y1900, "1900-01-01"),
            (59, Epoch::Y1900, "1900-02-28"),
            (60, Epoch::Y1900, "1900-02-29"),
            (61, Epoch::Y1900, "1900-03-01"),
            (36_526, Epoch::Y1900, "2000-01-01"),
            (46_346, Epoch::Y1900, "2026-11-20"),
            (0, Epoch::Y1904, "1904-01-01"),
            (44_884, Epoch::Y1904, "2026-11-20"),
        ] {
            assert_eq!(date(days, epoch), expected, "{days}");
        }
    }

    #[test]
    fn numbers_as_cells_show_them() {
        let formats = Formats(vec![
            CellForm::Number,
            CellForm::Date,
            CellForm::DateTime,
            CellForm::Time,
            CellForm::Duration,
            CellForm::Percent(1),
        ]);
        for (number, style, expected) in [
            (1.0, 0, "1"),
            (0.1 + 0.2, 0, "0.3"),
            (-1234.5, 0, "-1234.5"),
            (1e300, 0, "1e300"),
            (123_456_789_012_345.0, 0, "123456789012345"),
            (46_346.0, 1, "2026-11-20"),
            (46_346.75, 1, "2026-11-20"),
            (46_346.75, 2, "2026-11-20 18:00"),
            (46_346.750_011_574, 2, "2026-11-20 18:00:01"),
            (0.5, 3, "12:00"),
            (1.5, 4, "36:00"),
            (0.1234, 5, "12.3%"),
            (-1.0, 1, "-1"),
            (1e10, 1, "10000000000"),
            (7.0, 99, "7"),
        ] {
            assert_eq!(formats.format(number, style, Epoch::Y1900), expected);
        }
    }
}
