//! Exclusions from outside a root: the configuration, and ignore files above it.

use std::rc::Rc;

use crate::archive::container_of;
use crate::ignore::rules::{RuleChain, Rules};
use crate::limits::IGNORE_PATTERNS;

/// An ignore file above a root. It cannot be read through the root, so its text is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OuterIgnoreFile {
    /// Name of the root.
    pub root: String,
    /// Path from the directory of the file to the root, followed by `/`; empty if that is the root
    /// itself.
    pub below: String,
    /// Content of the file.
    pub text: String,
}

/// The rules that apply in every root, and those that apply in one because of ignore files above
/// it.
#[derive(Debug, Default)]
pub struct Exclusions {
    rules: Rules,
    /// Rules above each root, by its index.
    above: Vec<Option<Rc<RuleChain>>>,
}

impl Exclusions {
    /// Creates the exclusions from these rules and the `files` above the roots of these names, of
    /// which the nearest to its root must come last.
    pub fn new<'n>(
        rules: Rules,
        roots: impl Iterator<Item = &'n str>,
        files: &[OuterIgnoreFile],
    ) -> Self {
        let chain = |root: &str| {
            let of_root = files.iter().filter(|file| file.root == root);
            of_root.fold(None, |parent: Option<Rc<RuleChain>>, file| {
                let above = parent.as_deref().map_or(0, RuleChain::patterns);
                let mut rules = Rules::default();
                let most = IGNORE_PATTERNS.saturating_sub(above);
                // A file with too many patterns has no effect, as within a root. A part of its
                // patterns would be worse than none: patterns at the end, such as `!keep.md`,
                // override earlier ones.
                let _ = rules.add_file(file.text.as_bytes(), most);
                Some(Rc::new(RuleChain::above(parent, rules, &file.below)))
            })
        };
        Self {
            rules,
            above: roots.map(chain).collect(),
        }
    }

    /// Returns true if no rules apply everywhere.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns true if the rules that apply everywhere exclude the entry at `path`.
    pub fn ignores(&self, path: &str, is_directory: bool) -> bool {
        self.rules.ignores(path, is_directory)
            || container_of(path, is_directory).is_some_and(|file| self.rules.ignores(file, false))
    }

    /// Returns the rules from above a root.
    pub fn above(&self, root: usize) -> Option<Rc<RuleChain>> {
        self.above.get(root).cloned().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_above_a_root() {
        let file = |root: &str, below: &str, text: &str| OuterIgnoreFile {
            root: root.to_owned(),
            below: below.to_owned(),
            text: text.to_owned(),
        };
        let files = [
            file("a", "web/src/", "*.tmp\n/web/src/out/\nsrc/*.log\ndeep/\n"),
            file("a", "src/", "src/*.gen\n!keep.tmp\n"),
            file("b", "", "local.md\n"),
        ];
        let excluded = Exclusions::new(Rules::default(), ["a", "b", "c"].into_iter(), &files);
        let ignores = |root, path: &str, is_directory| {
            let chain = excluded.above(root);
            chain.is_some_and(|chain| chain.ignores(path, is_directory))
        };
        for (path, is_directory, expected) in [
            ("x.tmp", false, true),
            ("sub/keep.tmp", false, false),
            ("out", true, true),
            ("sub/out", true, false),
            ("a.gen", false, true),
            ("sub/a.gen", false, false),
            ("a.log", false, false),
            ("sub/deep", true, true),
            ("local.md", false, false),
        ] {
            assert_eq!(ignores(0, path, is_directory), expected, "{path}");
        }
        assert!(ignores(1, "d/local.md", false) && !ignores(2, "local.md", false));
        let own = Rules::parse(["!x.tmp"].into_iter());
        let chain = RuleChain::new(excluded.above(0), own, "");
        assert!(!chain.ignores("x.tmp", false) && chain.ignores("y.tmp", false));
    }
}
