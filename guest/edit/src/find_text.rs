//! Location of the text that an edit names.
//!
//! A text is found if it is equal except in what does not matter: the line endings, and the
//! composition of letters (`é` as one character or as two). Blanks are ignored only on request.
//! Nothing is trimmed, unescaped or guessed, and the caller says which of several places is meant.

use crate::endings::{leading_line_end, line_end, unify};
use crate::error::{Condition, Locations, Reason};
use crate::limits::HINT_LINES;
use crate::original::Original;
use crate::search::all;
use crate::section::address;
use crate::source::MARK;
use crate::text_match::{MatchKind, TextMatch};
use crate::view::{Blanks, OmittedSide, View, continues_letter};

/// A text to find, with the conditions that select between its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextQuery<'a> {
    /// Text to find.
    pub text: &'a str,
    /// Selection between several places.
    pub choice: PlaceChoice,
    /// Expected number of places. With [`PlaceChoice::Only`] all of them are selected: a caller
    /// that knows the number means all of them, and because the number must be exact this is not a
    /// guess.
    pub expect_count: Option<usize>,
    /// Section that must contain the place, by its id or headings, including its subsections.
    pub within: Option<&'a str>,
    /// Text immediately before the place, or on the line before it. Not part of the place.
    pub before: Option<&'a str>,
    /// Text immediately after the place, or on the line after it. Not part of the place.
    pub after: Option<&'a str>,
    /// Comparison of blanks.
    pub blanks: Blanks,
}

impl<'a> TextQuery<'a> {
    /// Returns a query for the only place of `text`, compared exactly.
    pub fn only(text: &'a str) -> Self {
        Self {
            text,
            choice: PlaceChoice::Only,
            expect_count: None,
            within: None,
            before: None,
            after: None,
            blanks: Blanks::Exact,
        }
    }
}

/// The selection between several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceChoice {
    /// The only one.
    Only,
    /// The one with this number, from 1.
    Nth(usize),
    /// All of them, from the first on, without those that overlap an earlier one: of `aa` in `aaa`
    /// the first, since both cannot be replaced.
    All,
    /// The one that begins nearest to this line, from 1.
    NearLine(u32),
}

/// The reason for which no place is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindError {
    /// The text does not occur.
    Nowhere,
    /// It occurs, but does not select a place.
    Other(Reason),
}

impl From<Reason> for FindError {
    fn from(reason: Reason) -> Self {
        Self::Other(reason)
    }
}

/// Returns the selected places: one, or with [`PlaceChoice::All`] one or more, in order.
///
/// # Errors
/// Fails if no place is certain.
pub fn find(original: &Original<'_>, wanted: &TextQuery<'_>) -> Result<Vec<TextMatch>, FindError> {
    let places = places(original, wanted.text, wanted.blanks)?;
    if places.is_empty() {
        return Err(FindError::Nowhere);
    }
    let places = filter_places(original, wanted, places)?;
    let chosen = choose(original, wanted, places)?;
    let graded = |place| grade(original, place, wanted.text);
    Ok(chosen.into_iter().map(graded).collect())
}

/// Returns all places of a text in order, including overlapping ones, all graded as exact or, where
/// blanks are ignored, as whitespace. Overlapping places count because `aa` in `aaa` may mean
/// either place: an edit that took the first one silently would be a guess.
///
/// # Errors
/// Fails if the text is empty.
pub fn places(
    original: &Original<'_>,
    text: &str,
    blanks: Blanks,
) -> Result<Vec<TextMatch>, Reason> {
    let mut places = exact_places(original, text);
    // A text copied from the start of a file may begin with the file's byte order mark, which is
    // not part of the text here. The text as sent takes precedence, since U+FEFF may also occur
    // within a text.
    if places.is_empty() && text.starts_with(MARK) {
        places = exact_places(original, &text[MARK.len_utf8()..]);
    }
    if places.is_empty() && blanks == Blanks::Collapsed {
        places = collapsed_places(original, text)?;
    }
    if text.is_empty() || text == MARK.to_string() {
        return Err(Reason::EmptyText);
    }
    Ok(places)
}

fn exact_places(original: &Original<'_>, text: &str) -> Vec<TextMatch> {
    let view = original.view(Blanks::Exact);
    let sought = View::new(text, Blanks::Exact);
    let found = all(view.as_str().as_bytes(), sought.as_str().as_bytes());
    let place = |at: usize| {
        let start = view.position(at, OmittedSide::Before)?;
        let end = view.position(at + sought.as_str().len(), OmittedSide::Before)?;
        (!continues_letter(&original.text()[end..])).then_some(TextMatch {
            span: start..end,
            matched: MatchKind::Exact,
        })
    };
    found.into_iter().filter_map(place).collect()
}

