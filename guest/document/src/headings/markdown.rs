//! Headings of Markdown, found by reading only what can hold one.
//!
//! A parser goes through every word of a document, but a heading shows by the beginning of its
//! lines. So the text is divided where a new block surely begins at the outermost level, and only
//! those pieces are parsed in which a line looks like a heading or its rule. Where a fence or HTML
//! may still be open, the parser is asked whether a heading at the end of the piece would be one.
//! What is found equals what the parser finds in the whole: a property.

use std::ops::Range;

use pulldown_cmark::Parser;

use crate::headings::heading::{Heading, OPTIONS, parse_headings, parse_headings_with};

/// Returns the headings of `markdown`, in order: what [`parse_headings`] finds in it where each
/// line ends in LF or CRLF. The parser takes a lone CR for the end of some lines and not of others.
pub fn headings(markdown: &str) -> Vec<Heading> {
    let bytes = markdown.as_bytes();
    let is_lone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    if memchr::memchr_iter(b'\r', bytes).any(is_lone) {
        return headings(&with_line_feeds(markdown));
    }
    // White space that the parser tells apart otherwise than is done here.
    if memchr::memchr2(0x0B, 0x0C, bytes).is_some() {
        return parse_headings(markdown);
    }
    let mut outline = Outline {
        markdown,
        headings: Vec::new(),
        bracketed: Vec::new(),
        defining: String::new(),
    };
    outline.fill();
    outline.link();
    outline.headings
}

/// Returns the text with LF in place of each lone CR.
fn with_line_feeds(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        let is_lone = rest.as_bytes().get(at + 1) != Some(&b'\n');
        out.push_str(&rest[..at]);
        out.push(if is_lone { '\n' } else { '\r' });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out
}

struct Outline<'a> {
    markdown: &'a str,
    headings: Vec<Heading>,
    /// Pieces with headings that may hold links, and the first such heading of each.
    bracketed: Vec<(usize, Range<usize>)>,
    /// The pieces in which a link may be defined.
    defining: String,
}

/// What is known of the lines since the last place where a block surely began.
#[derive(Default)]
struct Piece {
    start: usize,
    /// A line looks like a heading, or like the rule below one.
    may_hold: bool,
    /// Something may be open that ends only with a line of its own; how many bytes the piece must
    /// have for it to be worth asking the parser whether that is so.
    doubt: Option<usize>,
}

/// What a line is, by its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    /// One that can be nothing but a heading where a block may begin.
    Heading,
    /// A fence at the margin, of this sign and so many of it.
    Fence(u8, usize),
    /// Something at the margin that begins a block behind a blank line.
    Margin,
    /// A rule that may make a heading of the lines above.
    Rule,
    /// A heading, or part of something.
    MaybeHeading,
    /// What may leave something open.
    Doubtful,
    /// HTML, a definition, or a table: what follows may be part of it up to a blank line.
    Sticky,
    Other,
}

