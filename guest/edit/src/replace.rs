//! Replacement of a range of text: which of its lines change, and with which line endings.

use std::ops::Range;

use docent_text::lines::with_ends;

use crate::diff::script::{LineChange, script};
use crate::endings::unify;
use crate::error::Reason;
use crate::find_text::{FindError, TextQuery, find};
use crate::indentation::IndentShift;
use crate::nearest::near_miss;
use crate::original::Original;
use crate::source::{MARK, Splice};
use crate::text_match::{MatchKind, TextMatch};
use crate::view::Blanks;
use crate::warning::Warning;

/// The effect of one edit on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedEdit {
    /// Ranges that the edit refers to, in order. No other edit may touch them, even where this edit
    /// changes nothing: a line that was sent as context must still be there afterwards.
    pub claims: Vec<Range<usize>>,
    /// Changes within these ranges, in order.
    pub splices: Vec<Splice>,
    /// Closeness of the match.
    pub matched: MatchKind,
    /// Warnings to report before the edit is made.
    pub warnings: Vec<Warning>,
}

impl ResolvedEdit {
    /// Returns an edit that replaces `range` by `text`.
    pub fn splice(range: Range<usize>, text: String) -> Self {
        Self {
            claims: vec![range.clone()],
            splices: vec![Splice { range, text }],
            matched: MatchKind::Exact,
            warnings: Vec::new(),
        }
    }

    /// Returns the claim that contains a splice: the last of several, or the splice's own range if
    /// there is none. An insertion between two adjacent claims belongs to the second. The search is
    /// binary, since an edit of all places has as many claims as splices.
    pub fn claim_of(&self, splice: &Splice) -> Range<usize> {
        let begun = |claim: &Range<usize>| claim.start <= splice.range.start;
        let before = self.claims.partition_point(begun);
        let claim = before.checked_sub(1).map(|last| &self.claims[last]);
        claim.map_or_else(|| splice.range.clone(), Clone::clone)
    }
}

/// Resolves the replacement of a text by `new`.
///
/// # Errors
/// Fails if no place of the text is certain, or the file cannot contain the new one.
pub fn replace(
    original: &Original<'_>,
    wanted: &TextQuery<'_>,
    new: &str,
) -> Result<ResolvedEdit, Reason> {
    let unified = original.fit(new)?;
    let places = find(original, wanted).map_err(|failure| match failure {
        FindError::Nowhere => {
            let is_loose = wanted.blanks == Blanks::Collapsed;
            Reason::NotFound(Box::new(near_miss(
                original,
                wanted.text,
                Some(new),
                is_loose,
            )))
        }
        FindError::Other(reason) => reason,
    })?;
    let replacement = TextReplacement::new(wanted.text, &unified);
    let mut resolved = ResolvedEdit {
        claims: Vec::with_capacity(places.len()),
        splices: Vec::new(),
        matched: places
            .iter()
            .map(|place| place.matched)
            .max()
            .unwrap_or(MatchKind::Exact),
        warnings: Vec::new(),
    };
    for place in places {
        replacement.add(original, &place, &mut resolved.splices)?;
        resolved.claims.push(place.span);
    }
    Ok(resolved)
}

/// Returns the splices that turn the lines at `span` into `new`, whose line endings are LF. Lines
/// that do not change keep their bytes: in a file with mixed line endings, or with decomposed
/// letters, a diff would otherwise show every line of a section in which one line was edited.
pub fn rewrite(original: &Original<'_>, span: Range<usize>, new: &str) -> Vec<Splice> {
    let old = unify(&original.text()[span.clone()]);
    let replacement = TextReplacement::new(&old, new);
    let place = TextMatch {
        span,
        matched: MatchKind::Exact,
    };
    let mut splices = Vec::new();
    replacement.push(original, &place, new, &replacement.changes, &mut splices);
    splices
}

/// A text and its replacement, compared once for all places: in 200 000 equal lines one edit may
/// have as many of them.
struct TextReplacement<'n> {
    old: String,
    new: &'n str,
    changes: Vec<LineChange>,
}

impl<'n> TextReplacement<'n> {
    fn new(old: &str, new: &'n str) -> Self {
        let old = unify(old.strip_prefix(MARK).unwrap_or(old));
        let changes = changes(&old, new);
        Self { old, new, changes }
    }

    /// Adds the splices at `place`.
    fn add(
        &self,
        original: &Original<'_>,
        place: &TextMatch,
        splices: &mut Vec<Splice>,
    ) -> Result<(), Reason> {
        if place.matched != MatchKind::Whitespace {
            self.push(original, place, self.new, &self.changes, splices);
            return Ok(());
        }
        let own = &original.text()[place.span.clone()];
        let before = &original.text()[..place.span.start];
        let begins_within = !before.is_empty() && !before.ends_with(['\n', '\r']);
        // Lines that were sent unchanged are kept as in the file; all others are indented like the
        // file. The changes are those between the two texts that were sent: compared with the file,
        // each line whose blanks differ would count as changed.
        let shift = IndentShift::between(&self.old, own, begins_within)?;
        let shifted = shift.shift_text(self.new, begins_within)?;
        self.push(original, place, &shifted, &self.changes, splices);
        Ok(())
    }

    /// Adds the splices of `changes`, whose new lines are those of `new`.
    fn push(
        &self,
        original: &Original<'_>,
        place: &TextMatch,
        new: &str,
        changes: &[LineChange],
        splices: &mut Vec<Splice>,
    ) {
        let own: Vec<&str> = with_ends(&original.text()[place.span.clone()]).collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let mut starts = Vec::with_capacity(own.len() + 1);
        starts.push(place.span.start);
        let mut at = place.span.start;
        starts.extend(own.iter().map(|line| {
            at += line.len();
            at
        }));
        for change in changes {
            let lines = own.get(change.old.clone()).unwrap_or_default();
            // Where blanks are ignored, the old text may end in a line of blanks that the file does
            // not have at this place, so its last line may have no start here.
            let start = |line: usize| starts.get(line).copied().unwrap_or(place.span.end);
            let text: String = new.get(change.new.clone()).unwrap_or_default().concat();
            splices.push(Splice {
                range: start(change.old.start)..start(change.old.end),
                text: original.endings.adapt(&text, lines.iter().copied()),
            });
        }
    }
}

/// Returns the lines that differ.
fn changes(old: &str, new: &str) -> Vec<LineChange> {
    let old: Vec<&str> = with_ends(old).collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    script(&old, &new)
}
