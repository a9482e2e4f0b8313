//! Folding of long texts to the height of the screen.

use super::screen::Screen;
use super::style::visible;

/// Rows of the screen that are not available to the text: the line with its path, and the prompt.
const BESIDE_ROWS: usize = 2;

/// Row of the line that counts the omitted lines.
const FOLD_ROWS: usize = 1;

/// Minimum rows of text on the smallest screen.
const LEAST_ROWS: usize = 3;

/// The visible part of a long text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded {
    /// First visible line, from 0; if it is not the first of the text, that one is shown above it.
    pub from: usize,
    /// End of the visible lines, exclusive.
    pub to: usize,
    /// Number of visible rows of the last line, if it is cut.
    pub cut: Option<usize>,
}

/// Returns the visible part of a text: its beginning, or, if that contains no hit, the part from
/// the first line with one; none if the whole text fits.
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
    // The first line stays, because it is usually the heading that gives the topic, and a line
    // that counts the omitted ones follows it. The rest of the room is for the part with the
    // hit.
    let room = room.saturating_sub(FOLD_ROWS + rows[0]);
    let hit = lines.iter().position(|line| has_hit(line));
    let at_hit = hit.map(|hit| from(&rows, hit, room));
    Some(
        at_hit
            .filter(|at_hit| room > 0 && at_hit.from > 0)
            .unwrap_or(beginning),
    )
}

/// Returns the visible part from a line on, of lines with these heights. Near the end of the text,
/// it includes earlier lines as well.
fn from(rows: &[usize], first: usize, room: usize) -> Folded {
    let to = first + fit(rows[first..].iter(), room);
    let left = room.saturating_sub(rows[first..to].iter().sum());
    if to < rows.len() {
        return Folded {
            from: first,
            to: to + usize::from(left > 0),
            cut: (left > 0).then_some(left),
        };
    }
    let before = fit(rows[..first].iter().skip(1).rev(), left);
    Folded {
        from: first - before,
        to,
        cut: None,
    }
}

/// Returns the number of lines, with these heights, that fit into `room` rows.
fn fit<'a>(rows: impl Iterator<Item = &'a usize>, room: usize) -> usize {
    let sums = rows.scan(0, |sum, rows| {
        *sum += rows;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= room).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the visible part of a text on a screen of eight rows, which leaves five besides the
    /// last line.
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
        // The first line, the count of omitted lines, three lines, and the count of those that
        // follow.
        assert_eq!(folded(&text(&[5, 9])), Some((5, 8, None)));
        assert_eq!(folded(&text(&[19])), Some((17, 20, None)));
        let long = format!("{}hit {}", text(&[]), "x".repeat(100));
        assert_eq!(folded(&long), Some((20, 21, Some(3))));
    }

    #[test]
    fn a_line_that_does_not_fit_is_begun() {
        let long = "x".repeat(100);
        assert_eq!(folded(&format!("a\nb\n{long}\nc")), Some((0, 3, Some(3))));
        // The hit is beyond the visible part of its line, so more of the line is shown.
        let far = format!("a\nb\nc\nd\n{}hit\n{long}", "x".repeat(50));
        assert_eq!(folded(&far), Some((4, 5, None)));
    }
}
