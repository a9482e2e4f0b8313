//! Source code as a skeleton, what is defined where, with signatures and comments, without bodies:
//! a function of a text and its language alone, which knows no document, no file, no directory and
//! no type of the contract in `wit/`, and depends on no other crate of docent.
//!
//! Rust, JavaScript, TypeScript and Python are parsed. Go, Java, Kotlin, C, C++, C#, Swift, Ruby,
//! PHP and shell are scanned: strings, comments, brackets and indentation are understood, grammar
//! is not. Of other code only the blocks of text are listed. [`Outline::source`] says which it was.
//!
//! Nothing here fails, reads or writes. Time and memory are linear in the text, and the stack does
//! not depend on it: what nests too deep for a parser is scanned.
//!
//! A text passes these stages, each a module: `lexer` makes tokens of it, in every language;
//! `weight` says whether a parser can take it; `parse` reads it by a parser of its language or
//! `scan` by its tokens; both make symbols by `code`, `signature`, `decorators` and `doc_comment`;
//! `skeleton` shows them, and `enclosing` says which of them a line stands in. `imports` says which
//! other files a text asks for.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod limits;

mod language;
mod position;
mod symbol;

mod enclosing;

mod lexer;
mod line_index;

mod about;
mod code;
mod decorators;
mod doc_comment;
mod identifiers;
mod signature;
mod weight;

mod parse;
mod scan;

pub mod imports;
pub mod uses;

mod skeleton;

pub use enclosing::Enclosing;
pub use language::Language;
pub use skeleton::Skeleton;
pub use symbol::{Import, Lines, Symbol, SymbolKind};

use code::Code;
use imports::ImportPath;
use limits::{LINES_BETWEEN_IMPORTS, SIGNATURE_CHARS};
use position::{ByteRange, plain_range, token_indices};
use scan::Declarations;
use signature::cut;

/// By what means an outline was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// By a parser of the language.
    Parsed,
    /// By strings, comments, brackets and indentation.
    Heuristic,
    /// By blank lines and indentation alone.
    Text,
}

impl Source {
    /// Returns the means in lower case: `parsed`, `heuristic`, `text`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::Heuristic => "heuristic",
            Self::Text => "text",
        }
    }
}

/// What a file of code defines and imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The language it was read as: C++ for a header of C that has namespaces, classes or
    /// templates, else the one that was asked for.
    pub language: Language,
    /// By what means it was made.
    pub source: Source,
    /// What it imports, in the order of the text.
    pub imports: Vec<Import>,
    /// What it defines, in the order of the text.
    pub symbols: Vec<Symbol>,
    /// How many lines the text has, at least 1.
    pub line_count: u32,
    /// The last line of the first imports, those that stand together.
    imports_end: u32,
}

/// Returns the outline of `text`, read as `language`.
///
/// Whatever the text is, there is an answer: what a parser cannot read is scanned.
pub fn outline(language: Language, text: &str) -> Outline {
    let code = code_of(language, text);
    let parsed = parse::parse(&code);
    outline_of(&code, parsed)
}

/// Returns the outline of a text that may be long; none where `go_on`, which is told how many bytes
/// more were worked on, says that it is no longer wanted.
///
/// It is asked all along the text, then once more: a parser reads it in one go.
pub fn outline_while(
    language: Language,
    text: &str,
    mut go_on: impl FnMut(usize) -> bool,
) -> Option<Outline> {
    let mut code = Code::while_wanted(language, text, &mut go_on)?;
    if code.is_cpp_header() {
        code = Code::while_wanted(Language::Cpp, text, &mut go_on)?;
    }
    go_on(text.len()).then(|| {
        let parsed = parse::parse(&code);
        outline_of(&code, parsed)
    })
}

/// What a text says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it defines and imports, as [`outline`] has it.
    pub outline: Outline,
    /// What its imports name, as [`imports::imports`] has it.
    pub imports: Vec<ImportPath>,
    /// The first paragraph of the comments that it begins with, on one line; none where it begins
    /// with none that is about it.
    pub about: Option<String>,
}

/// Reads `text`, which is parsed once, as `language`, and gives each of its identifiers to
/// `identifier`, as often as it stands there; words in comments and strings are none.
pub fn read(language: Language, text: &str, identifier: impl FnMut(&str)) -> Reading {
    let code = code_of(language, text);
    let mut parsed = parse::parse(&code);
    let paths = parsed.as_mut().and_then(|parsed| parsed.paths.take());
    identifiers::each_identifier(&code, identifier);
    Reading {
        imports: imports::of_code(&code, paths),
        about: about::about(&code),
        outline: outline_of(&code, parsed),
    }
}

fn code_of(language: Language, text: &str) -> Code<'_> {
    let code = Code::new(language, text);
    // `.h` is a name of both: what it holds decides.
    if code.is_cpp_header() {
        return Code::new(Language::Cpp, text);
    }
    code
}

fn outline_of(code: &Code<'_>, parsed: Option<Declarations>) -> Outline {
    let language = code.language;
    let line_count = code.line_index.count();
    let source = match (&parsed, language) {
        (Some(_), _) => Source::Parsed,
        (None, Language::Other) => Source::Text,
        (None, _) => Source::Heuristic,
    };
    let mut declarations = parsed.unwrap_or_else(|| scan::scan(code));
    let all = Lines {
        first: 1,
        last: line_count,
    };
    // A reader may add a definition only when it ends, behind what begins later.
    sort_and_clamp(&mut declarations.symbols, all);
    for import in &mut declarations.imports {
        import.lines = clamp_lines(import.lines, all);
    }
    declarations.imports.sort_by_key(|import| import.lines);
    Outline {
        language,
        source,
        imports_end: imports_end(code, &declarations),
        imports: declarations.imports,
        symbols: declarations.symbols,
        line_count,
    }
}