/// Returns a place with its actual closeness to `text`. Only the selected places are graded: one
/// million letters `a` have a million overlapping places in two million of them, and grading each
/// compares a million letters.
fn grade(original: &Original<'_>, place: TextMatch, text: &str) -> TextMatch {
    let own = &original.text()[place.span.clone()];
    let matched = match place.matched {
        MatchKind::Whitespace => MatchKind::Whitespace,
        _ if own == text.strip_prefix(MARK).unwrap_or(text) || own == text => MatchKind::Exact,
        _ if unify(own) == unify(text) => MatchKind::LineEndings,
        _ => MatchKind::Composed,
    };
    TextMatch { matched, ..place }
}

/// Returns the places of a text, ignoring blanks. The blanks at an end of the text must correspond
/// to blanks or a line's end in the file: `foo ` is not in `foobar`. They are part of the place, so
/// that replacing `foo ` by `x ` does not leave two blanks.
fn collapsed_places(original: &Original<'_>, text: &str) -> Result<Vec<TextMatch>, Reason> {
    let view = original.view(Blanks::Collapsed);
    let sought = View::new(text, Blanks::Collapsed);
    if sought.as_str().trim().is_empty() {
        return Err(Reason::EmptyText);
    }
    let is_blank = |c: char| matches!(c, ' ' | '\t');
    let (starts_blank, ends_blank) = (text.starts_with(is_blank), text.ends_with(is_blank));
    let found = all(view.as_str().as_bytes(), sought.as_str().as_bytes());
    let place = |at: usize| {
        let side = if starts_blank {
            OmittedSide::Before
        } else {
            OmittedSide::Behind
        };
        let mut start = view.position(at, side)?;
        let side = if ends_blank {
            OmittedSide::Behind
        } else {
            OmittedSide::Before
        };
        let mut end = view.position(at + sought.as_str().len(), side)?;
        let (before, behind) = (&original.text()[..start], &original.text()[end..]);
        if starts_blank && !before.is_empty() && !before.ends_with(['\n', '\r']) {
            let run = before.len() - before.trim_end_matches(is_blank).len();
            let is_within = original.text()[start..].starts_with(is_blank);
            if run == 0 && !is_within {
                return None;
            }
            start -= run;
        }
        if ends_blank && !behind.is_empty() && !behind.starts_with(['\n', '\r']) {
            let run = behind.len() - behind.trim_start_matches(is_blank).len();
            let is_within = original.text()[..end].ends_with(is_blank);
            if run == 0 && !is_within {
                return None;
            }
            end += run;
        }
        (!continues_letter(&original.text()[end..])).then_some(TextMatch {
            span: start..end,
            matched: MatchKind::Whitespace,
        })
    };
    Ok(found.into_iter().filter_map(place).collect())
}

/// Keeps the places that meet the conditions of the query. If a condition leaves none, the error
/// lists the places that were left before it: the text occurs, and the caller has to see where.
fn filter_places(
    original: &Original<'_>,
    wanted: &TextQuery<'_>,
    mut places: Vec<TextMatch>,
) -> Result<Vec<TextMatch>, Reason> {
    let mut keep = |condition, is_kept: &dyn Fn(&TextMatch) -> bool| {
        let kept: Vec<TextMatch> = places
            .iter()
            .filter(|place| is_kept(place))
            .cloned()
            .collect();
        if kept.is_empty() {
            return Err(Reason::Elsewhere(condition, locations(original, &places)));
        }
        places = kept;
        Ok(())
    };
    if let Some(address) = wanted.within {
        let span = address::span(original, address)?;
        let is_within =
            |place: &TextMatch| span.start <= place.span.start && place.span.end <= span.end;
        keep(Condition::Within, &is_within)?;
    }
    if let Some(before) = wanted.before {
        let beside = AdjacentText::new(original, before, wanted.blanks)?;
        keep(Condition::Before, &|place| beside.ends_at(place.span.start))?;
    }
    if let Some(after) = wanted.after {
        let beside = AdjacentText::new(original, after, wanted.blanks)?;
        keep(Condition::After, &|place| beside.begins_at(place.span.end))?;
    }
    Ok(places)
}