impl Outline<'_> {
    fn fill(&mut self) {
        let bytes = self.markdown.as_bytes();
        let mut piece = Piece::default();
        let (mut at, mut was_blank, mut is_sticky) = (0, true, false);
        while at < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
            let line = classify(&bytes[at..end]);
            let begins = match line {
                Line::Heading | Line::Fence(..) => !is_sticky,
                Line::Margin | Line::Sticky => was_blank && !bytes[at].is_ascii_whitespace(),
                _ => false,
            };
            if begins && at > piece.start && self.close(&mut piece, at) {
                piece = Piece {
                    start: at,
                    ..Piece::default()
                };
            }
            // Where the piece could not be ended, the line is part of what is open.
            let is_begun = begins && piece.start == at;
            was_blank = line == Line::Blank;
            is_sticky = !was_blank && (is_sticky || line == Line::Sticky);
            match line {
                Line::Heading if is_begun => {
                    self.add_line(at, end);
                    piece.start = end;
                    was_blank = true;
                }
                Line::Fence(sign, length) if is_begun => {
                    at = behind_fence(bytes, end, sign, length);
                    piece.start = at;
                    was_blank = true;
                    continue;
                }
                Line::Heading | Line::Rule | Line::MaybeHeading => piece.may_hold = true,
                Line::Doubtful | Line::Fence(..) => {
                    piece.doubt.get_or_insert(0);
                }
                Line::Blank | Line::Margin | Line::Sticky | Line::Other => {}
            }
            at = end;
        }
        self.add_piece(piece.start, bytes.len(), piece.may_hold);
    }

    /// Ends the piece at `end` where nothing of it is open there, with the headings in it.
    fn close(&mut self, piece: &mut Piece, end: usize) -> bool {
        let Some(least) = piece.doubt else {
            self.add_piece(piece.start, end, piece.may_hold);
            return true;
        };
        let text = &self.markdown[piece.start..end];
        if text.len() < least {
            return false;
        }
        // A heading ends all that a blank line or less ends; where it is found at the margin,
        // nothing else is open.
        let question = format!("{text}# end\n");
        let mut headings = parse_headings(&question);
        if headings
            .pop_if(|last| last.span.start == text.len())
            .is_none()
        {
            // Asking only where the piece has doubled keeps the whole linear.
            piece.doubt = Some(2 * text.len());
            return false;
        }
        self.add_headings(piece.start..end, headings);
        self.note_definitions(text);
        true
    }

    /// Adds the headings of a piece at whose end nothing is open.
    fn add_piece(&mut self, start: usize, end: usize, may_hold: bool) {
        let text = &self.markdown[start..end];
        if may_hold {
            self.add_headings(start..end, parse_headings(text));
        }
        self.note_definitions(text);
    }

    fn note_definitions(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let defines = |at: usize| bytes.get(at + 1) == Some(&b':');
        if memchr::memchr_iter(b']', bytes).any(defines) {
            self.defining.push_str(text);
            // A heading ends what is only ended by one, such as the list that the piece may be.
            self.defining.push_str("\n\n#\n\n");
        }
    }

    fn add_headings(&mut self, piece: Range<usize>, headings: Vec<Heading>) {
        let first = self.headings.len();
        self.headings
            .extend(headings.into_iter().map(|heading| Heading {
                span: heading.span.start + piece.start..heading.span.end + piece.start,
                ..heading
            }));
        let mut spans = self.headings[first..]
            .iter()
            .map(|heading| heading.span.clone());
        if spans.any(|span| self.markdown[span].contains('[')) {
            self.bracketed.push((first, piece));
        }
    }

    /// Finds out in which headings brackets make a link: that depends on definitions, which stand
    /// anywhere.
    fn link(&mut self) {
        if self.bracketed.is_empty() || self.defining.is_empty() {
            return;
        }
        let definitions = Parser::new_ext(&self.defining, OPTIONS);
        let is_defined = |label: &str| definitions.reference_definitions().get(label).is_some();
        for (first, piece) in &self.bracketed {
            let linked = parse_headings_with(&self.markdown[piece.clone()], &is_defined);
            for (heading, linked) in self.headings[*first..].iter_mut().zip(linked) {
                heading.text = linked.text;
                heading.anchor = linked.anchor;
            }
        }
    }

    /// Adds the heading that is this line.
    fn add_line(&mut self, start: usize, end: usize) {
        let line = &self.markdown[start..end];
        match plain_heading(line) {
            Some((level, text)) => {
                self.headings.push(Heading::new(level, text, start..end));
            }
            None => self.add_headings(start..end, parse_headings(line)),
        }
    }
}

/// Returns what a line is. What is wrongly taken for more than it is costs time only, for the
/// parser is asked; what is wrongly taken for less would lose a heading.
fn classify(line: &[u8]) -> Line {
    let rest = line.trim_ascii_start();
    let Some(&first) = rest.first() else {
        return Line::Blank;
    };
    let is_margin = line.len() == rest.len();
    match first {
        // `# Title`
        b'#' if is_heading(rest) && is_margin => Line::Heading,
        // `  # Title`, or code when it is indented by more; `#tag` is none, and rare.
        b'#' => Line::MaybeHeading,
        // `===` or `---` below a title, `- ` of an empty list item.
        b'=' | b'-' if rest.trim_ascii_end().iter().all(|&byte| byte == first) => Line::Rule,
        // ```` ```rust ````, `~~~`
        b'`' | b'~' if is_margin => match fence(rest) {
            Some(length) => Line::Fence(first, length),
            // A span of code at the beginning of a line: `` `code` is text ``.
            None => Line::Other,
        },
        // `<div>`: HTML up to the next blank line.
        b'<' if is_margin && !opens_html(rest) => Line::Sticky,
        // `[label]: /url`, or `| a | b |`.
        b'[' | b'|' if is_margin => Line::Sticky,
        // A paragraph, as most lines.
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. if is_margin => Line::Margin,
        _ => {
            // Behind the marks of quotes and list items, in any order and number: `> 1. - `.
            let inside = rest
                .iter()
                .position(|byte| !b" \t>-*+.)0123456789".contains(byte))
                .map_or(&[][..], |start| &rest[start..]);
            match inside.first() {
                // `- ```rust`: a block of code in an item, which ends with that or with the item.
                Some(b'`' | b'~')
                    if inside.len() > 2 && inside[..3].iter().all(|b| *b == inside[0]) =>
                {
                    Line::Doubtful
                }
                // `<!-- remark` at the margin, and `> <pre>`: open up to a line that says
                // otherwise.
                Some(b'<') if opens_html(inside) => Line::Doubtful,
                // `- [label]: /url`, `> <div>`
                Some(b'<' | b'[' | b'|') => Line::Sticky,
                // `- item`, `*emphasis* at the beginning`, `    code`
                _ => Line::Other,
            }
        }
    }
}

/// Whether a line that begins with `#` is a heading where a block may begin.
fn is_heading(line: &[u8]) -> bool {
    let level = line.iter().take_while(|&&byte| byte == b'#').count();
    level <= 6 && line.get(level).is_none_or(u8::is_ascii_whitespace)
}

