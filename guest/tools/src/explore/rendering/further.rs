//! Further matches of a document, shown after its best section: other sections that match nearly as
//! well, or every line with a literal match.

use std::ops::Range;

use docent_document::sections::Section;
use docent_text::lines::LineCounter;
use docent_text::sort::sort_by_key;

use crate::explore::rendering::literal::LiteralLine;
use crate::explore::rendering::text::lines_of;
use crate::explore::rendering::text::{ItemText, QuotedLines};
use crate::explore::request::call_limits::Room;
use crate::explore::request::numbers::Numbers;
use crate::limits::HIT_LINE_CHARS;

/// A text concatenated from spans of a document.
struct Spans<'a> {
    file: &'a str,
    /// Range of the first of them in the file, extended by those that follow it without a gap.
    first: Range<usize>,
    text: String,
    quoted: Vec<QuotedLines>,
    stops: Vec<usize>,
    /// The end of the last one in the file.
    end: usize,
}

impl<'a> Spans<'a> {
    /// Returns the text of one span, which starts at the beginning of a line.
    fn new(file: &'a str, first: Range<usize>) -> Self {
        let mut spans = Self {
            file,
            first: first.clone(),
            text: String::new(),
            quoted: Vec::new(),
            stops: Vec::new(),
            end: first.end,
        };
        spans.quote(first);
        spans
    }

    fn quote(&mut self, span: Range<usize>) {
        let own = self.file[span.clone()].trim_end();
        let start = self.text.len();
        self.text.push_str(own);
        self.text.push('\n');
        self.quoted.push(QuotedLines {
            span: start..self.text.len(),
            first: LineCounter::new(self.file).line(span.start),
        });
        self.end = span.end;
    }

    /// Returns the same followed by another span, preceded by its lines if it is not adjacent.
    fn with(&self, span: Range<usize>) -> Self {
        let mut spans = Self {
            file: self.file,
            first: self.first.clone(),
            text: self.text.clone(),
            quoted: self.quoted.clone(),
            stops: self.stops.clone(),
            end: self.end,
        };
        spans.stops.push(spans.text.len());
        if span.start == self.end {
            if self.end == self.first.end {
                spans.first.end = span.end;
            }
            spans.text.push('\n');
        } else {
            let own = span.start..span.start + self.file[span.clone()].trim_end().len();
            if let Some(lines) = lines_of(self.file, &own) {
                let (first, last) = (lines.first, lines.last);
                spans.text.push_str(&format!("... {first}-{last}:\n"));
            }
        }
        spans.quote(span);
        spans
    }

    /// Returns it as the text of an item, followed by `rest`.
    fn into_text(self, rest: &str) -> ItemText {
        let range = lines_of(self.file, &self.first);
        let text = ItemText::from_parts(self.text, rest, range);
        text.with_quotes(self.quoted).with_stops(self.stops)
    }
}

/// Returns a section followed by those of the others, given best first, that fit beside it, in the
/// order of the document. Returns `None` if no other fits.
pub fn with_sections(
    file: &str,
    best: &Section,
    others: &[&Section],
    (room, numbers): (Room, Numbers),
) -> Option<ItemText> {
    let compose = |chosen: &[&Section]| {
        let mut in_order: Vec<&Section> = chosen.to_vec();
        sort_by_key(&mut in_order, |section| section.span.start);
        let first = Spans::new(file, best.span.clone());
        let spans = in_order.into_iter();
        let spans = spans.fold(first, |spans, section| spans.with(section.span.clone()));
        spans.into_text("").with_numbers(numbers)
    };
    let mut chosen: Vec<&Section> = Vec::new();
    let mut text = None;
    for other in others {
        // Composing the text costs more than measuring the section, so one that is too long by
        // itself is skipped.
        if room.unit.measure(&file[other.span.clone()]) > room.item {
            continue;
        }
        chosen.push(other);
        let all = compose(&chosen);
        if all.need(room.unit) <= room.item {
            text = Some(all);
        } else {
            chosen.pop();
        }
    }
    text
}

/// Returns a span of a document followed by every other matching line, each with its number: as
/// many as fit, and the others as the rest. Returns `None` if there are no others.
pub fn with_lines(
    file: &str,
    shown: Range<usize>,
    lines: &[LiteralLine],
    (room, numbers): (Room, Numbers),
) -> Option<ItemText> {
    let is_elsewhere =
        |line: &&LiteralLine| line.span.start < shown.start || line.span.start >= shown.end;
    let elsewhere: Vec<&LiteralLine> = lines.iter().filter(is_elsewhere).collect();
    if elsewhere.is_empty() {
        return None;
    }
    let mut spans = Spans::new(file, shown);
    let quoted = ItemText::from_parts(spans.text.clone(), "", None);
    let quoted = quoted.with_quotes(spans.quoted.clone());
    let mut taken = quoted.with_numbers(numbers).need(room.unit);
    spans.stops.push(spans.text.len());
    let shown = |line: &LiteralLine| {
        let shown = shown_line(&file[line.span.clone()]);
        format!("{}: {shown}\n", line.number)
    };
    let listed: Vec<String> = elsewhere.into_iter().map(shown).collect();
    let all: usize = listed.iter().map(|line| room.unit.measure(line)).sum();
    let most = match taken + all <= room.item {
        true => room.item,
        false => room.item.saturating_sub(MORE_LINES_BYTES),
    };
    // The first line is always included, so that the reader sees that there are others. If not
    // all fit, room is reserved for the line that counts them.
    let mut count = 0;
    for line in &listed {
        taken += room.unit.measure(line);
        if count > 0 && taken > most {
            break;
        }
        spans.text.push_str(line);
        count += 1;
    }
    let left = &listed[count..];
    if !left.is_empty() {
        spans
            .text
            .push_str(&format!("... {} more lines\n", left.len()));
    }
    Some(spans.into_text(&left.concat()))
}

/// Bytes of the line with the number of lines that do not fit.
const MORE_LINES_BYTES: usize = "... 10000 more lines\n".len();

/// Returns a line in the form of the list; of a long one, its beginning.
fn shown_line(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(HIT_LINE_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
