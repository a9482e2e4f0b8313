//! From glyphs to lines: a page says where each glyph stands, and mostly not where words, lines and
//! paragraphs end.
//!
//! Glyphs are taken in the order in which they are drawn, which is that of reading in nearly all
//! files, in columns and tables as well.

use std::collections::HashSet;

use kurbo::{Point, Vec2};

/// The gap between two glyphs that is a blank, in heights of the line.
const BLANK: f64 = 0.10;

/// How far a glyph stands from the base of the line to be of another one, in heights.
const OTHER_LINE: f64 = 0.5;

/// How far back a glyph stands to be of another line, in heights: a new column, or the next row of
/// a table.
const BACK: f64 = 1.0;

/// From which distance on two lines are of two paragraphs, in heights of the larger.
const PARAGRAPH: f64 = 1.75;

/// The ratio of heights from which on two lines are of two paragraphs: a heading and its text.
const OTHER_SIZE: f64 = 1.2;

/// Parts of the height within which the same glyph twice is one that is drawn to look bold.
const SAME_PLACE: f64 = 4.0;

/// A glyph, in points from the upper left corner.
#[derive(Clone, Debug)]
pub struct Piece {
    text: String,
    start: Point,
    end: Point,
    size: f64,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What stands in it.
    pub text: String,
    /// Whether a paragraph begins with it.
    pub begins_paragraph: bool,
}

/// A line under way.
struct Open {
    text: String,
    start: Point,
    end: Point,
    /// The direction of reading, of length 1.
    along: Vec2,
    size: f64,
}

impl Piece {
    /// Returns a glyph that stands from `start` to `end`, in a line of height `size`; none where
    /// that is nowhere.
    pub fn new(text: String, start: Point, end: Point, size: f64) -> Option<Self> {
        let is_somewhere = start.is_finite() && end.is_finite() && size.is_finite() && size > 0.0;
        is_somewhere.then_some(Self {
            text,
            start,
            end,
            size,
        })
    }
}

/// Returns the lines that glyphs make.
pub fn lines(pieces: Vec<Piece>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open: Option<Open> = None;
    let mut last: Option<Open> = None;
    let mut drawn = HashSet::new();
    for piece in pieces {
        let steps = |distance: f64| (distance / piece.size * SAME_PLACE).round() as i64;
        let place = (steps(piece.start.x), steps(piece.start.y));
        let is_blank = piece.text.trim().is_empty();
        if !is_blank && !drawn.insert((place, piece.text.clone())) {
            continue;
        }
        match &mut open {
            Some(line) if line.takes(&piece) => line.push(&piece),
            _ if is_blank => {}
            _ => {
                if let Some(line) = open.replace(Open::new(&piece)) {
                    line.close(&mut lines, last.as_ref());
                    last = Some(line);
                }
            }
        }
    }
    if let Some(line) = open {
        line.close(&mut lines, last.as_ref());
    }
    lines
}

impl Open {
    fn new(piece: &Piece) -> Self {
        let way = piece.end - piece.start;
        let along = if way.hypot() > 0.0 {
            way / way.hypot()
        } else {
            Vec2::new(1.0, 0.0)
        };
        let mut line = Self {
            text: String::new(),
            start: piece.start,
            end: piece.start,
            along,
            size: piece.size,
        };
        line.push(piece);
        line
    }

    /// Whether a glyph goes on with the line.
    fn takes(&self, piece: &Piece) -> bool {
        let way = piece.start - self.end;
        let height = self.size.max(piece.size);
        let direction = piece.end - piece.start;
        let is_turned =
            direction.hypot() > 0.0 && self.along.dot(direction / direction.hypot()) < 0.9;
        !is_turned
            && self.along.cross(way).abs() < OTHER_LINE * height
            && self.along.dot(way) > -BACK * height
    }

    fn push(&mut self, piece: &Piece) {
        let gap = self.along.dot(piece.start - self.end);
        let is_joined = self.text.is_empty() || self.text.ends_with(' ');
        if gap > BLANK * piece.size.min(self.size) && !is_joined {
            self.text.push(' ');
        }
        for c in piece.text.chars() {
            match c {
                'ﬀ' => self.text.push_str("ff"),
                'ﬁ' => self.text.push_str("fi"),
                'ﬂ' => self.text.push_str("fl"),
                'ﬃ' => self.text.push_str("ffi"),
                'ﬄ' => self.text.push_str("ffl"),
                'ﬅ' | 'ﬆ' => self.text.push_str("st"),
                c if c.is_whitespace() || c.is_control() => {
                    if !self.text.ends_with(' ') {
                        self.text.push(' ');
                    }
                }
                c => self.text.push(c),
            }
        }
        self.end = piece.end;
        self.size = self.size.max(piece.size);
    }

