//! Composition of components: the main component gets the names and the documentation of the
//! contract, and other components are plugged into it, for hosts that do not know about them.

mod documented;

use std::error::Error;
use std::ops::Range;

use wac_graph::types::Package;
use wac_graph::{CompositionGraph, EncodeOptions};

pub use documented::{add_documentation, decode};

/// The function with another name in the guest, as `wit/guest.wit` explains, and its contract name.
const RENAMED: (&str, &str) = ("write-file", "write");

/// Returns the component `main` with the names of the contract.
///
/// # Errors
/// If it is not a component, or does not export the renamed function.
pub fn add_names(main: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut graph = CompositionGraph::new();
    let package = Package::from_bytes("docent:main", None, main, graph.types_mut())?;
    let exports: Vec<String> = graph.types()[package.ty()]
        .exports
        .keys()
        .cloned()
        .collect();
    let package = graph.register_package(package)?;
    let instance = graph.instantiate(package);
    let (compiled, own) = RENAMED;
    if !exports.iter().any(|name| name == compiled) {
        return Err(format!("the component does not export `{compiled}`").into());
    }
    for name in &exports {
        let export = graph.alias_instance_export(instance, name)?;
        graph.export(export, if name == compiled { own } else { name })?;
    }
    Ok(graph.encode(EncodeOptions::default())?)
}

/// Returns a component with the exports of `main`, whose imports are satisfied by `others`, given
/// by their names.
///
/// # Errors
/// If one of them is not a component, or they do not fit.
pub fn plug(main: &[u8], others: &[(&str, &[u8])]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut graph = CompositionGraph::new();
    let mut register = |name: &str, component: &[u8]| {
        let package = Package::from_bytes(name, None, component, graph.types_mut())
            .map_err(|error| format!("`{name}`: {error:#}"))?;
        graph
            .register_package(package)
            .map_err(|error| format!("`{name}`: {error}"))
    };
    let socket = register("docent:main", main)?;
    let others = others.iter();
    let plugs = others.map(|(name, component)| register(name, component));
    let plugs = plugs.collect::<Result<Vec<_>, _>>()?;
    wac_graph::plug(&mut graph, plugs, socket)?;
    Ok(graph.encode(EncodeOptions::default())?)
}

/// The custom section with the documentation of a component's functions.
const DOCUMENTATION: &str = "package-docs";

/// The ids of custom sections and of sections that hold a component.
const CUSTOM: u8 = 0;
const COMPONENT: u8 = 4;

/// Bytes before the first section.
const PREAMBLE: usize = 8;

/// A section of a component.
struct WasmSection<'a> {
    id: u8,
    content: &'a [u8],
    /// Byte range of the section, with its id and its length.
    place: Range<usize>,
}

impl WasmSection<'_> {
    fn is_documentation(&self) -> Result<bool, Box<dyn Error>> {
        if self.id != CUSTOM {
            return Ok(false);
        }
        let (size, name) = number(self.content)?;
        Ok(name.get(..size) == Some(DOCUMENTATION.as_bytes()))
    }
}

fn sections(component: &[u8]) -> Result<Vec<WasmSection<'_>>, Box<dyn Error>> {
    let mut rest = component.get(PREAMBLE..).ok_or("no component")?;
    let mut sections = Vec::new();
    while let Some((&id, behind)) = rest.split_first() {
        let (size, content) = number(behind)?;
        let (content, next) = content
            .split_at_checked(size)
            .ok_or("a section is cut off")?;
        sections.push(WasmSection {
            id,
            content,
            place: component.len() - rest.len()..component.len() - next.len(),
        });
        rest = next;
    }
    Ok(sections)
}

/// Returns `component` without the documentation of its functions. Inside another component, tools
/// mistake it for the documentation of the outer one, and then look for functions that do not
/// exist.
///
/// # Errors
/// If its sections cannot be parsed.
pub fn strip_documentation(component: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut kept = component.get(..PREAMBLE).ok_or("no component")?.to_vec();
    for section in sections(component)? {
        if !section.is_documentation()? {
            kept.extend_from_slice(&component[section.place]);
        }
    }
    Ok(kept)
}

/// Returns the byte ranges in `composed` of the main component before others were plugged in, and
/// of its documentation. Concatenated, they are that component again.
///
/// # Errors
/// If it contains no component or no documentation, or its sections cannot be parsed.
pub fn socket(composed: &[u8]) -> Result<[Range<usize>; 2], Box<dyn Error>> {
    let (mut socket, mut documentation) = (None, None);
    for section in sections(composed)? {
        if section.id == COMPONENT {
            let end = section.place.end;
            let inside = end - section.content.len()..end;
            // The main component is the largest: the readers and the no-embedder component that
            // are plugged into it are smaller. `check_open` in the build of `docent-host`
            // verifies the result.
            socket = socket.into_iter().chain([inside]).max_by_key(Range::len);
        } else if section.is_documentation()? {
            documentation = Some(section.place);
        }
    }
    let socket = socket.ok_or("nothing was plugged into a component")?;
    Ok([socket, documentation.ok_or("it has no documentation")?])
}

/// Parses a LEB128 number at the beginning of `bytes`, and returns it with the rest.
fn number(bytes: &[u8]) -> Result<(usize, &[u8]), Box<dyn Error>> {
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        number |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok((number, &bytes[at + 1..]));
        }
    }
    Err("a malformed number".into())
}
