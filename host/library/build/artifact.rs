//! Post-processing of the linked component: name, version and documentation are added to it.
//!
//! Rust's toolchain leaves out the documentation of the WIT files. Hosts that turn functions into
//! tools read it from the custom section `package-docs`.

use std::borrow::Cow;
use std::env;
use std::error::Error;

use wasm_encoder::{ComponentSection as _, CustomSection};
use wasm_metadata::AddMetadata;
use wit_component::DecodedWasm;
use wit_parser::{PackageMetadata, Resolve, WorldId, WorldItem, WorldKey};

use docent_contract::Contract;

/// Returns `linked` with the component's name, version and documentation.
///
/// # Errors
/// If it is not a component, or the documentation cannot be read back from the result.
pub fn finish(linked: &[u8], contract: &Contract) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut metadata = AddMetadata::default();
    metadata.name = wasm_metadata::AddMetadataField::Set("docent".to_owned());
    metadata.processed_by = vec![(
        "docent".to_owned(),
        env::var("CARGO_PKG_VERSION").unwrap_or_default(),
    )];
    let mut component = metadata.to_wasm(linked)?;

    let (mut resolve, world) = decode(&component)?;
    for (name, docs) in contract.function_docs() {
        let key = WorldKey::Name(name.to_owned());
        match resolve.worlds[world].exports.get_mut(&key) {
            Some(WorldItem::Function(function)) => function.docs = docs.clone(),
            _ => return Err(format!("the component does not export `{name}`").into()),
        }
    }
    let package = resolve.worlds[world]
        .package
        .ok_or("a decoded world has a package")?;
    let section = CustomSection {
        name: Cow::Borrowed(PackageMetadata::SECTION_NAME),
        data: Cow::Owned(PackageMetadata::extract(&resolve, package).encode()?),
    };
    section.append_to_component(&mut component);

    // Read back, because hosts silently ignore documentation that they cannot parse.
    let (read_back, world) = decode(&component)?;
    for (name, docs) in contract.function_docs() {
        match read_back.worlds[world]
            .exports
            .get(&WorldKey::Name(name.to_owned()))
        {
            Some(WorldItem::Function(function)) if function.docs == *docs => {}
            _ => return Err(format!("the documentation of `{name}` was lost").into()),
        }
    }
    Ok(component)
}

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

fn decode(component: &[u8]) -> Result<(Resolve, WorldId), Box<dyn Error>> {
    match wit_component::decode(component)? {
        DecodedWasm::Component(resolve, world) => Ok((resolve, world)),
        DecodedWasm::WitPackage(..) => Err("the linker wrote a WIT package, no component".into()),
    }
}
