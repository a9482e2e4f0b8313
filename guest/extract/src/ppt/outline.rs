//! The lists of slides, masters and notes in the document, with the titles and bodies of slides.

use std::collections::BTreeMap;

use super::records::{PptRecord, PptRecords, kind, tag_records};
use super::text::SlideText;
use crate::failure::EarlyStop;
use crate::limits::PPT_SLIDES;
use crate::pptx::Budget;

/// A slide in the list of slides.
#[derive(Clone, Debug)]
pub struct ListedSlide<'a> {
    /// Id of its part.
    pub part: u32,
    /// Id by which other parts refer to it.
    id: u32,
    /// The records of its texts, followed by those of other slides.
    records: PptRecords<'a>,
}

/// A text of a slide in the list of slides.
#[derive(Debug)]
pub struct OutlineText<'a> {
    pub text: SlideText<'a>,
    /// True if a shape shows it.
    pub is_shown: bool,
}

/// The lists in the document.
#[derive(Debug, Default)]
pub struct DocumentLists<'a> {
    pub slides: Vec<ListedSlide<'a>>,
    /// Parts of masters and of notes by their ids.
    pub masters: BTreeMap<u32, u32>,
    pub notes: BTreeMap<u32, u32>,
    /// Numbers of paragraphs by the slide and the kind of the text.
    numbers: BTreeMap<(u32, u32), &'a [u8]>,
}

impl<'a> DocumentLists<'a> {
    /// Reads the lists in the document.
    pub fn read(document: &PptRecord<'a>) -> Self {
        let mut lists = Self::default();
        for record in document.records() {
            match (record.kind, record.instance) {
                (kind::SLIDE_LIST, 0) => lists.add_slides(&record),
                (kind::SLIDE_LIST, 1) => add_parts(&record, &mut lists.masters),
                (kind::SLIDE_LIST, 2) => add_parts(&record, &mut lists.notes),
                (kind::INFO_LIST, _) => lists.add_numbers(&record),
                _ => {}
            }
        }
        lists
    }

    fn add_slides(&mut self, list: &PptRecord<'a>) {
        let mut records = list.records();
        while let Some(record) = records.next() {
            if record.kind == kind::SLIDE_PERSIST && self.slides.len() < PPT_SLIDES {
                self.slides.push(ListedSlide {
                    part: record.u32(0),
                    id: record.u32(12),
                    records: records.clone(),
                });
            }
        }
    }

    fn add_numbers(&mut self, list: &PptRecord<'a>) {
        let tags = list.records().filter(|record| record.kind == kind::TAGS);
        for record in tags.flat_map(|tags| tag_records(&tags, "___PPT9")) {
            if record.kind != kind::OUTLINE_STYLE_9 || self.numbers.len() >= PPT_SLIDES {
                continue;
            }
            let mut records = record.records();
            if let Some(header) = records.next()
                && header.kind == kind::OUTLINE_HEADER_9
                && let Some(style) = records.find(|style| style.kind == kind::TEXT_STYLE_9)
            {
                let place = (header.u32(0), header.u32(4));
                self.numbers.entry(place).or_insert(style.content);
            }
        }
    }

    /// Returns the texts of a slide.
    pub fn texts(
        &self,
        slide: &ListedSlide<'a>,
        budget: &mut Budget,
    ) -> Result<Vec<OutlineText<'a>>, EarlyStop> {
        let records = slide.records.clone();
        let own = records.take_while(|record| record.kind != kind::SLIDE_PERSIST);
        let texts = SlideText::read_all(own, budget)?;
        let texts = texts.into_iter().map(|mut text| {
            let numbers = self.numbers.get(&(slide.id, text.kind));
            text.numbers = numbers.copied().unwrap_or_default();
            OutlineText {
                text,
                is_shown: false,
            }
        });
        Ok(texts.collect())
    }
}

/// Adds the parts of a list by their ids.
fn add_parts(list: &PptRecord<'_>, parts: &mut BTreeMap<u32, u32>) {
    for record in list.records() {
        if record.kind == kind::SLIDE_PERSIST && parts.len() < PPT_SLIDES {
            parts.insert(record.u32(12), record.u32(0));
        }
    }
}