/// The places of a text that must be adjacent to another one, or on the next line. Their starts and
/// ends ascend, so that each place of the other text is looked up by a binary search: in a hundred
/// thousand letters `a`, each preceded by `a`, they would otherwise be compared in pairs.
struct AdjacentText<'t> {
    text: &'t str,
    blanks: Blanks,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl<'t> AdjacentText<'t> {
    fn new(original: &Original<'t>, text: &str, blanks: Blanks) -> Result<Self, Reason> {
        let places = places(original, text, blanks)?;
        let mut beside = Self {
            text: original.text(),
            blanks,
            starts: Vec::with_capacity(places.len()),
            ends: Vec::with_capacity(places.len()),
        };
        for place in places {
            beside.starts.push(beside.behind_blanks(place.span.start));
            beside.ends.push(beside.before_blanks(place.span.end));
        }
        Ok(beside)
    }

    fn ends_at(&self, at: usize) -> bool {
        let before = &self.text[..at];
        let line = at - line_end(before).len();
        [at, line]
            .iter()
            .any(|at| self.ends.binary_search(&self.before_blanks(*at)).is_ok())
    }

    fn begins_at(&self, at: usize) -> bool {
        let length = leading_line_end(&self.text[at..]).len();
        let is_start = |at| self.starts.binary_search(&self.behind_blanks(at)).is_ok();
        is_start(at) || is_start(at + length)
    }

    fn before_blanks(&self, at: usize) -> usize {
        match self.blanks {
            Blanks::Exact => at,
            Blanks::Collapsed => self.text[..at].trim_end_matches([' ', '\t']).len(),
        }
    }

    fn behind_blanks(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        match self.blanks {
            Blanks::Exact => at,
            Blanks::Collapsed => at + rest.len() - rest.trim_start_matches([' ', '\t']).len(),
        }
    }
}

fn choose(
    original: &Original<'_>,
    wanted: &TextQuery<'_>,
    places: Vec<TextMatch>,
) -> Result<Vec<TextMatch>, Reason> {
    let choice = match (wanted.choice, wanted.expect_count) {
        (PlaceChoice::Only, Some(_)) => PlaceChoice::All,
        (choice, _) => choice,
    };
    let chosen = match choice {
        PlaceChoice::All => without_overlaps(&places),
        _ => places.clone(),
    };
    if let Some(expected) = wanted.expect_count
        && expected != chosen.len()
    {
        let spots = locations(original, &chosen);
        return Err(Reason::OtherCount { expected, spots });
    }
    let one = match choice {
        PlaceChoice::All => return Ok(chosen),
        PlaceChoice::Only => (places.len() == 1).then(|| places[0].clone()),
        PlaceChoice::Nth(number) => {
            let place = number.checked_sub(1).and_then(|index| places.get(index));
            let Some(place) = place else {
                let spots = locations(original, &places);
                return Err(Reason::NoOccurrence {
                    wanted: number,
                    spots,
                });
            };
            Some(place.clone())
        }
        PlaceChoice::NearLine(line) => {
            let line_of = |place: &TextMatch| original.line_number(place.span.start);
            nearest(line, &places, line_of).cloned()
        }
    };
    let ambiguous = || Reason::Ambiguous(locations(original, &places));
    one.map(|place| vec![place]).ok_or_else(ambiguous)
}

/// Removes the places that overlap an earlier one.
fn without_overlaps(places: &[TextMatch]) -> Vec<TextMatch> {
    let mut kept: Vec<TextMatch> = Vec::new();
    for place in places {
        if kept
            .last()
            .is_none_or(|last| last.span.end <= place.span.start)
        {
            kept.push(place.clone());
        }
    }
    kept
}

/// Returns the place nearest to a line, or `None` if two are equally near, or if there are several
/// and all are far away. With several places, one that is more than [`HINT_LINES`] from the line is
/// a guess: it may be another copy of the intended block.
fn nearest(
    line: u32,
    places: &[TextMatch],
    line_of: impl Fn(&TextMatch) -> u32,
) -> Option<&TextMatch> {
    let distance = |place: &TextMatch| line_of(place).abs_diff(line);
    let least = places.iter().map(distance).min()?;
    let mut near = places.iter().filter(|place| distance(place) == least);
    let place = near.next()?;
    let is_sure = near.next().is_none() && (least <= HINT_LINES || places.len() == 1);
    is_sure.then_some(place)
}

/// Returns places in the form in which they are shown.
pub fn locations(original: &Original<'_>, places: &[TextMatch]) -> Locations {
    let starts: Vec<usize> = places.iter().map(|place| place.span.start).collect();
    original.locations(&starts)
}
