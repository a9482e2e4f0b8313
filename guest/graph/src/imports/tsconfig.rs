//! `tsconfig.json` and `jsconfig.json`: which names stand for paths of the tree.

use std::collections::{BTreeMap, BTreeSet};

use super::Manifests;
use super::exports::Aliases;
use super::paths::{at, child, name_of, parent, upwards};
use super::settings::Settings;
use super::workspaces::Workspaces;
use crate::limits::{EXTENDED_CONFIGS, PATTERNS};

/// The configurations that are found by their names, by directory.
#[derive(Debug, Default)]
pub(super) struct Configs(BTreeMap<String, Vec<Config>>);

/// What one configuration says, with all that it extends.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// The directory from which names are looked up.
    pub(super) base: Option<String>,
    /// Paths of the tree, by the names that stand for them.
    pub(super) aliases: Aliases,
}

/// The first that says something counts: a configuration comes before what it extends.
#[derive(Default)]
struct Found {
    base: Option<String>,
    /// The targets as they are written.
    paths: Option<BTreeMap<String, Vec<String>>>,
    /// The directory of the configuration that has them.
    paths_directory: String,
}

impl Configs {
    pub(super) fn new(manifests: &Manifests, workspaces: &Workspaces) -> Self {
        let mut configs = BTreeMap::new();
        for path in manifests.keys() {
            let directory = parent(path);
            let is_first = match name_of(path) {
                "tsconfig.json" => true,
                "jsconfig.json" => !manifests.contains_key(&child(directory, "tsconfig.json")),
                _ => false,
            };
            if !is_first {
                continue;
            }
            let mut all = vec![read(path, manifests, workspaces)];
            // One that only points to others: `{ "files": [], "references": [...] }`.
            let settings = &manifests[path];
            for reference in settings.values(&["references", "path"]).take(PATTERNS) {
                let path = at(directory, reference);
                all.extend(path.and_then(|path| {
                    let inner = child(&path, "tsconfig.json");
                    let path = [path, inner]
                        .into_iter()
                        .find(|path| manifests.contains_key(path));
                    path.map(|path| read(&path, manifests, workspaces))
                }));
            }
            all.retain(|config| config.base.is_some() || !config.aliases.is_empty());
            configs.insert(directory.to_owned(), all);
        }
        Self(configs)
    }

    /// Returns the configurations that hold for a file.
    pub(super) fn of(&self, path: &str) -> &[Config] {
        let mut nearest = upwards(parent(path)).filter_map(|directory| self.0.get(directory));
        nearest.next().map(Vec::as_slice).unwrap_or_default()
    }
}

/// Reads a configuration with all that it extends, each once.
fn read(path: &str, manifests: &Manifests, workspaces: &Workspaces) -> Config {
    let leaf = parent(path);
    let mut found = Found::default();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
        let Some(settings) = manifests.get(&path) else {
            continue;
        };
        if seen.len() >= EXTENDED_CONFIGS || !seen.insert(path.clone()) {
            continue;
        }
        found.take(parent(&path), leaf, settings);
        // The last of several comes before the others, and is taken first.
        let extended = settings.values(&["extends"]).take(EXTENDED_CONFIGS);
        waiting
            .extend(extended.filter_map(|name| extended_path(&path, name, manifests, workspaces)));
    }
    let start = found.base.clone().unwrap_or(found.paths_directory);
    let paths = found.paths.unwrap_or_default().into_iter();
    let paths = paths.map(|(name, targets)| {
        let targets = targets
            .iter()
            .filter_map(|target| from_config(target, &start, leaf));
        (name, targets.collect())
    });
    Config {
        base: found.base,
        aliases: Aliases::new(paths.collect()),
    }
}

impl Found {
    fn take(&mut self, directory: &str, leaf: &str, settings: &Settings) {
        if self.base.is_none() {
            let base = settings.value(&["compilerOptions", "baseUrl"]);
            self.base = base.and_then(|base| from_config(base, directory, leaf));
        }
        if self.paths.is_some() || !settings.has(&["compilerOptions", "paths"]) {
            return;
        }
        let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (keys, value) in settings.below(&["compilerOptions", "paths"]) {
            if let ([name], Some(value)) = (keys, value) {
                paths
                    .entry(name.clone())
                    .or_default()
                    .push(value.to_owned());
            }
        }
        self.paths = Some(paths);
        directory.clone_into(&mut self.paths_directory);
    }
}

/// Returns what a path of a configuration means that is read from `directory`; the one that all
/// others are extended by lies in `leaf`.
fn from_config(path: &str, directory: &str, leaf: &str) -> Option<String> {
    match path.strip_prefix("${configDir}") {
        Some(rest) => at(leaf, rest.trim_start_matches('/')),
        None => at(directory, path),
    }
}

/// Returns the path of the configuration that `name` means in the one at `path`.
fn extended_path(
    path: &str,
    name: &str,
    manifests: &Manifests,
    workspaces: &Workspaces,
) -> Option<String> {
    let whole = if name.starts_with('.') {
        at(parent(path), name)?
    } else {
        let levels = if name.starts_with('@') { 2 } else { 1 };
        let end = name
            .match_indices('/')
            .nth(levels - 1)
            .map_or(name.len(), |(at, _)| at);
        let directory = workspaces.member(path, &name[..end])?;
        at(directory, name[end..].trim_start_matches('/'))?
    };
    let candidates = [
        whole.clone(),
        format!("{whole}.json"),
        child(&whole, "tsconfig.json"),
    ];
    candidates
        .into_iter()
        .find(|path| manifests.contains_key(path))
}
