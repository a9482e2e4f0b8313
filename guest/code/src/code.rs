//! A text with its tokens, comments and lines, and what symbols are made of.

use std::borrow::Cow;
use std::ops::Range;

use crate::language::Language;
use crate::lexer::{Kind, Lexed, Token, lex};
use crate::limits::{NAME_CHARS, SIGNATURE_CHARS, VALUE_CHARS};
use crate::line_index::LineIndex;
use crate::{Import, Symbol, SymbolKind};

/// A text that is being outlined.
#[derive(Debug)]
pub(crate) struct Code<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: Language,
    pub(crate) tokens: Vec<Token>,
    /// In order, without overlaps.
    pub(crate) comments: Vec<Range<usize>>,
    pub(crate) index: LineIndex,
}

/// What a symbol is made of.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) kind: SymbolKind,
    pub(crate) name: String,
    /// The bytes of its signature.
    pub(crate) head: Range<usize>,
    /// All of its bytes, but for the comments before it.
    pub(crate) span: Range<usize>,
    pub(crate) is_private: bool,
    pub(crate) children: Vec<Symbol>,
}

impl<'a> Code<'a> {
    pub(crate) fn new(language: Language, text: &'a str) -> Self {
        let Lexed { tokens, comments } = lex(language, text);
        Self {
            text,
            language,
            tokens,
            comments,
            index: LineIndex::new(text),
        }
    }

    /// Whether this is C++ under a name of C, as many headers are.
    pub(crate) fn is_cpp_header(&self) -> bool {
        self.language == Language::C
            && (0..self.tokens.len()).any(|at| match self.word(at) {
                "template" => self.tokens[at].first && self.is(at + 1, b'<'),
                "namespace" | "class" => self.tokens[at].first && self.is_name(at + 1),
                _ => false,
            })
    }

