//! Settings and data: an outline of a file's entries by key.

use std::ops::ControlFlow;

use docent_data::{DataEntry, DataFormat, DataKind, Visitor, one_line, visit};
use docent_text::sort::sort_by_key;
use docent_text::time_budget::TimeBudget;

use crate::limits::DATA_OUTLINE_VALUE_CHARS;

/// An entry of an outline.
struct OutlineLine {
    depth: usize,
    /// The line without its end, which is the size of a table.
    line: String,
    children: Option<(DataKind, usize)>,
}

/// Collects the entries that an outline may show.
struct DataOutline<'p, 't> {
    lines: Vec<OutlineLine>,
    /// Characters of the entries of each depth.
    chars: Vec<usize>,
    /// Indices of the open tables, `None` for those that are not kept.
    open: Vec<Option<usize>>,
    /// Number of entries on the first level.
    first_level: usize,
    most: usize,
    time_budget: &'p mut TimeBudget<'t>,
}

/// Returns the keys of a file with their lines, in about `chars` characters: those of the first
/// level, then those below them level by level, as far as they fit. Empty if its format is unknown
/// or it has no keys.
pub fn overview(name: &str, text: &str, chars: usize, time_budget: &mut TimeBudget<'_>) -> String {
    let Some(format) = DataFormat::from_name(name) else {
        return String::new();
    };
    let mut outline = DataOutline {
        lines: Vec::new(),
        chars: Vec::new(),
        open: Vec::new(),
        first_level: 0,
        most: chars,
        time_budget,
    };
    visit(format, text, &mut outline);
    outline.into_text()
}

impl Visitor for DataOutline<'_, '_> {
    fn entry(&mut self, entry: &DataEntry<'_, '_>) -> ControlFlow<()> {
        let is_over = self.time_budget.is_over_after(entry.value.len() + 1);
        let is_open = matches!(entry.kind, DataKind::Table | DataKind::List);
        let is_key = entry.kind != DataKind::Text;
        self.first_level += usize::from(is_key && entry.depth == 0);
        let fits = is_key && self.has_room(entry.depth);
        if fits {
            let line = outline_line(entry);
            self.chars[entry.depth] += line.chars().count() + 1;
            self.lines.push(OutlineLine {
                depth: entry.depth,
                line,
                children: is_open.then_some((entry.kind, 0)),
            });
        }
        if is_open {
            let place = self.lines.len().saturating_sub(1);
            self.open.push(fits.then_some(place));
        }
        if is_over && !self.lines.is_empty() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, children: usize) {
        if let Some(place) = self.open.pop().flatten()
            && let Some((_, count)) = &mut self.lines[place].children
        {
            *count = children;
        }
    }
}

impl DataOutline<'_, '_> {
    /// Returns true if there is room for entries of this depth; upper levels take precedence.
    fn has_room(&mut self, depth: usize) -> bool {
        if self.chars.len() <= depth {
            self.chars.resize(depth + 1, 0);
        }
        self.chars[..=depth].iter().sum::<usize>() <= self.most
    }

    fn into_text(self) -> String {
        let mut places: Vec<usize> = (0..self.lines.len()).collect();
        sort_by_key(&mut places, |&place| self.lines[place].depth);
        let mut left = self.most;
        let mut shown = Vec::new();
        for place in places {
            let entry = &self.lines[place];
            let end = entry.children.map_or(0, |_| " {1000 keys}".len());
            let length = entry.line.chars().count() + end + 1;
            // At least one line is shown, however little room there is.
            if length > left && !shown.is_empty() {
                break;
            }
            left = left.saturating_sub(length);
            shown.push(place);
        }
        shown.sort_unstable();
        let mut text = String::new();
        for (index, &place) in shown.iter().enumerate() {
            let entry = &self.lines[place];
            text.push_str(&entry.line);
            let next = shown.get(index + 1).map(|&next| self.lines[next].depth);
            let is_folded = next.is_none_or(|depth| depth <= entry.depth);
            if let Some((kind, count)) = entry.children.filter(|_| is_folded) {
                text.push_str(&describe_folded(kind, count));
            }
            text.push('\n');
        }
        // Omitted entries of the first level are counted here. Those below are counted by the
        // folded table that contains them, as in `dependencies: {12 keys}`.
        let is_first = |place: &&usize| self.lines[**place].depth == 0;
        let rest = self.first_level - shown.iter().filter(is_first).count();
        if rest > 0 {
            text.push_str(&format!("... {rest} more\n"));
        }
        text
    }
}

/// Returns the placeholder for the entries of a table or a list.
fn describe_folded(kind: DataKind, count: usize) -> String {
    match (kind, count) {
        (DataKind::List, 1) => " [1 item]".to_owned(),
        (DataKind::List, count) => format!(" [{count} items]"),
        (_, 0) => String::new(),
        (_, 1) => " {1 key}".to_owned(),
        (_, count) => format!(" {{{count} keys}}"),
    }
}

/// Returns an entry as a line of an outline, with its own key only: the keys above it are on the
/// lines above.
fn outline_line(entry: &DataEntry<'_, '_>) -> String {
    let head = entry.head(entry.own());
    let value = one_line(&entry.shown_value(), DATA_OUTLINE_VALUE_CHARS);
    let indent = "  ".repeat(entry.depth);
    let number = entry.lines.first;
    match entry.kind {
        DataKind::Table | DataKind::List if value.is_empty() => {
            format!("{number}: {indent}{head}:")
        }
        DataKind::Table | DataKind::List => format!("{number}: {indent}{head}: {value}"),
        DataKind::Row => format!("{number}: {value}"),
        _ if head.is_empty() => format!("{number}: {indent}{value}"),
        _ if value.is_empty() => format!("{number}: {indent}{head}"),
        _ => format!("{number}: {indent}{head} = {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(name: &str, text: &str, chars: usize) -> String {
        overview(name, text, chars, &mut TimeBudget::unlimited())
    }

    #[test]
    fn an_outline_goes_as_deep_as_it_fits() {
        let text = "{\n\"name\": \"app\",\n\"scripts\": {\n\"test\": \"jest\"\n},\n\"files\": [\n\"a\",\n\"b\"\n]\n}\n";
        assert_eq!(
            outline("package.json", text, 1_000),
            "2: name = \"app\"\n3: scripts:\n4:   test = \"jest\"\n6: files:\n7:   [0] = \"a\"\n8:   [1] = \"b\"\n"
        );
        assert_eq!(
            outline("package.json", text, 80),
            "2: name = \"app\"\n3: scripts: {1 key}\n6: files: [2 items]\n"
        );
        assert_eq!(
            outline("package.json", text, 1),
            "2: name = \"app\"\n... 2 more\n"
        );
    }
}