/// Returns `text` with a blank for each byte of its comments, so that every line and every place
/// stays where it is. A string of Python that is a statement of its own is a comment.
pub fn without_comments(language: Language, text: &str) -> String {
    let code = Code::new(language, text);
    let mut bytes = text.as_bytes().to_vec();
    // Lines of the preprocessor are passed like comments by some scanners, but are none.
    let is_comment = |span: &ByteRange| {
        !language.has_preprocessor() || !text[plain_range(span)].starts_with('#')
    };
    let docstrings = match language {
        Language::Python => code.lone_strings(),
        _ => Vec::new(),
    };
    let comments = code.comments.into_iter().filter(is_comment);
    for span in comments.chain(docstrings) {
        for byte in &mut bytes[plain_range(&span)] {
            // Lines keep their numbers.
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    // Comments are whole characters, so this never fails.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Keeps symbols in order and within the lines of what holds them, and signatures within their
/// length, to which some readers add.
fn sort_and_clamp(symbols: &mut [Symbol], outer: Lines) {
    symbols.sort_by_key(|symbol| symbol.lines.first);
    for symbol in symbols {
        symbol.lines = clamp_lines(symbol.lines, outer);
        if symbol.signature.len() > SIGNATURE_CHARS {
            symbol.signature = cut(&symbol.signature, SIGNATURE_CHARS);
        }
        sort_and_clamp(&mut symbol.children, symbol.lines);
    }
}

/// Returns the last line of the first imports, between which nothing is defined and little else
/// stands: a condition or an attribute, but no code.
fn imports_end(code: &Code<'_>, declarations: &Declarations) -> u32 {
    let imports = &declarations.imports;
    let mut last = imports.first().map_or(1, |import| import.lines.last);
    for import in imports {
        let until = import.lines.first;
        // `use a;⏎mod c;⏎use d;`: the second is no part of the first group.
        let next = declarations
            .symbols
            .partition_point(|symbol| symbol.lines.first <= last);
        let next = declarations.symbols.get(next);
        if next.is_some_and(|symbol| symbol.lines.first < until) {
            break;
        }
        let first = code.token_from(code.line_index.span(last).end);
        let mut lines_of_code = token_indices(first..code.end_token())
            .take_while(|token| code.line(*token) < until)
            .filter(|token| code.is_first_on_line(*token));
        if lines_of_code.nth(LINES_BETWEEN_IMPORTS).is_some() {
            break;
        }
        last = last.max(import.lines.last);
    }
    last
}

fn clamp_lines(lines: Lines, outer: Lines) -> Lines {
    let first = lines.first.clamp(outer.first, outer.last);
    Lines {
        first,
        last: lines.last.clamp(first, outer.last),
    }
}

impl Outline {
    /// Returns the symbols whose lines hold the 1-based `line`, from the outermost to the
    /// innermost; of two on one line the first. For many lines [`Outline::by_lines`] is faster.
    pub fn enclosing(&self, line: u32) -> Vec<&Symbol> {
        self.by_lines().at(line)
    }

    /// Returns what says of line after line, downwards, what it stands in.
    pub fn by_lines(&self) -> Enclosing<'_> {
        Enclosing::new(&self.symbols)
    }

    /// Returns the outline without what comments and the strings that stand for them say. The
    /// lines of its symbols stay as they are.
    pub fn without_comments(mut self) -> Self {
        forget_docs(&mut self.symbols);
        self
    }
}

fn forget_docs(symbols: &mut [Symbol]) {
    for symbol in symbols {
        symbol.doc.clear();
        forget_docs(&mut symbol.children);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_ends_where_it_is_no_longer_wanted() {
        let text = "def lantern():\n    pass\n\n".repeat(20_000);
        let asked = |most: usize| {
            let mut times = 0;
            let found = outline_while(Language::Python, &text, |_| {
                times += 1;
                times <= most
            });
            (found, times)
        };
        let (whole, times) = asked(usize::MAX);
        assert_eq!(whole, Some(outline(Language::Python, &text)));
        assert!(times >= text.len() / (100 << 10), "{times}");
        for most in [0, 1, times - 1] {
            assert_eq!(asked(most), (None, most + 1));
        }
    }

    #[test]
    fn comments_become_blanks() {
        let text = "// 하나\nlet a = \"// no\"; /* two\nlines */ b();\n";
        let blank = without_comments(Language::Rust, text);
        assert_eq!(blank.len(), text.len());
        assert_eq!(
            blank.trim_start(),
            "let a = \"// no\";       \n         b();\n"
        );
        let text = "x = '#'  # note\n";
        assert_eq!(
            without_comments(Language::Python, text),
            "x = '#'        \n"
        );
        let text =
            "\"\"\"A.\n\nB.\"\"\"\ndef f(a='x',\n  b='y'):\n    r'C'\n    return g(\n      'z')\n";
        let blank = without_comments(Language::Python, text);
        assert_eq!(blank.len(), text.len());
        assert_eq!(
            blank.trim_start(),
            "def f(a='x',\n  b='y'):\n        \n    return g(\n      'z')\n"
        );
    }
}
