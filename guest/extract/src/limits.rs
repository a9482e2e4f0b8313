//! Limits of a document besides those of the caller: value, unit and reason.

/// Maximum nesting of elements. Word itself writes some thirty levels; parsing goes one call deeper
/// for some of them.
pub const XML_DEPTH: usize = 256;

/// Maximum bytes of one text or tag, which are in memory together: nearly those of a file that is
/// read, and few enough that the memory of an instance suffices for twice of them.
pub const XML_EVENT_BYTES: usize = 60 << 20;

/// Maximum damages of one part that are passed over. Each costs a search among the open elements.
pub const SKIPPED_DAMAGES: usize = 1_000;

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

/// Maximum shapes, styles and lists of a document of Hangul, each; records refer to them by numbers
/// of 16 bits.
pub const HANGUL_DEFINITIONS: usize = 1 << 16;

/// Maximum bytes of the template of a number. It is filled in for each paragraph, even for those
/// without words.
pub const TEMPLATE_BYTES: usize = 256;

/// Maximum entries of an OLE container that are read; editors write some dozens.
pub const OLE_ENTRIES: usize = 100_000;

/// Maximum bytes of a section of an hwp document, which is in memory as a whole.
pub const SECTION_BYTES: u64 = 64 << 20;

/// Levels of headings and lists in a document of Hangul.
pub const OUTLINE_LEVELS: usize = 10;

/// Levels of a list.
pub const LIST_LEVELS: usize = 9;

/// Levels of a list, and of the headings, in an OpenDocument.
pub const ODF_LIST_LEVELS: usize = 10;

/// Maximum styles of an OpenDocument, and lists that later ones may continue. Each takes some
/// hundred bytes of memory, and fifty in the file; documents of a thousand pages have some
/// thousands.
pub const ODF_STYLES: usize = 1 << 16;

/// Maximum bytes of the name of a style, and of the signs around a number. They are compared and
/// copied for each paragraph, which may be as short as `<p/>`.
pub const ODF_NAME_BYTES: usize = 512;

/// Maximum charts and equations of an OpenDocument, each of which is a part of the package.
pub const ODF_OBJECTS: usize = 1 << 12;

/// Maximum blocks of one slide or text box, which are in memory together.
pub const GATHERED_BLOCKS: usize = 1 << 17;

/// Maximum blanks that one element stands for: indentation of code needs some, and a file may
/// declare thousands of millions.
pub const REPEATED_BLANKS: usize = 256;

/// Maximum rows of a sheet, as in Excel.
pub const SHEET_ROWS: u32 = 1_048_576;

/// Maximum columns of a sheet, as in Excel.
pub const SHEET_COLUMNS: u32 = 16_384;

/// Maximum decimal places of a percentage, as in Excel. Formatting panics beyond 65 535.
pub const PERCENT_PLACES: usize = 30;

/// Maximum bytes of the strings that the sheets of a workbook share, which are all in memory.
pub const SHARED_BYTES: usize = 64 << 20;

/// Maximum sheets of a workbook in binary records; Excel writes some hundreds.
pub const BIFF_SHEETS: usize = 1 << 16;

/// Maximum formats and styles of such a workbook, each; cells refer to them by numbers of 16 bits.
pub const BIFF_STYLES: usize = 1 << 16;

/// Maximum records that continue one. Each has up to 8 224 bytes, so that these suffice for all
/// strings that a workbook may share.
pub const BIFF_PIECES: usize = 1 << 16;

/// Maximum cells of a sheet that one link covers. Excel makes links of single or merged cells.
pub const LINK_CELLS: usize = 1 << 10;

/// Maximum cells of a sheet with links, twice as many as Excel allows links.
pub const LINKED_CELLS: usize = 1 << 17;

/// Maximum paragraphs, cells and other blocks of one slide, which are in memory together.
pub const SLIDE_ITEMS: usize = 1 << 18;

/// Maximum slides, masters, notes and links of a presentation in binary records, each, which are
/// all in memory. PowerPoint itself becomes slow with some thousands.
pub const PPT_SLIDES: usize = 1 << 16;

/// Maximum points of one chart, which are in memory together. PowerPoint allows 32 000 in each
/// series.
pub const CHART_POINTS: usize = 1 << 19;

/// Maximum points of one diagram, and connections between them; SmartArt has some hundreds.
pub const DIAGRAM_POINTS: usize = 1 << 17;

/// Maximum entries of an outline; more are no help.
pub const OUTLINE_ENTRIES: usize = 5_000;

/// Maximum levels of an outline, and of the name tree that it refers to.
pub const OUTLINE_DEPTH: usize = 32;

/// Maximum nodes of a name tree that are visited for all destinations of an outline together.
pub const NAME_NODES: usize = 200_000;

/// Maximum glyphs of one page; one with more draws pictures with them.
pub const PAGE_GLYPHS: usize = 1 << 20;

/// Maximum operators and bytes of shown text on all pages of a file together, whether they are
/// visible or not. A file of 1 MB may unpack to nearly 1 GB of them; a book of 5 000 pages has some
/// twenty million.
pub const DRAWN_OPERATIONS: usize = 1 << 26;

/// Maximum bytes of the forms that all pages of a file draw. Each is unpacked every time.
pub const DRAWN_FORM_BYTES: usize = 1 << 30;

