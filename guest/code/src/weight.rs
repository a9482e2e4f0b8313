//! Estimates of the stack that a parser needs for a text.

use crate::code::Code;
use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::limits::{PARSED_LEVELS, PARSED_MEAN_LEVELS, PARSED_WEIGHT};
use crate::position::TokenIndex;

/// Weight of an open bracket, an indentation or an operator before its operand.
const DEEPER: usize = 8;

/// The depth counted up to a token.
struct Depth {
    /// Weight of each open bracket so far; the first is the top level.
    levels: Vec<usize>,
    /// Columns of Python's indentation levels; the first is the margin.
    indents: Vec<usize>,
    /// Sum over all levels, including their brackets.
    sum: usize,
}

impl Depth {
    fn add(&mut self, weight: usize) {
        *self.levels.last_mut().unwrap_or(&mut 0) += weight;
        self.sum += weight;
    }

    /// Resets the weight of the innermost level at the end of a statement or an operand.
    fn end_operand(&mut self) {
        self.sum -= std::mem::take(self.levels.last_mut().unwrap_or(&mut 0));
    }

    fn open(&mut self) {
        self.levels.push(0);
        self.sum += DEEPER;
    }

    fn close(&mut self) {
        self.sum -= DEEPER + self.levels.pop().unwrap_or(0);
        // In `f(a)(b)(c)` no bracket is within another, but in the tree each call contains the
        // one before it. So a closed bracket leaves some weight on its level until the operand
        // ends, and a chain of thousands of calls goes to the scanner.
        self.add(1);
    }

    fn indent(&mut self, columns: usize) {
        while self.indents.len() > 1 && self.indents.last().is_some_and(|last| *last > columns) {
            self.indents.pop();
        }
        if self.indents.last().is_none_or(|last| *last < columns) {
            self.indents.push(columns);
        }
    }

    fn total(&self) -> usize {
        self.sum + (self.indents.len() - 1) * DEEPER
    }
}

/// Returns true if `code` is nested little enough for a recursive parser.
///
/// Weights are counted for open brackets, levels of indentation in Python, and per level for
/// constructs that deepen parsers and trees without a bracket: operators, and words such as `else`.
/// The end of a statement or of a list operand resets the count. The average nesting in brackets is
/// limited as well: after a wrong guess a parser reads the text again, at worst once for each
/// bracket around it.
pub(crate) fn is_parsable(code: &Code<'_>) -> bool {
    let is_python = code.language == Language::Python;
    let mut depth = Depth {
        levels: vec![0],
        indents: vec![0],
        sum: 0,
    };
    // A bracket may open an expression or the parameters of an arrow function. A parser that
    // guesses wrong reads the content again, at worst once for each bracket around it. So
    // nesting that the stack allows could still mean that the text is read a hundred times.
    let most_levels = PARSED_LEVELS + PARSED_MEAN_LEVELS * code.tokens.len();
    let mut levels = 0;
    for (index, token) in code.tokens.iter().enumerate() {
        let here = TokenIndex::new(index);
        let is_top = depth.levels.len() == 1;
        if token.is_first_on_line
            && let Some(before) = here.previous()
            && ends_statement(code, before, here, is_top)
        {
            depth.end_operand();
            // Within brackets, indentation is insignificant.
            if is_python && is_top {
                depth.indent(column(code, here));
            }
        }
        match token.kind {
            TokenKind::Open => depth.open(),
            // A bracket that closes nothing does not change the depth.
            TokenKind::Close if !is_top => depth.close(),
            TokenKind::Punct if matches!(token.byte, b';' | b',') => depth.end_operand(),
            TokenKind::Punct => depth.add(sign_weight(code, here)),
            TokenKind::Word if is_deeper_word(code.word(here)) => depth.add(DEEPER),
            _ => {}
        }
        levels += depth.levels.len();
        if depth.total() > PARSED_WEIGHT || levels > most_levels {
            return false;
        }
    }
    true
}