    /// Returns the text of a token; empty behind the last.
    pub(crate) fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| {
            &self.text[token.start as usize..token.end as usize]
        })
    }

    pub(crate) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word)
    }

    /// Whether a token is this character or bracket.
    pub(crate) fn is(&self, at: usize, byte: u8) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.byte == byte && token.kind != Kind::Directive)
    }

    /// Returns the index behind a token or, of an opening bracket, behind its partner.
    pub(crate) fn next(&self, at: usize) -> usize {
        match self.tokens.get(at) {
            Some(token) if token.kind == Kind::Open => token.partner as usize + 1,
            _ => at + 1,
        }
    }

    pub(crate) fn start(&self, at: usize) -> usize {
        self.tokens
            .get(at)
            .map_or(self.text.len(), |token| token.start as usize)
    }

    pub(crate) fn end(&self, at: usize) -> usize {
        self.tokens
            .get(at)
            .map_or(self.text.len(), |token| token.end as usize)
    }

    /// Whether two neighbouring tokens touch.
    pub(crate) fn touches(&self, at: usize) -> bool {
        self.end(at) == self.start(at + 1)
    }

    pub(crate) fn symbol(&self, definition: Definition) -> Symbol {
        let (start, doc) = self.doc_before(definition.span.start);
        let name = cut(&self.one_line(definition.name.as_str()), NAME_CHARS);
        Symbol {
            kind: definition.kind,
            name,
            signature: self.signature(definition.head),
            doc,
            lines: self.index.lines(&(start..definition.span.end.max(start))),
            is_private: definition.is_private,
            children: definition.children,
        }
    }

    pub(crate) fn import(&self, span: Range<usize>, module: &str) -> Import {
        Import {
            text: cut(&self.one_line(&self.text[span.clone()]), NAME_CHARS),
            module: cut(&self.one_line(module), NAME_CHARS),
            lines: self.index.lines(&span),
        }
    }

    fn one_line(&self, text: &str) -> String {
        let mut line = String::new();
        for word in text.split_whitespace() {
            if line.len() > 8 * NAME_CHARS {
                break;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        line
    }

    /// Returns the text at `span` on one line, without comments, body and final punctuation.
    pub(crate) fn signature(&self, span: Range<usize>) -> String {
        let mut line = String::new();
        let mut at = span.start;
        let first = self.comments.partition_point(|comment| comment.end <= at);
        let comments = self.comments[first..].iter();
        let gaps = comments.take_while(|comment| comment.start < span.end);
        let ends = gaps.map(|comment| (comment.start, comment.end));
        for (stop, behind) in ends.chain([(span.end, span.end)]) {
            if at < stop {
                append(&mut line, &self.text[at..stop]);
            }
            at = behind.max(at);
            if line.len() > 4 * SIGNATURE_CHARS {
                break;
            }
        }
        let line = line.trim_end_matches([' ', '{', ';', ',']);
        let line = line.strip_suffix('=').unwrap_or(line).trim_end();
        cut(line, SIGNATURE_CHARS)
    }

    /// Returns where the comments begin that stand directly before `offset`, and their text.
    pub(crate) fn doc_before(&self, offset: usize) -> (usize, String) {
        let mut first = self
            .comments
            .partition_point(|comment| comment.end <= offset);
        let behind = first;
        let mut start = offset;
        while let Some(comment) = first.checked_sub(1).map(|at| self.comments[at].clone()) {
            let gap = &self.text[comment.end..start];
            let breaks = line_breaks(gap);
            // A script's first line is for the kernel.
            let is_command = comment.start == 0 && self.text.starts_with("#!");
            // These are about what they stand in.
            let is_inner = self.language == Language::Rust
                && ["//!", "/*!"]
                    .iter()
                    .any(|sign| self.text[comment.clone()].starts_with(sign));
            if !gap.trim().is_empty()
                || breaks > 1
                || is_command
                || is_inner
                || !self.begins_line(comment.start)
            {
                break;
            }
            start = comment.start;
            first -= 1;
        }
        // Lines of the preprocessor belong to what they stand next to only below a comment.
        let is_directive = |at: usize| {
            self.is_preprocessed() && self.text[self.comments[at].clone()].starts_with('#')
        };
        while first < behind && is_directive(first) {
            first += 1;
            start = self
                .comments
                .get(first)
                .filter(|_| first < behind)
                .map_or(offset, |comment| comment.start);
        }
        let comments = (first..behind)
            .filter(|at| !is_directive(*at))
            .map(|at| &self.comments[at]);
        let lines = comments.flat_map(|comment| self.text[comment.clone()].lines());
        let mut doc = String::new();
        for line in lines {
            let line = self.without_markers(line);
            if !(line.is_empty() && doc.is_empty()) {
                doc.push_str(&line);
                doc.push('\n');
            }
        }
        doc.truncate(doc.trim_end().len());
        (start, doc)
    }

    fn is_preprocessed(&self) -> bool {
        matches!(
            self.language,
            Language::C | Language::Cpp | Language::CSharp | Language::Swift
        )
    }

    fn begins_line(&self, offset: usize) -> bool {
        self.text[..offset]
            .bytes()
            .rev()
            .take_while(|byte| !matches!(byte, b'\n' | b'\r'))
            .take(256)
            .all(|byte| byte.is_ascii_whitespace() || byte >= 0x80)
    }

    fn without_markers<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let line = line.trim();
        let line = line.strip_suffix("*/").unwrap_or(line).trim_end();
        let markers: &[&str] = match self.language {
            Language::Python => &["#:", "#"],
            Language::Ruby | Language::Shell => &["=begin", "=end", "#"],
            Language::Php => &["///", "//!", "//", "/**", "/*!", "/*", "*", "#"],
            _ => &["///", "//!", "//", "/**", "/*!", "/*", "*"],
        };
        let marker = markers.iter().find(|marker| line.starts_with(**marker));
        let line = marker.map_or(line, |marker| line[marker.len()..].trim());
        if self.language == Language::CSharp && line.contains('<') {
            return Cow::Owned(without_tags(line));
        }
        Cow::Borrowed(line)
    }

    /// Returns the end of a constant's signature: behind its value where that is short.
    pub(crate) fn end_with_value(&self, sign: usize, end: usize) -> usize {
        let value = self.text.get(sign..end).unwrap_or_default();
        let is_short = value.len() <= VALUE_CHARS && !value.contains(['\n', '\r', '{']);
        if is_short { end } else { sign }
    }
}

