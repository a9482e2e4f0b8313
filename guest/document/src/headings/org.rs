//! Headings and keywords of Org.

use std::collections::BTreeMap;

use crate::front_matter::field::{Field, Fields};
use crate::headings::emphasis::{Signs, without_emphasis};
use crate::headings::heading::{Heading, one_line, with_headings};
use crate::limits::{SECTIONS, SLUG_CHARS, TITLE_BYTES};
use docent_text::lines::{with_ends, without_end};

/// Signs of emphasis of Org, section 12.2 of its manual.
const SIGNS: Signs = Signs {
    text: "*/_+",
    code: "=~",
};

/// Returns the headings of an Org text: stars and a title, outside blocks. The keyword of a task,
/// its priority and its tags are not part of the title.
///
/// ```text
/// * TODO [#A] Set up :guide:install:
/// ```
pub fn org_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let ends = ends_of_blocks(text);
    let keywords = task_keywords(text);
    let mut headings: Vec<Heading> = Vec::new();
    let mut open: Option<String> = None;
    let mut start = 0;
    for line in with_ends(text) {
        let plain = without_end(line);
        match (&open, block_sign(plain)) {
            (Some(name), Some((false, own))) if *name == own => open = None,
            (Some(_), _) => {}
            // A block that nobody ends is text, as in Org itself: it would otherwise hide all
            // headings after it.
            (None, Some((true, name))) if ends.get(&name).is_some_and(|end| *end > start) => {
                open = Some(name);
            }
            _ => {
                if let Some((level, title, _)) = headline(plain, &keywords) {
                    let title = plain_title(title);
                    let span = start..start + line.len();
                    headings.push(Heading::new(level, &title, span));
                } else if let Some((id, heading)) = custom_id(plain).zip(headings.last_mut()) {
                    id.clone_into(&mut heading.anchor);
                }
            }
        }
        start += line.len();
    }
    headings.truncate(SECTIONS);
    headings
}

/// Returns the `#+TITLE`, of several lines one after another.
pub fn org_title(text: &str) -> Option<String> {
    let titles: Vec<&str> = keyword_lines(text)
        .filter(|(key, _)| key == "title")
        .map(|(_, value)| value)
        .collect();
    let title = one_line(&plain_title(&titles.join(" ")));
    (!title.is_empty()).then_some(title)
}

/// Returns the keywords of an Org text as fields of front matter, and the tags of its headings.
pub fn org_fields(text: &str) -> Fields {
    let mut fields = Fields::new();
    let mut tags = Vec::new();
    for (key, value) in keyword_lines(text) {
        let value = value.to_owned();
        match key.as_str() {
            "filetags" | "tags" => {
                let blank_or_colon = |c: char| c == ':' || c.is_whitespace();
                tags.extend(value.split(blank_or_colon).map(str::to_owned));
            }
            "category" | "para" => fields.push((key, Field::Text(value))),
            "date" | "created" | "modified" | "updated" | "last_modified" => {
                let name = key.trim_start_matches("last_").to_owned();
                fields.extend(timestamp(&value).map(|date| (name, Field::Text(date))));
            }
            _ => {}
        }
    }
    let keywords = task_keywords(text);
    for line in with_ends(with_headings(text)) {
        let own = headline(without_end(line), &keywords).map_or("", |(_, _, tags)| tags);
        tags.extend(own.split(':').map(str::to_owned));
    }
    tags.retain(|tag| !tag.is_empty());
    fields.push(("tags".to_owned(), Field::List(tags)));
    fields
}

/// Returns the keywords before the first heading, in lower case, with their values.
fn keyword_lines(text: &str) -> impl Iterator<Item = (String, &str)> {
    let lines = with_ends(with_headings(text)).map(without_end);
    let before = lines.take_while(|line| stars(line).is_none());
    before.filter_map(|line| {
        let (key, value) = line.trim().strip_prefix("#+")?.split_once(':')?;
        let is_key = key.len() <= 32 && !key.contains(char::is_whitespace);
        is_key.then(|| (key.to_ascii_lowercase(), value.trim()))
    })
}

