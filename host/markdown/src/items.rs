//! Items and sections of answers, prepared for their templates.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minijinja::Value as Template;

use crate::text::{line, quote};

/// Returns the items of all groups in the order of their rank.
pub fn by_rank(data: &Template) -> Vec<Template> {
    let groups = ["docs", "code", "data"].map(|name| data.get_attr(name).ok());
    let items = groups.into_iter().flatten();
    let mut items: Vec<Template> = items
        .filter_map(|group| group.try_iter().ok())
        .flatten()
        .collect();
    let rank = |item: &Template| item.get_attr("rank").ok().and_then(|rank| rank.as_i64());
    // The sort is stable: items without a rank come first and keep their order.
    items.sort_by_key(rank);
    items
}

/// Returns the text of an item with line numbers: each line that is in the file as shown is
/// prefixed with its number and a tab. If that would take too much of the budget, only some lines
/// are numbered, and the others are prefixed with a tab alone. Empty lines have no prefix.
pub fn number_fields(item: &Template) -> String {
    let attribute = |value: &Template, name: &str| value.get_attr(name).unwrap_or_default();
    let text = [attribute(item, "content"), attribute(item, "preview")];
    let text = text.iter().find_map(Template::as_str).unwrap_or_default();
    let spans = attribute(item, "numbered");
    let number = |of: &Template, name| attribute(of, name).as_usize().unwrap_or_default();
    let mut numbers = BTreeMap::new();
    for span in spans.try_iter().into_iter().flatten() {
        let (at, first) = (number(&span, "at"), number(&span, "number"));
        for index in 0..number(&span, "count") {
            numbers.insert(at + index, (first + index, number(&span, "every").max(1)));
        }
    }
    let mut last = None;
    with_prefixes(text, |at, line| {
        let Some((number, every)) = numbers.get(&at) else {
            last = None;
            return String::new();
        };
        if line.trim_end_matches(['\n', '\r']).is_empty() {
            return String::new();
        }
        let block = Some(number / every);
        let is_first = std::mem::replace(&mut last, block) != block;
        if is_first {
            format!("{number}\t")
        } else {
            "\t".to_owned()
        }
    })
}

/// Prefixes each line of a text with its number and a tab; the first line has the number `first` in
/// its file.
pub fn with_numbers(text: &str, first: usize) -> String {
    with_prefixes(text, |at, _| format!("{}\t", first + at - 1))
}

/// Prefixes each line of a text; `prefix` is called with the number of the line, from 1 on, and its
/// text. Lines end as they do for the core: in LF, CRLF or CR.
fn with_prefixes(text: &str, mut prefix: impl FnMut(usize, &str) -> String) -> String {
    let mut block = String::with_capacity(text.len() * 9 / 8);
    let (mut rest, mut at) = (text, 1);
    while !rest.is_empty() {
        let length = match rest.find(['\n', '\r']) {
            Some(end) if rest[end..].starts_with("\r\n") => end + 2,
            Some(end) => end + 1,
            None => rest.len(),
        };
        let (line, behind) = rest.split_at(length);
        block.push_str(&prefix(at, line));
        block.push_str(line);
        (rest, at) = (behind, at + 1);
    }
    block
}

/// Returns the headings of an item's section, or the names of its definition, joined by ` > `;
/// without the last one if the item's text begins with that heading.
pub fn headings_above(item: &Template) -> String {
    let attribute = |value: &Template, name| value.get_attr(name).unwrap_or_default();
    let path = attribute(&attribute(item, "metadata"), "headingPath");
    let mut path: Vec<String> = match path.try_iter() {
        Ok(path) => path.map(|heading| heading.to_string()).collect(),
        Err(_) => Vec::new(),
    };
    let text = [attribute(item, "content"), attribute(item, "preview")];
    let begins_with_heading = text
        .iter()
        .filter_map(Template::as_str)
        .any(|text| text.starts_with('#'));
    let is_section = attribute(item, "kind").as_str() == Some("document-section");
    if begins_with_heading && is_section {
        path.pop();
    }
    path.join(" > ")
}

/// Returns the text between the fences of a section: its content without its heading, which is
/// already shown above, and without surrounding blank lines. The core counts it by the same rule.
pub fn body(section: &Template) -> String {
    let attribute = |name| section.get_attr(name).unwrap_or_default();
    let (heading, content) = (attribute("heading"), attribute("content"));
    let heading = heading.as_str().unwrap_or_default();
    let content = content.as_str().unwrap_or_default();
    // Only the first part of a section begins with its heading. A later part may begin with the
    // same words by chance, as text.
    let is_beginning = attribute("part").as_i64().is_none_or(|part| part == 1);
    let written = content.trim_start_matches([' ', '\u{FEFF}']);
    let behind = written
        .strip_prefix(heading)
        .filter(|_| is_beginning && !heading.is_empty());
    let text = match behind {
        // The rest of the line is removed as well, such as the id in `## Setup {#setup}`: it is
        // a part of the heading and not of the text.
        Some(behind) => behind.find(['\n', '\r']).map_or("", |end| &behind[end..]),
        None => content,
    };
    let Some(first) = text.find(|c: char| !c.is_whitespace()) else {
        return String::new();
    };
    let start = text[..first].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    text[start..].trim_end().to_owned()
}

/// Returns the lines of files that a pattern matches, grouped below the path of each file:
/// `12:text`, or `12-text` for a context line, with `--` between lines that are not adjacent.
pub fn matching_lines(files: &Template) -> String {
    let mut block = String::new();
    for file in files.try_iter().into_iter().flatten() {
        let attribute = |name| file.get_attr(name).unwrap_or_default();
        block.push_str(&line(attribute("filePath").as_str().unwrap_or_default()));
        block.push('\n');
        let mut last = None;
        let lines: Vec<Template> = match attribute("lines").try_iter() {
            Ok(lines) => lines.collect(),
            Err(_) => Vec::new(),
        };
        let has_context = lines.iter().any(|line| !is_match(line));
        for shown in lines {
            let number = shown.get_attr("number").unwrap_or_default();
            let number = number.as_i64().unwrap_or_default();
            if has_context && last.is_some_and(|last| last + 1 < number) {
                block.push_str("--\n");
            }
            last = Some(number);
            let sign = if is_match(&shown) { ':' } else { '-' };
            let text = shown.get_attr("text").unwrap_or_default();
            let text = quote(text.as_str().unwrap_or_default());
            // Writing to a string never fails.
            let _ = writeln!(block, "{number}{sign}{text}");
        }
    }
    block
}

fn is_match(line: &Template) -> bool {
    line.get_attr("matches").unwrap_or_default().is_true()
}

/// Returns the texts that a pattern matched, one per line, prefixed with their number of matches.
pub fn list_counted_values(values: &Template) -> String {
    let mut block = String::new();
    for value in values.try_iter().into_iter().flatten() {
        let text = value.get_attr("text").unwrap_or_default();
        let text = quote(text.as_str().unwrap_or_default());
        let count = value.get_attr("count").unwrap_or_default();
        let _ = writeln!(block, "{count} {text}");
    }
    block
}
