//! The text of one block while it is read: words with single blanks, links and code.

use crate::inline::{make_link, superscript};
use crate::limits::INLINE_SPANS;

/// Blanks that are shown as one.
const BLANKS: [char; 5] = [' ', '\t', '\n', '\r', '\u{C}'];

/// The text of a block with the spans that are open in it.
#[derive(Debug, Default)]
pub struct InlineText {
    text: String,
    spans: Vec<InlineSpan>,
    /// True if the description of an image was added last.
    is_behind_image: bool,
    /// End of the last ruby reading.
    reading_end: Option<usize>,
}

/// A span of text with a meaning, up to the end of the text.
#[derive(Debug)]
struct InlineSpan {
    kind: SpanKind,
    start: usize,
    /// Address of a link. A link to the page itself, or whose address was written, has none.
    address: Option<String>,
}

/// The meaning of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Link,
    Code,
    Superscript,
    /// The pronunciation of the text before it.
    Reading,
    Quotation,
}

/// The treatment of blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// Each run of them is one blank.
    Collapse,
    /// Only line breaks are kept.
    KeepLines,
    /// All of them are kept.
    Keep,
}

impl InlineText {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns true if there is no text yet, and no span that is open in it.
    pub fn is_new(&self) -> bool {
        self.text.is_empty() && self.spans.is_empty()
    }

    /// Returns true if the text ends with a line break.
    pub fn ends_line(&self) -> bool {
        self.text.ends_with('\n')
    }

    /// Adds words of the page.
    pub fn push(&mut self, words: &str, blanks: Blanks) {
        if blanks == Blanks::Keep {
            self.text.push_str(words);
            return;
        }
        for (index, line) in words.split('\n').enumerate() {
            if index > 0 && blanks == Blanks::KeepLines {
                self.break_line();
            } else if index > 0 {
                self.separate();
            }
            for (index, word) in line.split(BLANKS).enumerate() {
                if index > 0 {
                    self.separate();
                }
                self.push_word(word);
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        if std::mem::take(&mut self.is_behind_image) && word.starts_with(char::is_alphanumeric) {
            self.separate();
        }
        // Browsers ignore the character.
        self.text.extend(word.split('\0'));
    }

    /// Adds a blank between words.
    pub fn separate(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// Adds a line break between words.
    pub fn break_line(&mut self) {
        if self.text.ends_with(' ') {
            self.text.pop();
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Adds a line break that is part of text whose blanks are kept.
    pub fn push_line_break(&mut self) {
        self.text.push('\n');
    }

    /// Adds the description of an image.
    pub fn push_image(&mut self, description: &str) {
        // The image of an initial is a part of its word.
        let is_letter = description.trim().chars().nth(1).is_none();
        if !is_letter && self.text.ends_with(char::is_alphanumeric) {
            self.separate();
        }
        self.is_behind_image = false;
        self.push(description, Blanks::Collapse);
        self.is_behind_image = !is_letter;
    }

    /// Opens a span. Within code there are none.
    pub fn open(&mut self, kind: SpanKind, address: Option<String>) {
        let is_code = self.spans.iter().any(|span| span.kind == SpanKind::Code);
        if is_code || self.spans.len() >= INLINE_SPANS {
            return;
        }
        self.spans.push(InlineSpan {
            kind,
            start: self.text.len(),
            address,
        });
    }

    /// Closes the last span of a kind, and those within it.
    pub fn close(&mut self, kind: SpanKind) {
        if !self.spans.iter().any(|span| span.kind == kind) {
            return;
        }
        while let Some(mut span) = self.spans.pop() {
            self.apply(&mut span);
            if span.kind == kind {
                break;
            }
        }
    }

    /// Returns the text and begins another one, in which the same spans are open. A link is made
    /// only once, so that one around several blocks does not repeat its address.
    pub fn take(&mut self) -> String {
        let mut spans = std::mem::take(&mut self.spans);
        for span in spans.iter_mut().rev() {
            self.apply(span);
            span.start = 0;
        }
        self.spans = spans;
        self.is_behind_image = false;
        self.reading_end = None;
        std::mem::take(&mut self.text)
    }

    /// Gives the text of a span the form of its meaning.
    fn apply(&mut self, span: &mut InlineSpan) {
        let inside = self.text.get(span.start..).unwrap_or_default();
        if inside.trim().is_empty() {
            return;
        }
        match span.kind {
            SpanKind::Link => {
                if let Some(address) = span.address.take() {
                    make_link(&mut self.text, span.start, &address);
                }
            }
            SpanKind::Code => {
                let lines: Vec<String> = inside.split('\n').map(code).collect();
                self.replace(span.start, &lines.join("\n"));
            }
            SpanKind::Superscript => {
                if let Some(raised) = superscript(inside.trim()) {
                    self.replace(span.start, &raised);
                }
            }
            SpanKind::Reading => {
                let mut reading = format!("({})", inside.trim());
                let mut start = span.start;
                // A word of several characters may have the readings of all behind it.
                if self.reading_end == Some(start) {
                    start -= 1;
                    reading.remove(0);
                }
                self.replace(start, &reading);
                self.reading_end = Some(self.text.len());
            }
            SpanKind::Quotation => {
                let quoted = format!("“{}”", inside.trim());
                self.replace(span.start, &quoted);
            }
        }
    }

    /// Replaces the text from `start` on. A blank before its first word stays.
    fn replace(&mut self, start: usize, words: &str) {
        let inside = self.text.get(start..).unwrap_or_default();
        let is_apart = inside.starts_with(' ');
        let is_followed = inside.ends_with(' ');
        self.text.truncate(start);
        if is_apart {
            self.text.push(' ');
        }
        self.text.push_str(words);
        if is_followed {
            self.text.push(' ');
        }
    }
}

/// Returns a line as code. Its marks are longer than every run of backticks in it.
fn code(line: &str) -> String {
    let line = line.trim();
    if line.is_empty() {
        return String::new();
    }
    let runs = line.split(|c| c != '`').map(str::len);
    let marks = "`".repeat(runs.max().map_or(1, |longest| longest + 1));
    let blank = if line.starts_with('`') || line.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{marks}{blank}{line}{blank}{marks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_text() {
        let mut text = InlineText::default();
        text.push("  one\n two ", Blanks::Collapse);
        text.open(SpanKind::Link, Some("a b".to_owned()));
        text.push("the ", Blanks::Collapse);
        text.open(SpanKind::Code, None);
        text.push("`x`", Blanks::Collapse);
        text.close(SpanKind::Link);
        text.push(", 10", Blanks::Collapse);
        text.open(SpanKind::Superscript, None);
        text.push("-6", Blanks::Collapse);
        text.close(SpanKind::Superscript);
        text.close(SpanKind::Code);
        assert_eq!(text.take(), "one two [the `` `x` ``](a%20b), 10⁻⁶");
    }

    #[test]
    fn readings_of_one_word_are_joined() {
        let mut text = InlineText::default();
        text.push("東京", Blanks::Collapse);
        for reading in ["とう", "きょう"] {
            text.open(SpanKind::Reading, None);
            text.push(reading, Blanks::Collapse);
            text.close(SpanKind::Reading);
        }
        assert_eq!(text.take(), "東京(とうきょう)");
    }

    #[test]
    fn descriptions_of_images_are_words() {
        let mut text = InlineText::default();
        text.push_image("O");
        text.push("nce", Blanks::Collapse);
        text.push_image("a cat");
        text.push("sat, ", Blanks::Collapse);
        text.push_image("a dog");
        text.push(".", Blanks::Collapse);
        assert_eq!(text.take(), "Once a cat sat, a dog.");
    }
}
