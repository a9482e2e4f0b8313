//! Rules that exclude entries: ignore files on the way down, and the configured patterns.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::archive::container_of;
use crate::ignore::pattern::IgnorePattern;

/// Names of ignore files; in one directory, later ones override earlier ones.
pub const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".docentignore"];

/// The patterns of one directory's ignore files, or of the configuration.
#[derive(Debug, Default)]
pub struct Rules {
    patterns: Vec<IgnorePattern>,
}

/// The error of an ignore file with too many patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are too many patterns")]
pub struct TooManyPatterns;

/// The verdict of a list of patterns about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IgnoreVerdict {
    Ignored,
    Kept,
    Unmentioned,
}

impl Rules {
    /// Parses `lines` into rules, in order.
    pub fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        Self {
            patterns: lines.filter_map(IgnorePattern::parse).collect(),
        }
    }

    /// Appends the rules of an ignore file's content.
    ///
    /// # Errors
    /// [`TooManyPatterns`] if there would be more than `most`; then none is added.
    pub fn add_file(&mut self, bytes: &[u8], most: usize) -> Result<(), TooManyPatterns> {
        // Patterns of git are bytes, so that a line in another encoding only affects itself. Here
        // its invalid bytes are replaced, and it matches no usual name. With a strict conversion
        // the whole file would have no effect, and entries that it ignores would be shown.
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        let before = self.patterns.len();
        for pattern in text.split('\n').filter_map(IgnorePattern::parse) {
            if self.patterns.len() >= most {
                self.patterns.truncate(before);
                return Err(TooManyPatterns);
            }
            self.patterns.push(pattern);
        }
        Ok(())
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    fn verdict(&self, path: &str, is_directory: bool) -> IgnoreVerdict {
        // The patterns are tried from the end, because a later line overrides an earlier one: after
        // `*.md`, the line `!keep.md` includes a file again.
        match self
            .patterns
            .iter()
            .rev()
            .find(|pattern| pattern.matches(path, is_directory))
        {
            Some(pattern) if pattern.negated => IgnoreVerdict::Kept,
            Some(_) => IgnoreVerdict::Ignored,
            None => IgnoreVerdict::Unmentioned,
        }
    }

    /// Returns true if these rules alone exclude the entry at `path`.
    pub fn ignores(&self, path: &str, is_directory: bool) -> bool {
        self.verdict(path, is_directory) == IgnoreVerdict::Ignored
    }
}

/// The id of a chain, unique in this process, so that a decision under one chain is never taken for
/// a decision under another, as could happen if chains were identified by their address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainId(u64);

impl ChainId {
    fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        // Each call gets another number, which is all that matters; no other memory access is
        // ordered by it, so that the relaxed order is enough.
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// The rules that apply in a directory: its own before those of its ancestors.
#[derive(Debug)]
pub struct RuleChain {
    /// Id of the chain.
    pub id: ChainId,
    parent: Option<Rc<RuleChain>>,
    rules: Rules,
    /// Number of patterns of its own and of its ancestors.
    patterns: usize,
    base: Base,
}

/// The directory of some rules, to which the paths they match are relative.
#[derive(Debug)]
enum Base {
    /// In the root: this number of bytes of a path lead to it, including the `/`.
    Within(usize),
    /// Above the root: the path from it to the root, including the `/`.
    Above(Box<str>),
}

impl RuleChain {
    /// Prepends the rules of the directory at `path` to `parent`.
    pub fn new(parent: Option<Rc<RuleChain>>, rules: Rules, path: &str) -> Self {
        let above = parent.as_deref().map_or(0, Self::patterns);
        Self {
            id: ChainId::next(),
            patterns: above + rules.patterns.len(),
            parent,
            rules,
            // The root's path is empty and has no `/` after it.
            base: Base::Within(if path.is_empty() { 0 } else { path.len() + 1 }),
        }
    }

    /// Prepends the rules of a directory above the root to `parent`; `below` is the path from it to
    /// the root.
    pub fn above(parent: Option<Rc<RuleChain>>, rules: Rules, below: &str) -> Self {
        Self {
            base: Base::Above(below.into()),
            ..Self::new(parent, rules, "")
        }
    }

    /// Returns the number of patterns, including those of its ancestors.
    pub fn patterns(&self) -> usize {
        self.patterns
    }

    /// Returns its size in bytes, without its ancestors.
    pub fn bytes(&self) -> usize {
        let patterns = self.rules.patterns.iter().map(IgnorePattern::bytes);
        size_of::<Self>() + patterns.sum::<usize>()
    }

    /// Returns true if the entry at `path`, relative to the root, is excluded. Its directory must
    /// not be.
    pub fn ignores(&self, path: &str, is_directory: bool) -> bool {
        self.ignores_entry(path, is_directory)
            || container_of(path, is_directory).is_some_and(|file| self.ignores_entry(file, false))
    }

    fn ignores_entry(&self, path: &str, is_directory: bool) -> bool {
        let mut chain = Some(self);
        let mut from_above = String::new();
        while let Some(Self {
            parent,
            rules,
            base,
            ..
        }) = chain
        {
            // A pattern is relative to the directory of its file, so that each list of rules is
            // compared with another part of the path: `/b` in `sub/.gitignore` means `sub/b`. The
            // nearest directory that mentions the entry decides, overriding those above it.
            let seen = match base {
                Base::Within(length) => &path[*length..],
                Base::Above(below) => {
                    from_above.clear();
                    from_above.push_str(below);
                    from_above.push_str(path);
                    &from_above
                }
            };
            match rules.verdict(seen, is_directory) {
                IgnoreVerdict::Ignored => return true,
                IgnoreVerdict::Kept => return false,
                IgnoreVerdict::Unmentioned => chain = parent.as_deref(),
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Rules {
        Rules::parse(text.lines())
    }

    #[test]
    fn later_lines_override() {
        let rules = rules("*.md\n!keep.md");
        assert!(rules.ignores("a.md", false));
        assert!(!rules.ignores("keep.md", false));
        assert!(!rules.ignores("a.txt", false));
    }

    #[test]
    fn too_many_patterns_are_none() {
        let mut rules = rules("a");
        assert_eq!(
            rules.add_file(b"b\n# remark\n\nc\n", 2),
            Err(TooManyPatterns)
        );
        assert!(rules.ignores("a", false) && !rules.ignores("b", false));
        assert_eq!(rules.add_file(b"b\n# remark\n\nc\n", 3), Ok(()));
        assert!(rules.ignores("c", false));
        let outer = Rc::new(RuleChain::new(None, rules, ""));
        let inner = RuleChain::new(Some(outer), Rules::parse(["d"].into_iter()), "sub");
        assert_eq!(inner.patterns(), 4);
    }

    #[test]
    fn deeper_files_override() {
        let outer = Rc::new(RuleChain::new(None, rules("*.log"), ""));
        let inner = RuleChain::new(Some(outer.clone()), rules("!a.log\n/b"), "sub");
        assert!(outer.ignores("sub/a.log", false));
        assert!(!inner.ignores("sub/a.log", false));
        assert!(inner.ignores("sub/z.log", false));
        assert!(inner.ignores("sub/b", false));
    }
}
