//! Settings and data: the keys whose entries match a query.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use docent_api::pillars::LineRange;
use docent_data::{DataEntry, DataFormat, DataKind, Visitor, one_line, visit};
use docent_rank::bm25::Bm25Query;
use docent_text::lines::with_ends;
use docent_text::matching::finder::{Case, Finder};
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by_key;
use docent_text::time_budget::TimeBudget;
use docent_text::words::identifier;

use crate::limits::{DATA_HITS, HIT_LINE_CHARS};

/// Match of a file of settings with a query.
pub struct DataHits {
    /// The matching entries, a line each: `LINE: path = value`, best first.
    pub text: String,
    /// Number of matching entries.
    pub hits: usize,
    /// From the first to the last of their lines.
    pub range: Option<LineRange>,
}

/// Weight of an entry's match with a query, the highest first: number of different words in the
/// entry and the keys above it, in the entry, and in its own key.
type Worth = (u32, u32, u32);

/// An entry that contains some of the query.
struct DataHit {
    worth: Worth,
    number: u32,
    line: String,
}

/// Search for a query in one entry after another.
struct DataSearch<'q, 'p, 'c> {
    query: &'q str,
    terms: &'q Bm25Query,
    /// The name or path of keys, if the query is one.
    name: Option<(&'q str, Finder)>,
    /// Terms in the keys of each open table, from the outermost on.
    above: Vec<Vec<bool>>,
    /// For each open table, true if the query names it.
    named_above: Vec<bool>,
    by_words: HitCollector,
    by_name: HitCollector,
    time_budget: &'p mut TimeBudget<'c>,
}

/// The best hits, and the number of all.
#[derive(Default)]
struct HitCollector {
    best: Vec<DataHit>,
    count: usize,
}

/// Returns the entries of a file that match a query: a lone identifier or path of keys as written
/// if any entry contains it, else any of the terms. Returns `None` if no entry matches.
///
/// If the time is over, the result has only the entries found until then.
pub fn best(
    name: &str,
    text: &str,
    query: &str,
    terms: &Bm25Query,
    time_budget: &mut TimeBudget<'_>,
) -> Option<DataHits> {
    let format = DataFormat::from_name(name)?;
    let mut search = DataSearch {
        query,
        terms,
        name: identifier::find(query).map(|name| (name, Finder::new(name, Case::Ignored))),
        above: Vec::new(),
        named_above: Vec::new(),
        by_words: HitCollector::default(),
        by_name: HitCollector::default(),
        time_budget,
    };
    visit(format, text, &mut search);
    let hits = if search.by_name.count > 0 {
        search.by_name
    } else {
        search.by_words.keep_near();
        search.by_words
    };
    hits.into_answer()
}

impl HitCollector {
    /// Adds a hit; `line` is called only if it is among the best.
    fn add(&mut self, worth: Worth, number: u32, line: impl FnOnce() -> String) {
        self.count += 1;
        self.best.push(DataHit {
            worth,
            number,
            line: line(),
        });
        // The list is sorted only when it has grown to four times the number of hits kept. Each
        // hit then takes part in a few sorts at most, and a file of millions of entries needs
        // memory for a few hundred.
        if self.best.len() >= 4 * DATA_HITS {
            self.keep_best();
        }
    }

    fn keep_best(&mut self) {
        sort_by_key(&mut self.best, |hit| Reverse(hit.worth));
        self.best.truncate(DATA_HITS);
    }

    /// Removes entries that contain less than half as many words as the best.
    fn keep_near(&mut self) {
        self.keep_best();
        let best = self.best.first().map_or(0, |hit| hit.worth.0);
        self.best.retain(|hit| 2 * hit.worth.0 >= best);
    }

    fn into_answer(mut self) -> Option<DataHits> {
        self.keep_best();
        let numbers = self.best.iter().map(|hit| hit.number);
        let first = numbers.clone().min()?;
        let last = numbers.max()?;
        let mut text = String::new();
        for hit in &self.best {
            text.push_str(&hit.line);
            text.push('\n');
        }
        let rest = self.count - self.best.len();
        if rest > 0 {
            text.push_str(&format!("... {rest} more\n"));
        }
        Some(DataHits {
            text,
            hits: self.count,
            range: Some(LineRange { first, last }),
        })
    }
}

impl Visitor for DataSearch<'_, '_, '_> {
    fn entry(&mut self, entry: &DataEntry<'_, '_>) -> ControlFlow<()> {
        let in_key = self.key_counts(entry);
        let is_named = self.take_named(entry);
        self.take_words(entry, &in_key);
        if matches!(entry.kind, DataKind::Table | DataKind::List) {
            self.above.push(in_key);
            self.named_above.push(is_named);
        }
        let bytes = entry.value.len() + entry.note.len() + 1;
        let is_found = self.by_words.count + self.by_name.count > 0;
        // As in code, the search continues until the first hit whatever the time is: a file was
        // chosen because it contains the words, and an item without any line would not explain
        // that.
        if self.time_budget.is_over_after(bytes) && is_found {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, _: usize) {
        self.above.pop();
        self.named_above.pop();
    }
}

