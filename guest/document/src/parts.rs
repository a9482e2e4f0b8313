//! Splits of a long text into parts: between paragraphs if possible, else between list items and
//! table rows, else between lines, else between words. Together the parts are the text, byte for
//! byte, so that a reader of all of them has read the document.

use std::ops::Range;

use docent_text::lines::{with_ends, without_end};
use docent_text::tokens::counter::TokenCounter;
use docent_text::tokens::estimate;

/// The unit of the length of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Estimated tokens, the cost to a reader.
    Tokens,
    /// Bytes, which need no tokenization.
    Bytes,
}

/// Quality of a position for a cut, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CutPlace {
    /// Before a line of a fenced block.
    InCode,
    /// Before any other line.
    Line,
    /// Before a list item or a table row.
    Item,
    /// After a blank line, before a line that is not indented.
    Paragraph,
}

#[derive(Clone, Copy, Debug)]
struct MeasuredLine {
    start: usize,
    place: CutPlace,
    /// Total length of all earlier lines, in token parts or in bytes.
    before: u64,
}

/// Splits `text` into parts, in order, which concatenate to the text. Each has a length of at most
/// about `target`, or up to `most` if otherwise a code block, a table row, a list item or a word
/// would be split. A part always ends between two lines, unless a single line exceeds `most`.
pub fn parts(text: &str, unit: Unit, target: u32, most: u32) -> Vec<Range<usize>> {
    let lines = lines(text, unit);
    let mut places = CutPositions::new(&lines);
    let mut parts = Vec::new();
    let mut first = 0;
    while first + 1 < lines.len() {
        let cost = |line: &MeasuredLine| unit.length_from_sum(line.before - lines[first].before);
        let within = |budget: u32| {
            let fitting = lines[first + 1..].partition_point(|line| cost(line) <= budget);
            first + 1..first + 1 + fitting
        };
        let (near, far) = (within(target), within(most));
        if near.end == lines.len() {
            parts.push(lines[first].start..text.len());
            break;
        }
        match places.cut(&near, &far) {
            Some(cut) => {
                parts.push(lines[first].start..lines[cut].start);
                first = cut;
            }
            // A single line exceeds `most`, and is the only thing that is split within a line:
            // between words, or within a word that is too long itself.
            None => {
                let start = lines[first].start;
                let line = &text[start..lines[first + 1].start];
                parts.extend(
                    pieces(line, unit, target).map(|piece| piece.start + start..piece.end + start),
                );
                first += 1;
            }
        }
    }
    parts
}

impl Unit {
    /// Converts a sum of line lengths to the length of a part.
    fn length_from_sum(self, sum: u64) -> u32 {
        match self {
            Self::Tokens => estimate::tokens_from_parts(sum),
            Self::Bytes => u32::try_from(sum).unwrap_or(u32::MAX),
        }
    }
}

/// The cut positions between the lines of a text, searched from start to end.
struct CutPositions<'a> {
    lines: &'a [MeasuredLine],
    /// Index of the first item after the last search, or the end.
    item: usize,
    /// Index of the first line outside code after the last search, or the end.
    line: usize,
}

impl<'a> CutPositions<'a> {
    fn new(lines: &'a [MeasuredLine]) -> Self {
        Self {
            lines,
            item: 0,
            line: 0,
        }
    }

    /// Returns the best cut in `near`; a code block, an item or a row stays whole if that costs at
    /// most `far`. Positions are tried from the best to the worst: a paragraph or an item within
    /// the target, the next item beyond it, any line within it, the next line outside code, and
    /// finally a line of code.
    fn cut(&mut self, near: &Range<usize>, far: &Range<usize>) -> Option<usize> {
        // Each index only moves forward, because cuts ascend. A text without any item is then
        // searched for one once; searched again for each part, a long text of one paragraph would
        // take quadratic time.
        self.item = self.next(self.item.max(far.start), CutPlace::Item);
        self.line = self.next(self.line.max(far.start), CutPlace::Line);
        let reached = |place: usize| far.contains(&place).then_some(place);
        self.best(near, CutPlace::Item)
            .or_else(|| reached(self.item))
            .or_else(|| self.best(near, CutPlace::Line))
            .or_else(|| reached(self.line))
            .or_else(|| self.best(near, CutPlace::InCode))
            .or_else(|| reached(far.start))
    }

    /// Returns the best position in a range, the last among equals, which makes the part as long as
    /// possible. `max_by_key` returns the last of several maxima, which this relies on.
    fn best(&self, range: &Range<usize>, least: CutPlace) -> Option<usize> {
        range
            .clone()
            .filter(|&index| self.lines[index].place >= least)
            .max_by_key(|&index| self.lines[index].place)
    }

    fn next(&self, from: usize, least: CutPlace) -> usize {
        let rest = self.lines.get(from..).unwrap_or_default();
        let steps = rest.iter().position(|line| line.place >= least);
        from + steps.unwrap_or(rest.len())
    }
}

