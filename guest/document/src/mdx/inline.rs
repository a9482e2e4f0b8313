//! Inline content of MDX paragraphs.

use std::ops::Range;

use crate::mdx::lines::Scanner;

/// Maximum backticks of a run that opens code; a longer run is text. Each length that turns out to
/// be unclosed is searched for once in a paragraph. Without this record, a paragraph with many runs
/// that are never closed would be searched to its end for each of them.
const LONGEST_RUN: usize = 32;

impl Scanner<'_> {
    /// Processes the text of a paragraph or a heading. Expressions in headings are kept, because
    /// they are shown as written.
    pub fn inline(&mut self, range: Range<usize>, is_heading: bool) {
        let bytes = self.text.as_bytes();
        let Range { start: mut at, end } = range;
        let mut unclosed = [false; LONGEST_RUN + 1];
        while let Some(length) = bytes[at..end]
            .iter()
            .position(|sign| b"\\`<{]".contains(sign))
        {
            at += length;
            let rest = &bytes[at..end];
            let after = match rest[0] {
                b'\\' => Some((at + 2).min(end)),
                b'`' => Some(at + code(rest, &mut unclosed)),
                b'<' if rest.starts_with(b"<!--") => {
                    memchr::memmem::find(rest, b"-->").map(|length| at + length + 3)
                }
                b'<' => self
                    .tag(at, end)
                    .inspect(|after| self.neutralize_tag(at..*after)),
                b'{' => self.expression(at, end).inspect(|after| {
                    if !is_heading {
                        self.out[at..*after].fill(b'x');
                    }
                }),
                _ => Some(at + destination(rest)),
            };
            at = after.unwrap_or(at + 1);
        }
    }

    /// Turns a JSX tag into an HTML tag of the same length: `<A b="c"/>` becomes `<xxxxxxxx>`. A
    /// Markdown parser takes that for inline HTML, which is not part of a heading's text; the
    /// content of the JSX tag could otherwise begin code or end early.
    fn neutralize_tag(&mut self, range: Range<usize>) {
        let tag = &mut self.out[range];
        if let [first, inside @ .., last] = tag
            && !inside.is_empty()
        {
            inside.fill(b'x');
            (*first, *last) = (b'<', b'>');
        } else {
            tag.fill(b' ');
        }
    }
}

/// Returns the length of the code span at the start of a text, or of its backticks alone.
fn code(rest: &[u8], unclosed: &mut [bool]) -> usize {
    let run = rest.iter().take_while(|sign| **sign == b'`').count();
    if unclosed.get(run).is_none_or(|is_known| *is_known) {
        return run;
    }
    let mut at = run;
    while let Some(length) = memchr::memchr(b'`', &rest[at..]) {
        at += length;
        let other = rest[at..].iter().take_while(|sign| **sign == b'`').count();
        at += other;
        if other == run {
            return at;
        }
    }
    unclosed[run] = true;
    run
}

/// Returns the length of a closing bracket with its link destination, which contains no JSX.
fn destination(rest: &[u8]) -> usize {
    let before = match rest {
        [b']', b'(', ..] => 2,
        [b']', b':', ..] => 2,
        _ => return 1,
    };
    let inside = &rest[before..];
    let blanks = inside.len() - inside.trim_ascii_start().len();
    let inside = &inside[blanks..];
    let end = match inside.first() {
        Some(b'<') => inside.iter().position(|sign| b">\r\n".contains(sign)),
        _ => inside
            .iter()
            .position(|sign| sign.is_ascii_whitespace() || *sign == b')'),
    };
    before + blanks + end.unwrap_or(inside.len())
}
