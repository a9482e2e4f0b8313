//! A writer of Markdown whose structure is that of the document, whatever its words contain.

use std::borrow::Cow;

use crate::failure::EarlyStop;
use crate::unclosed::closing_line;

/// Blanks before an item for each level above it.
const INDENT: usize = 4;

/// Maximum number of an item: CommonMark allows nine digits.
const MAX_ITEM_NUMBER: u32 = 999_999_999;

/// The kind of the last block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastBlock {
    None,
    /// A list item at this level, whose words begin in this column; `None` if parsers take it for
    /// text of the item above it.
    Item {
        level: usize,
        column: Option<usize>,
    },
    Other,
}

/// Beginning of a note about what is left out.
const LEFT_OUT: &str = "Left out: ";

/// Markdown of bounded length.
#[derive(Clone, Debug)]
pub struct Markdown {
    text: String,
    /// Maximum length in bytes.
    cap: usize,
    last: LastBlock,
}

/// The marker of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A dash.
    Bullet,
    /// A number.
    Number(u32),
}

impl Markdown {
    /// Creates an empty text of at most `cap` bytes.
    pub fn new(cap: usize) -> Self {
        Self {
            text: String::new(),
            cap,
            last: LastBlock::None,
        }
    }

    /// Removes the text.
    pub fn clear(&mut self) {
        self.text.clear();
        self.last = LastBlock::None;
    }

    /// Returns the number of bytes that may still be added.
    pub fn room(&self) -> usize {
        self.cap - self.text.len()
    }

    /// Returns true if there is more than headings and notes about what is left out in the last
    /// `length` bytes.
    pub fn has_words(&self, length: usize) -> bool {
        let start = self.text.len().saturating_sub(length);
        let last = self.text.get(start..).unwrap_or_default();
        last.lines().any(|line| {
            let is_heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
            !line.trim().is_empty() && !is_heading && !line.starts_with(LEFT_OUT)
        })
    }

    /// Adds a heading; 1 is the highest level, 6 the lowest. An empty heading is ignored.
    pub fn heading(&mut self, level: u8, text: &str) -> Result<(), EarlyStop> {
        let text = one_line(text);
        if text.is_empty() {
            return Ok(());
        }
        let level = usize::from(level.clamp(1, 6));
        // A closing sequence of `#` is not part of an ATX heading: `## C #` would be the
        // heading `C`. One more `#`, separated by a blank, is taken as the closing sequence
        // instead, and the document's own signs stay.
        let end = if text.ends_with('#') { " #" } else { "" };
        self.block(&format!("{} {text}{end}\n", "#".repeat(level)))
    }

    /// Adds a paragraph, keeping its line breaks. An empty paragraph is ignored.
    pub fn paragraph(&mut self, text: &str) -> Result<(), EarlyStop> {
        let mut paragraph = String::with_capacity(text.len() + 1);
        for line in text.lines().map(one_line).filter(|line| !line.is_empty()) {
            paragraph.push_str(&escape(&line));
            paragraph.push('\n');
        }
        if paragraph.is_empty() {
            return Ok(());
        }
        self.block(&paragraph)
    }

    /// Adds text that is Markdown already, without empty lines at both ends. Blocks that would
    /// continue behind it, such as a fence without an end, are closed.
    pub fn markdown(&mut self, text: &str) -> Result<(), EarlyStop> {
        self.markdown_below("", text)
    }

    /// Adds text like [`markdown`](Self::markdown), directly below a line, which is a comment and
    /// has its end. The line is left out with a text that is empty.
    pub fn markdown_below(&mut self, line: &str, text: &str) -> Result<(), EarlyStop> {
        let is_shown = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
        let text: String = text.chars().filter(is_shown).collect();
        // Blanks before the first line may make it code, so whole lines are removed only.
        let start = text.len() - text.trim_start().len();
        let start = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let text = text[start..].trim_end();
        if text.is_empty() {
            return Ok(());
        }
        // A rule in the first line of all would open front matter.
        let is_first = self.last == LastBlock::None && line.is_empty();
        if is_first && (text.starts_with("---") || text.starts_with("+++")) {
            self.push("\n")?;
        }
        let end = closing_line(text);
        self.block(&format!("{line}{text}\n{end}"))
    }

