//! Pictures: those in the line are in the stream of data, those of floating shapes in a list.

use std::collections::BTreeSet;

use super::fib::{DocTable, WordFormat};
use super::pages::{PageKind, PropertyPages};
use super::pieces::DocPiece;
use super::properties::CharacterProperties;
use super::sprm::Sprms;
use super::{DocFile, DocReader, MINIMUM_WORK};
use crate::docx::DocxBlock;
use crate::failure::EarlyStop;
use crate::limits::{DOC_OBJECTS, DOC_READ_FACTOR, DOC_RUN_CHARACTERS, MEMBERS, PICTURE_MARKS};
use crate::markdown::Markdown;
use crate::members::{MemberGatherer, copy_within};
use crate::office_art::{
    DRAWING_GROUP, PictureStore, inner_picture, picture_bytes, picture_extension, shape_description,
};
use crate::ole::{u16_at, u32_at};
use crate::pictures::{picture_mark, visible_bytes};
use crate::ppt::records::{PptRecord, PptRecords};

/// Offsets in the header of a picture: its own length, and the kind of what follows.
const HEADER_AT: usize = 4;
const KIND_AT: usize = 6;

/// Kinds of pictures: a shape, and one with the name of its file before it.
const SHAPE: u16 = 0x64;
const NAMED_SHAPE: u16 = 0x66;

/// Records behind a shape that are examined; Word writes one.
const RECORDS: usize = 4;

/// Bytes of a shape in the line that are examined for its alternative text. A picture may be shown
/// ten thousand times.
const SHAPE_BYTES: usize = 8 << 10;

/// The pictures of a document that are members of its file.
pub struct DocPictures<'a> {
    /// Those in the line, in the order of the stream of data.
    inline: Vec<InlinePicture<'a>>,
    /// Number of further ones.
    beyond: usize,
    /// Those of floating shapes.
    store: PictureStore<'a>,
}

/// A picture in the line.
struct InlinePicture<'a> {
    /// Offset in the stream of data.
    place: u32,
    /// Name: `image1.png` is the first.
    name: String,
    record: PptRecord<'a>,
}

impl<'a> DocPictures<'a> {
    /// Finds the pictures of a document, even those in text that is not shown, such as headers.
    pub fn find(file: &'a DocFile) -> Self {
        let (mut inline, mut beyond) = (Vec::new(), 0);
        for place in inline_places(file) {
            let records = inline_records(&file.data, place).take(RECORDS);
            let mut pictures = records.filter_map(|record| inner_picture(&record));
            let Some(record) = pictures.next() else {
                continue;
            };
            let Some(extension) = picture_extension(&record) else {
                continue;
            };
            if inline.len() >= MEMBERS {
                beyond += 1;
                continue;
            }
            let name = format!("image{}.{extension}", inline.len() + 1);
            inline.push(InlinePicture {
                place,
                name,
                record,
            });
        }
        let tables = file.tables();
        let range = file.fib.table(DocTable::DRAWINGS);
        let drawings = tables.get(range.start..range.end.min(tables.len()));
        let group = PptRecords::new(drawings.unwrap_or_default()).next();
        let group = group.filter(|group| group.kind == DRAWING_GROUP);
        let records = group.map_or(PptRecords::new(&[]), |group| group.records());
        let store = PictureStore::find(records, inline.len());
        Self {
            inline,
            beyond,
            store,
        }
    }

    /// Returns the names of the members and the places by which the text refers to them.
    pub fn names(&self) -> impl Iterator<Item = (String, String)> {
        let inline = self.inline.iter();
        let inline = inline.map(|picture| (picture.name.clone(), inline_key(picture.place)));
        inline.chain(self.store.names())
    }

    /// Gathers the pictures.
    ///
    /// # Errors
    /// [`EarlyStop::Full`] if there is no room for them.
    pub fn gather(&self, stream: &[u8], members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
        for picture in &self.inline {
            members.add(&picture.name, None, |room| {
                copy_within(picture_bytes(&picture.record), room)
            })?;
        }
        for _ in 0..self.beyond {
            members.omit();
        }
        self.store.gather(stream, members)
    }
}

