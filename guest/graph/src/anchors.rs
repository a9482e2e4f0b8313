//! The places of a document that links lead to.

use std::collections::BTreeSet;

use docent_document::addresses::find;
use docent_document::format::is_markdown;
use docent_document::sections::{Section, sections};

use crate::markdown;

/// The places of one document.
#[derive(Debug)]
pub struct Anchors {
    ids: BTreeSet<String>,
    sections: Vec<Section>,
    /// Whether all of them are known.
    is_complete: bool,
}

impl Anchors {
    /// Returns the places of a document of this name.
    pub fn of(name: &str, text: &str) -> Self {
        let is_complete = is_markdown(name);
        let sections = sections(name, text);
        let headed = sections.iter().filter(|section| section.level > 0);
        let mut ids: BTreeSet<String> = headed.map(|section| section.id.clone()).collect();
        if is_complete {
            ids.extend(markdown::ids(text));
        }
        Self {
            ids,
            sections,
            is_complete,
        }
    }

    /// Returns the bytes that they count for in a budget.
    pub fn bytes(&self) -> usize {
        let ids = self.ids.iter().map(|id| size_of::<String>() + id.len());
        let sections = self.sections.iter();
        let sections = sections.map(|section| {
            let path = section.path.iter().map(|name| size_of::<String>() + name.len());
            size_of::<Section>() + section.id.len() + path.sum::<usize>()
        });
        ids.sum::<usize>() + sections.sum::<usize>()
    }

    /// Whether a link with this fragment leads to one of them, as far as that can be told.
    pub fn has(&self, fragment: &str) -> bool {
        // The ids of other markup follow rules of whatever makes pages of it; `^` begins the name
        // of a block, and the top is always there.
        let is_unknown = !self.is_complete || fragment.starts_with('^') || fragment == "top";
        is_unknown
            || self.ids.contains(fragment)
            || self.ids.contains(&fragment.to_lowercase())
            || !find(&self.sections, last_heading(fragment)).is_empty()
    }
}

/// Returns the last of the headings that a wikilink names: `a#Guide#Setup`.
pub(crate) fn last_heading(fragment: &str) -> &str {
    fragment.rsplit('#').next().unwrap_or(fragment).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_document() {
        let text = "# Set up\n\n## 사용법 {#usage}\n\n## Set up\n\n\
                    <a name=\"old\"></a> <p id='p'>\n\n`<a name=\"no\">`\n";
        let anchors = Anchors::of("a.md", text);
        for fragment in [
            "set-up", "set-up-1", "usage", "old", "p", "Set up", "Set-Up", "top", "^block",
            "x#Set up",
        ] {
            assert!(anchors.has(fragment), "{fragment}");
        }
        for fragment in ["setup", "set-up-2", "no", "사용"] {
            assert!(!anchors.has(fragment), "{fragment}");
        }
        assert!(Anchors::of("a.rst", "").has("anything"));
    }
}