/// Returns the lines of `text`, and one more at its end.
fn lines(text: &str, unit: Unit) -> Vec<MeasuredLine> {
    let mut lines = Vec::new();
    let (mut start, mut before) = (0, 0);
    // A fence may have any indentation here, unlike in CommonMark, so that a code block in a list
    // item is not split either. A fence in a quote is not recognized: each of its lines begins with
    // `>`, so that a part of it is still a quote.
    let mut fence: Option<(u8, usize)> = None;
    let mut was_blank = false;
    let mut counter = (unit == Unit::Tokens).then(|| TokenCounter::new(text));
    for line in with_ends(text) {
        let plain = line.trim_start();
        let indent = line.len() - plain.len();
        let first = plain.as_bytes().first().copied().unwrap_or(b' ');
        let run = plain.bytes().take_while(|&byte| byte == first).count();
        // The state before the line decides. A cut before the first line of a block is fine, since
        // the block then begins the next part, while its closing line belongs to it and must not
        // begin one.
        let was_code = fence.is_some();
        if matches!(first, b'`' | b'~') && run >= 3 {
            fence = match fence {
                None => Some((first, run)),
                Some((sign, least))
                    if sign == first
                        && run >= least
                        && without_end(&plain[run..]).trim().is_empty() =>
                {
                    None
                }
                open => open,
            };
        }
        let place = if was_code {
            CutPlace::InCode
        } else if was_blank && indent == 0 {
            CutPlace::Paragraph
        } else if is_item(plain) {
            CutPlace::Item
        } else {
            CutPlace::Line
        };
        lines.push(MeasuredLine {
            start,
            place,
            before,
        });
        was_blank = plain.is_empty();
        let end = start + line.len();
        before += match &mut counter {
            Some(counter) => counter.parts(start..end),
            None => line.len() as u64,
        };
        start = end;
    }
    // The end of the text has the best quality, so that the last part may extend to it within
    // `most`. Otherwise a few lines that do not fit into `target` would become a part of their own.
    lines.push(MeasuredLine {
        start,
        place: CutPlace::Paragraph,
        before,
    });
    lines
}

fn is_item(plain: &str) -> bool {
    let after_number = plain.trim_start_matches(|c: char| c.is_ascii_digit());
    plain.starts_with(['|', '#'])
        || ["- ", "* ", "+ "]
            .iter()
            .any(|sign| plain.starts_with(sign))
        || (after_number.len() < plain.len()
            && [". ", ") "]
                .iter()
                .any(|sign| after_number.starts_with(sign)))
}

/// Splits a line into pieces before spaces if possible. Each has a length of at most `target`,
/// unless a single character is longer.
fn pieces(line: &str, unit: Unit, target: u32) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &line[start..];
        if rest.is_empty() {
            return None;
        }
        let length = match unit {
            Unit::Tokens => prefix_by_tokens(rest, target),
            Unit::Bytes => prefix_by_bytes(rest, target),
        };
        let piece = start..start + length;
        start += length;
        Some(piece)
    })
}

/// Returns the length of the longest prefix of a non-empty line that has at most `target` bytes or
/// is one character, ending before a space if possible.
fn prefix_by_bytes(rest: &str, target: u32) -> usize {
    let end = rest.floor_char_boundary(target as usize);
    if end == rest.len() {
        return end;
    }
    // The window includes the character after the limit, because that may be the space which ends
    // the last word that fits. Without it, a word that fits exactly would be moved to the next
    // piece.
    let window = &rest[..rest.ceil_char_boundary(end + 1)];
    match window.rfind(char::is_whitespace) {
        Some(space) if space > 0 => space,
        _ if end > 0 => end,
        _ => window.len(),
    }
}

/// Returns the byte length of the longest prefix of a non-empty line that costs at most `target`
/// tokens.
fn prefix_by_tokens(rest: &str, target: u32) -> usize {
    // Only about the content of one piece is examined at a time. A line may be one word of
    // megabytes, such as an image in base64, of which each piece would otherwise examine all the
    // rest, in quadratic time.
    let mut bytes = (target as usize).saturating_mul(BYTES_PER_TOKEN).max(1);
    loop {
        let window = &rest[..rest.ceil_char_boundary(bytes.min(rest.len()))];
        let fitting = text_prefix_by_tokens(window, target);
        if fitting < window.len() || window.len() == rest.len() {
            return fitting;
        }
        bytes *= 2;
    }
}

/// Bytes of a line examined at first for each token of a piece: the bytes of a token in English.
const BYTES_PER_TOKEN: usize = 4;

/// Returns the byte length of the longest prefix of non-empty `text` that costs at most `target`
/// tokens: all of it, the words that fit, or part of one.
fn text_prefix_by_tokens(text: &str, target: u32) -> usize {
    let (mut end, mut cost, mut word) = (0, 0, None);
    while end < text.len() {
        let rest = &text[end..];
        let (length, parts) = estimate::first_piece(rest);
        if end > 0 && rest.starts_with(char::is_whitespace) {
            word = Some(end);
        }
        if estimate::tokens_from_parts(cost + parts) > target {
            let whole = word.unwrap_or(end);
            return if whole > 0 {
                whole
            } else {
                word_prefix_by_tokens(&text[..length], target)
            };
        }
        cost += parts;
        end += length;
    }
    end
}

