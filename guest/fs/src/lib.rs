//! The only access to files, clock and environment.
//!
//! In the component it uses raw WASI descriptors: `std::fs` costs two to three times as much and
//! silently ends a listing at the first name that is not UTF-8. Natively it uses cap-std, so that
//! tests can compare the component's answers with those of the same tools on ordinary files.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(target_family = "wasm")]
mod wasi_disk;
#[cfg(target_family = "wasm")]
pub use wasi_disk::{WasiDirectory, WasiDisk, WasiFile, WasiNewFile};

#[cfg(not(target_family = "wasm"))]
mod native_disk;
#[cfg(not(target_family = "wasm"))]
pub use native_disk::{NativeDirectory, NativeDisk, NativeFile, NativeNewFile};

mod environment;
pub use environment::variable;

mod roots;
pub use roots::{Preopen, STATE, absolute, name_roots, state_of};
