//! Headings of Textile.

use crate::headings::emphasis::{Signs, without_emphasis};
use crate::headings::heading::{Heading, with_headings};
use crate::limits::{SECTIONS, TITLE_BYTES};
use docent_text::lines::{with_ends, without_end};

/// Signs of emphasis of Textile. `@` is around code.
const SIGNS: Signs = Signs {
    text: "*_-+%^~",
    code: "@",
};

/// The blocks of Textile: those that a line `bc. ` begins.
const BLOCKS: [&str; 6] = ["p", "bq", "bc", "pre", "notextile", "###"];

/// Maximum bytes of the attributes between two brackets: a line of `(` is searched for their end
/// only so far.
const ATTRIBUTE_BYTES: usize = 200;

/// A region without headings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Skipped {
    /// A block `bc. `, up to a blank line.
    Block,
    /// A block `bc.. `, up to the next block with a name.
    LongBlock,
    /// Elements `<pre>` or `<notextile>`, up to the tag that ends them.
    Element(&'static str),
}

/// Returns the headings of a Textile text: `h1. ` to `h6. `, with attributes before the dot,
/// outside code.
///
/// ```text
/// h2(#setup). Set *up*
/// ```
pub fn textile_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let mut headings = Vec::new();
    let mut skipped: Option<Skipped> = None;
    let mut start = 0;
    for line in with_ends(text) {
        let plain = without_end(line);
        let block = block(plain);
        skipped = match skipped {
            Some(Skipped::Element(end)) if plain.contains(end) => None,
            Some(Skipped::Block) if plain.trim().is_empty() => None,
            Some(Skipped::LongBlock) if block.is_some() => None,
            other => other,
        };
        if skipped.is_none() {
            match block {
                Some(block) => match block.name.strip_prefix('h').map(str::as_bytes) {
                    Some([level @ b'1'..=b'6']) => {
                        let title = plain_title(block.text);
                        if !title.is_empty() {
                            let span = start..start + line.len();
                            let mut heading = Heading::new(level - b'0', &title, span);
                            if let Some(id) = block.id {
                                id.clone_into(&mut heading.anchor);
                            }
                            headings.push(heading);
                        }
                    }
                    _ => skipped = block.skip(),
                },
                None => skipped = element(plain),
            }
        }
        start += line.len();
    }
    headings.truncate(SECTIONS);
    headings
}

/// The first line of a block with a name: `h2(#id). text`.
struct Block<'l> {
    name: &'l str,
    id: Option<&'l str>,
    is_long: bool,
    text: &'l str,
}

impl Block<'_> {
    /// Returns the region that the block keeps free of headings.
    fn skip(&self) -> Option<Skipped> {
        if !matches!(self.name, "bc" | "pre" | "notextile" | "###") {
            return None;
        }
        let is_long = self.is_long;
        Some(if is_long {
            Skipped::LongBlock
        } else {
            Skipped::Block
        })
    }
}

/// Reads the first line of a block.
fn block(line: &str) -> Option<Block<'_>> {
    let named = BLOCKS.iter().find(|name| line.starts_with(**name));
    let length = match named {
        Some(name) => name.len(),
        None => match line.as_bytes() {
            [b'h', b'1'..=b'6', ..] => 2,
            _ => return None,
        },
    };
    let (name, mut rest) = line.split_at(length);
    let mut id = None;
    // Attributes in any order: `(class#id)`, `{style}`, `[language]`, and signs of alignment.
    loop {
        let close = match rest.as_bytes().first()? {
            b'.' => break,
            b'(' => ')',
            b'{' => '}',
            b'[' => ']',
            b'<' | b'>' | b'=' | b')' => {
                rest = &rest[1..];
                continue;
            }
            _ => return None,
        };
        let near = &rest[1..rest.floor_char_boundary(ATTRIBUTE_BYTES)];
        match near.split_once(close) {
            Some((inside, _)) => {
                let after = &rest[1 + inside.len() + 1..];
                let own = inside.split_once('#').map(|(_, id)| id);
                id = id.or(own.filter(|id| close == ')' && !id.is_empty()));
                rest = after;
            }
            // A single `(` is an indent.
            _ => rest = &rest[1..],
        }
    }
    let text = rest.trim_start_matches('.');
    let is_block = rest.len() - text.len() <= 2 && (text.is_empty() || text.starts_with(' '));
    is_block.then(|| Block {
        name,
        id,
        is_long: rest.len() - text.len() == 2,
        text: text.trim(),
    })
}

/// Returns the region of an element that a line begins and does not end.
fn element(line: &str) -> Option<Skipped> {
    let line = line.to_ascii_lowercase();
    let elements = [
        ("<pre", "</pre>"),
        ("<notextile", "</notextile>"),
        ("<!--", "-->"),
    ];
    elements.into_iter().find_map(|(begin, end)| {
        let (_, after) = line.rsplit_once(begin)?;
        (!after.contains(end)).then_some(Skipped::Element(end))
    })
}

/// Returns a title without the markup of links and emphasis: `"words":target` is `words`.
fn plain_title(title: &str) -> String {
    let title = &title[..title.floor_char_boundary(TITLE_BYTES)];
    let mut text = String::new();
    let mut rest = title;
    while let Some((before, target)) = rest.split_once("\":") {
        let end = target.find(char::is_whitespace).unwrap_or(target.len());
        let Some((ahead, words)) = before.rsplit_once('"').filter(|_| end > 0) else {
            text.push_str(before);
            text.push_str("\":");
            rest = target;
            continue;
        };
        text.push_str(ahead);
        text.push_str(words);
        rest = &target[end..];
    }
    text.push_str(rest);
    without_emphasis(&text, &SIGNS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headings::heading::levels_and_texts;

    fn all(text: &str) -> Vec<(u8, String)> {
        levels_and_texts(textile_headings(text))
    }

    #[test]
    fn titles() {
        for (line, level, title) in [
            ("h1. 개요", 1, "개요"),
            (
                "h2(note#setup){color:red}[ko]. 설정 *바꾸기*",
                2,
                "설정 바꾸기",
            ),
            ("h3>. Right", 3, "Right"),
            ("h6((. Indented @code_x@", 6, "Indented code_x"),
            (
                "h2. See \"the guide\":https://a.b/c now",
                2,
                "See the guide now",
            ),
            ("h2. a \":b", 2, "a \":b"),
            ("h2. snake_case_name", 2, "snake_case_name"),
        ] {
            assert_eq!(all(line), [(level, title.to_owned())], "{line}");
        }
        for line in [
            "h1.x", "h7. x", " h1. x", "h1 x", "h1.", "h1... x", "host. x", "h1(x",
        ] {
            assert!(all(line).is_empty(), "{line}");
        }
        assert_eq!(textile_headings("h1(#own). A b")[0].anchor, "own");
    }

    #[test]
    fn not_within_code() {
        let text = "h1. A\n\nbc. x\nh1. no\n\nh2. B\n\nbc.. y\n\nno\n\np. z\nh2. C\n\n<pre>\nh1. no\n</pre>\nh2. D\n\n<pre>x</pre>\nh2. E\n<!--\nh1. no\n-->\n###. no\nh1. no\n";
        let expected = [(1, "A"), (2, "B"), (2, "C"), (2, "D"), (2, "E")];
        assert_eq!(all(text), expected.map(|(l, t)| (l, t.to_owned())));
    }
}
