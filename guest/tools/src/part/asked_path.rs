//! Paths in the form of requests: of a file or directory, or of a part of a file.

use std::fmt;

use docent_api::types::{Error, ErrorCode};

use crate::limits::PART_READINGS;
use docent_tree::error::refuse;
use docent_tree::path::{PathError, RelPath};

/// A path of a request, which may name a part of a file.
#[derive(Clone, Debug)]
pub struct AskedPath {
    /// Normalized text, which is parsed to the same path again.
    text: String,
    /// At least one: the whole as a path first, then the longer path before the shorter.
    readings: Vec<PathReading>,
}

/// One way to read a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathReading {
    /// The path of a file or directory.
    pub path: RelPath,
    /// Part of the file, or `None` for the whole file.
    pub part: Option<PartAddress>,
}

/// Address of a part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartAddress {
    /// Lines as written: `10-40`, `10-`, `10`, `-50`, or a text that only looks like lines (`0`).
    Lines(String),
    /// A section or definition by its name, optionally qualified; not empty.
    Name(String),
}

impl AskedPath {
    /// Parses a path of a request.
    ///
    /// # Errors
    /// Those of [`RelPath::parse`].
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut readings = Vec::new();
        let mut form = None;
        for (at, part) in divisions(text).take(PART_READINGS) {
            let Ok(path) = RelPath::parse(&text[..at]) else {
                continue;
            };
            form.get_or_insert_with(|| format!("{path}{}", &text[at..]));
            readings.push(PathReading { path, part });
        }
        let whole = match RelPath::parse(text) {
            Ok(path) => Some(PathReading { path, part: None }),
            // No file has a segment of that length, but a heading may: `guide.md#` followed by
            // a long sentence is valid, as a file and its part.
            Err(PathError::LongSegment(_)) if !readings.is_empty() => None,
            Err(error) => return Err(error),
        };
        readings.extend(whole);
        // The divisions were found with the shortest path first. The longest is tried first,
        // since a file whose name contains `#` or `:` precedes the part of another file.
        readings.reverse();
        let whole = || readings.first().map(|whole| whole.path.to_string());
        Ok(Self {
            text: form.or_else(whole).unwrap_or_default(),
            readings,
        })
    }

    /// Returns it as a path without a part, or `None` if no file can have this name.
    pub fn whole(&self) -> Option<&RelPath> {
        let whole = self.readings.first()?;
        whole.part.is_none().then_some(&whole.path)
    }

    /// Returns the shortest path among its readings: that of a file rather than of its part.
    pub fn file(&self) -> Option<&RelPath> {
        self.readings.last().map(|reading| &reading.path)
    }

    /// Returns true if it may name a part.
    pub fn may_be_part(&self) -> bool {
        self.readings.iter().any(|reading| reading.part.is_some())
    }

    /// Returns the result of the first reading that can be located, and its part.
    ///
    /// # Errors
    /// The error of the readings if none of them can be located.
    pub fn find<T>(
        &self,
        mut locate: impl FnMut(&PathReading) -> Result<T, Error>,
    ) -> Result<(T, Option<&PartAddress>), Error> {
        let mut refusal: Option<Error> = None;
        for reading in &self.readings {
            match locate(reading) {
                Ok(found) => return Ok((found, reading.part.as_ref())),
                // An entry that exists and must not be opened, or is a directory, is more
                // informative than one that is missing.
                Err(error) if error.code != ErrorCode::DocumentNotFound => refusal = Some(error),
                Err(error) => {
                    refusal.get_or_insert(error);
                }
            }
        }
        Err(self.nowhere(refusal))
    }

    /// Returns the error of a path none of whose readings can be located.
    fn nowhere(&self, refusal: Option<Error>) -> Error {
        match (refusal, self.file()) {
            (Some(refusal), Some(file))
                if refusal.code == ErrorCode::DocumentNotFound && self.readings.len() > 1 =>
            {
                Error {
                    message: refuse(
                        ErrorCode::DocumentNotFound,
                        format!("neither `{self}` nor `{file}` is there; expected a document"),
                        "",
                    )
                    .message,
                    ..refusal
                }
            }
            (Some(refusal), _) => refusal,
            // Unreachable: there is at least one reading.
            (None, _) => refuse(ErrorCode::DocumentNotFound, format!("`{self}`"), ""),
        }
    }
}

impl PartialEq for AskedPath {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for AskedPath {}

impl fmt::Display for AskedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for PartAddress {
    /// In the form that follows the path of its file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(lines) => write!(f, ":{lines}"),
            Self::Name(name) => write!(f, "#{name}"),
        }
    }
}

/// Returns the positions at which a text can be divided into the path of a file and its part, in
/// order.
fn divisions(text: &str) -> impl Iterator<Item = (usize, Option<PartAddress>)> {
    let signs = text.match_indices(['#', ':']);
    signs.filter_map(|(at, sign)| {
        // After a `/` begins the name of a file: `docs/#a.md` is not a part of the directory.
        if text[..at].is_empty() || text[..at].ends_with(['/', '\\']) {
            return None;
        }
        let behind = &text[at + 1..];
        if sign == ":" {
            let lines = leading_lines(behind)?.to_owned();
            return Some((at, Some(PartAddress::Lines(lines))));
        }
        let name = behind.trim();
        // As in a link, `guide.md#` is the whole document.
        let part = (!name.is_empty()).then(|| PartAddress::Name(name.to_owned()));
        Some((at, part))
    })
}