/// Maximum bytes of the content of one page, or of one form, which are in memory as a whole. Maps
/// have some ten million.
pub const PAGE_CONTENT_BYTES: u64 = 128 << 20;

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

/// Maximum columns of a table in a page; the cells beyond are in the last one. A free column is
/// searched among those that cells from above cover.
pub const HTML_COLUMNS: usize = 256;

/// Maximum rows that one cell may cover, as in browsers.
pub const HTML_ROW_SPAN: usize = 65_534;

/// Maximum open links, codes and the like within each other.
pub const INLINE_SPANS: usize = 16;

/// Maximum bytes of a heading. Longer ones are headings without an end, and become paragraphs.
pub const HEADING_BYTES: usize = 2_000;

/// Maximum headings of a page that are compared with its title, which is nearly always the first.
/// The page is read a second time for it.
pub const SEARCHED_HEADINGS: usize = 1_000;

/// Maximum bytes of the title of a page; the rest is cut.
pub const TITLE_BYTES: usize = 4 << 10;

/// Bytes that a table of a page, or one text of it, may have although the caller wants less text:
/// the width of a table is known at its end.
pub const GATHERED_BYTES: usize = 8 << 20;

/// Maximum cells of a table that only arranges the parts of a page.
pub const LAYOUT_CELLS: usize = 1_000;

/// Maximum bytes of several blocks in a cell; more are part of a page, and no cell.
pub const LAYOUT_BYTES: usize = 2_000;

/// Maximum bytes of a part that is unpacked as a whole, as is a chapter of a book.
pub const PART_BYTES: u64 = 64 << 20;

/// Maximum bytes of the chapters of a book together; long ones have some twenty million. A file of
/// 60 KB may name one chapter a thousand times, and unpacks to 350 MB of pages with it.
pub const BOOK_BYTES: u64 = 32 << 20;

/// Maximum entries of the contents of a book that are used.
pub const CONTENTS_ENTRIES: usize = 20_000;

/// Maximum nesting of groups in RTF with a state of their own; Word writes some dozens. A state
/// takes about a hundred bytes.
pub const RTF_DEPTH: usize = 10_000;

/// Maximum fonts, styles, kinds of lists, and lists of an RTF document, each, which are all in
/// memory; Word has some thousands of lists at most.
pub const RTF_DEFINITIONS: usize = 10_000;

/// Maximum blocks and cells of open tables, notes and text boxes, which are in memory until these
/// are complete, and take some hundred bytes each. An empty cell takes five bytes in RTF.
pub const HELD_BLOCKS: usize = 1 << 19;

/// Maximum pieces of a doc document, each of which is in memory; fast saves leave some thousands.
pub const DOC_PIECES: usize = 1 << 20;

/// Maximum styles of a doc document, which refer to each other by numbers of 12 bits.
pub const DOC_STYLES: usize = 1 << 12;

/// Maximum lists of a doc document, which paragraphs refer to by numbers up to 2 046.
pub const DOC_LISTS: usize = 2_046;

/// Maximum fonts of a doc document; editors write some dozens.
pub const DOC_FONTS: usize = 1 << 12;

/// Maximum notes, text boxes and shapes of a doc document, each, which are in memory together.
pub const DOC_OBJECTS: usize = 1 << 18;

/// Maximum nesting of fields in a doc document. A field begins with a single byte.
pub const DOC_FIELDS: usize = 32;

/// Maximum bytes of the properties in the stream of data, which is read only up to this size: the
/// pictures of a large document are in it as well.
pub const DOC_DATA_BYTES: usize = 32 << 20;

/// Characters and bytes of properties that are read for each byte of a doc document. Its pieces may
/// overlap, and runs may share their properties; documents need up to three.
pub const DOC_READ_FACTOR: usize = 8;

/// Characters that a run or a paragraph counts for besides its own, since finding its properties
/// takes as long as reading these.
pub const DOC_RUN_CHARACTERS: usize = 24;

/// Characters that a list item counts for, and a paragraph for each open field: a number is
/// formatted, and a link continued.
pub const DOC_MARK_CHARACTERS: usize = 64;

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

/// Maximum recipients of a message of Outlook, and as many attachments. Each is a storage, and all
/// of them may name the same entries of the container. Messages to whole companies have more than a
/// thousand recipients.
pub const MSG_ITEMS: usize = 5_000;

/// Maximum entries of all those storages together.
pub const MSG_ENTRIES: usize = 1_000_000;

/// Maximum messages of a mailbox.
pub const MAILBOX_MESSAGES: usize = 10_000;

/// Maximum pictures of a document that are named in its text.
pub const PICTURE_MARKS: usize = 10_000;

/// Maximum entries in the list of pictures of an Office document in binary records, each of which
/// may be empty.
pub const LISTED_PICTURES: usize = 1 << 16;

/// Maximum members of a container that are read.
pub const MEMBERS: usize = 500;

/// Maximum bytes of one member, as of a file that is opened.
pub const MEMBER_BYTES: u64 = 64 << 20;

/// Maximum components of a member's path.
pub const MEMBER_DEPTH: usize = 32;

/// Maximum bytes of a component, as in file systems.
pub const MEMBER_NAME_BYTES: usize = 255;

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
