//! One stretch of a text in place of another: which of its lines change, and with what endings.

use std::ops::Range;

use docent_text::lines::with_ends;

use crate::diff::script::{Change, script};
use crate::endings::unify;
use crate::error::Reason;
use crate::find_text::{Failure, Matched, Place, Wanted, find};
use crate::indentation::Shift;
use crate::nearest::miss;
use crate::original::Original;
use crate::plan::Warning;
use crate::source::{MARK, Splice};
use crate::view::Blanks;

/// What one edit does to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// What it speaks of, in order: no other edit may touch that.
    pub claims: Vec<Range<usize>>,
    /// What it changes there, in order.
    pub splices: Vec<Splice>,
    /// How what it names was found.
    pub matched: Matched,
    /// What the caller should know before it is made.
    pub warnings: Vec<Warning>,
}

impl Resolved {
    /// Returns an edit that puts `text` in the place of `range`.
    pub fn splice(range: Range<usize>, text: String) -> Self {
        Self {
            claims: vec![range.clone()],
            splices: vec![Splice { range, text }],
            matched: Matched::Exact,
            warnings: Vec::new(),
        }
    }

    /// Returns the claim that a splice lies in: of several the last, else where it stands itself.
    pub fn claim_of(&self, splice: &Splice) -> Range<usize> {
        let begun = |claim: &Range<usize>| claim.start <= splice.range.start;
        let before = self.claims.partition_point(begun);
        let claim = before.checked_sub(1).map(|last| &self.claims[last]);
        claim.map_or_else(|| splice.range.clone(), Clone::clone)
    }
}

/// Returns what it means to replace a text by `new`.
///
/// # Errors
/// The text has no place for certain, or the new one does not fit the file.
pub fn replace(
    original: &Original<'_>,
    wanted: &Wanted<'_>,
    new: &str,
) -> Result<Resolved, Reason> {
    let unified = original.fit(new)?;
    let places = find(original, wanted).map_err(|failure| match failure {
        Failure::Nowhere => {
            let is_loose = wanted.blanks == Blanks::Collapsed;
            Reason::NotFound(Box::new(miss(original, wanted.text, Some(new), is_loose)))
        }
        Failure::Other(reason) => reason,
    })?;
    let replacement = Replacement::new(wanted.text, &unified);
    let mut resolved = Resolved {
        claims: Vec::with_capacity(places.len()),
        splices: Vec::new(),
        matched: places
            .iter()
            .map(|place| place.matched)
            .max()
            .unwrap_or(Matched::Exact),
        warnings: Vec::new(),
    };
    for place in places {
        replacement.add(original, &place, &mut resolved.splices)?;
        resolved.claims.push(place.span);
    }
    Ok(resolved)
}

/// Returns what changes where the lines at `span` become `new`, of which line endings are LF. Lines
/// that stay keep their bytes.
pub fn rewrite(original: &Original<'_>, span: Range<usize>, new: &str) -> Vec<Splice> {
    let old = unify(&original.text()[span.clone()]);
    let replacement = Replacement::new(&old, new);
    let place = Place {
        span,
        matched: Matched::Exact,
    };
    let mut splices = Vec::new();
    replacement.push(original, &place, new, &replacement.changes, &mut splices);
    splices
}

/// A text and the one that replaces it, compared once for all places.
struct Replacement<'n> {
    old: String,
    new: &'n str,
    changes: Vec<Change>,
}

impl<'n> Replacement<'n> {
    fn new(old: &str, new: &'n str) -> Self {
        let old = unify(old.strip_prefix(MARK).unwrap_or(old));
        let changes = changes(&old, new);
        Self { old, new, changes }
    }

    /// Adds what changes at `place`.
    fn add(
        &self,
        original: &Original<'_>,
        place: &Place,
        splices: &mut Vec<Splice>,
    ) -> Result<(), Reason> {
        if place.matched != Matched::Whitespace {
            self.push(original, place, self.new, &self.changes, splices);
            return Ok(());
        }
        let own = &original.text()[place.span.clone()];
        let before = &original.text()[..place.span.start];
        let begins_within = !before.is_empty() && !before.ends_with(['\n', '\r']);
        // Lines that were sent unchanged stay as the file has them; all others follow its
        // indentation.
        let shift = Shift::between(&self.old, own, begins_within)?;
        let shifted = shift.shifted(self.new, begins_within)?;
        self.push(original, place, &shifted, &self.changes, splices);
        Ok(())
    }

    /// Adds the changes, which take their new lines from `new`.
    fn push(
        &self,
        original: &Original<'_>,
        place: &Place,
        new: &str,
        changes: &[Change],
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
            // What is sent may end in a line of blanks that the file does not have.
            let start = |line: usize| starts.get(line).copied().unwrap_or(place.span.end);
            let text: String = new.get(change.new.clone()).unwrap_or_default().concat();
            splices.push(Splice {
                range: start(change.old.start)..start(change.old.end),
                text: original.endings.adapt(&text, lines.iter().copied()),
            });
        }
    }
}

/// Returns which lines differ.
fn changes(old: &str, new: &str) -> Vec<Change> {
    let old: Vec<&str> = with_ends(old).collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    script(&old, &new)
}
