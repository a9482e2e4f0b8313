//! The contents of a book: the headings of its chapters.

use std::collections::HashMap;

use super::publication::{Publication, part_name};
use crate::encoding::decode_page;
use crate::failure::EarlyStop;
use crate::limits::CONTENTS_ENTRIES;
use crate::markdown::one_line;
use crate::package::Package;
use crate::xml::{Xml, XmlEvent};

/// The first entry of each chapter, by the name of its part.
#[derive(Debug, Default)]
pub struct Contents(HashMap<String, ContentsEntry>);

/// An entry of the contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentsEntry {
    /// Level, from 1.
    pub level: u8,
    pub label: String,
}

impl Contents {
    /// Reads the contents of a book: its navigation document, or the NCX of older books.
    pub fn read(package: &mut Package<'_>, book: &Publication) -> Result<Self, EarlyStop> {
        let mut contents = Self::default();
        for name in [&book.navigation, &book.ncx].into_iter().flatten() {
            if !contents.0.is_empty() {
                break;
            }
            let Some(bytes) = package.bytes(name)? else {
                continue;
            };
            let text = decode_page(&bytes);
            let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
            let entries = if Some(name) == book.navigation.as_ref() {
                contents.read_navigation(&text, directory)
            } else {
                contents.read_ncx(&text, directory)
            };
            // Contents that are not well-formed give the entries before the fault.
            let _ = entries;
        }
        Ok(contents)
    }

    /// Returns the entry of a chapter.
    pub fn entry(&self, name: &str) -> Option<&ContentsEntry> {
        self.0.get(name)
    }

    /// Adds an entry, unless its chapter has one.
    fn add(&mut self, directory: &str, address: &str, level: usize, label: &str) {
        let label = one_line(label);
        if label.is_empty() || self.0.len() >= CONTENTS_ENTRIES {
            return;
        }
        let level = u8::try_from(level).unwrap_or(u8::MAX).max(1);
        let name = part_name(directory, address);
        self.0.entry(name).or_insert(ContentsEntry { level, label });
    }

    /// Reads a navigation document: nested lists of links.
    fn read_navigation(&mut self, text: &str, directory: &str) -> Result<(), EarlyStop> {
        let mut xml = Xml::new(text.as_bytes()).allow_document_type();
        // Depths of the open lists.
        let mut lists: Vec<usize> = Vec::new();
        loop {
            let depth = xml.depth();
            lists.retain(|list| *list <= depth);
            match xml.next()? {
                XmlEvent::Start(element) => match element.name() {
                    "nav" => {
                        let kind = element.attribute("type");
                        if kind.is_some_and(|kind| !kind.split_whitespace().any(|k| k == "toc")) {
                            xml.skip()?;
                        }
                    }
                    "ol" => lists.push(depth + 1),
                    "a" if !lists.is_empty() => {
                        let address = element.attribute("href").unwrap_or_default();
                        let label = xml.text()?;
                        self.add(directory, &address, lists.len(), &label);
                    }
                    _ => {}
                },
                XmlEvent::Eof => return Ok(()),
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => {}
            }
        }
    }

    /// Reads an NCX: nested points with a label and an address.
    fn read_ncx(&mut self, text: &str, directory: &str) -> Result<(), EarlyStop> {
        let mut xml = Xml::new(text.as_bytes()).allow_document_type();
        // Depths of the open points.
        let mut points: Vec<usize> = Vec::new();
        let mut label = String::new();
        loop {
            let depth = xml.depth();
            points.retain(|point| *point <= depth);
            match xml.next()? {
                XmlEvent::Start(element) => match element.name() {
                    "navPoint" => points.push(depth + 1),
                    "pageList" | "navList" => xml.skip()?,
                    "text" => label = xml.text()?,
                    "content" => {
                        let address = element.attribute("src").unwrap_or_default();
                        self.add(directory, &address, points.len(), &label);
                    }
                    _ => {}
                },
                XmlEvent::Eof => return Ok(()),
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => {}
            }
        }
    }
}
