//! Packages of Office Open XML: parts in a zip archive, and the relationships between them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Cursor};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::failure::{EarlyStop, Failure};
use crate::limits::Limits;
use crate::metered::{MeteredReader, io_error_to_stop};
use crate::xml::Xml;

/// Bytes of a part that are unpacked at a time: enough for few calls of the decoder, and little
/// compared to the text.
const CHUNK_BYTES: usize = 64 << 10;

/// An open package.
pub struct Package<'c> {
    archive: ZipArchive<Cursor<&'c [u8]>>,
    /// Bytes that may still be unpacked.
    remaining_bytes: u64,
    /// Parts by their names in lower case, built when a part is first requested by a differing
    /// name: a package may do so for every part that it has.
    names: Option<HashMap<String, usize>>,
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
            archive,
            remaining_bytes: limits.unpacked_bytes,
            names: None,
        })
    }

    /// Returns the part with this name, if there is one.
    pub fn part(&mut self, name: &str) -> Result<Option<Part<'_>>, EarlyStop> {
        let index = self.archive.index_for_name(name).or_else(|| {
            let names = self.names.get_or_insert_with(|| names(&self.archive));
            names.get(&name.to_ascii_lowercase()).copied()
        });
        let Some(index) = index else { return Ok(None) };
        let source = self
            .archive
            .by_index(index)
            .map_err(|error| zip_error_to_stop(&error))?;
        let metered = MeteredReader::new(Box::new(source), &mut self.remaining_bytes);
        Ok(Some(Xml::new(BufReader::with_capacity(
            CHUNK_BYTES,
            metered,
        ))))
    }

    /// Returns the names of all parts, in the order of the archive.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.archive.file_names().flatten()
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
fn resolve_part_name(directory: &str, target: &str) -> String {
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
