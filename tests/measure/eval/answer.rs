//! Parser of Markdown answers: the files that an answer names, and the text that it shows of them.
//!
//! It relies on only two properties of the layout: text of files is in fences, and a line outside
//! of them that names a file begins the part about that file.

use std::collections::BTreeSet;

/// The paths of a tree, by which words of an answer are recognized as files.
pub type Paths = BTreeSet<String>;

/// The first and the last line of a range, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    pub first: usize,
    pub last: usize,
}

/// The part of an answer about one file, from the line that names it to the next line that names
/// one.
#[derive(Debug)]
pub struct Item<'a> {
    /// Path of the file.
    pub path: &'a str,
    /// Byte offset of its start in the answer.
    pub start: usize,
    names: Vec<&'a str>,
    range: Option<Lines>,
    rows: Vec<Row<'a>>,
}

/// A line of an answer.
#[derive(Debug)]
struct Row<'a> {
    text: &'a str,
    /// Byte offset of its end in the answer.
    end: usize,
    is_fenced: bool,
}

/// Returns the items of an answer about files of `known`.
pub fn items<'a>(answer: &'a str, known: &Paths) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'a>> = Vec::new();
    let mut start = 0;
    let mut fence: Option<usize> = None;
    for text in answer.split('\n') {
        let end = start + text.len();
        let ticks = ticks(text);
        let was_fenced = fence.is_some();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks >= open && text.trim().trim_matches('`').is_empty() => {
                fence = None;
            }
            _ => {}
        }
        let is_fenced = was_fenced || fence.is_some();
        if !is_fenced && !is_call(text) {
            name_files(&mut items, text, start, known);
        }
        if let Some(item) = items.last_mut() {
            item.rows.push(Row {
                text,
                end,
                is_fenced,
            });
        }
        start = end + 1;
    }
    items
}

/// Returns true if a line states the next call, which repeats the request.
fn is_call(text: &str) -> bool {
    text.starts_with("Next: ") || text.starts_with("Pack: ")
}

fn ticks(text: &str) -> usize {
    let text = text.trim_start();
    text.len() - text.trim_start_matches('`').len()
}

/// Begins an item with the first file that a line names. Further files with the same content are
/// added as names to the previous item.
fn name_files<'a>(items: &mut Vec<Item<'a>>, text: &'a str, start: usize, known: &Paths) {
    let mut is_further = text
        .trim_start()
        .to_ascii_lowercase()
        .starts_with("also in");
    for (path, range) in paths(text, known) {
        if !is_further || items.is_empty() {
            items.push(Item {
                path,
                start,
                names: Vec::new(),
                range,
                rows: Vec::new(),
            });
            is_further = true;
        }
        if let Some(item) = items.last_mut().filter(|item| !item.names.contains(&path)) {
            item.names.push(path);
        }
    }
}

/// Returns the files that a line names, each with the line range after its path.
fn paths<'a>(text: &'a str, known: &Paths) -> Vec<(&'a str, Option<Lines>)> {
    let ends_word = |c: char| c.is_whitespace() || "`\"'()[]<>|,;".contains(c);
    text.split(ends_word)
        .map(|word| word.trim_start_matches('*'))
        .filter_map(|word| {
            let before = |sign| word.split(sign).next().unwrap_or(word);
            let bare = word.trim_end_matches(['.', ':', '*']);
            let path = [word, before(':'), before('#'), bare]
                .into_iter()
                .find(|path| known.contains(*path))?;
            let lines = word[path.len()..].strip_prefix(':').and_then(range);
            Some((path, lines))
        })
        .collect()
}

