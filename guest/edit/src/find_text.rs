//! Where a text stands that an edit names.
//!
//! A text is found as it is, or but for what loses nothing: line endings, and letters in one part
//! or several. Blanks are equal only where that was asked for. Nothing is trimmed, unescaped or
//! guessed; which of several places is meant, the caller says.

use std::ops::Range;

use crate::endings::{at_start, of_last_line, unify};
use crate::error::{Condition, Reason, Spots};
use crate::limits::HINT_LINES;
use crate::original::Original;
use crate::search::all;
use crate::section;
use crate::source::MARK;
use crate::view::{Blanks, Side, View, continues_letter};

/// A text, and which of its places is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The text.
    pub text: &'a str,
    /// Which of several places is meant.
    pub choice: Choice,
    /// At how many places it stands, if that was said. With [`Choice::Only`] all of them are meant.
    pub expect_count: Option<usize>,
    /// The section that the place lies in, by its id or headings; its subsections are of it.
    pub within: Option<&'a str>,
    /// What stands right before the text, or on the line before it, and is not part of it.
    pub before: Option<&'a str>,
    /// What stands right behind the text, or on the line behind it.
    pub after: Option<&'a str>,
    /// Whether blanks have to be those of the file.
    pub blanks: Blanks,
}

impl<'a> Wanted<'a> {
    /// Returns the only place of `text`, letter by letter.
    pub fn only(text: &'a str) -> Self {
        Self {
            text,
            choice: Choice::Only,
            expect_count: None,
            within: None,
            before: None,
            after: None,
            blanks: Blanks::Exact,
        }
    }
}

/// Which of several places is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// There is only one.
    Only,
    /// The one of this number, from 1 on.
    Nth(usize),
    /// All of them, from the first on; one that overlaps another before it is left out.
    All,
    /// The one that begins nearest to this line, counted from 1 on.
    NearLine(u32),
}

/// In how far a text is the one in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matched {
    /// Letter by letter.
    Exact,
    /// But for line endings.
    LineEndings,
    /// But for the parts that letters are written in, and line endings perhaps.
    Composed,
    /// But for blanks.
    Whitespace,
    /// But for the numbers of lines that it was copied with.
    Numbers,
}

/// Where a text stands, in bytes of the file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its bytes.
    pub span: Range<usize>,
    /// In how far it is the one that was asked for.
    pub matched: Matched,
}

/// Why no place is the one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text is nowhere.
    Nowhere,
    /// It is, but does not say which place is meant.
    Other(Reason),
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self::Other(reason)
    }
}

/// Returns the places that are meant: one, or with [`Choice::All`] one or more, in order.
///
/// # Errors
/// No place is meant for certain.
pub fn find(original: &Original<'_>, wanted: &Wanted<'_>) -> Result<Vec<Place>, Failure> {
    let places = places(original, wanted.text, wanted.blanks)?;
    if places.is_empty() {
        return Err(Failure::Nowhere);
    }
    let places = fitting(original, wanted, places)?;
    let chosen = choose(original, wanted, places)?;
    let graded = |place| graded(original, place, wanted.text);
    Ok(chosen.into_iter().map(graded).collect())
}

/// Returns all places of a text, in order, overlapping ones too, as if each were so letter by letter.
///
/// # Errors
/// The text is empty.
pub fn places(original: &Original<'_>, text: &str, blanks: Blanks) -> Result<Vec<Place>, Reason> {
    let mut places = exact_places(original, text);
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

fn exact_places(original: &Original<'_>, text: &str) -> Vec<Place> {
    let view = original.view(Blanks::Exact);
    let sought = View::new(text, Blanks::Exact);
    let found = all(view.as_str().as_bytes(), sought.as_str().as_bytes());
    let place = |at: usize| {
        let start = view.position(at, Side::Before)?;
        let end = view.position(at + sought.as_str().len(), Side::Before)?;
        (!continues_letter(&original.text()[end..])).then_some(Place {
            span: start..end,
            matched: Matched::Exact,
        })
    };
    found.into_iter().filter_map(place).collect()
}

/// Returns a place with what it differs in from `text`. That is asked of the chosen places alone,
/// for there may be many that overlap, and long ones.
fn graded(original: &Original<'_>, place: Place, text: &str) -> Place {
    let own = &original.text()[place.span.clone()];
    let matched = match place.matched {
        Matched::Whitespace => Matched::Whitespace,
        _ if own == text.strip_prefix(MARK).unwrap_or(text) || own == text => Matched::Exact,
        _ if unify(own) == unify(text) => Matched::LineEndings,
        _ => Matched::Composed,
    };
    Place { matched, ..place }
}

/// Returns the places of a text but for blanks. They are never between words on one side alone: a
/// text that begins or ends with blanks stands where blanks or a line's end are.
fn collapsed_places(original: &Original<'_>, text: &str) -> Result<Vec<Place>, Reason> {
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
            Side::Before
        } else {
            Side::Behind
        };
        let mut start = view.position(at, side)?;
        let side = if ends_blank {
            Side::Behind
        } else {
            Side::Before
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
        (!continues_letter(&original.text()[end..])).then_some(Place {
            span: start..end,
            matched: Matched::Whitespace,
        })
    };
    Ok(found.into_iter().filter_map(place).collect())
}

