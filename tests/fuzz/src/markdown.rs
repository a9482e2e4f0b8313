//! The laws of the Markdown that readers produce: its structure is the document's, and never comes
//! from the document's words.

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Checks that every heading of a text is a line with number signs, that no block is code or
/// markup, and that the text has no front matter.
///
/// If it does not hold.
/// If it does not hold.
pub fn check(text: &str) {
    let first = text.lines().next().map(str::trim_end);
    assert!(!matches!(first, Some("---" | "+++")), "{text}");
    let mut headings = 0;
    for (event, place) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                assert!(text[place].starts_with('#'), "{text}");
                headings += 1;
            }
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => panic!("{text}"),
            _ => {}
        }
    }
    let lines = text.lines().filter(|line| line.starts_with('#'));
    let marked = lines.filter(|line| {
        let words = line.trim_start_matches('#');
        words.starts_with(' ') && line.len() - words.len() <= 6
    });
    assert_eq!(headings, marked.count(), "{text}");
}

/// Checks that a text read up to a limit is the beginning of the text read without one.
///
/// # Panics
/// If it does not hold.
pub fn check_beginning(beginning: &str, all: &str, limit: usize) {
    assert!(beginning.len() <= limit, "{beginning}");
    assert!(all.starts_with(beginning), "{beginning}\n\n{all}");
}
