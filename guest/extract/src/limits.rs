//! Limits of a document besides those of the caller: value, unit and reason.

/// Maximum nesting of elements. Word itself writes some thirty levels; parsing goes one call deeper
/// for some of them.
pub const XML_DEPTH: usize = 256;

/// Maximum nesting of tables and text boxes, each of which takes several calls of the stack.
pub const NESTED_BLOCKS: usize = 32;

/// Maximum chain of base styles, which also ends a cycle of them.
pub const STYLE_CHAIN: usize = 32;

/// Maximum columns of a table in a text document, including spanned ones; Word allows 63.
pub const DOCX_COLUMNS: usize = 256;

/// Levels of a list.
pub const LIST_LEVELS: usize = 9;

/// Maximum rows of a sheet, as in Excel.
pub const SHEET_ROWS: u32 = 1_048_576;

/// Maximum columns of a sheet, as in Excel.
pub const SHEET_COLUMNS: u32 = 16_384;

/// Maximum decimal places of a percentage, as in Excel. Formatting panics beyond 65 535.
pub const PERCENT_PLACES: usize = 30;

/// Maximum bytes of the strings that the sheets of a workbook share, which are all in memory.
pub const SHARED_BYTES: usize = 64 << 20;

/// Maximum entries of an outline; more are no help.
pub const OUTLINE_ENTRIES: usize = 5_000;

/// Maximum levels of an outline, and of the name tree that it refers to.
pub const OUTLINE_DEPTH: usize = 32;

/// Maximum nodes of a name tree that are visited for all destinations of an outline together.
pub const NAME_NODES: usize = 200_000;

/// Maximum glyphs of one page; one with more draws pictures with them.
pub const PAGE_GLYPHS: usize = 1 << 20;

/// Maximum nesting of forms, each of which takes several calls of the stack.
pub const FORM_DEPTH: usize = 32;

/// Maximum forms that one page may draw. A few forms that draw each other several times would take
/// exponential time.
pub const PAGE_FORMS: usize = 1 << 16;

/// Maximum layers of one group that are examined.
pub const GROUP_LAYERS: usize = 1_000;

/// Maximum graphics states that a page may save.
pub const SAVED_STATES: usize = 1 << 16;

/// Maximum nesting of groups in RTF with a state of their own; Word writes some dozens. A state
/// takes about a hundred bytes.
pub const RTF_DEPTH: usize = 10_000;

/// Maximum fonts, styles, kinds of lists, and lists of an RTF document, each, which are all in
/// memory; Word has some thousands of lists at most.
pub const RTF_DEFINITIONS: usize = 10_000;

/// Maximum blocks and cells of open tables, notes and text boxes, which are in memory until these
/// are complete, and take some hundred bytes each. An empty cell takes five bytes in RTF.
pub const HELD_BLOCKS: usize = 1 << 19;

/// The resources that one document may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of Markdown.
    pub text_bytes: usize,
    /// Maximum bytes of all its compressed parts when unpacked.
    pub unpacked_bytes: u64,
    /// Treatment of text beyond `text_bytes`.
    pub beyond: Beyond,
}

/// The treatment of text beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The document is refused.
    Refuse,
    /// The text is omitted, and not even extracted.
    LeaveOut,
}
