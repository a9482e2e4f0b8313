//! Skeletons of source code: definitions with their lines, signatures and comments, without bodies,
//! as a function of a text and its language alone. *Never:* documents, files, directories or types
//! of the contract in `wit/`; the crate depends on no other crate of docent.
//!
//! Rust, JavaScript, TypeScript and Python are parsed. Go, Java, Kotlin, C, C++, C#, Swift, Ruby,
//! PHP and shell are scanned: strings, comments, brackets and indentation are understood, grammar
//! is not. For other code only the blocks of text are listed. [`Outline::source`] records the
//! method.
//!
//! Nothing here fails, reads or writes. Time and memory are linear in the text, and the stack does
//! not depend on it: a text nested too deep for a parser is scanned.
//!
//! A text passes these stages, each a module: `lexer` tokenizes it, in every language; `weight`
//! decides if a parser can accept it; `parse` reads it with a parser of its language or `scan` by
//! its tokens; both make symbols with `code`, `signature`, `decorators` and `doc_comment`;
//! `skeleton` renders them, and `enclosing` finds the symbols around a line. `imports` lists the
//! other files to which a text refers.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod limits;

mod language;
mod position;
mod source;
mod symbol;

mod enclosing;
mod outline;

mod lexer;
mod line_index;

mod about;
mod code;
mod decorators;
mod doc_comment;
mod identifiers;
mod signature;
mod truncate;
mod weight;

mod declarations;
mod parse;
mod scan;

pub mod imports;
pub mod uses;

mod skeleton;

pub use enclosing::Enclosing;
pub use language::Language;
pub use outline::Outline;
pub use skeleton::Skeleton;
pub use source::Source;
pub use symbol::{Import, Lines, Symbol, SymbolKind};

use code::Code;
use declarations::Declarations;
use imports::ImportPath;
use limits::{LINES_BETWEEN_IMPORTS, SIGNATURE_CHARS};
use position::{ByteRange, plain_range, token_indices};
use truncate::cut;

/// Returns the outline of `text`, read as `language`.
///
/// There is a result for any text: one that a parser rejects is scanned.
pub fn outline(language: Language, text: &str) -> Outline {
    let code = code_of(language, text);
    let parsed = parse::parse(&code);
    outline_of(&code, parsed)
}

/// Returns the outline of a text that may be long, or `None` if `go_on`, which is called with the
/// number of bytes processed, returns false.
///
/// It is called along the text, then once more: a parser cannot be interrupted.
pub fn outline_while(
    language: Language,
    text: &str,
    mut go_on: impl FnMut(usize) -> bool,
) -> Option<Outline> {
    let mut code = Code::new_while(language, text, &mut go_on)?;
    if code.is_cpp_header() {
        code = Code::new_while(Language::Cpp, text, &mut go_on)?;
    }
    go_on(text.len()).then(|| {
        let parsed = parse::parse(&code);
        outline_of(&code, parsed)
    })
}

/// The result of reading a text once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Definitions and imports, as [`outline()`] returns them.
    pub outline: Outline,
    /// Imports as data, as [`imports::imports`] returns them.
    pub imports: Vec<ImportPath>,
    /// First paragraph of the comments at the start, on one line; `None` if there is none about the
    /// purpose of the file.
    pub about: Option<String>,
}

/// Reads `text` as `language`, parsing it once, and passes each of its identifiers to `identifier`,
/// with repetitions, except words in comments and strings.
pub fn read(language: Language, text: &str, identifier: impl FnMut(&str)) -> Reading {
    let code = code_of(language, text);
    let mut parsed = parse::parse(&code);
    let paths = parsed.as_mut().and_then(|parsed| parsed.paths.take());
    identifiers::each_identifier(&code, identifier);
    Reading {
        imports: imports::collect_imports(&code, paths),
        about: about::about(&code),
        outline: outline_of(&code, parsed),
    }
}

fn code_of(language: Language, text: &str) -> Code<'_> {
    let code = Code::new(language, text);
    // Both C and C++ use `.h`, so the content decides. The text is lexed again, since raw
    // strings and digit separators exist in C++ only.
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
    // A reader may add a definition only at its end, after definitions that begin later.
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

/// Replaces each byte of the comments of `text` by a blank, so that all lines and positions are
/// preserved. A Python string that is a statement of its own is a comment.
pub fn without_comments(language: Language, text: &str) -> String {
    let code = Code::new(language, text);
    let mut bytes = text.as_bytes().to_vec();
    // Some scanners pass preprocessor lines like comments, but they are not.
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
            // Line numbers are preserved.
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    // Comments are whole characters, so this never fails.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Sorts symbols, clamps them to the lines of their parent, and truncates signatures, which some
/// readers extend.
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

/// Returns the last line of the first group of imports, between which nothing is defined and at
/// most a condition or an attribute occurs.
fn imports_end(code: &Code<'_>, declarations: &Declarations) -> u32 {
    let imports = &declarations.imports;
    let mut last = imports.first().map_or(1, |import| import.lines.last);
    for import in imports {
        let until = import.lines.first;
        // `use a;⏎mod c;⏎use d;`: the second is not part of the first group.
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