/// Returns true if an operand or a statement after `word` is deeper in the tree, in any language
/// with a parser. A match instead of a table, because it is called for each word of a file: the
/// compiler compares whole words where a table would be searched byte by byte.
fn is_deeper_word(word: &str) -> bool {
    matches!(
        word,
        "if" | "do"
            | "in"
            | "for"
            | "not"
            | "new"
            | "dyn"
            | "mut"
            | "try"
            | "else"
            | "elif"
            | "with"
            | "void"
            | "impl"
            | "move"
            | "case"
            | "loop"
            | "while"
            | "await"
            | "yield"
            | "keyof"
            | "infer"
            | "async"
            | "break"
            | "const"
            | "match"
            | "lambda"
            | "typeof"
            | "delete"
            | "unique"
            | "return"
            | "unsafe"
            | "extends"
            | "readonly"
    )
}

/// Returns true if a line of JavaScript or TypeScript that begins with `word` may continue the
/// statement before it. A match for the same reason.
fn continues_statement(word: &str) -> bool {
    matches!(
        word,
        "if" | "for"
            | "while"
            | "with"
            | "do"
            | "else"
            | "in"
            | "of"
            | "instanceof"
            | "extends"
            | "as"
            | "satisfies"
            | "catch"
            | "finally"
            | "is"
            | "await"
            | "new"
            | "typeof"
            | "void"
            | "delete"
    )
}

fn column(code: &Code<'_>, token: TokenIndex) -> usize {
    let line = code.line_index.span(code.line(token));
    code.start(token) - line.start
}

/// Returns the weight of a sign. An operator between two operands adds one level of the tree, one
/// before its operand a call of the parser as well.
fn sign_weight(code: &Code<'_>, sign: TokenIndex) -> usize {
    let before = sign.previous();
    let kind_before = before.and_then(|before| code.kind(before));
    let follows_operand =
        before.is_some() && !matches!(kind_before, Some(TokenKind::Punct | TokenKind::Open));
    let begins = kind_before != Some(TokenKind::Punct)
        || code.previous_is(sign, b';')
        || code.previous_is(sign, b',');
    let is_rust = code.language == Language::Rust;
    match code.sign(sign) {
        // The signs of an attribute, which is not part of an expression unless an operator precedes
        // it.
        b'#' if is_rust && begins => 0,
        b'!' if is_rust && code.previous_is(sign, b'#') => 0,
        // In `a.b().c()` each member is one level of the tree above its object.
        b'.' if follows_operand => 1,
        // The operand is parsed by a further call: `a = b = c`, `a ? b : c`, `A<B<C>>`.
        b'=' | b'?' | b':' | b'<' | b'@' => DEEPER,
        _ if follows_operand => 1,
        // The second sign of an arrow, whose first one was counted.
        b'>' => 0,
        _ => DEEPER,
    }
}

/// Returns true if `token`, the first on its line and after `before`, begins a statement.
fn ends_statement(code: &Code<'_>, before: TokenIndex, token: TokenIndex, is_top: bool) -> bool {
    let is_name = code.is_name(token);
    // A string begins a member: `'aria-busy'?: boolean`. No operand follows another on the next
    // line, except for a template literal after its tag, so it is not the continuation of a
    // statement. Otherwise an interface of many such members would seem to be one deeply nested
    // expression.
    let is_string = code.word(token).starts_with(['"', '\'']);
    match code.language {
        Language::Python => is_top,
        // A brace before it ended a body, and neither a word nor an attribute continues that
        // construct. If attributes did not end a statement, the signs of hundreds of
        // `#[inline]⏎fn f() {}` would add up. After another attribute they may continue an
        // expression: `- #[a] #[b] - x` nests.
        Language::Rust => {
            code.is(before, b'}')
                && (code.is(token, b'#') || is_name && !matches!(code.word(token), "else" | "as"))
        }
        _ => {
            // A sign or one of these words at the end of a line needs an operand on the next:
            // `a =⏎b`, `else⏎f()`. The nesting is then not over: a text with
            // `readonly⏎readonly⏎…` on thousands of lines would overflow the stack of the
            // parser.
            let wants_more = match code.kind(before) {
                Some(TokenKind::Punct) => true,
                Some(TokenKind::Word) => matches!(
                    code.word(before),
                    "else"
                        | "do"
                        | "extends"
                        | "keyof"
                        | "return"
                        | "readonly"
                        | "unique"
                        | "infer"
                        | "typeof"
                        | "new"
                        | "void"
                        | "delete"
                        | "await"
                        | "yield"
                ),
                _ => false,
            };
            (is_name || is_string) && !continues_statement(code.word(token)) && !wants_more
        }
    }
}
