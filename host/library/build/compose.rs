//! Plugs the component of the readers into the main one, for hosts that know nothing of it.

use std::error::Error;

use wac_graph::types::Package;
use wac_graph::{CompositionGraph, EncodeOptions};

/// Returns a component that exports what `main` does and holds `extractor` for what `main` imports
/// of it.
///
/// # Errors
/// When one of them is no component, or they do not fit.
pub fn plug(main: &[u8], extractor: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut graph = CompositionGraph::new();
    let mut register = |name: &str, component: &[u8]| {
        let package = Package::from_bytes(name, None, component, graph.types_mut())
            .map_err(|error| format!("`{name}`: {error:#}"))?;
        graph
            .register_package(package)
            .map_err(|error| format!("`{name}`: {error}"))
    };
    let socket = register("docent:main", main)?;
    let plug = register("docent:extractor", extractor)?;
    wac_graph::plug(&mut graph, vec![plug], socket)?;
    Ok(graph.encode(EncodeOptions::default())?)
}
