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
    /// Markup that ends with an empty line.
    Element,
}

impl UnclosedBlock {
    /// Returns the line that closes the block, empty if it ends by itself.
    fn closing_line(self) -> String {
        match self {
            // The end of the list item closes what is in it.
            Self::Fence { column: 1.., .. } | Self::Element => String::new(),
            Self::Fence {
                sign,
                length,
                indent,
                ..
            } => {
                let fence = sign.to_string().repeat(length);
                format!("{}{fence}\n", " ".repeat(indent))
            }
            Self::Markup(end) => format!("{end}\n"),
        }
    }
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

/// Elements whose tags begin markup even within a paragraph (CommonMark 0.31, section 4.6).
const ELEMENTS: &str = " address article aside base basefont blockquote body caption center col \
    colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset \
    h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol \
    optgroup option p param search section summary table tbody td tfoot th thead title tr track ul ";

/// Returns the line that closes the last block of `text`, empty if the block ends with the text.
pub fn closing_line(text: &str) -> String {
    let mut open: Option<UnclosedBlock> = None;
    // Column of the content of the list item that a line belongs to.
    let mut column = 0;
    let mut is_paragraph = false;
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
            Some(UnclosedBlock::Element) if !is_empty => continue,
            Some(UnclosedBlock::Element) | None => open = None,
        }
        if is_empty {
            is_paragraph = false;
            continue;
        }
        if indent < column {
            column = 0;
        }
        let content = item_column(line, column);
        column = content.max(column);
        open = block_begun_in(line, column);
        if open.is_none() && is_element(line.get(column..).unwrap_or_default(), is_paragraph) {
            open = Some(UnclosedBlock::Element);
        }
        is_paragraph = true;
    }
    open.map_or_else(String::new, UnclosedBlock::closing_line)
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
fn block_begun_in(line: &str, column: usize) -> Option<UnclosedBlock> {
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
    // The end may be a part of the beginning: `<!-->`, `<?>`.
    let is_closed = contains_ignoring_case(&content[1..], end);
    (is_begun && !is_closed).then_some(UnclosedBlock::Markup(end))
}

/// Returns true if a line begins markup that ends with an empty line.
fn is_element(line: &str, is_paragraph: bool) -> bool {
    let content = line.trim_start_matches(' ');
    let Some(tag) = content
        .strip_prefix('<')
        .filter(|_| line.len() - content.len() <= 3)
    else {
        return false;
    };
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let name = &name[..name.len() - name.trim_start_matches(is_letter).len()];
    if name.is_empty() {
        return false;
    }
    // The tag of any other element does so if it is alone in the first line of a block.
    let is_alone = tag.trim_end().ends_with('>') && tag.matches(['<', '>']).count() == 1;
    ELEMENTS.contains(&format!(" {} ", name.to_ascii_lowercase())) || (is_alone && !is_paragraph)
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
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;
    use crate::markdown::Markdown;

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
            ("<!-->", ""),
            ("<?>", ""),
            ("<PRE>\na\n\nb", "</pre>\n"),
            ("<pre>a</Pre>", ""),
            ("<prefix>", ""),
            ("<div>\na", ""),
            ("<div>\n```\n\nb", ""),
            ("<span>\n```\n\nb", ""),
            ("a\n<span>\n```", "```\n"),
            ("```\n<!-- a\n```", ""),
            ("<!-- \n```\n-->\nb", ""),
        ] {
            assert_eq!(closing_line(text), expected, "{text}");
        }
    }

    const PIECES: &[&str] = &[
        "```", "````", "~~~", "``` a`b", "    ", "  ", "- ", "1. ", "> ", "\n", "\n", "\n\n", "a",
        "# b", "<!--", "-->", "<pre>", "</pre>", "<?", "?>", "<!x", "<div>", "|", "---", "\t",
        "가",
    ];

    proptest! {
        #[test]
        fn a_heading_behind_any_text_is_one(
            pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
        ) {
            let mut text = Markdown::new(1 << 10);
            prop_assert_eq!(text.markdown(&pieces.concat()), Ok(()));
            prop_assert_eq!(text.heading(1, "last"), Ok(()));
            let text = text.finish();
            let (mut depth, mut is_found) = (0, false);
            for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
                match event {
                    Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => depth += 1,
                    Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth -= 1,
                    Event::Start(Tag::Heading { .. }) => is_found = depth == 0,
                    Event::Text(words) if words.as_ref() == "last" => is_found &= depth == 0,
                    Event::Text(_) => is_found = false,
                    _ => {}
                }
            }
            prop_assert!(is_found, "{}", text);
        }
    }
}
