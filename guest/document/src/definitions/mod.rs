//! Definitions of a document: link references and footnotes of Markdown, targets, footnotes and
//! substitutions of reStructuredText, attributes of AsciiDoc. One may stand anywhere, and is meant
//! wherever its label is, so it belongs to the document and not to the section that it stands in.

mod adoc;
mod markdown;
mod rst;

use std::ops::Range;

use crate::format::Format;

/// A definition that counts: the first of its label, of AsciiDoc each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its label as it is used: `[1]`, `[^note]`; of reStructuredText `name_`, `[1]_`, `|name|`; of
    /// AsciiDoc `{name}`.
    pub label: String,
    /// Its bytes in the text: of Markdown from its first bracket on, else its lines.
    pub span: Range<usize>,
    /// The places where its label is used, ascending.
    pub uses: Vec<usize>,
}

/// Returns the definitions of a text, a file of this name, in the order in which they stand; none
/// of a format that has none.
pub fn definitions(name: &str, text: &str) -> Vec<Definition> {
    match Format::of(name) {
        Some(Format::Markdown) => markdown::definitions(text, false),
        Some(Format::Mdx) => markdown::definitions(text, true),
        Some(Format::Rst) => rst::definitions(text),
        Some(Format::Adoc) => adoc::definitions(text),
        _ => Vec::new(),
    }
}

/// Returns whether a stretch of a text, a file of this name, may hold definitions, without parsing.
pub fn may_hold_definitions(name: &str, stretch: &str) -> bool {
    match Format::of(name) {
        Some(Format::Markdown | Format::Mdx) => stretch.contains("]:"),
        Some(Format::Rst) => stretch.contains(".. "),
        Some(Format::Adoc) => stretch.contains(": "),
        _ => false,
    }
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
