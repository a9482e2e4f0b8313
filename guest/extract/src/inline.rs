//! Inline content that readers of several formats write in the same form: links and raised numbers.

use crate::markdown::one_line;

/// Makes a link of the text from `start` on, unless it is blank.
pub fn make_link(text: &mut String, start: usize, address: &str) {
    let words = one_line(&text[start..]);
    if words.is_empty() {
        return;
    }
    // A blank or a closing parenthesis would end the address, and a bracket the text of the
    // link: `[a](b c)` is not a link in Markdown. Line breaks in an address are removed. All of
    // these occur in addresses that editors accept.
    let address = address.replace(['\n', '\r'], "").replace(' ', "%20");
    let address = address.replace('(', "%28").replace(')', "%29");
    let words = words.replace('[', "\\[").replace(']', "\\]");
    // Editors include the blank before a word in the link. It is moved before the link, so that
    // the words around it stay separate.
    let blank = if text[start..].starts_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    text.truncate(start);
    text.push_str(&format!("{blank}[{words}]({address})"));
}

/// Returns a number as a superscript, since `10` with a raised `-6` is not `10-6`. `None` for other
/// text, which reads as well on the line.
pub fn superscript(text: &str) -> Option<String> {
    let above = |c| {
        Some(match c {
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            '9' => '⁹',
            '+' => '⁺',
            '-' | '\u{2212}' | '\u{2013}' => '⁻',
            _ => return None,
        })
    };
    text.chars().map(above).collect()
}
