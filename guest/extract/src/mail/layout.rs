//! The Markdown of a message, whatever its file format: its subject, a block of fields, its text,
//! and a list of its attachments.

use std::fmt::Write as _;

use crate::failure::EarlyStop;
use crate::html::{self, Omissions, PageLinks, PageOptions};
use crate::markdown::{Markdown, Marker};

/// Bytes of blanks that a paragraph may have besides its text.
pub const BLANK_BYTES: usize = 64 << 10;

/// A file or a message that is attached to a message.
#[derive(Clone, Debug, Default)]
pub struct Attachment {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its media type; empty if it is unknown.
    pub media: String,
    /// Its size in bytes.
    pub size: Option<usize>,
    /// The subject of a message.
    pub subject: String,
}

/// Adds the heading of a message, which has a number if it is one of several, and returns the level
/// of the heading.
pub fn write_subject(
    subject: &str,
    number: Option<usize>,
    text: &mut Markdown,
) -> Result<u8, EarlyStop> {
    let Some(number) = number else {
        text.heading(1, subject)?;
        return Ok(1);
    };
    let end = if subject.is_empty() { "" } else { ": " };
    text.heading(2, &format!("{number}{end}{subject}"))?;
    Ok(2)
}

/// Adds fields by their names. Empty ones are ignored.
pub fn write_fields(fields: &[(&str, String)], text: &mut Markdown) -> Result<(), EarlyStop> {
    let mut block = String::new();
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        // Writing to a string cannot fail.
        let _ = writeln!(block, "{name}: {value}");
    }
    text.paragraph(&block)
}

/// Adds a page below a heading of this level.
pub fn write_page(page: &str, level: u8, text: &mut Markdown) -> Result<Omissions, EarlyStop> {
    let options = PageOptions {
        links: PageLinks::Absolute,
        heading_offset: level,
        ..PageOptions::default()
    };
    html::write(page, options, text)
}

/// Adds plain text, paragraph by paragraph. In flowed text (RFC 3676) a line that ends with a blank
/// goes on in the next one.
pub fn write_plain(words: &str, is_flowed: bool, text: &mut Markdown) -> Result<(), EarlyStop> {
    // Bounds of the paragraph, which is not copied: a text of one line may take half of the memory.
    let (mut start, mut end) = (0, 0);
    for line in words.split_inclusive('\n') {
        end += line.len();
        if line.trim().is_empty() {
            write_paragraph(&words[start..end], is_flowed, text)?;
            start = end;
        }
    }
    write_paragraph(&words[start..end], is_flowed, text)
}

/// Adds a paragraph of plain text.
fn write_paragraph(words: &str, is_flowed: bool, text: &mut Markdown) -> Result<(), EarlyStop> {
    // Some blanks more than there is room for are no text.
    let limit = text.room().saturating_add(BLANK_BYTES);
    let shown = &words[..words.floor_char_boundary(limit)];
    if is_flowed {
        text.paragraph(&join_flowed(shown))?;
    } else {
        text.paragraph(shown)?;
    }
    if shown.len() < words.len() {
        return Err(EarlyStop::Full);
    }
    Ok(())
}

/// Joins the lines of a flowed paragraph.
fn join_flowed(words: &str) -> String {
    let mut joined = String::with_capacity(words.len());
    let mut marks_before = None;
    for line in words.lines() {
        let marks = line.len() - line.trim_start_matches('>').len();
        let continues = marks_before.take() == Some(marks);
        if !joined.is_empty() && !continues {
            joined.push('\n');
        }
        joined.push_str(if continues { &line[marks..] } else { line });
        // The line above a signature ends with a blank in any format.
        if line.ends_with(' ') && line[marks..].trim() != "--" {
            marks_before = Some(marks);
        }
    }
    joined
}

/// Adds a list of attachments below a heading of this level.
pub fn write_attachments(
    attachments: &[Attachment],
    level: u8,
    text: &mut Markdown,
) -> Result<(), EarlyStop> {
    if attachments.is_empty() {
        return Ok(());
    }
    text.heading(level, "Attachments")?;
    for attachment in attachments {
        let name = match attachment.name.as_str() {
            "" => "unnamed",
            name => name,
        };
        let size = attachment.size.map(|size| {
            let unit = if size == 1 { "byte" } else { "bytes" };
            format!("{size} {unit}")
        });
        let media = Some(attachment.media.clone()).filter(|media| !media.is_empty());
        let facts: Vec<String> = media.into_iter().chain(size).collect();
        let mut line = name.to_owned();
        if !facts.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(line, " ({})", facts.join(", "));
        }
        if !attachment.subject.is_empty() {
            let _ = write!(line, ": {}", attachment.subject);
        }
        text.item(0, Marker::Bullet, &line)?;
    }
    Ok(())
}
