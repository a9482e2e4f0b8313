//! What of a text syn is given: its items without the bodies of functions and without comments,
//! which are most of it; and the way back from there to the whole text.
//!
//! What stands in bodies defines nothing that is shown, need not be valid, and cannot nest too
//! deep. Comments become attributes in syn, each with a string that is escaped and read again.
//! Both are left out rather than blanked, for syn counts characters one by one, blanks too.

use proc_macro2::Span;

use crate::code::Code;
use crate::lexer::Token;
use crate::position::{ByteOffset, ByteRange, TokenIndex};

/// A text without bodies and comments.
pub(super) struct Heads {
    pub(super) text: String,
    /// The tokens that it holds, as they stand in the whole text.
    pub(super) tokens: Vec<Token>,
    cuts: Cuts,
}

/// What was left out of a text, in order.
#[derive(Default)]
pub(super) struct Cuts(Vec<Cut>);

/// A piece that was left out.
struct Cut {
    /// Where it stood, in what is left.
    at: usize,
    /// The bytes left out up to here, this piece included.
    bytes: usize,
}

impl Heads {
    pub(super) fn of(code: &Code<'_>) -> Self {
        let (bodies, tokens) = bodies(code);
        let mut gaps: Vec<(ByteRange, &str)> = bodies.into_iter().map(|body| (body, "")).collect();
        // `a/**/b` are two names.
        gaps.extend(comments(code).map(|comment| (comment, " ")));
        if code.text.starts_with('\u{feff}') {
            let mark = ByteOffset::START..ByteOffset::new('\u{feff}'.len_utf8());
            gaps.push((mark, ""));
        }
        gaps.sort_unstable_by_key(|(gap, _)| gap.start);
        let mut text = String::with_capacity(code.text.len());
        let mut cuts = Vec::with_capacity(gaps.len());
        let (mut behind, mut bytes) = (ByteOffset::START, 0);
        for (gap, instead) in gaps {
            // A comment within a body.
            if gap.start < behind {
                continue;
            }
            text.push_str(code.slice(behind..gap.start));
            text.push_str(instead);
            bytes += gap.end - gap.start - instead.len();
            behind = gap.end;
            cuts.push(Cut {
                at: text.len(),
                bytes,
            });
        }
        text.push_str(&code.text[behind.index()..]);
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
    /// Returns where a token begins in the whole text.
    pub(super) fn start_of(&self, span: Span) -> ByteOffset {
        let start = span.byte_range().start;
        self.whole(start, self.0.partition_point(|cut| cut.at <= start))
    }

    /// Returns the byte behind a token in the whole text.
    pub(super) fn end_of(&self, span: Span) -> ByteOffset {
        let end = span.byte_range().end;
        self.whole(end, self.0.partition_point(|cut| cut.at < end))
    }

    /// Returns where in the whole text a place stands that has so many cuts before it.
    fn whole(&self, place: usize, cuts: usize) -> ByteOffset {
        let last = cuts.checked_sub(1).and_then(|last| self.0.get(last));
        ByteOffset::new(place + last.map_or(0, |cut| cut.bytes))
    }
}

/// Returns what stands within the braces of functions, in order, and the tokens that do not.
fn bodies(code: &Code<'_>) -> (Vec<ByteRange>, Vec<Token>) {
    let mut bodies = Vec::new();
    let mut tokens = Vec::with_capacity(code.tokens.len());
    let mut here = TokenIndex::FIRST;
    // The first token that was not taken yet.
    let mut left = 0;
    while here < code.end_token() {
        let name = here + 1;
        if code.word(here) != "fn" || !code.is_name(name) {
            here = name;
            continue;
        }
        here = behind_head(code, name);
        let next = code.behind(here);
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

/// Returns the brace of a function's body, or what else ends its head.
fn behind_head(code: &Code<'_>, name: TokenIndex) -> TokenIndex {
    let mut here = name;
    while here < code.end_token()
        && !code.is(here, b'{')
        && !code.is(here, b';')
        && !code.is(here, b'}')
    {
        here = code.behind(here);
    }
    here
}

/// Returns the comments that can go: all but those which say what the module round them is.
fn comments(code: &Code<'_>) -> impl Iterator<Item = ByteRange> {
    code.comments.iter().filter_map(|comment| {
        let text = code.slice(comment.clone());
        let is_inner = text.starts_with("//!") || text.starts_with("/*!");
        (!is_inner).then(|| comment.clone())
    })
}
