//! A text with its tokens, comments and lines, and the parts of its symbols.

use crate::language::Language;
use crate::lexer::lex;
use crate::lexer::token::{LexerOutput, Token, TokenKind};
use crate::limits::{IMPORTED_MODULES, NAME_CHARS, VALUE_CHARS};
use crate::line_index::LineIndex;
use crate::position::{ByteOffset, ByteRange, TokenIndex, plain_range, token_indices};
use crate::symbol::{Import, Symbol, SymbolKind};
use crate::truncate::cut;

/// Maximum bytes of a name: a character has at most four.
const NAME_BYTES: usize = 4 * NAME_CHARS;

/// A text being outlined.
#[derive(Debug)]
pub(crate) struct Code<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: Language,
    pub(crate) tokens: Vec<Token>,
    /// Comments in order, without overlaps.
    pub(crate) comments: Vec<ByteRange>,
    pub(crate) line_index: LineIndex,
}

/// The parts of a symbol.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) kind: SymbolKind,
    pub(crate) name: String,
    /// Byte range of its signature.
    pub(crate) head: ByteRange,
    /// Byte range of the whole, except the comments before it.
    pub(crate) span: ByteRange,
    pub(crate) is_private: bool,
    pub(crate) children: Vec<Symbol>,
}

/// Access to tokens by index. Past the end, every question has an answer, so that lookahead needs
/// no check for the end of the text.
impl<'a> Code<'a> {
    pub(crate) fn new(language: Language, text: &'a str) -> Self {
        let output = lex(language, text, &mut |_| true);
        // The callback always returns true, so that lexing is never interrupted.
        Self::from_tokens(language, text, output.unwrap_or_default())
    }

    /// Reads a text that may be long. Returns `None` if `go_on`, which is called with the number of
    /// bytes processed, returns false.
    pub(crate) fn new_while(
        language: Language,
        text: &'a str,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Option<Self> {
        lex(language, text, go_on).map(|output| Self::from_tokens(language, text, output))
    }

    fn from_tokens(language: Language, text: &'a str, output: LexerOutput) -> Self {
        let LexerOutput { tokens, comments } = output;
        Self {
            text,
            language,
            tokens,
            comments,
            line_index: LineIndex::new(text),
        }
    }

    /// Returns the same text with only the given tokens, without the partners that are not among
    /// them, and without comments.
    pub(crate) fn with_tokens(&self, tokens: Vec<Token>) -> Self {
        Self {
            text: self.text,
            language: self.language,
            tokens,
            comments: Vec::new(),
            line_index: self.line_index.clone(),
        }
    }

    /// Returns the index after the last token.
    pub(crate) fn end_token(&self) -> TokenIndex {
        TokenIndex::new(self.tokens.len())
    }

    fn token(&self, token: TokenIndex) -> Option<&Token> {
        self.tokens.get(token.index())
    }