    /// Adds lines of code verbatim, without empty ones at both ends. Empty code is ignored.
    pub fn code(&mut self, text: &str) -> Result<(), EarlyStop> {
        self.fenced_code("", text)
    }

    /// Adds a line to `code`, which is written as one block before the next other one.
    ///
    /// # Errors
    /// [`EarlyStop::Full`] if there is no room for all of it.
    pub fn gather_code(&self, line: &str, code: &mut String) -> Result<(), EarlyStop> {
        code.push_str(line);
        code.push('\n');
        if code.len() > self.room() {
            return Err(EarlyStop::Full);
        }
        Ok(())
    }

    /// Adds lines of code verbatim like [`code`](Self::code), with words behind the fence, which
    /// contain neither line breaks nor backticks: the language.
    pub fn fenced_code(&mut self, info: &str, text: &str) -> Result<(), EarlyStop> {
        let is_shown = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
        let text: String = text.chars().filter(is_shown).collect();
        let text = text.trim_start_matches('\n').trim_end();
        if text.trim().is_empty() {
            return Ok(());
        }
        // The fence is longer than every run of backticks in the code. Code that contains a
        // fence of its own, such as documentation of Markdown, would otherwise end its block
        // early, and the rest of the document would have other headings.
        let runs = text.split(|c| c != '`').map(str::len);
        let fence = "`".repeat(runs.max().map_or(3, |longest| (longest + 1).max(3)));
        self.block(&format!("{fence}{info}\n{text}\n{fence}\n"))
    }

    /// Adds a list item at a level, the outermost being 0. An empty item is ignored.
    pub fn item(&mut self, level: usize, marker: Marker, text: &str) -> Result<(), EarlyStop> {
        let text = one_line(text);
        if text.is_empty() {
            return Ok(());
        }
        // An item may be one level deeper than the one before it. Deeper, or as the first item,
        // its indentation of four or more blanks would make it a block of code, and its marker
        // a part of that code.
        let (level, continues) = match self.last {
            LastBlock::Item { level: last, .. } => (level.min(last + 1), true),
            LastBlock::None | LastBlock::Other => (0, false),
        };
        let column = self.item_column(level, marker);
        let marker = match marker {
            Marker::Bullet => "- ".to_owned(),
            Marker::Number(number) => format!("{}. ", number.min(MAX_ITEM_NUMBER)),
        };
        let line = format!("{:1$}{marker}{2}\n", "", level * INDENT, escape(&text));
        if continues {
            self.push(&line)?;
        } else {
            self.block(&line)?;
        }
        let column = column.map(|column| column + marker.len());
        self.last = LastBlock::Item { level, column };
        Ok(())
    }

    /// Returns the column of the next item at this level, or `None` if parsers take it for text of
    /// the item above it.
    fn item_column(&self, level: usize, marker: Marker) -> Option<usize> {
        let column = level * INDENT;
        let LastBlock::Item {
            level: last,
            column: above,
        } = self.last
        else {
            return Some(column);
        };
        if level == 0 {
            return Some(column);
        }
        let above = above?;
        // A list whose first number is not 1 does not end the paragraph above it.
        let begins = matches!(marker, Marker::Bullet | Marker::Number(1));
        (level <= last || (begins && above <= column)).then_some(column)
    }

    /// Adds a further paragraph of the item before it, on one line. If there is no item, it is a
    /// paragraph of its own.
    pub fn item_paragraph(&mut self, text: &str) -> Result<(), EarlyStop> {
        let LastBlock::Item {
            column: Some(column),
            ..
        } = self.last
        else {
            return self.paragraph(text);
        };
        let text = one_line(text);
        if text.is_empty() {
            return Ok(());
        }
        // The paragraph belongs to the item if it begins where the words of the item do.
        self.push(&format!("\n{:column$}{}\n", "", escape(&text)))
    }

