//! Presentations (pptx): for each slide a heading with its title, then its lists, paragraphs,
//! tables, charts and diagrams, and its notes.

mod budget;
mod chart;
mod chart_data;
mod diagram;
mod list_styles;
mod shapes;
mod text_body;

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::rc::Rc;

use crate::failure::{EarlyStop, Failure};
use crate::inline::make_link;
use crate::limits::{CHART_POINTS, DIAGRAM_POINTS, Limits, SLIDE_ITEMS};
use crate::markdown::{Markdown, Marker};
use crate::package::{Package, Relationship, RelationshipTarget, external_links, part_of_kind};
use crate::pictures::PictureNames;
use crate::salvage::read_package;
use crate::xml::Xml;
pub use budget::Budget;
use chart::Chart;
use diagram::Diagram;
pub use list_styles::ListMark;
use list_styles::{InheritedLists, PlaceholderLists};
pub use shapes::{ShapeContent, ShapeReader, is_file_name};
pub use text_body::{ItemCounters, LinkedText};

/// A block of a slide.
#[derive(Debug)]
pub enum SlideBlock {
    /// A paragraph.
    Paragraph(String),
    /// An item of a list, at a level from 0.
    Item(usize, Marker, String),
    /// The rows of a table.
    Table(Vec<Vec<String>>),
    /// The mark of a picture.
    Picture(String),
    /// Chart by the id of its relationship.
    Chart(String),
    /// Diagram by the id of the relationship to its data.
    Diagram(String),
}

/// The parts of a presentation that its text omits.
#[derive(Clone, Copy, Debug, Default)]
struct OmittedContent {
    comments: usize,
    pictures: usize,
    media: usize,
    objects: usize,
    charts: usize,
    damaged: usize,
}

/// A reader of slides.
struct SlideReader<'c, 't> {
    package: Package<'c>,
    text: &'t mut Markdown,
    pictures: PictureNames,
    omitted: OmittedContent,
    /// Marks of lists by the name of the layout, and by that of the master.
    layouts: BTreeMap<String, InheritedLists>,
    masters: BTreeMap<String, Rc<PlaceholderLists>>,
    /// Names of the slides and notes that have been read.
    seen: BTreeSet<String>,
    /// True if any slide or notes had text.
    has_text: bool,
}

/// The content of a part with shapes, with the relationships of the part.
struct ShapePart {
    content: ShapeContent,
    relationships: BTreeMap<String, Relationship>,
    /// Error if the content is not all.
    end: Result<(), EarlyStop>,
}

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// Adds the slides of a presentation to `text`, and a note about the parts omitted.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    read_package(content, limits, text, read_presentation)
}

/// Adds the slides of a package to `text`.
fn read_presentation(mut package: Package<'_>, text: &mut Markdown) -> Result<(), EarlyStop> {
    let main = package.main_part("ppt/presentation.xml")?;
    let relationships = package.relationships(&main)?;
    let slides = slide_ids(package.part(&main)?.ok_or(MALFORMED)?)?;
    let mut reader = SlideReader {
        pictures: PictureNames::find(&package),
        package,
        text,
        omitted: OmittedContent::default(),
        layouts: BTreeMap::new(),
        masters: BTreeMap::new(),
        seen: BTreeSet::new(),
        has_text: false,
    };
    for (index, id) in slides.iter().enumerate() {
        // A presentation lists each of its slides once. A list with one slide a million times
        // would multiply the text.
        if let Some(name) = target_part(&relationships, id)
            && reader.seen.insert(name.clone())
        {
            reader.slide(index + 1, &name)?;
        }
    }
    let omitted = reader.omitted;
    let [picture, pictures] = reader.pictures.nouns();
    if omitted.damaged > 0 && !reader.has_text {
        return Err(MALFORMED);
    }
    text.push_omission_note(&[
        (omitted.comments, "comment", "comments"),
        (omitted.pictures, &picture, &pictures),
        (omitted.media, "video or sound", "videos and sounds"),
        (omitted.objects, "embedded object", "embedded objects"),
        (omitted.charts, "chart", "charts"),
        (omitted.damaged, "damaged part", "damaged parts"),
    ])
}

