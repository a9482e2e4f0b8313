//! The end of text that is Markdown already: blocks that would continue behind it.

/// A block without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum UnclosedBlock {
    /// Code between fences.
    Fence {
        sign: char,
        length: usize,
        /// Blanks before the fence.
        indent: usize,
        /// Column of the content of its list item; a line before it ends the code.
        column: usize,
    },
    /// Markup that ends with these characters.
    Markup(&'static str),
}

/// Beginnings of markup that extends over empty lines, with their ends (CommonMark 0.31, section
/// 4.6). The name of an element may be written in capital letters.
const MARKUP: [(&str, &str); 8] = [
    ("<!--", "-->"),
    ("<![cdata[", "]]>"),
    ("<?", "?>"),
    ("<pre", "</pre>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
    ("<!", ">"),
];

/// Returns the line that closes the last block of `text`, empty if the block ends with the text.
pub fn closing_line(text: &str) -> String {
    let mut open: Option<UnclosedBlock> = None;
    // Column of the content of the list item that a line belongs to.
    let mut column = 0;
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_empty = line.trim().is_empty();
        match &open {
            Some(UnclosedBlock::Markup(end)) => {
                if contains_ignoring_case(line, end) {
                    open = None;
                }
                continue;
            }
            Some(UnclosedBlock::Fence { column, .. }) if !is_empty && indent < *column => {
                open = None;
            }
            Some(UnclosedBlock::Fence {
                sign,
                length,
                column,
                ..
            }) => {
                if is_closing(line, *sign, *length, *column) {
                    open = None;
                }
                continue;
            }
            None => {}
        }
        if is_empty {
            continue;
        }
        if indent < column {
            column = 0;
        }
        let content = item_column(line, column);
        column = content.max(column);
        open = opened(line, column);
    }
    match open {
        // The end of the list item closes what is in it.
        Some(UnclosedBlock::Fence { column: 1.., .. }) | None => String::new(),
        Some(UnclosedBlock::Fence {
            sign,
            length,
            indent,
            ..
        }) => {
            let fence = sign.to_string().repeat(length);
            format!("{}{fence}\n", " ".repeat(indent))
        }
        Some(UnclosedBlock::Markup(end)) => format!("{end}\n"),
    }
}

/// Returns the column of the content of the innermost list item that begins in a line, or `column`.
fn item_column(line: &str, mut column: usize) -> usize {
    loop {
        let Some(rest) = line.get(column..) else {
            return column;
        };
        let content = rest.trim_start_matches(' ');
        if rest.len() - content.len() > 3 {
            return column;
        }
        let digits = content.bytes().take_while(u8::is_ascii_digit).count();
        let marker = match content.as_bytes().get(digits) {
            Some(b'-' | b'+' | b'*') if digits == 0 => 1,
            Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
            _ => return column,
        };
        let after = &content[marker..];
        let words = after.trim_start_matches(' ');
        let blanks = after.len() - words.len();
        if blanks == 0 || words.is_empty() {
            return column;
        }
        let blanks = if blanks > 4 { 1 } else { blanks };
        column += rest.len() - content.len() + marker + blanks;
    }
}

/// Returns the block that begins in a line and has no end in it, in a list item whose content
/// begins at `column`.
fn opened(line: &str, column: usize) -> Option<UnclosedBlock> {
    let rest = line.get(column..).unwrap_or_default();
    let content = rest.trim_start_matches(' ');
    let indent = rest.len() - content.len();
    if indent > 3 {
        return None;
    }
    let sign = content.chars().next()?;
    let length = content.len() - content.trim_start_matches(sign).len();
    if matches!(sign, '`' | '~') && length >= 3 {
        // Backticks behind backticks make them code within a line.
        let is_fence = sign == '~' || !content[length..].contains('`');
        return is_fence.then_some(UnclosedBlock::Fence {
            sign,
            length,
            indent,
            column,
        });
    }
    // In a list item or a quotation markup ends with it.
    if sign != '<' || column > 0 {
        return None;
    }
    let (begin, end) = MARKUP
        .into_iter()
        .find(|(begin, _)| starts_ignoring_case(content, begin))?;
    let rest = &content[begin.len()..];
    let is_begun = match begin {
        "<!" => rest.starts_with(|c: char| c.is_ascii_alphabetic()),
        "<!--" | "<?" | "<![cdata[" => true,
        _ => rest.is_empty() || rest.starts_with([' ', '\t', '>']),
    };
    // The end of a comment may be a part of its beginning: `<!-->`.
    let is_closed = contains_ignoring_case(rest, end) || (end == "-->" && rest.starts_with('>'));
    (is_begun && !is_closed).then_some(UnclosedBlock::Markup(end))
}

/// Returns true if a line ends code that a fence began, in a list item with this column.
fn is_closing(line: &str, sign: char, length: usize, column: usize) -> bool {
    let rest = line.get(column..).unwrap_or_default();
    let content = rest.trim_start_matches(' ');
    let after = content.trim_start_matches(sign);
    rest.len() - content.len() <= 3
        && content.len() - after.len() >= length
        && after.trim().is_empty()
}

fn starts_ignoring_case(text: &str, begin: &str) -> bool {
    let start = text.as_bytes().get(..begin.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(begin.as_bytes()))
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    let mut windows = text.as_bytes().windows(part.len());
    windows.any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_would_continue() {
        for (text, expected) in [
            ("a", ""),
            ("```\na", "```\n"),
            ("```\na\n```", ""),
            ("````\n```\n", "````\n"),
            ("  ~~~ py\na", "  ~~~\n"),
            ("```a`b", ""),
            ("    ```\na", ""),
            ("- ```\n  a\n  ```\nb", ""),
            ("- ```\n  a", ""),
            ("- ```\nb\n```\nc", "```\n"),
            ("1. a\n\n   ```\n   b\n   ```\n\nc", ""),
            ("<!-- a", "-->\n"),
            ("<!-- a -->", ""),
            ("<PRE>\na\n\nb", "</pre>\n"),
            ("<pre>a</Pre>", ""),
            ("<prefix>", ""),
            ("<div>\na", ""),
            ("```\n<!-- a\n```", ""),
            ("<!-- \n```\n-->\nb", ""),
        ] {
            assert_eq!(closing_line(text), expected, "{text}");
        }
    }
}
