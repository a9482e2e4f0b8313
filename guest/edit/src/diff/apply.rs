//! Application of a diff's hunks as edits of text.
//!
//! A hunk is placed by its lines, not by its line numbers: the place nearest to a number is a
//! guess, so a number only selects between several places of the lines, and only if it hits one
//! exactly. A hunk without context on one side is bound to that edge of the file, as in git:
//! applied anywhere else, a patch that appends to a list would be made twice, or in the wrong list.

use std::ops::Range;

use docent_text::lines::with_ends;

use crate::diff::file_patch::Hunk;
use crate::diff::script::{LineChange, script};
use crate::endings::{leading_line_end, line_end, unify};
use crate::error::{Condition, Reason};
use crate::find_text::{locations, places};
use crate::nearest::near_miss;
use crate::original::Original;
use crate::replace::{ResolvedEdit, rewrite};
use crate::source::{MARK, Splice};
use crate::text_match::{MatchKind, TextMatch};
use crate::view::{Blanks, View};
use crate::warning::Warning;

/// Resolves the hunks of one file against its text.
///
/// # Errors
/// The reason for which a hunk has no certain place, with the number of the hunk.
pub fn apply(original: &Original<'_>, hunks: &[Hunk]) -> Result<ResolvedEdit, Reason> {
    let mut resolved = ResolvedEdit {
        claims: Vec::new(),
        splices: Vec::new(),
        matched: MatchKind::Exact,
        warnings: Vec::new(),
    };
    for (index, hunk) in hunks.iter().enumerate() {
        let one = apply_one(original, hunk).map_err(|reason| Reason::Hunk {
            number: index + 1,
            reason: Box::new(reason),
        })?;
        resolved.claims.extend(one.claims);
        resolved.splices.extend(one.splices);
        resolved.matched = resolved.matched.max(one.matched);
        resolved.warnings.extend(one.warnings);
    }
    Ok(resolved)
}

fn apply_one(original: &Original<'_>, hunk: &Hunk) -> Result<ResolvedEdit, Reason> {
    let unmarked = without_mark(original, hunk);
    let warnings = if unmarked.is_some() && hunk.old.starts_with(MARK) != hunk.new.starts_with(MARK)
    {
        vec![Warning::MarkStays]
    } else {
        Vec::new()
    };
    let hunk = unmarked.as_ref().unwrap_or(hunk);
    if hunk.old.is_empty() {
        // A hunk without context has a place only in an empty file. Its line number is not enough:
        // lines may have been added above it since the diff was made.
        if original.text().is_empty() {
            let text = original.source.fit(&hunk.new)?.into_owned();
            return Ok(ResolvedEdit::splice(0..0, text));
        }
        return Err(Reason::NoContext);
    }
    let place = place(original, hunk)?;
    let own = &original.text()[place.span.clone()];
    if own == hunk.old {
        // The diff was made from exactly these bytes, so its line endings are intended: it may turn
        // CRLF into LF. In any other case they may come from the program that sent the diff, and
        // the file keeps its own.
        let new = with_last_end(original, &place.span, hunk.new.clone());
        let text = original.source.fit(&new)?.into_owned();
        let splices = raw_splices(original, &place.span, &text);
        return Ok(ResolvedEdit {
            claims: vec![place.span],
            splices,
            matched: MatchKind::Exact,
            warnings,
        });
    }
    let mut new = original.fit(&hunk.new)?;
    // Only a hunk that explicitly adds or removes the line end of the last line changes it, by
    // `\ No newline at end of file` on one side. Any other hunk leaves the end of the file as it
    // is, with or without a line end.
    let is_said = hunk.old.ends_with('\n') != hunk.new.ends_with('\n');
    let has_end = !line_end(own).is_empty();
    if !is_said && !new.is_empty() && has_end != new.ends_with('\n') {
        if has_end {
            new.push('\n');
        } else {
            new.pop();
        }
    }
    let new = with_last_end(original, &place.span, new);
    Ok(ResolvedEdit {
        splices: rewrite(original, place.span.clone(), &new),
        matched: likeness(own, &hunk.old),
        claims: vec![place.span],
        warnings,
    })
}

