//! JavaScript between braces: a scanner that finds its end without parsing it.

/// Maximum depth of nested template literals. Each level is a call on the stack, which a hostile
/// text such as a long row of `` `${ `` would exhaust: a component that overflows its stack ends
/// with its whole instance.
const NESTED_TEMPLATES: usize = 32;

/// Returns the position after the `}` that closes the `{` before `at`, or `None` if it is not
/// closed before `end`.
pub fn after_brace(text: &[u8], mut at: usize, end: usize) -> Option<usize> {
    skip_braces(text, &mut at, end, 0).then_some(at)
}

fn skip_braces(text: &[u8], at: &mut usize, end: usize, nested: usize) -> bool {
    let mut depth = 1usize;
    while *at < end {
        match text[*at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            *at += 1;
            return true;
        }
        if !skip(text, at, end, nested) {
            return false;
        }
    }
    false
}

/// Returns the end of the import or export that begins at `at`: the first blank line outside
/// brackets, strings and comments. Returns `None` if the text ends with one of them open.
pub fn end_of_module(text: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0usize;
    while at < text.len() {
        match text[at] {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b'\n' | b'\r' if depth == 0 && is_next_line_blank(text, at) => return Some(at),
            _ => {}
        }
        if !skip(text, &mut at, text.len(), 0) {
            return None;
        }
    }
    (depth == 0).then_some(at)
}

/// Returns true if the line after the line end at `at` is blank or missing.
pub fn is_next_line_blank(text: &[u8], at: usize) -> bool {
    let after = match text[at..] {
        [b'\r', b'\n', ..] => at + 2,
        _ => at + 1,
    };
    let rest = text.get(after..).unwrap_or_default();
    let mut signs = rest.iter().skip_while(|sign| b" \t".contains(sign));
    signs.next().is_none_or(|sign| b"\r\n".contains(sign))
}

/// Skips the construct at `at`: a string, comment, template literal, regular expression, or single
/// sign. Returns true if it ends.
fn skip(text: &[u8], at: &mut usize, end: usize, nested: usize) -> bool {
    let rest = &text[*at..end];
    match rest[0] {
        // A quote that is not closed on its line does not open a string: expressions may contain
        // JSX with text such as `don't`, and the string would hide all braces up to the next
        // apostrophe.
        quote @ (b'"' | b'\'') => *at += string_length_in_line(rest, quote).unwrap_or(1),
        b'`' => return skip_template(text, at, end, nested),
        b'/' if rest.starts_with(b"/*") => match memchr::memmem::find(&rest[2..], b"*/") {
            Some(length) => *at += length + 4,
            None => return false,
        },
        // Two slashes after a colon do not begin a comment: JSX text may contain
        // `https://example.org`, and the comment would hide a brace at the end of its line.
        b'/' if rest.starts_with(b"//") && !text[..*at].ends_with(b":") => {
            *at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        }
        b'/' if begins_pattern(text, *at) => *at += pattern(rest).unwrap_or(1),
        b'\\' => *at = (*at + 2).min(end),
        _ => *at += 1,
    }
    true
}

fn skip_template(text: &[u8], at: &mut usize, end: usize, nested: usize) -> bool {
    if nested == NESTED_TEMPLATES {
        return false;
    }
    *at += 1;
    while *at < end {
        match text[*at] {
            b'`' => {
                *at += 1;
                return true;
            }
            b'\\' => *at += 2,
            b'$' if text[*at + 1..end].starts_with(b"{") => {
                *at += 2;
                if !skip_braces(text, at, end, nested + 1) {
                    return false;
                }
            }
            _ => *at += 1,
        }
    }
    false
}

/// Returns the length of a string delimited by this sign, if it ends on the same line.
fn string_length_in_line(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while let Some(sign) = rest.get(at) {
        match sign {
            b'\\' => at += 1,
            b'\n' | b'\r' => return None,
            sign if *sign == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns true if a `/` begins a regular expression instead of a division, judged by the sign
/// before it: an operator, an opening bracket or a comma can only be followed by an operand. `a /
/// b` is a division, `(/}/)` contains a pattern whose brace does not count.
fn begins_pattern(text: &[u8], at: usize) -> bool {
    let mut before = text[..at].iter().rev().filter(|sign| **sign != b' ');
    before
        .next()
        .is_none_or(|sign| b"(,=:[!&|?{;+".contains(sign))
}

/// Returns the length of a regular expression that ends on its line.
fn pattern(rest: &[u8]) -> Option<usize> {
    let (mut at, mut is_class) = (1, false);
    while let Some(sign) = rest.get(at) {
        match sign {
            b'\\' => at += 1,
            b'\n' | b'\r' => return None,
            b'[' => is_class = true,
            b']' => is_class = false,
            b'/' if !is_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}
