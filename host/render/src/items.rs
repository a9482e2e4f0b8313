//! The items and sections of answers, for their templates.

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
