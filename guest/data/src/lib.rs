//! Scanners of settings files: the keys of a file with their values and lines, as a function of a
//! name and a text. *Never:* documents, files, directories or types of the contract in `wit/`.
//!
//! [`DataFormat::from_name`] determines the format by the file name; [`visit`] scans a text and
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

pub use entry::{Columns, Entry, Keys, Kind, Lines, OwnedEntry, keys, one_line};
pub use format::{DataFormat, is_generated};
pub use path::{Path, Step};

use std::ops::ControlFlow;

/// A visitor of the entries of a text.
pub trait Visitor {
    /// Visits an entry; may break off the scan.
    fn entry(&mut self, entry: &Entry<'_, '_>) -> ControlFlow<()>;

    /// Visits the end of the innermost open table or list, which has `_children` entries of its
    /// own.
    fn end(&mut self, _children: usize) {}
}

/// Visits the entries of `text` in order. The end of each table and each list is visited after its
/// entries, unless the visitor breaks.
///
/// ```text
/// [package]             package:
/// name = "app"          package.name = "app"
/// authors = [           package.authors:
///     "Kim", # first    package.authors[0] = "Kim"
///                       # first
/// ```
pub fn visit(format: DataFormat, text: &str, visitor: &mut dyn Visitor) {
    let mut writer = writer::Writer::new(text, visitor);
    scan::scan(format, &mut writer);
    writer.end();
}
