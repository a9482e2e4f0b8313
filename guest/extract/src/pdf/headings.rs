//! Headings: the positions of the outline's titles on a page, and the selection of those that the
//! page does not print but that are shown all the same.

use std::collections::HashMap;
use std::ops::Range;

use kurbo::Point;
use unicode_normalization::UnicodeNormalization as _;

use super::layout::Line;
use super::outline::OutlineEntry;

/// Maximum lines of one heading on a page. Some outlines have whole paragraphs as titles.
const HEADING_LINES: usize = 16;

/// Maximum bytes of the number that a page prints before a title.
const NUMBER_BYTES: usize = 16;

/// Maximum points that a line may begin left of the destination of a title.
const LEFT_OF_PLACE: f64 = 2.0;

/// Maximum titles on one page that are not printed and are placed by their destinations. A page
/// with more has the titles of other pages.
const PLACED_TITLES: usize = 64;

/// A title, with the position or the lines of its heading.
#[derive(Clone, Debug, PartialEq)]
pub struct PdfHeading<'e> {
    /// Entry of the outline.
    pub entry: &'e OutlineEntry,
    /// Lines that print it; empty if the page does not print it.
    pub lines: Range<usize>,
}

/// Returns the headings of a page, in the order of its lines.
///
/// A title that the page does not print is placed at its destination, or else at the top, if text
/// follows it or a heading below it. An outline is often that of a book from which the page was
/// taken, or consists of file names; of many titles with the same destination at most the last can
/// be its heading.
pub fn place<'e>(lines: &[Line], entries: &'e [OutlineEntry]) -> Vec<PdfHeading<'e>> {
    let printed = find_printed(lines, entries);
    let unprinted = printed.iter().filter(|range| range.is_none()).count();
    let line_of = |entry: &OutlineEntry| {
        let place = entry.place.filter(|_| unprinted <= PLACED_TITLES);
        place.map_or(0, |place| line_below(lines, place))
    };
    let mut headings: Vec<PdfHeading<'e>> = Vec::new();
    let mut next = 0;
    let mut goes_back = false;
    for (index, entry) in entries.iter().enumerate() {
        let lines = if let Some(lines) = &printed[index] {
            lines.clone()
        } else {
            let at = line_of(entry);
            let behind = printed[index..].iter().flatten().next();
            if at < next || behind.is_some_and(|behind| behind.start < at) {
                // A destination that goes back on the page is suspicious, except at its top:
                // titles that refer to the page as a whole all have the position 0.
                goes_back |= at > 0;
                continue;
            }
            at..at
        };
        next = lines.end;
        headings.push(PdfHeading { entry, lines });
    }
    // The outline of a book is often copied into each of its chapters. Its destinations are
    // then those of other pages, and go back and forth on this one. If they do, titles are
    // placed only where the page prints them, or at its top.
    if goes_back {
        headings.retain(|heading| heading.is_printed() || heading.lines.start == 0);
    }
    leave_out_empty(&mut headings);
    headings
}

/// Returns the lines that print each title, in descending order on the page.
fn find_printed(lines: &[Line], entries: &[OutlineEntry]) -> Vec<Option<Range<usize>>> {
    let printed = PrintedTitles::find(lines, entries);
    let mut next = 0;
    let places = entries.iter().map(|entry| {
        let place = printed.first(&entry.title, next)?;
        next = place.end;
        Some(place)
    });
    places.collect()
}

impl PdfHeading<'_> {
    /// Returns true if the page prints it.
    pub fn is_printed(&self) -> bool {
        !self.lines.is_empty()
    }
}

/// Removes the headings that are not printed and have nothing below them, neither text nor a
/// heading of a lower level.
fn leave_out_empty(headings: &mut Vec<PdfHeading<'_>>) {
    // The position and level of the next heading that is kept.
    let mut behind: Option<(usize, usize)> = None;
    let mut kept: Vec<bool> = headings
        .iter()
        .rev()
        .map(|heading| {
            let is_empty = behind.is_some_and(|(start, level)| {
                heading.lines.end == start && level <= heading.entry.level
            });
            let is_kept = heading.is_printed() || !is_empty;
            if is_kept {
                behind = Some((heading.lines.start, heading.entry.level));
            }
            is_kept
        })
        .collect();
    headings.retain(|_| kept.pop().unwrap_or(true));
}

/// Returns the index of the first line at or below a position, or the number of lines.
fn line_below(lines: &[Line], place: Point) -> usize {
    let is_below = |line: &Line| line.start.y >= place.y && line.start.x >= place.x - LEFT_OF_PLACE;
    lines.iter().position(is_below).unwrap_or(lines.len())
}

