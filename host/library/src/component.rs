//! The component as the build produced it.

use std::ops::Range;
use std::sync::LazyLock;

/// Returns the component as it is published.
#[must_use]
pub fn wasm() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/docent.wasm"))
}

/// Byte ranges in the published component of the component that imports an embedder, and of its
/// documentation.
const OPEN: [Range<usize>; 2] = include!(concat!(env!("OUT_DIR"), "/open.rs"));

/// Returns the component without the no-op embedder that the published one contains: it imports
/// `docent:docent/embed`, and any component that exports that interface can be plugged into it.
#[must_use]
pub fn open() -> Vec<u8> {
    OPEN.map(|part| &wasm()[part]).concat()
}

/// Returns the imports and exports of the component, in WIT's spelling, sorted.
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

/// The imports and exports of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Names such as `wasi:filesystem/types@0.2.6`.
    pub imports: Vec<String>,
    /// Names such as `search-documents`.
    pub exports: Vec<String>,
}