/// Returns the name of a picture in the line, which the numbers of other pictures do not have.
fn inline_key(place: u32) -> String {
    format!("data {place}")
}

/// Returns the offsets in the stream of data to which characters refer, in ascending order.
fn inline_places(file: &DocFile) -> BTreeSet<u32> {
    let mut places = BTreeSet::new();
    if file.fib.format != WordFormat::Word97 || file.data.is_empty() {
        return places;
    }
    let stream = file.stream.as_slice();
    let pages = PropertyPages::new(PageKind::Characters, &file.fib, file.tables(), stream);
    // Runs may share their properties, and entries their page.
    let mut remaining = stream.len().saturating_mul(DOC_READ_FACTOR);
    remaining = remaining.saturating_add(MINIMUM_WORK);
    for found in pages.all_properties() {
        let cost = found.len() + DOC_RUN_CHARACTERS;
        let Some(left) = remaining.checked_sub(cost) else {
            break;
        };
        remaining = left;
        let mut properties = CharacterProperties::default();
        properties.apply(Sprms::new(found, file.fib.format));
        if let Some(place) = properties.data_at.filter(|_| !properties.is_data)
            && places.len() < DOC_OBJECTS
        {
            places.insert(place);
        }
    }
    places
}

/// Returns the records of the picture at an offset of the stream of data: its shape, and then the
/// picture itself.
fn inline_records(data: &[u8], place: u32) -> PptRecords<'_> {
    let find = || {
        let picture = data.get(place as usize..)?;
        let length = u32_at(picture, 0) as usize;
        let picture = &picture[..length.min(picture.len())];
        let header = usize::from(u16_at(picture, HEADER_AT));
        match u16_at(picture, KIND_AT) {
            SHAPE => picture.get(header..),
            NAMED_SHAPE => {
                let name = usize::from(*picture.get(header)?);
                picture.get(header + 1 + name..)
            }
            _ => None,
        }
    };
    PptRecords::new(find().unwrap_or_default())
}

impl DocReader<'_> {
    /// Adds the mark of a picture in the line, whose sign is at an offset of the text.
    pub fn push_picture(
        &mut self,
        at: u32,
        piece: &DocPiece,
        properties: &CharacterProperties,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        self.omitted.pictures += 1;
        let Some(place) = properties.data_at else {
            return Ok(());
        };
        let member = self.pictures.member(&inline_key(place));
        let shape = inline_records(&self.file.data, place).next();
        let description = shape.map(|shape| shape_description(&shape, SHAPE_BYTES));
        let mark = picture_mark(member, &description.unwrap_or_default());
        let Some(mark) = mark.filter(|_| self.omitted.pictures <= PICTURE_MARKS) else {
            return Ok(());
        };
        // The names of headings are addresses.
        let paragraph = self.paragraph_properties(at, piece)?;
        let style = self.styles.get(paragraph.style);
        if paragraph.outline.or(style.outline).heading().is_some() {
            return self.push_picture_block(mark, text);
        }
        if self.story.text.ends_with(']') {
            self.story.text.push(' ');
        }
        self.story.picture_bytes += visible_bytes(&mark);
        self.story.text.push_str(&mark);
        self.check_room(text)
    }

    /// Adds the mark of the picture of a floating shape.
    pub fn push_floating_picture(
        &mut self,
        number: u32,
        description: &str,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        self.omitted.pictures += 1;
        let member = self.pictures.member(&number.to_string());
        let mark = picture_mark(member, description);
        match mark.filter(|_| self.omitted.pictures <= PICTURE_MARKS) {
            Some(mark) => self.push_picture_block(mark, text),
            None => Ok(()),
        }
    }

    /// Adds the mark of a picture behind the open paragraph.
    fn push_picture_block(&mut self, mark: String, text: &Markdown) -> Result<(), EarlyStop> {
        let block = DocxBlock::Paragraph(mark);
        self.held.add(&block)?;
        self.check_room(text)?;
        self.story.boxes.push(block);
        Ok(())
    }
}
