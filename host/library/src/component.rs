//! The component itself, as the build left it.

use std::ops::Range;
use std::sync::LazyLock;

/// Returns the component as it is published.
#[must_use]
pub fn wasm() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/docent.wasm"))
}

/// Where in the published component that lies which imports an embedder, and its documentation.
const OPEN: [Range<usize>; 2] = include!(concat!(env!("OUT_DIR"), "/open.rs"));

/// Returns the component without the embedder that the published one has inside, which tells nothing:
/// it imports `docent:docent/embed`, and a component that exports that can be plugged into it.
#[must_use]
pub fn open() -> Vec<u8> {
    OPEN.map(|part| &wasm()[part]).concat()
}

/// Returns what the component imports and exports, in WIT's spelling, sorted.
#[must_use]
pub fn interface() -> &'static Interface {
    static INTERFACE: LazyLock<Interface> = LazyLock::new(|| {
        let text = include_str!(concat!(env!("OUT_DIR"), "/interface.txt"));
        let names = |kind: &str| {
            text.lines()
                .filter_map(|line| line.strip_prefix(kind))
                .map(|name| name.trim().to_owned())
                .collect()
        };
        Interface {
            imports: names("import "),
            exports: names("export "),
        }
    });
    &INTERFACE
}

/// What a component imports and exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Names such as `wasi:filesystem/types@0.2.6`.
    pub imports: Vec<String>,
    /// Names such as `search-documents`.
    pub exports: Vec<String>,
}