/// Parses the line range at the beginning of a text: `12-30`, or `12`.
fn range(text: &str) -> Option<Lines> {
    let (first, rest) = number(text)?;
    let last = rest.strip_prefix('-').and_then(number);
    Some(Lines {
        first,
        last: last.map_or(first, |(last, _)| last),
    })
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

/// Returns the end of the line that first names a file, and the rank of the file among the named
/// ones, from 1.
pub fn named(items: &[Item<'_>], path: &str) -> Option<(usize, usize)> {
    let mut seen = Vec::new();
    for item in items {
        for name in &item.names {
            if !seen.contains(name) {
                seen.push(name);
            }
            if *name == path {
                return Some((item.rows.first()?.end, seen.len()));
            }
        }
    }
    None
}

/// Returns the share of `lines`, without blank ones, that items that name `path` show within the
/// first `within` bytes of the answer.
pub fn share_shown<'a>(
    items: &[Item<'_>],
    path: &str,
    lines: impl Iterator<Item = &'a str>,
    within: usize,
) -> f64 {
    let text = shown(items, path, within);
    let (mut all, mut found) = (0_u32, 0_u32);
    for line in lines.map(plain).filter(|line| !line.is_empty()) {
        all += 1;
        found += u32::from(text.contains(&line));
    }
    f64::from(found) / f64::from(all.max(1))
}

/// Returns the text of items that name `path` within the first `within` bytes of the answer, line
/// by line.
pub fn shown(items: &[Item<'_>], path: &str, within: usize) -> String {
    let mut text = String::new();
    let named = items.iter().filter(|item| item.names.contains(&path));
    for row in named.flat_map(|item| &item.rows) {
        if row.end <= within {
            text.push_str(&plain(row.text));
            text.push('\n');
        }
    }
    text
}

/// Collapses each run of white space in a text into one space.
pub fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true if line `number` of a file is shown: by its number, or by its text within a stated
/// line range.
pub fn shows_line(items: &[Item<'_>], path: &str, number: usize, text: &str) -> bool {
    let text = plain(text);
    let mut of_path = items.iter().filter(|item| item.path == path);
    of_path.any(|item| {
        let mut about = item.range;
        item.rows.iter().any(|row| {
            if !row.is_fenced {
                about = begins_with_range(row.text).or(about);
            }
            let is_inside = || about.is_some_and(|at| (at.first..=at.last).contains(&number));
            tells_number(row, number)
                || row.is_fenced && is_inside() && plain(row.text).contains(&text)
        })
    })
}

/// Parses the line range at the beginning of an answer's line, after any markup.
fn begins_with_range(text: &str) -> Option<Lines> {
    let (first, rest) = number(text.trim_start_matches(|c: char| !c.is_alphanumeric()))?;
    let (last, rest) = number(rest.strip_prefix('-')?)?;
    let is_over = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    is_over.then_some(Lines { first, last })
}

/// Returns true if a line contains a number that is neither part of another number nor the end of a
/// range; in a fence, only before the first word.
fn tells_number(row: &Row<'_>, number: usize) -> bool {
    let number = number.to_string();
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    row.text.match_indices(&number).any(|(at, _)| {
        let (before, behind) = (&row.text[..at], &row.text[at + number.len()..]);
        let is_first = || !before.contains(|c: char| c.is_alphanumeric() || c == '_');
        !before.ends_with(is_part) && !behind.starts_with(is_part) && (!row.is_fenced || is_first())
    })
}

impl Item<'_> {
    /// Returns the lines that the item is about: those after its path, or the first range at the
    /// beginning of one of its lines.
    pub fn lines(&self) -> Option<Lines> {
        let mut rows = self.rows.iter().skip(1);
        self.range
            .or_else(|| rows.find_map(|row| begins_with_range(row.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "What stands between fences is the files' text.

## guide/a.md:3-5 Cache (2 hits)
````
see b.md
```
a  line
```
````
Also in b.md, c.md

# Code

## src/x.py
12-14 def spoken()
```
said()
```
20: spoken()

Next: explore with d.md";

    fn known() -> Paths {
        ["guide/a.md", "b.md", "c.md", "d.md", "src/x.py"]
            .map(str::to_owned)
            .into()
    }

    #[test]
    fn items_begin_where_a_file_is_named_outside_fences() {
        let items = items(ANSWER, &known());
        let paths: Vec<&str> = items.iter().map(|item| item.path).collect();
        assert_eq!(paths, ["guide/a.md", "src/x.py"]);
        assert_eq!(items[0].start, ANSWER.find("## guide").unwrap());
        assert_eq!(items[0].lines(), Some(Lines { first: 3, last: 5 }));
        assert_eq!(
            items[1].lines(),
            Some(Lines {
                first: 12,
                last: 14
            })
        );
    }

    #[test]
    fn files_are_counted_in_the_order_in_which_they_are_named() {
        let items = items(ANSWER, &known());
        let end = ANSWER.find("## guide").unwrap() + "## guide/a.md:3-5 Cache (2 hits)".len();
        assert_eq!(named(&items, "guide/a.md"), Some((end, 1)));
        assert_eq!(named(&items, "c.md"), Some((end, 3)));
        assert_eq!(named(&items, "d.md"), None);
    }

    #[test]
    fn lines_are_shown_whatever_their_blanks_and_within_so_many_bytes() {
        let items = items(ANSWER, &known());
        let lines = || ["a line", "", "gone"].into_iter();
        let share = |path, within| share_shown(&items, path, lines(), within);
        assert!((share("guide/a.md", usize::MAX) - 0.5).abs() < 1e-9);
        assert!((share("b.md", usize::MAX) - 0.5).abs() < 1e-9);
        assert!(share("guide/a.md", 100) < 1e-9);
        assert!(share("src/x.py", usize::MAX) < 1e-9);
    }

    #[test]
    fn a_line_is_shown_by_its_number_or_inside_a_range() {
        let items = items(ANSWER, &known());
        assert!(shows_line(&items, "src/x.py", 20, "spoken()"));
        assert!(!shows_line(&items, "src/x.py", 2, "spoken()"));
        assert!(!shows_line(&items, "src/x.py", 14, "gone"));
        assert!(shows_line(&items, "src/x.py", 13, "  said()"));
        assert!(shows_line(&items, "guide/a.md", 4, "a line"));
        assert!(!shows_line(&items, "guide/a.md", 6, "a line"));
    }

    #[test]
    fn paths_are_known_with_lines_and_parts() {
        let known = known();
        let one = |text| paths(text, &known).first().copied();
        assert_eq!(
            one("- **src/x.py:12** spoken"),
            Some((
                "src/x.py",
                Some(Lines {
                    first: 12,
                    last: 12
                })
            ))
        );
        assert_eq!(one("src/x.py#spoken"), Some(("src/x.py", None)));
        assert_eq!(one("see b.md."), Some(("b.md", None)));
        assert_eq!(one("b.mdx"), None);
    }
}
