//! The text of an item: the part that fits into one answer, and the lines it covers.

use std::ops::Range;

use docent_api::pillars::{LineRange, NumberedLines};

use crate::explore::request::numbers::Numbers;
use crate::explore::request::unit::Unit;
use crate::limits::SEARCH_FRAME_BYTES;
use docent_text::lines::{LineCounter, with_ends, without_end};
use docent_text::saturating::saturating_u32;

/// The whole text of an item, which answers show in pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemText {
    text: String,
    lines: CoveredLines,
    /// Preferred positions of cuts, in bytes, ascending: between paragraphs and the like.
    stops: Vec<usize>,
    /// Display of line numbers.
    numbers: Numbers,
}

/// A span of a text that consists of whole, verbatim lines of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedLines {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// Number of its first line in the file.
    pub first: u32,
}

/// Lines of the file that a piece of text covers.
#[derive(Clone, Debug, PartialEq)]
enum CoveredLines {
    /// The text was made from these lines, or from none that could be named; a piece ends at the
    /// byte `wrap`.
    Made {
        range: Option<LineRange>,
        wrap: usize,
        /// Spans of it that are verbatim lines of the file.
        quoted: Vec<QuotedLines>,
    },
    /// The text is verbatim from the file: from line `first` on, and after the byte `wrap` from
    /// line `first_behind` on.
    Quoted {
        first: u32,
        wrap: usize,
        first_behind: u32,
    },
}

/// A piece of an item's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Its length in characters.
    pub chars: usize,
    /// Byte offset of its end in the item's text.
    pub end: usize,
    /// Lines that it covers.
    pub range: Option<LineRange>,
    /// Its lines that are shown with their numbers.
    pub numbered: Vec<NumberedLines>,
    /// True if it would be longer with more room.
    pub is_cut: bool,
}

impl ItemText {
    /// Returns a text that was made from these lines of a file.
    pub fn from_generated(text: String, range: Option<LineRange>) -> Self {
        Self::from_parts(text, "", range)
    }

    /// Returns a text that was made from these lines of a file, in two parts: the second one comes
    /// only if the rest is requested.
    pub fn from_parts(mut text: String, rest: &str, range: Option<LineRange>) -> Self {
        let wrap = text.len();
        text.push_str(rest);
        Self {
            text,
            lines: CoveredLines::Made {
                range,
                wrap,
                quoted: Vec::new(),
            },
            stops: Vec::new(),
            numbers: Numbers::LeftOut,
        }
    }

    /// Returns the same text with these spans marked as verbatim lines of the file.
    pub fn with_quotes(mut self, spans: Vec<QuotedLines>) -> Self {
        if let CoveredLines::Made { quoted, .. } = &mut self.lines {
            *quoted = spans;
        }
        self
    }

    /// Returns the same text with this display of line numbers.
    pub fn with_numbers(self, numbers: Numbers) -> Self {
        Self { numbers, ..self }
    }

    /// Returns the text of `file` at `span`.
    pub fn from_file(file: &str, span: Range<usize>) -> Self {
        Self::from_file_at(file, span.clone(), span.start)
    }

    /// Returns the text of `file` at `span`, from `from` to its end and then its beginning.
    pub fn from_file_at(file: &str, span: Range<usize>, from: usize) -> Self {
        // The counter only moves forward, so the smaller offset comes first.
        let mut lines = LineCounter::new(file);
        let (first_behind, first) = (lines.line(span.start), lines.line(from));
        Self {
            text: [&file[from..span.end], &file[span.start..from]].concat(),
            lines: CoveredLines::Quoted {
                first,
                wrap: span.end - from,
                first_behind,
            },
            stops: Vec::new(),
            numbers: Numbers::LeftOut,
        }
    }

    /// Returns the same text with this number for its first line in the file.
    pub fn beginning_at(mut self, line: u32) -> Self {
        if let CoveredLines::Quoted {
            first,
            first_behind,
            ..
        } = &mut self.lines
        {
            *first += line - 1;
            *first_behind += line - 1;
        }
        self
    }

    /// Returns the same text with these preferred positions of cuts: byte offsets, ascending.
    pub fn with_stops(self, stops: Vec<usize>) -> Self {
        Self { stops, ..self }
    }

    /// Returns the last preferred position of a cut in the second half of a span.
    fn last_stop(&self, span: Range<usize>) -> Option<usize> {
        let before = self.stops.partition_point(|stop| *stop <= span.end);
        let stop = self.stops[..before].last().copied();
        stop.filter(|stop| *stop > usize::midpoint(span.start, span.end))
    }

    /// Returns another text that was made from the same lines.
    pub fn with_text(&self, text: String, rest: &str) -> Self {
        let range = match self.lines {
            CoveredLines::Made { range, .. } => range,
            CoveredLines::Quoted { .. } => None,
        };
        Self::from_parts(text, rest, range).with_numbers(self.numbers)
    }

