//! Which entries are left out: ignore files on the way down, and the configured patterns.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ignore::pattern::Pattern;

/// Names of ignore files; in one directory, later ones override earlier ones.
pub const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".docentignore"];

/// The patterns of one directory's ignore files, or of the configuration.
#[derive(Debug, Default)]
pub struct Rules {
    patterns: Vec<Pattern>,
}

/// An ignore file has more patterns than are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are too many patterns")]
pub struct TooManyPatterns;

/// What a list of patterns says about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Ignored,
    Kept,
    Unmentioned,
}

impl Rules {
    /// Returns the rules that `lines` hold, in order.
    pub fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        Self {
            patterns: lines.filter_map(Pattern::parse).collect(),
        }
    }

    /// Adds the rules of an ignore file's content behind those there are.
    ///
    /// # Errors
    /// [`TooManyPatterns`] when there would be more than `most`; then none is added.
    pub fn add_file(&mut self, bytes: &[u8], most: usize) -> Result<(), TooManyPatterns> {
        // A line that is not UTF-8 spoils itself only, as in git, whose patterns are bytes.
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        let before = self.patterns.len();
        for pattern in text.split('\n').filter_map(Pattern::parse) {
            if self.patterns.len() >= most {
                self.patterns.truncate(before);
                return Err(TooManyPatterns);
            }
            self.patterns.push(pattern);
        }
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    fn verdict(&self, path: &str, is_directory: bool) -> Verdict {
        // From the end, for a later line takes back an earlier one: `*.md` and then `!keep.md`.
        match self
            .patterns
            .iter()
            .rev()
            .find(|pattern| pattern.matches(path, is_directory))
        {
            Some(pattern) if pattern.negated => Verdict::Kept,
            Some(_) => Verdict::Ignored,
            None => Verdict::Unmentioned,
        }
    }

    /// Whether these rules alone leave out the entry at `path`.
    pub fn ignores(&self, path: &str, is_directory: bool) -> bool {
        self.verdict(path, is_directory) == Verdict::Ignored
    }
}

/// Names a chain among all that this process ever made, so that what was decided under one is never
/// taken for a decision under another, as it could be if chains went by their address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainId(u64);

impl ChainId {
    fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        // The number alone counts; nothing else is ordered by it.
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// The rules that hold in a directory: its own before those of its ancestors.
#[derive(Debug)]
pub struct Chain {
    /// Its name.
    pub id: ChainId,
    parent: Option<Rc<Chain>>,
    rules: Rules,
    /// Patterns of its own and of its ancestors.
    patterns: usize,
    base: Base,
}

/// Where the directory of some rules lies: what they match are paths relative to it.
#[derive(Debug)]
enum Base {
    /// In the root: so many bytes of a path lead to it, the `/` included.
    Within(usize),
    /// Above the root: this leads from it to the root, the `/` included.
    Above(Box<str>),
}

impl Chain {
    /// Returns `parent` with the rules of the directory at `path` before it.
    pub fn new(parent: Option<Rc<Chain>>, rules: Rules, path: &str) -> Self {
        let above = parent.as_deref().map_or(0, Self::patterns);
        Self {
            id: ChainId::next(),
            patterns: above + rules.patterns.len(),
            parent,
            rules,
            // The root's path is empty and has no `/` behind it.
            base: Base::Within(if path.is_empty() { 0 } else { path.len() + 1 }),
        }
    }

    /// Returns `parent` with the rules of a directory above the root before it, from which `below`
    /// leads to the root.
    pub fn above(parent: Option<Rc<Chain>>, rules: Rules, below: &str) -> Self {
        Self {
            base: Base::Above(below.into()),
            ..Self::new(parent, rules, "")
        }
    }

    /// Returns how many patterns it has, with those of its ancestors.
    pub fn patterns(&self) -> usize {
        self.patterns
    }

    /// Returns the bytes that it takes without its ancestors.
    pub fn bytes(&self) -> usize {
        let patterns = self.rules.patterns.iter().map(Pattern::bytes);
        size_of::<Self>() + patterns.sum::<usize>()
    }

    /// Whether the entry at `path`, relative to the root, is left out. Its directory is not.
    pub fn ignores(&self, path: &str, is_directory: bool) -> bool {
        let mut chain = Some(self);
        let mut from_above = String::new();
        while let Some(Self {
            parent,
            rules,
            base,
            ..
        }) = chain
        {
            // A pattern is relative to its own file's directory, so each sees less of the path.
            // The nearest directory that mentions the entry decides, also against those above.
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
                Verdict::Ignored => return true,
                Verdict::Kept => return false,
                Verdict::Unmentioned => chain = parent.as_deref(),
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
        let outer = Rc::new(Chain::new(None, rules, ""));
        let inner = Chain::new(Some(outer), Rules::parse(["d"].into_iter()), "sub");
        assert_eq!(inner.patterns(), 4);
    }

    #[test]
    fn deeper_files_override() {
        let outer = Rc::new(Chain::new(None, rules("*.log"), ""));
        let inner = Chain::new(Some(outer.clone()), rules("!a.log\n/b"), "sub");
        assert!(outer.ignores("sub/a.log", false));
        assert!(!inner.ignores("sub/a.log", false));
        assert!(inner.ignores("sub/z.log", false));
        assert!(inner.ignores("sub/b", false));
    }
}