/// Returns those of the places that stand where they were asked to be.
fn fitting(
    original: &Original<'_>,
    wanted: &Wanted<'_>,
    mut places: Vec<Place>,
) -> Result<Vec<Place>, Reason> {
    let mut keep = |condition, is_kept: &dyn Fn(&Place) -> bool| {
        let kept: Vec<Place> = places
            .iter()
            .filter(|place| is_kept(place))
            .cloned()
            .collect();
        if kept.is_empty() {
            return Err(Reason::Elsewhere(condition, spots(original, &places)));
        }
        places = kept;
        Ok(())
    };
    if let Some(address) = wanted.within {
        let span = section::span(original, address)?;
        let is_within =
            |place: &Place| span.start <= place.span.start && place.span.end <= span.end;
        keep(Condition::Within, &is_within)?;
    }
    if let Some(before) = wanted.before {
        let beside = Beside::new(original, before, wanted.blanks)?;
        keep(Condition::Before, &|place| beside.ends_at(place.span.start))?;
    }
    if let Some(after) = wanted.after {
        let beside = Beside::new(original, after, wanted.blanks)?;
        keep(Condition::After, &|place| beside.begins_at(place.span.end))?;
    }
    Ok(places)
}

/// Where a text stands that is to adjoin another one, or to stand on the next line.
struct Beside<'t> {
    text: &'t str,
    blanks: Blanks,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl<'t> Beside<'t> {
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
        let line = at - of_last_line(before).len();
        [at, line]
            .iter()
            .any(|at| self.ends.binary_search(&self.before_blanks(*at)).is_ok())
    }

    fn begins_at(&self, at: usize) -> bool {
        let length = at_start(&self.text[at..]).len();
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
    wanted: &Wanted<'_>,
    places: Vec<Place>,
) -> Result<Vec<Place>, Reason> {
    let choice = match (wanted.choice, wanted.expect_count) {
        (Choice::Only, Some(_)) => Choice::All,
        (choice, _) => choice,
    };
    let chosen = match choice {
        Choice::All => apart(&places),
        _ => places.clone(),
    };
    if let Some(expected) = wanted.expect_count
        && expected != chosen.len()
    {
        let spots = spots(original, &chosen);
        return Err(Reason::OtherCount { expected, spots });
    }
    let one = match choice {
        Choice::All => return Ok(chosen),
        Choice::Only => (places.len() == 1).then(|| places[0].clone()),
        Choice::Nth(number) => {
            let place = number.checked_sub(1).and_then(|index| places.get(index));
            let Some(place) = place else {
                let spots = spots(original, &places);
                return Err(Reason::NoOccurrence {
                    wanted: number,
                    spots,
                });
            };
            Some(place.clone())
        }
        Choice::NearLine(line) => {
            let line_of = |place: &Place| original.line_number(place.span.start);
            nearest(line, &places, line_of).cloned()
        }
    };
    let ambiguous = || Reason::Ambiguous(spots(original, &places));
    one.map(|place| vec![place]).ok_or_else(ambiguous)
}

/// Returns the places without those that overlap one before them.
fn apart(places: &[Place]) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
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

/// Returns the place that is nearest to a line; none where two are equally near, or all of several
/// are far away.
fn nearest(line: u32, places: &[Place], line_of: impl Fn(&Place) -> u32) -> Option<&Place> {
    let distance = |place: &Place| line_of(place).abs_diff(line);
    let least = places.iter().map(distance).min()?;
    let mut near = places.iter().filter(|place| distance(place) == least);
    let place = near.next()?;
    let is_sure = near.next().is_none() && (least <= HINT_LINES || places.len() == 1);
    is_sure.then_some(place)
}

/// Returns places as they are shown.
pub fn spots(original: &Original<'_>, places: &[Place]) -> Spots {
    let starts: Vec<usize> = places.iter().map(|place| place.span.start).collect();
    original.spots(&starts)
}
