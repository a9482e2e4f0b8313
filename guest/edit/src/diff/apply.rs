//! A hunk as an edit of text: it stands where its lines stand, whatever its numbers say.

use std::ops::Range;

use docent_text::lines::with_ends;

use crate::diff::parse::Hunk;
use crate::diff::script::{Change, script};
use crate::endings::{at_start, of_last_line, unify};
use crate::error::{Condition, Reason};
use crate::find_text::{Matched, Place, places, spots};
use crate::nearest::miss;
use crate::original::Original;
use crate::plan::Warning;
use crate::replace::{Resolved, rewrite};
use crate::source::{MARK, Splice};
use crate::view::{Blanks, View};

/// Returns what the hunks of one file do to its text.
///
/// # Errors
/// A hunk has no place for certain; its number is told.
pub fn apply(original: &Original<'_>, hunks: &[Hunk]) -> Result<Resolved, Reason> {
    let mut resolved = Resolved {
        claims: Vec::new(),
        splices: Vec::new(),
        matched: Matched::Exact,
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

fn apply_one(original: &Original<'_>, hunk: &Hunk) -> Result<Resolved, Reason> {
    let unmarked = without_mark(original, hunk);
    let warnings = if unmarked.is_some() && hunk.old.starts_with(MARK) != hunk.new.starts_with(MARK)
    {
        vec![Warning::MarkStays]
    } else {
        Vec::new()
    };
    let hunk = unmarked.as_ref().unwrap_or(hunk);
    if hunk.old.is_empty() {
        // Lines without any round them have a place in an empty file alone.
        if original.text().is_empty() {
            let text = original.source.fit(&hunk.new)?.into_owned();
            return Ok(Resolved::splice(0..0, text));
        }
        return Err(Reason::NoContext);
    }
    let place = place(original, hunk)?;
    let own = &original.text()[place.span.clone()];
    if own == hunk.old {
        // The diff was made of these very bytes: its line endings are meant.
        let new = with_last_end(original, &place.span, hunk.new.clone());
        let text = original.source.fit(&new)?.into_owned();
        let splices = raw_splices(original, &place.span, &text);
        return Ok(Resolved {
            claims: vec![place.span],
            splices,
            matched: Matched::Exact,
            warnings,
        });
    }
    let mut new = original.fit(&hunk.new)?;
    // Whether the file ends in a line end is changed only by a hunk that says so.
    let is_said = hunk.old.ends_with('\n') != hunk.new.ends_with('\n');
    let has_end = !of_last_line(own).is_empty();
    if !is_said && !new.is_empty() && has_end != new.ends_with('\n') {
        if has_end {
            new.push('\n');
        } else {
            new.pop();
        }
    }
    let new = with_last_end(original, &place.span, new);
    Ok(Resolved {
        splices: rewrite(original, place.span.clone(), &new),
        matched: likeness(own, &hunk.old),
        claims: vec![place.span],
        warnings,
    })
}

/// Returns in how far lines of the file are those of a hunk, which they are not byte for byte. A
/// line end that the last line lacks is one that differs.
fn likeness(own: &str, old: &str) -> Matched {
    let plain = |text: &str| {
        let text = unify(text);
        text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
    };
    if plain(own) == plain(old) {
        Matched::LineEndings
    } else {
        Matched::Composed
    }
}

/// Returns a hunk without the byte order mark that its first line has: that of a file is none of
/// its text.
fn without_mark(original: &Original<'_>, hunk: &Hunk) -> Option<Hunk> {
    let has_mark = hunk.old.starts_with(MARK) || hunk.new.starts_with(MARK);
    let without = |text: &str| text.strip_prefix(MARK).unwrap_or(text).to_owned();
    (has_mark && !original.text().contains(MARK)).then(|| Hunk {
        old: without(&hunk.old),
        new: without(&hunk.new),
        ..hunk.clone()
    })
}

/// Returns the new lines with an end where lines follow them.
fn with_last_end(original: &Original<'_>, span: &Range<usize>, mut new: String) -> String {
    let is_open = !new.is_empty() && !new.ends_with(['\n', '\r']);
    if span.end < original.text().len() && is_open {
        new.push('\n');
    }
    new
}

/// Returns where the lines of a hunk stand.
fn place(original: &Original<'_>, hunk: &Hunk) -> Result<Place, Reason> {
    let text = original.text();
    let all = stretches(original, &hunk.old)?;
    if all.is_empty() {
        let miss = miss(original, &hunk.old, Some(&hunk.new), false);
        return Err(Reason::NotFound(Box::new(miss)));
    }
    let whole: Vec<Place> = all
        .iter()
        .filter_map(|place| whole_lines(text, place))
        .collect();
    if whole.is_empty() {
        return Err(Reason::Elsewhere(
            Condition::WholeLines,
            spots(original, &all),
        ));
    }
    let mut near = below_anchors(original, hunk, &whole)?;
    if hunk.is_last {
        near.retain(|place| text[place.span.end..].trim().is_empty());
    }
    if near.is_empty() {
        return Err(Reason::Elsewhere(
            Condition::Anchor,
            spots(original, &whole),
        ));
    }
    let numbered = Numbered::new(original, hunk);
    if let Some(edge) = Edge::of(hunk) {
        let (at_edge, others): (Vec<Place>, Vec<Place>) =
            near.into_iter().partition(|place| edge.holds(text, place));
        if at_edge.is_empty() {
            let made = others
                .iter()
                .find_map(|place| made_at(original, hunk, place));
            return Err(match made {
                Some(lines) => already(original, &lines),
                None => Reason::Elsewhere(edge.condition(), spots(original, &others)),
            });
        }
        near = at_edge;
    }
    let hit = numbered.as_ref().and_then(|numbered| numbered.hit(&near));
    let chosen = match (near.as_slice(), hit) {
        (_, Some(hit)) | ([hit], None) => hit,
        _ => return Err(Reason::Ambiguous(spots(original, &near))),
    };
    // Where the number points, or at the place itself, what is to be made may stand already: then
    // another place, or the same lines once more, are hardly meant.
    let pointed = numbered.filter(|_| hit.is_none());
    let there = pointed.and_then(|numbered| made_from(original, hunk, numbered.start()?));
    match there.or_else(|| made_at(original, hunk, chosen)) {
        Some(lines) => Err(already(original, &lines)),
        None => Ok(chosen.clone()),
    }
}

/// Returns where lines stand, without the end of the last one, as whole lines or not.
fn stretches(original: &Original<'_>, lines: &str) -> Result<Vec<Place>, Reason> {
    let sought = lines.strip_suffix('\n').unwrap_or(lines);
    let sought = sought.strip_suffix('\r').unwrap_or(sought);
    if sought.is_empty() {
        Ok(blank_lines(original))
    } else {
        places(original, sought, Blanks::Exact)
    }
}

fn already(original: &Original<'_>, lines: &Range<usize>) -> Reason {
    Reason::AlreadyMade {
        lines: original.line_numbers(lines),
    }
}

/// The line that a hunk's header names, in a text.
struct Numbered {
    line: usize,
    /// Where lines end: a diff counts them by their LF alone.
    feeds: Vec<usize>,
}

impl Numbered {
    fn new(original: &Original<'_>, hunk: &Hunk) -> Option<Self> {
        let feeds = || memchr::memchr_iter(b'\n', original.text().as_bytes()).collect();
        hunk.line.map(|line| Self {
            line: line as usize,
            feeds: feeds(),
        })
    }

    /// Returns where the line begins; none where there is no such line.
    fn start(&self) -> Option<usize> {
        match self.line.checked_sub(2) {
            Some(above) => self.feeds.get(above).map(|feed| feed + 1),
            None => Some(0),
        }
    }

    /// Returns the place that begins at the line.
    fn hit<'p>(&self, places: &'p [Place]) -> Option<&'p Place> {
        let line = |place: &Place| self.feeds.partition_point(|feed| *feed < place.span.start) + 1;
        places.iter().find(|place| line(place) == self.line)
    }
}

