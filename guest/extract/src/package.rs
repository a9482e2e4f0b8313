//! Packages of Office Open XML: parts in a zip archive, and the relationships between them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Cursor, Read as _};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::failure::{EarlyStop, Failure};
use crate::limits::{Limits, PART_BYTES};
use crate::metered::{MeteredReader, io_error_to_stop};
use crate::salvage::{SalvagedParts, Utf8Reader};
use crate::xml::Xml;

/// Bytes of a part that are unpacked at a time: enough for few calls of the decoder, and little
/// compared to the text.
pub const CHUNK_BYTES: usize = 64 << 10;

/// An open package.
#[derive(Clone)]
pub struct Package<'c> {
    archive: PackageArchive<'c>,
    /// Bytes that may still be unpacked.
    remaining_bytes: u64,
    /// Parts by their names in lower case, built when a part is first requested by a differing
    /// name: a package may do so for every part that it has.
    names: Option<HashMap<String, usize>>,
}

/// The archive of a package.
#[derive(Clone)]
enum PackageArchive<'c> {
    /// An archive with its directory.
    Whole(ZipArchive<Cursor<&'c [u8]>>),
    /// The parts of a damaged one.
    Salvaged(SalvagedParts<'c>),
}

/// A relationship of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relationship {
    /// Last segment of its type: `officeDocument`, `styles`.
    pub kind: String,
    /// Name of a part, or external address.
    pub target: RelationshipTarget,
}

/// The target of a relationship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationshipTarget {
    /// A part of the package.
    Part(String),
    /// An external address.
    Outside(String),
}

/// A part that is unpacked while it is read.
pub type Part<'p> = Xml<BufReader<MeteredReader<'p>>>;

impl<'c> Package<'c> {
    /// Opens a package.
    pub fn open(content: &'c [u8], limits: &Limits) -> Result<Self, EarlyStop> {
        let archive =
            ZipArchive::new(Cursor::new(content)).map_err(|error| zip_error_to_stop(&error))?;
        Ok(Self {
            archive: PackageArchive::Whole(archive),
            remaining_bytes: limits.unpacked_bytes,
            names: None,
        })
    }

    /// Opens a damaged package. Its parts end where they are damaged.
    pub fn salvage(content: &'c [u8], limits: &Limits) -> Self {
        Self {
            archive: PackageArchive::Salvaged(SalvagedParts::find(content)),
            remaining_bytes: limits.unpacked_bytes,
            names: None,
        }
    }

    /// Lowers the number of bytes that may still be unpacked to `bytes`, if it is higher.
    pub fn limit_remaining(&mut self, bytes: u64) {
        self.remaining_bytes = self.remaining_bytes.min(bytes);
    }

