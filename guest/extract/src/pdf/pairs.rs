//! Blanks that are set as the space between two letters.
//!
//! Some programs write a word of one letter and the first letter of the next word as one string,
//! with the space between them that a blank takes: `a m` and then `any`. A word of two letters that
//! are set apart looks the same, but nothing is joined to it.

use kurbo::Point;

use super::layout::PlacedGlyph;

/// The least space between the letters of a pair that may be a blank, in sizes of the font, beyond
/// what is a gap between letters that are set apart.
const PAIR_GAP: f64 = 0.1;

/// How far the next glyph stands from the second one of a pair that it is joined to, in heights.
const PAIR_JOIN: f64 = 0.05;

/// Watches the strings of a page for pairs.
#[derive(Default)]
pub struct Pairs {
    /// True if no string was shown since the space between letters was set.
    is_spaced_anew: bool,
    /// The last string, where it may have a blank in its middle.
    last: Option<Pair>,
    /// The string under way: its first glyphs, and how many it has.
    current: Pair,
    count: usize,
}

/// A string of two glyphs.
#[derive(Clone, Copy, Default)]
struct Pair {
    /// The index of the first glyph on the page.
    first: usize,
    /// Where both glyphs end by their widths.
    ends: [Point; 2],
}

impl Pairs {
    /// Says that the space between letters is set.
    pub fn set_space(&mut self) {
        self.is_spaced_anew = true;
    }

    /// Takes the next glyph of a string, which begins and ends by its width at these places.
    /// `glyphs` are those before it.
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

    /// Ends a string, whose letters are set apart by a space in sizes of the font. `glyphs` are those
    /// of the page.
    pub fn end_string(&mut self, glyphs: &[PlacedGlyph], space: f64) {
        let is_shown = glyphs.len() == self.current.first + 2;
        let is_pair = self.count == 2 && is_shown && self.is_spaced_anew && space > PAIR_GAP;
        self.last = is_pair.then_some(self.current);
        self.is_spaced_anew = false;
        self.count = 0;
    }
}

impl Pair {
    /// Takes what stands between the glyphs for a blank, where the next one, which begins at a
    /// place, is joined to the second.
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

/// Returns whether words of the script of a character stand side by side: Chinese and Japanese.
fn is_written_without_blanks(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{30FF}' | '\u{31C0}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}
