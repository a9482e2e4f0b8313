//! Links in front matter: `up: "[[a]]"`, as notes have them. Other values are not known to be
//! links: what a path in front matter means only the program knows that reads it.

use docent_text::lines::{with_ends, without_end};

use crate::link::{Found, LinkKind};

/// Returns the links of a front matter, which begins at the beginning of its text.
pub fn links(front_matter: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in with_ends(front_matter) {
        of_line(front_matter, start, without_end(line), &mut found);
        start += line.len();
    }
    found
}

fn of_line(text: &str, start: usize, line: &str, found: &mut Vec<Found>) {
    let mut at = 0;
    while let Some(open) = line[at..].find("[[") {
        let inside = at + open + 2;
        let Some(length) = line[inside..].find("]]") else {
            return;
        };
        at = inside + length + 2;
        let name = &line[inside..inside + length];
        let end = name.find('|').unwrap_or(length);
        // `[[1, 2], [3, 4]]` is a list of lists, and `[[table]]` one of tables.
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

/// Whether what stands at `at` of a line is within quotes.
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
