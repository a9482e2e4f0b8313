//! The items and sections of answers, for their templates.

use minijinja::Value as Template;

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
