//! What a document may hold beside the limits that the caller sets: value, unit and reason.

/// Elements that may lie in each other. Word itself writes some thirty; parsing goes one call
/// deeper for some of them.
pub const XML_DEPTH: usize = 256;

/// Tables and text boxes that may lie in each other; each takes some calls of the stack.
pub const NESTED_BLOCKS: usize = 32;

/// Styles that may be based on each other. A loop of them ends here.
pub const STYLE_CHAIN: usize = 32;

/// Columns of a table in a text document, spanned ones included; Word allows 63.
pub const DOCX_COLUMNS: usize = 256;

/// Levels of a list.
pub const LIST_LEVELS: usize = 9;

/// Rows of a sheet: what Excel allows.
pub const SHEET_ROWS: u32 = 1_048_576;

/// Columns of a sheet: what Excel allows.
pub const SHEET_COLUMNS: u32 = 16_384;

/// Decimal places of a percentage: what Excel allows. Formatting panics beyond 65 535.
pub const PERCENT_PLACES: usize = 30;

/// Bytes of the strings that the sheets of a workbook share. They are held at a time.
pub const SHARED_BYTES: usize = 64 << 20;

/// Entries of an outline; more are no help.
pub const OUTLINE_ENTRIES: usize = 5_000;

/// Levels of an outline, and of the tree of names that it refers to.
pub const OUTLINE_DEPTH: usize = 32;

/// Nodes of a tree of names that are looked at for all destinations of an outline together.
pub const NAME_NODES: usize = 200_000;

/// Glyphs of one page; what has more draws pictures with them.
pub const PAGE_GLYPHS: usize = 1 << 20;

/// Forms that may be drawn within each other; each takes some calls of the stack.
pub const FORM_DEPTH: usize = 32;

/// Forms that one page may draw. A few that draw each other several times would go on for ever.
pub const PAGE_FORMS: usize = 1 << 16;

/// Layers of one group that are looked at.
pub const GROUP_LAYERS: usize = 1_000;

/// Graphics states that a page may save before it goes back to one.
pub const SAVED_STATES: usize = 1 << 16;