/// Returns a line of a comment of C# without its tags, of which some name what is meant; nothing where
/// it is about a part of what it describes.
fn without_tags(line: &str) -> String {
    let parts = [
        "<param ",
        "<typeparam ",
        "<returns",
        "<exception",
        "<remarks",
        "<example",
        "<value",
        "<inheritdoc",
        "<seealso",
    ];
    let mut text = String::new();
    if parts.iter().any(|part| line.starts_with(part)) {
        return text;
    }
    let mut rest = line;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        if !tag.starts_with(|letter: char| letter == '/' || letter.is_ascii_lowercase()) {
            text.push('<');
            rest = tag;
            continue;
        }
        let Some((name, behind)) = tag.split_once('>') else {
            rest = &rest[before.len()..];
            break;
        };
        if name.ends_with('/') {
            text.push_str(name.split('"').nth(1).unwrap_or_default());
        }
        rest = behind;
    }
    text.push_str(rest);
    text.trim().to_owned()
}

fn line_breaks(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_break = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    (0..bytes.len()).filter(is_break).take(2).count()
}

/// Appends `text` with its blanks collapsed, without those inside of brackets and without the comma
/// behind the last line of a list; one on the same line may make a tuple of it.
fn append(line: &mut String, text: &str) {
    let mut blank = !line.is_empty() && !line.ends_with(' ') && !line.ends_with(['(', '[']);
    let mut breaks = false;
    // The pieces round a comment are apart, whatever stood between.
    for letter in text.chars() {
        if line.len() > 4 * SIGNATURE_CHARS {
            return;
        }
        if letter.is_whitespace() || letter == '\u{feff}' {
            blank = true;
            breaks |= matches!(letter, '\n' | '\r');
            continue;
        }
        if matches!(letter, ')' | ']') {
            while line.ends_with(' ') || (breaks && line.ends_with(',')) {
                line.pop();
            }
            blank = false;
        }
        breaks = false;
        if blank && !line.is_empty() && !line.ends_with(['(', '[', ' ']) {
            line.push(' ');
        }
        blank = false;
        line.push(letter);
    }
}

/// Returns `signature`, cut to `most` characters. Where that would cut off `name`, lists in angle
/// brackets before it are left out.
pub(crate) fn cut_behind(signature: &str, name: &str, most: usize) -> String {
    let mut line = signature.to_owned();
    let mut from = 0;
    while line.chars().nth(most).is_some() {
        let Some(open) = line[from..].find('<').map(|open| from + open) else {
            break;
        };
        let Some(close) = angle_end(&line[open..]).map(|end| open + end) else {
            break;
        };
        // A name behind another list is not in this one's way.
        let is_before = find_word(&line[from..open], name).is_some();
        let Some(at) = find_word(&line[close..], name).filter(|_| !is_before) else {
            break;
        };
        let end = close + at + name.len();
        if line[..end].chars().count() + 3 <= most {
            break;
        }
        line.replace_range(open + 1..close, "...");
        from = open + "<...>".len();
    }
    cut(&line, most)
}

/// Returns where the `>` stands that closes the `<` at the beginning of `text`.
fn angle_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            // An arrow.
            b'>' if at > 0 && matches!(bytes[at - 1], b'-' | b'=') => {}
            b'>' if depth == 1 => return Some(at),
            b'>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns where `name` stands in `text` as a word of its own.
fn find_word(text: &str, name: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut places = text.match_indices(name).map(|(at, _)| at);
    places
        .find(|at| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// Returns `text`, cut to `most` characters of which the last three then are dots.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let end = text.char_indices().nth(most.saturating_sub(3));
            let end = end.map_or(text.len(), |(end, _)| end);
            format!("{}...", text[..end].trim_end())
        }
    }
}
