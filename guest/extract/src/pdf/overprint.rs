//! Overprinted glyphs, which are drawn twice to look bold or to have a shadow. They are merged.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};

use super::glyph::PlacedGlyph;

/// Maximum part of its own advance by which a glyph is drawn beside itself. An adjacent equal
/// letter is a whole advance away, however narrow it is.
const ASIDE: f64 = 0.4;

/// Maximum distance at which a glyph is drawn above or below itself, in line heights.
const ABOVE: f64 = 0.2;

/// Maximum distance at which a glyph without advance is drawn from itself, in heights.
const NOWHERE: f64 = 0.02;

/// Maximum ratio of the heights.
const SAME_HEIGHT: f64 = 1.1;

/// Maximum glyphs compared in one cell. More equal letters do not fit next to each other, only on
/// top of each other.
const CELL_GLYPHS: usize = 16;

/// A square of about the height of a line, for one character.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct GridCell {
    first: char,
    /// Exponent of the power of two nearest to the height.
    height: i32,
    x: i32,
    y: i32,
}

/// The glyphs of a page drawn so far.
struct DrawnGlyphs<'g> {
    glyphs: &'g [PlacedGlyph],
    /// Index of the last glyph drawn in each cell.
    cells: HashMap<GridCell, u32>,
    /// Previous glyph in the cell of each glyph.
    before: Vec<Option<u32>>,
}

/// Returns true for each glyph to be omitted, since another one represents the same at its
/// position.
pub fn find(glyphs: &[PlacedGlyph]) -> Vec<bool> {
    let mut drawn = DrawnGlyphs {
        glyphs,
        cells: HashMap::with_capacity(glyphs.len()),
        before: Vec::with_capacity(glyphs.len()),
    };
    let repeated: Vec<Option<usize>> = (0..glyphs.len()).map(|index| drawn.draw(index)).collect();
    let mut left_out: Vec<bool> = repeated.iter().map(Option::is_some).collect();
    if left_out.contains(&true) {
        keep_whole_runs(glyphs, &repeated, &mut left_out);
    }
    left_out
}

/// Omits the earlier run of glyphs if a later one contains all of it and more: some programs draw a
/// line with only some of its letters, and then the whole line over it.
fn keep_whole_runs(glyphs: &[PlacedGlyph], repeated: &[Option<usize>], left_out: &mut [bool]) {
    let runs = GlyphRuns::new(glyphs);
    let mut covers: Vec<Option<usize>> = vec![None; glyphs.len()];
    for (index, earlier) in repeated.iter().enumerate() {
        if let Some(earlier) = earlier {
            covers[*earlier].get_or_insert(index);
        }
    }
    let is_ink = |index: &usize| !glyphs[*index].is_blank();
    let have_more: Vec<bool> = runs
        .0
        .iter()
        .map(|run| {
            run.clone()
                .filter(is_ink)
                .any(|index| repeated[index].is_none())
        })
        .collect();
    let has_more = |index: &usize| have_more.get(runs.number(*index)).copied().unwrap_or(false);
    for run in &runs.0 {
        let covering: Option<Vec<usize>> = run
            .clone()
            .filter(is_ink)
            .map(|index| covers[index])
            .collect();
        let Some(covering) = covering.filter(|covering| !covering.is_empty()) else {
            continue;
        };
        if covering.iter().any(|index| run.contains(index)) || !covering.iter().any(has_more) {
            continue;
        }
        left_out[run.clone()].fill(true);
        for index in covering {
            left_out[index] = false;
        }
    }
}

/// The runs of glyphs that are drawn side by side.
struct GlyphRuns(Vec<Range<usize>>);

impl GlyphRuns {
    fn new(glyphs: &[PlacedGlyph]) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (index, glyph) in glyphs.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if (glyph.start() - glyphs[index - 1].end()).hypot() < glyph.size() => {
                    run.end = index + 1;
                }
                _ => runs.push(index..index + 1),
            }
        }
        Self(runs)
    }

    /// Returns the number of the run that contains a glyph.
    fn number(&self, index: usize) -> usize {
        self.0.partition_point(|run| run.end <= index)
    }
}

impl DrawnGlyphs<'_> {
    /// Draws the glyph with this index, which is the next one, and returns the one that it repeats.
    fn draw(&mut self, index: usize) -> Option<usize> {
        self.before.push(None);
        let glyph = &self.glyphs[index];
        let first = glyph.text().chars().next().filter(|_| !glyph.is_blank())?;
        let height = glyph.size().log2().round();
        let side = height.exp2();
        let at = glyph.start();
        let width = (glyph.end() - at).hypot().min(side);
        let cell = |x: f64, y: f64| GridCell {
            first,
            height: height as i32,
            x: (x / side).floor() as i32,
            y: (y / side).floor() as i32,
        };
        // The glyph may be written in any direction, so the reach is the same on both axes.
        let reach = (ASIDE * width).max(ABOVE * glyph.size());
        let low = cell(at.x - reach, at.y - reach);
        let high = cell(at.x + reach, at.y + reach);
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                let near = self.cells.get(&GridCell { x, y, ..low });
                if let Some(same) = near.and_then(|near| self.find_same(glyph, *near)) {
                    return Some(same);
                }
            }
        }
        let number = u32::try_from(index).ok();
        if let Some(number) = number {
            self.before[index] = self.cells.insert(cell(at.x, at.y), number);
        }
        None
    }

    /// Returns the glyph that another one repeats: the last one of a cell or one of those before
    /// it.
    fn find_same(&self, glyph: &PlacedGlyph, last: u32) -> Option<usize> {
        let mut near = Some(last);
        for _ in 0..CELL_GLYPHS {
            let index = usize::try_from(near?).ok()?;
            if is_same(&self.glyphs[index], glyph) {
                return Some(index);
            }
            near = self.before[index];
        }
        None
    }
}

/// Returns true if two glyphs represent the same at the same position.
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
