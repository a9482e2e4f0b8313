//! Markdown headings, found by parsing only the pieces that can contain one.
//!
//! A parser visits every word of a document, but a heading is recognizable by the start of its
//! lines. So the text is split where a top-level block surely begins, and only pieces with a line
//! that looks like a heading or an underline are parsed. Where a fence or HTML may still be open,
//! the parser decides if a heading at the end of the piece would be recognized. A property test
//! verifies that the result equals that of parsing the whole text.

use std::ops::Range;

use pulldown_cmark::Parser;

use crate::headings::heading::{Heading, OPTIONS, parse_headings, parse_headings_with};

/// Returns the headings of `markdown`, in order: equal to [`parse_headings`] of the text with every
/// line end being LF or CRLF. The parser takes a lone CR for the end of some lines and not of
/// others.
pub fn headings(markdown: &str) -> Vec<Heading> {
    let bytes = markdown.as_bytes();
    let is_lone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    if memchr::memchr_iter(b'\r', bytes).any(is_lone) {
        return headings(&with_line_feeds(markdown));
    }
    // The parser and this scanner treat vertical tabs and form feeds differently, so that a text
    // with one of them is parsed as a whole. Such texts are rare, and the result must equal the
    // parser's in every case.
    if memchr::memchr2(0x0B, 0x0C, bytes).is_some() {
        return parse_headings(markdown);
    }
    let mut outline = HeadingScanner {
        markdown,
        headings: Vec::new(),
        bracketed: Vec::new(),
        defining: String::new(),
    };
    outline.fill();
    outline.link();
    outline.headings
}

/// Replaces each lone CR by LF.
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

struct HeadingScanner<'a> {
    markdown: &'a str,
    headings: Vec<Heading>,
    /// Pieces with headings that may contain links, with the index range of the first such heading.
    bracketed: Vec<(usize, Range<usize>)>,
    /// Concatenation of the pieces that may define links.
    defining: String,
}

/// State of the lines since the last certain start of a block.
#[derive(Default)]
struct BlockState {
    start: usize,
    /// True if a line looks like a heading or an underline.
    may_hold: bool,
    /// Minimum bytes of the piece before the parser is asked again if a construct is still open;
    /// `None` if no line has left one open. The constructs in question, such as a fence in a list
    /// item or a comment of HTML, only end at a line of their own.
    doubt: Option<usize>,
}

/// The kind of a line, by its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Blank,
    /// Certainly a heading, at a place where a block may begin.
    Heading,
    /// A fence at the margin: its sign and its length.
    Fence(u8, usize),
    /// A line at the margin that begins a block after a blank line.
    Margin,
    /// An underline that may turn the lines above into a heading.
    Rule,
    /// A heading, or part of another construct.
    MaybeHeading,
    /// A line that may leave a construct open.
    Doubtful,
    /// HTML, a definition, or a table: the following lines may belong to it, up to a blank line.
    Sticky,
    Other,
}

impl HeadingScanner<'_> {
    fn fill(&mut self) {
        let bytes = self.markdown.as_bytes();
        let mut piece = BlockState::default();
        let (mut at, mut was_blank, mut is_sticky) = (0, true, false);
        while at < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
            let line = classify(&bytes[at..end]);
            let begins = match line {
                LineKind::Heading | LineKind::Fence(..) => !is_sticky,
                LineKind::Margin | LineKind::Sticky => {
                    was_blank && !bytes[at].is_ascii_whitespace()
                }
                _ => false,
            };
            if begins && at > piece.start && self.close(&mut piece, at) {
                piece = BlockState {
                    start: at,
                    ..BlockState::default()
                };
            }
            // A piece that could not be closed contains this line too: it is part of an open
            // construct, and its kind is left to the parser.
            let is_begun = begins && piece.start == at;
            was_blank = line == LineKind::Blank;
            is_sticky = !was_blank && (is_sticky || line == LineKind::Sticky);
            match line {
                LineKind::Heading if is_begun => {
                    self.add_line(at, end);
                    piece.start = end;
                    was_blank = true;
                }
                LineKind::Fence(sign, length) if is_begun => {
                    at = line_after_fence(bytes, end, sign, length);
                    piece.start = at;
                    was_blank = true;
                    continue;
                }
                LineKind::Heading | LineKind::Rule | LineKind::MaybeHeading => {
                    piece.may_hold = true
                }
                LineKind::Doubtful | LineKind::Fence(..) => {
                    piece.doubt.get_or_insert(0);
                }
                LineKind::Blank | LineKind::Margin | LineKind::Sticky | LineKind::Other => {}
            }
            at = end;
        }
        self.add_piece(piece.start, bytes.len(), piece.may_hold);
    }

    /// Closes the piece at `end` if no construct is open there, and adds its headings.
    fn close(&mut self, piece: &mut BlockState, end: usize) -> bool {
        let Some(least) = piece.doubt else {
            self.add_piece(piece.start, end, piece.may_hold);
            return true;
        };
        let text = &self.markdown[piece.start..end];
        if text.len() < least {
            return false;
        }
        // The parser is asked with a heading after the piece. A heading ends every construct that a
        // blank line or less ends. If it is recognized at the margin, nothing is open there, and
        // the text after it can be parsed on its own; within an open fence or comment it is not
        // recognized.
        let question = format!("{text}# end\n");
        let mut headings = parse_headings(&question);
        if headings
            .pop_if(|last| last.span.start == text.len())
            .is_none()
        {
            // The parser is asked again only after the piece has doubled. A text with a comment
            // that is never closed, followed by many paragraphs, would otherwise be parsed from its
            // start for each of them; in this way the total stays linear.
            piece.doubt = Some(2 * text.len());
            return false;
        }
        self.add_headings(piece.start..end, headings);
        self.note_definitions(text);
        true
    }

    /// Adds the headings of a piece at whose end no construct is open.
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
            // Each piece is followed by a heading, which closes the constructs that only a heading
            // ends. In `- a⏎# h⏎    [b]: c` the heading is in neither of the two pieces around it.
            // Without one, the code after it would be a part of the list item, and the definition
            // in it would count.
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

    /// Resolves brackets in headings to links, which depends on definitions anywhere in the
    /// document: the text of `# [a][b]` is `a` if `[b]: /url` exists and `[a][b]` if not. Only
    /// pieces with such headings are parsed a second time.
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

    /// Adds the heading on this line.
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