/// Returns the byte length of the prefix of a word that costs at most `target` tokens, or of one
/// character if that costs more.
fn word_prefix_by_tokens(word: &str, target: u32) -> usize {
    let mut end = word.len();
    loop {
        let cost = estimate::estimate(&word[..end]);
        if cost <= target {
            break;
        }
        // The next attempt is proportional to the cost of this one, and always a tenth shorter, so
        // that a few steps suffice even if the cost is spread unevenly.
        let share = end as u64 * u64::from(target) / u64::from(cost);
        let share = usize::try_from(share)
            .unwrap_or(end)
            .min(end - end.div_ceil(10));
        end = word.floor_char_boundary(share);
    }
    if end > 0 {
        end
    } else {
        word.ceil_char_boundary(1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use docent_text::tokens::estimate::estimate;

    fn cut(text: &str, wanted: u32, most: u32) -> Vec<&str> {
        cut_by(Unit::Tokens, text, wanted, most)
    }

    fn cut_by(unit: Unit, text: &str, wanted: u32, most: u32) -> Vec<&str> {
        parts(text, unit, wanted, most)
            .into_iter()
            .map(|part| &text[part])
            .collect()
    }

    #[test]
    fn between_paragraphs() {
        let text = "one two three four\n\nfive six seven eight\nnine\n\n- ten\n- eleven\n";
        assert_eq!(
            cut(text, 8, 8),
            [
                "one two three four\n\n",
                "five six seven eight\nnine\n\n",
                "- ten\n- eleven\n"
            ]
        );
        assert_eq!(cut(text, 100, 100), [text]);
        assert_eq!(cut("", 10, 10), [""; 0]);
    }

    #[test]
    fn a_block_of_code_stays_whole_where_it_fits() {
        let code = "```\na b c d e f\n\ng h i j k l\n```\n";
        let text = format!("intro\n\n{code}\nend\n");
        assert_eq!(cut(&text, 10, 40)[1], format!("{code}\n"));
        assert!(cut(&text, 10, 10).len() > 3);
    }

    #[test]
    fn rows_and_items_stay_whole() {
        let rows: String = (0..20)
            .map(|i| format!("| row {i} | some words |\n"))
            .collect();
        for part in cut(&rows, 30, 60) {
            assert!(part.starts_with('|') && part.ends_with("|\n"), "{part}");
        }
    }

    #[test]
    fn one_line_is_cut_between_words() {
        let text = "word ".repeat(1000);
        for part in cut(&text, 50, 50) {
            assert!(
                estimate(part) <= 50 && !part.trim_start().starts_with("ord"),
                "{part}"
            );
        }
        let long = "가".repeat(3000);
        assert_eq!(cut(&long, 100, 100).concat(), long);
    }

    #[test]
    fn by_bytes() {
        let by_bytes = |text, most| cut_by(Unit::Bytes, text, 10, most);
        assert_eq!(
            by_bytes("one two\n\nthree\n", 10),
            ["one two\n\n", "three\n"]
        );
        assert_eq!(by_bytes("one two three", 10), ["one two", " three"]);
        assert_eq!(by_bytes("one two three", 13), ["one two three"]);
        // A space that just does not fit ends a word that does.
        assert_eq!(by_bytes("0123456789 abc", 10), ["0123456789", " abc"]);
        assert_eq!(by_bytes("가나다라", 10), ["가나다", "라"]);
        assert_eq!(cut_by(Unit::Bytes, "가나", 1, 1), ["가", "나"]);
    }

    #[test]
    fn a_word_is_cut_into_parts_that_fit_and_are_full() {
        for unit in [
            "a",
            "$",
            "❌",
            "。",
            "\u{A0}",
            "가",
            "\u{1112}\u{1161}",
            "x1",
        ] {
            let text = unit.repeat(20_000);
            let all = cut(&text, 100, 100);
            assert_eq!(all.concat(), text);
            let (last, full) = all.split_last().unwrap_or((&"", &[]));
            assert!(estimate(last) <= 100, "{unit}");
            for part in full {
                assert!(
                    (80..=100).contains(&estimate(part)),
                    "{unit}: {}",
                    estimate(part)
                );
            }
        }
    }

    proptest! {
        #[test]
        fn together_they_are_the_text_and_each_fits(
            text in proptest::collection::vec(proptest::sample::select(
                &["word ", "한국어 ", "\n", "\n\n", "```\n", "- ", "| a |\n", "zqxjkvw", "漢", "\r\n", "/", ")"][..]
            ), 0..200),
            wanted in 20u32..100,
            further in 0u32..100,
        ) {
            let text = text.concat();
            let all = cut(&text, wanted, wanted + further);
            prop_assert_eq!(all.concat(), text.as_str());
            for part in all {
                prop_assert!(!part.is_empty());
                prop_assert!(estimate(part) <= wanted + further + 1, "{}", part);
            }
            let all = cut_by(Unit::Bytes, &text, wanted, wanted + further);
            prop_assert_eq!(all.concat(), text.as_str());
            for part in all {
                prop_assert!((1..=(wanted + further) as usize).contains(&part.len()), "{}", part);
            }
        }
    }
}
