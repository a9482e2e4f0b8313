//! Plans: several edits of one text, which all refer to the text before the call and together
//! produce the text after it.
//!
//! ```text
//! before   a⏎b⏎
//! edits    `a` -> `b`, `b` -> `c`
//! after    b⏎c⏎
//! ```
//!
//! Applied one after the other, the second edit would find two places of `b`, one of which the
//! first edit has made, and the result would depend on the order of the edits.

use std::ops::Range;

use docent_text::decode::decode;
use docent_text::equal::are_equal;
use docent_text::sort::sort_by_key;

use crate::diff::apply;
use crate::diff::file_patch::Hunk;
use crate::diff::write::{DiffNames, TextDiff, difference, line_counts};
use crate::endings::unify;
use crate::error::Reason;
use crate::find_text::{PlaceChoice, TextQuery};
use crate::insert::{InsertPosition, insert};
use crate::limits::WARN_LINES;
use crate::line_range::replace_lines;
use crate::numbered::CopiedText;
use crate::original::Original;
use crate::replace::{ResolvedEdit, replace};
use crate::section::{self, SectionEdit};
use crate::source::{MARK, Source, Splice};
use crate::text_match::MatchKind;
use crate::warning::Warning;

/// An edit of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit<'a> {
    /// Replaces a text by another, which may be empty.
    Text(TextQuery<'a>, &'a str),
    /// Inserts a text.
    Insert(InsertPosition<'a>, &'a str),
    /// Edits a section.
    Section(SectionEdit<'a>),
    /// Replaces lines: the first and the last, from 1, the hash of the lines or of the file, and
    /// the new lines.
    Lines((u32, u32), &'a str, &'a str),
    /// Applies the hunks of a diff.
    Hunks(&'a [Hunk]),
}

/// The result of applying edits to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// New text, without a byte order mark.
    pub text: String,
    /// New bytes of the file.
    pub bytes: Vec<u8>,
    /// True if they differ from the old ones.
    pub changed: bool,
    /// Effects of the edits, in their order.
    pub edits: Vec<AppliedEdit>,
    /// Warnings to report before the file is written.
    pub warnings: Vec<Warning>,
}

impl Plan {
    /// Returns the difference from `source`, for which the plan was made, in git's format. For a
    /// file in an encoding other than UTF-8 it is meant to be read, not applied: it is in UTF-8,
    /// whose bytes `git apply` would not find in the file.
    pub fn difference(&self, source: &Source<'_>, names: DiffNames<'_>) -> TextDiff {
        difference(
            names,
            &source.text_with_mark(),
            &source.with_mark(&self.text),
        )
    }
}

/// The effect of one edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedEdit {
    /// Index of the edit in the call.
    pub index: usize,
    /// Lines of each place before and after the edit, in the order of the text.
    pub places: Vec<(LineRange, LineRange)>,
    /// Closeness of the match.
    pub matched: MatchKind,
}

/// A range of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// First line, from 1.
    pub first: u32,
    /// Last line; the one before the first if the range is empty.
    pub last: u32,
}

/// An edit that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEdit {
    /// Index of the edit in the call.
    pub index: usize,
    /// Reason for which it cannot be made.
    pub reason: Reason,
}

