//! Manifests as a flat list of keys and values.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use docent_data::{DataEntry, DataFormat, DataKind, Visitor, visit};

use crate::limits::{MANIFEST_BYTES, MANIFEST_SETTINGS};

/// The settings of one manifest, in the order of its text.
#[derive(Debug, Default)]
pub(super) struct ManifestSettings(Vec<Setting>);

/// A setting; a list has one for each of its items.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Path of keys, without indexes of lists.
    pub(super) keys: Vec<String>,
    /// Value; `None` for a table or a value that is not a text.
    pub(super) value: Option<String>,
}

impl ManifestSettings {
    /// Parses a manifest. One that is too long has no settings.
    pub(super) fn parse(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut settings = Self::default();
        if text.len() <= MANIFEST_BYTES
            && let Some(format) = DataFormat::from_name(name)
        {
            visit(format, text, &mut settings);
        }
        settings
    }

    /// Returns the settings below these keys: the remaining keys, and the value.
    pub(super) fn below(&self, keys: &[&str]) -> impl Iterator<Item = (&[String], Option<&str>)> {
        self.0.iter().filter_map(move |setting| {
            let rest = setting.keys.get(keys.len()..)?;
            let begins = keys.iter().zip(&setting.keys).all(|(a, b)| a == b);
            begins.then_some((rest, setting.value.as_deref()))
        })
    }

    /// Returns the values of exactly these keys.
    pub(super) fn values(&self, keys: &[&str]) -> impl Iterator<Item = &str> {
        let below = self.below(keys);
        below.filter_map(|(rest, value)| value.filter(|_| rest.is_empty()))
    }

    /// Returns the first value of exactly these keys.
    pub(super) fn value(&self, keys: &[&str]) -> Option<&str> {
        self.values(keys).next()
    }

    /// Returns true if there is a setting at or below these keys.
    pub(super) fn has(&self, keys: &[&str]) -> bool {
        self.below(keys).next().is_some()
    }
}

impl Visitor for ManifestSettings {
    fn entry(&mut self, entry: &DataEntry<'_, '_>) -> ControlFlow<()> {
        if self.0.len() >= MANIFEST_SETTINGS {
            return ControlFlow::Break(());
        }
        let steps = entry.path.0.iter().filter_map(|step| step.key());
        let keys: Vec<String> = steps.map(unescape_key).collect();
        match entry.kind {
            DataKind::Value => {
                let values = values(entry.value);
                if values.is_empty() {
                    self.0.push(Setting { keys, value: None });
                    return ControlFlow::Continue(());
                }
                for value in values {
                    let (keys, value) = (keys.clone(), Some(value));
                    self.0.push(Setting { keys, value });
                }
            }
            DataKind::Table | DataKind::List => self.0.push(Setting { keys, value: None }),
            DataKind::Row | DataKind::Text => {}
        }
        ControlFlow::Continue(())
    }
}

/// Returns a key without escapes. JSON's escapes are also those of TOML.
fn unescape_key(key: &str) -> String {
    let decoded = key
        .contains('\\')
        .then(|| serde_json::from_str(&format!("\"{key}\"")).ok());
    decoded.flatten().unwrap_or_else(|| key.to_owned())
}

/// Returns the texts in a value: all quoted ones, or the unquoted text.
fn values(written: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = written;
    while let Some(start) = rest.find(['"', '\'', '#']) {
        let quote = &rest[start..=start];
        // A comment, which may contain quotes.
        if quote == "#" {
            let line_end = rest[start..].find('\n').map(|length| start + length);
            rest = &rest[line_end.unwrap_or(rest.len())..];
            continue;
        }
        let end = string_end(rest, start);
        found.extend(decode_literal(&rest[start..end]));
        rest = &rest[end..];
    }
    let plain = written.split(" #").next().unwrap_or_default();
    let plain = plain.trim().trim_start_matches('[').trim_end_matches(']');
    if !found.is_empty() || written.contains(['"', '\'']) || plain == "null" {
        return found;
    }
    // `[a, b]` in YAML, and lines of an ini file.
    let plain = plain.split([',', '\n']).map(str::trim);
    plain
        .filter(|value| !value.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the position after the string that begins at `start`.
fn string_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    // A backslash as the last character advances the position beyond the end.
    text.len()
}

fn decode_literal(literal: &str) -> Option<String> {
    if literal.starts_with('"') {
        return serde_json::from_str(literal).ok();
    }
    let inner = literal.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.to_owned())
}

/// The settings of manifests by path.
pub(super) type Manifests = BTreeMap<String, ManifestSettings>;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, text: &str) -> Vec<String> {
        let settings = ManifestSettings::parse(path, text);
        let shown = settings.0.iter().map(|setting| match &setting.value {
            Some(value) => format!("{} = {value}", setting.keys.join("/")),
            None => setting.keys.join("/"),
        });
        shown.collect()
    }

    #[test]
    fn keys_and_values() {
        for (path, text, expected) in [
            (
                "Cargo.toml",
                "[package]\nname = \"a\" # b\n[dependencies]\nc = { path = '../c', package = \"d\" }\n\
                 e.workspace = true\n[[bin]]\npath = \"f.rs\"\n[[bin]]\npath = \"g.rs\"\n\
                 [workspace]\nmembers = [\n  \"h\", # \"i\"\n  \"j\",\n]\n",
                &[
                    "package",
                    "package/name = a",
                    "dependencies",
                    "dependencies/c",
                    "dependencies/c/path = ../c",
                    "dependencies/c/package = d",
                    "dependencies/e/workspace = true",
                    "bin",
                    "bin/path = f.rs",
                    "bin",
                    "bin/path = g.rs",
                    "workspace",
                    "workspace/members",
                    "workspace/members = h",
                    "workspace/members = j",
                ][..],
            ),
            (
                "a/tsconfig.json",
                "// a\n{ \"extends\": [\"./a\", \"./b\"], /* c */\n \"compilerOptions\": { \"paths\": {\n\
                 \"@/*\": [\"./src/*\"],\n \"\\u0062\": [\"b\",\n \"c\\n\"], }, }\n}\n",
                &[
                    "extends = ./a",
                    "extends = ./b",
                    "compilerOptions",
                    "compilerOptions/paths",
                    "compilerOptions/paths/@/* = ./src/*",
                    "compilerOptions/paths/b",
                    "compilerOptions/paths/b = b",
                    "compilerOptions/paths/b = c\n",
                ],
            ),
            (
                "package.json",
                "{\"exports\": {\".\": {\"types\": \"./a.d.ts\", \"x\": null}, \"./b\": \"./b.js\"}}",
                &[
                    "exports",
                    "exports/.",
                    "exports/./types = ./a.d.ts",
                    "exports/./x",
                    "exports/./b = ./b.js",
                ],
            ),
            (
                "pnpm-workspace.yaml",
                "packages:\n  - 'packages/*' # a\n  - b\n",
                &["packages", "packages = packages/*", "packages = b"],
            ),
            (
                "setup.cfg",
                "[options]\npackage_dir =\n    = src\n[options.packages.find]\nwhere = lib\n",
                &[
                    "options",
                    "options/package_dir = = src",
                    "options.packages.find",
                    "options.packages.find/where = lib",
                ],
            ),
        ] {
            assert_eq!(shown(path, text), expected, "{path}");
        }
    }
}
