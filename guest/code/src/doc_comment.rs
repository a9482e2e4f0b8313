//! Documentation comments before a definition.

use std::borrow::Cow;

use crate::code::Code;
use crate::language::Language;
use crate::limits::INDENT_BYTES;
use crate::position::{ByteOffset, ByteRange};

impl Code<'_> {
    /// Returns the start of the comments directly before `offset`, and their text.
    pub(crate) fn doc_before(&self, offset: ByteOffset) -> (ByteOffset, String) {
        let after = self
            .comments
            .partition_point(|comment| comment.end <= offset);
        // Upwards, as long as comments are on adjacent lines.
        let (mut first, mut start) = (after, offset);
        while let Some(comment) = first.checked_sub(1).map(|index| &self.comments[index]) {
            let is_bound = self.is_about_what_follows(comment, start)
                || first == after && self.is_bound_by_tools(comment, start);
            if !is_bound {
                break;
            }
            start = comment.start;
            first -= 1;
        }
        // In C# and Swift the lexer passes preprocessor lines as comments. Between a comment and
        // its definition, `/// A.⏎#if DEBUG⏎func f()`, they are skipped. Without a comment above
        // them, as in `#endif⏎func f()`, they belong to other code, so the definition begins
        // below them.
        while first < after && self.is_directive(&self.comments[first]) {
            first += 1;
            let next = self.comments[..after].get(first);
            start = next.map_or(offset, |comment| comment.start);
        }
        let comments = self.comments[first..after].iter();
        let comments = comments.filter(|comment| !self.is_directive(comment));
        let lines = comments.flat_map(|comment| self.slice(comment.clone()).lines());
        let mut doc = String::new();
        for line in lines {
            let line = self.without_markers(line);
            // `/**` is a line of its own without text.
            if !(line.is_empty() && doc.is_empty()) {
                doc.push_str(&line);
                doc.push('\n');
            }
        }
        doc.truncate(doc.trim_end().len());
        (start, doc)
    }

    /// Returns true if a comment followed by one blank line documents the definition at `start` all
    /// the same: tools that read `/** a */` attach it to the next declaration. The first comment of
    /// a file documents the file.
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
            // Last, because it may read far back to the beginning of the file.
            && !self.text[..comment.start.index()].trim_end().is_empty()
    }

    /// Returns true if a comment is the last text before `start`, on lines of its own, without a
    /// blank line between.
    fn is_about_what_follows(&self, comment: &ByteRange, start: ByteOffset) -> bool {
        let gap = self.slice(comment.end..start);
        // The first line of a script is for the kernel: `#!/bin/sh`.
        let is_command = comment.start == ByteOffset::START && self.text.starts_with("#!");
        // `//!` documents the enclosing item.
        let is_inner = self.language == Language::Rust
            && ["//!", "/*!"]
                .iter()
                .any(|sign| self.slice(comment.clone()).starts_with(sign));
        // Trimmed from its end, where trimming usually stops at once because that is code. From
        // its start, `/* a */`, thousands of line ends and then thousands of definitions would
        // be quadratic: each definition examines the gap to the last comment before it.
        gap.trim_end().is_empty()
            && line_breaks(gap) <= 1
            && !is_command
            && !is_inner
            && self.begins_line(comment.start)
    }

    /// Returns true if this comment is a preprocessor line, which the lexer passes like one.
    fn is_directive(&self, comment: &ByteRange) -> bool {
        self.language.has_preprocessor() && self.slice(comment.clone()).starts_with('#')
    }

    /// Returns true if only blanks precede `offset` on its line. The length of indentation examined
    /// is bounded, because many comments may be on one line.
    fn begins_line(&self, offset: ByteOffset) -> bool {
        self.text.as_bytes()[..offset.index()]
            .iter()
            .rev()
            .take_while(|byte| !matches!(byte, b'\n' | b'\r'))
            .take(INDENT_BYTES)
            .all(|byte| byte.is_ascii_whitespace() || *byte >= 0x80)
    }

    /// Strips the comment markers of a line.
    pub(crate) fn without_markers<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let line = line.trim();
        let line = line.strip_suffix("*/").unwrap_or(line).trim_end();
        // The longest marker comes first: `//` is a prefix of `///`, and would leave a slash in
        // the text.
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

/// Strips the tags of a C# comment line, keeping the name in `<see cref="A"/>`. Returns an empty
/// text if the line documents only a part of the item, `<param name="a">`.
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
        // A tag that continues on the next line.
        let Some((name, after)) = tag.split_once('>') else {
            rest = &rest[before.len()..];
            break;
        };
        // `<see cref="Name"/>` stands for the name.
        if name.ends_with('/') {
            text.push_str(name.split('"').nth(1).unwrap_or_default());
        }
        rest = after;
    }
    text.push_str(rest);
    text.trim().to_owned()
}

/// Counts the line ends in `text`, up to three, the most that matter.
fn line_breaks(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_break = |index: &usize| match bytes[*index] {
        b'\n' => true,
        b'\r' => bytes.get(index + 1) != Some(&b'\n'),
        _ => false,
    };
    (0..bytes.len()).filter(is_break).take(3).count()
}