    /// Adds the line to those that are complete; `before` is the last of them.
    fn close(&self, lines: &mut Vec<Line>, before: Option<&Self>) {
        let text = self.text.trim();
        if text.is_empty() {
            return;
        }
        let begins_paragraph = before.is_none_or(|before| {
            let way = self.start - before.start;
            let down = before.along.cross(way);
            let height = self.size.max(before.size);
            let ratio = height / self.size.min(before.size);
            down < -OTHER_LINE * height
                || down > PARAGRAPH * height
                || ratio > OTHER_SIZE
                || before.along.dot(self.along) < 0.9
        });
        match lines.last_mut() {
            Some(last) if !begins_paragraph && is_hyphenated(&last.text, text) => {
                last.text.pop();
                last.text.push_str(text);
            }
            _ => lines.push(Line {
                text: text.to_owned(),
                begins_paragraph,
            }),
        }
    }
}

/// Whether a word goes on from one line to the next.
fn is_hyphenated(line: &str, next: &str) -> bool {
    let Some(word) = line.strip_suffix(['-', '\u{AD}', '\u{2010}']) else {
        return false;
    };
    let is_small = |c: Option<char>| c.is_some_and(char::is_lowercase);
    is_small(word.chars().next_back()) && is_small(next.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Glyphs half as wide as high, from a place on.
    fn set(text: &str, x: f64, y: f64, size: f64) -> Vec<Piece> {
        let glyphs = text.chars().zip(0u32..);
        glyphs
            .filter_map(|(c, n)| {
                let start = Point::new(x + f64::from(n) * size / 2.0, y);
                let end = start + Vec2::new(size / 2.0, 0.0);
                Piece::new(c.to_string(), start, end, size)
            })
            .collect()
    }

    fn made(pieces: &[Vec<Piece>]) -> Vec<(bool, String)> {
        let all = lines(pieces.concat()).into_iter();
        all.map(|line| (line.begins_paragraph, line.text)).collect()
    }

    fn line(begins_paragraph: bool, text: &str) -> (bool, String) {
        (begins_paragraph, text.to_owned())
    }

    #[test]
    fn words_and_lines() {
        assert_eq!(
            made(&[
                set("one", 0.0, 10.0, 10.0),
                set("two", 17.0, 10.0, 10.0),
                set("three", 32.5, 10.0, 10.0),
                set("next", 0.0, 22.0, 10.0),
                set("far", 0.0, 50.0, 10.0),
            ]),
            [
                line(true, "one twothree"),
                line(false, "next"),
                line(true, "far")
            ]
        );
    }

    #[test]
    fn columns_headings_and_turned_text() {
        let turned = Piece::new(
            "x".to_owned(),
            Point::new(5.0, 5.0),
            Point::new(5.0, 0.0),
            10.0,
        );
        assert_eq!(
            made(&[
                set("Head", 0.0, 10.0, 18.0),
                set("left", 0.0, 30.0, 10.0),
                set("below", 0.0, 42.0, 10.0),
                set("right", 200.0, 30.0, 10.0),
                set("below", 200.0, 42.0, 10.0),
                turned.into_iter().collect(),
            ]),
            [
                line(true, "Head"),
                line(true, "left"),
                line(false, "below"),
                line(true, "right"),
                line(false, "below"),
                line(true, "x"),
            ]
        );
    }

    #[test]
    fn bold_by_drawing_twice_and_hyphens() {
        assert_eq!(
            made(&[
                set("bold", 0.0, 10.0, 10.0),
                set("bold", 0.3, 10.0, 10.0),
                set("exam-", 0.0, 22.0, 10.0),
                set("ple ﬁne", 0.0, 34.0, 10.0),
                set("A-", 0.0, 46.0, 10.0),
                set("B", 0.0, 58.0, 10.0),
            ]),
            [
                line(true, "bold"),
                line(false, "example fine"),
                line(false, "A-"),
                line(false, "B"),
            ]
        );
    }

    #[test]
    fn what_stands_nowhere() {
        let nowhere = Point::new(f64::NAN, 0.0);
        assert!(Piece::new("a".to_owned(), nowhere, Point::ZERO, 10.0).is_none());
        assert!(Piece::new("a".to_owned(), Point::ZERO, Point::ZERO, 0.0).is_none());
        assert!(lines(Vec::new()).is_empty());
    }
}
