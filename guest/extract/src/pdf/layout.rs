//! Line detection: a page gives the position of each glyph, but usually not the ends of words,
//! lines and paragraphs.
//!
//! Glyphs are processed in drawing order, which in nearly all files is the order of reading, even
//! in columns and tables. A glyph continues the line if it is at about the same height and not far
//! back; a gap is a blank; and a line begins a paragraph if its distance from the last one or its
//! height differs. All distances are in line heights, since that is the only measure that files
//! share. In a line with letters of right-to-left scripts, `direction` brings the glyphs into the
//! order of reading.

use kurbo::{Point, Vec2};

use super::direction;
use super::font::UNKNOWN;
use super::glyph::PlacedGlyph;
use super::overprint;

/// Minimum gap between two glyphs that is a blank, in line heights.
const BLANK_GAP: f64 = 0.10;

/// Minimum distance from the baseline at which a glyph belongs to another line, in heights.
const LINE_OFFSET: f64 = 0.5;

/// Minimum step back at which a glyph belongs to another line, in heights: a new column, or the
/// next row of a table.
const BACKWARD_STEP: f64 = 1.0;

/// Minimum distance of two lines in different paragraphs, in heights of the larger.
const PARAGRAPH_DISTANCE: f64 = 1.75;

/// Minimum ratio of heights of two lines in different paragraphs: a heading and its text.
const HEIGHT_RATIO: f64 = 1.2;

/// Cosine of the minimum angle at which text runs in another direction.
const TURN: f64 = 0.9;

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Text of the line.
    pub text: String,
    /// Start of the line.
    pub start: Point,
    /// True if it begins a paragraph.
    pub begins_paragraph: bool,
}

/// A line that is being read.
struct OpenLine {
    glyphs: Vec<PlacedGlyph>,
    start: Point,
    end: Point,
    /// Direction in which glyphs advance, as a unit vector.
    along: Vec2,
    size: f64,
    /// True if the line contains right-to-left letters.
    is_from_right: bool,
}

/// Arranges glyphs into lines.
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
            // A line that begins with a blank would begin too far left, and might be placed
            // above its heading.
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

    /// Returns true if a glyph continues the line.
    fn takes(&self, glyph: &PlacedGlyph) -> bool {
        let gap = glyph.start - self.end;
        let height = self.size.max(glyph.size);
        let direction = glyph.end - glyph.start;
        // A glyph without width, such as an accent, has no direction.
        let is_turned =
            direction.hypot() > 0.0 && self.along.dot(direction / direction.hypot()) < TURN;
        !is_turned
            && self.along.cross(gap).abs() < LINE_OFFSET * height
            // Right-to-left text is drawn in either direction, word by word or letter by
            // letter, so a step back does not end such a line.
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

    /// Returns the text of the line.
    fn text(&self) -> String {
        let mut text = String::new();
        if self.is_from_right {
            let along = |point: Point| self.along.dot(point.to_vec2());
            let pieces = self.glyphs.iter().map(|glyph| direction::TextPiece {
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
            // A row of unknown glyphs is one sign: a word in a font without characters is one
            // gap in the text, whatever its length is.
            if !(was_unknown && glyph.is_unknown() && !is_apart) {
                push_text(&mut text, &glyph.text);
            }
            was_unknown = glyph.is_unknown();
        }
        text
    }

    /// Adds the line to the complete ones; `before` is the last of them.
    fn close(&self, lines: &mut Vec<Line>, before: Option<&Self>) {
        let text = self.text();
        let text = text.trim();
        // Unknown glyphs among text are a gap in it. A line of nothing else is not text and is
        // left out; its glyphs are counted all the same.
        if text
            .split(' ')
            .all(|word| word == UNKNOWN || word.is_empty())
        {
            return;
        }
        let begins_paragraph = before.is_none_or(|before| {
            // On the page, down is a quarter turn from the direction of reading, so the test
            // also holds for rotated text. A line above the last one begins a column.
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
            // `exam-` and `ple` are one word. The joined line stays at the position of its
            // first part, which headings are placed by.
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

/// Adds the text of a glyph as people type it.
fn push_text(text: &mut String, shown: &str) {
    for c in shown.chars() {
        match c {
            // A ligature is one glyph for several letters: people who search for `file` type
            // four.
            'ﬀ' => text.push_str("ff"),
            'ﬁ' => text.push_str("fi"),
            'ﬂ' => text.push_str("fl"),
            'ﬃ' => text.push_str("ffi"),
            'ﬄ' => text.push_str("ffl"),
            'ﬅ' | 'ﬆ' => text.push_str("st"),
            // These are printed as hyphens, whatever their codes are.
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

/// Returns true if a word continues from one line on the next.
fn is_hyphenated(line: &str, next: &str) -> bool {
    let Some(word) = line.strip_suffix('-') else {
        return false;
    };
    // `A-` and `B` are a name with a hyphen, not the parts of a word, so both neighbours of the
    // hyphen have to be small letters.
    let is_small = |c: Option<char>| c.is_some_and(char::is_lowercase);
    is_small(word.chars().next_back()) && is_small(next.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns glyphs half as wide as high, starting at a position.
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

    fn arranged_lines(glyphs: &[Vec<PlacedGlyph>]) -> Vec<(bool, String)> {
        let all = lines(glyphs.concat()).into_iter();
        all.map(|line| (line.begins_paragraph, line.text)).collect()
    }

    fn line(begins_paragraph: bool, text: &str) -> (bool, String) {
        (begins_paragraph, text.to_owned())
    }

    #[test]
    fn words_and_lines() {
        assert_eq!(
            arranged_lines(&[
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
            arranged_lines(&[
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
            arranged_lines(&[
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
