//! Text from right to left. A page says where its glyphs stand; in which order they are read, the
//! scripts say: letters of Hebrew and Arabic from right to left, numbers and all else from left to
//! right, and each run of the other direction within a line by itself.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// In which direction characters are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Letters from left to right.
    FromLeft,
    /// Letters from right to left.
    FromRight,
    /// Digits, from left to right in either surrounding.
    Number,
    /// As what surrounds it.
    Neutral,
}

/// What stands at one place of a line.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'t> {
    /// Its text, in the order of reading.
    pub text: &'t str,
    /// Where it begins, from left to right.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// The gap before and behind it that is a blank.
    pub gap: f64,
}

impl Direction {
    /// Returns the direction of a text by its first character that has one.
    pub fn of(text: &str) -> Self {
        let mut directions = text.chars().map(Self::of_char);
        let strong = directions.find(|direction| *direction != Self::Neutral);
        strong.unwrap_or(Self::Neutral)
    }

    fn of_char(c: char) -> Self {
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

/// Returns whether a character is of a script that is read from right to left.
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

/// Whether a character of these scripts is read as what surrounds it.
fn is_neutral_of_right(c: char) -> bool {
    matches!(
        c,
        '\u{60C}' | '\u{66A}'..='\u{66C}' | '\u{FD3E}' | '\u{FD3F}'
    ) || is_combining_mark(c)
}

/// Brackets within each other that the other halves are looked for of.
const OPEN_BRACKETS: i32 = 4;

/// A letter with the marks over it.
struct Placed {
    text: String,
    direction: Direction,
}

/// Whether letters from right to left stand in a text.
pub fn is_from_right(text: &str) -> bool {
    // No character of these scripts begins with a lower byte.
    const FIRST_BYTE: u8 = 0xD6;
    text.bytes().any(|byte| byte >= FIRST_BYTE)
        && text
            .chars()
            .any(|c| is_of_right(c) && Direction::of_char(c) == Direction::FromRight)
}

/// Returns what stands at places of a line, in the order of reading.
pub fn read(pieces: Vec<Piece<'_>>) -> String {
    let placed = place(pieces);
    let count = |direction| placed.iter().filter(|p| p.direction == direction).count();
    let mut text = String::new();
    if count(Direction::FromRight) >= count(Direction::FromLeft) {
        read_from_right(&placed, &mut text);
        return text;
    }
    let mut at = 0;
    while at < placed.len() {
        if placed[at].direction != Direction::FromRight {
            text.push_str(&placed[at].text);
            at += 1;
            continue;
        }
        let rest = placed[at..].iter();
        let run = rest.take_while(|p| p.direction != Direction::FromLeft);
        let last = run
            .enumerate()
            .filter(|(_, p)| p.direction == Direction::FromRight);
        let end = at + 1 + last.last().map_or(0, |(index, _)| index);
        read_from_right(&placed[at..end], &mut text);
        at = end;
    }
    text
}

/// Returns pieces by their places, with the marks over each letter and a blank where there is a gap.
fn place(pieces: Vec<Piece<'_>>) -> Vec<Placed> {
    let (marks, mut letters): (Vec<Piece<'_>>, Vec<Piece<'_>>) = pieces
        .into_iter()
        .partition(|piece| piece.text.chars().all(is_combining_mark));
    letters.sort_by(|a, b| a.start.total_cmp(&b.start));
    // A mark stands over the last letter that begins before its middle.
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
            placed.push(Placed {
                text: " ".to_owned(),
                direction: Direction::Neutral,
            });
        }
        end = Some(end.map_or(letter.end, |end| end.max(letter.end)));
        placed.push(Placed {
            text: format!("{}{marks}", letter.text),
            direction: Direction::of(letter.text),
        });
    }
    placed
}

/// Adds pieces from the right one to the left one, and what is read from left to right among them as
/// it stands.
fn read_from_right(placed: &[Placed], text: &mut String) {
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

/// Returns where what is read from left to right begins that the pieces end with, or their length.
fn start_of_left(placed: &[Placed]) -> usize {
    let is_left = |p: &Placed| matches!(p.direction, Direction::FromLeft | Direction::Number);
    // `50%`: the sign goes with its number.
    let is_sign = |p: &Placed| matches!(p.text.as_str(), "%" | "°" | "$" | "€" | "£" | "₪");
    let mut start = placed.len();
    match placed {
        [.., last] if is_left(last) => start -= 1,
        [.., number, sign] if is_sign(sign) && number.direction == Direction::Number => start -= 2,
        _ => return start,
    }
    // A bracket belongs to such a run with its other half only.
    let mut whole = start;
    let mut brackets = 0;
    loop {
        let mut before = placed[..start].iter().rev();
        let neutral = before
            .clone()
            .take_while(|p| p.direction == Direction::Neutral)
            .count();
        let Some(next) = before.nth(neutral).filter(|p| is_left(p)) else {
            return whole;
        };
        let between = &placed[start - neutral..start];
        let are_numbers = [next, &placed[start]]
            .iter()
            .all(|p| p.direction == Direction::Number);
        // `12.5`, `1/2` and `10:30` are one; `10 - 20` are two, of which the right one comes first.
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

/// Adds a piece that stands among text from right to left.
fn push_mirrored(text: &mut String, piece: &str) {
    // Brackets are drawn the other way round, each by itself.
    if let Some(mirrored) = mirrored(piece) {
        text.push(mirrored);
        return;
    }
    for c in piece.chars() {
        match c {
            // A form of a letter at its place in a word: who looks for the word types the letter.
            '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => {
                decompose_compatible(c, |letter| {
                    // A mark alone is drawn over a blank.
                    if letter != ' ' || matches!(c, '\u{FDFA}' | '\u{FDFB}') {
                        text.push(letter);
                    }
                });
            }
            c => text.push(c),
        }
    }
}

fn mirrored(piece: &str) -> Option<char> {
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

    /// Reads characters that stand side by side.
    fn made(shown: &str) -> String {
        let pieces: Vec<String> = shown.chars().map(String::from).collect();
        let pieces = pieces.iter().zip(0u32..).map(|(text, n)| Piece {
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
            assert_eq!(made(shown), expected, "{shown}");
        }
    }

    #[test]
    fn marks_follow_their_letters() {
        let piece = |text, start, end| Piece {
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
