//! Several edits of one text: all speak of the text before, and together they make the one after.

use std::ops::Range;

use docent_text::decode::decode;
use docent_text::equal::are_equal;

use crate::diff::apply;
use crate::diff::parse::Hunk;
use crate::diff::write::{Difference, Names, difference, line_counts};
use crate::endings::unify;
use crate::error::Reason;
use crate::find_text::{Choice, Matched, Wanted};
use crate::insert::{At, insert};
use crate::limits::WARN_LINES;
use crate::line_range::replace_lines;
use crate::numbered::Unnumbered;
use crate::original::Original;
use crate::replace::{Resolved, replace};
use crate::section::{self, SectionEdit};
use crate::source::{MARK, Source, Splice};

/// One edit of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit<'a> {
    /// A text is replaced by another, which may be empty.
    Text(Wanted<'a>, &'a str),
    /// A text is added.
    Insert(At<'a>, &'a str),
    /// A section is edited.
    Section(SectionEdit<'a>),
    /// Lines are replaced: the first and the last, from 1 on, the hash of them or of the file, and
    /// what takes their place.
    Lines((u32, u32), &'a str, &'a str),
    /// The hunks of a diff are applied.
    Hunks(&'a [Hunk]),
}

/// What edits make of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The text afterwards, without a byte order mark.
    pub text: String,
    /// The file afterwards.
    pub bytes: Vec<u8>,
    /// Whether that differs from what is there.
    pub changed: bool,
    /// What each edit does, in their order.
    pub edits: Vec<Applied>,
    /// What the caller should know before it is written.
    pub warnings: Vec<Warning>,
}

impl Plan {
    /// Returns the difference from `source`, of which the plan was made, as git takes it. It is one
    /// of texts: a file in another encoding than UTF-8 it is to be read by, not applied to.
    pub fn difference(&self, source: &Source<'_>, names: Names<'_>) -> Difference {
        difference(names, &source.marked(), &source.with_mark(&self.text))
    }
}

/// What one edit does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The edit's index among those of the call.
    pub index: usize,
    /// The lines that it speaks of, before and afterwards: one pair a place, in the text's order.
    pub places: Vec<(Lines, Lines)>,
    /// How what it names was found.
    pub matched: Matched,
}

/// Some lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first one, from 1 on.
    pub first: u32,
    /// The last one; that before the first where there are none.
    pub last: u32,
}

/// What is told of a plan that can be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// More than half of the lines of a long file go away.
    MostGoesAway {
        /// Lines that are in the text afterwards no more.
        removed: usize,
        /// Lines before.
        of: usize,
    },
    /// A diff takes a byte order mark away or adds one, which is none of the text that is edited.
    MarkStays,
    /// Definitions with these labels stand in a section that is replaced or goes, and are used
    /// elsewhere: they stay.
    DefinitionsStay(Vec<String>),
    /// The file's encoding can no longer be told from its bytes, or is taken for another.
    EncodingUncertain(&'static str),
}

/// An edit that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The edit's index among those of the call.
    pub index: usize,
    /// Why.
    pub reason: Reason,
}

