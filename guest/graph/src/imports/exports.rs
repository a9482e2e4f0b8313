//! Names with stars that stand for others: `exports` and `imports` of packages, `paths` of
//! configurations.

use std::collections::BTreeMap;

use crate::limits::PATTERNS;

/// What names stand for, in the order of preference.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases {
    exact: BTreeMap<String, Vec<Branch>>,
    /// What stands before and behind the star of the name, and what it stands for. The longest
    /// beginning first.
    patterns: Vec<(String, String, Vec<Branch>)>,
}

/// What a name stands for under some conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// The conditions, outermost first: `browser`, `require`.
    conditions: Vec<String>,
    /// The path, with the name's star.
    path: String,
}

/// Who asks for a package's file, as far as that decides between conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asker {
    /// Whether it is by `import`, or by `require`; none where a compiler's settings decide.
    pub(super) is_import: Option<bool>,
    /// Whether it asks for types first.
    pub(super) wants_types: bool,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Yes,
    No,
    /// That depends on where the code runs and on who builds it.
    Maybe,
}

impl Branch {
    /// Returns a path under these conditions.
    pub(super) fn new(conditions: &[String], path: &str) -> Self {
        Self {
            conditions: conditions.to_vec(),
            path: path.to_owned(),
        }
    }

    /// Returns the path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns a path without conditions.
    pub(super) fn plain(path: String) -> Self {
        Self {
            conditions: Vec::new(),
            path,
        }
    }
}

impl Asker {
    fn holds(self, condition: &str) -> Holds {
        let is = |holds: bool| if holds { Holds::Yes } else { Holds::No };
        match condition {
            "default" => Holds::Yes,
            "import" => self.is_import.map_or(Holds::Maybe, is),
            "require" => self.is_import.map_or(Holds::Maybe, |import| is(!import)),
            _ if condition.split('@').next() == Some("types") => is(self.wants_types),
            _ => Holds::Maybe,
        }
    }
}

/// Returns the paths that may be meant, in the order of the branches: of each branch that may hold
/// those that are tried one after the other. The first branch that holds is the last one.
pub(super) fn meant(branches: &[Branch], asker: Asker) -> Vec<Vec<String>> {
    let mut meant: Vec<(&[String], Vec<String>)> = Vec::new();
    // Within these conditions another branch was taken already.
    let mut taken: Vec<&[String]> = Vec::new();
    for Branch { conditions, path } in branches {
        if let Some((own, paths)) = meant.last_mut()
            && *own == conditions.as_slice()
        {
            paths.push(path.clone());
            continue;
        }
        let holds: Vec<Holds> = conditions.iter().map(|it| asker.holds(it)).collect();
        let is_shadowed = taken.iter().any(|taken| conditions.starts_with(taken));
        if is_shadowed || holds.contains(&Holds::No) {
            continue;
        }
        let open = holds.iter().rposition(|holds| *holds == Holds::Maybe);
        taken.push(&conditions[..open.map_or(0, |last| last + 1)]);
        meant.push((conditions, vec![path.clone()]));
    }
    meant.into_iter().map(|(_, paths)| paths).collect()
}

impl Aliases {
    /// Returns the aliases of these names, each with its targets.
    pub(super) fn new(named: BTreeMap<String, Vec<Branch>>) -> Self {
        let mut aliases = Self::default();
        for (name, targets) in named {
            match name.split_once('*') {
                Some((start, end)) => {
                    let pattern = (start.to_owned(), end.to_owned(), targets);
                    aliases.patterns.push(pattern);
                }
                // All that lies in a directory, as it was written once.
                None if name.ends_with('/') => {
                    let mut targets = targets;
                    for target in &mut targets {
                        target.path.push('*');
                    }
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
    pub(super) fn branches(&self, name: &str) -> Option<Vec<Branch>> {
        if let Some(targets) = self.exact.get(name) {
            return Some(targets.clone());
        }
        self.patterns.iter().find_map(|(start, end, targets)| {
            let inner = name.strip_prefix(start.as_str())?;
            let inner = inner.strip_suffix(end.as_str())?;
            let targets = targets.iter().map(|target| Branch {
                conditions: target.conditions.clone(),
                path: target.path.replace('*', inner),
            });
            Some(targets.collect())
        })
    }

    /// Returns the paths that a name stands for whatever the conditions; none where it is no alias.
    pub(super) fn targets(&self, name: &str) -> Option<Vec<String>> {
        let branches = self.branches(name)?;
        Some(branches.into_iter().map(|branch| branch.path).collect())
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
                targets.iter().map(owned).map(Branch::plain).collect(),
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

    #[test]
    fn conditions_by_who_asks() {
        let branch = |conditions: &str, path: &str| {
            let conditions: Vec<String> =
                conditions.split_whitespace().map(str::to_owned).collect();
            Branch::new(&conditions, path)
        };
        let import = Asker {
            is_import: Some(true),
            wants_types: false,
        };
        let require = Asker {
            is_import: Some(false),
            wants_types: false,
        };
        let types = Asker {
            is_import: None,
            wants_types: true,
        };
        let nested = [
            branch("worker require", "w.cjs"),
            branch("worker default", "m.js"),
            branch("default require", "n.cjs"),
            branch("default default", "m.js"),
        ];
        let flat = [
            branch("types", "t.d.ts"),
            branch("import", "i.mjs"),
            branch("import", "i.js"),
            branch("require", "r.cjs"),
            branch("default", "d.js"),
        ];
        for (branches, asker, expected) in [
            (&nested[..], import, &[&["m.js"][..], &["m.js"]][..]),
            (&nested, require, &[&["w.cjs"], &["n.cjs"]]),
            (&flat, import, &[&["i.mjs", "i.js"]]),
            (&flat, require, &[&["r.cjs"]]),
            (&flat, types, &[&["t.d.ts"]]),
            (
                &flat[1..],
                types,
                &[&["i.mjs", "i.js"], &["r.cjs"], &["d.js"]],
            ),
        ] {
            assert_eq!(meant(branches, asker), expected, "{asker:?}");
        }
    }
}
