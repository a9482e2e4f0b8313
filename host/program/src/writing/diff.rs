//! Output of differences.

use std::io::{self, Write};

use crate::terminal::page::Page;
use crate::terminal::style::{
    ADDED_LINE, FILE_NAME, HUNK, Layout, Paint, REMOVED_LINE, Style, visible,
};

impl<W: Write> Page<W> {
    /// Writes the diff of one file: unchanged into a pipe, so that `git apply` accepts it,
    /// otherwise with control characters escaped.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn diff(&mut self, diff: &str) -> io::Result<()> {
        if (self.layout, self.paint) == (Layout::Lines, Paint::Plain) {
            return self.output.write_all(diff.as_bytes());
        }
        let mut is_body = false;
        for line in diff.lines() {
            is_body |= line.starts_with("@@");
            let shown = visible(line);
            match style(line, is_body) {
                Some(style) => writeln!(self.output, "{}", self.paint.style(style, shown))?,
                None => writeln!(self.output, "{shown}")?,
            }
        }
        Ok(())
    }
}

/// Returns the style of a line, in the header that names the file or in the body.
fn style(line: &str, is_body: bool) -> Option<Style> {
    match line.bytes().next() {
        _ if !is_body => Some(FILE_NAME),
        Some(b'@') => Some(HUNK),
        Some(b'+') => Some(ADDED_LINE),
        Some(b'-') => Some(REMOVED_LINE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str =
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\r\n--- y\n+\u{1b}z\n";

    fn printed(layout: Layout, paint: Paint) -> String {
        let mut page = Page {
            output: Vec::new(),
            layout,
            paint,
            screen: None,
        };
        page.diff(DIFF).unwrap();
        String::from_utf8(page.output).unwrap()
    }

    #[test]
    fn a_pipe_gets_every_byte() {
        assert_eq!(printed(Layout::Lines, Paint::Plain), DIFF);
    }

    #[test]
    fn a_terminal_gets_colours_and_no_controls() {
        let plain = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n--- y\n+\\u{1b}z\n";
        assert_eq!(printed(Layout::Headings, Paint::Plain), plain);
        let colored = "\x1b[1mdiff --git a/a b/a\x1b[0m\n\x1b[1m--- a/a\x1b[0m\n\
                       \x1b[1m+++ b/a\x1b[0m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n x\n\
                       \x1b[31m--- y\x1b[0m\n\x1b[32m+\\u{1b}z\x1b[0m\n";
        assert_eq!(printed(Layout::Headings, Paint::Colors), colored);
        assert_eq!(printed(Layout::Lines, Paint::Colors), colored);
    }
}
