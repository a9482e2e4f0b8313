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

/// Maximum columns of a table in a document of Hangul, including spanned ones; its editor allows
/// fewer.
pub const HANGUL_COLUMNS: usize = 256;

/// Bytes that a table or paragraph may hold beyond the room of the text: blanks in it are dropped.
pub const PENDING_BYTES: usize = 1 << 20;

/// Bytes that a cell counts for before its words, about what an empty one occupies in memory.
pub const CELL_BYTES: usize = 32;

/// Maximum entries of an OLE container that are read; editors write some dozens.
pub const OLE_ENTRIES: usize = 100_000;

/// Maximum bytes of a section of an hwp document, which is in memory as a whole.
pub const SECTION_BYTES: u64 = 64 << 20;

/// Levels of headings and lists in a document of Hangul.
pub const OUTLINE_LEVELS: usize = 10;

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

/// Bytes that are decoded before the buffer of the text grows.
pub const DECODED_BYTES: usize = 64 << 10;

/// Bytes at the beginning of a page that may declare its encoding. Browsers look at 1 024; some
/// pages begin with longer comments.
pub const DECLARATION_BYTES: usize = 8 << 10;

/// Bytes, from the first one beyond ASCII on, by which an encoding is guessed.
pub const GUESSED_BYTES: usize = 256 << 10;

/// Characters at the beginning of a page that show whether it is text.
pub const BINARY_CHARACTERS: usize = 4 << 10;

/// Maximum nesting of the elements of a page that are told apart; deeper ones are part of those.
/// Browsers stop at 512. The end of an element is searched among them.
pub const HTML_DEPTH: usize = 256;

/// Maximum columns of a table in a page, as in browsers.
pub const HTML_COLUMNS: usize = 1_000;

/// Maximum rows that one cell may cover, as in browsers.
pub const HTML_ROW_SPAN: usize = 65_534;

/// Maximum open links, codes and the like within each other.
pub const INLINE_SPANS: usize = 16;

/// Maximum bytes of a heading. Longer ones are headings without an end, and become paragraphs.
pub const HEADING_BYTES: usize = 2_000;

/// Maximum bytes of the title of a page; the rest is cut.
pub const TITLE_BYTES: usize = 4 << 10;

/// Bytes that a table of a page, or one text of it, may have although the caller wants less text:
/// the width of a table is known at its end.
pub const GATHERED_BYTES: usize = 8 << 20;

/// Maximum cells of a table that only arranges the parts of a page.
pub const LAYOUT_CELLS: usize = 1_000;

/// Maximum bytes of several blocks in a cell; more are part of a page, and no cell.
pub const LAYOUT_BYTES: usize = 2_000;

/// Maximum fields of a header that are kept. A message has one of each that readers need, and
/// seldom some more.
pub const HEADER_FIELDS: usize = 128;

/// Maximum bytes of one field: the addresses of some twenty thousand recipients.
pub const FIELD_BYTES: usize = 1 << 20;

/// Maximum parameters of a field; a long file name has one for each 76 bytes of it.
pub const FIELD_PARAMETERS: usize = 64;

/// Maximum bytes of the boundary between the parts of a message; RFC 2046 allows 70.
pub const BOUNDARY_BYTES: usize = 256;

/// Maximum nesting of the parts of a message. Each line that looks like a boundary is compared
/// with those of all open parts.
pub const MIME_DEPTH: usize = 32;

/// Maximum parts of a message, which are kept until its text is chosen among them.
pub const MIME_PARTS: usize = 10_000;

/// Maximum recipients and attachments of a message of Outlook. Each is a storage, and all of them
/// may name the same entries of the container.
pub const MSG_ITEMS: usize = 1_000;

/// Maximum entries of all those storages together.
pub const MSG_ENTRIES: usize = 1_000_000;

/// Maximum messages of a mailbox.
pub const MAILBOX_MESSAGES: usize = 10_000;

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
