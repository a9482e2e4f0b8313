//! The input of syn: the items of a text without function bodies and comments, which are most of
//! it; and the mapping of positions back to the full text.
//!
//! Bodies define nothing that is shown, may be invalid, and could nest too deep. Comments become
//! attributes in syn, each with a string that is escaped and read again. Both are removed instead
//! of blanked, because syn counts characters one by one, including blanks.

use proc_macro2::Span;

use crate::code::Code;
use crate::lexer::token::Token;
use crate::position::{ByteOffset, ByteRange, TokenIndex};

/// A text without bodies and comments.
pub(super) struct Heads {
    pub(super) text: String,
    /// Its tokens, with positions in the full text.
    pub(super) tokens: Vec<Token>,
    cuts: Cuts,
}

/// The removed pieces of a text, in order.
#[derive(Default)]
pub(super) struct Cuts(Vec<Cut>);

/// A removed piece.
struct Cut {
    /// Position in the remaining text.
    at: usize,
    /// Bytes removed up to here, including this piece.
    bytes: usize,
}

impl Heads {
    pub(super) fn new(code: &Code<'_>) -> Self {
        let (bodies, tokens) = bodies(code);
        let mut gaps: Vec<(ByteRange, &str)> = bodies.into_iter().map(|body| (body, "")).collect();
        // A comment is replaced by a blank, because `a/**/b` are two names.
        gaps.extend(comments(code).map(|comment| (comment, " ")));
        if code.text.starts_with('\u{feff}') {
            let mark = ByteOffset::START..ByteOffset::new('\u{feff}'.len_utf8());
            gaps.push((mark, ""));
        }
        gaps.sort_unstable_by_key(|(gap, _)| gap.start);
        let mut text = String::with_capacity(code.text.len());
        let mut cuts = Vec::with_capacity(gaps.len());
        let (mut after, mut bytes) = (ByteOffset::START, 0);
        for (gap, instead) in gaps {
            // A comment within a body.
            if gap.start < after {
                continue;
            }
            text.push_str(code.slice(after..gap.start));
            text.push_str(instead);
            bytes += gap.end - gap.start - instead.len();
            after = gap.end;
            cuts.push(Cut {
                at: text.len(),
                bytes,
            });
        }
        text.push_str(&code.text[after.index()..]);
        Self {
            text,
            tokens,
            cuts: Cuts(cuts),
        }
    }

    pub(super) fn into_cuts(self) -> Cuts {
        self.cuts
    }
}

impl Cuts {
    /// Returns the start of a token in the full text.
    pub(super) fn start_of(&self, span: Span) -> ByteOffset {
        // A cut between two tokens, such as the body between the braces of `fn f() {}`, belongs
        // to the second one: a token that starts at the cut is after the removed piece, and a
        // token that ends at it, see `end_of`, is before it.
        let start = span.byte_range().start;
        self.full_position(start, self.0.partition_point(|cut| cut.at <= start))
    }

    /// Returns the end of a token in the full text.
    pub(super) fn end_of(&self, span: Span) -> ByteOffset {
        let end = span.byte_range().end;
        self.full_position(end, self.0.partition_point(|cut| cut.at < end))
    }

    /// Converts a position after `cuts` removed pieces to the full text.
    fn full_position(&self, place: usize, cuts: usize) -> ByteOffset {
        let last = cuts.checked_sub(1).and_then(|last| self.0.get(last));
        ByteOffset::new(place + last.map_or(0, |cut| cut.bytes))
    }
}

/// Returns the contents of function braces, in order, and the tokens outside of them.
fn bodies(code: &Code<'_>) -> (Vec<ByteRange>, Vec<Token>) {
    let mut bodies = Vec::new();
    let mut tokens = Vec::with_capacity(code.tokens.len());
    let mut here = TokenIndex::FIRST;
    // The first token that is not copied yet.
    let mut left = 0;
    while here < code.end_token() {
        let name = here + 1;
        if code.word(here) != "fn" || !code.is_name(name) {
            here = name;
            continue;
        }
        here = skip_head(code, name);
        let next = code.after(here);
        if code.is(here, b'{') && next > here + 1 {
            let close = next - 1;
            bodies.push(code.end(here)..code.start(close));
            tokens.extend_from_slice(&code.tokens[left..=here.index()]);
            left = close.index();
            here = next;
        }
    }
    tokens.extend_from_slice(&code.tokens[left..]);
    (bodies, tokens)
}

/// Returns the brace of a function's body, or the token that ends its head otherwise.
fn skip_head(code: &Code<'_>, name: TokenIndex) -> TokenIndex {
    let mut here = name;
    while here < code.end_token()
        && !code.is(here, b'{')
        && !code.is(here, b';')
        && !code.is(here, b'}')
    {
        here = code.after(here);
    }
    here
}

/// Returns the removable comments: all except those that document the enclosing module.
fn comments(code: &Code<'_>) -> impl Iterator<Item = ByteRange> {
    code.comments.iter().filter_map(|comment| {
        let text = code.slice(comment.clone());
        let is_inner = text.starts_with("//!") || text.starts_with("/*!");
        (!is_inner).then(|| comment.clone())
    })
}
