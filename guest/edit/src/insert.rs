//! Text that is added where nothing goes.
//!
//! At the start and the end, and by lines, whole lines are added: an end is put between them and
//! their neighbours where one lacks. Beside a text it is added as it is sent.

use docent_document::format::is_markdown;
use docent_document::front_matter;

use crate::endings::of_last_line;
use crate::error::Reason;
use crate::find_text::{Failure, Wanted, find};
use crate::line_range::checked;
use crate::nearest::miss;
use crate::original::Original;
use crate::replace::Resolved;
use crate::view::Blanks;

/// Where a text is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At<'a> {
    /// Before the text; but behind a byte order mark, behind the front matter of a Markdown
    /// document, and behind a first line `#!`, for these are none where something stands before
    /// them.
    Start,
    /// Behind the text, which ends in a line end afterwards if it did before.
    End,
    /// Before the line of this number, from 1 on, of a file or line with this hash.
    BeforeLine(u32, &'a str),
    /// Behind that line.
    AfterLine(u32, &'a str),
    /// Right before a text.
    BeforeText(Wanted<'a>),
    /// Right behind a text.
    AfterText(Wanted<'a>),
}

/// Returns what it means to add `new`.
///
/// # Errors
/// There is no such place, or what is sent does not fit the file.
pub fn insert(original: &Original<'_>, at: &At<'_>, new: &str) -> Result<Resolved, Reason> {
    let unified = original.fit(new)?;
    let length = original.text().len();
    match at {
        At::Start => Ok(insert_lines(original, start(original), &unified)),
        At::End => Ok(insert_lines(original, length, &unified)),
        At::BeforeLine(line, hash) => {
            let span = checked(original, (*line, *line), hash)?;
            Ok(insert_lines(original, span.start, &unified))
        }
        At::AfterLine(line, hash) => {
            let span = checked(original, (*line, *line), hash)?;
            Ok(insert_lines(original, span.end, &unified))
        }
        At::BeforeText(wanted) => beside(original, wanted, &unified, Edge::Start),
        At::AfterText(wanted) => beside(original, wanted, &unified, Edge::End),
    }
}

/// Returns where the text begins that is not bound to stand first.
fn start(original: &Original<'_>) -> usize {
    let text = original.text();
    if is_markdown(original.name) {
        return front_matter::length(text);
    }
    if text.starts_with("#!") {
        original.lines(0, 0).end
    } else {
        0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

fn beside(
    original: &Original<'_>,
    wanted: &Wanted<'_>,
    unified: &str,
    edge: Edge,
) -> Result<Resolved, Reason> {
    let places = find(original, wanted).map_err(|failure| match failure {
        Failure::Nowhere => {
            let is_loose = wanted.blanks == Blanks::Collapsed;
            Reason::NotFound(Box::new(miss(original, wanted.text, None, is_loose)))
        }
        Failure::Other(reason) => reason,
    })?;
    let text = original.endings.adapt(unified, []);
    let mut resolved: Option<Resolved> = None;
    for place in places {
        let at = match edge {
            Edge::Start => place.span.start,
            Edge::End => place.span.end,
        };
        let mut one = Resolved::splice(at..at, text.clone());
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

/// Adds whole lines at `at`, where a line begins or the text ends.
fn insert_lines(original: &Original<'_>, at: usize, unified: &str) -> Resolved {
    let (before, behind) = original.text().split_at(at);
    let new_line = original.endings.new_line();
    let mut text = original.endings.adapt(unified, []);
    if text.is_empty() {
        return Resolved::splice(at..at, text);
    }
    let is_open = !before.is_empty() && !before.ends_with(['\n', '\r']);
    if is_open {
        // The last line has no end: the new last line gets none either.
        text.insert_str(0, new_line);
        text.truncate(text.len() - of_last_line(&text).len());
    } else if !text.ends_with(['\n', '\r']) && (!behind.is_empty() || !before.is_empty()) {
        text.push_str(new_line);
    }
    Resolved::splice(at..at, text)
}
