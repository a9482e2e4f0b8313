//! The items and sections of answers, for their templates.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minijinja::Value as Template;

use crate::text::{line, quoted};

/// Returns the items of all groups in the order in which they answer.
pub fn by_rank(data: &Template) -> Vec<Template> {
    let groups = ["docs", "code", "data"].map(|name| data.get_attr(name).ok());
    let items = groups.into_iter().flatten();
    let mut items: Vec<Template> = items
        .filter_map(|group| group.try_iter().ok())
        .flatten()
        .collect();
    let rank = |item: &Template| item.get_attr("rank").ok().and_then(|rank| rank.as_i64());
    // Stable: what has no rank stays where it is.
    items.sort_by_key(rank);
    items
}

/// Returns the text of an item, each line of it that stands in the file as it is behind its number and
/// a tab; where these would take too much, behind a tab alone but for some of them. Before an empty line
/// nothing stands.
pub fn numbered(item: &Template) -> String {
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

/// Returns a text whose first line has the number `first` in its file, each line behind its number
/// and a tab.
pub fn with_numbers(text: &str, first: usize) -> String {
    with_prefixes(text, |at, _| format!("{}\t", first + at - 1))
}

/// Returns a text with something before each line, which is asked for by its number, from 1 on, and
/// its text. Lines end as they do for the core: in LF, CRLF or CR.
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
/// without the last one where its text begins with that heading.
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

/// Returns what stands between the fences of a section: its content without the heading that it
/// begins with, which the line above says, and without blank lines around. The core counts it by the
/// same rule.
pub fn body(section: &Template) -> String {
    let attribute = |name| section.get_attr(name).unwrap_or_default();
    let (heading, content) = (attribute("heading"), attribute("content"));
    let heading = heading.as_str().unwrap_or_default();
    let content = content.as_str().unwrap_or_default();
    // A part that is not the first begins with no heading, whatever it looks like.
    let is_beginning = attribute("part").as_i64().is_none_or(|part| part == 1);
    let written = content.trim_start_matches([' ', '\u{FEFF}']);
    let behind = written
        .strip_prefix(heading)
        .filter(|_| is_beginning && !heading.is_empty());
    let text = match behind {
        // What else stands in its line, such as an id, goes with it.
        Some(behind) => behind.find(['\n', '\r']).map_or("", |end| &behind[end..]),
        None => content,
    };
    let Some(first) = text.find(|c: char| !c.is_whitespace()) else {
        return String::new();
    };
    let start = text[..first].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    text[start..].trim_end().to_owned()
}

/// Returns the lines of files that a pattern matches, each file's below its path: `12:text`, or
/// `12-text` for a line beside one that matches, with `--` where lines between two are left out.
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
            let text = quoted(text.as_str().unwrap_or_default());
            // A string takes everything.
            let _ = writeln!(block, "{number}{sign}{text}");
        }
    }
    block
}

fn is_match(line: &Template) -> bool {
    line.get_attr("matches").unwrap_or_default().is_true()
}

/// Returns texts that a pattern matched, each on a line behind how often it did.
pub fn counted_values(values: &Template) -> String {
    let mut block = String::new();
    for value in values.try_iter().into_iter().flatten() {
        let text = value.get_attr("text").unwrap_or_default();
        let text = quoted(text.as_str().unwrap_or_default());
        let count = value.get_attr("count").unwrap_or_default();
        let _ = writeln!(block, "{count} {text}");
    }
    block
}