/// Returns the lines at the beginning of a text: `-50`, and `10-40` of `10-40 Guide > Cache`, as in
/// answers, and `10` of `10:5` and `10: text`, as in the output of compilers and `grep`.
fn leading_lines(text: &str) -> Option<&str> {
    let is_of_lines = |c: char| c.is_ascii_digit() || c == '-';
    let end = text.find(|c| !is_of_lines(c)).unwrap_or(text.len());
    let (lines, rest) = text.split_at(end);
    let rest = rest.strip_prefix(':').map_or(rest, |column| {
        column.trim_start_matches(|c: char| c.is_ascii_digit())
    });
    let numbers = lines.strip_prefix('-').unwrap_or(lines);
    let is_range = numbers.starts_with(|c: char| c.is_ascii_digit())
        && lines.bytes().filter(|&byte| byte == b'-').count() < 2;
    let is_end = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (is_range && is_end).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each reading as the path and the part, with `|` between them.
    fn readings(text: &str) -> Vec<String> {
        let asked = AskedPath::parse(text).map(|asked| asked.readings);
        let shown = |reading: PathReading| match reading.part {
            None => reading.path.to_string(),
            Some(part) => format!("{}|{part}", reading.path),
        };
        asked.into_iter().flatten().map(shown).collect()
    }

    #[test]
    fn paths_with_parts() {
        for (text, expected) in [
            ("a.md", &["a.md"][..]),
            ("a.md:5", &["a.md:5", "a.md|:5"]),
            ("a.md:5-8", &["a.md:5-8", "a.md|:5-8"]),
            ("a.md:5-", &["a.md:5-", "a.md|:5-"]),
            ("a.md:5-2", &["a.md:5-2", "a.md|:5-2"]),
            ("a.md:0", &["a.md:0", "a.md|:0"]),
            ("a.md:12:5", &["a.md:12:5", "a.md:12|:5", "a.md|:12"]),
            ("a.md:1-2-3", &["a.md:1-2-3"]),
            ("a.md:", &["a.md:"]),
            ("a.md:-3", &["a.md:-3", "a.md|:-3"]),
            ("a.md:-3-5", &["a.md:-3-5"]),
            ("a.md:--3", &["a.md:--3"]),
            ("a.md:5x", &["a.md:5x"]),
            (
                "a.md:5-8 A > B (x) [cut]",
                &["a.md:5-8 A > B (x) [cut]", "a.md|:5-8"],
            ),
            ("12:30 notes.md", &["12:30 notes.md", "12|:30"]),
            ("a.md#", &["a.md#", "a.md"]),
            ("a.md# ", &["a.md# ", "a.md"]),
            ("#", &["#"]),
            (":5", &[":5"]),
            ("docs/#x", &["docs/#x"]),
            ("./a/../b.md#A/B", &["b.md#A/B", "b.md|#A/B"]),
            ("a.md## A", &["a.md## A", "a.md#|#A", "a.md|## A"]),
            (
                "c#/a.cs#A.B",
                &["c#/a.cs#A.B", "c#/a.cs|#A.B", "c|#/a.cs#A.B"],
            ),
            ("a.cc#operator/", &["a.cc#operator", "a.cc|#operator/"]),
            ("a.rs#impl Foo", &["a.rs#impl Foo", "a.rs|#impl Foo"]),
            ("a.md#100%", &["a.md#100%", "a.md|#100%"]),
        ] {
            assert_eq!(readings(text), expected, "{text}");
        }
    }

    #[test]
    fn the_one_form_is_parsed_to_itself() {
        for text in [
            "",
            "/",
            "./a/../b.md#A/B",
            "a.cc#operator/",
            "dir\\a.md:5",
            "aa:5/#x",
            "a.md#../b",
            "a//b.md#A//B",
            "./.",
            "a.md#",
            "a.md: 5",
        ] {
            let form = |text: &str| AskedPath::parse(text).map(|asked| asked.to_string());
            let once = form(text);
            assert_eq!(
                once.as_deref().map(|once| form(&format!("./{once}"))),
                Ok(once.clone())
            );
        }
    }

    #[test]
    fn a_name_may_be_longer_than_that_of_a_file() {
        let name = "가".repeat(200);
        let asked = AskedPath::parse(&format!("a.md#{name}"));
        let asked = asked.map(|asked| (asked.whole().is_none(), asked.may_be_part()));
        assert_eq!(asked, Ok((true, true)));
        assert!(AskedPath::parse(&format!("{name}#a")).is_err());
        assert!(AskedPath::parse(&format!("a#{}", "a".repeat(5000))).is_err());
        // A path out of the root is refused whatever part it may name.
        assert!(AskedPath::parse("../a.md#x").is_err());
        assert!(AskedPath::parse("a.md#x/../../..").is_err());
        assert!(AskedPath::parse("a.md#\0").is_err());
    }

    #[test]
    fn many_signs_are_read_in_a_few_ways() {
        let asked = readings(&"a#".repeat(100));
        assert_eq!(asked.len(), 1 + PART_READINGS);
    }
}
