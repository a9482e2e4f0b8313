//! Checks of the linked component, and the list of its imports and exports.

use std::error::Error;

use docent_compose::decode;
use wit_parser::WorldItem;

/// Checks that `component` imports an embedder, so that one can be plugged into it.
///
/// # Errors
/// If it is not a component, or does not import one.
pub fn check_open(component: &[u8]) -> Result<(), Box<dyn Error>> {
    let is_open = interface(component)?
        .lines()
        .any(|line| line.starts_with("import docent:docent/embed@"));
    is_open
        .then_some(())
        .ok_or_else(|| "the component that has no embedder does not import one".into())
}

/// Returns the component's imports and exports, one `import NAME` or `export NAME` a line, sorted.
/// Interfaces that hold only types are left out: they give a component nothing to call.
///
/// # Errors
/// If it is not a component.
pub fn interface(component: &[u8]) -> Result<String, Box<dyn Error>> {
    let (resolve, world) = decode(component)?;
    let world = &resolve.worlds[world];
    let mut lines: Vec<String> = [("import", &world.imports), ("export", &world.exports)]
        .into_iter()
        .flat_map(|(kind, items)| {
            let resolve = &resolve;
            let called = items.iter().filter(|(_, item)| match item {
                WorldItem::Function(_) => true,
                WorldItem::Interface { id, .. } => !resolve.interfaces[*id].functions.is_empty(),
                WorldItem::Type { .. } => false,
            });
            called.map(move |(key, _)| format!("{kind} {}\n", resolve.name_world_key(key)))
        })
        .collect();
    lines.sort();
    Ok(lines.concat())
}