/// Classifies a line. An overestimate only costs time, because the parser decides; an underestimate
/// would lose a heading.
fn classify(line: &[u8]) -> LineKind {
    let rest = line.trim_ascii_start();
    let Some(&first) = rest.first() else {
        return LineKind::Blank;
    };
    let is_margin = line.len() == rest.len();
    match first {
        // `# Title`
        b'#' if is_heading(rest) && is_margin => LineKind::Heading,
        // `  # Title`, or code if indented by more; `#tag` is not a heading, and rare.
        b'#' => LineKind::MaybeHeading,
        // A line of `=` or `-` alone may underline a title. `---` may also be a thematic break and
        // `-` an empty list item; the parser decides.
        b'=' | b'-' if rest.trim_ascii_end().iter().all(|&byte| byte == first) => LineKind::Rule,
        // A fence of code: ```` ```rust ```` or `~~~`.
        b'`' | b'~' if is_margin => match fence(rest) {
            Some(length) => LineKind::Fence(first, length),
            // A run of backticks with another one after it on the line is a code span at the start
            // of a paragraph: `` ```code``` is text ``.
            None => LineKind::Other,
        },
        // HTML up to the next blank line: `<div>`.
        b'<' if is_margin && !opens_html(rest) => LineKind::Sticky,
        // A definition or a table: `[label]: /url`, or `| a | b |`.
        b'[' | b'|' if is_margin => LineKind::Sticky,
        // A paragraph, like most lines.
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. if is_margin => LineKind::Margin,
        _ => {
            // The text after the markers of quotes and list items, in any order and number, as in
            // `> 1. - text`. The signs are skipped without a check of their order: a line that is
            // classified as open by mistake only costs a call of the parser.
            let inside = rest
                .iter()
                .position(|byte| !b" \t>-*+.)0123456789".contains(byte))
                .map_or(&[][..], |start| &rest[start..]);
            match inside.first() {
                // `- ```rust`: a code block in an item, which ends with the block or the item.
                Some(b'`' | b'~')
                    if inside.len() > 2 && inside[..3].iter().all(|b| *b == inside[0]) =>
                {
                    LineKind::Doubtful
                }
                // `<!-- remark` at the margin, and `> <pre>`: open up to a closing line.
                Some(b'<') if opens_html(inside) => LineKind::Doubtful,
                // A definition, HTML or a table in a list item or a quote: `- [label]: /url`, `>
                // <div>`.
                Some(b'<' | b'[' | b'|') => LineKind::Sticky,
                // Any other text: `- item`, `*emphasis* at the beginning`, `    code`.
                _ => LineKind::Other,
            }
        }
    }
}

/// Returns true if a line that begins with `#` is a heading, at a place where a block may begin.
fn is_heading(line: &[u8]) -> bool {
    let level = line.iter().take_while(|&&byte| byte == b'#').count();
    level <= 6 && line.get(level).is_none_or(u8::is_ascii_whitespace)
}

/// Returns the length of the opening run of a fenced block. Only fences at the margin, by the
/// letter of CommonMark, because the result must equal the parser's. Word weighting and text
/// splitting (`parts`) recognize fences more loosely.
fn fence(line: &[u8]) -> Option<usize> {
    let length = line.iter().take_while(|&&byte| byte == line[0]).count();
    let is_fence = length >= 3 && (line[0] == b'~' || !line[length..].contains(&b'`'));
    is_fence.then_some(length)
}

/// Returns true if `text`, which begins with `<`, may open HTML that a blank line does not end.
fn opens_html(text: &[u8]) -> bool {
    let name = &text[1..];
    // `<!-- one line -->` ends on its line.
    if name.starts_with(b"!--") {
        return memchr::memmem::find(&name[3..], b"-->").is_none();
    }
    let begins = |word: &[u8]| {
        name.get(..word.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(word))
    };
    // These are the start conditions 1 to 5 of HTML blocks in CommonMark (section 4.6), whose
    // content a blank line does not end: `<script`, `<pre`, `<style` and `<textarea`, comments,
    // `<?php`, `<!DOCTYPE` and CDATA.
    name.starts_with(b"!")
        || name.starts_with(b"?")
        || begins(b"script")
        || begins(b"pre")
        || begins(b"style")
        || begins(b"textarea")
}

/// Returns the start of the line after a fenced block.
fn line_after_fence(bytes: &[u8], mut at: usize, sign: u8, length: usize) -> usize {
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
        // The parser accepts no tab after a closing fence, although CommonMark does (section 4.5).
        // The scanner follows the parser: with a different end of the block, all headings up to the
        // next fence would differ.
        let after = &line[indent + run..];
        if run >= length && after.iter().all(|byte| b" \r\n".contains(byte)) {
            break;
        }
    }
    at
}

/// Returns level and text of a heading line without any special character.
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
    fn headings_of_real_documents() {
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
    fn a_definition_in_code_after_a_list_is_none() {
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
