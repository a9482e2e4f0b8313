//! Right-to-left text. A page gives the positions of its glyphs, and the scripts determine the
//! order of reading: letters of Hebrew and Arabic run from right to left, numbers and everything
//! else from left to right, and runs of the other direction within a line are read on their own.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// The reading direction of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingDirection {
    /// Letters from left to right.
    FromLeft,
    /// Letters from right to left.
    FromRight,
    /// Digits, from left to right in either context.
    Number,
    /// The direction of the context.
    Neutral,
}

/// A piece of text at a position in a line.
#[derive(Clone, Copy, Debug)]
pub struct TextPiece<'t> {
    /// Text, in the order of reading.
    pub text: &'t str,
    /// Start, from left to right.
    pub start: f64,
    /// End.
    pub end: f64,
    /// Minimum gap before and after it that is a blank.
    pub gap: f64,
}

impl ReadingDirection {
    /// Returns the direction of a text, by its first character that has one.
    pub fn for_text(text: &str) -> Self {
        let mut directions = text.chars().map(Self::for_char);
        let strong = directions.find(|direction| *direction != Self::Neutral);
        strong.unwrap_or(Self::Neutral)
    }

    fn for_char(c: char) -> Self {
        match c {
            // The digits of Arabic and of Persian.
            '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => Self::Number,
            c if is_of_right(c) && is_neutral_of_right(c) => Self::Neutral,
            c if is_of_right(c) => Self::FromRight,
            c if c.is_numeric() => Self::Number,
            c if c.is_alphabetic() => Self::FromLeft,
            _ => Self::Neutral,
        }
    }
}

/// Returns true if a character belongs to a right-to-left script.
fn is_of_right(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{8FF}'
            | '\u{200F}'
            | '\u{FB1D}'..='\u{FDCF}'
            | '\u{FDF0}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFE}'
            | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}'
    )
}

/// Returns true if a character of these scripts has the direction of its context.
fn is_neutral_of_right(c: char) -> bool {
    matches!(
        c,
        '\u{60C}' | '\u{66A}'..='\u{66C}' | '\u{FD3E}' | '\u{FD3F}'
    ) || is_combining_mark(c)
}

/// Maximum nesting of brackets whose counterparts are searched for.
const OPEN_BRACKETS: i32 = 4;

/// A letter with the marks over it.
struct PlacedLetter {
    text: String,
    direction: ReadingDirection,
}

/// Returns true if a text contains right-to-left letters.
pub fn is_from_right(text: &str) -> bool {
    // In UTF-8 no character of these scripts begins with a byte below 0xD6. A pass over bytes
    // excludes nearly all lines without decoding them.
    const FIRST_BYTE: u8 = 0xD6;
    text.bytes().any(|byte| byte >= FIRST_BYTE)
        && text
            .chars()
            .any(|c| is_of_right(c) && ReadingDirection::for_char(c) == ReadingDirection::FromRight)
}

/// Returns the text of positioned pieces, in the order of reading.
pub fn read(pieces: Vec<TextPiece<'_>>) -> String {
    let placed = place(pieces);
    let count = |direction| placed.iter().filter(|p| p.direction == direction).count();
    let mut text = String::new();
    if count(ReadingDirection::FromRight) >= count(ReadingDirection::FromLeft) {
        read_from_right(&placed, &mut text);
        return text;
    }
    let mut at = 0;
    while at < placed.len() {
        if placed[at].direction != ReadingDirection::FromRight {
            text.push_str(&placed[at].text);
            at += 1;
            continue;
        }
        let rest = placed[at..].iter();
        let run = rest.take_while(|p| p.direction != ReadingDirection::FromLeft);
        let last = run
            .enumerate()
            .filter(|(_, p)| p.direction == ReadingDirection::FromRight);
        let end = at + 1 + last.last().map_or(0, |(index, _)| index);
        read_from_right(&placed[at..end], &mut text);
        at = end;
    }
    text
}

/// Returns pieces sorted by position, with the marks over each letter, and a blank for each gap.
fn place(pieces: Vec<TextPiece<'_>>) -> Vec<PlacedLetter> {
    let (marks, mut letters): (Vec<TextPiece<'_>>, Vec<TextPiece<'_>>) = pieces
        .into_iter()
        .partition(|piece| piece.text.chars().all(is_combining_mark));
    letters.sort_by(|a, b| a.start.total_cmp(&b.start));
    // A mark, such as a vowel point, is drawn over its letter and in any order. It belongs to
    // the last letter that begins before its middle.
    let mut marks_of: Vec<String> = vec![String::new(); letters.len()];
    for mark in marks {
        let middle = f64::midpoint(mark.start, mark.end);
        let behind = letters.partition_point(|letter| letter.start <= middle);
        if let Some(marks) = marks_of.get_mut(behind.saturating_sub(1)) {
            marks.push_str(mark.text);
        }
    }
    let mut placed = Vec::new();
    let mut end: Option<f64> = None;
    for (letter, marks) in letters.iter().zip(marks_of) {
        if end.is_some_and(|end| letter.start - end > letter.gap) {
            placed.push(PlacedLetter {
                text: " ".to_owned(),
                direction: ReadingDirection::Neutral,
            });
        }
        end = Some(end.map_or(letter.end, |end| end.max(letter.end)));
        placed.push(PlacedLetter {
            text: format!("{}{marks}", letter.text),
            direction: ReadingDirection::for_text(letter.text),
        });
    }
    placed
}

