//! Footnotes and endnotes: the text refers to them by id, and they are in parts of their own.

use std::collections::BTreeMap;

use super::{BlockReader, cell_text, links};
use crate::Stop;
use crate::markdown::{Markdown, one_line};
use crate::package::{Package, Relationship, part_of_kind};
use crate::xml::Node;

/// The kind of a note. Each kind has its own ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// Below the page.
    Footnote,
    /// After the text.
    Endnote,
}

/// The notes that the text refers to, by kind and id, numbered from 1 in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Notes(BTreeMap<(NoteKind, String), usize>);

impl Notes {
    /// Returns the number of a note, the same for every reference to it.
    pub fn number(&mut self, kind: NoteKind, id: String) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry((kind, id)).or_insert(next)
    }

    fn has(&self, kind: NoteKind) -> bool {
        self.0.keys().any(|(other, _)| *other == kind)
    }
}

impl BlockReader {
    /// Adds the notes that the text refers to.
    pub fn write_notes(
        &mut self,
        package: &mut Package<'_>,
        relationships: &BTreeMap<String, Relationship>,
        text: &mut Markdown,
    ) -> Result<(), Stop> {
        // Notes may refer to further ones, which get a number but no text.
        let notes = self.notes.clone();
        let mut texts: BTreeMap<(NoteKind, String), String> = BTreeMap::new();
        for (kind, part, name) in [
            (NoteKind::Footnote, "footnotes", "footnote"),
            (NoteKind::Endnote, "endnotes", "endnote"),
        ] {
            // Nearly every document has these parts, for the line that separates notes from text.
            if !notes.has(kind) {
                continue;
            }
            let Some(part) = part_of_kind(relationships, part) else {
                continue;
            };
            // Ids of links belong to the part that contains them.
            self.links = links(&package.relationships(&part)?);
            let Some(mut xml) = package.part(&part)? else {
                continue;
            };
            loop {
                match xml.next()? {
                    Node::Start(element) if element.name() == name => {
                        let id = element.attribute("id").unwrap_or_default();
                        let blocks = self.story(&mut xml)?;
                        texts.insert((kind, id), cell_text(&blocks));
                    }
                    Node::Eof => break,
                    _ => {}
                }
            }
        }
        let mut in_order: Vec<(usize, &String)> = notes
            .0
            .iter()
            .filter_map(|(note, number)| Some((*number, texts.get(note)?)))
            .collect();
        in_order.sort_unstable();
        for (number, words) in in_order {
            text.paragraph(&format!("[^{number}]: {}", one_line(words)))?;
        }
        Ok(())
    }
}
