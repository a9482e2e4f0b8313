//! From glyphs to lines: a page says where each glyph stands, and mostly not where words, lines and
//! paragraphs end.
//!
//! Glyphs are taken in the order in which they are drawn, which is that of reading in nearly all
//! files, in columns and tables as well. A glyph goes on with the line where it stands at about the
//! same height and not far back; a gap is a blank; and a line begins a paragraph where its distance
//! from the last one or its height differs. All distances are in heights of the line, for files
//! know no other measure that they share. Within a line that has letters of scripts from right to
//! left, `direction` brings the glyphs from the order of places into that of reading.

use std::rc::Rc;

use kurbo::{Point, Rect, Vec2};

use super::direction;
use super::font::UNKNOWN;
use super::overprint;

/// The gap between two glyphs that is a blank, in heights of the line.
const BLANK_GAP: f64 = 0.10;

/// How far a glyph stands from the base of the line to be of another one, in heights.
const LINE_OFFSET: f64 = 0.5;

/// How far back a glyph stands to be of another line, in heights: a new column, or the next row of
/// a table.
const BACKWARD_STEP: f64 = 1.0;

/// From which distance on two lines are of two paragraphs, in heights of the larger.
const PARAGRAPH_DISTANCE: f64 = 1.75;

/// The ratio of heights from which on two lines are of two paragraphs: a heading and its text.
const HEIGHT_RATIO: f64 = 1.2;

/// The cosine of the angle from which on text runs in another direction.
const TURN: f64 = 0.9;

/// A glyph, in points from the upper left corner.
#[derive(Clone, Debug)]
pub struct PlacedGlyph {
    text: Rc<str>,
    start: Point,
    end: Point,
    size: f64,
    kind: Kind,
}

/// What is known of a glyph's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It is what the glyph shows.
    Known,
    /// Nothing.
    Unknown,
    /// It stands in place of any number of glyphs, in the order of reading.
    Whole,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What stands in it.
    pub text: String,
    /// Where it begins.
    pub start: Point,
    /// Whether a paragraph begins with it.
    pub begins_paragraph: bool,
}

/// A line under way.
struct OpenLine {
    glyphs: Vec<PlacedGlyph>,
    start: Point,
    end: Point,
    /// The direction in which glyphs advance, of length 1.
    along: Vec2,
    size: f64,
    /// Whether letters from right to left stand in it.
    is_from_right: bool,
}

impl PlacedGlyph {
    /// Returns a glyph that stands from `start` to `end`, in a line of height `size`; none where
    /// that is nowhere.
    pub fn new(text: Rc<str>, start: Point, end: Point, size: f64) -> Option<Self> {
        let is_somewhere = start.is_finite() && end.is_finite() && size.is_finite() && size > 0.0;
        is_somewhere.then_some(Self {
            text,
            start,
            end,
            size,
            kind: Kind::Known,
        })
    }

    /// Returns the glyph as one whose text is known or not.
    pub fn known(mut self, is_known: bool) -> Self {
        if !is_known {
            self.kind = Kind::Unknown;
        }
        self
    }

    /// Returns the glyph as one whose text stands in place of others.
    pub fn whole(mut self) -> Self {
        self.kind = Kind::Whole;
        self
    }

    /// What it shows.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it begins.
    pub fn start(&self) -> Point {
        self.start
    }

    /// Where the next one is expected.
    pub fn end(&self) -> Point {
        self.end
    }

    /// Says where the next one is expected.
    pub fn set_end(&mut self, end: Point) {
        self.end = end;
    }

    /// The height of its line.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Whether nothing says what it shows.
    pub fn is_unknown(&self) -> bool {
        self.kind == Kind::Unknown
    }

    /// Whether any of it may be seen on a page.
    pub fn touches(&self, page: Rect) -> bool {
        let page = page.inflate(self.size, self.size);
        page.contains(self.start) || page.contains(self.end)
    }

