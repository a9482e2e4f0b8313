//! Escaping of untrusted text for display on a terminal or to a model.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes text from a document or a name so that it cannot steer a terminal: control characters,
/// and characters that change the direction of text, become `\u{…}`; a tab stays.
pub fn visible(text: &str) -> Cow<'_, str> {
    let steers = |c: char| {
        c.is_control() && c != '\t'
            // Bidirectional controls reverse the text after them: a file named
            // `a\u{202e}dm.exe` is displayed as `aexe.md`. The separators of lines and
            // paragraphs break a line in some programs, so a name could imitate a line of its
            // own.
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers(c) {
            let _ = write!(visible, "\\u{{{:x}}}", u32::from(c));
        } else {
            visible.push(c);
        }
    }
    visible.into()
}

/// Escapes several lines in the same way; the line breaks stay, CRLF as LF.
pub fn visible_lines(text: &str) -> String {
    let mut visible_text = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), "\n"),
            None => (line, ""),
        };
        visible_text.push_str(&visible(line));
        visible_text.push_str(end);
    }
    visible_text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(visible("a\tb\n\u{1b}[2J"), "a\tb\\u{a}\\u{1b}[2J");
        assert_eq!(visible("x\u{202e}y\u{9b}"), "x\\u{202e}y\\u{9b}");
        assert_eq!(
            visible_lines("a\r\nb\u{1b}\n\nc\rd"),
            "a\nb\\u{1b}\n\nc\\u{d}d"
        );
        assert_eq!(visible_lines("\n"), "\n");
    }
}
