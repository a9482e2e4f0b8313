//! Glyphs that are drawn twice to look bold, or over their own shadow. They are one.

use std::collections::HashMap;

use super::layout::PlacedGlyph;

/// The part of its own advance by which a glyph is drawn aside from itself, at most. A letter that
/// follows the same one stands a whole advance from it, however narrow it is.
const ASIDE: f64 = 0.4;

/// How far a glyph is drawn above or below itself, in heights of the line.
const ABOVE: f64 = 0.2;

/// How far a glyph without advance is drawn from itself, in heights.
const NOWHERE: f64 = 0.02;

/// Heights differ at most by this factor.
const SAME_HEIGHT: f64 = 1.1;

/// Glyphs that are compared in one cell. More of one letter do not stand in it but on top of each
/// other.
const CELL_GLYPHS: usize = 16;

/// Where each character was drawn.
#[derive(Default)]
pub struct Overprint {
    /// The index of the last glyph that was drawn in each cell.
    cells: HashMap<Cell, usize>,
    /// Each glyph, with the index of the one before it in its cell.
    drawn: Vec<(PlacedGlyph, Option<usize>)>,
}

/// A square of about the height of a line, for one character.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Cell {
    first: char,
    /// The power of two that is next to the height.
    height: i32,
    x: i64,
    y: i64,
}

impl Overprint {
    /// Whether a glyph was drawn at this place already. If not, it is now.
    pub fn repeats(&mut self, glyph: &PlacedGlyph) -> bool {
        let Some(first) = glyph.text().chars().next() else {
            return false;
        };
        let height = glyph.size().log2().round();
        let side = height.exp2();
        let at = glyph.start();
        let width = (glyph.end() - at).hypot().min(side);
        let cell = |x: f64, y: f64| Cell {
            first,
            height: height as i32,
            x: (x / side).floor() as i64,
            y: (y / side).floor() as i64,
        };
        // In whichever direction it is written.
        let reach = (ASIDE * width).max(ABOVE * glyph.size());
        let low = cell(at.x - reach, at.y - reach);
        let high = cell(at.x + reach, at.y + reach);
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                let mut near = self.cells.get(&Cell { x, y, ..low }).copied();
                for _ in 0..CELL_GLYPHS {
                    let Some((other, before)) = near.and_then(|near| self.drawn.get(near)) else {
                        break;
                    };
                    if is_same(other, glyph) {
                        return true;
                    }
                    near = *before;
                }
            }
        }
        let before = self.cells.insert(cell(at.x, at.y), self.drawn.len());
        self.drawn.push((glyph.clone(), before));
        false
    }
}

/// Whether two glyphs show the same at the same place.
fn is_same(one: &PlacedGlyph, other: &PlacedGlyph) -> bool {
    if one.text() != other.text() {
        return false;
    }
    let ratio = one.size() / other.size();
    if !(1.0 / SAME_HEIGHT..=SAME_HEIGHT).contains(&ratio) {
        return false;
    }
    let advance = |glyph: &PlacedGlyph| (glyph.end() - glyph.start()).hypot();
    let width = advance(one).min(advance(other));
    let nowhere = NOWHERE * one.size();
    let step = other.start() - one.start();
    if width <= nowhere {
        return step.hypot() <= nowhere;
    }
    let along = (one.end() - one.start()) / advance(one);
    let (aside, above) = (along.dot(step).abs(), along.cross(step).abs());
    aside <= ASIDE * width && above <= ABOVE * one.size()
}