/// Returns how closely the lines of the file match the old lines of a hunk, from which they differ
/// in some byte. A missing line end of the last line counts as a different line ending: a hunk ends
/// all its lines in LF, and nothing else differs from a file whose last line has no end.
fn likeness(own: &str, old: &str) -> MatchKind {
    let plain = |text: &str| {
        let text = unify(text);
        text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
    };
    if plain(own) == plain(old) {
        MatchKind::LineEndings
    } else {
        MatchKind::Composed
    }
}

/// Returns a hunk without the byte order mark that its first line has, since the mark of a file is
/// not part of its text. Git compares bytes, so in its diffs the mark is at the beginning of the
/// first line.
fn without_mark(original: &Original<'_>, hunk: &Hunk) -> Option<Hunk> {
    let has_mark = hunk.old.starts_with(MARK) || hunk.new.starts_with(MARK);
    let without = |text: &str| text.strip_prefix(MARK).unwrap_or(text).to_owned();
    (has_mark && !original.text().contains(MARK)).then(|| Hunk {
        old: without(&hunk.old),
        new: without(&hunk.new),
        ..hunk.clone()
    })
}

/// Appends a line end to the new lines if other lines follow them. Without it the last new line and
/// the next line of the file would become one line.
fn with_last_end(original: &Original<'_>, span: &Range<usize>, mut new: String) -> String {
    let is_open = !new.is_empty() && !new.ends_with(['\n', '\r']);
    if span.end < original.text().len() && is_open {
        new.push('\n');
    }
    new
}

/// Returns the place of a hunk's old lines.
///
/// Candidates are narrowed down in this order: whole lines, below the named anchors, at the end of
/// the file if the hunk says so, at the edge of the file if the hunk has no context there, at the
/// numbered line. If several remain, the hunk is refused.
fn place(original: &Original<'_>, hunk: &Hunk) -> Result<TextMatch, Reason> {
    let text = original.text();
    let all = line_places(original, &hunk.old)?;
    if all.is_empty() {
        let miss = near_miss(original, &hunk.old, Some(&hunk.new), false);
        return Err(Reason::NotFound(Box::new(miss)));
    }
    let whole: Vec<TextMatch> = all
        .iter()
        .filter_map(|place| whole_lines(text, place))
        .collect();
    if whole.is_empty() {
        return Err(Reason::Elsewhere(
            Condition::WholeLines,
            locations(original, &all),
        ));
    }
    let mut near = below_anchors(original, hunk, &whole)?;
    if hunk.is_last {
        near.retain(|place| text[place.span.end..].trim().is_empty());
    }
    if near.is_empty() {
        return Err(Reason::Elsewhere(
            Condition::Anchor,
            locations(original, &whole),
        ));
    }
    let numbered = HeaderLine::new(original, hunk);
    if let Some(edge) = FileEdge::for_hunk(hunk) {
        let (at_edge, others): (Vec<TextMatch>, Vec<TextMatch>) =
            near.into_iter().partition(|place| edge.holds(text, place));
        if at_edge.is_empty() {
            let made = others
                .iter()
                .find_map(|place| inserted_lines_at(original, hunk, place));
            return Err(match made {
                Some(lines) => already_made(original, &lines),
                None => Reason::Elsewhere(edge.condition(), locations(original, &others)),
            });
        }
        near = at_edge;
    }
    let hit = numbered.as_ref().and_then(|numbered| numbered.hit(&near));
    let chosen = match (near.as_slice(), hit) {
        (_, Some(hit)) | ([hit], None) => hit,
        _ => return Err(Reason::Ambiguous(locations(original, &near))),
    };
    // At the numbered line, or at the place itself, the result of the hunk may exist already. Then
    // neither another place nor the same lines once more are likely to be meant: this is how a
    // patch that is applied twice is detected. Of two equal jobs in a YAML file, for example, the
    // first run changes the one at the numbered line, and the second would find only the other.
    let pointed = numbered.filter(|_| hit.is_none());
    let there = pointed.and_then(|numbered| produced_range(original, hunk, numbered.start()?));
    match there.or_else(|| inserted_lines_at(original, hunk, chosen)) {
        Some(lines) => Err(already_made(original, &lines)),
        None => Ok(chosen.clone()),
    }
}