/// Reads the part of the presentation, and returns the ids of the relationships to its slides.
fn slide_ids<R: BufRead>(xml: Xml<R>) -> Result<Vec<String>, EarlyStop> {
    let mut ids = Vec::new();
    // Any well-formed XML may be the main part of a package, such as that of a text document.
    let mut is_presentation = false;
    xml.each(|depth, element| {
        match element.name() {
            "presentation" if depth == 1 => is_presentation = true,
            "sldId" => ids.extend(element.prefixed_attribute("id")),
            _ => {}
        }
        Ok(())
    })?;
    if is_presentation {
        Ok(ids)
    } else {
        Err(MALFORMED)
    }
}

/// Returns the name of the part that a relationship targets.
fn target_part(all: &BTreeMap<String, Relationship>, id: &str) -> Option<String> {
    match &all.get(id)?.target {
        RelationshipTarget::Part(name) => Some(name.clone()),
        RelationshipTarget::Outside(_) => None,
    }
}

/// Adds the heading of slide `number`.
pub fn write_slide_heading(
    number: usize,
    title: Option<&str>,
    is_hidden: bool,
    text: &mut Markdown,
) -> Result<(), EarlyStop> {
    let mut heading = format!("Slide {number}");
    if let Some(title) = title {
        heading.push_str(": ");
        heading.push_str(title);
    }
    if is_hidden {
        heading.push_str(" (hidden)");
    }
    text.heading(2, &heading)
}

impl SlideBlock {
    /// Adds a block with a text of its own, which charts and diagrams have not.
    pub fn write(&self, text: &mut Markdown) -> Result<(), EarlyStop> {
        match self {
            Self::Paragraph(words) => text.paragraph(words),
            Self::Item(level, marker, words) => text.item(*level, *marker, words),
            Self::Table(rows) => text.table(rows),
            Self::Picture(words) => text.paragraph(words),
            Self::Chart(_) | Self::Diagram(_) => Ok(()),
        }
    }

    /// Makes a link of the text of a paragraph or an item, unless it contains one.
    pub fn link(&mut self, address: &str, budget: &mut Budget) -> Result<(), EarlyStop> {
        if let Self::Paragraph(words) | Self::Item(_, _, words) = self
            && !words.contains("](")
        {
            budget.take_bytes(address.len())?;
            make_link(words, 0, address);
        }
        Ok(())
    }

    /// Returns the text of a paragraph or an item as a line of a cell.
    pub fn into_line(self) -> Option<String> {
        match self {
            Self::Item(_, Marker::Bullet, words) => Some(format!("- {words}")),
            Self::Item(_, Marker::Number(number), words) => Some(format!("{number}. {words}")),
            other => other.into_text(),
        }
    }

    /// Returns the text of a paragraph or an item.
    pub fn into_text(self) -> Option<String> {
        match self {
            Self::Paragraph(words) | Self::Item(_, _, words) => Some(words),
            Self::Table(_) | Self::Picture(_) | Self::Chart(_) | Self::Diagram(_) => None,
        }
    }
}