impl DataSearch<'_, '_, '_> {
    /// Returns, for each term, true if it occurs in an entry's own keys.
    fn key_counts(&self, entry: &DataEntry<'_, '_>) -> Vec<bool> {
        let mut held = vec![false; self.terms.terms().len()];
        if entry.kind != DataKind::Text {
            for key in entry.own().0.iter().filter_map(|step| step.key()) {
                add(&mut held, &self.terms_in(key));
            }
        }
        held
    }

    fn terms_in(&self, text: &str) -> Vec<bool> {
        let mut counts = vec![0; self.terms.terms().len()];
        self.terms.count_plain(text, 1, &mut counts);
        counts.into_iter().map(|count| count > 0).collect()
    }

    /// Takes an entry whose key is the requested name or that contains it; returns true if the
    /// entries below it belong to that key.
    fn take_named(&mut self, entry: &DataEntry<'_, '_>) -> bool {
        let Some((name, finder)) = &self.name else {
            return false;
        };
        let has_value = entry.kind != DataKind::Text;
        let is_key = has_value && entry.own_steps > 0 && entry.path.ends_with(name);
        let is_below = self.named_above.last().is_some_and(|is_named| *is_named);
        let is_in = |text: &str| finder.hits(text).next().is_some();
        let is_in_key = || {
            let keys = entry.own().0.iter().filter_map(|step| step.key());
            has_value && keys.into_iter().any(is_in)
        };
        let is_in_value = is_in(entry.value) || is_in(entry.note);
        let worth = match (is_key, is_in_value, is_below) {
            (true, ..) => 4,
            (false, false, false) if is_in_key() => 3,
            (false, true, _) => 2,
            (false, false, true) => 1,
            (false, false, false) => return false,
        };
        if worth == 2 && entry.lines.last > entry.value_line {
            let worth = |search: &Self, line: &str| {
                let (_, finder) = search.name.as_ref()?;
                finder.hits(line).next().map(|_| (worth, 0, 0))
            };
            self.take_lines(entry, worth, |search| &mut search.by_name);
        } else {
            let (query, hits) = (self.query, &mut self.by_name);
            hits.add((worth, 0, 0), entry.lines.first, || {
                quote_entry(entry, query)
            });
        }
        is_key || is_below
    }

    fn take_words(&mut self, entry: &DataEntry<'_, '_>, in_key: &[bool]) {
        let mut own = self.terms_in(entry.value);
        add(&mut own, &self.terms_in(entry.note));
        let in_value = own.iter().any(|held| *held);
        add(&mut own, in_key);
        if count(&own) == 0 {
            return;
        }
        let above = self.terms_above();
        if in_value && entry.lines.last > entry.value_line && entry.kind != DataKind::Row {
            let key = in_key.to_vec();
            let worth = |search: &Self, line: &str| {
                let mut own = search.terms_in(line);
                let in_line = count(&own);
                add(&mut own, &key);
                add(&mut own, &above);
                (in_line > 0).then(|| (count(&own), in_line, 0))
            };
            self.take_lines(entry, worth, |search| &mut search.by_words);
            return;
        }
        let worth = |all: &[bool]| (count(all), count(&own), count(in_key));
        let mut all = own.clone();
        add(&mut all, &above);
        let (query, hits) = (self.query, &mut self.by_words);
        hits.add(worth(&all), entry.lines.first, || quote_entry(entry, query));
    }

    /// Takes the matching lines of a long value, to the hits returned by `list`.
    fn take_lines(
        &mut self,
        entry: &DataEntry<'_, '_>,
        worth: impl Fn(&Self, &str) -> Option<Worth>,
        list: impl Fn(&mut Self) -> &mut HitCollector,
    ) {
        let path = entry.head(entry.path);
        for (number, line) in (entry.value_line..).zip(with_ends(entry.value)) {
            let Some(worth) = worth(self, line) else {
                continue;
            };
            let text = around(line, self.query);
            let shown = match path.is_empty() || entry.kind == DataKind::Text {
                true => format!("{number}: {text}"),
                false => format!("{number}: {path}: {text}"),
            };
            list(self).add(worth, number, || shown);
        }
    }

    fn terms_above(&self) -> Vec<bool> {
        let mut held = vec![false; self.terms.terms().len()];
        for table in &self.above {
            add(&mut held, table);
        }
        held
    }
}

fn add(held: &mut [bool], more: &[bool]) {
    for (held, more) in held.iter_mut().zip(more) {
        *held |= more;
    }
}

fn count(held: &[bool]) -> u32 {
    saturating_u32(held.iter().filter(|held| **held).count())
}

/// Returns an entry as a line with its number; of a value too long for one line, a window around
/// the query.
fn quote_entry(entry: &DataEntry<'_, '_>, query: &str) -> String {
    let number = entry.lines.first;
    let line = format!("{number}: {entry}");
    if !line.ends_with('…') || matches!(entry.kind, DataKind::Table | DataKind::List) {
        return line;
    }
    let value = match entry.kind {
        DataKind::Row => row(entry, query),
        _ => around(entry.value, query),
    };
    let path = entry.head(entry.path);
    match entry.kind {
        DataKind::Text => format!("{number}: {value}"),
        DataKind::Row => format!("{number}: {path} {value}"),
        _ if path.is_empty() => format!("{number}: {value}"),
        _ => format!("{number}: {path} = {value}"),
    }
}