/// Applies edits to `source`, a file called `name`. Each edit has its index in the call. Either all
/// edits are applied or none, since a text with half of them is one that nobody meant.
///
/// # Errors
/// The edits that cannot be made, in their order. None is made then.
pub fn plan(
    source: &Source<'_>,
    name: &str,
    edits: &[(usize, Edit<'_>)],
) -> Result<Plan, Vec<RefusedEdit>> {
    let original = Original::new(source, name);
    let results = edits.iter().map(|(_, edit)| resolve(&original, edit));
    let results = results.collect();
    let (plan, _) = plan_resolved(&original, edits, results)?;
    Ok(plan)
}

/// Applies edits that were resolved in `original`; `results` has one entry for each. Also returns
/// the splices of all edits, in the order of the text.
pub(crate) fn plan_resolved(
    original: &Original<'_>,
    edits: &[(usize, Edit<'_>)],
    results: Vec<Result<ResolvedEdit, Reason>>,
) -> Result<(Plan, Vec<Splice>), Vec<RefusedEdit>> {
    let source = original.source;
    let mut refused = Vec::new();
    let mut resolved = Vec::new();
    for ((index, _), result) in edits.iter().zip(results) {
        match result {
            Ok(one) => resolved.push((*index, one)),
            Err(reason) => refused.push(RefusedEdit {
                index: *index,
                reason,
            }),
        }
    }
    let overlaps = overlaps(original, &resolved);
    if overlaps.is_empty() && !refused.is_empty() {
        let text = source.splice_text(&splices(&resolved));
        let others = |refused| note_others(refused, edits, &text);
        refused.iter_mut().for_each(others);
    }
    refused.extend(overlaps);
    if !refused.is_empty() {
        sort_by_key(&mut refused, |refused| refused.index);
        return Err(refused);
    }
    let splices = splices(&resolved);
    let plan = carry_out(original, resolved, &splices);
    let is_uncertain = |warning: &Warning| matches!(warning, Warning::EncodingUncertain(_));
    match source.damage_in(0..source.text().len()) {
        // A file with invalid bytes must still be decoded to the new text. The byte before a
        // removed text may be the first half of a character: in EUC-KR, `\x8C` combines with a
        // letter that comes to follow it. Or the invalid bytes may be all that is left to detect
        // the encoding by. A warning is not enough, because characters that nobody edited would
        // change.
        Some(at) if plan.warnings.iter().any(is_uncertain) => Err(vec![RefusedEdit {
            index: edits.first().map_or(0, |(index, _)| *index),
            reason: Reason::Damaged {
                line: original.line_number(at),
            },
        }]),
        _ => Ok((plan, splices)),
    }
}

/// Records that the text of a refused edit would exist after the other edits, which produce `text`.
/// Such an edit refers to the result of another edit of the call instead of the text before it, and
/// a message that only shows the most similar text of the file would not explain that.
fn note_others(refused: &mut RefusedEdit, edits: &[(usize, Edit<'_>)], text: &str) {
    let edit = edits.iter().find(|(index, _)| *index == refused.index);
    if let (Some((_, Edit::Text(wanted, _))), Reason::NotFound(miss)) = (edit, &mut refused.reason)
    {
        miss.is_made_by_others = unify(text).contains(&unify(wanted.text));
    }
}

/// Returns the splices of all edits, in the order of the text.
fn splices(resolved: &[(usize, ResolvedEdit)]) -> Vec<Splice> {
    let all = resolved.iter().flat_map(|(_, one)| {
        one.splices
            .iter()
            .map(|splice| (one.claim_of(splice), splice))
    });
    let mut splices: Vec<(Range<usize>, Splice)> =
        all.map(|(claim, splice)| (claim, splice.clone())).collect();
    // Of two adjacent claims one may insert at its end what the other inserts at its beginning: the
    // earlier claim comes first. Insertions for the same range are in the order of the edits, since
    // the sort is stable.
    sort_by_key(&mut splices, |(claim, splice)| {
        let Range { start, end } = splice.range;
        (start, end, claim.start, claim.end)
    });
    splices.into_iter().map(|(_, splice)| splice).collect()
}

/// Resolves one edit.
pub(crate) fn resolve(original: &Original<'_>, edit: &Edit<'_>) -> Result<ResolvedEdit, Reason> {
    let mut resolved = match edit {
        Edit::Text(wanted, new) => replace_copied(original, wanted, new),
        Edit::Insert(at, new) => insert(original, at, new),
        Edit::Section(edit) => section::edit(original, edit),
        Edit::Lines(lines, hash, new) => replace_lines(original, *lines, hash, new),
        Edit::Hunks(hunks) => apply::apply(original, hunks),
    }?;
    for splice in &mut resolved.splices {
        // A byte order mark at the start of the text belongs to the file, which keeps its own or
        // has none. After the mark of the file, another U+FEFF would be an invisible character of
        // the text.
        if splice.range.start == 0 && splice.text.starts_with(MARK) {
            splice.text.remove(0);
        }
        if let Some(at) = original.source.damage_in(splice.range.clone()) {
            return Err(Reason::Damaged {
                line: original.line_number(at),
            });
        }
    }
    Ok(resolved)
}

/// Resolves the replacement of a text by `new`. A text that does not occur, and was copied with
/// line numbers, is searched for without them, and the numbers select between several places. They
/// only select a place that begins at exactly the first number: the nearest place is a guess, since
/// the file may have changed since the text was copied.
fn replace_copied(
    original: &Original<'_>,
    wanted: &TextQuery<'_>,
    new: &str,
) -> Result<ResolvedEdit, Reason> {
    let as_written = replace(original, wanted, new);
    // The text as written takes precedence: the rows of a table may begin with a number and a tab,
    // `2⇥a`, and are then part of the text.
    let copied = match &as_written {
        Err(Reason::NotFound(_)) => CopiedText::parse(wanted.text),
        _ => None,
    };
    let Some(copied) = copied else {
        return as_written;
    };
    let new = CopiedText::parse(new).map_or_else(|| new.to_owned(), |new| new.text);
    let plain = TextQuery {
        text: &copied.text,
        ..wanted.clone()
    };
    let resolved = replace(original, &plain, &new).or_else(|reason| {
        if wanted.choice != PlaceChoice::Only {
            return Err(reason);
        }
        let near = TextQuery {
            choice: PlaceChoice::NearLine(copied.first),
            ..plain
        };
        let is_there = |one: &ResolvedEdit| {
            let mut claims = one.claims.iter();
            claims.all(|claim| original.line_number(claim.start) == copied.first)
        };
        replace(original, &near, &new)
            .ok()
            .filter(is_there)
            .ok_or(reason)
    });
    match resolved {
        Ok(resolved) => Ok(ResolvedEdit {
            matched: MatchKind::Numbers,
            ..resolved
        }),
        Err(reason) => Err(reason),
    }
}

/// Returns the edits that claim the same text as another one. Of two such edits the one with the
/// higher index is refused. The claims are sorted and passed once, since an edit of all places of a
/// text may have hundreds of thousands of claims.
fn overlaps(original: &Original<'_>, resolved: &[(usize, ResolvedEdit)]) -> Vec<RefusedEdit> {
    let mut claims: Vec<(Range<usize>, usize)> = resolved
        .iter()
        .flat_map(|(index, one)| one.claims.iter().map(|claim| (claim.clone(), *index)))
        .collect();
    sort_by_key(&mut claims, |(claim, index)| {
        (claim.start, claim.end, *index)
    });
    let mut refused = Vec::new();
    // The claim seen so far that reaches furthest. The previous claim is not enough: if the first
    // edit replaces `a⏎b⏎c⏎d`, the second `b` and the third `d`, the third overlaps the first, but
    // not the second.
    let mut last: Option<(Range<usize>, usize)> = None;
    for (claim, index) in claims {
        match &last {
            // An insertion at the edge of a claim is next to it, not in it.
            Some((before, other)) if claim.start < before.end && before.start < claim.end => {
                let (before, other) = (before.clone(), *other);
                let lines = |claim: &Range<usize>| original.line_numbers(claim);
                let (own, others) = ((index, claim.clone()), (other, before));
                let (first, second) = if own.0 < others.0 {
                    (own, others)
                } else {
                    (others, own)
                };
                refused.push(RefusedEdit {
                    index: second.0,
                    reason: Reason::Overlap {
                        other: first.0,
                        lines: lines(&second.1),
                        other_lines: lines(&first.1),
                    },
                });
            }
            _ => {}
        }
        if last
            .as_ref()
            .is_none_or(|(before, _)| before.end <= claim.end)
        {
            last = Some((claim, index));
        }
    }
    refused.dedup_by_key(|refused| refused.index);
    refused
}

fn carry_out(
    original: &Original<'_>,
    resolved: Vec<(usize, ResolvedEdit)>,
    splices: &[Splice],
) -> Plan {
    let source = original.source;
    let text = source.splice_text(splices);
    let bytes = source.splice_bytes(splices);
    let changed = !are_equal(text.as_bytes(), source.text().as_bytes());
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in resolved.iter().flat_map(|(_, one)| &one.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    if let Some(warning) = most_goes_away(original, splices) {
        warnings.push(warning);
    }
    // The result is decoded as any later reader decodes it, without knowledge of the old file. In
    // an encoding other than UTF-8 an edit may remove the text by which the encoding was detected,
    // or add bytes that are also valid in another encoding.
    let is_read_back =
        decode(&bytes).is_ok_and(|decoded| are_equal(decoded.text.as_bytes(), text.as_bytes()));
    if changed && !is_read_back {
        warnings.push(Warning::EncodingUncertain(source.encoding()));
    }
    let after = Source::from_text(&text);
    let after = Original::new(&after, original.name);
    let edits = resolved.into_iter().map(|(index, one)| AppliedEdit {
        index,
        places: lines(original, &after, splices, one.claims),
        matched: one.matched,
    });
    let edits = edits.collect();
    Plan {
        edits,
        changed,
        text,
        bytes,
        warnings,
    }
}

/// Returns the lines of each claim before and after all edits.
fn lines(
    original: &Original<'_>,
    after: &Original<'_>,
    splices: &[Splice],
    mut claims: Vec<Range<usize>>,
) -> Vec<(LineRange, LineRange)> {
    sort_by_key(&mut claims, |claim| claim.start);
    let lines_of = |original: &Original<'_>, range: &Range<usize>| {
        let (first, last) = original.line_numbers(range);
        LineRange {
            first,
            last: if range.is_empty() { first - 1 } else { last },
        }
    };
    // A single pass over claims and splices: an edit of all places of a text may have hundreds of
    // thousands of both. `grown` is the number of bytes by which the splices so far have made the
    // text longer. A splice that begins with a claim is part of that claim, and only moves its end.
    let (mut next, mut grown) = (0, 0isize);
    let mut pairs = Vec::with_capacity(claims.len());
    for claim in &claims {
        let moved = |position: usize, grown: isize| position.saturating_add_signed(grown);
        while let Some(splice) = splices
            .get(next)
            .filter(|splice| splice.range.end <= claim.start && splice.range.start < claim.start)
        {
            grown += splice.text.len() as isize - splice.range.len() as isize;
            next += 1;
        }
        let start = moved(claim.start, grown);
        while let Some(splice) = splices
            .get(next)
            .filter(|splice| splice.range.end <= claim.end)
        {
            grown += splice.text.len() as isize - splice.range.len() as isize;
            next += 1;
        }
        let range = start..moved(claim.end, grown).max(start);
        let before = lines_of(original, claim);
        pairs.push((before, lines_of(after, &range)));
    }
    pairs
}

/// Returns a warning if more than half of a long file is removed.
fn most_goes_away(original: &Original<'_>, splices: &[Splice]) -> Option<Warning> {
    let of = original.line_count();
    if of <= WARN_LINES {
        return None;
    }
    let removed: usize = splices
        .iter()
        .map(|splice| removed_lines(original, splice))
        .sum();
    (2 * removed > of).then_some(Warning::MostGoesAway { removed, of })
}

/// Returns the number of lines that a splice removes: those that its text does not contain. A
/// splice of the whole file with one line changed removes one line.
fn removed_lines(original: &Original<'_>, splice: &Splice) -> usize {
    let old = &original.text()[splice.range.clone()];
    line_counts(old, &splice.text).1
}