/// Adds pieces from right to left, and left-to-right runs among them as they are.
fn read_from_right(placed: &[PlacedLetter], text: &mut String) {
    let mut end = placed.len();
    while end > 0 {
        let start = start_of_left(&placed[..end]);
        if start == end {
            end -= 1;
            push_mirrored(text, &placed[end].text);
        } else {
            for piece in &placed[start..end] {
                text.push_str(&piece.text);
            }
            end = start;
        }
    }
}

/// Returns the start of the left-to-right run at the end of the pieces, or their length if there is
/// none.
fn start_of_left(placed: &[PlacedLetter]) -> usize {
    let is_left = |p: &PlacedLetter| {
        matches!(
            p.direction,
            ReadingDirection::FromLeft | ReadingDirection::Number
        )
    };
    // The sign of `50%` belongs to its number, on whichever side of it the sign is drawn.
    let is_sign = |p: &PlacedLetter| matches!(p.text.as_str(), "%" | "°" | "$" | "€" | "£" | "₪");
    let mut start = placed.len();
    match placed {
        [.., last] if is_left(last) => start -= 1,
        [.., number, sign] if is_sign(sign) && number.direction == ReadingDirection::Number => {
            start -= 2
        }
        _ => return start,
    }
    // A bracket belongs to a left-to-right run only together with its counterpart: in Hebrew
    // text around `f(x)` both are part of the formula, while a lone `)` closes the Hebrew
    // parenthesis and is drawn mirrored.
    let mut whole = start;
    let mut brackets = 0;
    loop {
        let mut before = placed[..start].iter().rev();
        let neutral = before
            .clone()
            .take_while(|p| p.direction == ReadingDirection::Neutral)
            .count();
        let Some(next) = before.nth(neutral).filter(|p| is_left(p)) else {
            return whole;
        };
        let between = &placed[start - neutral..start];
        let are_numbers = [next, &placed[start]]
            .iter()
            .all(|p| p.direction == ReadingDirection::Number);
        // `12.5`, `1/2` and `10:30` are one number each and are read from the left. `10 - 20`
        // are two, of which the right one is read first.
        let is_one = !are_numbers
            || match between {
                [] => true,
                [one] => matches!(one.text.as_str(), "." | "," | ":" | "/" | "-"),
                _ => false,
            };
        for piece in between.iter().rev() {
            match piece.text.as_str() {
                ")" | "]" => brackets += 1,
                "(" | "[" => brackets -= 1,
                _ => {}
            }
            if !(0..=OPEN_BRACKETS).contains(&brackets) {
                return whole;
            }
        }
        if !is_one {
            return whole;
        }
        start -= neutral + 1;
        if brackets == 0 {
            whole = start;
        }
    }
}

/// Adds a piece in right-to-left context.
fn push_mirrored(text: &mut String, piece: &str) {
    // A single bracket is drawn mirrored in right-to-left text.
    if let Some(mirrored) = mirror(piece) {
        text.push(mirrored);
        return;
    }
    for c in piece.chars() {
        match c {
            // These are contextual forms of letters. People search for the letter itself.
            '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => {
                decompose_compatible(c, |letter| {
                    // The decomposition of a lone mark begins with a blank over which it is
                    // drawn.
                    if letter != ' ' || matches!(c, '\u{FDFA}' | '\u{FDFB}') {
                        text.push(letter);
                    }
                });
            }
            c => text.push(c),
        }
    }
}

fn mirror(piece: &str) -> Option<char> {
    Some(match piece {
        "(" => ')',
        ")" => '(',
        "[" => ']',
        "]" => '[',
        "{" => '}',
        "}" => '{',
        "<" => '>',
        ">" => '<',
        "«" => '»',
        "»" => '«',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads characters at adjacent positions.
    fn read_line(shown: &str) -> String {
        let pieces: Vec<String> = shown.chars().map(String::from).collect();
        let pieces = pieces.iter().zip(0u32..).map(|(text, n)| TextPiece {
            text,
            start: f64::from(n),
            end: f64::from(n + 1),
            gap: 0.1,
        });
        read(pieces.collect())
    }

    #[test]
    fn lines_from_right_to_left() {
        for (shown, expected) in [
            ("םלוע םולש", "שלום עולם"),
            ("םלוע 12.5 םולש", "שלום 12.5 עולם"),
            ("םלוע PDF 1.7 םולש", "שלום PDF 1.7 עולם"),
            ("20 - 10 םיפד", "דפים 10 - 20"),
            ("50% קר", "רק 50%"),
            ("(םולש) םלוע", "עולם (שלום)"),
            ("םלוע 12 (abc) םולש", "שלום (abc) 12 עולם"),
            ("םלוע a (b) c םולש", "שלום a (b) c עולם"),
            ("ﻡﻼﺳ", "سلام"),
            ("the word םולש םלוע is here", "the word עולם שלום is here"),
            ("we can all see םולש 12 םלוע", "we can all see עולם 12 שלום"),
        ] {
            assert_eq!(read_line(shown), expected, "{shown}");
        }
    }

    #[test]
    fn marks_follow_their_letters() {
        let piece = |text, start, end| TextPiece {
            text,
            start,
            end,
            gap: 0.1,
        };
        // The mark is drawn first, without width, over the second letter from the right.
        let shown = vec![
            piece("\u{5B8}", 1.5, 1.5),
            piece("ם", 0.0, 1.0),
            piece("ל", 1.0, 2.0),
            piece("ש", 2.0, 3.0),
        ];
        assert_eq!(read(shown), "של\u{5B8}ם");
    }
}
