//! Which links could be concerned by what happens to some files: enough to leave out nearly all
//! others before any name of the tree is known.

use std::collections::BTreeSet;

use crate::destination::Destination;
use crate::lead::{is_index, written_path};
use crate::link::{Link, LinkKind};
use crate::names::{composed, folded, stem};
use unicode_normalization::UnicodeNormalization as _;

/// Files and directories that something happens to.
#[derive(Debug, Default)]
pub struct Targets {
    /// Their paths in composed form, those of documents also without extension.
    paths: BTreeSet<String>,
    /// Their names in composed form, folded, likewise.
    names: BTreeSet<String>,
    /// Their names without extension, in each form in which a text may name them.
    stems: BTreeSet<String>,
}

/// How a text names the directory that it lies in, one above that, and the root.
const NAMELESS: [&str; 5] = ["..", "./", "(.)", "\"/\"", "(/)"];

impl Targets {
    /// Adds a file.
    pub fn insert(&mut self, path: &str) {
        let short = stem(path).unwrap_or(path);
        self.add(path, short);
        self.add(short, short);
        // A site may name it by its directory.
        if is_index(path) {
            let above = path.rsplit_once('/').map_or("", |(above, _)| above);
            self.insert_directory(above);
            self.stems.extend(NAMELESS.map(str::to_owned));
        }
    }

    /// Adds a directory, without what is in it.
    pub fn insert_directory(&mut self, path: &str) {
        self.add(path, path);
    }

    fn add(&mut self, path: &str, short: &str) {
        self.paths.insert(composed(path).into_owned());
        self.names.insert(folded(&composed(last_name(path))));
        if !short.is_empty() {
            let short = last_name(short);
            self.stems.insert(short.to_owned());
            if !short.is_ascii() {
                self.stems
                    .extend([short.nfc().collect(), short.nfd().collect()]);
            }
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether a text can hold such a link. What it says no to holds none.
    pub fn may_be_in(&self, text: &str) -> bool {
        // Codes and escapes hide a name, and wikilinks are read without regard to case.
        let hides = |sign: &str| text.contains(sign);
        ["%", "\\", "&", "[[", ":glob:", "glob: true"]
            .into_iter()
            .any(hides)
            || self.stems.iter().any(|stem| text.contains(stem.as_str()))
    }

    /// Whether a link of the document `from` can lead to one of them.
    pub fn may_be_of(&self, link: &Link, from: &str) -> bool {
        if link.kind.is_wiki() {
            let path = Destination::of(&link.target, false).path.trim();
            return self.names.contains(&folded(&composed(last_name(path))));
        }
        // A pattern may match any of them, and from where a snippet is taken only its site knows.
        if link.kind == LinkKind::Glob {
            return true;
        }
        if matches!(link.kind, LinkKind::Snippet | LinkKind::Shortcode) {
            return self
                .names
                .contains(&folded(&composed(last_name(&link.target))));
        }
        let Some(path) = written_path(link, from) else {
            return false;
        };
        let path = composed(&path);
        let page = path.strip_suffix(".html").unwrap_or(&path);
        let has = |path: &str| self.paths.contains(path);
        // A site may have it in a folder of its own.
        if link.target.starts_with('/') || link.target.starts_with("@site/") {
            return [&*path, page]
                .map(|path| folded(last_name(path)))
                .iter()
                .any(|name| self.names.contains(name) || name == "index");
        }
        let directory = page
            .strip_suffix("index")
            .map(|above| above.trim_end_matches('/'));
        has(&path) || has(page) || directory.is_some_and(has)
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
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
            ("[x](/two%20words.md)", true),
            ("[x](/docs/two%20words/)", true),
            ("[x](two%20words.html)", true),
            ("[x](/words.md)", false),
            ("[x](e/two%20words.md)", false),
            ("[x](https://two%20words.md)", false),
            ("[[words]]", false),
        ] {
            let all = links(text, Format::Markdown);
            assert_eq!(targets.may_be_of(&all[0], "d/a.md"), expected, "{text}");
            assert!(targets.may_be_in(text) || !expected, "{text}");
        }
        assert!(!targets.may_be_in("[x](words.md)"));
    }

    #[test]
    fn links_to_directories_are_looked_at() {
        let mut targets = Targets::default();
        targets.insert("d/README.md");
        targets.insert_directory("e/f");
        for (from, text, expected) in [
            ("a.md", "[x](d/)", true),
            ("d/a.md", "[x](./)", true),
            ("d/b/a.md", "[x](..)", true),
            ("a.md", "[x](/d)", true),
            ("a.md", "[x](e/f)", true),
            ("e/a.md", "[x](d/)", false),
        ] {
            let all = links(text, Format::Markdown);
            assert_eq!(targets.may_be_of(&all[0], from), expected, "{from}: {text}");
            assert!(targets.may_be_in(text) || !expected, "{text}");
        }
    }
}
