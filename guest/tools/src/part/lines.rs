//! Lines in the form of requests: `10-40`, `10-`, `10`, or `-50` for the last 50.

use std::ops::Range;

use docent_text::lines::with_ends;
use docent_text::saturating::saturating_u32;

/// Lines as a request names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedLines {
    /// By their numbers.
    Numbered(LineNumbers),
    /// The given number of last lines.
    Last(u32),
}

impl AskedLines {
    /// Parses the lines that a text names, or returns `None` if it names none.
    pub fn parse(text: &str) -> Option<Self> {
        let Some(last) = text.trim().strip_prefix('-') else {
            return LineNumbers::parse(text).map(Self::Numbered);
        };
        let lines = LineNumbers::parse(last)?;
        (lines.first == lines.last).then_some(Self::Last(lines.last))
    }

    /// Returns the byte range of these lines in `text`, clipped to the lines that exist.
    ///
    /// # Errors
    /// The first of these lines and the number of lines of the text, if it ends before them.
    pub fn span(self, text: &str) -> Result<Range<usize>, (u32, u32)> {
        match self {
            Self::Numbered(numbers) => numbers.span(text).map_err(|count| (numbers.first, count)),
            Self::Last(last) => Ok(last_lines(text, last)..text.len()),
        }
    }
}

/// Returns the start of the last `count` lines of a text, or of the text if it has fewer.
fn last_lines(text: &str, count: u32) -> usize {
    let lines = with_ends(text).count();
    let before = with_ends(text).take(lines.saturating_sub(count as usize));
    before.map(str::len).sum()
}

/// A range of line numbers, 1-based, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineNumbers {
    /// The first line.
    pub first: u32,
    /// The last line, not before the first.
    pub last: u32,
}

impl LineNumbers {
    /// Parses the lines that a text names, or returns `None` if it names none.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let digits = text.trim();
            // `parse` of an integer accepts a sign, but `+1` does not name a line.
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            // A number that overflows names a line after the end of every document.
            is_number.then(|| digits.parse().unwrap_or(u32::MAX))
        };
        let (first, last) = match text.split_once('-') {
            None => (number(text)?, number(text)?),
            Some((first, "")) => (number(first)?, u32::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
        };
        (1 <= first && first <= last).then_some(Self { first, last })
    }

    /// Returns the lines that contain `span` of `text`, or `None` if it is empty.
    pub fn from_span(text: &str, span: &Range<usize>) -> Option<Self> {
        if span.is_empty() {
            return None;
        }
        let before = saturating_u32(with_ends(&text[..span.start]).count());
        let inside = saturating_u32(with_ends(&text[span.clone()]).count());
        Some(Self {
            first: before + 1,
            last: before + inside,
        })
    }

    /// Returns the byte range of these lines in `text`, clipped to the lines that exist.
    ///
    /// # Errors
    /// The number of lines of the text, if it ends before them.
    pub fn span(self, text: &str) -> Result<Range<usize>, u32> {
        let mut lines = with_ends(text);
        let lines_before = lines.by_ref().take(self.first as usize - 1).map(str::len);
        let (count, start) =
            lines_before.fold((0, 0), |(count, at), length| (count + 1, at + length));
        if start == text.len() {
            return Err(count);
        }
        let wanted = (self.last - self.first) as usize + 1;
        let length: usize = lines.take(wanted).map(str::len).sum();
        Ok(start..start + length)
    }
}

/// Returns the lines of a text from the 1-based `first` to `last`.
pub fn lines_between(text: &str, first: u32, last: u32) -> &str {
    let mut lines = with_ends(text);
    let before = lines.by_ref().take(first as usize - 1).map(str::len).sum();
    let length: usize = lines.take((last + 1 - first) as usize).map(str::len).sum();
    &text[before..before + length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_lines() {
        for (text, expected) in [
            ("10-40", Some((10, 40))),
            ("10-", Some((10, u32::MAX))),
            ("10", Some((10, 10))),
            (" 1 - 2 ", Some((1, 2))),
            ("7-99999999999", Some((7, u32::MAX))),
            ("0", None),
            ("2-1", None),
            ("-3", None),
            ("a", None),
            ("", None),
            ("1-2-3", None),
            ("+1", None),
        ] {
            let parsed = LineNumbers::parse(text).map(|numbers| (numbers.first, numbers.last));
            assert_eq!(parsed, expected, "{text:?}");
        }
    }

    #[test]
    fn the_last_lines() {
        let text = "one\ntwo\r\nthree";
        for (written, expected) in [
            ("-1", Some("three")),
            ("-2", Some("two\r\nthree")),
            ("-9", Some(text)),
            (" -1 ", Some("three")),
            ("2-3", Some("two\r\nthree")),
            ("-0", None),
            ("-", None),
            ("--1", None),
            ("-1-2", None),
        ] {
            let span = AskedLines::parse(written).map(|lines| lines.span(text));
            let found = span.map(|span| span.map(|span| &text[span]));
            assert_eq!(found, expected.map(Ok), "{written}");
        }
        assert_eq!(AskedLines::Last(3).span(""), Ok(0..0));
        let beyond = AskedLines::parse("4-").map(|lines| lines.span(text));
        assert_eq!(beyond, Some(Err((4, 3))));
    }

    #[test]
    fn lines_are_those_that_there_are() {
        let text = "one\ntwo\r\nthree";
        let lines = |written: &str| {
            LineNumbers::parse(written).map(|numbers| numbers.span(text).map(|span| &text[span]))
        };
        for (written, expected) in [
            ("1", Ok("one\n")),
            ("2-3", Ok("two\r\nthree")),
            ("3-99", Ok("three")),
            ("1-", Ok(text)),
            ("4", Err(3)),
        ] {
            assert_eq!(lines(written), Some(expected));
        }
        assert_eq!(LineNumbers { first: 1, last: 1 }.span(""), Err(0));
        let numbers = LineNumbers::from_span(text, &(4..14));
        assert_eq!(numbers, Some(LineNumbers { first: 2, last: 3 }));
    }
}
