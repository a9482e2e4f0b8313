//! Presentations in binary records (ppt, MS-PPT): for each slide a heading with its title, then its
//! lists, paragraphs and tables, and its notes.

mod outline;
mod persist;
pub mod records;
mod shapes;
mod styles;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::docx::SymbolFont;
use crate::failure::{EarlyStop, Failure};
use crate::limits::{PPT_SLIDES, SLIDE_ITEMS};
use crate::markdown::Markdown;
use crate::members::MemberGatherer;
use crate::office_art::PictureStore;
use crate::ole::Ole;
use crate::pictures::PictureNames;
use crate::pptx::{Budget, SlideBlock, write_slide_heading};
use outline::{DocumentLists, ListedSlide};
use persist::PersistOffsets;
use records::{PptRecord, PptRecords, kind, utf16_string};
use shapes::{DrawingContent, DrawingReader};
use styles::InheritedMarks;
use text::TextContext;

/// Name of the stream with the slides.
pub const PPT_STREAM: &str = "PowerPoint Document";

/// Name of the stream with the pictures.
const PICTURES: &str = "Pictures";

/// Name of the stream that says where the last saving is.
const CURRENT_USER: &str = "Current User";

/// Storage of a presentation that PowerPoint 95 can open as well; its root is that of 95.
const BOTH: &str = "PP97_DUALSTORAGE";

/// A stream that only presentations of PowerPoint 95 have.
const OLD_STREAM: &str = "PersistentStorage Directory";

/// A stream that only encrypted presentations have.
const ENCRYPTED_STREAM: &str = "EncryptedSummary";

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// The streams of a presentation.
#[derive(Debug)]
struct PptStreams {
    document: Vec<u8>,
    current_user: Vec<u8>,
    /// The pictures; empty unless they are gathered.
    pictures: Vec<u8>,
    is_cut: bool,
}

/// A reader of slides.
struct PptReader<'a, 't> {
    stream: &'a [u8],
    parts: PersistOffsets,
    lists: DocumentLists<'a>,
    context: TextContext,
    pictures: PictureNames,
    media: BTreeSet<u32>,
    /// Marks of texts that the settings of all texts define.
    default_marks: InheritedMarks,
    /// Marks of texts by the id of the master.
    masters: BTreeMap<u32, InheritedMarks>,
    /// Ids of the parts that have been read.
    seen: BTreeSet<u32>,
    /// Bytes of parts that may still be read. The parts of a directory may overlap.
    remaining_bytes: usize,
    text: &'t mut Markdown,
    omitted: DrawingContent,
    has_text: bool,
    is_damaged: bool,
}

/// Adds the slides of a presentation to `text`, and a note about the parts omitted.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], text: &mut Markdown) -> Result<(), EarlyStop> {
    let streams = PptStreams::read(content, StreamsWanted::Text)?;
    if streams.write(text)? {
        // The note comes first, but damage is found last.
        text.clear();
        text.push_damage_note()?;
        streams.write(text)?;
    }
    Ok(())
}

/// Gathers the pictures of a presentation: `image3.png` is the third in its list of pictures.
///
/// # Errors
/// [`EarlyStop`] if the presentation cannot be opened.
pub fn gather_pictures(content: &[u8], members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
    let streams = PptStreams::read(content, StreamsWanted::All)?;
    let document = streams.open()?.document(&streams.document);
    let store = document.map_or_else(PictureStore::default, |it| picture_store(&it));
    store.gather(&streams.pictures, members)
}

/// The streams that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamsWanted {
    /// Those of the text.
    Text,
    /// That of the pictures as well.
    All,
}

/// The directory of the parts of a presentation.
struct OpenPresentation {
    parts: PersistOffsets,
    /// True if the directory has the document.
    is_listed: bool,
}

impl OpenPresentation {
    /// Returns the document, which is the last one if the directory is damaged.
    fn document<'s>(&self, stream: &'s [u8]) -> Option<PptRecord<'s>> {
        self.parts.document(stream).or_else(|| {
            let records = PptRecords::new(stream);
            records.filter(|it| it.kind == kind::DOCUMENT).last()
        })
    }
}

