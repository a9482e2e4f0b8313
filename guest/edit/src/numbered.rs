//! Texts copied from an answer together with the line numbers that it shows. The numbers are
//! removed only where that is certain: numbers that are not consecutive are part of the text, such
//! as the first column of a table.

use docent_text::lines::{with_ends, without_end};

/// A text without the line numbers with which it was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedText {
    /// Text without the numbers.
    pub text: String,
    /// Number of its first line.
    pub first: u32,
}

impl CopiedText {
    /// Removes the line numbers of a text, or returns `None` if it has none. Each line that is not
    /// empty must begin with a number and a tab, or with a tab alone, and the numbers must be
    /// consecutive:
    ///
    /// ```text
    /// 41\tfn main() {
    /// \t    run();
    /// 43\t}
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut plain = String::with_capacity(text.len());
        let mut first: Option<u32> = None;
        for (at, line) in (0..).zip(with_ends(text)) {
            // In an answer an empty line has no number.
            if without_end(line).is_empty() {
                plain.push_str(line);
                continue;
            }
            let (number, rest) = line.split_once('\t')?;
            plain.push_str(rest);
            // In an answer of short lines not every line is numbered. The lines between two numbers
            // begin with a tab alone.
            if number.is_empty() {
                continue;
            }
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
            let number: u32 = number.parse().ok().filter(|_| is_number)?;
            let own = number.checked_sub(at).filter(|own| *own > 0)?;
            if *first.get_or_insert(own) != own {
                return None;
            }
        }
        first.map(|first| Self { text: plain, first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lines_that_follow_each_other() {
        for (text, expected) in [
            ("7\ta\n8\t\tb\r\n9\t", Some((7, "a\n\tb\r\n"))),
            ("7\ta", Some((7, "a"))),
            ("9\ta\n10\tb\n\tc\n\td\n", Some((9, "a\nb\nc\nd\n"))),
            ("\ta\n10\tb\n", Some((9, "a\nb\n"))),
            ("7\ta\n9\tb\n", None),
            ("7\ta\nb\n", None),
            ("7\ta\n\n9\tb\n", Some((7, "a\n\nb\n"))),
            ("7\ta\n\n8\tb\n", None),
            ("\n\n", None),
            ("\ta\n\tb\n", None),
            ("+7\ta\n", None),
            ("0\ta\n", None),
            ("99999999999\ta\n", None),
            ("a\n", None),
            ("", None),
        ] {
            let found = CopiedText::parse(text);
            let found = found.as_ref().map(|one| (one.first, one.text.as_str()));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
