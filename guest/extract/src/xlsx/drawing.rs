//! Drawings on sheets: their text boxes and pictures. The values of charts are in the cells.

use crate::failure::EarlyStop;
use crate::limits::SLIDE_ITEMS;
use crate::markdown::Markdown;
use crate::package::{Package, external_links, part_of_kind};
use crate::pictures::PictureNames;
use crate::pptx::{Budget, ShapeContent, ShapeReader, SlideBlock};

use super::OmittedParts;

/// Adds the texts and pictures on the sheet in the part `sheet`, and counts what is left out.
///
/// # Errors
/// [`EarlyStop::Full`] if the text is incomplete. A drawing that cannot be read is left out,
/// because the cells do not depend on it.
pub fn write_drawing(
    package: &mut Package<'_>,
    sheet: &str,
    names: &PictureNames,
    left_out: &mut OmittedParts,
    text: &mut Markdown,
) -> Result<(), EarlyStop> {
    let relationships = package.relationships(sheet).unwrap_or_default();
    let Some(drawing) = part_of_kind(&relationships, "drawing") else {
        return Ok(());
    };
    let relationships = package.relationships(&drawing).unwrap_or_default();
    let Ok(Some(part)) = package.part(&drawing) else {
        return Ok(());
    };
    let links = external_links(&relationships);
    let pictures = names.by_relationship(&relationships);
    let budget = Budget::new(text.room(), SLIDE_ITEMS);
    let (content, end) = ShapeReader::new(&links, &pictures, None, budget).read(part);
    let ShapeContent { title, blocks, .. } = content;
    left_out.pictures += content.pictures;
    for block in title.map(SlideBlock::Paragraph).into_iter().chain(blocks) {
        match block {
            SlideBlock::Chart(_) => left_out.charts += 1,
            SlideBlock::Diagram(_) => left_out.diagrams += 1,
            block => block.write(text)?,
        }
    }
    match end {
        Err(EarlyStop::Full) => Err(EarlyStop::Full),
        _ => Ok(()),
    }
}
