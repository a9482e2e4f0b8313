//! Glyphs that are drawn twice to look bold, or over their own shadow. They are one.

use foldhash::{HashMap, HashMapExt as _};

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

/// A square of about the height of a line, for one character.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Cell {
    first: char,
    /// The power of two that is next to the height.
    height: i32,
    x: i32,
    y: i32,
}

/// The glyphs of a page that were drawn so far.
struct Drawn<'g> {
    glyphs: &'g [PlacedGlyph],
    /// The index of the last glyph that was drawn in each cell.
    cells: HashMap<Cell, u32>,
    /// Of each glyph the one before it in its cell.
    before: Vec<Option<u32>>,
}

/// Returns for each glyph whether it was drawn at its place already.
pub fn find(glyphs: &[PlacedGlyph]) -> Vec<bool> {
    let mut drawn = Drawn {
        glyphs,
        cells: HashMap::with_capacity(glyphs.len()),
        before: Vec::with_capacity(glyphs.len()),
    };
    (0..glyphs.len()).map(|index| drawn.draw(index)).collect()
}

impl Drawn<'_> {
    /// Draws the glyph with an index, which is the next one, and returns whether it repeats another.
    fn draw(&mut self, index: usize) -> bool {
        self.before.push(None);
        let glyph = &self.glyphs[index];
        let Some(first) = glyph.text().chars().next().filter(|_| !glyph.is_blank()) else {
            return false;
        };
        let height = glyph.size().log2().round();
        let side = height.exp2();
        let at = glyph.start();
        let width = (glyph.end() - at).hypot().min(side);
        let cell = |x: f64, y: f64| Cell {
            first,
            height: height as i32,
            x: (x / side).floor() as i32,
            y: (y / side).floor() as i32,
        };
        // In whichever direction it is written.
        let reach = (ASIDE * width).max(ABOVE * glyph.size());
        let low = cell(at.x - reach, at.y - reach);
        let high = cell(at.x + reach, at.y + reach);
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                let near = self.cells.get(&Cell { x, y, ..low });
                if near.is_some_and(|near| self.is_among(glyph, *near)) {
                    return true;
                }
            }
        }
        let number = u32::try_from(index).ok();
        if let Some(number) = number {
            self.before[index] = self.cells.insert(cell(at.x, at.y), number);
        }
        false
    }

    /// Whether a glyph repeats the last one of a cell or one of those before it.
    fn is_among(&self, glyph: &PlacedGlyph, last: u32) -> bool {
        let mut near = Some(last);
        for _ in 0..CELL_GLYPHS {
            let Some(index) = near.and_then(|near| usize::try_from(near).ok()) else {
                return false;
            };
            if is_same(&self.glyphs[index], glyph) {
                return true;
            }
            near = self.before[index];
        }
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