/// Returns what edits make of `source`, a file of this name. Each edit has its index among those of
/// the call.
///
/// # Errors
/// The edits that cannot be made, in their order; then none is.
pub fn plan(
    source: &Source<'_>,
    name: &str,
    edits: &[(usize, Edit<'_>)],
) -> Result<Plan, Vec<Refused>> {
    let original = Original::new(source, name);
    let mut refused = Vec::new();
    let mut resolved = Vec::new();
    for (index, edit) in edits {
        match resolve(&original, edit) {
            Ok(one) => resolved.push((*index, one)),
            Err(reason) => refused.push(Refused {
                index: *index,
                reason,
            }),
        }
    }
    let overlaps = overlaps(&original, &resolved);
    if overlaps.is_empty() && !refused.is_empty() {
        let text = source.spliced_text(&splices(&resolved));
        let others = |refused| note_others(refused, edits, &text);
        refused.iter_mut().for_each(others);
    }
    refused.extend(overlaps);
    if !refused.is_empty() {
        refused.sort_by_key(|refused| refused.index);
        return Err(refused);
    }
    let plan = carried_out(&original, resolved);
    let is_uncertain = |warning: &Warning| matches!(warning, Warning::EncodingUncertain(_));
    match source.damage_in(0..source.text().len()) {
        // Bytes that nobody understands would take what comes to stand behind them for a part of
        // theirs, or be all that is left to tell the encoding by.
        Some(at) if plan.warnings.iter().any(is_uncertain) => Err(vec![Refused {
            index: edits.first().map_or(0, |(index, _)| *index),
            reason: Reason::Damaged {
                line: original.line_number(at),
            },
        }]),
        _ => Ok(plan),
    }
}

/// Notes of an edit whose text is not there that the others would make it: `text` is what they do.
fn note_others(refused: &mut Refused, edits: &[(usize, Edit<'_>)], text: &str) {
    let edit = edits.iter().find(|(index, _)| *index == refused.index);
    if let (Some((_, Edit::Text(wanted, _))), Reason::NotFound(miss)) = (edit, &mut refused.reason)
    {
        miss.is_made_by_others = unify(text).contains(&unify(wanted.text));
    }
}

/// Returns what edits change, in the order of the text.
fn splices(resolved: &[(usize, Resolved)]) -> Vec<Splice> {
    let all = resolved.iter().flat_map(|(_, one)| {
        one.splices
            .iter()
            .map(|splice| (one.claim_of(splice), splice))
    });
    let mut splices: Vec<(Range<usize>, Splice)> =
        all.map(|(claim, splice)| (claim, splice.clone())).collect();
    // Of neighbours one may add at its end where the other adds at its beginning: the earlier of
    // them comes first. What is added to the same stretch comes in the order of the edits, for the
    // sort is stable.
    splices.sort_by_key(|(claim, splice)| {
        let Range { start, end } = splice.range;
        (start, end, claim.start, claim.end)
    });
    splices.into_iter().map(|(_, splice)| splice).collect()
}

/// Returns what one edit does.
fn resolve(original: &Original<'_>, edit: &Edit<'_>) -> Result<Resolved, Reason> {
    let mut resolved = match edit {
        Edit::Text(wanted, new) => replace_copied(original, wanted, new),
        Edit::Insert(at, new) => insert(original, at, new),
        Edit::Section(edit) => section::edit(original, edit),
        Edit::Lines(lines, hash, new) => replace_lines(original, *lines, hash, new),
        Edit::Hunks(hunks) => apply::apply(original, hunks),
    }?;
    for splice in &mut resolved.splices {
        // A mark before the text is that of the file.
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

/// Returns what it means to replace a text by `new`. One that is not in the file, and was copied with
/// the numbers of its lines, is looked for without them; they tell which of several places is meant.
fn replace_copied(
    original: &Original<'_>,
    wanted: &Wanted<'_>,
    new: &str,
) -> Result<Resolved, Reason> {
    let as_written = replace(original, wanted, new);
    // A table may begin its rows with numbers: as it is written comes first.
    let copied = match &as_written {
        Err(Reason::NotFound(_)) => Unnumbered::parse(wanted.text),
        _ => None,
    };
    let Some(copied) = copied else {
        return as_written;
    };
    let new = Unnumbered::parse(new).map_or_else(|| new.to_owned(), |new| new.text);
    let plain = Wanted {
        text: &copied.text,
        ..wanted.clone()
    };
    let resolved = replace(original, &plain, &new).or_else(|reason| {
        if wanted.choice != Choice::Only {
            return Err(reason);
        }
        let near = Wanted {
            choice: Choice::NearLine(copied.first),
            ..plain
        };
        let is_there = |one: &Resolved| {
            let mut claims = one.claims.iter();
            claims.all(|claim| original.line_number(claim.start) == copied.first)
        };
        replace(original, &near, &new)
            .ok()
            .filter(is_there)
            .ok_or(reason)
    });
    match resolved {
        Ok(resolved) => Ok(Resolved {
            matched: Matched::Numbers,
            ..resolved
        }),
        Err(reason) => Err(reason),
    }
}

/// Returns the edits that speak of what another one does.
fn overlaps(original: &Original<'_>, resolved: &[(usize, Resolved)]) -> Vec<Refused> {
    let mut claims: Vec<(Range<usize>, usize)> = resolved
        .iter()
        .flat_map(|(index, one)| one.claims.iter().map(|claim| (claim.clone(), *index)))
        .collect();
    claims.sort_by_key(|(claim, index)| (claim.start, claim.end, *index));
    let mut refused = Vec::new();
    // The claim that reaches furthest of those before.
    let mut last: Option<(Range<usize>, usize)> = None;
    for (claim, index) in claims {
        match &last {
            // What is added at the edge of a claim is beside it.
            Some((before, other)) if claim.start < before.end && before.start < claim.end => {
                let (before, other) = (before.clone(), *other);
                let lines = |claim: &Range<usize>| original.line_numbers(claim);
                let (own, others) = ((index, claim.clone()), (other, before));
                let (first, second) = if own.0 < others.0 {
                    (own, others)
                } else {
                    (others, own)
                };
                refused.push(Refused {
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

fn carried_out(original: &Original<'_>, resolved: Vec<(usize, Resolved)>) -> Plan {
    let splices = splices(&resolved);
    let source = original.source;
    let text = source.spliced_text(&splices);
    let bytes = source.spliced_bytes(&splices);
    let changed = !are_equal(text.as_bytes(), source.text().as_bytes());
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in resolved.iter().flat_map(|(_, one)| &one.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    if let Some(warning) = most_goes_away(original, &splices) {
        warnings.push(warning);
    }
    let is_read_back =
        decode(&bytes).is_ok_and(|decoded| are_equal(decoded.text.as_bytes(), text.as_bytes()));
    if changed && !is_read_back {
        warnings.push(Warning::EncodingUncertain(source.encoding()));
    }
    let after = Source::of_text(&text);
    let after = Original::new(&after, original.name);
    let edits = resolved.into_iter().map(|(index, one)| Applied {
        index,
        places: lines(original, &after, &splices, one.claims),
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

/// Returns the lines of what an edit speaks of, before and afterwards.
fn lines(
    original: &Original<'_>,
    after: &Original<'_>,
    splices: &[Splice],
    mut claims: Vec<Range<usize>>,
) -> Vec<(Lines, Lines)> {
    claims.sort_by_key(|claim| claim.start);
    let lines_of = |original: &Original<'_>, range: &Range<usize>| {
        let (first, last) = original.line_numbers(range);
        Lines {
            first,
            last: if range.is_empty() { first - 1 } else { last },
        }
    };
    // One pass over both.
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

/// Returns a warning where more than half of a long file goes away.
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

/// Returns how many lines of the file a splice takes away: those that are in its text no more.
fn removed_lines(original: &Original<'_>, splice: &Splice) -> usize {
    let old = &original.text()[splice.range.clone()];
    line_counts(old, &splice.text).1
}