    /// Adds a table whose first row is its head. Each row has as many cells as the first. An empty
    /// table is ignored.
    pub fn table(&mut self, rows: &[Vec<String>]) -> Result<(), EarlyStop> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let is_empty = rows.iter().flatten().all(|cell| cell.trim().is_empty());
        if is_empty {
            return Ok(());
        }
        for (index, row) in rows.iter().enumerate() {
            let cells = row.iter().map(String::as_str);
            let filled = cells.chain(std::iter::repeat("")).take(columns);
            self.row(index, columns, filled)?;
        }
        Ok(())
    }

    /// Adds row `index`, counted from 0, of a table with `columns` columns.
    pub fn row<'a>(
        &mut self,
        index: usize,
        columns: usize,
        cells: impl Iterator<Item = &'a str>,
    ) -> Result<(), EarlyStop> {
        let mut line = String::from("|");
        for cell in cells {
            line.push(' ');
            push_cell(&mut line, cell);
            line.push_str(" |");
            // A row may be as long as the whole text: a sheet has up to 16 384 columns, and one
            // shared string of megabytes may be in each of them. The row is therefore not built
            // beyond what the text has room for.
            if line.len() > self.room() {
                return Err(EarlyStop::Full);
            }
        }
        line.push('\n');
        if index > 0 {
            return self.push(&line);
        }
        line.push('|');
        line.push_str(&" --- |".repeat(columns));
        line.push('\n');
        self.block(&line)
    }

    /// Adds a sentence with the numbers of elements that the text omits, each with its name in
    /// singular and plural. Zeros are omitted.
    pub fn push_omission_note(&mut self, counts: &[(usize, &str, &str)]) -> Result<(), EarlyStop> {
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let named: Vec<String> = counts
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        if named.is_empty() {
            return Ok(());
        }
        self.block(&format!("{LEFT_OUT}{}.\n", named.join(", ")))
    }

    /// Adds a line that says that the document is damaged: its text may end anywhere.
    pub fn push_damage_note(&mut self) -> Result<(), EarlyStop> {
        self.block("Damaged: parts of this document could not be read.\n")
    }

    /// Adds a block, preceded by an empty line.
    fn block(&mut self, block: &str) -> Result<(), EarlyStop> {
        if self.last != LastBlock::None {
            self.push("\n")?;
        }
        self.push(block)?;
        self.last = LastBlock::Other;
        Ok(())
    }

    /// Adds `text`, or as much of it as fits.
    fn push(&mut self, text: &str) -> Result<(), EarlyStop> {
        if text.len() > self.room() {
            let end = text.floor_char_boundary(self.room());
            self.text.push_str(&text[..end]);
            return Err(EarlyStop::Full);
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Returns `text` on one line, as in Markdown: runs of blanks become single ones, with none at the
/// ends and no control characters.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Soft hyphens and byte order marks are not text: they would split a word for a
            // search.
            '\u{AD}' | '\u{FEFF}' => {}
            c if c.is_whitespace() || c.is_control() => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            c => line.push(c),
        }
    }
    // The line is trimmed in place. Nearly every line is correct already, and copying each
    // would cost more than checking it.
    let end = line.trim_end_matches(' ').len();
    line.truncate(end);
    let start = line.len() - line.trim_start_matches(' ').len();
    line.drain(..start);
    line
}

