//! Definitions of a Markdown document, of links and of footnotes: where they stand, and where their
//! labels are used. One may stand anywhere, and is meant wherever its label is.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::format::Format;
use crate::front_matter;
use crate::mdx::Mdx;

/// A definition: the first of its label, which is the one that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its label as it is written, between brackets: `[1]`, `[^note]`.
    pub label: String,
    /// Where it stands, from its first bracket on.
    pub span: Range<usize>,
    /// Where its label is used, ascending.
    pub uses: Vec<usize>,
}

/// Returns the definitions of `markdown`, a file of this name, in the order in which they stand.
pub fn definitions(name: &str, markdown: &str) -> Vec<Definition> {
    let body = front_matter::length(markdown);
    if !markdown[body..].contains("]:") {
        return Vec::new();
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mdx = (Format::of(name) == Some(Format::Mdx)).then(|| Mdx::of(&markdown[body..]));
    let read = mdx.as_ref().map_or(&markdown[body..], |mdx| &mdx.markdown);
    let parser = Parser::new_ext(read, options);
    let mut found: HashMap<String, Definition> = HashMap::new();
    for (label, definition) in parser.reference_definitions().iter() {
        let span = definition.span.start + body..definition.span.end + body;
        found.insert(key(label), Definition::new(format!("[{label}]"), span));
    }
    let mut uses: Vec<(String, usize)> = Vec::new();
    for (event, span) in parser.into_offset_iter() {
        let (label, at) =
            match event {
                Event::Start(Tag::FootnoteDefinition(label)) => {
                    let span = span.start + body..span.end + body;
                    let definition = Definition::new(format!("[^{label}]"), span);
                    found.entry(key(&format!("^{label}"))).or_insert(definition);
                    continue;
                }
                Event::FootnoteReference(label) => (key(&format!("^{label}")), span.start),
                Event::Start(
                    Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. },
                ) if is_by_label(link_type) => (key(&id), span.start),
                _ => continue,
            };
        uses.push((label, at + body));
    }
    for (label, at) in uses {
        if let Some(definition) = found.get_mut(&label) {
            definition.uses.push(at);
        }
    }
    let mut definitions: Vec<Definition> = found.into_values().collect();
    definitions.sort_by_key(|definition| definition.span.start);
    for definition in &mut definitions {
        definition.uses.sort_unstable();
    }
    definitions
}

/// Returns those of `definitions`, by their indexes, that stand in `range` and are used outside it,
/// or by one that is.
pub fn used_outside(definitions: &[Definition], range: &Range<usize>) -> Vec<usize> {
    let stands = |definition: &Definition| {
        range.start <= definition.span.start && definition.span.end <= range.end
    };
    // Who is used within another definition, by the place.
    let within = |at: usize| -> Option<usize> {
        let before = definitions.partition_point(|definition| definition.span.start <= at);
        let last = before.checked_sub(1)?;
        (at < definitions[last].span.end).then_some(last)
    };
    let mut using: Vec<Vec<usize>> = vec![Vec::new(); definitions.len()];
    let mut is_kept = vec![false; definitions.len()];
    let mut next = Vec::new();
    for (index, definition) in definitions.iter().enumerate() {
        if !stands(definition) {
            continue;
        }
        if definition.uses.iter().any(|at| !range.contains(at)) {
            is_kept[index] = true;
            next.push(index);
        }
        for user in definition.uses.iter().filter_map(|at| within(*at)) {
            using[user].push(index);
        }
    }
    while let Some(user) = next.pop() {
        for used in std::mem::take(&mut using[user]) {
            if !is_kept[used] {
                is_kept[used] = true;
                next.push(used);
            }
        }
    }
    (0..definitions.len())
        .filter(|index| is_kept[*index])
        .collect()
}

impl Definition {
    fn new(label: String, span: Range<usize>) -> Self {
        Self {
            label,
            span,
            uses: Vec::new(),
        }
    }
}

fn is_by_label(link: LinkType) -> bool {
    matches!(
        link,
        LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut
    )
}

/// Returns what labels that mean the same have in common.
fn key(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, range: Range<usize>) -> Vec<String> {
        let all = definitions("a.md", text);
        let kept = used_outside(&all, &range);
        kept.into_iter()
            .map(|index| all[index].label.clone())
            .collect()
    }

    #[test]
    fn where_labels_are_defined_and_used() {
        let text = "---\nt: x\n---\nSee [a][One], [one] and ![two][].[^n]\n\n[ONE]: a.md\n\n[two]: b.png\n[^n]: More\n    of it.\n[one]: other\n";
        let found = definitions("a.md", text);
        let told: Vec<(&str, &str, usize)> = found
            .iter()
            .map(|one| {
                (
                    one.label.as_str(),
                    text[one.span.clone()].trim_end(),
                    one.uses.len(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                // The last line goes on with the footnote, and is a link there.
                ("[ONE]", "[ONE]: a.md", 3),
                ("[two]", "[two]: b.png", 1),
                ("[^n]", "[^n]: More\n    of it.\n[one]: other", 1),
            ]
        );
        let code = "`[a]: b`\n\n    [c]: d\n";
        assert!(definitions("a.md", code).is_empty());
        // MDX has no code by indentation, and what stands in a tag is text.
        assert_eq!(definitions("a.mdx", code).len(), 1);
        let tag = "<Note>\n  Read [it][d].\n</Note>\n\n[d]: d.mdx\n";
        assert_eq!(definitions("a.mdx", tag)[0].uses.len(), 1);
    }

    #[test]
    fn what_stays_is_used_outside_or_by_what_stays() {
        let text = "x[^a] [k]\n\n# B\n\n[u] y[^c]\n\n[^a]: see [l]\n\n[k]: k.md\n[l]: l.md\n[u]: u.md\n\n[^c]: c\n";
        let section = text.find("# B").unwrap()..text.len();
        assert_eq!(kept(text, section), ["[^a]", "[k]", "[l]"]);
        assert!(kept(text, 0..0).is_empty());
        let many: String = (0..2_000)
            .map(|n| format!("[^{n}]: see[^{}]\n\n", n + 1))
            .collect();
        let text = format!("x[^0]\n\n# B\n\n{many}");
        let section = text.find("# B").unwrap()..text.len();
        assert_eq!(kept(&text, section).len(), 2_000);
    }
}
