//! Post-processing of a component: its name, version and documentation are added.
//!
//! Rust's toolchain leaves out the documentation of the WIT files. Hosts that turn functions into
//! tools read it from the custom section `package-docs`.

use std::borrow::Cow;
use std::error::Error;

use wasm_encoder::{ComponentSection as _, CustomSection};
use wasm_metadata::{AddMetadata, AddMetadataField};
use wit_component::DecodedWasm;
use wit_parser::{PackageMetadata, Resolve, WorldId, WorldItem, WorldKey};

use docent_wit_reader::Contract;

/// The name of components, and of the program that makes them.
const NAME: &str = "docent";

/// Returns `component` with its name, its version and the documentation of its functions.
///
/// # Errors
/// If it is not a component, it lacks a function of `contract`, or the documentation cannot be
/// read back from the result.
pub fn add_documentation(component: &[u8], contract: &Contract) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut metadata = AddMetadata::default();
    metadata.name = AddMetadataField::Set(NAME.to_owned());
    // All crates of the workspace have one version, so this crate's is that of the component.
    metadata.processed_by = vec![(NAME.to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    let mut component = metadata.to_wasm(component)?;

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

    // The documentation is read back and compared. Hosts silently ignore a section that they
    // cannot parse, and their tools would have no descriptions; the build fails instead.
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

/// Returns the world that a component has.
///
/// # Errors
/// If it is not a component.
pub fn decode(component: &[u8]) -> Result<(Resolve, WorldId), Box<dyn Error>> {
    match wit_component::decode(component)? {
        DecodedWasm::Component(resolve, world) => Ok((resolve, world)),
        DecodedWasm::WitPackage(..) => Err("it is a WIT package, not a component".into()),
    }
}
