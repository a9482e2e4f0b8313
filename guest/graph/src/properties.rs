//! Links in front matter: `up: "[[a]]"`, as in notes. Other values are not known to be links: only
//! the program that reads a path in front matter knows its meaning.

use docent_text::lines::{with_ends, without_end};

use crate::link::{Found, LinkKind};

/// Reads the links of front matter, which starts at the beginning of its text.
pub fn links(front_matter: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in with_ends(front_matter) {
        line_links(front_matter, start, without_end(line), &mut found);
        start += line.len();
    }
    found
}

fn line_links(text: &str, start: usize, line: &str, found: &mut Vec<Found>) {
    let mut at = 0;
    while let Some(open) = line[at..].find("[[") {
        let inside = at + open + 2;
        let Some(length) = line[inside..].find("]]") else {
            return;
        };
        at = inside + length + 2;
        let name = &line[inside..inside + length];
        let end = name.find('|').unwrap_or(length);
        // `[[1, 2], [3, 4]]` is a list of lists, and `[[table]]` a TOML array of tables.
        let is_list =
            name.contains(['[', ']', '"', '\'']) || name.contains(',') && !is_quoted(line, inside);
        if is_list || line.starts_with("[[") || name[..end].trim().is_empty() {
            continue;
        }
        let destination = start + inside..start + inside + end;
        let span = start + inside - 2..start + at;
        let kind = LinkKind::Wiki;
        if let Some(mut one) = Found::new(text, kind, span, destination) {
            one.target = one.target.trim().to_owned();
            found.push(one);
        }
    }
}

/// Returns true if position `at` of a line is within quotes.
fn is_quoted(line: &str, at: usize) -> bool {
    let mut open = None;
    for sign in line[..at].bytes() {
        match open {
            Some(quote) if quote == sign => open = None,
            None if b"\"'".contains(&sign) => open = Some(sign),
            _ => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_properties() {
        let text = "---\nup: \"[[a b|c]]\"\nlist:\n  - '[[d#e]]'\n  - [[f]]\nall: [\"[[g, h]]\", \"[[i]]\"]\n\
                    matrix: [[1, 2], [3, 4]]\nnone: [[1, 2]]\nempty: \"[[]]\"\n[[table]]\n---\n";
        let found = links(text);
        let found: Vec<&str> = found
            .iter()
            .map(|link| &text[link.destination.clone().unwrap()])
            .collect();
        assert_eq!(found, ["a b", "d#e", "f", "g, h", "i"]);
    }
}
