//! The state of a group, which its end restores.

use crate::docx::styles::OutlineLevel;

/// The state of a group.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupState {
    pub text: RtfTextState,
    pub paragraph: ParagraphState,
    /// Bytes after a `\u` that stand for the same character in programs without Unicode.
    pub fallback: u32,
    /// Destination around alternatives, of which one is read.
    pub outside: RtfDestination,
    /// True in the properties of a row within a cell.
    pub is_nested_row: bool,
}

/// The properties of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RtfTextState {
    pub destination: RtfDestination,
    /// Number of the font; `None` for that of the document.
    pub font: Option<i32>,
    pub is_hidden: bool,
    /// True for text that a tracked change deletes.
    pub is_deleted: bool,
    pub is_raised: bool,
}

/// The properties of paragraphs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParagraphState {
    /// Number of the style.
    pub style: Option<i32>,
    pub outline: OutlineLevel,
    /// Number of the list; 0 is none.
    pub list: i32,
    /// Level in the list, from 0.
    pub list_level: usize,
    /// Numbering as Word 95 writes it.
    pub old_list: Option<OldList>,
    pub is_in_table: bool,
    /// Nesting of tables, if the paragraph names it.
    pub table_depth: Option<usize>,
}

/// A numbering as Word 95 writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldList {
    Bullets,
    Numbers,
}

/// The destination of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RtfDestination {
    /// A paragraph of the document.
    #[default]
    Paragraph,
    /// None, and groups in it have none either.
    Ignored,
    /// None, but groups in it may have one.
    Container,
    /// None, but groups in it have the properties of a picture.
    Picture,
    /// The name of a property of a shape.
    ShapeName,
    /// The value of such a property, which may be a picture.
    ShapeValue,
    Fonts,
    Styles,
    Lists,
    /// The number of a list item.
    ListNumber,
    /// The instruction of the field with this index.
    Instruction(usize),
    /// An entry of a form field.
    FormEntry,
}