impl PptStreams {
    /// Reads the streams in a container.
    fn read(content: &[u8], wanted: StreamsWanted) -> Result<Self, EarlyStop> {
        let mut ole = Ole::open(content)?;
        let storage = match ole.child(Ole::ROOT, BOTH) {
            Some(storage) => storage,
            None if ole.child(Ole::ROOT, OLD_STREAM).is_some() => {
                let failure = Failure::Unsupported("a PowerPoint 95 presentation");
                return Err(EarlyStop::Failed(failure));
            }
            None => Ole::ROOT,
        };
        if ole.child(storage, ENCRYPTED_STREAM).is_some() {
            return Err(EarlyStop::Failed(Failure::Encrypted));
        }
        let current_user = match ole.child(storage, CURRENT_USER) {
            Some(id) => ole.stream(id)?,
            None => Vec::new(),
        };
        let id = ole.child(storage, PPT_STREAM).ok_or(MALFORMED)?;
        let document = ole.stream(id)?;
        let pictures = ole.child(storage, PICTURES);
        let pictures = match pictures.filter(|_| wanted == StreamsWanted::All) {
            Some(id) => ole.stream(id)?,
            None => Vec::new(),
        };
        Ok(Self {
            is_cut: ole.is_cut(id, document.len()),
            document,
            current_user,
            pictures,
        })
    }

    /// Reads the directory of the parts, unless they are encrypted.
    fn open(&self) -> Result<OpenPresentation, EarlyStop> {
        let stream = self.document.as_slice();
        let parts = PersistOffsets::read(stream, &self.current_user);
        if parts.is_encrypted(stream, &self.current_user) {
            return Err(EarlyStop::Failed(Failure::Encrypted));
        }
        let is_listed = parts.document(stream).is_some();
        Ok(OpenPresentation { parts, is_listed })
    }

    /// Adds the slides to `text`. Returns true if parts are damaged.
    fn write(&self, text: &mut Markdown) -> Result<bool, EarlyStop> {
        let stream = self.document.as_slice();
        let open = self.open()?;
        let document = open.document(stream);
        let OpenPresentation { parts, is_listed } = open;
        let mut reader = PptReader {
            stream,
            is_damaged: self.is_cut || parts.is_damaged || !is_listed,
            parts,
            lists: DocumentLists::default(),
            context: TextContext::default(),
            pictures: PictureNames::default(),
            media: BTreeSet::new(),
            default_marks: InheritedMarks::default(),
            masters: BTreeMap::new(),
            seen: BTreeSet::new(),
            remaining_bytes: stream.len().saturating_mul(4),
            text,
            omitted: DrawingContent::default(),
            has_text: false,
        };
        if let Some(document) = document {
            reader.is_damaged |= document.is_cut;
            reader.read_document(&document);
        }
        if is_listed {
            reader.write_slides()?;
        } else {
            reader.write_stream()?;
        }
        reader.finish()
    }
}

