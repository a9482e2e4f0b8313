//! Source code as a skeleton: what is defined where, with signatures and comments, without bodies.
//!
//! Rust, JavaScript, TypeScript and Python are parsed. Go, Java, Kotlin, C, C++, C#, Swift, Ruby,
//! PHP and shell are scanned: strings, comments, brackets and indentation are understood, grammar
//! is not. Of other code the blocks of text are told. [`Outline::source`] says which it was.
//!
//! Nothing here fails, reads or writes. Time and memory are linear in the text, and the stack does
//! not depend on it: what nests too deep for a parser is scanned.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod limits;

mod language;
mod symbol;

mod code;
mod lexer;
mod line_index;
mod weight;

mod parse;
mod scan;

mod skeleton;

pub use language::Language;
pub use skeleton::Skeleton;
pub use symbol::{Import, Lines, Symbol, SymbolKind};

use std::ops::Range;

use code::{Code, cut};
use limits::{LINES_BETWEEN_IMPORTS, SIGNATURE_CHARS};

/// How an outline is known.
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
    /// Returns how it is known, in lower case: `parsed`, `heuristic`, `text`.
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
    /// How it is known.
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
    let mut code = Code::new(language, text);
    if code.is_cpp_header() {
        code = Code::new(Language::Cpp, text);
    }
    let language = code.language;
    let line_count = code.index.count();
    let parsed = parse::parse(&code);
    let source = match (&parsed, language) {
        (Some(_), _) => Source::Parsed,
        (None, Language::Other) => Source::Text,
        (None, _) => Source::Heuristic,
    };
    let mut found = parsed.unwrap_or_else(|| scan::scan(&code));
    let all = Lines {
        first: 1,
        last: line_count,
    };
    settle(&mut found.symbols, all);
    for import in &mut found.imports {
        import.lines = within(import.lines, all);
    }
    found.imports.sort_by_key(|import| import.lines);
    Outline {
        language,
        source,
        imports_end: imports_end(&code, &found),
        imports: found.imports,
        symbols: found.symbols,
        line_count,
    }
}

/// Returns `text` with a blank for each byte of its comments, so that every line and every place stays
/// where it is.
pub fn without_comments(language: Language, text: &str) -> String {
    let comments = Code::new(language, text).comments;
    let mut bytes = text.as_bytes().to_vec();
    // Lines of the preprocessor are passed like comments by some scanners, but are none.
    let is_comment = |span: &Range<usize>| {
        !matches!(
            language,
            Language::C | Language::Cpp | Language::CSharp | Language::Swift
        ) || !text[span.clone()].starts_with('#')
    };
    for span in comments.into_iter().filter(is_comment) {
        for byte in &mut bytes[span] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Keeps symbols in order and within the lines of what holds them, and signatures within their
/// length, to which some readers add.
fn settle(symbols: &mut [Symbol], outer: Lines) {
    symbols.sort_by_key(|symbol| symbol.lines.first);
    for symbol in symbols {
        symbol.lines = within(symbol.lines, outer);
        if symbol.signature.len() > SIGNATURE_CHARS {
            symbol.signature = cut(&symbol.signature, SIGNATURE_CHARS);
        }
        settle(&mut symbol.children, symbol.lines);
    }
}

/// Returns the last line of the first imports, between which nothing is defined and little else stands:
/// a condition or an attribute, but no code.
fn imports_end(code: &Code<'_>, found: &scan::Found) -> u32 {
    let mut last = found.imports.first().map_or(1, |import| import.lines.last);
    for import in &found.imports {
        let until = import.lines.first;
        let next = found
            .symbols
            .partition_point(|symbol| symbol.lines.first <= last);
        let defines = found.symbols.get(next);
        if defines.is_some_and(|symbol| symbol.lines.first < until) {
            break;
        }
        let end = code.index.span(last).end;
        let first = code
            .tokens
            .partition_point(|token| (token.start as usize) < end);
        let between = code.tokens[first..]
            .iter()
            .take_while(|token| code.index.line(token.start as usize) < until);
        if between
            .filter(|token| token.first)
            .nth(LINES_BETWEEN_IMPORTS)
            .is_some()
        {
            break;
        }
        last = last.max(import.lines.last);
    }
    last
}

fn within(lines: Lines, outer: Lines) -> Lines {
    let first = lines.first.clamp(outer.first, outer.last);
    Lines {
        first,
        last: lines.last.clamp(first, outer.last),
    }
}

impl Outline {
    /// Returns the symbols whose lines hold the 1-based `line`, from the outermost to the
    /// innermost; of two on one line the first.
    pub fn enclosing(&self, line: u32) -> Vec<&Symbol> {
        let mut found = Vec::new();
        let mut level = &self.symbols;
        while let Some(symbol) = level.iter().find(|symbol| symbol.lines.contains(line)) {
            found.push(symbol);
            level = &symbol.children;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