/// Returns a time of Org, `<2025-01-02 Thu 10:00>` or `[2025-01-02]`, as ISO 8601.
fn timestamp(value: &str) -> Option<String> {
    let inside = value.trim_matches(['<', '>', '[', ']', ' ']);
    let mut words = inside.split_whitespace();
    let day = words.next()?;
    // The name of the day stands between the day and the time, in any language.
    let time = words.find(|word| word.contains(':'));
    let time = time.and_then(|time| time.split('-').next());
    Some(time.map_or_else(|| day.to_owned(), |time| format!("{day}T{time}")))
}

/// Returns the keywords of tasks that the text declares with `#+TODO: A B | C`, else the usual two.
fn task_keywords(text: &str) -> Vec<&str> {
    let mut declared = Vec::new();
    for line in with_ends(with_headings(text)) {
        let Some((key, value)) = line.strip_prefix("#+").and_then(|l| l.split_once(':')) else {
            continue;
        };
        let names = ["todo", "seq_todo", "typ_todo"];
        if names.iter().any(|name| key.eq_ignore_ascii_case(name)) {
            let words = value.split_whitespace().filter(|word| *word != "|");
            // `WAIT(w@/!)` is the keyword `WAIT` with a key to choose it.
            declared.extend(words.map(|word| word.split('(').next().unwrap_or(word)));
        }
    }
    declared.sort_unstable();
    declared.dedup();
    let is_declared = !declared.is_empty();
    if is_declared {
        declared
    } else {
        vec!["DONE", "TODO"]
    }
}

/// Returns the level and the rest of a line of stars and a blank.
fn stars(line: &str) -> Option<(u8, &str)> {
    let rest = line.trim_start_matches('*');
    let level = line.len() - rest.len();
    let is_line = level > 0 && rest.starts_with([' ', '\t']);
    // A document may use more levels than the six of answers. Deeper headings get level 6.
    is_line.then(|| (u8::try_from(level).unwrap_or(6).min(6), rest.trim()))
}

/// Returns level, title and tags of a heading.
fn headline<'l>(line: &'l str, keywords: &[&str]) -> Option<(u8, &'l str, &'l str)> {
    let (level, mut title) = stars(line)?;
    let first = title.split(char::is_whitespace).next().unwrap_or_default();
    if keywords.binary_search(&first).is_ok() {
        title = title[first.len()..].trim_start();
    }
    let bytes = title.as_bytes();
    if let [b'[', b'#', priority, b']', ..] = bytes
        && priority.is_ascii_alphanumeric()
    {
        title = title[4..].trim_start();
    }
    let (title, tags) = without_tags(title);
    (!title.is_empty()).then_some((level, title, tags))
}

/// Splits a title from the tags `:a:b:` at its end.
fn without_tags(title: &str) -> (&str, &str) {
    let start = title.rfind([' ', '\t']).map_or(0, |blank| blank + 1);
    let word = &title[start..];
    let inside = word
        .strip_prefix(':')
        .and_then(|word| word.strip_suffix(':'));
    let is_of_tag = |c: char| c.is_alphanumeric() || "_@#%".contains(c);
    let is_tag = |tag: &str| !tag.is_empty() && tag.chars().all(is_of_tag);
    match inside {
        Some(inside) if inside.split(':').all(is_tag) => (title[..start].trim_end(), inside),
        _ => (title, ""),
    }
}

/// Returns the name of a block, in lower case, and true if the line begins it.
fn block_sign(line: &str) -> Option<(bool, String)> {
    let rest = line.trim_start().strip_prefix("#+")?;
    let (sign, rest) = rest.split_once('_')?;
    let is_begin = sign.eq_ignore_ascii_case("begin");
    if !is_begin && !sign.eq_ignore_ascii_case("end") {
        return None;
    }
    let name = rest.split(char::is_whitespace).next().unwrap_or_default();
    (1..=64)
        .contains(&name.len())
        .then(|| (is_begin, name.to_ascii_lowercase()))
}

/// Returns the start of the last line that ends a block, by the block's name.
fn ends_of_blocks(text: &str) -> BTreeMap<String, usize> {
    let mut ends = BTreeMap::new();
    let mut start = 0;
    for line in with_ends(text) {
        if let Some((false, name)) = block_sign(without_end(line)) {
            ends.insert(name, start);
        }
        start += line.len();
    }
    ends
}