    /// Returns the size of its first part with its line numbers.
    pub fn need(&self, unit: Unit) -> usize {
        let beginning = self.beginning();
        unit.measure(beginning) + self.number_bytes(0..beginning.len())
    }

    /// Returns its length in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns its length in characters.
    pub fn chars(&self) -> usize {
        self.text.chars().count()
    }

    /// Returns its first part, which comes unless the rest is requested.
    pub fn beginning(&self) -> &str {
        match self.lines {
            CoveredLines::Quoted { wrap, .. } | CoveredLines::Made { wrap, .. } => {
                &self.text[..wrap]
            }
        }
    }

    /// Returns the piece from byte `from` on that takes at most `room`: the whole rest, or the text
    /// up to the end of a block, line or word if one is near. A piece ends before the text
    /// continues in another place of the file, or before the rest after its most important part.
    pub fn piece(&self, from: usize, room: usize, unit: Unit) -> Piece {
        // A cursor contains an offset into the text that was shown, and the text of now may be
        // another one. The offset is limited to this text and moved to the start of a
        // character.
        let from = self.text.floor_char_boundary(from.min(self.text.len()));
        // A piece never spans both parts of the text. Before `wrap` are the lines from the best
        // place on, after it the lines before that place: a single range of lines cannot
        // describe both.
        let stop = match self.lines {
            CoveredLines::Quoted { wrap, .. } | CoveredLines::Made { wrap, .. } if from < wrap => {
                wrap
            }
            _ => self.text.len(),
        };
        let rest = &self.text[from..stop];
        let length_in = |room: usize| {
            let cut = unit.cut(rest, room);
            let length = cut.map_or(rest.len(), |cut| {
                self.last_stop(from..from + cut)
                    .map_or_else(|| fit(rest, cut), |stop| stop - from)
            });
            (length, cut.is_some())
        };
        let (mut length, mut is_cut) = length_in(room);
        let numbers = self.number_bytes(from..from + length);
        // The piece is first cut as if it had no line numbers, then by what these take. A
        // shorter piece has no more numbers than a longer one, so the second cut fits. If the
        // numbers alone exceed the room, the text takes precedence, so that every call makes
        // progress.
        if unit.measure(&rest[..length]).saturating_add(numbers) > room && room > numbers {
            (length, is_cut) = length_in(room - numbers);
        }
        let text = &rest[..length];
        Piece {
            chars: text.chars().count(),
            end: from + length,
            range: self.range(from..from + length),
            numbered: self.line_numbers(from..from + length),
            is_cut,
            text: text.to_owned(),
        }
    }

    /// Returns the bytes of the line numbers of a span.
    fn number_bytes(&self, span: Range<usize>) -> usize {
        number_bytes(&self.text[span.clone()], &self.line_numbers(span))
    }

    /// Returns the lines of a span that are shown with their numbers.
    fn line_numbers(&self, span: Range<usize>) -> Vec<NumberedLines> {
        if self.numbers == Numbers::LeftOut {
            return Vec::new();
        }
        let quoted = match &self.lines {
            CoveredLines::Made { quoted, .. } => quoted.clone(),
            CoveredLines::Quoted {
                first,
                wrap,
                first_behind,
            } => vec![
                QuotedLines {
                    span: 0..*wrap,
                    first: *first,
                },
                QuotedLines {
                    span: *wrap..self.text.len(),
                    first: *first_behind,
                },
            ],
        };
        let inside = quoted.into_iter().filter_map(|quoted| {
            let start = quoted.span.start.max(span.start);
            let end = quoted.span.end.min(span.end);
            let lines = with_ends(self.text.get(start..end)?).count();
            let before = ends(&self.text[quoted.span.start..start]);
            (lines > 0).then(|| NumberedLines {
                at: 1 + saturating_u32(ends(&self.text[span.start..start])),
                number: quoted.first + saturating_u32(before),
                count: saturating_u32(lines),
                every: 1,
            })
        });
        let mut numbered: Vec<NumberedLines> = inside.collect();
        let bytes = number_bytes(&self.text[span.clone()], &numbered);
        let (share, step) = self.numbers.bounds(bytes);
        if bytes * share > span.len() + SEARCH_FRAME_BYTES {
            for lines in &mut numbered {
                lines.every = step;
            }
        }
        numbered
    }

