//! What the comment before a definition says.

use std::borrow::Cow;

use crate::code::Code;
use crate::language::Language;
use crate::limits::INDENT_BYTES;
use crate::position::{ByteOffset, ByteRange};

impl Code<'_> {
    /// Returns where the comments begin that stand directly before `offset`, and their text.
    pub(crate) fn doc_before(&self, offset: ByteOffset) -> (ByteOffset, String) {
        let behind = self
            .comments
            .partition_point(|comment| comment.end <= offset);
        // Upwards, as long as comments stand on neighbouring lines.
        let (mut first, mut start) = (behind, offset);
        while let Some(comment) = first.checked_sub(1).map(|index| &self.comments[index]) {
            let is_bound = self.is_about_what_follows(comment, start)
                || first == behind && self.is_bound_by_tools(comment, start);
            if !is_bound {
                break;
            }
            start = comment.start;
            first -= 1;
        }
        // Lines of the preprocessor belong to what they stand next to only below a comment.
        while first < behind && self.is_directive(&self.comments[first]) {
            first += 1;
            let next = self.comments[..behind].get(first);
            start = next.map_or(offset, |comment| comment.start);
        }
        let comments = self.comments[first..behind].iter();
        let comments = comments.filter(|comment| !self.is_directive(comment));
        let lines = comments.flat_map(|comment| self.slice(comment.clone()).lines());
        let mut doc = String::new();
        for line in lines {
            let line = self.without_markers(line);
            // `/**` is a line of its own, and says nothing.
            if !(line.is_empty() && doc.is_empty()) {
                doc.push_str(&line);
                doc.push('\n');
            }
        }
        doc.truncate(doc.trim_end().len());
        (start, doc)
    }

    /// Whether a comment with one blank line behind it is about what begins at `start` all the same:
    /// tools that read `/** a */` take it for the next declaration. The first of a file is about
    /// the file.
    fn is_bound_by_tools(&self, comment: &ByteRange, start: ByteOffset) -> bool {
        let is_read_by_tools = matches!(
            self.language,
            Language::JavaScript | Language::TypeScript | Language::Java | Language::Kotlin
        );
        let text = self.slice(comment.clone());
        let gap = self.slice(comment.end..start);
        is_read_by_tools
            && text.starts_with("/**")
            && !text.starts_with("/***")
            && gap.trim_end().is_empty()
            && line_breaks(gap) == 2
            && self.begins_line(comment.start)
            // Last, since it may be far to the beginning of the file.
            && !self.text[..comment.start.index()].trim_end().is_empty()
    }

    /// Whether a comment is the last thing before `start`, on lines of its own, without a blank
    /// line between.
    fn is_about_what_follows(&self, comment: &ByteRange, start: ByteOffset) -> bool {
        let gap = self.slice(comment.end..start);
        // A script's first line is for the kernel: `#!/bin/sh`.
        let is_command = comment.start == ByteOffset::START && self.text.starts_with("#!");
        // `//!` is about what it stands in.
        let is_inner = self.language == Language::Rust
            && ["//!", "/*!"]
                .iter()
                .any(|sign| self.slice(comment.clone()).starts_with(sign));
        // From its end, where code stands mostly: many definitions may have the same comment as the
        // last before them, with thousands of blanks behind it.
        gap.trim_end().is_empty()
            && line_breaks(gap) <= 1
            && !is_command
            && !is_inner
            && self.begins_line(comment.start)
    }

    /// Whether this comment is a line of the preprocessor, which the lexer passed like one.
    fn is_directive(&self, comment: &ByteRange) -> bool {
        self.language.has_preprocessor() && self.slice(comment.clone()).starts_with('#')
    }

    /// Whether nothing but blanks stands before `offset` on its line. Indentation is not looked
    /// at without end, since many comments may stand on one line.
    fn begins_line(&self, offset: ByteOffset) -> bool {
        self.text.as_bytes()[..offset.index()]
            .iter()
            .rev()
            .take_while(|byte| !matches!(byte, b'\n' | b'\r'))
            .take(INDENT_BYTES)
            .all(|byte| byte.is_ascii_whitespace() || *byte >= 0x80)
    }

    /// Returns a line of a comment without the signs that make a comment of it.
    pub(crate) fn without_markers<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let line = line.trim();
        let line = line.strip_suffix("*/").unwrap_or(line).trim_end();
        // The longest first: `//` is part of `///`.
        let markers: &[&str] = match self.language {
            Language::Python => &["#:", "#"],
            Language::Ruby | Language::Shell => &["=begin", "=end", "#"],
            Language::Php => &["///", "//!", "//", "/**", "/*!", "/*", "*", "#"],
            _ => &["///", "//!", "//", "/**", "/*!", "/*", "*"],
        };
        let marker = markers.iter().find(|marker| line.starts_with(**marker));
        let line = marker.map_or(line, |marker| line[marker.len()..].trim());
        if self.language == Language::CSharp && line.contains('<') {
            return Cow::Owned(without_tags(line));
        }
        Cow::Borrowed(line)
    }
}

/// Returns a line of a comment of C# without its tags, of which some name what is meant,
/// `<see cref="A"/>`; nothing where it is about a part of what it describes, `<param name="a">`.
fn without_tags(line: &str) -> String {
    let parts = [
        "<param ",
        "<typeparam ",
        "<returns",
        "<exception",
        "<remarks",
        "<example",
        "<value",
        "<inheritdoc",
        "<seealso",
    ];
    let mut text = String::new();
    if parts.iter().any(|part| line.starts_with(part)) {
        return text;
    }
    let mut rest = line;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        // `1 < 2`
        if !tag.starts_with(|letter: char| letter == '/' || letter.is_ascii_lowercase()) {
            text.push('<');
            rest = tag;
            continue;
        }
        // A tag that goes on in the next line.
        let Some((name, behind)) = tag.split_once('>') else {
            rest = &rest[before.len()..];
            break;
        };
        // `<see cref="Name"/>`: what it names is what it says.
        if name.ends_with('/') {
            text.push_str(name.split('"').nth(1).unwrap_or_default());
        }
        rest = behind;
    }
    text.push_str(rest);
    text.trim().to_owned()
}

/// Counts the ends of lines in `text`, up to three: more are not asked for.
fn line_breaks(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_break = |index: &usize| match bytes[*index] {
        b'\n' => true,
        b'\r' => bytes.get(index + 1) != Some(&b'\n'),
        _ => false,
    };
    (0..bytes.len()).filter(is_break).take(3).count()
}