/// Escapes a line that would otherwise have a meaning in Markdown: a heading, a list, a quote, a
/// rule, a table, code, markup or front matter.
fn escape(line: &str) -> Cow<'_, str> {
    let without = |marks: &[char]| line.trim_start_matches(marks);
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    // The line is alone in a paragraph or begins one, so only the beginnings of blocks matter.
    // Signs inside the line, such as `*` or `[`, are left as they are: a search for the
    // document's words must find them as written.
    let has_meaning = match line.as_bytes().first() {
        // `## Words`, but not `#tag`.
        Some(b'#') => is_end(without(&['#'])),
        // `- words` begins an item and `* * *` is a rule; `-1` and `**words**` are neither.
        // `---` would turn the line above it into a heading, and `+++` at the beginning of a
        // text would open front matter.
        Some(b'-' | b'+' | b'*') => {
            is_end(&line[1..]) || without(&['-', '+', '*', '_', ' ']).is_empty()
        }
        // `___` and `===`.
        Some(b'_' | b'=') => without(&['_', '=', ' ']).is_empty(),
        // `> words`, `| words |`, `<!-- words`.
        Some(b'>' | b'|' | b'<') => true,
        // `:---|---:`, below a line with a bar.
        Some(b':') => without(&[':', '-', '|', ' ']).is_empty(),
        Some(b'`') => line.starts_with("```"),
        Some(b'~') => line.starts_with("~~~"),
        _ => false,
    };
    if has_meaning {
        return format!("\\{line}").into();
    }
    // `1. words` and `2) words` begin items. CommonMark allows at most nine digits, so
    // `2026101010.` begins none. The mark is escaped and not the number, since a backslash
    // before a digit is text.
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    if (1..=9).contains(&digits)
        && let Some(mark @ ('.' | ')')) = rest.chars().next()
        && is_end(&rest[1..])
    {
        return format!("{}\\{mark}{}", &line[..digits], &rest[1..]).into();
    }
    line.into()
}