impl OmittedContent {
    /// Returns a value, or `None` if its part is damaged, which is counted: one part should not
    /// cost the others.
    fn unless_damaged<T>(&mut self, value: Result<T, EarlyStop>) -> Result<Option<T>, EarlyStop> {
        match value {
            Ok(value) => Ok(Some(value)),
            Err(MALFORMED) => {
                self.damaged += 1;
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }
}

impl SlideReader<'_, '_> {
    /// Adds slide `number` from the part `name`, with its notes.
    fn slide(&mut self, number: usize, name: &str) -> Result<(), EarlyStop> {
        let slide = self.shapes(name, true)?;
        let title = slide.content.title.as_deref();
        write_slide_heading(number, title, slide.content.is_hidden, self.text)?;
        self.has_text |= slide.content.title.is_some();
        self.blocks(slide.content.blocks, &slide.relationships)?;
        self.omitted.unless_damaged(slide.end)?;
        if let Some(notes) = part_of_kind(&slide.relationships, "notesSlide")
            && self.seen.insert(notes.clone())
        {
            self.notes(&notes)?;
        }
        self.count_comments(&slide.relationships);
        Ok(())
    }

    /// Adds the notes in the part `name`.
    fn notes(&mut self, name: &str) -> Result<(), EarlyStop> {
        let notes = self.shapes(name, false)?;
        let ShapeContent { title, blocks, .. } = notes.content;
        if title.is_some() || !blocks.is_empty() {
            self.text.heading(3, "Notes")?;
        }
        let title = title.map(SlideBlock::Paragraph);
        let blocks = title.into_iter().chain(blocks).collect();
        self.blocks(blocks, &notes.relationships)?;
        self.omitted.unless_damaged(notes.end)?;
        Ok(())
    }

    /// Reads the shapes of the part `name`.
    fn shapes(&mut self, name: &str, has_layout: bool) -> Result<ShapePart, EarlyStop> {
        let relationships = self.package.relationships(name);
        let relationships = self.omitted.unless_damaged(relationships)?;
        let relationships = relationships.unwrap_or_default();
        let lists = match has_layout {
            true => Some(self.inherited_lists(&relationships)?),
            false => None,
        };
        let links = external_links(&relationships);
        let budget = Budget::new(self.text.room(), SLIDE_ITEMS);
        let pictures = self.pictures.by_relationship(&relationships);
        let reader = ShapeReader::new(&links, &pictures, lists.as_ref(), budget);
        let (content, end) = match self.package.part(name) {
            Ok(Some(part)) => reader.read(part),
            Ok(None) => (ShapeContent::default(), Err(MALFORMED)),
            Err(error) => (ShapeContent::default(), Err(error)),
        };
        self.omitted.pictures += content.pictures;
        self.omitted.media += content.media;
        self.omitted.objects += content.objects;
        Ok(ShapePart {
            content,
            relationships,
            end,
        })
    }

    /// Returns the marks of lists that a slide with these relationships inherits.
    fn inherited_lists(
        &mut self,
        slide: &BTreeMap<String, Relationship>,
    ) -> Result<InheritedLists, EarlyStop> {
        let Some(name) = part_of_kind(slide, "slideLayout") else {
            return Ok(InheritedLists::default());
        };
        if let Some(lists) = self.layouts.get(&name) {
            return Ok(lists.clone());
        }
        let layout = self.placeholder_lists(&name)?;
        let relationships = self.package.relationships(&name);
        let relationships = self.omitted.unless_damaged(relationships)?;
        let master = match part_of_kind(&relationships.unwrap_or_default(), "slideMaster") {
            None => Rc::default(),
            Some(name) => match self.masters.get(&name) {
                Some(lists) => Rc::clone(lists),
                None => {
                    let lists = self.placeholder_lists(&name)?;
                    self.masters.insert(name, Rc::clone(&lists));
                    lists
                }
            },
        };
        let lists = InheritedLists { layout, master };
        self.layouts.insert(name, lists.clone());
        Ok(lists)
    }

    /// Reads the part of a layout or a master. If it is damaged, no text is lost.
    fn placeholder_lists(&mut self, name: &str) -> Result<Rc<PlaceholderLists>, EarlyStop> {
        let lists = match self.package.part(name) {
            Ok(Some(part)) => PlaceholderLists::read(part),
            Ok(None) => return Ok(Rc::default()),
            Err(error) => Err(error),
        };
        match lists {
            Ok(lists) => Ok(Rc::new(lists)),
            Err(MALFORMED) => Ok(Rc::default()),
            Err(other) => Err(other),
        }
    }

    /// Adds blocks, with the charts and diagrams to which they refer.
    fn blocks(
        &mut self,
        blocks: Vec<SlideBlock>,
        relationships: &BTreeMap<String, Relationship>,
    ) -> Result<(), EarlyStop> {
        self.has_text |= !blocks.is_empty();
        for block in blocks {
            match block {
                SlideBlock::Chart(id) => self.chart(&id, relationships)?,
                SlideBlock::Diagram(id) => self.diagram(&id, relationships)?,
                block => block.write(self.text)?,
            }
        }
        Ok(())
    }

    /// Adds the chart of a relationship, and the texts drawn on it.
    fn chart(
        &mut self,
        id: &str,
        relationships: &BTreeMap<String, Relationship>,
    ) -> Result<(), EarlyStop> {
        let mut budget = Budget::new(self.text.room(), CHART_POINTS);
        let Some(name) = target_part(relationships, id) else {
            self.omitted.charts += 1;
            return Ok(());
        };
        let part = self.package.part(&name);
        let Some(Some(part)) = self.omitted.unless_damaged(part)? else {
            self.omitted.charts += 1;
            return Ok(());
        };
        let (chart, end) = Chart::read(part, &mut budget);
        chart.write(self.text)?;
        if self.omitted.unless_damaged(end)?.is_some() && chart.is_empty() {
            self.omitted.charts += 1;
        }
        drop(chart);
        let relationships = self.package.relationships(&name);
        let relationships = self.omitted.unless_damaged(relationships)?;
        match part_of_kind(&relationships.unwrap_or_default(), "chartUserShapes") {
            Some(name) => self.drawing(&name),
            None => Ok(()),
        }
    }

    /// Adds the diagram of a relationship.
    fn diagram(
        &mut self,
        id: &str,
        relationships: &BTreeMap<String, Relationship>,
    ) -> Result<(), EarlyStop> {
        let mut budget = Budget::new(self.text.room(), DIAGRAM_POINTS);
        let part = match target_part(relationships, id) {
            Some(name) => self.package.part(&name),
            None => Ok(None),
        };
        let mut diagram = Diagram::default();
        let mut end = Ok(());
        if let Some(Some(part)) = self.omitted.unless_damaged(part)? {
            (diagram, end) = Diagram::read(part, &mut budget);
        }
        let drawing = diagram.drawing.take();
        let items = diagram.items();
        let has_items = !items.is_empty();
        self.blocks(items, relationships)?;
        self.omitted.unless_damaged(end)?;
        if has_items {
            return Ok(());
        }
        // PowerPoint saves how it has drawn the diagram as well.
        match drawing.and_then(|id| target_part(relationships, &id)) {
            Some(name) => self.drawing(&name),
            None => Ok(()),
        }
    }

    /// Adds the texts of a drawing. Charts in it are left out, so that they cannot contain each
    /// other.
    fn drawing(&mut self, name: &str) -> Result<(), EarlyStop> {
        let drawing = self.shapes(name, false)?;
        let mut blocks = drawing.content.blocks;
        let is_text =
            |block: &SlideBlock| !matches!(block, SlideBlock::Chart(_) | SlideBlock::Diagram(_));
        blocks.retain(is_text);
        self.blocks(blocks, &drawing.relationships)?;
        self.omitted.unless_damaged(drawing.end)?;
        Ok(())
    }

    /// Counts the comments on a slide with these relationships, if they can be read.
    fn count_comments(&mut self, relationships: &BTreeMap<String, Relationship>) {
        let Some(name) = part_of_kind(relationships, "comments") else {
            return;
        };
        if let Ok(Some(part)) = self.package.part(&name) {
            let _ = part.each(|_, element| {
                if matches!(element.name(), "cm" | "reply") {
                    self.omitted.comments += 1;
                }
                Ok(())
            });
        }
    }
}
