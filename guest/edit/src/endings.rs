//! Line endings: detecting those of a text, and choosing those of inserted lines.

use docent_text::lines::with_ends;

/// The line endings of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endings {
    /// Ending of most lines; `None` if no line has an end.
    pub dominant: Option<&'static str>,
}

/// Returns a text with every line ending replaced by LF. A lone CR counts as a line ending, in the
/// text to find and in its replacement alike: otherwise a text would be matched by one rule and
/// written by another.
pub fn unify(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns the line ending at the end of `text`, or an empty string.
pub fn line_end(text: &str) -> &'static str {
    ["\r\n", "\n", "\r", ""]
        .into_iter()
        .find(|end| text.ends_with(end))
        .unwrap_or_default()
}

/// Returns the line ending at the beginning of `text`, or an empty string.
pub fn leading_line_end(text: &str) -> &'static str {
    ["\r\n", "\n", "\r", ""]
        .into_iter()
        .find(|end| text.starts_with(end))
        .unwrap_or_default()
}

impl Endings {
    /// Determines the line endings of `text`.
    pub fn detect(text: &str) -> Self {
        let bytes = text.as_bytes();
        let feeds = memchr::memchr_iter(b'\n', bytes).count();
        let (mut both, mut lone) = (0, 0);
        for at in memchr::memchr_iter(b'\r', bytes) {
            if bytes.get(at + 1) == Some(&b'\n') {
                both += 1;
            } else {
                lone += 1;
            }
        }
        let counts = [("\n", feeds - both), ("\r\n", both), ("\r", lone)];
        // The first of equally frequent endings: the iterator is reversed because `max_by_key`
        // returns the last maximum. In `a\nb\r\n` a new line ends in LF.
        let most = counts.iter().rev().max_by_key(|(_, count)| *count);
        Self {
            dominant: most
                .filter(|(_, count)| *count > 0)
                .map(|(ending, _)| *ending),
        }
    }

    /// Returns `unified`, whose lines end in LF, with the endings of this text: those of the
    /// replaced lines one after the other, then that of most lines. In a file of mixed endings, a
    /// replaced line thus keeps its ending, and a diff shows only the change of its text.
    pub fn adapt<'l>(self, unified: &str, replaced: impl IntoIterator<Item = &'l str>) -> String {
        let mut replaced = replaced
            .into_iter()
            .map(line_end)
            .filter(|end| !end.is_empty());
        let mut out = String::with_capacity(unified.len());
        for line in unified.split_inclusive('\n') {
            let text = line.strip_suffix('\n');
            out.push_str(text.unwrap_or(line));
            if text.is_some() {
                out.push_str(replaced.next().or(self.dominant).unwrap_or("\n"));
            }
        }
        out
    }

    /// Returns the ending of a new line.
    pub fn new_line(self) -> &'static str {
        self.dominant.unwrap_or("\n")
    }
}

/// Returns the starts of the lines of `text`, followed by its length.
pub fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    // Most texts contain no CR, and searching for LF alone is much faster than examining each line
    // for three endings. Every plan does this twice: for the old and for the new text.
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1));
        if !text.is_empty() && !text.ends_with('\n') {
            starts.push(text.len());
        }
        return starts;
    }
    let mut at = 0;
    starts.extend(with_ends(text).map(|line| {
        at += line.len();
        at
    }));
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_lines_have() {
        for (text, expected) in [
            ("", None),
            ("a", None),
            ("a\nb\r\nc\n", Some("\n")),
            ("a\nb\r\nc\r\n", Some("\r\n")),
            ("a\nb\r\n", Some("\n")),
            ("a\rb\r", Some("\r")),
        ] {
            assert_eq!(Endings::detect(text).dominant, expected, "{text:?}");
        }
    }

    #[test]
    fn inserted_lines_take_the_ending_that_stands_there() {
        let endings = Endings::detect("a\r\nb\nc\r\n");
        let unified = unify("x\r\ny\rz\n");
        assert_eq!(endings.adapt(&unified, ["a\n", "b\r\n"]), "x\ny\r\nz\r\n");
        assert_eq!(endings.adapt("x", ["a\n"]), "x");
        // No line ending to follow.
        assert_eq!(Endings::detect("a").adapt("x\ny", []), "x\ny");
    }

    #[test]
    fn starts_of_lines() {
        assert_eq!(line_starts("a\r\nb\rc\n"), [0, 3, 5, 7]);
        assert_eq!(line_starts("a\nb"), [0, 2, 3]);
        assert_eq!(line_starts(""), [0]);
        assert_eq!(line_starts("a\n\n"), [0, 2, 3]);
        assert_eq!(line_starts("\r"), [0, 1]);
    }
}
