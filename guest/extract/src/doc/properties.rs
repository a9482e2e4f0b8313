//! The properties of characters and paragraphs that determine the text and its structure.

use super::sprm::{self, Sprm};
use crate::docx::styles::OutlineLevel;
use crate::limits::DOCX_COLUMNS;
use crate::ole::{u16_at, u32_at};

/// Operands of properties that are switched: as the style says, and the opposite of it.
const AS_STYLE: u8 = 0x80;
const UNLIKE_STYLE: u8 = 0x81;

/// The properties of characters.
#[derive(Clone, Copy, Debug, Default)]
pub struct CharacterProperties {
    hidden: Option<u8>,
    raised: Option<bool>,
    pub font: Option<u16>,
    /// Number of the character style.
    pub style: Option<u16>,
    /// True for text that a tracked change deletes.
    pub is_deleted: bool,
    /// True for a sign that stands for the data of a form field or link.
    pub is_data: bool,
    /// Font and code of a symbol.
    pub symbol: Option<(u16, u16)>,
    /// Offset of a picture or of data.
    pub data_at: Option<u32>,
}

/// The properties of paragraphs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParagraphProperties<'a> {
    /// Number of the style.
    pub style: u16,
    pub outline: OutlineLevel,
    pub list: DocListPlace,
    pub is_in_table: bool,
    table_depth: Option<u32>,
    /// True for the end of a row.
    pub is_row_end: bool,
    /// True for the end of a cell in a table within a table.
    pub is_inner_cell_end: bool,
    /// True for the end of a row in a table within a table.
    pub is_inner_row_end: bool,
    /// Definition of the row that ends.
    row: &'a [u8],
    /// Offset of further properties in the stream of data.
    pub further_at: Option<u32>,
}

/// A position in a list, as far as a paragraph or a style specifies it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocListPlace {
    /// Number of the list, from 1; 0 is none.
    pub list: Option<u16>,
    /// Level in the list, from 0.
    pub level: Option<u8>,
    /// Kind of a list as Word 6 writes it.
    pub old_kind: Option<u8>,
    /// First number of such a list.
    pub old_start: Option<u16>,
}

impl CharacterProperties {
    /// Applies changes.
    pub fn apply<'a>(&mut self, changes: impl Iterator<Item = Sprm<'a>>) {
        for change in changes {
            let operand = change.operand;
            let first = operand.first().copied().unwrap_or_default();
            match change.code {
                sprm::IS_HIDDEN => self.hidden = Some(first),
                sprm::IS_DELETED => self.is_deleted = first != 0,
                sprm::IS_DATA => self.is_data = first != 0,
                sprm::RAISED => self.raised = Some(first == 1),
                sprm::FONT => self.font = Some(u16_at(operand, 0)),
                sprm::CHARACTER_STYLE => self.style = Some(u16_at(operand, 0)),
                sprm::DATA_AT => self.data_at = Some(u32_at(operand, 0)),
                sprm::SYMBOL => {
                    let low = operand.get(2).copied().map_or(0, u16::from);
                    let code = if operand.len() > 3 {
                        u16_at(operand, 2)
                    } else {
                        low
                    };
                    self.symbol = Some((u16_at(operand, 0), code));
                }
                sprm::PLAIN => (self.hidden, self.raised, self.font) = (None, None, None),
                _ => {}
            }
        }
    }

    /// Returns these properties, completed by those of a style.
    pub fn or(self, style: Self) -> Self {
        let is_hidden = style.is_hidden();
        let hidden = match self.hidden {
            None | Some(AS_STYLE) => style.hidden,
            Some(UNLIKE_STYLE) => Some(u8::from(!is_hidden)),
            own => own,
        };
        Self {
            hidden,
            raised: self.raised.or(style.raised),
            font: self.font.or(style.font),
            ..self
        }
    }

    /// Returns true for hidden text.
    pub fn is_hidden(&self) -> bool {
        matches!(self.hidden, Some(1 | UNLIKE_STYLE))
    }

    /// Returns true for a superscript.
    pub fn is_raised(&self) -> bool {
        self.raised == Some(true)
    }
}

impl<'a> ParagraphProperties<'a> {
    /// Applies changes.
    pub fn apply(&mut self, changes: impl Iterator<Item = Sprm<'a>>) {
        for change in changes {
            let operand = change.operand;
            let first = operand.first().copied().unwrap_or_default();
            match change.code {
                sprm::PARAGRAPH_STYLE => self.style = u16_at(operand, 0),
                sprm::OUTLINE => {
                    self.outline = match first {
                        level @ 0..9 => OutlineLevel::Heading(level + 1),
                        _ => OutlineLevel::BodyText,
                    }
                }
                sprm::LIST => self.list.list = Some(u16_at(operand, 0)),
                sprm::LIST_LEVEL => self.list.level = Some(first),
                sprm::OLD_LIST_KIND => self.list.old_kind = Some(first),
                sprm::OLD_LIST => self.list.old_start = Some(u16_at(operand, 10)),
                sprm::IS_IN_TABLE => self.is_in_table = first != 0,
                sprm::IS_ROW_END => self.is_row_end = first != 0,
                sprm::IS_INNER_CELL_END => self.is_inner_cell_end = first != 0,
                sprm::IS_INNER_ROW_END => self.is_inner_row_end = first != 0,
                sprm::TABLE_DEPTH => self.table_depth = Some(u32_at(operand, 0)),
                sprm::TABLE_DEPTH_CHANGE => {
                    let change = u32_at(operand, 0).cast_signed();
                    let depth = self.table_depth.unwrap_or_default();
                    self.table_depth = Some(depth.saturating_add_signed(change));
                }
                sprm::ROW => self.row = operand,
                code if sprm::HUGE_PROPERTIES.contains(&code) => {
                    self.further_at = Some(u32_at(operand, 0));
                }
                _ => {}
            }
        }
    }

    /// Returns the number of tables around the paragraph.
    pub fn table_depth(&self) -> usize {
        match self.table_depth {
            Some(depth) if depth > 0 => depth as usize,
            _ => usize::from(self.is_in_table),
        }
    }

    /// Returns the right edges of the cells in the row that ends, in twentieths of a point.
    pub fn edges(&self) -> Vec<i32> {
        let count = self.row.first().copied().map_or(0, usize::from);
        let edges = self.row.get(3..).unwrap_or_default().chunks_exact(2);
        let edges = edges.map(|edge| i32::from(u16_at(edge, 0).cast_signed()));
        edges.take(count.min(DOCX_COLUMNS)).collect()
    }
}

impl DocListPlace {
    /// Returns this position, completed by that of a style.
    pub fn or(self, style: Self) -> Self {
        Self {
            list: self.list.or(style.list),
            level: self.level.or(style.level),
            old_kind: self.old_kind.or(style.old_kind),
            old_start: self.old_start.or(style.old_start),
        }
    }
}
