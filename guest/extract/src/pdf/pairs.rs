//! Blanks that are set as the character spacing between two letters.
//!
//! Some programs write a word of one letter and the first letter of the next word as one string,
//! with a character spacing as wide as a blank: `a m` and then `any`. A word of two letters that
//! are spaced out looks the same, but nothing is joined to it.

use kurbo::Point;

use super::glyph::PlacedGlyph;

/// Minimum space between the letters of a pair that may be a blank, in font sizes, beyond a gap
/// between letters that are spaced out.
const PAIR_GAP: f64 = 0.1;

/// Maximum distance from the second letter of a pair to the next glyph that is joined to it, in
/// heights.
const PAIR_JOIN: f64 = 0.05;

/// A detector of such pairs in the strings of a page.
#[derive(Default)]
pub struct Pairs {
    /// True if no string was shown since the character spacing was set.
    is_spaced_anew: bool,
    /// Last string, if it may have a blank in its middle.
    last: Option<Pair>,
    /// Current string: its first glyphs and their number.
    current: Pair,
    count: usize,
}

/// A string of two glyphs.
#[derive(Clone, Copy, Default)]
struct Pair {
    /// Index of the first glyph on the page.
    first: usize,
    /// Ends of both glyphs by their widths.
    ends: [Point; 2],
}

impl Pairs {
    /// Records that the character spacing is set.
    pub fn set_space(&mut self) {
        self.is_spaced_anew = true;
    }

    /// Adds the next glyph of a string, with its start and end by its width. `glyphs` are those
    /// before it.
    pub fn push(&mut self, glyphs: &mut [PlacedGlyph], start: Point, end: Point) {
        if self.count == 0 {
            if let Some(pair) = self.last.take() {
                pair.part(glyphs, start);
            }
            self.current.first = glyphs.len();
        }
        if let Some(own) = self.current.ends.get_mut(self.count) {
            *own = end;
        }
        self.count += 1;
    }

    /// Ends a string with a character spacing in font sizes. `glyphs` are those of the page.
    pub fn end_string(&mut self, glyphs: &[PlacedGlyph], space: f64) {
        let is_shown = glyphs.len() == self.current.first + 2;
        let is_pair = self.count == 2 && is_shown && self.is_spaced_anew && space > PAIR_GAP;
        self.last = is_pair.then_some(self.current);
        self.is_spaced_anew = false;
        self.count = 0;
    }
}

impl Pair {
    /// Turns the space between the glyphs into a blank, if the next glyph, which begins at `next`,
    /// is joined to the second.
    fn part(self, glyphs: &mut [PlacedGlyph], next: Point) {
        let Some([first, second]) = glyphs.get_mut(self.first..) else {
            return;
        };
        let [end, last] = self.ends;
        let has_blanks = |glyph: &PlacedGlyph| !glyph.text().chars().any(is_written_without_blanks);
        let is_joined = (next - last).hypot() < PAIR_JOIN * second.size();
        if is_joined && has_blanks(first) && has_blanks(second) {
            first.set_end(end);
        }
    }
}

/// Returns true if a character belongs to a script without blanks between words: Chinese and
/// Japanese.
fn is_written_without_blanks(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{30FF}' | '\u{31C0}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}
