//! Text of a document for people: its path and lines, with the words of the query marked, and on a
//! terminal folded to the height of the screen.

use std::io::{self, Write};
use std::path::Path;

use super::fold::{self, Folded};
use super::page::Page;
use super::screen::{Screen, columns};
use super::style::{DIM, HEADING, HIT, LINE, PATH, Paint, Style, count_noun, visible};
use super::words::MarkedWords;

/// The treatment of texts that are longer than the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// They are folded.
    Long,
    /// They are shown in full.
    Nothing,
}

/// The markup of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// A document, in which some lines are headings.
    Document,
    /// An outline, whose lines begin with line numbers.
    Outline,
    /// Any other text.
    Other,
}

/// The source of a text.
#[derive(Clone, Copy, Debug)]
pub struct PassageSource<'a> {
    /// Path of its file, relative to the current directory if possible.
    pub path: &'a str,
    /// First and last line.
    pub lines: Option<(u64, u64)>,
    /// Target of the link on the path.
    pub target: &'a Path,
}

impl<W: Write> Page<W> {
    /// Writes the source of a text, with a note beside it; on a screen too narrow for both, the
    /// note is below.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn source(&mut self, source: PassageSource<'_>, beside: &str) -> io::Result<()> {
        let path = visible(source.path);
        let lines = match source.lines {
            Some((first, last)) if first < last => format!("{first}-{last}"),
            Some((first, _)) => first.to_string(),
            None => String::new(),
        };
        let paint = self.paint;
        let shown = paint.link(source.target, &paint.style(PATH, &path));
        write!(self.output, "{shown}")?;
        let mut width = columns(&path);
        if !lines.is_empty() {
            width += 1 + lines.len();
            write!(self.output, ":{}", paint.style(LINE, lines))?;
        }
        let beside = visible(beside);
        if !beside.is_empty() {
            let all = width + GAP.len() + columns(&beside);
            let is_narrow = self.screen.is_some_and(|screen| all > screen.columns);
            let gap = if is_narrow { BELOW } else { GAP };
            write!(self.output, "{gap}{}", paint.style(DIM, beside))?;
        }
        writeln!(self.output)
    }

    /// Writes a text, with `words` marked if the output is coloured.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn passage(
        &mut self,
        text: &str,
        markup: Markup,
        words: &MarkedWords,
        fold: Fold,
    ) -> io::Result<()> {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let screen = self.screen.filter(|_| fold == Fold::Long);
        let has_hit = |line: &str| !words.hits(line).is_empty();
        let folded = screen.and_then(|screen| Some((screen, fold::fold(&lines, screen, has_hit)?)));
        let Some((screen, folded)) = folded else {
            return self.lines(&lines, markup, words, None);
        };
        self.lines(&lines, markup, words, Some((screen, folded)))?;
        let left = match (lines.len() - folded.to, folded.cut) {
            (0, None) => return Ok(()),
            (0, Some(_)) => "more of this line".to_owned(),
            (more, _) => count_noun(more as u64, "more line"),
        };
        self.omission_note(&format!("{left} {TO_SHOW}"))
    }

    /// Writes the lines of a text, or the visible part of them on a screen.
    fn lines(
        &mut self,
        lines: &[&str],
        markup: Markup,
        words: &MarkedWords,
        folded: Option<(Screen, Folded)>,
    ) -> io::Result<()> {
        let (from, to) = folded.map_or((0, lines.len()), |(_, folded)| (folded.from, folded.to));
        let cut = folded.and_then(|(screen, folded)| Some((screen, folded.cut?)));
        let mut fence = FenceTracker::default();
        for (at, line) in lines[..to].iter().enumerate() {
            // The tracker must see the omitted lines as well: a code block that begins in one
            // of them makes `# comment` below it a line of code and not a heading.
            let is_heading = markup == Markup::Document && fence.heading(line);
            if at == from && from > 1 {
                let before = count_noun(from as u64 - 1, "line");
                let is_end = to == lines.len() && cut.is_none();
                let to_show = if is_end { TO_SHOW } else { "" };
                self.omission_note(format!("{before} {to_show}").trim_end())?;
            }
            if at > 0 && at < from {
                continue;
            }
            let line = match cut {
                Some((screen, rows)) if at + 1 == to => beginning(screen, line, rows).into(),
                _ => visible(line),
            };
            let line = match self.paint {
                Paint::Plain => line,
                paint => mark_words(paint, &line, markup, is_heading, words).into(),
            };
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    fn omission_note(&mut self, what: &str) -> io::Result<()> {
        let line = self.paint.style(DIM, format_args!("… {what}"));
        writeln!(self.output, "{line}")
    }
}

/// Hint on the option that shows the omitted lines.
const TO_SHOW: &str = "(--full to show)";

/// Separator between a path and the note beside it, and indentation of the note below it.
const GAP: &str = "  ";
const BELOW: &str = "\n  ";

/// Returns the beginning of a line that fits into `rows`, followed by an ellipsis.
fn beginning(screen: Screen, line: &str, rows: usize) -> String {
    let line = visible(line);
    let mut begin = format!("{}…", screen.cut(&line, rows));
    while screen.rows_of(&begin) > rows {
        begin.pop();
        begin.pop();
        begin.push('…');
    }
    begin
}

/// Returns a line with its marks in colour.
fn mark_words(
    paint: Paint,
    line: &str,
    markup: Markup,
    is_heading: bool,
    words: &MarkedWords,
) -> String {
    let numbers = match markup {
        Markup::Outline => line.len() - line.trim_start_matches(is_of_numbers).len(),
        Markup::Document | Markup::Other => 0,
    };
    let base = is_heading.then_some(HEADING);
    let mut shown = String::with_capacity(line.len() * 2);
    let mut write = |style: Option<Style>, text: &str| match style {
        _ if text.is_empty() => {}
        Some(style) => shown.push_str(&paint.style(style, visible(text))),
        None => shown.push_str(&visible(text)),
    };
    write(Some(LINE), &line[..numbers]);
    let line = &line[numbers..];
    let mut end = 0;
    for hit in words.hits(line) {
        write(base, &line[end..hit.start]);
        write(Some(HIT), &line[hit.start..hit.end]);
        end = hit.end;
    }
    write(base, &line[end..]);
    shown
}

/// Returns true for a character of the line numbers in an outline: `3-6  pub fn end()`.
fn is_of_numbers(c: char) -> bool {
    c.is_ascii_digit() || c == '-'
}

/// A tracker of Markdown code blocks, in which `#` does not start a heading.
#[derive(Default)]
struct FenceTracker(Option<&'static str>);

impl FenceTracker {
    /// Advances to the next line. Returns true if it is a heading.
    fn heading(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        match self.0 {
            Some(sign) if text.starts_with(sign) => self.0 = None,
            Some(_) => {}
            None => {
                self.0 = ["```", "~~~"]
                    .into_iter()
                    .find(|sign| text.starts_with(sign))
            }
        }
        let behind = line.trim_start_matches('#');
        let level = line.len() - behind.len();
        self.0.is_none() && (1..=6).contains(&level) && behind.starts_with(' ')
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::Layout;
    use super::*;

    const SMALL: Screen = Screen {
        columns: 20,
        rows: 8,
    };

    fn page(paint: Paint, screen: Option<Screen>) -> Page<Vec<u8>> {
        Page {
            output: Vec::new(),
            layout: Layout::Headings,
            paint,
            screen,
        }
    }

    fn shown(text: &str, markup: Markup, query: &str, paint: Paint, fold: Fold) -> String {
        let mut page = page(paint, Some(SMALL));
        let words = MarkedWords::new(query);
        page.passage(text, markup, &words, fold).unwrap();
        String::from_utf8(page.output).unwrap()
    }

    fn folded(text: &str) -> String {
        shown(text, Markup::Document, "", Paint::Plain, Fold::Long)
    }

    #[test]
    fn a_long_text_is_folded_at_the_height_of_the_screen() {
        let lines = |range: std::ops::Range<u32>| -> String {
            range.map(|number| format!("line {number}\n")).collect()
        };
        assert_eq!(folded(&lines(0..6)), lines(0..6));
        let cut = format!("{}… 2 more lines (--full to show)\n", lines(0..5));
        assert_eq!(folded(&lines(0..7)), cut);
        let whole = shown(&lines(0..7), Markup::Other, "", Paint::Plain, Fold::Nothing);
        assert_eq!(whole, lines(0..7));
        // Each character has two columns, so that each line takes two rows.
        let wide = "가나다라마바사아자차카\n".repeat(4);
        let shown = folded(&wide);
        assert_eq!(shown.lines().count(), 4, "{shown}");
        assert!(
            shown.ends_with("자…\n… 1 more line (--full to show)\n"),
            "{shown}"
        );
    }

    #[test]
    fn a_hit_far_down_is_shown_below_the_first_line() {
        let text = "# A\n```\n# b\nc\nd\ne\n# cache\n```\ng\nh\n";
        let folded = |paint| shown(text, Markup::Document, "cache", paint, Fold::Long);
        assert_eq!(
            folded(Paint::Plain),
            "# A\n… 5 lines\n# cache\n```\ng\n… 1 more line (--full to show)\n"
        );
        // In the code block that begins among the omitted lines, it is not a heading.
        assert!(folded(Paint::Colors).contains("\n# \x1b[1;31mcache\x1b[0m\n"));
        let end = text.trim_end_matches("g\nh\n");
        assert_eq!(
            shown(end, Markup::Document, "cache", Paint::Plain, Fold::Long),
            "# A\n… 4 lines (--full to show)\ne\n# cache\n```\n"
        );
    }

    #[test]
    fn a_line_longer_than_the_screen_is_cut() {
        let shown = folded(&"가".repeat(500));
        let rows: usize = shown.lines().take(1).map(|line| SMALL.rows_of(line)).sum();
        assert_eq!(rows, 5, "{shown}");
        assert!(
            shown.contains("가…\n… more of this line (--full to show)\n"),
            "{shown}"
        );
        let steering = folded(&"\u{1b}".repeat(500));
        assert_eq!(
            SMALL.rows_of(steering.lines().next().unwrap_or_default()),
            5
        );
    }

    #[test]
    fn headings_and_hits_are_marked() {
        let text = "# The cache\n\n```\n# cache\u{1b}[2J\n```\n";
        assert_eq!(
            shown(text, Markup::Document, "cache", Paint::Colors, Fold::Long),
            "\x1b[1m# The \x1b[0m\x1b[1;31mcache\x1b[0m\n\n```\n\
             # \x1b[1;31mcache\x1b[0m\\u{1b}[2J\n```\n"
        );
        assert_eq!(
            shown(
                "3-6  fn end()",
                Markup::Outline,
                "end",
                Paint::Colors,
                Fold::Long
            ),
            "\x1b[32m3-6\x1b[0m  fn \x1b[1;31mend\x1b[0m()\n"
        );
        let plain = "# The cache\n\n```\n# cache\\u{1b}[2J\n```\n";
        assert_eq!(
            shown(text, Markup::Document, "cache", Paint::Plain, Fold::Long),
            plain
        );
    }

    #[test]
    fn a_place_links_to_its_file() {
        let source = PassageSource {
            path: "d/a b.md",
            lines: Some((2, 5)),
            target: Path::new("/w/d/a b.md"),
        };
        let shown = |paint, screen, source, beside: &str| {
            let mut page = page(paint, screen);
            page.source(source, beside).unwrap();
            String::from_utf8(page.output).unwrap()
        };
        assert_eq!(
            shown(Paint::Full, Some(SMALL), source, "Top"),
            "\x1b]8;;file:///w/d/a%20b.md\x1b\\\x1b[35md/a b.md\x1b[0m\x1b]8;;\x1b\\\
             :\x1b[32m2-5\x1b[0m  \x1b[2mTop\x1b[0m\n"
        );
        // A note that does not fit beside it is shown below.
        let beside = "Top > 설정";
        assert_eq!(
            shown(Paint::Plain, Some(SMALL), source, beside),
            "d/a b.md:2-5\n  Top > 설정\n"
        );
        let one = PassageSource {
            path: "a\u{1b}",
            lines: Some((7, 7)),
            ..source
        };
        assert_eq!(shown(Paint::Plain, None, one, ""), "a\\u{1b}:7\n");
    }
}
