//! What a file of settings says, key by key: a function of a name and a text alone, which knows no
//! document, no file, no directory and no type of the contract in `wit/`.
//!
//! [`DataFormat::of`] tells by its name how a file is written; [`visit`] goes through its text and
//! says what stands under which keys, in which lines. Settings and comments come in the order of
//! the text, and all that is written comes in some entry: what is not understood comes as text.
//!
//! Nothing here fails, reads or writes. No tree is made of a text: time is linear in it, memory
//! and stack do not depend on it but for the names of arrays of tables in TOML.
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

/// Takes what a text says.
pub trait Visitor {
    /// Takes an entry, and says whether to go on.
    fn entry(&mut self, entry: &Entry<'_, '_>) -> ControlFlow<()>;

    /// The innermost table or list that is open ends; it has so many entries of its own.
    fn end(&mut self, _children: usize) {}
}

/// Hands over the entries of `text`, written as `format`, in its order. Each table and each list
/// ends behind its entries, unless the visitor breaks.
pub fn visit(format: DataFormat, text: &str, visitor: &mut dyn Visitor) {
    let mut writer = writer::Writer::new(text, visitor);
    scan::scan(format, &mut writer);
    writer.end();
}
