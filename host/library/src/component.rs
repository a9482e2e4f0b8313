//! The component as the build produced it.

use std::io::Read as _;
use std::ops::Range;
use std::sync::LazyLock;

use flate2::read::ZlibDecoder;

/// The published component, compressed with zlib.
const COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/docent.wasm.zlib"));

/// Length of the published component in bytes, and its SHA-256.
const IDENTITY: (usize, [u8; 32]) = include!(concat!(env!("OUT_DIR"), "/identity.rs"));

/// Returns the component as it is published. The first call decompresses it.
#[must_use]
pub fn wasm() -> &'static [u8] {
    static WASM: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut wasm = Vec::with_capacity(len());
        ZlibDecoder::new(COMPRESSED)
            .read_to_end(&mut wasm)
            .expect("the build has compressed it");
        wasm
    });
    &WASM
}

/// Returns the length of the published component in bytes.
#[must_use]
pub const fn len() -> usize {
    IDENTITY.0
}

/// Returns the SHA-256 of the published component.
#[must_use]
pub const fn sha256() -> [u8; 32] {
    IDENTITY.1
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

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_identity_is_that_of_the_published_component() {
        assert_eq!(wasm().len(), len());
        assert_eq!(<[u8; 32]>::from(Sha256::digest(wasm())), sha256());
    }
}
