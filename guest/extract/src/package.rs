//! A package of Office Open XML: parts in a zip archive, and how they refer to each other.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::xml::Xml;
use crate::{Failure, Limits, Stop};

/// How an OLE container begins: what Office makes of a document with a password, and what it wrote
/// before 2007.
const OLE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// The stream in such a container that holds a document with a password, in UTF-16.
const ENCRYPTED: &str = "EncryptedPackage";

/// Bytes of a part that are unpacked at a time.
const CHUNK: usize = 64 << 10;

/// An open package.
pub struct Package<'c> {
    archive: ZipArchive<Cursor<&'c [u8]>>,
    /// Bytes that may still be unpacked.
    left: u64,
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

/// Counts what is unpacked.
pub struct Metered<'p> {
    source: Box<dyn Read + 'p>,
    left: &'p mut u64,
}

/// Says that more would be unpacked than may be.
#[derive(Debug)]
struct OverLimit;

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the parts are larger than they may be")
    }
}

impl std::error::Error for OverLimit {}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        *self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other(OverLimit))?;
        Ok(read)
    }
}

/// Returns why a part could not be read on.
pub fn stop(error: &io::Error) -> Stop {
    let is_over = error.get_ref().is_some_and(|inner| inner.is::<OverLimit>());
    Stop::Failed(if is_over {
        Failure::TooLarge
    } else {
        Failure::Malformed
    })
}

impl<'c> Package<'c> {
    /// Opens a package.
    pub fn open(content: &'c [u8], limits: &Limits) -> Result<Self, Stop> {
        if content.starts_with(&OLE) {
            let name: Vec<u8> = ENCRYPTED
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
        let archive = ZipArchive::new(Cursor::new(content)).map_err(|error| failed(&error))?;
        Ok(Self {
            archive,
            left: limits.unpacked_bytes,
        })
    }

    /// Returns the part of this name; none where there is none.
    pub fn part(&mut self, name: &str) -> Result<Option<Part<'_>>, Stop> {
        let index = self.archive.index_for_name(name).or_else(|| {
            // Names of parts are compared without regard to case.
            (0..self.archive.len()).find(|&index| {
                let other = self.archive.name_for_index(index);
                other.is_some_and(|other| {
                    other
                        .is_ok_and(|other| other.trim_start_matches('/').eq_ignore_ascii_case(name))
                })
            })
        });
        let Some(index) = index else { return Ok(None) };
        let source = self
            .archive
            .by_index(index)
            .map_err(|error| failed(&error))?;
        let metered = Metered {
            source: Box::new(source),
            left: &mut self.left,
        };
        Ok(Some(Xml::new(BufReader::with_capacity(CHUNK, metered))))
    }

    /// Returns the relationships of a part by their ids; those of the package for an empty name.
    pub fn relationships(&mut self, part: &str) -> Result<BTreeMap<String, Relationship>, Stop> {
        let (directory, name) = part.rsplit_once('/').unwrap_or(("", part));
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
                let target = match element.attribute("TargetMode").as_deref() {
                    Some("External") => Target::Outside(target),
                    _ => Target::Part(resolved(directory, &target)),
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

/// Returns the name of the first part of a kind.
pub fn part_of_kind(all: &BTreeMap<String, Relationship>, kind: &str) -> Option<String> {
    all.values()
        .find_map(|relationship| match &relationship.target {
            Target::Part(name) if relationship.kind == kind => Some(name.clone()),
            Target::Part(_) | Target::Outside(_) => None,
        })
}

fn failed(error: &ZipError) -> Stop {
    match error {
        ZipError::Io(error) => stop(error),
        ZipError::InvalidPassword => Stop::Failed(Failure::Encrypted),
        ZipError::UnsupportedArchive(reason) if *reason == ZipError::PASSWORD_REQUIRED => {
            Stop::Failed(Failure::Encrypted)
        }
        _ => Stop::Failed(Failure::Malformed),
    }
}

/// Returns the name of the part that `target` means in `directory`.
fn resolved(directory: &str, target: &str) -> String {
    let (base, target) = match target.strip_prefix('/') {
        Some(inside) => ("", inside),
        None => (directory, target),
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in base.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
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
            assert_eq!(resolved(directory, target), expected);
        }
    }
}