/// Returns the lines that a hunk without context on one side would make once more at a place of the
/// old ones: behind those that stand there, or before them.
fn made_at(original: &Original<'_>, hunk: &Hunk, place: &Place) -> Option<Range<usize>> {
    let first = original.line_index(place.span.start);
    let count = |text: &str| with_ends(text).count();
    match hunk.context {
        (_, 0) if hunk.new.starts_with(&hunk.old) => made_from(original, hunk, place.span.start),
        (0, _) if hunk.new.ends_with(&hunk.old) => {
            let before = count(&hunk.new) - count(&hunk.old);
            let first = first.checked_sub(before)?;
            made_from(original, hunk, original.lines(first, first).start)
        }
        _ => None,
    }
}

/// Returns the lines that a hunk makes, if they stand from the line on that begins at `start`.
fn made_from(original: &Original<'_>, hunk: &Hunk, start: usize) -> Option<Range<usize>> {
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

/// An edge of the text, at which a hunk stands that has no context on that side, as git has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

impl Edge {
    /// Returns the edge at which a hunk with numbers has to stand. One without any context, as
    /// people and models write it, stands where the lines are that it removes.
    fn of(hunk: &Hunk) -> Option<Self> {
        match (hunk.line?, hunk.context) {
            (_, (before, 0)) if before > 0 => Some(Self::End),
            (line, (0, behind)) if behind > 0 && line <= 1 => Some(Self::Start),
            _ => None,
        }
    }

    fn holds(self, text: &str, place: &Place) -> bool {
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
fn blank_lines(original: &Original<'_>) -> Vec<Place> {
    let lines = (0..original.line_count()).filter(|line| original.line(*line).is_empty());
    let place = |line| {
        let start = original.lines(line, line).start;
        Place {
            span: start..start,
            matched: Matched::Exact,
        }
    };
    lines.map(place).collect()
}

/// Returns a place with the end of its last line; none where it does not consist of whole lines.
fn whole_lines(text: &str, place: &Place) -> Option<Place> {
    let (before, behind) = (&text[..place.span.start], &text[place.span.end..]);
    let begins = before.is_empty() || before.ends_with(['\n', '\r']);
    let end = at_start(behind).len();
    // Behind the end of the last line there is no further, empty one.
    let is_past_end = text[..place.span.end].ends_with(['\n', '\r']);
    if end == 0 && (!behind.is_empty() || is_past_end) {
        return None;
    }
    begins.then(|| Place {
        span: place.span.start..place.span.end + end,
        matched: place.matched,
    })
}

/// Returns the places below the lines that a hunk names: the first one below each last anchor.
fn below_anchors(
    original: &Original<'_>,
    hunk: &Hunk,
    places: &[Place],
) -> Result<Vec<Place>, Reason> {
    let Some((last, above)) = hunk.anchors.split_last() else {
        return Ok(places.to_vec());
    };
    // One pass: how many of the anchors above have been seen, and the line of the last one.
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
    let mut kept: Vec<Place> = Vec::new();
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

/// Returns what changes where the lines at `span` become `new` byte for byte.
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
    let splice = |change: Change| Splice {
        range: starts[change.old.start]..starts[change.old.end],
        text: new[change.new].concat(),
    };
    script(&old, &new).into_iter().map(splice).collect()
}