/// Returns the length of the run that begins a fenced block. Fences at the margin only, to
/// CommonMark's letter: what is found has to be what the parser finds. Where words are weighed or a
/// text is cut (`parts`), fences are told more loosely.
fn fence(line: &[u8]) -> Option<usize> {
    let length = line.iter().take_while(|&&byte| byte == line[0]).count();
    let is_fence = length >= 3 && (line[0] == b'~' || !line[length..].contains(&b'`'));
    is_fence.then_some(length)
}

/// Whether `text`, which begins with `<`, may open HTML that a blank line does not end.
fn opens_html(text: &[u8]) -> bool {
    let name = &text[1..];
    // `<!-- one line -->` is over at its end.
    if name.starts_with(b"!--") {
        return memchr::memmem::find(&name[3..], b"-->").is_none();
    }
    let begins = |word: &[u8]| {
        name.get(..word.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(word))
    };
    // `<!DOCTYPE`, `<?php`, and the four whose content is no Markdown.
    name.starts_with(b"!")
        || name.starts_with(b"?")
        || begins(b"script")
        || begins(b"pre")
        || begins(b"style")
        || begins(b"textarea")
}

/// Returns where the line behind a fenced block begins.
fn behind_fence(bytes: &[u8], mut at: usize, sign: u8, length: usize) -> usize {
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        let line = &bytes[at..end];
        at = end;
        let indent = line.iter().take_while(|&&byte| byte == b' ').count();
        if indent > 3 || line.get(indent) != Some(&sign) {
            continue;
        }
        let run = line[indent..]
            .iter()
            .take_while(|&&byte| byte == sign)
            .count();
        // As the parser has it, which takes no tab here.
        let behind = &line[indent + run..];
        if run >= length && behind.iter().all(|byte| b" \r\n".contains(byte)) {
            break;
        }
    }
    at
}

/// Returns level and text of a heading's line in which no character means anything but itself.
fn plain_heading(line: &str) -> Option<(u8, &str)> {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    let text = line[level..].trim_matches([' ', '\t', '\r', '\n']);
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || b" ,.;:()/+='\"?-".contains(&byte) || !byte.is_ascii()
    };
    let level = u8::try_from(level).ok()?;
    text.bytes().all(is_plain).then_some((level, text))
}

#[cfg(test)]
mod tests {
    use docent_test_texts::registry;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn of_real_documents() {
        let mut whole = String::new();
        for (_, path) in registry::packages() {
            for name in ["README.md", "CHANGELOG.md"] {
                let text = registry::read(&path.join(name)).unwrap_or_default();
                assert_eq!(
                    headings(&text),
                    parse_headings(&with_line_feeds(&text)),
                    "{}",
                    path.join(name).display()
                );
                whole.push_str(&text);
            }
        }
        assert!(whole.len() > 500_000, "{}", whole.len());
        assert_eq!(headings(&whole), parse_headings(&with_line_feeds(&whole)));
    }

    #[test]
    fn blanks_at_the_end_are_in_no_anchor() {
        for text in ["# - \t", "# - \t\n", "# `a` \t\n", "[a] \t\n---\n"] {
            let headings = headings(text);
            assert_eq!(headings, parse_headings(text), "{text:?}");
            assert!(!headings[0].anchor.ends_with("--"), "{headings:?}");
            assert_ne!(headings[0].anchor, "a-", "{text:?}");
        }
    }

    #[test]
    fn a_definition_in_code_behind_a_list_is_none() {
        let text = "- ]: c\n# [a]: /b\n    [a]: /b\n";
        assert_eq!(headings(text), parse_headings(text));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn those_that_the_parser_finds(
            pieces in proptest::collection::vec(proptest::sample::select(&[
                "# ", "## ", "#", " ##\n", "===\n", "---\n", "-\n", "=", "a", "b c ", "한 ", "\n", "\n", "\n\n",
                "\r\n", "\r", " ", "  ", "    ", "\t", "```", "```\n", "```rust\n", "~~~\n", "````\n", "`", "> ", "- ",
                "* ", "1. ", "| a | b |\n", "|---|---|\n", "|", "<div>\n", "</div>\n", "<a>", "<!-- ", "-->", "<pre>\n",
                "</pre>", "<?", "?>", "[a]: /b\n", "[a]", "[A\n", "B]", "[a b]", "[K]", "[k]: d\n", "[\u{212a}]", "[a\\]", "]: c\n", "[", "[a](b)", "![a](b)\n", "\\", "&amp;", "*", "_", "\u{a0}", "\u{c}",
                "[a]:\n", "'t\n", "text\n", "text\n\n", "\n# x\n", "\n\n# y\n", " {#i}", " {/*i*/}", "\n```\n", "\n\n```\n",
            ][..]), 0..24),
        ) {
            let text = pieces.concat();
            prop_assert_eq!(headings(&text), parse_headings(&with_line_feeds(&text)), "{:?}", text);
        }
    }
}
