//! Definitions of a document: link references and footnotes of Markdown; targets, footnotes and
//! substitutions of reStructuredText; attributes of AsciiDoc. A definition may be anywhere in the
//! document and applies wherever its label is used, so it belongs to the document and not to the
//! section that contains it.

mod adoc;
mod definition;
mod markdown;
mod rst;

pub use definition::Definition;

use std::ops::Range;

use crate::format::Format;

/// Returns the definitions of a text, in order. `name` is the file name, which decides the format;
/// formats without definitions have none.
pub fn definitions(name: &str, text: &str) -> Vec<Definition> {
    match Format::from_name(name) {
        Some(Format::Markdown) => markdown::definitions(text, false),
        Some(Format::Mdx) => markdown::definitions(text, true),
        Some(Format::Rst) => rst::definitions(text),
        Some(Format::Adoc) => adoc::definitions(text),
        _ => Vec::new(),
    }
}

/// Returns true if a stretch of a text may contain definitions, without parsing it. `name` is the
/// file name. Most stretches contain none, and the whole document must be parsed to find those that
/// do.
pub fn may_hold_definitions(name: &str, stretch: &str) -> bool {
    match Format::from_name(name) {
        Some(Format::Markdown | Format::Mdx) => stretch.contains("]:"),
        Some(Format::Rst) => stretch.contains(".. "),
        Some(Format::Adoc) => stretch.contains(": "),
        _ => false,
    }
}

/// Returns the indices of those `definitions` in `range` that are used outside of it, directly or
/// through another such definition. Deleting or moving the range without them would break links
/// elsewhere in the document, without a change in those places.
pub fn indices_used_outside(definitions: &[Definition], range: &Range<usize>) -> Vec<usize> {
    let stands = |definition: &Definition| {
        range.start <= definition.span.start && definition.span.end <= range.end
    };
    // Index of the definition that contains a position.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_used_outside(text: &str, range: Range<usize>) -> Vec<String> {
        let all = definitions("a.md", text);
        let kept = indices_used_outside(&all, &range);
        kept.into_iter()
            .map(|index| all[index].label.clone())
            .collect()
    }

    #[test]
    fn definitions_used_outside_directly_or_indirectly() {
        let text = "x[^a] [k]\n\n# B\n\n[u] y[^c]\n\n[^a]: see [l]\n\n[k]: k.md\n[l]: l.md\n[u]: u.md\n\n[^c]: c\n";
        let section = text.find("# B").unwrap()..text.len();
        assert_eq!(labels_used_outside(text, section), ["[^a]", "[k]", "[l]"]);
        assert!(labels_used_outside(text, 0..0).is_empty());
        let many: String = (0..2_000)
            .map(|n| format!("[^{n}]: see[^{}]\n\n", n + 1))
            .collect();
        let text = format!("x[^0]\n\n# B\n\n{many}");
        let section = text.find("# B").unwrap()..text.len();
        assert_eq!(labels_used_outside(&text, section).len(), 2_000);
    }
}