/// The positions at which a page prints titles. The lines are indexed once: an outline may have
/// thousands of entries for one page of thousands of lines.
struct PrintedTitles {
    /// Lines that may print a heading, by its letters after the number, with the number.
    by_words: HashMap<String, Vec<(Range<usize>, String)>>,
}

impl PrintedTitles {
    fn find(lines: &[Line], headings: &[OutlineEntry]) -> Self {
        let titles = headings.iter().map(|entry| letters(&entry.title));
        let titles: Vec<String> = titles.collect();
        let longest = titles.iter().map(String::len).max().unwrap_or(0) + NUMBER_BYTES;
        let titles = titles.iter();
        let mut by_words: HashMap<String, Vec<(Range<usize>, String)>> = titles
            .map(|title| (split_number(title).1.to_owned(), Vec::new()))
            .collect();
        let lines: Vec<String> = lines.iter().map(|line| letters(&line.text)).collect();
        for start in 0..lines.len() {
            let mut all = String::new();
            // A long heading takes several lines, so the letters of up to `HEADING_LINES` lines
            // are joined. The comparison ends as soon as they are longer than every title: for
            // a page of thousands of lines this keeps the work linear.
            for (line, end) in lines[start..].iter().take(HEADING_LINES).zip(start + 1..) {
                all.push_str(line);
                if all.len() > longest {
                    break;
                }
                let (number, words) = split_number(&all);
                if let Some(places) = by_words.get_mut(words) {
                    places.push((start..end, number.to_owned()));
                }
            }
        }
        Self { by_words }
    }

    /// Returns the first lines from `next` on that print a title, preceded by nothing but its
    /// number.
    fn first(&self, title: &str, next: usize) -> Option<Range<usize>> {
        let title = letters(title);
        if title.is_empty() {
            return None;
        }
        let (number, words) = split_number(&title);
        let places = self.by_words.get(words)?;
        let behind = places.partition_point(|(place, _)| place.start < next);
        places[behind..]
            .iter()
            .find(|(_, other)| other.ends_with(number))
            .map(|(place, _)| place.clone())
    }
}

/// Splits letters into the number at their beginning and the rest.
fn split_number(letters: &str) -> (&str, &str) {
    let words = letters.trim_start_matches(char::is_numeric);
    letters.split_at(letters.len() - words.len())
}