    /// Returns the part with this name, if there is one.
    pub fn part(&mut self, name: &str) -> Result<Option<Part<'_>>, EarlyStop> {
        if let PackageArchive::Salvaged(parts) = &self.archive {
            let Some(source) = parts.source(name) else {
                return Ok(None);
            };
            let source = Box::new(Utf8Reader::new(source));
            let metered = MeteredReader::new(source, &mut self.remaining_bytes);
            let part = BufReader::with_capacity(CHUNK_BYTES, metered);
            return Ok(Some(Xml::salvage(part)));
        }
        let Some(metered) = self.source(name)? else {
            return Ok(None);
        };
        Ok(Some(Xml::new(BufReader::with_capacity(
            CHUNK_BYTES,
            metered,
        ))))
    }

    /// Returns the bytes of the part with this name, if there is one.
    pub fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, EarlyStop> {
        let Some(metered) = self.source(name)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        metered
            .take(PART_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| io_error_to_stop(&error))?;
        if bytes.len() as u64 > PART_BYTES {
            return Err(EarlyStop::Failed(Failure::TooLarge));
        }
        Ok(Some(bytes))
    }

    /// Returns a reader of the part with this name, if there is one.
    fn source(&mut self, name: &str) -> Result<Option<MeteredReader<'_>>, EarlyStop> {
        let archive = match &mut self.archive {
            PackageArchive::Whole(archive) => archive,
            PackageArchive::Salvaged(parts) => {
                let source = parts.source(name);
                return Ok(source.map(|part| MeteredReader::new(part, &mut self.remaining_bytes)));
            }
        };
        let index = archive.index_for_name(name).or_else(|| {
            let names = self.names.get_or_insert_with(|| names(archive));
            names.get(&name.to_ascii_lowercase()).copied()
        });
        let Some(index) = index else { return Ok(None) };
        let source = archive
            .by_index(index)
            .map_err(|error| zip_error_to_stop(&error))?;
        Ok(Some(MeteredReader::new(
            Box::new(source),
            &mut self.remaining_bytes,
        )))
    }

    /// Returns the names of all parts, in the order of the archive, or in lower case if it is
    /// damaged.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let (whole, salvaged) = match &self.archive {
            PackageArchive::Whole(archive) => (Some(archive.file_names().flatten()), None),
            PackageArchive::Salvaged(parts) => (None, Some(parts.names().map(Cow::Borrowed))),
        };
        whole
            .into_iter()
            .flatten()
            .chain(salvaged.into_iter().flatten())
    }

    /// Returns the relationships of a part by their ids, or those of the package for an empty name.
    pub fn relationships(
        &mut self,
        part: &str,
    ) -> Result<BTreeMap<String, Relationship>, EarlyStop> {
        let (directory, name) = part.rsplit_once('/').unwrap_or(("", part));
        // For example, the relationships of `word/document.xml` are in
        // `word/_rels/document.xml.rels`.
        let path = format!("{directory}/_rels/{name}.rels");
        let mut all = BTreeMap::new();
        let Some(xml) = self.part(path.trim_start_matches('/'))? else {
            return Ok(all);
        };
        xml.each(|_, element| {
            if element.name() == "Relationship"
                && let (Some(id), Some(kind), Some(target)) = (
                    element.attribute("Id"),
                    element.attribute("Type"),
                    element.attribute("Target"),
                )
            {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                // The types have two namespaces, transitional and strict, with the same last
                // segment. Editors write either, so only that segment is compared.
                let target = match element.attribute("TargetMode").as_deref() {
                    Some("External") => RelationshipTarget::Outside(target),
                    _ => RelationshipTarget::Part(resolve_part_name(directory, &target)),
                };
                all.insert(id, Relationship { kind, target });
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns the name of the main part, or `usual` if the package does not name it.
    pub fn main_part(&mut self, usual: &str) -> Result<String, EarlyStop> {
        let all = self.relationships("")?;
        Ok(part_of_kind(&all, "officeDocument").unwrap_or_else(|| usual.to_owned()))
    }
}

/// Returns the first part for each name in lower case: names are compared without case, and some
/// programs write them with the `/` of relationships.
fn names(archive: &ZipArchive<Cursor<&[u8]>>) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for index in 0..archive.len() {
        if let Some(Ok(name)) = archive.name_for_index(index) {
            let name = name.trim_start_matches('/').to_ascii_lowercase();
            names.entry(name).or_insert(index);
        }
    }
    names
}

/// Returns the name of the first part of a kind, in the order of the ids.
pub fn part_of_kind(all: &BTreeMap<String, Relationship>, kind: &str) -> Option<String> {
    all.values()
        .find_map(|relationship| match &relationship.target {
            RelationshipTarget::Part(name) if relationship.kind == kind => Some(name.clone()),
            RelationshipTarget::Part(_) | RelationshipTarget::Outside(_) => None,
        })
}

/// Returns the addresses of links by relationship id. Targets inside the document have none.
pub fn external_links(relationships: &BTreeMap<String, Relationship>) -> BTreeMap<String, String> {
    let outside =
        relationships
            .iter()
            .filter_map(|(id, relationship)| match &relationship.target {
                RelationshipTarget::Outside(address) if relationship.kind == "hyperlink" => {
                    Some((id.clone(), address.clone()))
                }
                RelationshipTarget::Outside(_) | RelationshipTarget::Part(_) => None,
            });
    outside.collect()
}

/// Returns the reason for which an archive, or an entry of it, could not be opened.
fn zip_error_to_stop(error: &ZipError) -> EarlyStop {
    match error {
        ZipError::Io(error) => io_error_to_stop(error),
        ZipError::InvalidPassword => EarlyStop::Failed(Failure::Encrypted),
        ZipError::UnsupportedArchive(reason) if *reason == ZipError::PASSWORD_REQUIRED => {
            EarlyStop::Failed(Failure::Encrypted)
        }
        _ => EarlyStop::Failed(Failure::Malformed),
    }
}

/// Resolves the name `target` of a part relative to `directory`.
pub fn resolve_part_name(directory: &str, target: &str) -> String {
    let (base, target) = match target.strip_prefix('/') {
        Some(inside) => ("", inside),
        None => (directory, target),
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in base.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
            // A `..` beyond the root stays at the root, as in URLs. The result is only ever the
            // name of a part in this archive: nothing is opened by it on a disk.
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        for (directory, target, expected) in [
            ("word", "styles.xml", "word/styles.xml"),
            ("word", "/word/a.xml", "word/a.xml"),
            ("word", "../b.xml", "b.xml"),
            ("word", "../../../b.xml", "b.xml"),
            ("", "./word//document.xml", "word/document.xml"),
        ] {
            assert_eq!(resolve_part_name(directory, target), expected);
        }
    }
}
