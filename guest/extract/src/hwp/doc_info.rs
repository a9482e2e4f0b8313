//! The stream of shapes, styles and lists. Records refer to others of a kind by their order.

use super::records::{RecordData, Records, tag};
use crate::hangul::{
    HangulStyle, HangulStyles, Numbering, NumberingLevel, ParagraphHead, ParagraphShape,
};

/// Levels of a list in the first versions of the format.
const FIRST_LEVELS: usize = 7;

/// Levels that later versions added.
const FURTHER_LEVELS: usize = 3;

/// Bytes of a level before its template.
const LEVEL_BYTES: usize = 12;

/// Reads the stream.
pub fn read(stream: &[u8]) -> HangulStyles {
    let mut styles = HangulStyles::default();
    let (mut shapes, mut names, mut lists) = (0, 0, 0);
    for record in Records::new(stream) {
        match record.tag {
            tag::PARAGRAPH_SHAPE => {
                styles.shapes.insert(shapes, paragraph_shape(record.data));
                shapes += 1;
            }
            tag::STYLE => {
                styles.styles.insert(names, style(record.data));
                names += 1;
            }
            tag::NUMBERING => {
                // Paragraphs count lists from 1.
                lists += 1;
                styles.numberings.insert(lists, numbering(record.data));
            }
            _ => {}
        }
    }
    styles
}

fn paragraph_shape(data: RecordData<'_>) -> ParagraphShape {
    let properties = data.u32(0);
    let level = (properties >> 25 & 0b111) as usize;
    let list = u32::from(data.u16(30));
    let head = match properties >> 23 & 0b11 {
        1 => ParagraphHead::Outline { level },
        2 => ParagraphHead::Number { list, level },
        3 => ParagraphHead::Bullet { level },
        _ => ParagraphHead::None,
    };
    ParagraphShape { head }
}

fn style(data: RecordData<'_>) -> HangulStyle {
    let (name, end) = data.words(0);
    let (english, end) = data.words(end);
    // The properties, the next style and the language are before the shape.
    let shape = data.u16(end.saturating_add(4));
    HangulStyle::new(u32::from(shape), &name, &english)
}

fn numbering(data: RecordData<'_>) -> Numbering {
    let (mut levels, mut at) = (Vec::new(), 0);
    read_levels(data, &mut at, FIRST_LEVELS, &mut levels);
    let start = data.u16(at);
    at = at.saturating_add(2);
    let has_starts = data.0.len() > at;
    let first = levels.len();
    read_starts(data, &mut at, &mut levels);
    if !has_starts && let Some(level) = levels.first_mut() {
        level.start = u32::from(start);
    }
    if data.0.len() > at {
        read_levels(data, &mut at, FURTHER_LEVELS, &mut levels);
        read_starts(data, &mut at, &mut levels[first..]);
    }
    Numbering { levels }
}

/// Reads levels of a list.
fn read_levels(
    data: RecordData<'_>,
    at: &mut usize,
    count: usize,
    levels: &mut Vec<NumberingLevel>,
) {
    for _ in 0..count {
        let form = (data.u32(*at) >> 5 & 0xF) as u8;
        let (template, end) = data.words(at.saturating_add(LEVEL_BYTES));
        *at = end;
        levels.push(NumberingLevel {
            form,
            template,
            start: 1,
        });
    }
}

/// Reads the first numbers of levels.
fn read_starts(data: RecordData<'_>, at: &mut usize, levels: &mut [NumberingLevel]) {
    for level in levels {
        if data.0.len() >= at.saturating_add(4) {
            level.start = data.u32(*at);
        }
        *at = at.saturating_add(4);
    }
}
