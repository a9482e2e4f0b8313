//! Paragraphs: their words, with the objects among them in order.

use super::{HangulBlock, ParagraphHead};
use crate::markdown::{Marker, make_link, one_line};

/// A paragraph that is being read.
#[derive(Debug, Default)]
pub struct HangulParagraph {
    /// Words since the last object.
    text: String,
    /// Words and objects before them.
    pieces: Vec<ParagraphPiece>,
    /// Blocks of objects beside the words.
    beside: Vec<HangulBlock>,
    /// Open fields, the innermost last, with the link that each makes.
    fields: Vec<Option<HangulLink>>,
}

/// Words, or the blocks of an object.
#[derive(Debug)]
enum ParagraphPiece {
    Text(String),
    Blocks(Vec<HangulBlock>),
}

/// A link that a field makes of the words from `start` on.
#[derive(Debug)]
struct HangulLink {
    start: usize,
    address: String,
}

/// The place of an object's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Where the object is anchored: before the words after it.
    Here,
    /// After the paragraph, unless no words precede it.
    Beside,
}

impl HangulParagraph {
    /// Adds words.
    pub fn push(&mut self, words: &str) {
        self.text.push_str(words);
    }

    /// Adds the blocks of an object.
    pub fn place(&mut self, blocks: Vec<HangulBlock>, placement: Placement) {
        if blocks.is_empty() {
            return;
        }
        let has_words = !self.text.trim().is_empty();
        if placement == Placement::Beside && has_words {
            self.beside.extend(blocks);
            return;
        }
        if has_words {
            self.close_text();
        }
        self.pieces.push(ParagraphPiece::Blocks(blocks));
    }

    /// Begins a field, which becomes a link if it has an address.
    pub fn begin_field(&mut self, address: Option<String>) {
        let start = self.text.len();
        let is_within = self.fields.iter().any(Option::is_some);
        let address = address.filter(|_| !is_within);
        let link = address.map(|address| HangulLink { start, address });
        self.fields.push(link);
    }

    /// Ends the field that began last.
    pub fn end_field(&mut self) {
        if let Some(Some(link)) = self.fields.pop() {
            make_link(&mut self.text, link.start, &link.address);
        }
    }

    /// Ends the words before an object. A link around it continues after it.
    fn close_text(&mut self) {
        if let Some(link) = self.fields.iter_mut().flatten().next() {
            make_link(&mut self.text, link.start, &link.address);
            link.start = 0;
        }
        let text = std::mem::take(&mut self.text);
        self.pieces.push(ParagraphPiece::Text(text));
    }

    /// Returns the blocks of the paragraph. Its first words begin as `head` says, with the number
    /// `label`.
    pub fn finish(mut self, head: ParagraphHead, label: String) -> Vec<HangulBlock> {
        self.close_text();
        let mut blocks = Vec::new();
        let (mut head, mut label) = (head, label);
        for piece in self.pieces {
            match piece {
                ParagraphPiece::Text(text) if one_line(&text).is_empty() => {}
                ParagraphPiece::Text(text) => {
                    let (head, label) = (std::mem::take(&mut head), std::mem::take(&mut label));
                    blocks.push(block(text, head, &label));
                }
                ParagraphPiece::Blocks(inner) => blocks.extend(inner),
            }
        }
        blocks.extend(self.beside);
        blocks
    }
}

/// Returns the block of a paragraph's words.
fn block(text: String, head: ParagraphHead, label: &str) -> HangulBlock {
    let level_to_u8 = |level: usize| u8::try_from(level + 1).unwrap_or(u8::MAX);
    let labelled = |text: String| match label {
        "" => text,
        label => format!("{label} {text}"),
    };
    match head {
        ParagraphHead::Outline { level } | ParagraphHead::Heading { level } => {
            HangulBlock::Heading(level_to_u8(level), labelled(text))
        }
        ParagraphHead::Bullet { level } => HangulBlock::Item(level, Marker::Bullet, text),
        ParagraphHead::Number { level, .. } if !label.is_empty() => match list_number(label) {
            Some(number) => HangulBlock::Item(level, Marker::Number(number), text),
            // Markdown has decimal numbers only. People refer to `가.` and `제3조` by that name,
            // so it stays in the words.
            None => HangulBlock::Item(level, Marker::Bullet, labelled(text)),
        },
        ParagraphHead::Number { .. } | ParagraphHead::None => HangulBlock::Paragraph(text),
    }
}

/// Returns the number of a label that is a marker of Markdown: `3.` or `3)`.
fn list_number(label: &str) -> Option<u32> {
    let digits = label.strip_suffix(['.', ')'])?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() <= 9;
    digits.parse().ok().filter(|_| is_number)
}

/// Returns the address in the command of a link, `https\://example.org;1;0;0;`, or `None` if it
/// refers to a place in the document.
pub fn link_address(command: &str) -> Option<String> {
    let mut address = String::new();
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            ';' => break,
            // Colons and semicolons of the address are escaped, and so is the backslash. Other
            // backslashes are those of a path.
            '\\' => match chars.clone().next() {
                Some(escaped @ (':' | ';' | '\\' | '?' | '#')) => {
                    address.push(escaped);
                    chars.next();
                }
                _ => address.push('\\'),
            },
            c => address.push(c),
        }
    }
    let address = address.trim();
    // A bookmark of the document is `?name` in commands and `#name` in paths.
    let is_inside = address.is_empty() || address.starts_with(['?', '#']);
    (!is_inside).then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_commands() {
        for (command, address) in [
            (r"https\://e.org/a?b=1;1;0;0;", Some("https://e.org/a?b=1")),
            ("https://e.org", Some("https://e.org")),
            (r"mailto\:a@e.org;2;0;0;", Some("mailto:a@e.org")),
            (r"C\:\docs\a.hwp;3;0;0;", Some(r"C:\docs\a.hwp")),
            (r"?here;0;0;0;", None),
            ("#here", None),
            ("", None),
            (r"\", Some(r"\")),
        ] {
            assert_eq!(link_address(command).as_deref(), address, "{command}");
        }
    }

    #[test]
    fn labels_that_are_markers() {
        for (label, number) in [
            ("1.", Some(1)),
            ("12)", Some(12)),
            ("(1)", None),
            ("가.", None),
            ("1.2.", None),
            ("+1.", None),
            (".", None),
            ("1234567890.", None),
        ] {
            assert_eq!(list_number(label), number, "{label}");
        }
    }
}
