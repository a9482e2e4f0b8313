//! A package of Office Open XML: parts in a zip archive, and how they refer to each other.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Cursor};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::metered::{Metered, stop_of_io_error};
use crate::xml::Xml;
use crate::{Failure, Limits, Stop};

/// How an OLE container begins: what Office makes of a document with a password, and what it wrote
/// before 2007.
const OLE_MAGIC: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// The stream in such a container that holds a document with a password, in UTF-16.
const ENCRYPTED_STREAM: &str = "EncryptedPackage";

/// Bytes of a part that are unpacked at a time: enough for few calls of the decoder, and little
/// beside the text.
const CHUNK_BYTES: usize = 64 << 10;

/// An open package.
pub struct Package<'c> {
    archive: ZipArchive<Cursor<&'c [u8]>>,
    /// Bytes that may still be unpacked.
    remaining_bytes: u64,
    /// The parts by their names in lower case, once one was asked for under another name than it
    /// has: a package may ask so for as many parts as it has.
    names: Option<HashMap<String, usize>>,
}

/// Where a relationship leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relationship {
    /// The last segment of its type: `officeDocument`, `styles`.
    pub kind: String,
    /// The name of a part, or an address outside.
    pub target: Target,
}

/// What a relationship leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A part of the package.
    Part(String),
    /// An address outside.
    Outside(String),
}

/// A part that is unpacked as it is read.
pub type Part<'p> = Xml<BufReader<Metered<'p>>>;

impl<'c> Package<'c> {
    /// Opens a package.
    pub fn open(content: &'c [u8], limits: &Limits) -> Result<Self, Stop> {
        if content.starts_with(&OLE_MAGIC) {
            // To follow the container's chains of sectors to its directory would take a parser; the
            // name of the stream stands nowhere else.
            let name: Vec<u8> = ENCRYPTED_STREAM
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect();
            let is_encrypted = content.windows(name.len()).any(|window| window == name);
            return Err(Stop::Failed(if is_encrypted {
                Failure::Encrypted
            } else {
                Failure::Malformed
            }));
        }
        let archive =
            ZipArchive::new(Cursor::new(content)).map_err(|error| stop_of_zip_error(&error))?;
        Ok(Self {
            archive,
            remaining_bytes: limits.unpacked_bytes,
            names: None,
        })
    }

    /// Returns the part of this name; none where there is none.
    pub fn part(&mut self, name: &str) -> Result<Option<Part<'_>>, Stop> {
        let index = self.archive.index_for_name(name).or_else(|| {
            let names = self.names.get_or_insert_with(|| names(&self.archive));
            names.get(&name.to_ascii_lowercase()).copied()
        });
        let Some(index) = index else { return Ok(None) };
        let source = self
            .archive
            .by_index(index)
            .map_err(|error| stop_of_zip_error(&error))?;
        let metered = Metered::new(Box::new(source), &mut self.remaining_bytes);
        Ok(Some(Xml::new(BufReader::with_capacity(
            CHUNK_BYTES,
            metered,
        ))))
    }

    /// Returns the relationships of a part by their ids; those of the package for an empty name.
    pub fn relationships(&mut self, part: &str) -> Result<BTreeMap<String, Relationship>, Stop> {
        let (directory, name) = part.rsplit_once('/').unwrap_or(("", part));
        // Those of `word/document.xml` stand in `word/_rels/document.xml.rels`.
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
                // Editors write types of two name spaces, the transitional and the strict one; the
                // last segment is the same in both.
                let target = match element.attribute("TargetMode").as_deref() {
                    Some("External") => Target::Outside(target),
                    _ => Target::Part(resolve_part_name(directory, &target)),
                };
                all.insert(id, Relationship { kind, target });
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns the name of the part that everything else hangs on; `usual` where the package does
    /// not say.
    pub fn main_part(&mut self, usual: &str) -> Result<String, Stop> {
        let all = self.relationships("")?;
        Ok(part_of_kind(&all, "officeDocument").unwrap_or_else(|| usual.to_owned()))
    }
}

/// Returns the first part of each name in lower case: names are compared without regard to case,
/// and some programs write them with the `/` that they have in relationships.
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
            Target::Part(name) if relationship.kind == kind => Some(name.clone()),
            Target::Part(_) | Target::Outside(_) => None,
        })
}

/// Returns why an archive, or an entry of it, could not be opened.
fn stop_of_zip_error(error: &ZipError) -> Stop {
    match error {
        ZipError::Io(error) => stop_of_io_error(error),
        ZipError::InvalidPassword => Stop::Failed(Failure::Encrypted),
        ZipError::UnsupportedArchive(reason) if *reason == ZipError::PASSWORD_REQUIRED => {
            Stop::Failed(Failure::Encrypted)
        }
        _ => Stop::Failed(Failure::Malformed),
    }
}

/// Returns the name of the part that `target` means in `directory`.
fn resolve_part_name(directory: &str, target: &str) -> String {
    let (base, target) = match target.strip_prefix('/') {
        Some(inside) => ("", inside),
        None => (directory, target),
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in base.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
            // One too many leads to the root, as in addresses of the web.
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
