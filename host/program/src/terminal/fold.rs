//! Which lines of a text fit on a screen that cannot hold all of them.

use super::screen::Screen;
use super::style::visible;

/// Rows of a screen that are not for the text: the line that says where it stands, and the prompt.
const BESIDE_ROWS: usize = 2;

/// The row of a line that says how many are left out.
const FOLD_ROWS: usize = 1;

/// Rows of text that are shown on the smallest screen.
const LEAST_ROWS: usize = 3;

/// What is shown of a text that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded {
    /// The first line that is shown, from 0; where it is not the first one, that stands above.
    pub from: usize,
    /// The line behind the last one that is shown.
    pub to: usize,
    /// How many rows are shown of the last one, where that is not all of it.
    pub cut: Option<usize>,
}

/// Returns what of a text is shown: its beginning, or where that has no hit the first line that
/// has, and what follows; none where all of it fits.
pub fn fold(lines: &[&str], screen: Screen, has_hit: impl Fn(&str) -> bool) -> Option<Folded> {
    let rows: Vec<usize> = lines
        .iter()
        .map(|line| screen.rows_of(&visible(line)))
        .collect();
    let least = LEAST_ROWS + FOLD_ROWS;
    let all = screen.rows.saturating_sub(BESIDE_ROWS).max(least);
    if rows.iter().sum::<usize>() <= all {
        return None;
    }
    let room = all - FOLD_ROWS;
    let beginning = from(&rows, 0, room);
    let is_shown = |at: usize| match beginning.cut {
        Some(rows) if at + 1 == beginning.to => has_hit(screen.cut(lines[at], rows)),
        _ => has_hit(lines[at]),
    };
    if beginning.to == 1 || (0..beginning.to).any(is_shown) {
        return Some(beginning);
    }
    // Below the first line, which says what it is about, and another that counts what is left out.
    let room = room.saturating_sub(FOLD_ROWS + rows[0]);
    let hit = lines.iter().position(|line| has_hit(line));
    let at_hit = hit.map(|hit| from(&rows, hit, room));
    Some(
        at_hit
            .filter(|at_hit| room > 0 && at_hit.from > 0)
            .unwrap_or(beginning),
    )
}

/// Returns what is shown from a line on, of lines that take these rows. Where the text ends soon,
/// what stands before is shown as well.
fn from(rows: &[usize], first: usize, room: usize) -> Folded {
    let to = first + fitting(rows[first..].iter(), room);
    let left = room.saturating_sub(rows[first..to].iter().sum());
    if to < rows.len() {
        return Folded {
            from: first,
            to: to + usize::from(left > 0),
            cut: (left > 0).then_some(left),
        };
    }
    let before = fitting(rows[..first].iter().skip(1).rev(), left);
    Folded {
        from: first - before,
        to,
        cut: None,
    }
}

/// Returns how many lines, which take these rows, fit into so many.
fn fitting<'a>(rows: impl Iterator<Item = &'a usize>, room: usize) -> usize {
    let sums = rows.scan(0, |sum, rows| {
        *sum += rows;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= room).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is shown of a text on a screen of eight rows, so of five beside the last line.
    fn folded(text: &str) -> Option<(usize, usize, Option<usize>)> {
        let screen = Screen {
            columns: 20,
            rows: 8,
        };
        let lines: Vec<&str> = text.lines().collect();
        let folded = fold(&lines, screen, |line| line.contains("hit"))?;
        Some((folded.from, folded.to, folded.cut))
    }

    #[test]
    fn what_fits_is_not_folded() {
        assert_eq!(folded("a\nb\nc\nd\ne\nf"), None);
        assert_eq!(folded("a\nb\nc\nd\ne\nf\ng"), Some((0, 5, None)));
        assert_eq!(folded(&"a".repeat(500)), Some((0, 1, Some(5))));
    }

    #[test]
    fn the_first_hit_is_shown() {
        let text = |hits: &[usize]| -> String {
            let line = |at| if hits.contains(&at) { "hit\n" } else { "x\n" };
            (0..20).map(line).collect()
        };
        assert_eq!(folded(&text(&[])), Some((0, 5, None)));
        assert_eq!(folded(&text(&[4, 9])), Some((0, 5, None)));
        // The first line, how many are left out, three lines, and how many follow.
        assert_eq!(folded(&text(&[5, 9])), Some((5, 8, None)));
        assert_eq!(folded(&text(&[19])), Some((17, 20, None)));
        let long = format!("{}hit {}", text(&[]), "x".repeat(100));
        assert_eq!(folded(&long), Some((20, 21, Some(3))));
    }

    #[test]
    fn a_line_that_does_not_fit_is_begun() {
        let long = "x".repeat(100);
        assert_eq!(folded(&format!("a\nb\n{long}\nc")), Some((0, 3, Some(3))));
        // Its hit is behind what is shown of it: more of it is.
        let far = format!("a\nb\nc\nd\n{}hit\n{long}", "x".repeat(50));
        assert_eq!(folded(&far), Some((4, 5, None)));
    }
}