    fn range(&self, span: Range<usize>) -> Option<LineRange> {
        let (first, wrap, first_behind) = match self.lines {
            CoveredLines::Made { range, .. } => return range,
            CoveredLines::Quoted {
                first,
                wrap,
                first_behind,
            } => (first, wrap, first_behind),
        };
        // An empty span covers no line.
        if span.is_empty() {
            return None;
        }
        let (base, first) = if span.start < wrap {
            (0, first)
        } else {
            (wrap, first_behind)
        };
        let mut lines = LineCounter::new(&self.text[base..]);
        let start = lines.line(span.start - base);
        // The last line is that of the last byte of the span. The byte after it may be the
        // first one of the next line.
        let end = lines.line(span.end - base - 1);
        Some(LineRange {
            first: first + start - 1,
            last: first + end - 1,
        })
    }
}

/// Returns the number of line ends in a text.
fn ends(text: &str) -> usize {
    docent_text::lines::count_ends(text.as_bytes())
}

/// Returns the size of the prefixes of the lines of a text, which are numbered so: a number and a
/// tab, or a tab alone; an empty line has no prefix.
pub fn number_bytes(text: &str, numbered: &[NumberedLines]) -> usize {
    let digits = |number: u32| number.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut lines = (1..).zip(with_ends(text));
    let mut bytes = 0;
    for span in numbered {
        let mut last_block = None;
        let behind = span.at + span.count;
        for (at, line) in lines.by_ref().skip_while(|(at, _)| *at < span.at) {
            if !without_end(line).is_empty() {
                let number = span.number + at - span.at;
                let block = Some(number / span.every);
                bytes += 1 + if block == last_block {
                    0
                } else {
                    digits(number)
                };
                last_block = block;
            }
            if at + 1 >= behind {
                break;
            }
        }
    }
    bytes
}

/// Returns the position at which to end before `cut`: the end of a line in the second half of the
/// text, else after a space there, else `cut` itself.
pub(super) fn fit(text: &str, cut: usize) -> usize {
    // Only the second half is searched for a better place. Ending earlier would waste more room
    // than a split word costs in readability.
    let half = text.floor_char_boundary(cut / 2);
    let near = &text[half..cut];
    // A line end is preferred to a space, since lines of code and lists are meaningful only as
    // a whole.
    let line = near.rfind('\n').map(|at| half + at + 1);
    let space = || near.rfind(char::is_whitespace).map(|at| half + at);
    let behind = |at: usize| at + text[at..].chars().next().map_or(0, char::len_utf8);
    line.or_else(|| space().map(behind))
        .filter(|end| *end > 0 && *end <= cut)
        .unwrap_or(cut)
}

/// Returns the lines of a whole text, or `None` if it is empty.
pub fn all_lines(text: &str) -> Option<LineRange> {
    let last = docent_text::lines::with_ends(text).count();
    (last > 0).then(|| LineRange {
        first: 1,
        last: saturating_u32(last),
    })
}

