//! Objects beside the text that have a position in it: notes, and shapes with text boxes.

use std::collections::BTreeMap;
use std::ops::Range;

use super::drawings::Drawings;
use super::fib::{DocStory, DocTable, Fib, WordFormat};
use crate::limits::DOC_OBJECTS;
use crate::ole::{u16_at, u32_at};

/// Bytes of a shape's position, of a text box, and of a reference to a note, besides the position.
const ANCHOR_BYTES: usize = 26;
const BOX_BYTES: usize = 22;
const REFERENCE_BYTES: usize = 2;

/// An object at a position of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocObject {
    /// A footnote or endnote, by its index among the notes.
    Note(usize),
    /// A shape by its number.
    Shape(u32),
}

/// The objects of a document.
#[derive(Debug, Default)]
pub struct DocObjects {
    /// Positions in the text, in its order.
    positions: Vec<(u32, DocObject)>,
    /// Index of the next one.
    next: usize,
    /// Ranges of the texts of notes.
    notes: Vec<Range<u32>>,
    /// Ranges of the texts of boxes, by the shape with a position that contains them.
    boxes: BTreeMap<u32, Vec<Range<u32>>>,
    /// All drawings.
    pub drawings: Drawings,
}

/// A list of positions, with an element of fixed size for each but the last.
#[derive(Clone, Copy, Debug)]
struct PositionList<'a> {
    bytes: &'a [u8],
    count: usize,
    element_bytes: usize,
}

impl<'a> PositionList<'a> {
    fn new(fib: &Fib, table: DocTable, tables: &'a [u8], element_bytes: usize) -> Self {
        let range = fib.table(table);
        let bytes = tables.get(range.start..range.end.min(tables.len()));
        let bytes = bytes.unwrap_or_default();
        let count = bytes.len().saturating_sub(4) / (4 + element_bytes);
        Self {
            bytes,
            count: count.min(DOC_OBJECTS),
            element_bytes,
        }
    }

    fn position(&self, index: usize) -> u32 {
        u32_at(self.bytes, 4 * index)
    }

    /// Returns the range between two positions, within a story.
    fn range(&self, index: usize, story: &Range<u32>) -> Range<u32> {
        let at = |index| {
            story
                .start
                .saturating_add(self.position(index))
                .min(story.end)
        };
        at(index)..at(index + 1)
    }

    fn element(&self, index: usize) -> &'a [u8] {
        let all = self.bytes.len().saturating_sub(4) / (4 + self.element_bytes);
        let start = 4 * (all + 1) + self.element_bytes * index;
        self.bytes.get(start..).unwrap_or_default()
    }
}

impl DocObjects {
    /// Reads the positions of all objects from the stream of the tables.
    pub fn read(fib: &Fib, tables: &[u8]) -> Self {
        let mut objects = Self::default();
        for (references, texts, story) in [
            (
                DocTable::FOOTNOTE_REFERENCES,
                DocTable::FOOTNOTES,
                DocStory::Footnotes,
            ),
            (
                DocTable::ENDNOTE_REFERENCES,
                DocTable::ENDNOTES,
                DocStory::Endnotes,
            ),
        ] {
            let references = PositionList::new(fib, references, tables, REFERENCE_BYTES);
            let texts = PositionList::new(fib, texts, tables, 0);
            let story = fib.story(story);
            for index in 0..references.count.min(texts.count) {
                let note = DocObject::Note(objects.notes.len());
                objects.positions.push((references.position(index), note));
                objects.notes.push(texts.range(index, &story));
            }
        }
        match fib.format {
            WordFormat::Word97 => objects.read_shapes(fib, tables),
            // All text boxes follow the text, since the positions of their shapes are not read.
            WordFormat::Word6 => {
                let all = vec![fib.story(DocStory::TextBoxes)];
                objects.boxes.insert(0, all);
            }
        }
        // The sort is stable: of two objects at one position the first stays first.
        objects.positions.sort_by_key(|(position, _)| *position);
        objects
    }

    fn read_shapes(&mut self, fib: &Fib, tables: &[u8]) {
        self.drawings = Drawings::read(fib, tables);
        let anchors = PositionList::new(fib, DocTable::SHAPE_ANCHORS, tables, ANCHOR_BYTES);
        for index in 0..anchors.count {
            let shape = DocObject::Shape(u32_at(anchors.element(index), 0));
            self.positions.push((anchors.position(index), shape));
        }
        let boxes = PositionList::new(fib, DocTable::TEXT_BOXES, tables, BOX_BYTES);
        let story = fib.story(DocStory::TextBoxes);
        // The last element belongs to no box.
        for index in 0..boxes.count.saturating_sub(1) {
            let text_box = boxes.element(index);
            let is_free = u16_at(text_box, 8) != 0;
            let range = boxes.range(index, &story);
            if is_free || range.is_empty() {
                continue;
            }
            let anchor = self.drawings.anchor(u32_at(text_box, 14));
            self.boxes.entry(anchor).or_default().push(range);
        }
    }

    /// Returns the position of the next object.
    pub fn next_position(&self) -> u32 {
        let next = self.positions.get(self.next);
        next.map_or(u32::MAX, |(position, _)| *position)
    }

    /// Returns the next object at a position or before it.
    pub fn take_at(&mut self, position: u32) -> Option<DocObject> {
        let (at, object) = self.positions.get(self.next)?;
        if *at > position {
            return None;
        }
        self.next += 1;
        Some(*object)
    }

    /// Returns the range of a note's text.
    pub fn note(&self, index: usize) -> Range<u32> {
        self.notes.get(index).cloned().unwrap_or_default()
    }

    /// Returns the ranges of the texts in a shape, once.
    pub fn take_boxes(&mut self, shape: u32) -> Vec<Range<u32>> {
        self.boxes.remove(&shape).unwrap_or_default()
    }

    /// Returns the ranges of the texts in shapes that have no position.
    pub fn take_other_boxes(&mut self) -> Vec<Range<u32>> {
        std::mem::take(&mut self.boxes)
            .into_values()
            .flatten()
            .collect()
    }
}