/// Adds the text of a cell: on one line, without anything that would end the cell.
fn push_cell(line: &mut String, cell: &str) {
    let mut is_first = true;
    for part in cell.lines().map(one_line).filter(|part| !part.is_empty()) {
        if !std::mem::take(&mut is_first) {
            line.push_str("<br>");
        }
        for c in part.chars() {
            // This applies to code as well: a table is split into cells before the content of
            // the cells is parsed.
            if c == '|' {
                line.push('\\');
            }
            line.push(c);
        }
        // A single backslash at the end of a part would escape the bar that ends the cell, so
        // that two cells become one. A blank separates them.
        if part.ends_with('\\') {
            line.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;

    fn written_by(write: impl FnOnce(&mut Markdown) -> Result<(), EarlyStop>) -> String {
        let mut text = Markdown::new(1 << 20);
        assert_eq!(write(&mut text), Ok(()));
        text.finish()
    }

    #[test]
    fn blocks() {
        let text = written_by(|text| {
            text.heading(1, " A\nB ")?;
            text.paragraph("one\n  two\n\n")?;
            text.item(0, Marker::Bullet, "a")?;
            text.item(3, Marker::Number(1), "b")?;
            text.item(0, Marker::Bullet, "")?;
            text.item_paragraph("more\n# of b")?;
            text.item_paragraph(" ")?;
            text.item(0, Marker::Bullet, "c")?;
            text.heading(9, "deep #")?;
            text.table(&[
                vec!["x|y".to_owned(), "1\n2".to_owned()],
                vec!["\\".to_owned()],
            ])
        });
        assert_eq!(
            text,
            "# A B\n\none\ntwo\n\n- a\n    1. b\n\n       more # of b\n- c\n\n###### deep # #\n\n\
             | x\\|y | 1<br>2 |\n| --- | --- |\n| \\  |  |\n"
        );
    }

    #[test]
    fn code_stays_as_it_is() {
        let text = written_by(|text| {
            text.code("\n    fn main() {\n\n\t# no\n")?;
            text.code(" \n")?;
            text.code("```\na")
        });
        assert_eq!(
            text,
            "```\n    fn main() {\n\n\t# no\n```\n\n````\n```\na\n````\n"
        );
    }

    #[test]
    fn words_make_no_structure() {
        for (line, expected) in [
            ("# a", "\\# a"),
            ("#a", "#a"),
            ("---", "\\---"),
            ("- a", "\\- a"),
            ("-1", "-1"),
            ("* * *", "\\* * *"),
            ("**bold**", "**bold**"),
            ("===", "\\==="),
            ("+++", "\\+++"),
            ("> a", "\\> a"),
            ("| a", "\\| a"),
            ("<!-- a", "\\<!-- a"),
            ("```", "\\```"),
            ("~~~", "\\~~~"),
            ("1. a", "1\\. a"),
            ("12) a", "12\\) a"),
            ("1.5 a", "1.5 a"),
            (":---", "\\:---"),
            ("한글", "한글"),
        ] {
            assert_eq!(escape(line), expected);
        }
    }

    #[test]
    fn there_is_never_more_than_may_be() {
        for cap in 0..20 {
            let mut text = Markdown::new(cap);
            let end = text.paragraph("한글 한글 한글");
            assert_eq!(
                end,
                if cap < 21 {
                    Err(EarlyStop::Full)
                } else {
                    Ok(())
                }
            );
            assert!(text.finish().len() <= cap);
        }
    }

    /// A block to write.
    #[derive(Clone, Debug)]
    enum WrittenBlock {
        Heading(u8, String),
        Paragraph(String),
        Item(usize, u32, String),
        Further(String),
        Table(Vec<Vec<String>>),
    }

    const PIECES: &[&str] = &[
        "#", "##", " ", "-", "---", "=", "===", "+++", "*", "_", "1.", "2)", ">", "|", "<", "<!--",
        "<pre>", "<?", "```", "~~~", "a", "한", "\n", "\t", "\u{a0}", "\\", ":", "[", "]: x",
    ];

    fn words() -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::sample::select(PIECES), 0..8)
            .prop_map(|pieces| pieces.concat())
    }

    fn documents() -> impl Strategy<Value = Vec<WrittenBlock>> {
        let block = prop_oneof![
            (1u8..7, words()).prop_map(|(level, text)| WrittenBlock::Heading(level, text)),
            words().prop_map(WrittenBlock::Paragraph),
            (0usize..4, 0u32..3, words())
                .prop_map(|(level, number, text)| WrittenBlock::Item(level, number, text)),
            words().prop_map(WrittenBlock::Further),
            proptest::collection::vec(proptest::collection::vec(words(), 1..3), 1..3)
                .prop_map(WrittenBlock::Table),
        ];
        proptest::collection::vec(block, 0..8)
    }

    proptest! {
        #[test]
        fn headings_are_the_documents(blocks in documents()) {
            let text = written_by(|text| {
                blocks.iter().try_for_each(|block| match block {
                    WrittenBlock::Heading(level, words) => text.heading(*level, words),
                    WrittenBlock::Paragraph(words) => text.paragraph(words),
                    WrittenBlock::Item(level, 0, words) => {
                        text.item(*level, Marker::Bullet, words)
                    }
                    WrittenBlock::Item(level, number, words) => {
                        text.item(*level, Marker::Number(number.pow(7)), words)
                    }
                    WrittenBlock::Further(words) => text.item_paragraph(words),
                    WrittenBlock::Table(rows) => text.table(rows),
                })
            });
            let is_shown = |text: &&String| !one_line(text).is_empty();
            let expected: Vec<u8> = blocks
                .iter()
                .filter_map(|block| match block {
                    WrittenBlock::Heading(level, text) if is_shown(&text) => Some(*level),
                    _ => None,
                })
                .collect();
            let tables = blocks.iter().filter(|block| match block {
                WrittenBlock::Table(rows) => rows.iter().flatten().any(|cell| is_shown(&cell)),
                _ => false,
            });
            let (mut levels, mut found_tables, mut depth) = (Vec::new(), 0, 0);
            for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
                match event {
                    Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => depth += 1,
                    Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth -= 1,
                    Event::Start(Tag::Heading { level, .. }) => {
                        prop_assert_eq!(depth, 0, "{}", text);
                        levels.push(level as u8);
                    }
                    Event::Start(Tag::Table(_)) => found_tables += 1,
                    Event::Start(Tag::CodeBlock(_)) => prop_assert!(false, "{}", text),
                    _ => {}
                }
            }
            prop_assert_eq!(levels, expected, "{}", text);
            prop_assert_eq!(found_tables, tables.count(), "{}", text);
        }
    }
}
