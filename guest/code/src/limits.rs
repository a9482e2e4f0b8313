//! Every limit of this crate: its value, its unit, and the reason for it.
//!
//! There are three kinds. What is kept or shown of a text is for those who read it. What nests is
//! for the stack. How far is looked round a place is for the time, which is linear in the text only
//! where no place looks further than so far.

// What is kept and what is shown.

/// Characters of a signature that are kept; a longer one is data in disguise.
pub const SIGNATURE_CHARS: usize = 600;

/// Characters of a signature that a skeleton shows: two lines of a terminal.
pub const SHOWN_SIGNATURE_CHARS: usize = 160;

/// Characters before the name in a signature whose beginning is left out: its type, mostly.
pub const CHARS_BEFORE_NAME: usize = 40;

/// Characters of a comment's first sentence that a skeleton shows: one line.
pub const SHOWN_DOC_CHARS: usize = 100;

/// Lines of a comment among which its first sentence ends; a longer one would be cut anyway.
pub const SENTENCE_LINES: usize = 8;

/// Characters of a symbol's name and of an import's text that are kept. A name is shown whole and
/// searched for, so it may be longer than a line; a title of a test may be a paragraph.
pub const NAME_CHARS: usize = 200;

/// Characters of a decorator that are kept: its name and what it is given first, a path mostly.
pub const DECORATOR_CHARS: usize = 40;

/// Decorators of a symbol that are kept; more would be longer than what they decorate.
pub const DECORATORS: usize = 3;

/// Modules that one statement imports, each of which is an import of its own; with more it is data.
pub const IMPORTED_MODULES: usize = 1_000;

/// Characters of the line of a skeleton that names the imports: a file with many has more to say
/// than that.
pub const SHOWN_IMPORTS_CHARS: usize = 200;

/// Lines of code between two imports that stand together: `try:`, `#if`, an attribute or two.
pub const LINES_BETWEEN_IMPORTS: usize = 3;

/// Characters of a constant's value that stand in its signature; a longer one is a body.
pub const VALUE_CHARS: usize = 40;

/// Characters of the line by which a block of plain text is named: a line of a terminal.
pub const BLOCK_NAME_CHARS: usize = 80;

/// A preview is at most one part in so many of a long file: whoever reads it wants to save the
/// rest.
pub const PREVIEW_PART: usize = 10;

/// Bytes that the preview of a short file may have all the same; less says nothing.
pub const PREVIEW_FLOOR: usize = 1_500;

/// Lines from which a file is long: a tenth of it is enough then, without a floor.
pub const LONG_FILE_LINES: usize = 1_000;

/// Definitions that a scanner takes from one file; with more it is data.
pub const SYMBOLS: usize = 50_000;

/// Imports of one file that are taken for the graph; with more it is data. The barrels of large
/// libraries of icons have some thousands.
pub const IMPORT_PATHS: usize = 10_000;

/// Bytes of the name of what is imported; a longer one is data. Systems have no paths of more than
/// four times as many.
pub const IMPORT_PATH_BYTES: usize = 1_000;

/// Names of a path of Rust that is imported, and modules and braces round it. Each import keeps
/// its own; people stop at ten.
pub const IMPORT_PATH_NAMES: usize = 32;

/// Tokens of an attribute of Rust among which the path of a module is looked for: attributes may
/// stand in attributes.
pub const ATTRIBUTE_TOKENS: u32 = 64;

/// Bytes of a text between two questions whether to go on: about a millisecond.
pub const BYTES_BETWEEN_QUESTIONS: usize = 64 << 10;

/// Bytes of a text for each token that room is made for beforehand: most code has one for less.
pub const BYTES_OF_TOKEN: usize = 12;

// What nests.

/// Levels of definitions within definitions. Each costs a frame of the stack; people stop at five.
pub const NESTED_SYMBOLS: usize = 24;

/// Nesting that is given to a parser, in the units of `weight`, of which a bracket is eight. What
/// is deeper goes to the scanner, which needs no stack: in the component a full stack is a trap.
/// Written code stays below half of this.
pub const PARSED_WEIGHT: usize = 8 * 100;

/// Brackets round a token of a text that is given to a parser, on average. Written code stays below
/// ten.
pub const PARSED_MEAN_LEVELS: usize = 24;

/// Brackets round tokens that are no reason against a parser, all tokens together: what is read
/// again so often takes some milliseconds.
pub const PARSED_LEVELS: usize = 50_000;

// How far is looked.

/// Quotes, number signs or letters that a string begins with at most. Nobody writes ten, and each
/// place is looked at so many times.
pub const STRING_SIGNS: usize = 255;

/// Characters of the delimiter of a raw string of C++ at most, and the bracket behind it: the
/// standard allows sixteen.
pub const RAW_DELIMITER_BYTES: usize = 17;

/// Brackets round a sign of the shell that are looked at for arithmetic: `$(( (1 << a) ))`.
pub const ARITHMETIC_BRACKETS: usize = 24;

/// Definitions round a method of Ruby among which its class is looked for.
pub const ENDS: usize = 200;

/// Bytes of indentation before a comment that are looked at; many comments may stand on one line.
pub const INDENT_BYTES: usize = 256;

/// Annotations and modifiers before the constructor of a class of Kotlin. More would be looked at
/// again for each line that they stand on.
pub const CONSTRUCTOR_MODIFIERS: usize = 8;

/// Annotations and modifiers before an accessor of Kotlin: `@Inject internal set`. Every property
/// looks for one.
pub const ACCESSOR_MODIFIERS: usize = 4;

/// Tokens of the parameters that a function of old C declares behind its brackets. Most functions
/// have none, and each that has a semicolon asks.
pub const OLD_PARAMETER_TOKENS: usize = 256;

/// Tokens of the head of an implementation among which its `for` is looked for.
pub const IMPL_HEAD_TOKENS: usize = 64;

/// Signs of an operator's name at most: `>>>=`.
pub const OPERATOR_SIGNS: usize = 4;

/// Tokens of the list in angle brackets before `::` of which the name is looked for.
pub const QUALIFIER_TOKENS: usize = 64;

/// Tokens of a type or a value that are looked through for the type it names: `Arc<Mutex<Owner>>`,
/// `pkg.Owner(`.
pub const DECLARED_TYPE_TOKENS: u32 = 10;

/// Steps back from a name to what says of which type it is.
pub const HINT_TOKENS: u32 = 8;
