//! Definitions of links and footnotes in Markdown.

use std::collections::HashMap;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::definition::{Definition, key};
use crate::front_matter;
use crate::mdx::Mdx;
use docent_text::sort::sort_by_key;

/// Returns the definitions of `markdown` in the order of the text.
pub(super) fn definitions(markdown: &str, is_mdx: bool) -> Vec<Definition> {
    // Front matter is not Markdown: a parser would take the line before its closing `---` for a
    // heading, and a value such as `[a]: b` for a definition. Texts without `]:` define nothing and
    // are not parsed at all.
    let body = front_matter::length(markdown);
    if !markdown[body..].contains("]:") {
        return Vec::new();
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mdx = is_mdx.then(|| Mdx::new(&markdown[body..]));
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
    sort_by_key(&mut definitions, |definition| definition.span.start);
    for definition in &mut definitions {
        definition.uses.sort_unstable();
    }
    definitions
}

/// Returns true if the destination of a link is that of its label: `[text][label]`, `[label][]` or
/// `[label]` (CommonMark, section 6.3). The parser reports only labels that are defined.
fn is_by_label(link: LinkType) -> bool {
    matches!(
        link,
        LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_definitions_and_uses() {
        let text = "---\nt: x\n---\nSee [a][One], [one] and ![two][].[^n]\n\n[ONE]: a.md\n\n[two]: b.png\n[^n]: More\n    of it.\n[one]: other\n";
        let found = definitions(text, false);
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
                // The last line continues the footnote, and is a link in it.
                ("[ONE]", "[ONE]: a.md", 3),
                ("[two]", "[two]: b.png", 1),
                ("[^n]", "[^n]: More\n    of it.\n[one]: other", 1),
            ]
        );
        let code = "`[a]: b`\n\n    [c]: d\n";
        assert!(definitions(code, false).is_empty());
        // MDX has no indented code, and the content of a tag is text.
        assert_eq!(definitions(code, true).len(), 1);
        let tag = "<Note>\n  Read [it][d].\n</Note>\n\n[d]: d.mdx\n";
        assert_eq!(definitions(tag, true)[0].uses.len(), 1);
    }
}