/// Returns the lines of a span of a text, or `None` if the span is empty.
pub(super) fn lines_of(text: &str, span: &Range<usize>) -> Option<LineRange> {
    ItemText::from_file(text, span.clone())
        .piece(0, usize::MAX, Unit::Bytes)
        .range
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::{NUMBERED_LINES_STEP, PROSE_LINES_STEP};

    const FILE: &str = "one\ntwo\nthree\nfour\n";

    fn pieces(text: &ItemText, chars: usize) -> Vec<(String, u32, u32)> {
        let mut from = 0;
        let mut all = Vec::new();
        while from < text.len() {
            let piece = text.piece(from, chars, Unit::Chars);
            assert!(piece.end > from && piece.chars <= chars);
            from = piece.end;
            let range = piece
                .range
                .map_or((0, 0), |range| (range.first, range.last));
            all.push((piece.text, range.0, range.1));
        }
        all
    }

    #[test]
    fn quoted_lines() {
        let text = ItemText::from_file(FILE, 4..14);
        let whole = ("two\nthree\n".to_owned(), 2, 3);
        assert_eq!(pieces(&text, 100), [whole]);
        let cut = [("two\n".to_owned(), 2, 2), ("three\n".to_owned(), 3, 3)];
        assert_eq!(pieces(&text, 7), cut);
    }

    #[test]
    fn from_the_middle_and_round() {
        let text = ItemText::from_file_at(FILE, 0..19, 8);
        let expected = [
            ("three\nfour\n".to_owned(), 3, 4),
            ("one\ntwo\n".to_owned(), 1, 2),
        ];
        assert_eq!(pieces(&text, 100), expected);
    }

    #[test]
    fn cut_between_words() {
        let text = ItemText::from_generated("alpha beta gamma".to_owned(), None);
        assert_eq!(text.piece(0, 12, Unit::Chars).text, "alpha beta ");
        assert_eq!(text.piece(0, 3, Unit::Chars).text, "alp");
        assert_eq!(text.piece(0, 0, Unit::Chars).text, "");
    }

    #[test]
    fn lines_that_stand_in_the_file_have_numbers() {
        let shown = |text: &ItemText, span: Range<usize>| {
            let numbered = text.line_numbers(span).into_iter();
            let shown = numbered.map(|lines| (lines.at, lines.number, lines.count, lines.every));
            shown.collect::<Vec<_>>()
        };
        let long = format!("{}\n", "word ".repeat(20)).repeat(12);
        let text = ItemText::from_file(&long, 0..long.len()).with_numbers(Numbers::Shown);
        assert_eq!(shown(&text, 0..long.len()), [(1, 1, 12, 1)]);
        assert_eq!(shown(&text, 202..long.len()), [(1, 3, 10, 1)]);
        // Next to short lines they would take too much room.
        let short = "word\n".repeat(30);
        let text = ItemText::from_file(&short, 0..150).with_numbers(Numbers::Shown);
        assert_eq!(shown(&text, 0..150), [(1, 1, 30, NUMBERED_LINES_STEP)]);
        // In prose of a search there are fewer of them, and the limit applies earlier.
        let wrapped = format!("{}\n", "word ".repeat(10)).repeat(20);
        for (numbers, every) in [
            (Numbers::Shown, 1),
            (Numbers::ShownInProse, PROSE_LINES_STEP),
        ] {
            let text = ItemText::from_file(&wrapped, 0..wrapped.len()).with_numbers(numbers);
            assert_eq!(shown(&text, 0..wrapped.len()), [(1, 1, 20, every)]);
        }
        // For a few lines the frame of the answer determines the ratio.
        assert_eq!(shown(&text, 5..15), [(1, 2, 2, 1)]);
        // A few lines keep all of their numbers.
        let few = "word word word word\n".repeat(4);
        let few = ItemText::from_file(&few, 0..few.len()).with_numbers(Numbers::ShownInProse);
        assert_eq!(shown(&few, 0..80), [(1, 1, 4, 1)]);
        let quoted = QuotedLines {
            span: 6..14,
            first: 40,
        };
        let text = ItemText::from_generated("head:\none\ntwo\nmore\n".to_owned(), None);
        let text = text.with_quotes(vec![quoted]).with_numbers(Numbers::Shown);
        let shown = |span: Range<usize>| {
            let numbered = text.line_numbers(span).into_iter();
            let shown = numbered.map(|lines| (lines.at, lines.number, lines.count));
            shown.collect::<Vec<_>>()
        };
        assert_eq!(shown(0..19), [(2, 40, 2)]);
        assert_eq!(shown(10..19), [(1, 41, 1)]);
        assert!(shown(14..19).is_empty());
    }

    #[test]
    fn before_empty_lines_nothing_stands() {
        let lines = |every| {
            [NumberedLines {
                at: 2,
                number: 9,
                count: 5,
                every,
            }]
        };
        let text = "head\na\n\nb\r\n\r\nc\nd\n";
        // 9, 11 and 13; of each fifth 9, and 11 in the place of 10.
        assert_eq!(number_bytes(text, &lines(1)), 2 + 3 + 3);
        assert_eq!(number_bytes(text, &lines(5)), 2 + 3 + 1);
        assert_eq!(number_bytes(text, &[]), 0);
    }

    #[test]
    fn numbers_take_of_the_room() {
        let text = ItemText::from_file(FILE, 0..19).with_numbers(Numbers::Shown);
        // 19 bytes, four tabs, and the number of the first line: numbers on all lines would take
        // too much room.
        assert_eq!(text.need(Unit::Bytes), 24);
        assert_eq!(text.piece(0, 24, Unit::Bytes).end, 19);
        assert!(text.piece(0, 23, Unit::Bytes).end < 19);
        for room in 1..24 {
            let piece = text.piece(0, room, Unit::Bytes);
            assert!(piece.end > 0, "{room}");
            let taken = piece.text.len() + number_bytes(&piece.text, &piece.numbered);
            assert!(taken <= room || room < 9, "{room}: {taken}");
        }
    }

    proptest! {
        #[test]
        fn pieces_are_the_text(
            file in "[a-c가나 \n]{1,60}",
            from: prop::sample::Index,
            chars in 1usize..20,
        ) {
            let boundaries: Vec<usize> = file.char_indices().map(|(at, _)| at).collect();
            let from = *from.get(&boundaries);
            let text = ItemText::from_file_at(&file, 0..file.len(), from);
            let all = pieces(&text, chars);
            let joined: String = all.iter().map(|(text, ..)| text.as_str()).collect();
            prop_assert_eq!(joined, format!("{}{}", &file[from..], &file[..from]));
            let lines: Vec<&str> = docent_text::lines::with_ends(&file).collect();
            for (text, first, last) in all {
                let said = lines[first as usize - 1..last as usize].concat();
                prop_assert!(said.contains(&text), "{text:?} {first}-{last}");
            }
        }
    }
}