/// Returns the id that a line of properties gives to the heading above it.
fn custom_id(line: &str) -> Option<&str> {
    let (key, id) = line.trim().strip_prefix(':')?.split_once(':')?;
    let id = id.trim();
    let is_id = !id.is_empty() && id.len() <= SLUG_CHARS && !id.contains(char::is_whitespace);
    (key.eq_ignore_ascii_case("CUSTOM_ID") && is_id).then_some(id)
}

/// Returns a title without the markup of links and emphasis.
fn plain_title(title: &str) -> String {
    let title = &title[..title.floor_char_boundary(TITLE_BYTES)];
    let mut text = String::new();
    let mut rest = title;
    while let Some((before, link)) = rest.split_once("[[") {
        text.push_str(before);
        let Some((link, after)) = link.split_once("]]") else {
            text.push_str("[[");
            rest = link;
            break;
        };
        text.push_str(link.split_once("][").map_or(link, |(_, words)| words));
        rest = after;
    }
    text.push_str(rest);
    without_emphasis(&text, &SIGNS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headings::heading::levels_and_texts;

    fn all(text: &str) -> Vec<(u8, String)> {
        levels_and_texts(org_headings(text))
    }

    #[test]
    fn titles_without_task_priority_and_tags() {
        for (line, level, title) in [
            ("* 개요", 1, "개요"),
            ("** TODO [#A] 설정 *바꾸기* :guide:설정:", 2, "설정 바꾸기"),
            ("* DONE x", 1, "x"),
            ("* TODOS x", 1, "TODOS x"),
            ("*** a =b= ~c d~ /e/ _f_ +g+", 3, "a b c d e f g"),
            ("* 2*3*4 a/b", 1, "2*3*4 a/b"),
            (
                "* See [[file:a.org][the guide]] and [[id:b]]",
                1,
                "See the guide and id:b",
            ),
            ("* at 10:30:", 1, "at 10:30:"),
            ("* a :no tag:", 1, "a :no tag:"),
            ("******** deep", 6, "deep"),
            ("*\ttab", 1, "tab"),
            ("* a [[b", 1, "a [[b"),
        ] {
            assert_eq!(all(line), [(level, title.to_owned())], "{line}");
        }
        for line in ["*bold*", " * item", "* ", "*", "* TODO", "*** :a:"] {
            assert!(all(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn tasks_that_the_file_declares() {
        let text = "#+TODO: NEXT(n) WAIT(w@/!) | 완료\n* NEXT a\n* 완료 b\n* TODO c\n";
        let expected = [(1, "a"), (1, "b"), (1, "TODO c")];
        assert_eq!(all(text), expected.map(|(l, t)| (l, t.to_owned())));
    }

    #[test]
    fn not_within_blocks() {
        let text = "* A\n#+BEGIN_SRC org\n* no\n#+begin_example\n#+END_EXAMPLE\n* no\n#+end_src\n** B\n#+begin_quote\n* C\n";
        let expected = [(1, "A"), (2, "B"), (1, "C")];
        assert_eq!(all(text), expected.map(|(l, t)| (l, t.to_owned())));
    }

    #[test]
    fn ids_in_properties() {
        let text = "* A b\n:PROPERTIES:\n:CUSTOM_ID: own\n:END:\n* C d\n";
        let anchors: Vec<String> = org_headings(text).into_iter().map(|h| h.anchor).collect();
        assert_eq!(anchors, ["own", "c-d"]);
    }

    #[test]
    fn keywords_as_fields() {
        let text = "#+title: 회의\n#+TITLE: /기록/\n#+FILETAGS: :work:a b:\n#+DATE: <2025-01-02 목 10:00-11:00>\n#+category: projects\n* x :more:\n#+TITLE: no\n";
        assert_eq!(org_title(text).as_deref(), Some("회의 기록"));
        let tags = ["work", "a", "b", "more"].map(str::to_owned).to_vec();
        let expected = [
            ("date", Field::Text("2025-01-02T10:00".to_owned())),
            ("category", Field::Text("projects".to_owned())),
            ("tags", Field::List(tags)),
        ];
        assert_eq!(
            org_fields(text),
            expected.map(|(key, field)| (key.to_owned(), field))
        );
        assert_eq!(timestamp("[2025-01-02 Thu]").as_deref(), Some("2025-01-02"));
        assert_eq!(org_title("#+TITLE:\n* A\n"), None);
    }
}
