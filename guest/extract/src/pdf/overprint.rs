//! Glyphs that are drawn twice to look bold, or over their own shadow. They are one.

use std::ops::Range;

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

/// Returns for each glyph whether it is left out, since another one shows the same at its place.
pub fn find(glyphs: &[PlacedGlyph]) -> Vec<bool> {
    let mut drawn = Drawn {
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

/// Leaves out the earlier run of glyphs where a later one has all of it and more: some programs draw
/// a line with some of its letters only, and all of it over that.
fn keep_whole_runs(glyphs: &[PlacedGlyph], repeated: &[Option<usize>], left_out: &mut [bool]) {
    let runs = Runs::new(glyphs);
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

/// The glyphs of a page that stand side by side as they are drawn.
struct Runs(Vec<Range<usize>>);

impl Runs {
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

    /// Returns the number of the run that a glyph is in.
    fn number(&self, index: usize) -> usize {
        self.0.partition_point(|run| run.end <= index)
    }
}

impl Drawn<'_> {
    /// Draws the glyph with an index, which is the next one, and returns the one that it repeats.
    fn draw(&mut self, index: usize) -> Option<usize> {
        self.before.push(None);
        let glyph = &self.glyphs[index];
        let first = glyph.text().chars().next().filter(|_| !glyph.is_blank())?;
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

    /// Returns the glyph that another one repeats: the last one of a cell or one of those before it.
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