/// Returns the first field of a long row, which identifies it, and the fields that contain a word
/// of the query.
fn row(entry: &DataEntry<'_, '_>, query: &str) -> String {
    let words: Vec<Finder> = finders(query);
    let mut out = String::new();
    for (index, (column, field)) in entry.fields().enumerate() {
        let holds = |finder: &Finder| finder.hits(field).next().is_some();
        if index > 0 && !words.iter().any(holds) {
            continue;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        if let Some(column) = column {
            out.push_str(&one_line(column, HIT_LINE_CHARS));
            out.push_str(" = ");
        }
        out.push_str(&around(field, query));
        if out.len() > 2 * HIT_LINE_CHARS {
            break;
        }
    }
    out
}

/// Returns a text on one line; of a long one, a window around the first word of the query.
fn around(text: &str, query: &str) -> String {
    let text = text.trim();
    if text.len() <= HIT_LINE_CHARS {
        return one_line(text, HIT_LINE_CHARS);
    }
    let hits = finders(query);
    let first = hits
        .iter()
        .filter_map(|finder| finder.hits(text).next())
        .map(|span| span.start)
        .min();
    // A quarter of the window precedes the hit and the rest follows it.
    let before = first.unwrap_or(0).saturating_sub(HIT_LINE_CHARS / 4);
    let from = text.floor_char_boundary(before);
    let shown = one_line(&text[from..], HIT_LINE_CHARS);
    if from > 0 {
        format!("…{shown}")
    } else {
        shown
    }
}

fn finders(query: &str) -> Vec<Finder> {
    let words = query.split_whitespace();
    words.map(|word| Finder::new(word, Case::Ignored)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"app\"\nrust-version = \"1.95\"\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n\n[dependencies.tokio]\nversion = \"1.40\"\n";

    fn find(name: &str, text: &str, query: &str) -> String {
        let best = best(
            name,
            text,
            query,
            &Bm25Query::new(query),
            &mut TimeBudget::unlimited(),
        );
        best.map_or(String::new(), |best| best.text)
    }

    #[test]
    fn by_the_path_of_keys() {
        for (query, expected) in [
            ("rust-version", "3: package.rust-version = \"1.95\"\n"),
            (
                "dependencies.serde",
                "6: dependencies.serde:\n6: dependencies.serde.version = \"1\"\n6: dependencies.serde.features = [\"derive\"]\n",
            ),
            ("serde.version", "6: dependencies.serde.version = \"1\"\n"),
            ("derive", "6: dependencies.serde.features = [\"derive\"]\n"),
        ] {
            assert_eq!(find("Cargo.toml", MANIFEST, query), expected, "{query}");
        }
        assert_eq!(find("Cargo.toml", MANIFEST, "nothing"), "");
    }

    #[test]
    fn most_words_come_first() {
        let text = find("Cargo.toml", MANIFEST, "tokio version");
        assert!(
            text.starts_with("9: dependencies.tokio.version = \"1.40\"\n"),
            "{text}"
        );
        assert!(
            text.contains("6: dependencies.serde.version = \"1\"\n"),
            "{text}"
        );
    }

    #[test]
    fn lines_of_a_long_value_are_shown_alone() {
        let text = "run: |\n  set -e\n  cargo test --all\n  echo done\n환경:\n  이름: 운영 서버\n";
        assert_eq!(find("ci.yml", text, "cargo"), "3: run: cargo test --all\n");
        assert_eq!(find("ci.yml", text, "서버"), "6: 환경.이름 = 운영 서버\n");
        let text = format!(
            "{{\"a\": \"{} needle {}\"}}",
            "x ".repeat(5_000),
            "y ".repeat(5_000)
        );
        let line = find("a.json", &text, "needle");
        assert!(
            line.starts_with("1: a = …") && line.contains(" needle y"),
            "{line}"
        );
        assert!(line.len() < 300, "{line}");
    }

    #[test]
    fn rows_are_shown_with_their_columns() {
        let text = "id,name,city\n1,Kim,Seoul\n2,Lee,Busan\n";
        assert_eq!(
            find("a.csv", text, "busan"),
            "3: [2] id = 2, name = Lee, city = Busan\n"
        );
        let text = format!("id,note,city\n7,{},Busan\n", "long ".repeat(100));
        assert_eq!(
            find("a.csv", &text, "busan"),
            "2: [1] id = 7, city = Busan\n"
        );
    }

    #[test]
    fn many_hits_are_counted() {
        let text = "key: value\n".repeat(10 * DATA_HITS);
        let text = find("a.yml", &text, "value");
        assert_eq!(text.lines().count(), DATA_HITS + 1);
        assert!(
            text.starts_with("1: key = value\n2: key = value\n"),
            "{text}"
        );
        assert!(
            text.ends_with(&format!("... {} more\n", 9 * DATA_HITS)),
            "{text}"
        );
    }
}