    /// Returns the text of a token; empty past the end.
    pub(crate) fn word(&self, token: TokenIndex) -> &'a str {
        self.token(token).map_or("", |token| {
            &self.text[token.start.index()..token.end.index()]
        })
    }

    pub(crate) fn kind(&self, token: TokenIndex) -> Option<TokenKind> {
        self.token(token).map(|token| token.kind)
    }

    /// Returns the character of a sign and the plain bracket of a bracket; 0 for any other token.
    pub(crate) fn sign(&self, token: TokenIndex) -> u8 {
        self.token(token).map_or(0, |token| token.byte)
    }

    pub(crate) fn is_name(&self, token: TokenIndex) -> bool {
        self.kind(token) == Some(TokenKind::Word)
    }

    /// Returns true if a token is this character or bracket.
    pub(crate) fn is(&self, token: TokenIndex, byte: u8) -> bool {
        self.token(token)
            .is_some_and(|token| token.byte == byte && token.kind != TokenKind::Directive)
    }

    /// Returns true if a token is the colon of a label, a type or a base, and not half of a `::`.
    pub(crate) fn is_single_colon(&self, token: TokenIndex) -> bool {
        self.is(token, b':') && !self.is(token + 1, b':') && !self.previous_is(token, b':')
    }

    /// Returns true if the token before is this character or bracket.
    pub(crate) fn previous_is(&self, token: TokenIndex, byte: u8) -> bool {
        token.previous().is_some_and(|before| self.is(before, byte))
    }

    /// Returns the text of the token before; empty before the first.
    pub(crate) fn previous_word(&self, token: TokenIndex) -> &'a str {
        token.previous().map_or("", |before| self.word(before))
    }

    pub(crate) fn is_first_on_line(&self, token: TokenIndex) -> bool {
        self.token(token)
            .is_some_and(|token| token.is_first_on_line)
    }

    /// Returns true if a token exists and is on the line of the one before.
    pub(crate) fn continues_line(&self, token: TokenIndex) -> bool {
        self.token(token)
            .is_some_and(|token| !token.is_first_on_line)
    }

    /// Returns the index after a token, or after the partner of an opening bracket. With such
    /// steps, a statement is scanned without the content of its brackets.
    pub(crate) fn after(&self, token: TokenIndex) -> TokenIndex {
        match self.token(token) {
            Some(open) if open.kind == TokenKind::Open => open.partner + 1,
            _ => token + 1,
        }
    }

    /// Returns the partner of the closing bracket `token`, or `None` if there is none.
    pub(crate) fn opening_bracket(&self, token: TokenIndex) -> Option<TokenIndex> {
        let close = self.token(token)?;
        (close.kind == TokenKind::Close && close.partner != token).then_some(close.partner)
    }

    pub(crate) fn start(&self, token: TokenIndex) -> ByteOffset {
        self.token(token)
            .map_or(self.end_of_text(), |token| token.start)
    }

    pub(crate) fn end(&self, token: TokenIndex) -> ByteOffset {
        self.token(token)
            .map_or(self.end_of_text(), |token| token.end)
    }

    fn end_of_text(&self) -> ByteOffset {
        ByteOffset::new(self.text.len())
    }

    /// Returns the first token that begins at or after `offset`.
    pub(crate) fn token_from(&self, offset: ByteOffset) -> TokenIndex {
        TokenIndex::new(self.tokens.partition_point(|token| token.start < offset))
    }

    /// Returns the 1-based line on which a token begins.
    pub(crate) fn line(&self, token: TokenIndex) -> u32 {
        self.line_index.line(self.start(token))
    }

    /// Returns true if a token and the next one are adjacent.
    pub(crate) fn touches_next(&self, token: TokenIndex) -> bool {
        self.end(token) == self.start(token + 1)
    }

    /// Returns the strings that are statements of their own, outside of all brackets: they are
    /// documentation.
    pub(crate) fn lone_strings(&self) -> Vec<ByteRange> {
        let mut strings = Vec::new();
        let mut here = TokenIndex::FIRST;
        while here < self.end_token() {
            let next = self.after(here);
            let is_alone = self.is_first_on_line(here) && !self.continues_line(next);
            if is_alone && self.kind(here) == Some(TokenKind::Text) {
                strings.push(self.start(here)..self.end(here));
            }
            here = next;
        }
        strings
    }

    pub(crate) fn slice(&self, range: ByteRange) -> &'a str {
        &self.text[plain_range(&range)]
    }

    /// Returns true if this is C++ in a file with a C name, as many headers are. Only words at the
    /// start of a line count: `class` is a valid name in C.
    pub(crate) fn is_cpp_header(&self) -> bool {
        self.language == Language::C
            && token_indices(TokenIndex::FIRST..self.end_token()).any(|token| {
                match self.word(token) {
                    "template" => self.is_first_on_line(token) && self.is(token + 1, b'<'),
                    "namespace" | "class" => {
                        self.is_first_on_line(token) && self.is_name(token + 1)
                    }
                    _ => false,
                }
            })
    }
}

impl Code<'_> {
    pub(crate) fn symbol(&self, definition: Definition) -> Symbol {
        let (start, doc) = self.doc_before(definition.span.start);
        let name = cut(&one_line(definition.name.as_str()), NAME_CHARS);
        let span = start..definition.span.end.max(start);
        Symbol {
            kind: definition.kind,
            name,
            decorators: self.decorators(definition.span.start..definition.head.start),
            signature: self.signature_of(definition.head, &definition.name),
            doc,
            lines: self.line_index.lines(&span),
            is_private: definition.is_private,
            children: definition.children,
        }
    }

    pub(crate) fn import(&self, span: ByteRange, module: &str) -> Import {
        Import {
            lines: self.line_index.lines(&span),
            text: cut(&one_line(self.slice(span)), NAME_CHARS),
            module: module_name(module),
        }
    }

    /// Returns an import for each module named by the statement at `span`, which is read once for
    /// all of them.
    pub(crate) fn imports(
        &self,
        span: ByteRange,
        modules: impl Iterator<Item = String>,
    ) -> impl Iterator<Item = Import> {
        let first = self.import(span, "");
        modules.take(IMPORTED_MODULES).map(move |module| Import {
            module: module_name(&module),
            ..first.clone()
        })
    }

    /// Returns the end of a constant's signature: after its value if that is short.
    pub(crate) fn end_with_value(&self, sign: ByteOffset, end: ByteOffset) -> ByteOffset {
        let value = self.text.get(plain_range(&(sign..end)));
        let value = value.unwrap_or_default();
        // A value in braces or of several lines is a body, which a signature never contains.
        let is_short = value.len() <= VALUE_CHARS && !value.contains(['\n', '\r', '{']);
        if is_short { end } else { sign }
    }
}

fn module_name(module: &str) -> String {
    cut(&one_line(module), NAME_CHARS)
}

/// Returns `text` with its blanks collapsed, truncated to a length that still contains `NAME_CHARS`
/// characters.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > NAME_BYTES {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        // Without blanks `import a,b,c,…` is a single word, which may be nearly all of the text.
        // A name or an import has at most `NAME_CHARS` characters, so only the beginning of the
        // word is copied before it is truncated to that.
        line.push_str(&word[..word.floor_char_boundary(2 * NAME_BYTES)]);
    }
    line
}