impl<'a> PptReader<'a, '_> {
    /// Reads the lists and settings in the document.
    fn read_document(&mut self, document: &PptRecord<'a>) {
        self.lists = DocumentLists::read(document);
        self.pictures = PictureNames::new(picture_store(document).names());
        for record in document.records() {
            match record.kind {
                kind::ENVIRONMENT => {
                    self.default_marks = self.default_marks.read(record.records());
                    let fonts = record.records().filter(|it| it.kind == kind::FONTS);
                    for font in fonts.flat_map(|fonts| fonts.records()) {
                        let name = font.content.get(..64).unwrap_or(font.content);
                        let found = SymbolFont::from_name(&utf16_string(name));
                        if font.kind == kind::FONT
                            && let Some(found) = found
                        {
                            self.context.fonts.insert(font.instance, found);
                        }
                    }
                }
                kind::EXTERNAL_OBJECTS => self.read_objects(&record),
                _ => {}
            }
        }
    }

    /// Reads the addresses of links, and the ids of videos and sounds.
    fn read_objects(&mut self, objects: &PptRecord<'a>) {
        let mut records = objects.records();
        while let Some(record) = records.next() {
            match record.kind {
                kind::LINK if self.context.links.len() < PPT_SLIDES => {
                    let mut id = None;
                    let mut address = String::new();
                    let mut place = String::new();
                    for record in record.records() {
                        match (record.kind, record.instance) {
                            (kind::LINK_ID, _) => id = Some(record.u32(0)),
                            (kind::STRING, 1) => address = utf16_string(record.content),
                            (kind::STRING, 3) => place = utf16_string(record.content),
                            _ => {}
                        }
                    }
                    // Without an address it is a place of the presentation itself, and with
                    // commas a slide.
                    if let Some(id) = id
                        && !address.is_empty()
                    {
                        if !place.is_empty() && !place.contains(',') && !address.contains('#') {
                            address = format!("{address}#{place}");
                        }
                        self.context.links.insert(id, address);
                    }
                }
                kind::MEDIA if self.media.len() < PPT_SLIDES => {
                    self.media.insert(record.u32(0));
                }
                _ if record.is_container => records.enter(&record),
                _ => {}
            }
        }
    }

    /// Adds the slides in the order of their list.
    fn write_slides(&mut self) -> Result<(), EarlyStop> {
        for (index, slide) in std::mem::take(&mut self.lists.slides).iter().enumerate() {
            // A presentation lists each of its slides once. A list with one slide a million times
            // would multiply the text.
            if !self.seen.insert(slide.part) {
                continue;
            }
            let part = self.part(slide.part, kind::SLIDE);
            self.slide(index + 1, part, Some(slide))?;
        }
        Ok(())
    }

    /// Adds all slides and notes in the order of the stream, which has no directory of them.
    fn write_stream(&mut self) -> Result<(), EarlyStop> {
        let slides = std::mem::take(&mut self.lists.slides);
        let is_slide = |record: &PptRecord<'_>| record.kind == kind::SLIDE;
        let count = PptRecords::new(self.stream).filter(is_slide).count();
        // The titles and bodies are in the list. Without the directory nothing but their number
        // says to which slides they belong.
        let is_matched = count == slides.len();
        let mut number = 0;
        for record in PptRecords::new(self.stream) {
            match record.kind {
                kind::SLIDE => {
                    let listed = slides.get(number).filter(|_| is_matched);
                    number += 1;
                    self.slide(number, Some(record), listed)?;
                }
                kind::NOTES => self.notes(&record)?,
                _ => {}
            }
        }
        if !is_matched {
            for slide in &slides {
                number += 1;
                self.slide(number, None, Some(slide))?;
            }
        }
        Ok(())
    }

    /// Returns the part with this id, if it is of the kind expected.
    fn part(&mut self, id: u32, kind: u16) -> Option<PptRecord<'a>> {
        let part = self.parts.part(self.stream, id);
        let part = part.filter(|part| part.kind == kind)?;
        self.remaining_bytes = self.remaining_bytes.checked_sub(part.content.len())?;
        Some(part)
    }

    /// Returns the marks that the texts of a slide adopt from its master.
    fn marks(&mut self, slide: &PptRecord<'a>) -> InheritedMarks {
        let Some(id) = master_id(slide) else {
            return self.default_marks;
        };
        if let Some(marks) = self.masters.get(&id) {
            return *marks;
        }
        let mut found = self.lists.masters.get(&id).copied();
        // The master of a slide with a title may be a slide, which has a master.
        if let Some(title) = found.and_then(|part| self.part(part, kind::SLIDE)) {
            let master = master_id(&title);
            found = master.and_then(|id| self.lists.masters.get(&id).copied());
        }
        let master = found.and_then(|part| self.part(part, kind::MAIN_MASTER));
        let marks = master.map_or(self.default_marks, |master| {
            self.default_marks.read(master.records())
        });
        self.masters.insert(id, marks);
        marks
    }

    /// Adds a slide from its part and its texts in the list of slides, with its notes.
    fn slide(
        &mut self,
        number: usize,
        part: Option<PptRecord<'a>>,
        listed: Option<&ListedSlide<'a>>,
    ) -> Result<(), EarlyStop> {
        self.is_damaged |= part.is_none_or(|part| part.is_cut);
        let marks = match &part {
            Some(part) => self.marks(part),
            None => self.default_marks,
        };
        let (content, end) = self.drawing(part.as_ref(), listed, marks);
        let title = content.title.as_deref();
        write_slide_heading(number, title, content.is_hidden, self.text)?;
        self.has_text |= title.is_some();
        self.write_blocks(&content.blocks, end)?;
        let notes = part.and_then(|part| atom(&part)).map(|atom| atom.u32(16));
        let notes = notes.and_then(|id| self.lists.notes.get(&id).copied());
        if let Some(id) = notes
            && self.seen.insert(id)
        {
            match self.part(id, kind::NOTES) {
                Some(notes) => self.notes(&notes)?,
                None => self.is_damaged = true,
            }
        }
        Ok(())
    }

    /// Adds notes.
    fn notes(&mut self, part: &PptRecord<'a>) -> Result<(), EarlyStop> {
        self.is_damaged |= part.is_cut;
        let marks = self.default_marks;
        let (content, end) = self.drawing(Some(part), None, marks);
        let DrawingContent { title, blocks, .. } = content;
        let title = title.map(SlideBlock::Paragraph);
        let blocks: Vec<SlideBlock> = title.into_iter().chain(blocks).collect();
        if !blocks.is_empty() {
            self.text.heading(3, "Notes")?;
        }
        self.write_blocks(&blocks, end)
    }

    /// Reads a slide or notes. Returns the error as well if the content is not all.
    fn drawing(
        &mut self,
        part: Option<&PptRecord<'a>>,
        listed: Option<&ListedSlide<'a>>,
        marks: InheritedMarks,
    ) -> (DrawingContent, Result<(), EarlyStop>) {
        let mut reader = DrawingReader {
            context: &self.context,
            marks,
            outline: Vec::new(),
            pictures: &self.pictures,
            media: &self.media,
            budget: Budget::new(self.text.room(), SLIDE_ITEMS),
            content: DrawingContent::default(),
        };
        let outline = listed.map(|slide| self.lists.texts(slide, &mut reader.budget));
        let end = match outline.transpose() {
            Ok(outline) => {
                reader.outline = outline.unwrap_or_default();
                reader.read(part)
            }
            Err(error) => Err(error),
        };
        let content = reader.content;
        self.omitted.pictures += content.pictures;
        self.omitted.media += content.media;
        self.omitted.objects += content.objects;
        self.omitted.comments += content.comments;
        (content, end)
    }

    /// Adds blocks, then returns the error if they are not all.
    fn write_blocks(
        &mut self,
        blocks: &[SlideBlock],
        end: Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        self.has_text |= !blocks.is_empty();
        for block in blocks {
            block.write(self.text)?;
        }
        match end {
            Err(MALFORMED) => self.is_damaged = true,
            end => end?,
        }
        Ok(())
    }

    /// Adds a note about the parts omitted. Returns true if parts are damaged.
    fn finish(self) -> Result<bool, EarlyStop> {
        if self.is_damaged && !self.has_text {
            return Err(MALFORMED);
        }
        let omitted = &self.omitted;
        let [picture, pictures] = self.pictures.nouns();
        self.text.push_omission_note(&[
            (omitted.comments, "comment", "comments"),
            (omitted.pictures, &picture, &pictures),
            (omitted.media, "video or sound", "videos and sounds"),
            (omitted.objects, "embedded object", "embedded objects"),
        ])?;
        Ok(self.is_damaged)
    }
}

/// Returns the list of pictures of a document.
fn picture_store<'a>(document: &PptRecord<'a>) -> PictureStore<'a> {
    let records = document.records();
    let mut drawings = records.filter(|it| it.kind == kind::DRAWINGS);
    let groups = drawings.next().map(|drawings| drawings.records());
    let group = groups.and_then(|mut groups| groups.find(|it| it.kind == kind::DRAWING_GROUP));
    group.map_or_else(PictureStore::default, |group| {
        PictureStore::find(group.records(), 0)
    })
}

/// Returns the record of a slide that names its master and its notes.
fn atom<'a>(slide: &PptRecord<'a>) -> Option<PptRecord<'a>> {
    slide.records().find(|it| it.kind == kind::SLIDE_ATOM)
}

/// Returns the id of the master of a slide.
fn master_id(slide: &PptRecord<'_>) -> Option<u32> {
    atom(slide).map(|atom| atom.u32(12))
}
