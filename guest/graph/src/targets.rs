//! Which links could be concerned by what happens to some files: enough to leave out nearly all
//! others before any name of the tree is known.

use std::collections::BTreeSet;

use crate::destination::Destination;
use crate::lead::written_path;
use crate::link::Link;
use crate::names::{folded, stem};

/// Files that something happens to.
#[derive(Debug, Default)]
pub struct Targets {
    /// Their paths, those of documents also without extension.
    paths: BTreeSet<String>,
    /// Their names, folded, likewise.
    names: BTreeSet<String>,
    /// Their names without extension, as a text holds them that names them.
    stems: BTreeSet<String>,
}

impl Targets {
    /// Adds a file.
    pub fn insert(&mut self, path: &str) {
        let short = stem(path).unwrap_or(path);
        let name = |path: &str| {
            path.rsplit_once('/')
                .map_or(path, |(_, name)| name)
                .to_owned()
        };
        for path in [path, short] {
            self.paths.insert(path.to_owned());
            self.names.insert(folded(&name(path)));
        }
        self.stems.insert(name(short));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether a text can hold such a link. What it says no to holds none.
    pub fn may_be_in(&self, text: &str) -> bool {
        // Codes and escapes hide a name, and wikilinks are read without regard to case.
        let hides = |sign: &str| text.contains(sign);
        ["%", "\\", "&", "[["].into_iter().any(hides)
            || self.stems.iter().any(|stem| text.contains(stem.as_str()))
    }

    /// Whether a link of the document `from` can lead to one of them.
    pub fn may_be_of(&self, link: &Link, from: &str) -> bool {
        if link.kind.is_wiki() {
            let path = Destination::of(&link.target, false).path.trim();
            let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
            return self.names.contains(&folded(name));
        }
        written_path(link, from).is_some_and(|path| self.paths.contains(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::links;
    use docent_document::format::Format;

    #[test]
    fn links_that_are_looked_at() {
        let mut targets = Targets::default();
        targets.insert("d/two words.md");
        for (text, expected) in [
            ("[x](two%20words.md)", true),
            ("[x](<../d/two words>)", true),
            ("[[Two Words#h|s]]", true),
            ("[[./two words]]", true),
            ("[x](/two%20words.md)", false),
            ("[x](https://two%20words.md)", false),
            ("[[words]]", false),
        ] {
            let all = links(text, Format::Markdown);
            assert_eq!(targets.may_be_of(&all[0], "d/a.md"), expected, "{text}");
            assert!(targets.may_be_in(text) || !expected, "{text}");
        }
        assert!(!targets.may_be_in("[x](words.md)"));
    }
}
