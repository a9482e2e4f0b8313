//! `get-config`: how docent is set up.

use docent_api::documents::{Config, LimitInfo, RootInfo, RootRight};
use docent_api::types::Error;

use crate::limits::CONFIG_LIMITS;
use crate::settings::Settings;
use docent_corpus::corpus::Corpus;
use docent_document::format::EXTENSIONS;
use docent_tree::disk::WriteDisk;
use docent_tree::locate::default_root;

const WORLD: &str = include_str!("../../../wit/world.wit");

/// Tells how docent is set up; see `wit/world.wit`.
///
/// # Errors
/// None.
pub fn get_config<D: WriteDisk>(corpus: &Corpus<D>, settings: &Settings) -> Result<Config, Error> {
    let granted = corpus.disk.roots();
    let default = default_root(&granted, settings.default_root.as_deref());
    let mut roots: Vec<RootInfo> = granted
        .into_iter()
        .enumerate()
        .map(|(i, root)| RootInfo {
            name: root.name,
            right: if root.writable {
                RootRight::ReadWrite
            } else {
                RootRight::ReadOnly
            },
            is_default: i == default,
            keeps_history: root.writable && corpus.disk.has_state(i),
        })
        .collect();
    // Stable: the others stay in the order in which they were granted.
    roots.sort_by_key(|root| !root.is_default);
    Ok(Config {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        roots,
        limits: CONFIG_LIMITS
            .map(|(name, value, unit)| LimitInfo {
                name: name.to_owned(),
                value,
                unit: unit.to_owned(),
            })
            .to_vec(),
        formats: EXTENSIONS
            .map(|(extension, _)| extension.to_owned())
            .to_vec(),
        exclude: settings.exclude.clone(),
        embedder: None,
        tools: tools().collect(),
    })
}

/// Returns the names of the world's functions, as callers type them.
fn tools() -> impl Iterator<Item = String> {
    // From the contract, so that no second list of tools has to agree with it.
    WORLD
        .lines()
        .filter_map(|line| line.trim().strip_prefix("export ")?.split_once(": func("))
        .map(|(name, _)| name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_every_function_of_the_world() {
        let names: Vec<String> = tools().collect();
        assert_eq!(names.len(), WORLD.matches(": func(").count());
        assert!(names.contains(&"search_documents".to_owned()));
    }
}
