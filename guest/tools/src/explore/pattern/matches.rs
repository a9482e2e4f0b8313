//! The search of files for a pattern: a first pass, which counts all matches and shows those of
//! its page, and a pass that continues a page from there.

use std::ops::{ControlFlow, Range};

use docent_api::pillars::PatternOutput;
use docent_text::lines::LineCounter;
use docent_text::time_budget::TimeBudget;

use super::counts::{MatchCounts, ValueCounts};
use super::matcher::{MatchedLine, Matcher, compose};
use super::page::{LinePage, MatchSource};
use crate::explore::selection::traversal::Demand;

/// Receives the texts of files.
pub trait FileSearch {
    /// Searches the text of a file, or its part `span`; returns true if it contains a match, or
    /// `None` if the time was over.
    fn search(
        &mut self,
        path: &str,
        text: &str,
        span: Range<usize>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<bool>;

    /// Returns the files that are needed after the one searched last.
    fn demand(&self) -> Demand;
}

/// A place among the matching lines of all files, in the order of the scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinePosition {
    /// Index of the file.
    pub file: usize,
    /// Number of its matching lines before the place.
    pub lines: u32,
    /// The place in its text, if it is known.
    text: Option<TextPosition>,
}

/// The beginning of a line in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextPosition {
    offset: usize,
    /// Bytes of the whole text, by which most changes of it are noticed.
    text_bytes: usize,
}

/// A pass that counts the matches of all files, and shows those of a page.
pub struct CountingSearch<'a> {
    matcher: &'a Matcher,
    output: PatternOutput,
    /// Number of matching lines on earlier pages, for output `lines`.
    before: u32,
    /// Counts of the files so far.
    pub counts: MatchCounts,
    /// Counts of the values so far, for output `values`.
    pub values: ValueCounts,
    /// The lines of the page.
    pub page: LinePage,
    /// End of the page, if not all lines are on it or an earlier one.
    pub end: Option<LinePosition>,
}

impl<'a> CountingSearch<'a> {
    /// Returns a search without matches, for a page after `before` entries.
    pub fn new(matcher: &'a Matcher, output: PatternOutput, before: u32, page: LinePage) -> Self {
        Self {
            matcher,
            output,
            before,
            counts: MatchCounts::default(),
            values: ValueCounts::default(),
            page,
            end: None,
        }
    }
}

impl FileSearch for CountingSearch<'_> {
    fn search(
        &mut self,
        path: &str,
        text: &str,
        span: Range<usize>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<bool> {
        let first_line = LineCounter::new(text).line(span.start);
        let original = &text[span];
        let normal = compose(original);
        let already = self.before.saturating_sub(self.counts.lines);
        let wants_lines = is_of_lines(self.output) && self.end.is_none();
        let most = self.page.maximum();
        let mut count = 0;
        let mut kept: Vec<MatchedLine> = Vec::new();
        self.matcher.lines(&normal, time_budget, |line| {
            // Every match is counted, but only as many lines are kept as can fit on the page. A
            // pattern such as `.` in a file of a million lines would otherwise hold all of them
            // in memory only to show a hundred.
            count += 1;
            if wants_lines && count > already && kept.len() < most {
                kept.push(line);
            }
            ControlFlow::Continue(())
        })?;
        if count == 0 {
            return Some(false);
        }
        if self.output == PatternOutput::Values {
            let values = &mut self.values;
            self.matcher
                .values(&normal, time_budget, |value| values.add(value))?;
        }
        if wants_lines {
            let source = MatchSource {
                original,
                normal: &normal,
                first_line,
            };
            let shown = show(
                self.matcher,
                self.output,
                &mut self.page,
                (path, count),
                &source,
                &kept,
                time_budget,
            )?;
            let told = already.min(count) + shown;
            if told < count {
                self.page.close();
                self.end = Some(LinePosition {
                    file: self.counts.files.len(),
                    lines: told,
                    text: text_position(self.matcher, &normal, kept.get(shown as usize)),
                });
            }
        }
        self.counts.add(path, count);
        Some(true)
    }

    fn demand(&self) -> Demand {
        match self.end {
            None => Demand::Open,
            Some(_) => Demand::Full,
        }
    }
}

/// A pass that continues a page from the end of the previous one, as far as the next one is full.
/// Files are expected to have the lines that were counted before.
pub struct ContinuedSearch<'a> {
    matcher: &'a Matcher,
    output: PatternOutput,
    counts: &'a MatchCounts,
    /// The lines of the page.
    pub page: LinePage,
    /// Place of the first line that is not told yet.
    pub position: LinePosition,
    /// True if a file does not have the lines that were counted.
    pub is_changed: bool,
}

