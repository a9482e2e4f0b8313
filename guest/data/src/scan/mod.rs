//! One scanner per format: each reads a text once, forwards, and accepts any input.

pub(crate) mod csv;
mod directives;
mod dockerfile;
mod flow;
mod ini;
mod json;
mod makefile;
mod toml;
mod xml;
mod yaml;

use crate::format::DataFormat;
use crate::writer::EntryWriter;

/// Scans a text and writes its entries.
pub(crate) fn scan(format: DataFormat, writer: &mut EntryWriter<'_, '_>) {
    match format {
        DataFormat::Json => json::scan(writer, json::Values::One),
        DataFormat::JsonLines => json::scan(writer, json::Values::OneALine),
        DataFormat::Yaml => yaml::scan(writer),
        DataFormat::Toml => toml::scan(writer),
        DataFormat::Ini => ini::scan(writer),
        DataFormat::Xml => xml::scan(writer),
        DataFormat::Csv => csv::scan(writer),
        DataFormat::Dockerfile => dockerfile::scan(writer),
        DataFormat::Makefile => makefile::scan(writer),
        DataFormat::Directives => directives::scan(writer),
    }
}

#[cfg(test)]
mod tests;
