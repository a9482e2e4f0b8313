//! The source of a cell: its text, and the strings in JSON that hold it.

use std::ops::Range;

use super::json::JsonScanner;
use crate::limits::CELL_SOURCE_BYTES;

/// The source of a cell, which is an array of lines or one string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSource<'t> {
    /// Text of the file.
    file: &'t str,
    /// Source.
    text: String,
    form: SourceForm,
    /// Range of the file between the brackets or quotes.
    inside: Range<usize>,
    pieces: Vec<SourcePiece>,
}

/// The form of a source in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceForm {
    /// An array of strings.
    Array,
    /// One string.
    String,
}

/// A part of a source that is written as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SourcePiece {
    /// Its end in the source; it begins where the one before it ends.
    end: usize,
    /// Its range in the file: a string with its quotes, or a line of the one string.
    written: (usize, usize),
}

/// A range of the file, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceChange {
    /// Range of the text of the file.
    pub range: Range<usize>,
    /// Replacement.
    pub text: String,
}

impl<'t> CellSource<'t> {
    /// Parses the source at `value` in the text of a file. Returns `None` if it is longer than
    /// [`CELL_SOURCE_BYTES`], or something else than a string or an array of strings.
    pub fn parse(file: &'t str, value: Range<usize>) -> Option<Self> {
        if value.len() > CELL_SOURCE_BYTES {
            return None;
        }
        let mut scanner = JsonScanner::new(file, value.start);
        let form = match scanner.peek()? {
            b'[' => SourceForm::Array,
            b'"' => SourceForm::String,
            _ => return None,
        };
        let mut source = Self {
            file,
            text: String::new(),
            form,
            inside: value.start + 1..value.end - 1,
            pieces: Vec::new(),
        };
        match form {
            SourceForm::Array => scanner.array(&mut |scanner| {
                let string = scanner.string()?;
                let written = (string.start - 1, string.end + 1);
                source.push(string)?;
                source.end_piece(written);
                Some(())
            })?,
            SourceForm::String => source.push_lines(scanner.string()?)?,
        }
        Some(source)
    }

    /// Returns the source.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds the characters of a string.
    fn push(&mut self, string: Range<usize>) -> Option<()> {
        for c in JsonChars::new(&self.file[string]) {
            self.text.push(c?);
        }
        Some(())
    }

    /// Adds the characters of the one string, each line of which is a piece.
    fn push_lines(&mut self, string: Range<usize>) -> Option<()> {
        let mut chars = JsonChars::new(&self.file[string.clone()]);
        let mut start = string.start;
        while let Some(c) = chars.next() {
            self.text.push(c?);
            if c == Some('\n') {
                let end = string.end - chars.rest.len();
                self.end_piece((start, end));
                start = end;
            }
        }
        if start < string.end {
            self.end_piece((start, string.end));
        }
        Some(())
    }

    fn end_piece(&mut self, written: (usize, usize)) {
        let end = self.text.len();
        self.pieces.push(SourcePiece { end, written });
    }

