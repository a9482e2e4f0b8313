//! The limits of this crate: value, unit, and the reason for each.
//!
//! There are three kinds. Limits on stored and shown text are for readers. Limits on nesting are
//! for the stack. Limits on lookahead are for time, which is linear in the text only if each
//! position examines a bounded number of others.

// Stored and shown text.

/// Maximum characters of a stored signature; a longer one is data in disguise.
pub const SIGNATURE_CHARS: usize = 600;

/// Maximum characters of a signature in a skeleton: two lines of a terminal.
pub const SHOWN_SIGNATURE_CHARS: usize = 160;

/// Characters kept before the name in a signature whose beginning is omitted: usually its type.
pub const CHARS_BEFORE_NAME: usize = 40;

/// Maximum characters of a comment's first sentence in a skeleton: one line.
pub const SHOWN_DOC_CHARS: usize = 100;

/// Lines of a comment searched for the end of its first sentence; a longer one would be truncated
/// anyway.
pub const SENTENCE_LINES: usize = 8;

/// Maximum characters of a symbol's name and of an import's text. A name is shown in full and
/// searched for, so it may be longer than a line; the title of a test may be a paragraph.
pub const NAME_CHARS: usize = 200;

/// Maximum characters of a decorator: its name and first argument, usually a path.
pub const DECORATOR_CHARS: usize = 40;

/// Maximum decorators of a symbol; more would be longer than the signature.
pub const DECORATORS: usize = 3;

/// Maximum modules of one import statement, each of which is an import of its own; with more it is
/// data.
pub const IMPORTED_MODULES: usize = 1_000;

/// Maximum characters of the imports line of a skeleton: a file with many has more important
/// content.
pub const SHOWN_IMPORTS_CHARS: usize = 200;

/// Maximum lines of code between two imports of a group: `try:`, `#if`, an attribute or two.
pub const LINES_BETWEEN_IMPORTS: usize = 3;

/// Maximum characters of a constant's value in its signature; a longer one is a body.
pub const VALUE_CHARS: usize = 40;

/// Maximum characters of the line that names a block of plain text: a line of a terminal.
pub const BLOCK_NAME_CHARS: usize = 80;

/// Divisor of a long file's length for the size of its preview, whose purpose is to save reading
/// the rest.
pub const PREVIEW_PART: usize = 10;

/// Minimum size limit of a preview, in bytes; less says nothing.
pub const PREVIEW_FLOOR: usize = 1_500;

/// Minimum lines of a long file, for which a tenth is enough without that minimum.
pub const LONG_FILE_LINES: usize = 1_000;

/// Maximum definitions scanned in one file; with more it is data.
pub const SYMBOLS: usize = 50_000;

/// Maximum imports of one file in the graph; with more it is data. The barrel files of large icon
/// libraries have some thousands.
pub const IMPORT_PATHS: usize = 10_000;

/// Maximum bytes of an imported name; a longer one is data. Systems allow no paths of more than
/// four times as many.
pub const IMPORT_PATH_BYTES: usize = 1_000;

/// Maximum names of an imported Rust path, and of enclosing modules and braces. Each import stores
/// its own; people stop at ten.
pub const IMPORT_PATH_NAMES: usize = 32;

/// Tokens of a Rust attribute searched for the path of a module: attributes may be nested.
pub const ATTRIBUTE_TOKENS: u32 = 64;

/// Bytes of a text processed between two checks for interruption: about a millisecond.
pub const BYTES_BETWEEN_QUESTIONS: usize = 64 << 10;

/// Bytes of a text per token in the initial allocation: most code has shorter tokens.
pub const BYTES_OF_TOKEN: usize = 12;

// Nesting.

/// Maximum depth of nested definitions. Each level costs a stack frame; people stop at five.
pub const NESTED_SYMBOLS: usize = 24;

/// Maximum nesting for a parser, in the units of `weight`, in which a bracket is eight. Deeper
/// texts go to the scanner, which needs no stack: in the component a stack overflow is a trap.
/// Written code stays below half of this.
pub const PARSED_WEIGHT: usize = 8 * 100;

/// Maximum average number of brackets around a token of a text for a parser. Written code stays
/// below ten.
pub const PARSED_MEAN_LEVELS: usize = 24;

/// Total number of brackets around tokens that is always accepted: reading that much again takes
/// some milliseconds.
pub const PARSED_LEVELS: usize = 50_000;

// Lookahead.

/// Maximum quotes, number signs or letters at the start of a string. Nobody writes ten, and each
/// position may be examined that often.
pub const STRING_SIGNS: usize = 255;

/// Maximum characters of the delimiter of a C++ raw string, plus its bracket: the standard allows
/// sixteen.
pub const RAW_DELIMITER_BYTES: usize = 17;

/// Maximum brackets around a shell sign that are examined for arithmetic: `$(( (1 << a) ))`.
pub const ARITHMETIC_BRACKETS: usize = 24;

/// Maximum definitions around a Ruby method searched for its class.
pub const ENDS: usize = 200;

/// Maximum bytes of indentation before a comment that are examined; many comments may be on one
/// line.
pub const INDENT_BYTES: usize = 256;

/// Maximum annotations and modifiers before the constructor of a Kotlin class. Each line with a
/// modifier examines them again.
pub const CONSTRUCTOR_MODIFIERS: usize = 8;

/// Maximum annotations and modifiers before a Kotlin accessor: `@Inject internal set`. Every
/// property searches for one.
pub const ACCESSOR_MODIFIERS: usize = 4;

/// Maximum tokens of the parameter declarations of an old-style C function. Most functions have
/// none, and each declaration followed by a semicolon is checked.
pub const OLD_PARAMETER_TOKENS: usize = 256;

/// Tokens of the head of an implementation searched for its `for`.
pub const IMPL_HEAD_TOKENS: usize = 64;

/// Maximum signs of an operator's name: `>>>=`.
pub const OPERATOR_SIGNS: usize = 4;

/// Tokens of the angle brackets before `::` searched for the name.
pub const QUALIFIER_TOKENS: usize = 64;

/// Tokens of a type or a value searched for the type it names: `Arc<Mutex<Owner>>`, `pkg.Owner(`.
pub const DECLARED_TYPE_TOKENS: u32 = 10;

/// Tokens before a name searched for its declared type.
pub const HINT_TOKENS: u32 = 8;