impl<'a> ContinuedSearch<'a> {
    /// Returns a search that begins at `position` among the lines of `counts`.
    pub fn new(
        matcher: &'a Matcher,
        output: PatternOutput,
        counts: &'a MatchCounts,
        position: LinePosition,
        page: LinePage,
    ) -> Self {
        Self {
            matcher,
            output,
            counts,
            page,
            position,
            is_changed: false,
        }
    }

    /// Returns true if all counted lines are told.
    pub fn is_at_end(&self) -> bool {
        self.position.file >= self.counts.files.len()
    }
}

impl FileSearch for ContinuedSearch<'_> {
    fn search(
        &mut self,
        path: &str,
        text: &str,
        span: Range<usize>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<bool> {
        let first_line = LineCounter::new(text).line(span.start);
        let original = &text[span];
        let normal = compose(original);
        let expected = self.counts.files.get(self.position.file);
        let Some(expected) = expected.filter(|file| file.path == path) else {
            let mut has_match = false;
            self.matcher.lines(&normal, time_budget, |_| {
                has_match = true;
                ControlFlow::Break(())
            })?;
            self.is_changed |= has_match;
            return Some(has_match);
        };
        // The position is trusted only if the text has the same length and the offset is still
        // the beginning of a line. That notices most changes without hashing the text; a change
        // that keeps both is found by the count of the remaining lines below.
        let known = self.position.text;
        let known = known.filter(|known| is_line_start(&normal, *known));
        let (from, already) = match known {
            Some(known) => (known.offset, self.position.lines),
            None => (0, 0),
        };
        let most = self.page.maximum();
        let mut count = already;
        let mut kept: Vec<MatchedLine> = Vec::new();
        let mut is_whole = true;
        self.matcher.lines(&normal[from..], time_budget, |found| {
            count += 1;
            if count <= self.position.lines {
                return ControlFlow::Continue(());
            }
            if kept.len() == most {
                is_whole = false;
                return ControlFlow::Break(());
            }
            kept.push(MatchedLine {
                line: from + found.line.start..from + found.line.end,
                hit: from + found.hit.start..from + found.hit.end,
            });
            ControlFlow::Continue(())
        })?;
        // The counts of the first scan are promises that earlier pages have shown. If this file
        // has fewer or more matching lines now, the page cannot be continued: lines would be
        // shown twice or be missing. The caller of this search then scans all files again.
        if is_whole && count != expected.lines || count > expected.lines {
            self.is_changed = true;
            return Some(count > 0);
        }
        let source = MatchSource {
            original,
            normal: &normal,
            first_line,
        };
        let shown = show(
            self.matcher,
            self.output,
            &mut self.page,
            (path, expected.lines),
            &source,
            &kept,
            time_budget,
        )?;
        let told = self.position.lines + shown;
        self.position = if told < expected.lines {
            self.page.close();
            LinePosition {
                lines: told,
                text: text_position(self.matcher, &normal, kept.get(shown as usize)),
                ..self.position
            }
        } else {
            LinePosition {
                file: self.position.file + 1,
                ..LinePosition::default()
            }
        };
        Some(true)
    }

    fn demand(&self) -> Demand {
        if self.page.is_full() || self.is_changed || self.is_at_end() {
            Demand::Done
        } else {
            Demand::Open
        }
    }
}

/// Returns true if an output shows the lines of files.
pub fn is_of_lines(output: PatternOutput) -> bool {
    matches!(output, PatternOutput::Lines | PatternOutput::Matches)
}

/// Shows those of the lines of a file that have room, or their values; returns their number, or
/// `None` if the time was over.
fn show(
    matcher: &Matcher,
    output: PatternOutput,
    page: &mut LinePage,
    (path, count): (&str, u32),
    source: &MatchSource<'_>,
    kept: &[MatchedLine],
    time_budget: &mut TimeBudget<'_>,
) -> Option<u32> {
    if kept.is_empty() {
        return Some(0);
    }
    let values = match output {
        PatternOutput::Matches => {
            Some(matcher.values_of_lines(source.normal, kept, time_budget)?)
        }
        _ => None,
    };
    Some(page.show(path, count, source, (kept, values.as_deref())))
}

/// Returns the place of a line from which a search can continue.
fn text_position(
    matcher: &Matcher,
    text: &str,
    line: Option<&MatchedLine>,
) -> Option<TextPosition> {
    // A match over several lines may begin before the line and reach into it. A search that
    // starts at the line would not find it, so no position is recorded and the file is searched
    // from its beginning.
    let line = line.filter(|_| !matcher.is_multiline())?;
    Some(TextPosition {
        offset: line.line.start,
        text_bytes: text.len(),
    })
}

/// Returns true if a known place is still the beginning of a line.
fn is_line_start(text: &str, known: TextPosition) -> bool {
    let before = text.get(..known.offset);
    text.len() == known.text_bytes
        && before.is_some_and(|before| before.is_empty() || before.ends_with(['\n', '\r']))
}