/// Returns the places of lines, without the end of the last one. The places need not be whole
/// lines.
fn line_places(original: &Original<'_>, lines: &str) -> Result<Vec<TextMatch>, Reason> {
    let sought = lines.strip_suffix('\n').unwrap_or(lines);
    let sought = sought.strip_suffix('\r').unwrap_or(sought);
    if sought.is_empty() {
        Ok(blank_lines(original))
    } else {
        places(original, sought, Blanks::Exact)
    }
}

fn already_made(original: &Original<'_>, lines: &Range<usize>) -> Reason {
    Reason::AlreadyMade {
        lines: original.line_numbers(lines),
    }
}

/// The line in a text to which a hunk's header refers.
struct HeaderLine {
    line: usize,
    /// Positions of the line feeds: a diff counts lines by LF alone. In `a\rb\n` the rest of this
    /// crate counts two lines, and git counts one, so a number would hit another line.
    feeds: Vec<usize>,
}

impl HeaderLine {
    fn new(original: &Original<'_>, hunk: &Hunk) -> Option<Self> {
        let feeds = || memchr::memchr_iter(b'\n', original.text().as_bytes()).collect();
        hunk.line.map(|line| Self {
            line: line as usize,
            feeds: feeds(),
        })
    }

    /// Returns the start of the line, or `None` if there is no such line.
    fn start(&self) -> Option<usize> {
        match self.line.checked_sub(2) {
            Some(above) => self.feeds.get(above).map(|feed| feed + 1),
            None => Some(0),
        }
    }

    /// Returns the place that begins at the line.
    fn hit<'p>(&self, places: &'p [TextMatch]) -> Option<&'p TextMatch> {
        let line =
            |place: &TextMatch| self.feeds.partition_point(|feed| *feed < place.span.start) + 1;
        places.iter().find(|place| line(place) == self.line)
    }
}

/// Returns the lines that a hunk without context on one side would insert a second time at a place
/// of its old lines: after those, or before them. With context on both sides the old lines no
/// longer occur next to each other once the hunk is applied; `names:` followed by an added line
/// still does.
fn inserted_lines_at(
    original: &Original<'_>,
    hunk: &Hunk,
    place: &TextMatch,
) -> Option<Range<usize>> {
    let first = original.line_index(place.span.start);
    let count = |text: &str| with_ends(text).count();
    match hunk.context {
        (_, 0) if hunk.new.starts_with(&hunk.old) => {
            produced_range(original, hunk, place.span.start)
        }
        (0, _) if hunk.new.ends_with(&hunk.old) => {
            let before = count(&hunk.new) - count(&hunk.old);
            let first = first.checked_sub(before)?;
            produced_range(original, hunk, original.lines(first, first).start)
        }
        _ => None,
    }
}

/// Returns the range of the lines that a hunk produces, if they exist from the line that begins at
/// `start`.
fn produced_range(original: &Original<'_>, hunk: &Hunk, start: usize) -> Option<Range<usize>> {
    if hunk.new.trim().is_empty() || hunk.new == hunk.old {
        return None;
    }
    let first = original.line_index(start);
    let count = with_ends(&hunk.new).count();
    let lines = original.lines(first, first + count - 1);
    let plain = |text: &str| {
        let text = View::new(text, Blanks::Exact).as_str().to_owned();
        text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
    };
    (plain(&original.text()[lines.clone()]) == plain(&hunk.new)).then_some(lines)
}

/// The edge of a text at which a hunk without context on that side must be, as in git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileEdge {
    Start,
    End,
}

