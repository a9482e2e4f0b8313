//! The Markdown of a passage in an answer, to the letter of `host/markdown/templates/section.md`: a
//! budget is charged for exactly the text that is sent.

use docent_text::tokens::counter::PieceCache;
use docent_text::tokens::estimate::charge;

use crate::fences::fence;
use crate::passages::Part;

/// Returns the line above a passage: its lines, its heading path and its part number.
///
/// ```text
/// ### 3-9 A > B
/// ### 3-9, part 2 of 5
/// ```
pub fn heading_line(lines: (u32, u32), path: &[String], part: Option<Part>) -> String {
    let mut line = format!("### {}-{}", lines.0, lines.1);
    if !path.is_empty() {
        line.push(' ');
        line.push_str(&path.join(" > "));
    }
    if let Some(Part { number, parts }) = part {
        line.push_str(&format!(", part {number} of {parts}"));
    }
    line
}

/// Returns the text between the fences of a passage: its content without its leading heading, which
/// the line above repeats, and without surrounding blank lines.
pub fn body<'a>(heading: &str, content: &'a str) -> &'a str {
    let written = content.trim_start_matches([' ', '\u{FEFF}']);
    let text = if !heading.is_empty() && written.starts_with(heading) {
        let end = content.find(['\n', '\r']);
        end.map_or("", |end| &content[end..])
    } else {
        content
    };
    let Some(first) = text.find(|c: char| !c.is_whitespace()) else {
        return "";
    };
    let start = text[..first].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    text[start..].trim_end()
}

/// Returns the tokens of a passage with `line` above `body`, which has `body_parts` token parts.
pub fn passage_tokens(pieces: &mut PieceCache, line: &str, body: &str, body_parts: u64) -> u32 {
    let head = pieces.count_parts(&format!("\n{line}\n"));
    if body.is_empty() {
        return charge(head);
    }
    let fence = pieces.count_parts(&format!("\n{}\n", fence(body)));
    charge(head + 2 * fence + body_parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_said_once() {
        for (heading, content, expected) in [
            ("## Port", "## Port\n\nIt is read.\n\n", "It is read."),
            (
                "## Port",
                "  ## Port {#port}\r\n\r\n    code\r\n",
                "    code",
            ),
            ("# 설정", "\u{FEFF}# 설정\n", ""),
            ("# A", "Title\n===\n\ntext", "Title\n===\n\ntext"),
            ("", "\n\ntext\n", "text"),
            ("# A", "", ""),
        ] {
            assert_eq!(body(heading, content), expected, "{content:?}");
        }
    }

    #[test]
    fn the_line_names_the_position() {
        let path = ["A".to_owned(), "B".to_owned()];
        let part = Part {
            number: 2,
            parts: 5,
        };
        assert_eq!(heading_line((3, 9), &path, None), "### 3-9 A > B");
        assert_eq!(
            heading_line((3, 9), &[], Some(part)),
            "### 3-9, part 2 of 5"
        );
    }
}
