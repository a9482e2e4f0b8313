//! `get-config`: the configuration of docent.

use docent_api::documents::{Config, LimitInfo, RootInfo, RootRight};
use docent_api::types::Error;
use docent_text::sort::sort_by_key;

use crate::limits::{CONFIG_EMBEDDER_MS, CONFIG_LIMITS};
use crate::settings::ToolSettings;
use docent_corpus::corpus::Corpus;
use docent_document::format::EXTENSIONS;
use docent_rank::embedder::Model;
use docent_tree::archive::CONTAINERS;
use docent_tree::disk::WriteDisk;
use docent_tree::locate::default_root;

const WORLD: &str = include_str!("../../../wit/world.wit");

/// Returns the configuration of docent; see `wit/world.wit`.
///
/// # Errors
/// None.
pub fn get_config<D: WriteDisk>(
    corpus: &Corpus<D>,
    settings: &ToolSettings,
) -> Result<Config, Error> {
    let granted = corpus.disk.roots();
    let default = default_root(&granted, settings.default_root.as_deref());
    let may_write = granted.iter().any(|root| root.writable);
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
    // The sort is stable: the other roots stay in the order in which they were granted.
    sort_by_key(&mut roots, |root| !root.is_default);
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
        containers: CONTAINERS.map(str::to_owned).to_vec(),
        exclude: settings.exclude.clone(),
        embedder: Model::from_embedder(&*corpus.embedder, CONFIG_EMBEDDER_MS)
            .ok()
            .map(|model| model.name),
        tools: tools(may_write),
    })
}

/// Returns the names of the world's functions in the form used by callers; those that write only if
/// a root `may_write`.
fn tools(may_write: bool) -> Vec<String> {
    // The list is derived from the contract, so that there is no second list of tools that has
    // to be kept in sync with it.
    let mut is_reading = false;
    let mut tools = Vec::new();
    for line in WORLD.lines().map(str::trim) {
        if let Some(effect) = line.strip_prefix("/// Effect: ") {
            is_reading = effect.starts_with("read-only");
        }
        let function = line.strip_prefix("export ");
        if let Some((name, _)) = function.and_then(|line| line.split_once(": func("))
            && (is_reading || may_write)
        {
            tools.push(name.replace('-', "_"));
        }
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_every_function_of_the_world() {
        let names = tools(true);
        assert_eq!(names.len(), WORLD.matches(": func(").count());
        assert!(names.contains(&"search_documents".to_owned()));
    }

    #[test]
    fn what_writes_is_named_where_something_may_be_written() {
        let reading = tools(false);
        let writing: Vec<String> = tools(true)
            .into_iter()
            .filter(|name| !reading.contains(name))
            .collect();
        let expected = [
            "change",
            "write",
            "manage",
            "create_document",
            "delete_document",
        ];
        assert_eq!(writing, expected);
        assert!(reading.contains(&"get_config".to_owned()));
    }
}
