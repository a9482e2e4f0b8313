//! How much stack a parser may need for a text.

use crate::code::Code;
use crate::language::Language;
use crate::lexer::Kind;
use crate::limits::PARSED_WEIGHT;

/// What an open bracket, an indentation or an operator before its operand counts.
const DEEPER: usize = 8;

/// Whether `code` nests little enough for a parser that recurses.
///
/// Counted are open brackets, levels of indentation in Python, and per level what makes parsers and
/// trees deeper without a bracket: operators, and words such as `else`. What ends a statement or an
/// operand in a list ends their count.
pub(crate) fn is_parsable(code: &Code<'_>) -> bool {
    let is_python = code.language == Language::Python;
    let mut levels: Vec<usize> = vec![0];
    let mut indents: Vec<usize> = vec![0];
    let mut sum = 0usize;
    for (at, token) in code.tokens.iter().enumerate() {
        if token.first && at > 0 && ends_statement(code, at, levels.len() == 1) {
            sum -= std::mem::take(levels.last_mut().unwrap_or(&mut 0));
            if is_python && levels.len() == 1 {
                let start = token.start as usize;
                let indent = start - code.index.span(code.index.line(start)).start;
                while indents.len() > 1 && indents.last().is_some_and(|last| *last > indent) {
                    indents.pop();
                }
                if indents.last().is_none_or(|last| *last < indent) {
                    indents.push(indent);
                }
            }
        }
        match token.kind {
            Kind::Open => {
                levels.push(0);
                sum += DEEPER;
            }
            Kind::Close if levels.len() > 1 => {
                sum -= DEEPER + levels.pop().unwrap_or(0);
                // What follows a bracket, as calls do, is deeper in the tree.
                *levels.last_mut().unwrap_or(&mut 0) += 1;
                sum += 1;
            }
            Kind::Punct if matches!(token.byte, b';' | b',') => {
                sum -= std::mem::take(levels.last_mut().unwrap_or(&mut 0));
            }
            Kind::Punct | Kind::Word => {
                let more = cost(code, at);
                *levels.last_mut().unwrap_or(&mut 0) += more;
                sum += more;
            }
            _ => {}
        }
        if sum + (indents.len() - 1) * DEEPER > PARSED_WEIGHT {
            return false;
        }
    }
    true
}

/// What a word or sign adds to the depth.
fn cost(code: &Code<'_>, at: usize) -> usize {
    if code.kind(at) == Some(Kind::Word) {
        let is_deeper = matches!(
            code.word(at),
            "if" | "else"
                | "elif"
                | "for"
                | "while"
                | "do"
                | "with"
                | "not"
                | "lambda"
                | "await"
                | "yield"
                | "new"
                | "typeof"
                | "void"
                | "delete"
                | "keyof"
                | "infer"
                | "extends"
                | "unique"
                | "readonly"
                | "async"
                | "dyn"
                | "impl"
                | "move"
                | "return"
                | "break"
                | "unsafe"
                | "const"
                | "mut"
                | "case"
                | "match"
                | "loop"
                | "try"
                | "in"
        );
        return if is_deeper { DEEPER } else { 0 };
    }
    let before = at.checked_sub(1);
    let follows_operand =
        before.is_some_and(|before| !matches!(code.kind(before), Some(Kind::Punct | Kind::Open)));
    let begins = before.is_none_or(|before| {
        code.kind(before) != Some(Kind::Punct) || code.is(before, b';') || code.is(before, b',')
    });
    match code.tokens[at].byte {
        // The signs of an attribute, which is part of no expression unless an operator precedes.
        b'#' if code.language == Language::Rust && begins => 0,
        b'!' if code.language == Language::Rust && before.is_some_and(|at| code.is(at, b'#')) => 0,
        b'.' if follows_operand => 1,
        b'=' | b'?' | b':' | b'<' | b'@' => DEEPER,
        _ if follows_operand => 1,
        b'>' => 0,
        _ => DEEPER,
    }
}

/// Whether the token at `at`, the first on its line, begins a statement.
fn ends_statement(code: &Code<'_>, at: usize, is_top: bool) -> bool {
    match code.language {
        Language::Python => is_top,
        // A brace before it ended a body, and neither a word nor an attribute goes on with what
        // the body belongs to. Behind another attribute it may: `- #[a] #[b] - x` nests.
        Language::Rust => {
            code.is(at - 1, b'}')
                && (code.is(at, b'#')
                    || code.is_name(at) && !matches!(code.word(at), "else" | "as"))
        }
        _ => {
            let last = code.kind(at - 1);
            code.is_name(at)
                && !matches!(
                    code.word(at),
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
                && last != Some(Kind::Punct)
                && !(last == Some(Kind::Word)
                    && matches!(
                        code.word(at - 1),
                        "else" | "do" | "extends" | "keyof" | "return"
                    ))
        }
    }
}