    /// Returns the text of a piece.
    fn piece(&self, index: usize) -> &str {
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.pieces[before].end);
        &self.text[start..self.pieces[index].end]
    }

    /// Returns the change of the file that makes `new` the source, or `None` if it is already. The
    /// lines at both ends that stay keep their bytes, and new ones are written as nbformat writes
    /// them: one string for each line, with its end.
    pub fn change(&self, new: &str) -> Option<SourceChange> {
        if new == self.text {
            return None;
        }
        let count = self.pieces.len();
        // A piece only stays if it begins and ends a line in the new text too.
        let (mut first, mut start) = (0, 0);
        while first < count {
            let piece = self.piece(first);
            if !piece.ends_with('\n') || !new[start..].starts_with(piece) {
                break;
            }
            start += piece.len();
            first += 1;
        }
        let (mut last, mut end) = (count, new.len());
        while last > first {
            let piece = self.piece(last - 1);
            let Some(before) = new[start..end].strip_suffix(piece) else {
                break;
            };
            let is_begun = before.is_empty() || before.ends_with('\n');
            if piece.is_empty() || !is_begun {
                break;
            }
            end -= piece.len();
            last -= 1;
        }
        let lines = new[start..end].split_inclusive('\n');
        let is_ascii = writes_ascii(self.file);
        let written: Vec<String> = lines.map(|line| self.written(line, is_ascii)).collect();
        let separator = self.separator();
        let joined = written.join(&separator);
        let (before, behind) = (first.checked_sub(1), (last < count).then_some(last));
        let start_of = |index: usize| self.pieces[index].written.0;
        let end_of = |index: usize| self.pieces[index].written.1;
        let (range, text) = match (first < last, written.is_empty(), before, behind) {
            (true, false, ..) => (start_of(first)..end_of(last - 1), joined),
            // The separator goes away with the lines.
            (true, true, Some(before), _) => (end_of(before)..end_of(last - 1), joined),
            (true, true, None, Some(behind)) => (start_of(first)..start_of(behind), joined),
            (false, _, Some(before), _) => (
                end_of(before)..end_of(before),
                format!("{separator}{joined}"),
            ),
            (false, _, None, Some(behind)) => (
                start_of(behind)..start_of(behind),
                format!("{joined}{separator}"),
            ),
            (_, _, None, None) => (self.inside.clone(), joined),
        };
        Some(SourceChange { range, text })
    }

    /// Returns the text between two strings of the array.
    fn separator(&self) -> String {
        let [first, rest @ ..] = &self.pieces[..] else {
            return self.gap(", ");
        };
        match rest {
            [second, ..] => self.gap(&self.file[first.written.1..second.written.0]),
            // A single string is on a line of its own if several would be.
            [] => match &self.file[self.inside.start..first.written.0] {
                open if open.contains('\n') => self.gap(&format!(",{open}")),
                _ => self.gap(", "),
            },
        }
    }

    fn gap(&self, of_array: &str) -> String {
        match self.form {
            SourceForm::Array => of_array.to_owned(),
            SourceForm::String => String::new(),
        }
    }

    /// Returns a line in the form of this source.
    fn written(&self, line: &str, is_ascii: bool) -> String {
        let mut out = String::with_capacity(line.len() + 4);
        let quote = match self.form {
            SourceForm::Array => "\"",
            SourceForm::String => "",
        };
        out.push_str(quote);
        for c in line.chars() {
            push_json(&mut out, c, is_ascii);
        }
        out.push_str(quote);
        out
    }
}

/// Returns true if a file has escapes instead of all characters outside ASCII, as `json.dump` of
/// Python writes them.
fn writes_ascii(file: &str) -> bool {
    let is_outside = |digits: &str| {
        let unit = digits
            .get(..4)
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        unit.is_some_and(|unit| unit >= 0x80)
    };
    file.is_ascii() && file.split("\\u").skip(1).any(is_outside)
}

/// Adds a character of a string, escaped as Python does it.
fn push_json(out: &mut String, c: char, is_ascii: bool) {
    match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{C}' => out.push_str("\\f"),
        c if c < ' ' || (is_ascii && !c.is_ascii()) => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
        c => out.push(c),
    }
}

/// The characters of a string in JSON that was scanned; `None` for half of a surrogate pair, which
/// no text can hold.
struct JsonChars<'t> {
    rest: &'t str,
}

impl<'t> JsonChars<'t> {
    fn new(string: &'t str) -> Self {
        Self { rest: string }
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn unit(&mut self) -> Option<u16> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        u16::from_str_radix(digits, 16).ok()
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.take()? {
            'b' => '\u{8}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let first = self.unit()?;
                if !(0xD800..0xE000).contains(&first) {
                    return char::from_u32(first.into());
                }
                self.rest = self.rest.strip_prefix("\\u")?;
                let second = self.unit()?;
                return char::decode_utf16([first, second]).next()?.ok();
            }
            c => c,
        })
    }
}

