//! Insertion of a text without replacing any.
//!
//! At the start, at the end and by line numbers whole lines are inserted, and missing line ends
//! between them and their neighbours are added. Next to a text the new text is inserted as it is,
//! because it may be a part of a line: `x` after `a` in `a b` gives `ax b`.

use docent_document::format::Format;
use docent_document::front_matter;

use crate::endings::line_end;
use crate::error::Reason;
use crate::find_text::{FindError, TextQuery, find};
use crate::line_range::check_lines;
use crate::nearest::near_miss;
use crate::original::Original;
use crate::replace::ResolvedEdit;
use crate::view::Blanks;

/// The place of an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertPosition<'a> {
    /// Before the text, but after a byte order mark, after the front matter of a Markdown document,
    /// and after a first line `#!`: each of them loses its meaning if anything precedes it.
    Start,
    /// After the text, which then ends in a line end if it did before.
    End,
    /// Before the line with this number, from 1, of a file or line with this hash.
    BeforeLine(u32, &'a str),
    /// After that line.
    AfterLine(u32, &'a str),
    /// Immediately before a text.
    BeforeText(TextQuery<'a>),
    /// Immediately after a text.
    AfterText(TextQuery<'a>),
}

/// Resolves the insertion of `new`.
///
/// # Errors
/// Fails if there is no such place, or the file cannot contain `new`.
pub fn insert(
    original: &Original<'_>,
    at: &InsertPosition<'_>,
    new: &str,
) -> Result<ResolvedEdit, Reason> {
    let unified = original.fit(new)?;
    let length = original.text().len();
    match at {
        InsertPosition::Start => Ok(insert_lines(original, start(original), &unified)),
        InsertPosition::End => Ok(insert_lines(original, length, &unified)),
        InsertPosition::BeforeLine(line, hash) => {
            let span = check_lines(original, (*line, *line), hash)?;
            Ok(insert_lines(original, span.start, &unified))
        }
        InsertPosition::AfterLine(line, hash) => {
            let span = check_lines(original, (*line, *line), hash)?;
            Ok(insert_lines(original, span.end, &unified))
        }
        InsertPosition::BeforeText(wanted) => beside(original, wanted, &unified, TextEdge::Start),
        InsertPosition::AfterText(wanted) => beside(original, wanted, &unified, TextEdge::End),
    }
}

/// Returns the position after everything that must come first. The system reads the interpreter of
/// a script only from the first bytes of the file, and front matter only counts from its first line
/// on: text before it would turn the metadata of a document into its visible beginning.
fn start(original: &Original<'_>) -> usize {
    let text = original.text();
    if let Some(format) = Format::from_name(original.name)
        && format.is_markdown()
    {
        return front_matter::length_in(format, text);
    }
    if text.starts_with("#!") {
        original.lines(0, 0).end
    } else {
        0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextEdge {
    Start,
    End,
}

fn beside(
    original: &Original<'_>,
    wanted: &TextQuery<'_>,
    unified: &str,
    edge: TextEdge,
) -> Result<ResolvedEdit, Reason> {
    let places = find(original, wanted).map_err(|failure| match failure {
        FindError::Nowhere => {
            let is_loose = wanted.blanks == Blanks::Collapsed;
            Reason::NotFound(Box::new(near_miss(original, wanted.text, None, is_loose)))
        }
        FindError::Other(reason) => reason,
    })?;
    let text = original.endings.adapt(unified, []);
    let mut resolved: Option<ResolvedEdit> = None;
    for place in places {
        let at = match edge {
            TextEdge::Start => place.span.start,
            TextEdge::End => place.span.end,
        };
        let mut one = ResolvedEdit::splice(at..at, text.clone());
        one.matched = place.matched;
        match &mut resolved {
            Some(all) => {
                all.claims.extend(one.claims);
                all.splices.extend(one.splices);
                all.matched = all.matched.max(one.matched);
            }
            None => resolved = Some(one),
        }
    }
    resolved.ok_or(Reason::EmptyText)
}

/// Inserts whole lines at `at`, which is the start of a line or the end of the text.
fn insert_lines(original: &Original<'_>, at: usize, unified: &str) -> ResolvedEdit {
    let (before, behind) = original.text().split_at(at);
    let new_line = original.endings.new_line();
    let mut text = original.endings.adapt(unified, []);
    if text.is_empty() {
        return ResolvedEdit::splice(at..at, text);
    }
    let is_open = !before.is_empty() && !before.ends_with(['\n', '\r']);
    if is_open {
        // The last line has no end, so the new last line does not get one either. A diff would show
        // a line end that was added as a change of its own, `\ No newline at end of file`.
        text.insert_str(0, new_line);
        text.truncate(text.len() - line_end(&text).len());
    } else if !text.ends_with(['\n', '\r']) && (!behind.is_empty() || !before.is_empty()) {
        text.push_str(new_line);
    }
    ResolvedEdit::splice(at..at, text)
}
