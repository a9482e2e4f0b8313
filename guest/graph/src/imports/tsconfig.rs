//! Path aliases of `tsconfig.json` and `jsconfig.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::exports::{Aliases, Branch};
use super::paths::{at, child, name_of, parent, upwards};
use super::settings::ManifestSettings;
use super::settings::Manifests;
use super::workspaces::Workspaces;
use crate::limits::{EXTENDED_CONFIGS, PATTERNS};

/// Keys of the path aliases.
const PATHS: [&str; 2] = ["compilerOptions", "paths"];

/// Placeholder for the directory of the extending configuration, not of the one that contains it.
const LEAF: &str = "${configDir}";

/// The configurations that are found by their names, by directory.
#[derive(Debug, Default)]
pub(super) struct Configs(BTreeMap<String, Vec<TsConfig>>);

/// The settings of one configuration, including those that it extends.
#[derive(Debug, Default)]
pub(super) struct TsConfig {
    /// Directory in which names are looked up.
    pub(super) base: Option<String>,
    /// Paths of the tree, by alias.
    pub(super) aliases: Arc<Aliases>,
}

/// The aliases read so far, by their configuration and the directories that they are relative to:
/// hundreds of configurations of one repository may extend the same one.
type AliasCache = BTreeMap<(String, String, String), Arc<Aliases>>;

/// A reader of configurations that follows `extends`.
struct ConfigReader<'m> {
    manifests: &'m Manifests,
    workspaces: &'m Workspaces,
    known: AliasCache,
}

impl Configs {
    pub(super) fn new(manifests: &Manifests, workspaces: &Workspaces) -> Self {
        let mut reader = ConfigReader {
            manifests,
            workspaces,
            known: AliasCache::new(),
        };
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
            let mut all = vec![reader.read(path)];
            // A configuration may only refer to others:
            // `{ "files": [], "references": [{ "path": "./a" }] }`. Which of them applies to a
            // file depends on patterns that are not read here. All are tried.
            let settings = &manifests[path];
            for reference in settings.values(&["references", "path"]).take(PATTERNS) {
                let path = at(directory, reference);
                all.extend(path.and_then(|path| {
                    let inner = child(&path, "tsconfig.json");
                    let path = [path, inner]
                        .into_iter()
                        .find(|path| manifests.contains_key(path));
                    path.map(|path| reader.read(&path))
                }));
            }
            all.retain(|config| config.base.is_some() || !config.aliases.is_empty());
            configs.insert(directory.to_owned(), all);
        }
        Self(configs)
    }

    /// Returns the configurations that apply to a file.
    pub(super) fn for_file(&self, path: &str) -> &[TsConfig] {
        let mut nearest = upwards(parent(path)).filter_map(|directory| self.0.get(directory));
        nearest.next().map(Vec::as_slice).unwrap_or_default()
    }
}

impl ConfigReader<'_> {
    /// Reads a configuration with everything that it extends, each once. The first setting wins: a
    /// configuration comes before the ones that it extends.
    fn read(&mut self, path: &str) -> TsConfig {
        let leaf = parent(path);
        let mut base = None;
        let mut with_paths = None;
        let mut seen = BTreeSet::new();
        let mut waiting = vec![path.to_owned()];
        while let Some(path) = waiting.pop() {
            let Some(settings) = self.manifests.get(&path) else {
                continue;
            };
            if seen.len() >= EXTENDED_CONFIGS || !seen.insert(path.clone()) {
                continue;
            }
            if base.is_none() {
                let written = settings.value(&["compilerOptions", "baseUrl"]);
                base = written.and_then(|written| from_config(written, parent(&path), leaf));
            }
            // Of several configurations in `extends` the last one overrides the others. It is on
            // top of the stack, so it is read first, and the first setting that is read wins.
            // Configurations may extend each other in a circle, and each may extend several:
            // each is read once.
            let extended = settings.values(&["extends"]).take(EXTENDED_CONFIGS);
            waiting.extend(extended.filter_map(|name| self.resolve_extends(&path, name)));
            if with_paths.is_none() && settings.has(&PATHS) {
                with_paths = Some((path, settings));
            }
        }
        let aliases = with_paths.map(|(path, settings)| {
            let start = base.clone().unwrap_or_else(|| parent(&path).to_owned());
            self.aliases(path, settings, start, leaf)
        });
        TsConfig {
            base,
            aliases: aliases.unwrap_or_default(),
        }
    }

    /// Returns the aliases of the configuration at `path`.
    fn aliases(
        &mut self,
        path: String,
        settings: &ManifestSettings,
        start: String,
        leaf: &str,
    ) -> Arc<Aliases> {
        let mut values = settings.below(&PATHS).filter_map(|(_, value)| value);
        let asks_for_leaf = values.any(|value| value.starts_with(LEAF));
        let leaf = if asks_for_leaf { leaf } else { "" };
        let key = (path, start, leaf.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        let mut paths: BTreeMap<String, Vec<Branch>> = BTreeMap::new();
        for (keys, value) in settings.below(&PATHS) {
            if let ([name], Some(value)) = (keys, value) {
                let targets = paths.entry(name.clone()).or_default();
                targets.extend(
                    from_config(value, &key.1, leaf)
                        .into_iter()
                        .map(Branch::plain),
                );
            }
        }
        let aliases = Arc::new(Aliases::new(paths));
        self.known.insert(key, Arc::clone(&aliases));
        aliases
    }

    /// Returns the path of the configuration that the one at `path` extends as `name`.
    fn resolve_extends(&self, path: &str, name: &str) -> Option<String> {
        let whole = if name.starts_with('.') {
            at(parent(path), name)?
        } else {
            let levels = if name.starts_with('@') { 2 } else { 1 };
            let slash = name.match_indices('/').nth(levels - 1);
            let (package, rest) = name.split_at(slash.map_or(name.len(), |(slash, _)| slash));
            let directory = self.workspaces.member(path, package)?;
            at(directory, rest.trim_start_matches('/'))?
        };
        let candidates = [
            whole.clone(),
            format!("{whole}.json"),
            child(&whole, "tsconfig.json"),
        ];
        let mut candidates = candidates.into_iter();
        candidates.find(|path| self.manifests.contains_key(path))
    }
}

/// Resolves a path of a configuration relative to `directory`. `leaf` is the directory of the
/// configuration that extends all others.
fn from_config(path: &str, directory: &str, leaf: &str) -> Option<String> {
    match path.strip_prefix(LEAF) {
        Some(rest) => at(leaf, rest.trim_start_matches('/')),
        None => at(directory, path),
    }
}