impl FileEdge {
    /// Returns the edge at which a hunk with line numbers must be. A hunk without any context, as
    /// people and models write it, is placed by the lines that it removes. A hunk without line
    /// numbers, `@@`, is not bound to an edge either.
    fn for_hunk(hunk: &Hunk) -> Option<Self> {
        match (hunk.line?, hunk.context) {
            (_, (before, 0)) if before > 0 => Some(Self::End),
            (line, (0, behind)) if behind > 0 && line <= 1 => Some(Self::Start),
            _ => None,
        }
    }

    fn holds(self, text: &str, place: &TextMatch) -> bool {
        match self {
            Self::Start => place.span.start == 0,
            Self::End => place.span.end == text.len(),
        }
    }

    fn condition(self) -> Condition {
        match self {
            Self::Start => Condition::FileStart,
            Self::End => Condition::FileEnd,
        }
    }
}

/// Returns the empty lines, without their ends.
fn blank_lines(original: &Original<'_>) -> Vec<TextMatch> {
    let lines = (0..original.line_count()).filter(|line| original.line(*line).is_empty());
    let place = |line| {
        let start = original.lines(line, line).start;
        TextMatch {
            span: start..start,
            matched: MatchKind::Exact,
        }
    };
    lines.map(place).collect()
}

/// Returns a place extended by the end of its last line, or `None` if it does not consist of whole
/// lines.
fn whole_lines(text: &str, place: &TextMatch) -> Option<TextMatch> {
    let (before, behind) = (&text[..place.span.start], &text[place.span.end..]);
    let begins = before.is_empty() || before.ends_with(['\n', '\r']);
    let end = leading_line_end(behind).len();
    // No empty line follows the line end of the last line: an empty place at the end of `a⏎` is not
    // a line, although it begins after a line end.
    let is_past_end = text[..place.span.end].ends_with(['\n', '\r']);
    if end == 0 && (!behind.is_empty() || is_past_end) {
        return None;
    }
    begins.then(|| TextMatch {
        span: place.span.start..place.span.end + end,
        matched: place.matched,
    })
}

/// Returns the places below the anchors of a hunk: the first one below each occurrence of the last
/// anchor.
fn below_anchors(
    original: &Original<'_>,
    hunk: &Hunk,
    places: &[TextMatch],
) -> Result<Vec<TextMatch>, Reason> {
    let Some((last, above)) = hunk.anchors.split_last() else {
        return Ok(places.to_vec());
    };
    // A single pass over the file: first the outer anchors in their order, `class A`, then every
    // line that equals the last one, `def f(self):`.
    let mut seen = 0;
    let mut anchor_lines = Vec::new();
    for line in 0..original.line_count() {
        let text = original.line(line).trim();
        if above
            .get(seen)
            .is_some_and(|anchor| is_anchor(text, anchor))
        {
            seen += 1;
        } else if seen == above.len() && is_anchor(text, last) {
            anchor_lines.push(line);
        }
    }
    let mut kept: Vec<TextMatch> = Vec::new();
    for (index, line) in anchor_lines.iter().enumerate() {
        let start = original.lines(*line, *line).start;
        let next = anchor_lines
            .get(index + 1)
            .map(|next| original.lines(*next, *next).start);
        let first = places.partition_point(|place| place.span.start < start);
        let place = places.get(first);
        kept.extend(
            place
                .filter(|place| next.is_none_or(|next| place.span.start < next))
                .cloned(),
        );
    }
    Ok(kept)
}

fn is_anchor(line: &str, anchor: &str) -> bool {
    line == anchor.trim()
}

/// Returns the splices that turn the lines at `span` into `new` byte for byte. Only LF ends a line
/// here, and a CR before it is part of the line, so that a change of the line endings alone is a
/// change of the lines.
fn raw_splices(original: &Original<'_>, span: &Range<usize>, new: &str) -> Vec<Splice> {
    let old: Vec<&str> = original.text()[span.clone()]
        .split_inclusive('\n')
        .collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut starts = vec![span.start];
    let mut at = span.start;
    starts.extend(old.iter().map(|line| {
        at += line.len();
        at
    }));
    let splice = |change: LineChange| Splice {
        range: starts[change.old.start]..starts[change.old.end],
        text: new[change.new].concat(),
    };
    script(&old, &new).into_iter().map(splice).collect()
}
