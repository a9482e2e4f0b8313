//! Scanners of settings files: the keys of a file with their values and lines, as a function of a
//! name and a text. *Never:* documents, files, directories or types of the contract in `wit/`.
//!
//! [`DataFormat::from_name`] determines the format by the file name; [`visit()`] scans a text and
//! reports its entries with their keys and lines. Settings and comments are reported in the order
//! of the text, and every part of the text is in some entry: a part that is not understood is
//! reported as text.
//!
//! Nothing here fails, reads or writes. No tree is built of a text: time is linear in its length,
//! and memory and stack are independent of it, except for the names of arrays of tables in TOML.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod limits;

mod format;

mod entry;
mod path;

mod line;
mod writer;

mod scan;

mod keys;
mod visit;
mod visitor;

pub use entry::{Columns, DataEntry, DataKind, DataLines, one_line};
pub use format::{DataFormat, is_generated};
pub use keys::{Keys, OwnedEntry, keys};
pub use path::{Path, PathStep};
pub use visit::visit;
pub use visitor::Visitor;
