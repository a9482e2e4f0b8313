//! Aliases with wildcards: `exports` and `imports` of packages, `paths` of configurations.

use std::collections::BTreeMap;

use crate::limits::PATTERNS;
use docent_text::sort::sort_by_key;

/// The targets of aliases, in the order of preference.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases {
    exact: BTreeMap<String, Vec<Branch>>,
    /// Prefix, suffix and targets of each pattern with a star. The longest prefix first.
    patterns: Vec<(String, String, Vec<Branch>)>,
}

/// The target of an alias under some conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// Conditions, outermost first: `browser`, `require`.
    conditions: Vec<String>,
    /// Path, with the star of the name.
    path: String,
}

/// The properties of an importing file that decide between conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Importer {
    /// True for `import`, false for `require`; `None` if the settings of a compiler decide.
    pub(super) is_import: Option<bool>,
    /// True if it looks for types first.
    pub(super) wants_types: bool,
}

/// The truth of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExportCondition {
    Yes,
    No,
    /// Undecided: it depends on where the code runs and on what builds it.
    Maybe,
}

impl Branch {
    /// Creates the branch of a path under these conditions.
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

    /// Creates the branch of a path without conditions.
    pub(super) fn plain(path: String) -> Self {
        Self {
            conditions: Vec::new(),
            path,
        }
    }
}

impl Importer {
    fn holds(self, condition: &str) -> ExportCondition {
        let is = |holds: bool| {
            if holds {
                ExportCondition::Yes
            } else {
                ExportCondition::No
            }
        };
        match condition {
            "default" => ExportCondition::Yes,
            "import" => self.is_import.map_or(ExportCondition::Maybe, is),
            "require" => self
                .is_import
                .map_or(ExportCondition::Maybe, |import| is(!import)),
            _ if condition.split('@').next() == Some("types") => is(self.wants_types),
            _ => ExportCondition::Maybe,
        }
    }
}

/// Returns the paths of each branch whose conditions may hold, in the order of the branches; the
/// paths of one branch are tried in turn. A branch that certainly holds is the last one.
pub(super) fn candidate_paths(branches: &[Branch], importer: Importer) -> Vec<Vec<String>> {
    let mut meant: Vec<(&[String], Vec<String>)> = Vec::new();
    // Branches are tried in order, as Node does, except that some conditions are undecided. A
    // branch shadows all later ones that require the same undecided conditions. For `import` in
    //
    // ```json
    // { "browser": { "import": "./a.js", "default": "./b.js" }, "default": "./c.js" }
    // ```
    //
    // `browser` is undecided: `./a.js` holds if it is set, which shadows `./b.js`, and `./c.js`
    // if not.
    let mut taken: Vec<&[String]> = Vec::new();
    for Branch { conditions, path } in branches {
        if let Some((own, paths)) = meant.last_mut()
            && *own == conditions.as_slice()
        {
            paths.push(path.clone());
            continue;
        }
        let holds: Vec<ExportCondition> = conditions.iter().map(|it| importer.holds(it)).collect();
        let is_shadowed = taken.iter().any(|taken| conditions.starts_with(taken));
        if is_shadowed || holds.contains(&ExportCondition::No) {
            continue;
        }
        let open = holds
            .iter()
            .rposition(|holds| *holds == ExportCondition::Maybe);
        taken.push(&conditions[..open.map_or(0, |last| last + 1)]);
        meant.push((conditions, vec![path.clone()]));
    }
    meant.into_iter().map(|(_, paths)| paths).collect()
}

impl Aliases {
    /// Creates the aliases of these names, each with its targets.
    pub(super) fn new(named: BTreeMap<String, Vec<Branch>>) -> Self {
        let mut aliases = Self::default();
        for (name, targets) in named {
            match name.split_once('*') {
                Some((start, end)) => {
                    let pattern = (start.to_owned(), end.to_owned(), targets);
                    aliases.patterns.push(pattern);
                }
                // `"./lib/": "./src/"` is an older syntax for `"./lib/*": "./src/*"`.
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
        sort_by_key(patterns, |(start, ..)| std::cmp::Reverse(start.len()));
        patterns.truncate(PATTERNS);
        aliases
    }

    /// Returns true if there are no aliases.
    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    /// Returns the branches of a name, with stars replaced, or `None` if it is not an alias.
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

    /// Returns the paths of a name whatever the conditions, or `None` if it is not an alias.
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
        let import = Importer {
            is_import: Some(true),
            wants_types: false,
        };
        let require = Importer {
            is_import: Some(false),
            wants_types: false,
        };
        let types = Importer {
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
        for (branches, importer, expected) in [
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
            assert_eq!(
                candidate_paths(branches, importer),
                expected,
                "{importer:?}"
            );
        }
    }
}
