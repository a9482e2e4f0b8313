//! Names with stars that stand for others: `exports` and `imports` of packages, `paths` of
//! configurations.

use std::collections::BTreeMap;

use crate::limits::PATTERNS;

/// What names stand for, in the order of preference.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases {
    exact: BTreeMap<String, Vec<String>>,
    /// What stands before and behind the star of the name, and what it stands for. The longest
    /// beginning first.
    patterns: Vec<(String, String, Vec<String>)>,
}

impl Aliases {
    /// Returns the aliases of these names, each with its targets.
    pub(super) fn new(named: BTreeMap<String, Vec<String>>) -> Self {
        let mut aliases = Self::default();
        for (name, targets) in named {
            match name.split_once('*') {
                Some((start, end)) => {
                    let pattern = (start.to_owned(), end.to_owned(), targets);
                    aliases.patterns.push(pattern);
                }
                // All that lies in a directory, as it was written once.
                None if name.ends_with('/') => {
                    let targets = targets.iter().map(|target| format!("{target}*")).collect();
                    aliases.patterns.push((name, String::new(), targets));
                }
                None => {
                    aliases.exact.insert(name, targets);
                }
            }
        }
        let patterns = &mut aliases.patterns;
        patterns.sort_by_key(|(start, ..)| std::cmp::Reverse(start.len()));
        patterns.truncate(PATTERNS);
        aliases
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    /// Returns what a name stands for, stars replaced; none where it is no alias.
    pub(super) fn targets(&self, name: &str) -> Option<Vec<String>> {
        if let Some(targets) = self.exact.get(name) {
            return Some(targets.clone());
        }
        self.patterns.iter().find_map(|(start, end, targets)| {
            let inner = name.strip_prefix(start.as_str())?;
            let inner = inner.strip_suffix(end.as_str())?;
            let targets = targets.iter().map(|target| target.replace('*', inner));
            Some(targets.collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars() {
        let named = [
            ("a", &["x"][..]),
            ("a/*", &["y/*/*", "z"]),
            ("a/b*.js", &["w/*"]),
            ("c/", &["v/"]),
        ];
        let owned = |text: &&str| (*text).to_owned();
        let named = named.map(|(name, targets)| {
            (
                name.to_owned(),
                targets.iter().map(owned).collect::<Vec<_>>(),
            )
        });
        let aliases = Aliases::new(BTreeMap::from(named));
        for (name, expected) in [
            ("a", Some(&["x"][..])),
            ("a/q", Some(&["y/q/q", "z"])),
            ("a/bc.js", Some(&["w/c"])),
            ("c/d/e", Some(&["v/d/e"])),
            ("b", None),
        ] {
            let expected = expected.map(|targets| targets.iter().map(owned).collect::<Vec<_>>());
            assert_eq!(aliases.targets(name), expected, "{name}");
        }
    }
}