impl Iterator for JsonChars<'_> {
    type Item = Option<char>;

    fn next(&mut self) -> Option<Option<char>> {
        Some(match self.take()? {
            '\\' => self.escaped(),
            c => Some(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(file: &str, new: &str) -> Option<String> {
        let source = CellSource::parse(file, 0..file.len())?;
        let mut changed = file.to_owned();
        if let Some(change) = source.change(new) {
            changed.replace_range(change.range, &change.text);
        }
        let again = CellSource::parse(&changed, 0..changed.len())?;
        assert_eq!(again.text(), new, "{changed}");
        Some(changed)
    }

    #[test]
    fn texts() {
        for (file, expected) in [
            ("[]", Some("")),
            ("\"\"", Some("")),
            (r#"["a\n", "b"]"#, Some("a\nb")),
            (r#"["a\n", "", "b\nc"]"#, Some("a\nb\nc")),
            (
                r#""a\n\tb \"\\\/ 한 \u00e9 \ud83d\ude00""#,
                Some("a\n\tb \"\\/ 한 é 😀"),
            ),
            (r#"["\ud83d"]"#, None),
            (r#"["\ud83dx"]"#, None),
            (r#"["a", 1]"#, None),
            ("1", None),
            ("{}", None),
        ] {
            let source = CellSource::parse(file, 0..file.len());
            assert_eq!(source.as_ref().map(CellSource::text), expected, "{file}");
        }
        let long = format!("\"{}\"", "a".repeat(CELL_SOURCE_BYTES));
        assert_eq!(CellSource::parse(&long, 0..long.len()), None);
    }

    #[test]
    fn lines_that_stay_keep_their_bytes() {
        let file = "[\n    \"\\u0061\\n\",\n    \"b\\n\",\n    \"c\"\n   ]";
        for (new, expected) in [
            (
                "a\nb\nc",
                "[\n    \"\\u0061\\n\",\n    \"b\\n\",\n    \"c\"\n   ]",
            ),
            (
                "a\nx\nc",
                "[\n    \"\\u0061\\n\",\n    \"x\\n\",\n    \"c\"\n   ]",
            ),
            (
                "a\nb\nx\ny\nc",
                "[\n    \"\\u0061\\n\",\n    \"b\\n\",\n    \"x\\n\",\n    \"y\\n\",\n    \"c\"\n   ]",
            ),
            (
                "x\na\nb\nc",
                "[\n    \"x\\n\",\n    \"\\u0061\\n\",\n    \"b\\n\",\n    \"c\"\n   ]",
            ),
            ("a\nc", "[\n    \"\\u0061\\n\",\n    \"c\"\n   ]"),
            ("b\nc", "[\n    \"b\\n\",\n    \"c\"\n   ]"),
            ("a\nb", "[\n    \"\\u0061\\n\",\n    \"b\"\n   ]"),
            ("a\nb\n", "[\n    \"\\u0061\\n\",\n    \"b\\n\"\n   ]"),
            (
                "a\nb\nc\nd",
                "[\n    \"\\u0061\\n\",\n    \"b\\n\",\n    \"c\\n\",\n    \"d\"\n   ]",
            ),
            (
                "a\nb\nxc",
                "[\n    \"\\u0061\\n\",\n    \"b\\n\",\n    \"xc\"\n   ]",
            ),
            ("", "[]"),
        ] {
            assert_eq!(changed(file, new).as_deref(), Some(expected), "{new:?}");
        }
    }

    #[test]
    fn forms() {
        for (file, new, expected) in [
            (r#""a\nb\/""#, "x\nb/", r#""x\nb\/""#),
            (r#""a\nb""#, "a\nb\n\"c\"", r#""a\nb\n\"c\"""#),
            (r#""a\nb""#, "", r#""""#),
            (r#""a\nb""#, "b", r#""b""#),
            (r#""""#, "a\nb", r#""a\nb""#),
            ("[]", "a\nb", r#"["a\n", "b"]"#),
            (r#"["a"]"#, "a\nb", r#"["a\n", "b"]"#),
            ("[\n  \"a\"\n]", "a\nb", "[\n  \"a\\n\",\n  \"b\"\n]"),
            (r#"["a\n","b"]"#, "a\nx\ny", r#"["a\n","x\n","y"]"#),
            (r#"["a\nb\n", "c"]"#, "a\nx\nc", r#"["a\n", "x\n", "c"]"#),
            (
                r#"["a"]"#,
                "\t\u{8}\u{C}\r\u{1b}é",
                r#"["\t\b\f\r\u001bé"]"#,
            ),
            (r#"["\u00e9"]"#, "ü😀", r#"["\u00fc\ud83d\ude00"]"#),
        ] {
            assert_eq!(
                changed(file, new).as_deref(),
                Some(expected),
                "{file} {new:?}"
            );
        }
    }
}
