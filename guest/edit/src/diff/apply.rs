//! A hunk as an edit of text: it stands where its lines stand, whatever its numbers say.

use std::ops::Range;

use docent_text::saturating::saturating_u32;

use crate::diff::parse::Hunk;
use crate::diff::script::{Change, script};
use crate::endings::{at_start, of_last_line};
use crate::error::{Condition, Reason};
use crate::find_text::{Matched, Place, graded, nearest, places, spots};
use crate::nearest::miss;
use crate::original::Original;
use crate::replace::{Resolved, rewrite};
use crate::source::Splice;
use crate::view::Blanks;

/// Returns what the hunks of one file do to its text.
///
/// # Errors
/// A hunk has no place for certain; its number is told.
pub fn apply(original: &Original<'_>, hunks: &[Hunk]) -> Result<Resolved, Reason> {
    let mut resolved = Resolved {
        claims: Vec::new(),
        splices: Vec::new(),
        matched: Matched::Exact,
    };
    for (index, hunk) in hunks.iter().enumerate() {
        let one = apply_one(original, hunk).map_err(|reason| Reason::Hunk {
            number: index + 1,
            reason: Box::new(reason),
        })?;
        resolved.claims.extend(one.claims);
        resolved.splices.extend(one.splices);
        resolved.matched = resolved.matched.max(one.matched);
    }
    Ok(resolved)
}

fn apply_one(original: &Original<'_>, hunk: &Hunk) -> Result<Resolved, Reason> {
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
        claims: vec![place.span.clone()],
        matched: graded(original, place, &hunk.old)
            .matched
            .max(Matched::LineEndings),
    })
}

/// Returns the new lines with an end where lines follow them.
fn with_last_end(original: &Original<'_>, span: &Range<usize>, mut new: String) -> String {
    if span.end < original.text().len() && !new.is_empty() && !new.ends_with('\n') {
        new.push('\n');
    }
    new
}

/// Returns where the lines of a hunk stand.
fn place(original: &Original<'_>, hunk: &Hunk) -> Result<Place, Reason> {
    let text = original.text();
    let sought = hunk.old.strip_suffix('\n').unwrap_or(&hunk.old);
    let sought = sought.strip_suffix('\r').unwrap_or(sought);
    let all = if sought.is_empty() {
        blank_lines(original)
    } else {
        places(original, sought, Blanks::Exact)?
    };
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
    let one = match (near.as_slice(), hunk.line) {
        ([one], _) => Some(one),
        (_, Some(line)) => {
            // A diff counts lines by their LF alone.
            let feeds: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
            let above = |place: &Place| feeds.partition_point(|feed| *feed < place.span.start);
            nearest(line, &near, |place| saturating_u32(above(place) + 1))
        }
        _ => None,
    };
    one.cloned()
        .ok_or_else(|| Reason::Ambiguous(spots(original, &near)))
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
    if end == 0 && !behind.is_empty() {
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
