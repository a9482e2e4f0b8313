//! Answers of `explore` for people: items with their text, then items listed by name alone.

use std::io::Write;

use docent_host::tools;
use serde::Deserialize;

use crate::terminal::call::target;
use crate::terminal::error::CommandError;
use crate::terminal::page::Page;
use crate::terminal::passage::{Fold, Markup, PassageSource};
use crate::terminal::place::{GrantedRoot, SearchPlace};
use crate::terminal::skipped::Skipped;
use crate::terminal::style::{DIM, visible};
use crate::terminal::words::MarkedWords;

/// The parts of an answer that people see.
#[derive(Deserialize)]
pub struct ShownAnswer {
    data: Groups,
    #[serde(default)]
    blocked: Vec<UnopenedFile>,
    hint: Option<String>,
    #[serde(default)]
    stats: ShownStats,
}

#[derive(Deserialize)]
struct Groups {
    docs: Vec<ShownItem>,
    code: Vec<ShownItem>,
    data: Vec<ShownItem>,
}

#[derive(Default, Deserialize)]
struct ShownStats {
    #[serde(default)]
    skipped: Skipped,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShownItem {
    rank: u64,
    kind: String,
    /// Path relative to the root.
    file_path: String,
    title: String,
    score: Option<f64>,
    range: Option<ShownLines>,
    preview: Option<String>,
    content: Option<String>,
    truncated: bool,
    only_named: bool,
    scope: Option<ShownLines>,
    also_in: Vec<String>,
    metadata: ShownMetadata,
    why: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
struct ShownLines {
    first: u64,
    last: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShownMetadata {
    heading_path: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnopenedFile {
    file_path: String,
    code: String,
    message: String,
    hint: String,
}

/// The settings for showing an answer.
pub struct Looks<'a> {
    /// Words of the query.
    pub words: &'a MarkedWords,
    /// Fold setting for texts longer than the screen.
    pub fold: Fold,
    /// Root and place that the answer covers.
    pub at: (&'a GrantedRoot, &'a SearchPlace),
}

/// Shows an answer. Returns the entries that were not examined.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn show<W: Write>(
    page: &mut Page<W>,
    answer: ShownAnswer,
    looks: &Looks<'_>,
) -> Result<Skipped, CommandError> {
    let paint = page.paint;
    let Groups { docs, code, data } = answer.data;
    let (docs, others) = (docs.into_iter(), code.into_iter().chain(data));
    let items = docs.map(|item| (ShownGroup::Documents, item));
    let mut items: Vec<_> = items
        .chain(others.map(|item| (ShownGroup::Others, item)))
        .collect();
    items.sort_by_key(|(_, item)| item.rank);
    let (named, whole): (Vec<_>, Vec<_>) = items.into_iter().partition(|(_, item)| item.only_named);
    let is_empty = whole.is_empty() && named.is_empty();
    let mut gap = "";
    for (group, item) in &whole {
        write!(page.output, "{gap}")?;
        show_item(page, *group, item, looks)?;
        gap = "\n";
    }
    if !named.is_empty() {
        writeln!(page.output, "{gap}{}", paint.style(DIM, "Further places:"))?;
        for (_, item) in &named {
            source(page, item, &beside(item, Shown::Name), looks)?;
        }
        gap = "\n";
    }
    for path in &answer.blocked {
        let UnopenedFile {
            file_path,
            code,
            message,
            hint,
        } = path;
        let label = tools::table().label(code);
        let said = format!("Not opened: {file_path} {label} {message}. {hint}");
        writeln!(page.output, "{gap}{}", visible(said.trim_end()))?;
        gap = "\n";
    }
    if is_empty && answer.blocked.is_empty() {
        let hint = answer.hint.filter(|hint| !hint.is_empty());
        let (_, place) = looks.at;
        // The component sees the directory as a root of its own.
        let here = format!("`{}`", place.show("."));
        let hint = hint.map(|hint| hint.replace("the path `.`", &here));
        let hint = hint.unwrap_or_else(|| "nothing more".to_owned());
        writeln!(page.output, "{}", paint.style(DIM, visible(&hint)))?;
    }
    Ok(answer.stats.skipped)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownGroup {
    Documents,
    Others,
}

/// The form in which an item is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// With its text.
    Text,
    /// By its path alone.
    Name,
}

fn show_item<W: Write>(
    page: &mut Page<W>,
    group: ShownGroup,
    item: &ShownItem,
    looks: &Looks<'_>,
) -> Result<(), CommandError> {
    source(page, item, &beside(item, Shown::Text), looks)?;
    let markup = match (group, item.kind.as_str()) {
        (ShownGroup::Documents, _) => Markup::Document,
        (ShownGroup::Others, "symbol" | "file-full") => Markup::Other,
        (ShownGroup::Others, _) => Markup::Outline,
    };
    if let Some(text) = item.content.as_ref().or(item.preview.as_ref()) {
        page.passage(text, markup, looks.words, looks.fold)?;
    }
    if !item.also_in.is_empty() {
        let (_, place) = looks.at;
        let others: Vec<String> = item.also_in.iter().map(|path| place.show(path)).collect();
        let same = format!("The same in {}.", others.join(", "));
        writeln!(page.output, "{}", page.paint.style(DIM, visible(&same)))?;
    }
    Ok(())
}

fn source<W: Write>(
    page: &mut Page<W>,
    item: &ShownItem,
    beside: &str,
    looks: &Looks<'_>,
) -> Result<(), CommandError> {
    let (root, place) = looks.at;
    let source = PassageSource {
        path: &place.show(&item.file_path),
        lines: item.range.map(|lines| (lines.first, lines.last)),
        target: &target(root, &item.file_path),
    };
    Ok(page.source(source, beside)?)
}

/// Returns the note after the path of an item: its headings, the reason for its inclusion if
/// nothing else gives it, and what is omitted.
fn beside(item: &ShownItem, shown: Shown) -> String {
    let mut path = item.metadata.heading_path.as_slice();
    let text = item.content.as_ref().or(item.preview.as_ref());
    let is_section = item.kind == "document-section";
    // Its own heading appears in the text below.
    if shown == Shown::Text && is_section && text.is_some_and(|text| text.starts_with('#')) {
        path = path.split_last().map_or(path, |(_, above)| above);
    }
    let mut beside = Vec::new();
    if !path.is_empty() {
        beside.push(path.join(" > "));
    } else if item.metadata.heading_path.is_empty() && !item.file_path.contains(&item.title) {
        // `.` is the title of a root.
        beside.extend((item.title != ".").then(|| item.title.clone()));
    }
    let is_explained = shown == Shown::Text && item.score.is_some() && item.preview.is_some();
    if !item.why.is_empty() && !is_explained {
        beside.push(format!("({})", item.why.join(", ")));
    }
    match (item.scope, item.range) {
        (Some(scope), Some(range)) if shown == Shown::Text => {
            let lines = |lines: ShownLines| lines.last.saturating_sub(lines.first);
            let more = lines(scope).saturating_sub(lines(range));
            let (first, last) = (scope.first, scope.last);
            beside.push(format!("[{more} more lines in {first}-{last}]"));
        }
        _ if item.truncated => beside.push("[cut]".to_owned()),
        _ => {}
    }
    beside.join(" ")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::*;
    use crate::terminal::screen::Screen;
    use crate::terminal::style::{Layout, Paint};

    fn item(rank: u64, path: &str, changes: Value) -> Value {
        let mut item = json!({
            "rank": rank, "kind": "document-section", "filePath": path, "title": "T",
            "score": 0.9, "range": {"first": 5, "last": 8}, "preview": "## Cache\n\nIt keeps.\n\n",
            "truncated": false, "onlyNamed": false, "alsoIn": [],
            "metadata": {"headingPath": ["Guide", "Cache"]}, "why": ["heading match"],
        });
        if let (Some(item), Value::Object(changes)) = (item.as_object_mut(), changes) {
            item.extend(changes);
        }
        item
    }

    fn shown(answer: Value, query: &str, paint: Paint) -> String {
        let root = GrantedRoot {
            name: "r".to_owned(),
            directory: PathBuf::from("/w/docs"),
        };
        let place = SearchPlace::root(0, "docs".into());
        let mut page = Page {
            output: Vec::new(),
            layout: Layout::Headings,
            paint,
            screen: Some(Screen::USUAL),
        };
        let looks = Looks {
            words: &MarkedWords::new(query),
            fold: Fold::Long,
            at: (&root, &place),
        };
        let answer = serde_json::from_value(answer).unwrap();
        show(&mut page, answer, &looks).unwrap();
        String::from_utf8(page.output).unwrap()
    }

    #[test]
    fn items_come_by_rank_and_those_that_are_named_last() {
        let answer = json!({
            "data": {
                "docs": [
                    item(2, "a.md", json!({"scope": {"first": 5, "last": 40}})),
                    item(3, "b.md", json!({"onlyNamed": true, "why": ["holds cache"]})),
                ],
                "code": [item(1, "c.rs", json!({
                    "kind": "symbol", "preview": null, "content": "fn cache() {}",
                    "metadata": {"headingPath": ["Store", "cache"]}, "score": null,
                    "why": ["1 line"], "alsoIn": ["d.rs:1-2"],
                }))],
                "data": [],
            },
        });
        assert_eq!(
            shown(answer.clone(), "cache", Paint::Plain),
            "docs/c.rs:5-8  Store > cache (1 line)\nfn cache() {}\nThe same in docs/d.rs:1-2.\n\n\
             docs/a.md:5-8  Guide [32 more lines in 5-40]\n## Cache\n\nIt keeps.\n\n\
             Further places:\ndocs/b.md:5-8  Guide > Cache (holds cache)\n"
        );
        let painted = shown(answer, "cache", Paint::Full);
        let link = "\x1b]8;;file:///w/docs/a.md\x1b\\\x1b[35mdocs/a.md\x1b[0m\x1b]8;;\x1b\\";
        for part in [
            &format!("{link}:\x1b[32m5-8\x1b[0m"),
            "\x1b[1m## \x1b[0m\x1b[1;31mCache\x1b[0m",
            "fn \x1b[1;31mcache\x1b[0m() {}",
        ] {
            assert!(painted.contains(part), "{part:?}: {painted:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_told() {
        let nothing = json!({"docs": [], "code": [], "data": []});
        let hint = json!({"data": nothing, "hint": "Try \u{1b} exploring the path `.`."});
        assert_eq!(
            shown(hint, "x", Paint::Plain),
            "Try \\u{1b} exploring `docs`.\n"
        );
        let blocked = json!({
            "data": nothing,
            "blocked": [{"filePath": "docs/.env", "code": "sensitive", "message": "m", "hint": ""}],
        });
        assert_eq!(
            shown(blocked, "x", Paint::Plain),
            "Not opened: docs/.env [sensitive] m.\n"
        );
    }
}
