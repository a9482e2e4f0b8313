//! The visit of all entries of a text.

use crate::format::DataFormat;
use crate::scan;
use crate::visitor::Visitor;
use crate::writer;

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
    let mut writer = writer::EntryWriter::new(text, visitor);
    scan::scan(format, &mut writer);
    writer.end();
}
