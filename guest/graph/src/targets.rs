//! A filter for the links that changes of some files may affect. It excludes nearly all others
//! before the names of the tree are known.

use std::collections::BTreeSet;

use crate::destination::Destination;
use crate::document_path::is_index;
use crate::document_path::{compose, stem};
use crate::link::{Link, LinkKind};
use crate::names::fold_name;
use crate::resolve::written_path;
use unicode_normalization::UnicodeNormalization as _;

/// The files and directories that change.
#[derive(Debug, Default)]
pub struct Targets {
    /// Paths in composed form, those of documents also without extension.
    paths: BTreeSet<String>,
    /// Names in composed form, folded, likewise.
    names: BTreeSet<String>,
    /// Names without extension, in every form in which a text may contain them.
    stems: BTreeSet<String>,
}

/// Ways to refer to the containing directory, its parent, or the root without a name.
const NAMELESS: [&str; 5] = ["..", "./", "(.)", "\"/\"", "(/)"];

impl Targets {
    /// Adds a file.
    pub fn insert(&mut self, path: &str) {
        let short = stem(path).unwrap_or(path);
        self.add(path, short);
        self.add(short, short);
        // A site may refer to it by its directory.
        if is_index(path) {
            let above = path.rsplit_once('/').map_or("", |(above, _)| above);
            self.insert_directory(above);
            self.stems.extend(NAMELESS.map(str::to_owned));
        }
    }

    /// Adds a directory, without its contents.
    pub fn insert_directory(&mut self, path: &str) {
        self.add(path, path);
    }

    fn add(&mut self, path: &str, short: &str) {
        self.paths.insert(compose(path).into_owned());
        self.names.insert(fold_name(&compose(last_name(path))));
        if !short.is_empty() {
            let short = last_name(short);
            self.stems.insert(short.to_owned());
            if !short.is_ascii() {
                self.stems
                    .extend([short.nfc().collect(), short.nfd().collect()]);
            }
        }
    }

    /// Returns true if there are no files or directories.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns true if a text may contain a link to one of them. If false, it contains none.
    pub fn may_be_in(&self, text: &str) -> bool {
        // This search for names replaces a parse, so it must never exclude a text that has a
        // link. A name may be percent-encoded (`my%20file`), escaped (`a\_b`) or written with
        // entities, wikilinks ignore case, and a pattern contains no name at all: texts with
        // such signs are all parsed.
        let hides = |sign: &str| text.contains(sign);
        ["%", "\\", "&", "[[", ":glob:", "glob: true"]
            .into_iter()
            .any(hides)
            || self.stems.iter().any(|stem| text.contains(stem.as_str()))
    }

    /// Returns true if a link of the document `from` may refer to one of them.
    pub fn may_be_of(&self, link: &Link, from: &str) -> bool {
        if link.kind.is_wiki() {
            let path = Destination::parse(&link.target, false).path.trim();
            return self.names.contains(&fold_name(&compose(last_name(path))));
        }
        // A pattern may match any of them, and only its site knows the base of a snippet.
        if link.kind == LinkKind::Glob {
            return true;
        }
        if matches!(link.kind, LinkKind::Snippet | LinkKind::Shortcode) {
            return self
                .names
                .contains(&fold_name(&compose(last_name(&link.target))));
        }
        let Some(path) = written_path(link, from) else {
            return false;
        };
        let path = compose(&path);
        let page = path.strip_suffix(".html").unwrap_or(&path);
        let has = |path: &str| self.paths.contains(path);
        // `/img/x.png` may be in any folder of its site, such as `static/img/x.png`, and sites
        // are not known here. So only the last name is compared, and `index` always counts: it
        // is the page of a directory, whose name is another.
        if link.target.starts_with('/') || link.target.starts_with("@site/") {
            return [&*path, page]
                .map(|path| fold_name(last_name(path)))
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
    use crate::read::links;
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
