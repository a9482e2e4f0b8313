//! Ranges of Markdown that some programs do not read as Markdown: mathematics between dollars, and
//! comments between `%%`. They contain no links.

use std::ops::Range;

/// Returns the ranges of `markdown` that are mathematics or comments, in order. `code` are the
/// ranges of its code, in order.
pub fn stretches(markdown: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let bytes = markdown.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut code = code.iter().peekable();
    // False once the search for a closing delimiter has failed: no later search can succeed.
    let (mut has_display, mut has_remark) = (true, true);
    let mut at = 0;
    while let Some(length) = memchr::memchr3(b'$', b'%', b'\\', &bytes[at..]) {
        at += length;
        while code.next_if(|span| span.end <= at).is_some() {}
        if let Some(span) = code.peek().filter(|span| span.start <= at) {
            at = span.end;
            continue;
        }
        let rest = &bytes[at..];
        let length = match rest {
            [b'\\', ..] => None,
            [b'$', b'$', ..] if has_display => {
                let length = find_closing(rest, b"$$");
                has_display = length.is_some();
                length
            }
            [b'%', b'%', ..] if has_remark && begins_word(bytes, at) => {
                let length = find_closing(rest, b"%%");
                has_remark = length.is_some();
                length
            }
            [b'$', ..] if begins_word(bytes, at) => inline(rest),
            _ => None,
        };
        match length {
            Some(length) => {
                found.push(at..at + length);
                at += length;
            }
            // A backslash escapes the next character.
            None => at = (at + 1 + usize::from(rest[0] == b'\\')).min(bytes.len()),
        }
    }
    found
}

/// Returns true if no letter or digit precedes `at`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    before.is_none_or(|sign| !sign.is_ascii_alphanumeric() && !b"$%".contains(&sign) && sign < 128)
}

/// Returns the length of a range delimited by this two-byte sign on both sides.
fn find_closing(rest: &[u8], sign: &[u8]) -> Option<usize> {
    let end = memchr::memmem::find(&rest[2..], sign)?;
    (end > 0).then_some(end + 4)
}

/// Returns the length of inline mathematics, distinguished from prices as in Pandoc: no blank
/// follows the first dollar or precedes the last, and no digit or letter follows the last.
fn inline(rest: &[u8]) -> Option<usize> {
    if rest.get(1).is_none_or(|sign| sign.is_ascii_whitespace()) {
        return None;
    }
    let mut at = 1;
    loop {
        at += memchr::memchr3(b'$', b'\n', b'\\', &rest[at..])?;
        match rest[at] {
            b'\\' => at += 2,
            b'$' => {
                let is_end = !rest[at - 1].is_ascii_whitespace()
                    && rest
                        .get(at + 1)
                        .is_none_or(|sign| !sign.is_ascii_alphanumeric());
                return is_end.then_some(at + 1);
            }
            _ => return None,
        }
        if at >= rest.len() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mathematics_and_remarks() {
        for (text, expected) in [
            ("$x[[2]]$", &["$x[[2]]$"][..]),
            ("a $b$, $$\nc\n\nd\n$$ $e$f", &["$b$", "$$\nc\n\nd\n$$"]),
            ("from $5 to $6, $HOME/[a](b)/$PATH x$y$ \\$a$", &[]),
            (
                "%% a %% b\n%%\nc\n%%\n50%% d %% %% e",
                &["%% a %%", "%%\nc\n%%", "%% %%"],
            ),
            ("$a\nb$ $$ %% c", &[]),
            ("$$$$ %%%% $\\$a$", &["$\\$a$"]),
        ] {
            let found = stretches(text, &[]);
            let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(
            stretches("`$a$` $b$ `c` $d$", &[0..5, 10..13]),
            [6..9, 14..17]
        );
    }
}