/// Returns the letters and digits of a text, by which headings are recognised.
///
/// Marks are removed from letters, and contextual forms replaced by the letter.
pub fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    let mut is_apart = false;
    for c in text.chars() {
        match c {
            // ASCII has no marks and no other forms.
            c if c.is_ascii() => {
                letters.extend(c.is_ascii_alphanumeric().then(|| c.to_ascii_lowercase()))
            }
            '가'..='힣' | '一'..='鿿' => letters.push(c),
            c => {
                is_apart |= matches!(c, '\u{1100}'..='\u{11FF}');
                let parts = std::iter::once(c).nfkd().filter(|c| c.is_alphanumeric());
                letters.extend(parts.flat_map(char::to_lowercase));
            }
        }
    }
    // Without marks, only the parts of Hangul compose to other letters, so composing is needed
    // only if there were such parts.
    if is_apart {
        letters.nfc().collect()
    } else {
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line {
            text: text.to_owned(),
            start: Point::ZERO,
            begins_paragraph: false,
        }
    }

    fn entry(title: &str) -> OutlineEntry {
        OutlineEntry {
            level: 0,
            title: title.to_owned(),
            page: 0,
            place: None,
        }
    }

    #[test]
    fn headings_with_and_without_their_number() {
        let lines = [
            "2.1 A long",
            "heading",
            "3 Short",
            "Short",
            "short!",
            "7",
            "17",
            "",
        ]
        .map(line);
        for (title, next, expected) in [
            ("A long heading", 0, Some(0..2)),
            ("1 A long heading", 0, Some(0..2)),
            ("3.1 A long heading", 0, None),
            ("A long heading", 1, None),
            ("long heading", 0, None),
            ("Short", 0, Some(2..3)),
            ("Short", 3, Some(3..4)),
            ("Short", 4, Some(4..5)),
            ("Short short", 0, Some(2..4)),
            ("7", 0, Some(5..6)),
            ("7", 6, Some(6..7)),
            ("717", 0, Some(5..7)),
            ("-", 0, None),
            ("217 A long heading 3 Short short short 7 17", 0, None),
            ("A long heading 3 Short short short 7 17", 0, Some(0..7)),
            ("missing", 0, None),
        ] {
            let printed = PrintedTitles::find(&lines, &[entry(title)]);
            assert_eq!(printed.first(title, next), expected, "{title} from {next}");
        }
    }

    /// Places titles on a page of five lines, `one` to `five`, 20 points apart, and returns each
    /// with its lines.
    fn place_titles(entries: &[(usize, &str, Option<f64>)]) -> Vec<(String, Range<usize>)> {
        let texts = ["one", "two", "three", "four", "five"];
        let lines = texts.iter().zip(1u8..).map(|(text, n)| Line {
            start: Point::new(50.0, 20.0 * f64::from(n)),
            ..line(text)
        });
        let lines: Vec<Line> = lines.collect();
        let entries = entries.iter().map(|&(level, title, y)| OutlineEntry {
            level,
            place: y.map(|y| Point::new(50.0, y)),
            ..entry(title)
        });
        let entries: Vec<OutlineEntry> = entries.collect();
        let headings = place(&lines, &entries).into_iter();
        headings
            .map(|heading| (heading.entry.title.clone(), heading.lines))
            .collect()
    }

    #[test]
    fn titles_that_the_page_does_not_print() {
        for (entries, expected) in [
            // At the top, or before the line at their destination.
            (&[(0, "x", None)][..], &[("x", 0..0)][..]),
            (
                &[(0, "x", Some(0.0)), (0, "y", Some(50.0))],
                &[("x", 0..0), ("y", 2..2)],
            ),
            (&[(0, "x", Some(900.0))], &[("x", 5..5)]),
            (
                &[
                    (0, "two", Some(25.0)),
                    (0, "y", Some(65.0)),
                    (0, "five", None),
                ],
                &[("two", 1..2), ("y", 3..3), ("five", 4..5)],
            ),
            // Empty headings are removed, unless something of a lower level is in them.
            (
                &[(0, "x", None), (0, "y", None), (0, "z", None)],
                &[("z", 0..0)],
            ),
            (
                &[
                    (0, "x", None),
                    (1, "y", None),
                    (2, "z", None),
                    (2, "one", None),
                ],
                &[("x", 0..0), ("y", 0..0), ("one", 0..1)],
            ),
            (
                &[(1, "x", None), (0, "y", None), (1, "z", Some(50.0))],
                &[("y", 0..0), ("z", 2..2)],
            ),
            (
                &[(0, "one", None), (0, "two", None)],
                &[("one", 0..1), ("two", 1..2)],
            ),
            // After a printed title, one that refers to the page as a whole has no position.
            (&[(0, "two", None), (0, "x", None)], &[("two", 1..2)]),
            // Destinations that go back belong to other pages.
            (
                &[
                    (0, "x", None),
                    (1, "two", None),
                    (1, "y", Some(90.0)),
                    (1, "z", Some(50.0)),
                ],
                &[("x", 0..0), ("two", 1..2)],
            ),
            (&[(0, "y", Some(90.0)), (0, "two", None)], &[("two", 1..2)]),
        ] {
            let expected: Vec<(String, Range<usize>)> = expected
                .iter()
                .map(|(title, lines)| ((*title).to_owned(), lines.clone()))
                .collect();
            assert_eq!(place_titles(entries), expected, "{entries:?}");
        }
    }

    #[test]
    fn places_in_columns() {
        let at = |text: &str, x: f64, y: f64| Line {
            start: Point::new(x, y),
            ..line(text)
        };
        let lines = [
            at("a", 50.0, 20.0),
            at("b", 50.0, 40.0),
            at("c", 300.0, 20.0),
            at("d", 300.0, 40.0),
        ];
        for (x, y, expected) in [
            (50.0, 30.0, 1),
            (300.0, 10.0, 2),
            (301.0, 30.0, 3),
            (300.0, 50.0, 4),
        ] {
            assert_eq!(line_below(&lines, Point::new(x, y)), expected, "{x}, {y}");
        }
    }

    #[test]
    fn many_titles_of_other_pages() {
        let entries: Vec<(usize, &str, Option<f64>)> =
            (0u8..=64).map(|n| (0, "x", Some(f64::from(n)))).collect();
        assert_eq!(place_titles(&entries[..64]).len(), 4);
        assert_eq!(place_titles(&entries), [("x".to_owned(), 0..0)]);
    }

    #[test]
    fn letters_without_their_marks_and_forms() {
        for (text, expected) in [
            ("1.2 Café!", "12cafe"),
            ("\u{FB01}ne ﬀ", "fineff"),
            ("Declarația", "declaratia"),
            ("Declaraţia", "declaratia"),
        ] {
            assert_eq!(letters(text), expected, "{text}");
        }
        assert_eq!(
            letters("설정"),
            letters("\u{1109}\u{1165}\u{11AF}\u{110C}\u{1165}\u{11BC}")
        );
    }
}