    /// Returns whether it leaves no ink.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Returns the lines that glyphs make.
pub fn lines(glyphs: Vec<PlacedGlyph>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open: Option<OpenLine> = None;
    let mut last: Option<OpenLine> = None;
    let repeated = overprint::find(&glyphs);
    for (glyph, is_repeated) in glyphs.into_iter().zip(repeated) {
        if is_repeated {
            continue;
        }
        let is_blank = glyph.is_blank();
        match &mut open {
            Some(line) if line.takes(&glyph) => line.push(glyph),
            // A line that begins with a blank would begin too far left.
            _ if is_blank => {}
            _ => {
                if let Some(line) = open.replace(OpenLine::new(glyph)) {
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

impl OpenLine {
    fn new(glyph: PlacedGlyph) -> Self {
        let advance = glyph.end - glyph.start;
        let along = if advance.hypot() > 0.0 {
            advance / advance.hypot()
        } else {
            Vec2::new(1.0, 0.0)
        };
        let mut line = Self {
            glyphs: Vec::new(),
            start: glyph.start,
            end: glyph.start,
            along,
            size: glyph.size,
            is_from_right: false,
        };
        line.push(glyph);
        line
    }

    /// Whether a glyph goes on with the line.
    fn takes(&self, glyph: &PlacedGlyph) -> bool {
        let gap = glyph.start - self.end;
        let height = self.size.max(glyph.size);
        let direction = glyph.end - glyph.start;
        // A glyph without width, such as an accent, has no direction.
        let is_turned =
            direction.hypot() > 0.0 && self.along.dot(direction / direction.hypot()) < TURN;
        !is_turned
            && self.along.cross(gap).abs() < LINE_OFFSET * height
            // Text from right to left is drawn in either direction, a word or a letter at a time.
            && (self.along.dot(gap) > -BACKWARD_STEP * height
                || self.is_from_right
                || direction::is_from_right(&glyph.text))
    }

    fn push(&mut self, glyph: PlacedGlyph) {
        self.end = glyph.end;
        self.size = self.size.max(glyph.size);
        self.is_from_right |= direction::is_from_right(&glyph.text);
        self.glyphs.push(glyph);
    }

    /// Returns what stands in the line.
    fn text(&self) -> String {
        let mut text = String::new();
        if self.is_from_right {
            let along = |point: Point| self.along.dot(point.to_vec2());
            let pieces = self.glyphs.iter().map(|glyph| direction::Piece {
                text: &glyph.text,
                start: along(glyph.start),
                end: along(glyph.end),
                gap: BLANK_GAP * glyph.size.min(self.size),
            });
            push_text(&mut text, &direction::read(pieces.collect()));
            return text;
        }
        let mut end = None;
        let mut was_unknown = false;
        for glyph in &self.glyphs {
            let gap = end.map_or(0.0, |end| self.along.dot(glyph.start - end));
            let is_joined = text.is_empty() || text.ends_with(' ');
            let is_apart = gap > BLANK_GAP * glyph.size.min(self.size);
            if is_apart && !is_joined {
                text.push(' ');
            }
            end = Some(glyph.end);
            // One sign stands for a word that is unknown.
            if !(was_unknown && glyph.is_unknown() && !is_apart) {
                push_text(&mut text, &glyph.text);
            }
            was_unknown = glyph.is_unknown();
        }
        text
    }

    /// Adds the line to those that are complete; `before` is the last of them.
    fn close(&self, lines: &mut Vec<Line>, before: Option<&Self>) {
        let text = self.text();
        let text = text.trim();
        // Unknown glyphs beside text are a gap in it; by themselves they are no text.
        if text
            .split(' ')
            .all(|word| word == UNKNOWN || word.is_empty())
        {
            return;
        }
        let begins_paragraph = before.is_none_or(|before| {
            // Below means: in the direction that is a quarter turn from that of reading. A line
            // above the last one begins a column.
            let step = self.start - before.start;
            let down = before.along.cross(step);
            let height = self.size.max(before.size);
            let ratio = height / self.size.min(before.size);
            down < -LINE_OFFSET * height
                || down > PARAGRAPH_DISTANCE * height
                || ratio > HEIGHT_RATIO
                || before.along.dot(self.along) < TURN
        });
        match lines.last_mut() {
            // `exam-` and `ple`. The joined line is shown where the first part stands.
            Some(last) if !begins_paragraph && is_hyphenated(&last.text, text) => {
                last.text.pop();
                last.text.push_str(text);
            }
            _ => lines.push(Line {
                text: text.to_owned(),
                start: self.start,
                begins_paragraph,
            }),
        }
    }
}

/// Adds what a glyph shows, as it is typed.
fn push_text(text: &mut String, shown: &str) {
    for c in shown.chars() {
        match c {
            // One glyph for several letters: who looks for `file` types four.
            'ﬀ' => text.push_str("ff"),
            'ﬁ' => text.push_str("fi"),
            'ﬂ' => text.push_str("fl"),
            'ﬃ' => text.push_str("ffi"),
            'ﬄ' => text.push_str("ffl"),
            'ﬅ' | 'ﬆ' => text.push_str("st"),
            // Printed as a hyphen, whatever it may be.
            '\u{AD}' | '\u{2010}' | '\u{2011}' => text.push('-'),
            c if c.is_whitespace() || c.is_control() => {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            c => text.push(c),
        }
    }
}

/// Whether a word goes on from one line to the next.
fn is_hyphenated(line: &str, next: &str) -> bool {
    let Some(word) = line.strip_suffix('-') else {
        return false;
    };
    // `A-` and `B` is no word that was cut.
    let is_small = |c: Option<char>| c.is_some_and(char::is_lowercase);
    is_small(word.chars().next_back()) && is_small(next.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Glyphs half as wide as high, from a place on.
    fn set(text: &str, x: f64, y: f64, size: f64) -> Vec<PlacedGlyph> {
        let glyphs = text.chars().zip(0u32..);
        glyphs
            .filter_map(|(c, n)| {
                let start = Point::new(x + f64::from(n) * size / 2.0, y);
                let end = start + Vec2::new(size / 2.0, 0.0);
                PlacedGlyph::new(c.to_string().into(), start, end, size)
            })
            .collect()
    }

    fn made(glyphs: &[Vec<PlacedGlyph>]) -> Vec<(bool, String)> {
        let all = lines(glyphs.concat()).into_iter();
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
        let turned = PlacedGlyph::new("x".into(), Point::new(5.0, 5.0), Point::new(5.0, 0.0), 10.0);
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
        assert!(PlacedGlyph::new("a".into(), nowhere, Point::ZERO, 10.0).is_none());
        assert!(PlacedGlyph::new("a".into(), Point::ZERO, Point::ZERO, 0.0).is_none());
        assert!(lines(Vec::new()).is_empty());
    }
}
