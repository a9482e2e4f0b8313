//! Block structure of MDX, line by line.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::mdx::conversion::{JsxAttribute, Mdx};
use crate::mdx::script::{after_brace, end_of_module, is_next_line_blank};
use crate::mdx::tag::tag;

/// Columns of indentation that make a line code in Markdown, but not in MDX.
const CODE_INDENT: usize = 4;

/// Maximum reads of each byte for unclosed tags and expressions. Real texts have none. In a hostile
/// one, such as a long row of `<a "`, each would be read to the end of the text, in quadratic time;
/// beyond the maximum, tags and expressions are taken for text.
const UNCLOSED_READS: usize = 4;

/// A scanner of an MDX text.
pub struct Scanner<'t> {
    pub text: &'t str,
    pub out: Vec<u8>,
    pub attributes: Vec<JsxAttribute>,
    pub expressions: Vec<Range<usize>>,
    components: BTreeSet<&'t str>,
    items: Vec<OpenItem>,
    /// Bytes that may still be read for unclosed constructs.
    allowance: usize,
}

/// An open list item.
#[derive(Clone, Copy)]
struct OpenItem {
    /// Column of its content.
    own: usize,
    /// Column of its content in the Markdown output.
    shown: usize,
}

/// A non-blank line.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    /// Start of its text.
    first: usize,
    /// End of its text, before the line end.
    end: usize,
    /// Column of its text.
    column: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            out: text.as_bytes().to_vec(),
            attributes: Vec::new(),
            expressions: Vec::new(),
            components: BTreeSet::new(),
            items: Vec::new(),
            allowance: UNCLOSED_READS * text.len(),
        }
    }

    pub fn read(mut self) -> Mdx<'t> {
        let mut at = 0;
        while at < self.text.len() {
            at = self.block(at);
        }
        Mdx {
            // Only whole characters are overwritten, so that the output is UTF-8. If it ever were
            // not, the text itself is used, and its MDX is read as Markdown.
            markdown: String::from_utf8(self.out).map_or(Cow::Borrowed(self.text), Cow::Owned),
            attributes: self.attributes,
            expressions: self.expressions,
            components: self.components,
        }
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Returns the line that begins at `start`, blank or not.
    fn line(&self, start: usize) -> Line {
        let bytes = self.bytes();
        let length = memchr::memchr2(b'\n', b'\r', &bytes[start..]);
        let end = length.map_or(bytes.len(), |length| start + length);
        let (mut first, mut column) = (start, 0);
        while first < end && b" \t".contains(&bytes[first]) {
            column += if bytes[first] == b'\t' {
                4 - column % 4
            } else {
                1
            };
            first += 1;
        }
        Line {
            start,
            first,
            end,
            column,
        }
    }

    /// Returns the start of the line after the line end at `end`.
    fn line_after(&self, end: usize) -> usize {
        match self.bytes()[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [] => end,
            _ => end + 1,
        }
    }

    /// Processes the block that begins with the line at `start`, and returns the start of the next
    /// one.
    fn block(&mut self, start: usize) -> usize {
        let line = self.line(start);
        if line.first == line.end {
            return self.line_after(line.end);
        }
        self.items.truncate(self.open_items(line.column));
        let shown = self.outdent(line);
        let Line { mut first, end, .. } = line;
        let (mut own, mut shown) = (line.column, shown);
        while let Some(marker) = marker(&self.bytes()[first..end]) {
            let after = self.line(first + marker).first.min(end);
            let blanks = self.columns(own + marker, first + marker..after);
            let width = marker + if after == end { 1 } else { blanks };
            (own, shown) = (own + width, shown + width);
            self.items.push(OpenItem { own, shown });
            first = after;
            if first == end {
                return self.line_after(end);
            }
        }
        if self.bytes()[first] == b'>' {
            return self.quote(first, end);
        }
        self.leaf(line, first)
    }

    /// Returns the width in columns of the blanks in `range`, which begin in column `from`.
    fn columns(&self, from: usize, range: Range<usize>) -> usize {
        let mut column = from;
        for sign in &self.bytes()[range] {
            column += if *sign == b'\t' { 4 - column % 4 } else { 1 };
        }
        column - from
    }

    /// Returns the number of open items that contain a line in this column.
    fn open_items(&self, column: usize) -> usize {
        let is_open = |item: &&OpenItem| item.own <= column;
        self.items.iter().take_while(is_open).count()
    }

    /// Processes a block other than a list or a quote, whose text begins at `first`.
    fn leaf(&mut self, line: Line, first: usize) -> usize {
        let bytes = self.bytes();
        let rest = &bytes[first..line.end];
        let is_module = [&b"import "[..], b"export "]
            .iter()
            .any(|word| rest.starts_with(word));
        if is_module && first == line.start {
            return self.module(line.start);
        }
        if let Some((sign, length)) = fence(rest) {
            return self.scan_fenced(line.end, sign, length);
        }
        if is_heading(rest) {
            self.inline(first..line.end, true);
            return self.line_after(line.end);
        }
        if is_rule(rest) {
            return self.line_after(line.end);
        }
        if rest.starts_with(b"<!--") {
            return self.after_comment(first);
        }
        match self.flow(first) {
            Some(end) => {
                self.neutralize(first, end);
                self.line_after(end)
            }
            None => self.paragraph(first, line.end),
        }
    }

    fn after_comment(&self, first: usize) -> usize {
        let end = memchr::memmem::find(&self.bytes()[first..], b"-->");
        end.map_or(self.text.len(), |end| {
            self.line_after(self.line(first + end).end)
        })
    }

    fn module(&mut self, start: usize) -> usize {
        let bytes = self.bytes();
        let whole = (self.allowance > 0)
            .then(|| end_of_module(bytes, start))
            .flatten();
        let end = whole.unwrap_or_else(|| {
            self.allowance = self.allowance.saturating_sub(bytes.len() - start);
            let mut ends = memchr::memchr2_iter(b'\n', b'\r', &bytes[start..]);
            let end = ends.find(|end| is_next_line_blank(bytes, start + end));
            end.map_or(bytes.len(), |end| start + end)
        });
        self.neutralize(start, end);
        self.line_after(end)
    }

    /// Processes a code block whose first line ends at `end`.
    fn scan_fenced(&mut self, end: usize, sign: u8, length: usize) -> usize {
        let mut at = self.line_after(end);
        while at < self.text.len() {
            let line = self.line(at);
            if line.first < line.end {
                if self.open_items(line.column) < self.items.len() {
                    return at;
                }
                if closes(&self.bytes()[line.first..line.end], sign, length) {
                    self.outdent(line);
                    return self.line_after(line.end);
                }
            }
            at = self.line_after(line.end);
        }
        at
    }

    /// Processes a line of a quote whose marker is at `first`, with the code block that it may
    /// begin.
    fn quote(&mut self, first: usize, end: usize) -> usize {
        let inside = self.quoted_text_start(first, end);
        let rest = &self.bytes()[inside..end];
        let next = self.line_after(end);
        if let Some((sign, length)) = fence(rest) {
            let mut at = next;
            while at < self.text.len() {
                let line = self.line(at);
                if !self.bytes()[line.first..line.end].starts_with(b">") {
                    return at;
                }
                at = self.line_after(line.end);
                let inside = self.quoted_text_start(line.first, line.end);
                if closes(&self.bytes()[inside..line.end], sign, length) {
                    return at;
                }
            }
            return at;
        }
        match self.flow(inside).filter(|flow_end| *flow_end <= end) {
            Some(flow_end) => self.neutralize(inside, flow_end),
            None => self.inline(inside..end, is_heading(rest)),
        }
        next
    }

    /// Returns the start of the text of a quoted line, after the markers of quotes and lists.
    fn quoted_text_start(&self, first: usize, end: usize) -> usize {
        let rest = &self.bytes()[first..end];
        let marks = rest
            .iter()
            .take_while(|sign| b"> \t".contains(sign))
            .count();
        let inside = first + marks;
        match marker(&self.bytes()[inside..end]) {
            Some(marker) => self.line(inside + marker).first.min(end),
            None => inside,
        }
    }

    fn paragraph(&mut self, first: usize, mut end: usize) -> usize {
        let mut is_heading = false;
        loop {
            let next = self.line_after(end);
            if next >= self.text.len() {
                break;
            }
            let line = self.line(next);
            if line.first == line.end {
                break;
            }
            let rest = &self.bytes()[line.first..line.end];
            if is_underline(rest) {
                self.outdent(line);
                (is_heading, end) = (true, line.end);
                break;
            }
            if self.interrupts(line) {
                break;
            }
            end = line.end;
        }
        self.inline(first..end, is_heading);
        self.line_after(end)
    }

    /// Returns true if a line interrupts an open paragraph with another block.
    fn interrupts(&mut self, line: Line) -> bool {
        let rest = &self.bytes()[line.first..line.end];
        let is_other_item = self.open_items(line.column) < self.items.len();
        let begins_list = marker(rest).is_some_and(|marker| {
            let has_text = !rest[marker..].trim_ascii().is_empty();
            let is_first = !rest[0].is_ascii_digit() || rest[..marker - 1] == *b"1";
            is_other_item || has_text && is_first
        });
        begins_list
            || rest[0] == b'>'
            || is_heading(rest)
            || fence(rest).is_some()
            || is_rule(rest)
            || rest.starts_with(b"<!--")
            || self.flow(line.first).is_some()
    }

    /// Returns the end of one or more lines of only tags and expressions, before the line end.
    fn flow(&mut self, first: usize) -> Option<usize> {
        let (attributes, expressions) = (self.attributes.len(), self.expressions.len());
        let end = self.flow_end(first);
        // This is only a look ahead, and the caller that consumes the lines records their tags
        // again. Without the truncation, each attribute of a block would be listed twice.
        self.attributes.truncate(attributes);
        self.expressions.truncate(expressions);
        end
    }

    fn flow_end(&mut self, first: usize) -> Option<usize> {
        let bytes = self.bytes();
        let mut at = first;
        loop {
            at = match bytes.get(at) {
                Some(b'<') => self.tag(at, bytes.len())?,
                Some(b'{') => self.expression(at, bytes.len())?,
                _ => return None,
            };
            while bytes.get(at).is_some_and(|sign| b" \t".contains(sign)) {
                at += 1;
            }
            if bytes.get(at).is_none_or(|sign| b"\r\n".contains(sign)) {
                return Some(at);
            }
        }
    }

    /// Records the tag at `at` and returns its end.
    pub fn tag(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.allowance == 0 {
            return None;
        }
        match tag(self.bytes(), at, end) {
            Ok(tag) => {
                self.attributes.extend(tag.attributes);
                let name = tag.name.and_then(|name| self.text.get(name));
                let is_component = |name: &&str| name.starts_with(|c: char| c.is_ascii_uppercase());
                self.components.extend(name.filter(is_component));
                Some(tag.end)
            }
            Err(read) => {
                self.allowance = self.allowance.saturating_sub(read - at);
                None
            }
        }
    }

    /// Records the expression at `at` and returns its end.
    pub fn expression(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.allowance == 0 {
            return None;
        }
        let after = after_brace(self.bytes(), at + 1, end);
        match after {
            Some(after) => self.expressions.push(at..after),
            None => self.allowance = self.allowance.saturating_sub(end - at),
        }
        after
    }

    /// Replaces a block unknown to Markdown by an empty quote, which ends any open construct and
    /// has no continuation line. Blanks alone would not do: in `- <Foo/>⏎⏎  # no` the item would be
    /// empty and end at its first blank line (CommonMark, section 5.2), so that the heading in it
    /// would become one of the document.
    fn neutralize(&mut self, start: usize, end: usize) {
        self.flow_end(start);
        for sign in &mut self.out[start..end] {
            if !b"\r\n".contains(sign) {
                *sign = b' ';
            }
        }
        if start < end {
            self.out[start] = b'>';
        }
    }

    /// Moves a line that Markdown would take for code back to the column of its block, by moving
    /// the line end before it, and returns its new column. MDX has no indented code, so that `
    /// # A` is a heading. The blanks become the end of the line before, and no byte of the text
    /// moves:
    ///
    /// ```text
    /// text⏎        # A
    /// text        ⏎# A
    /// ```
    fn outdent(&mut self, line: Line) -> usize {
        let open = self.open_items(line.column);
        let item = self.items[..open].last();
        let (own, shown) = item.map_or((0, 0), |item| (item.own, item.shown));
        let further = line.column - own;
        let kept = shown + if further < CODE_INDENT { further } else { 0 };
        let blanks = line.first - line.start;
        if kept == line.column || kept > blanks {
            return line.column;
        }
        let cut = line.first - kept;
        self.out[cut..line.first].fill(b' ');
        let before = &self.out[..line.start];
        let ends = match before {
            [.., b'\r', b'\n'] => 2,
            [] => 0,
            _ => 1,
        };
        if ends == 0 {
            self.out[cut - 1] = b'\n';
        } else {
            self.out[line.start - ends..cut].rotate_left(ends);
        }
        kept
    }
}

/// Returns the length of the list marker at the start of a line.
fn marker(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take_while(|sign| sign.is_ascii_digit()).count();
    let length = match (digits, line.get(digits)?) {
        (0, b'-' | b'+' | b'*') if !is_rule(line) => 1,
        (1..=9, b'.' | b')') => digits + 1,
        _ => return None,
    };
    let is_apart = line.get(length).is_none_or(|sign| b" \t".contains(sign));
    is_apart.then_some(length)
}

/// Returns the sign and the length of the opening run of a code block.
fn fence(line: &[u8]) -> Option<(u8, usize)> {
    let sign = *line.first().filter(|sign| b"`~".contains(sign))?;
    let length = line.iter().take_while(|own| **own == sign).count();
    let is_fence = length >= 3 && (sign == b'~' || !line[length..].contains(&b'`'));
    is_fence.then_some((sign, length))
}

/// Returns true if a line closes a code block.
fn closes(line: &[u8], sign: u8, length: usize) -> bool {
    let run = line.iter().take_while(|own| **own == sign).count();
    run >= length && line[run..].iter().all(|sign| b" \t".contains(sign))
}

fn is_heading(line: &[u8]) -> bool {
    let level = line.iter().take_while(|sign| **sign == b'#').count();
    let is_apart = line.get(level).is_none_or(|sign| b" \t".contains(sign));
    (1..=6).contains(&level) && is_apart
}

/// Returns true if a line is a thematic break.
fn is_rule(line: &[u8]) -> bool {
    let sign = line[0];
    let count = line.iter().filter(|own| **own == sign).count();
    let is_of_it = |own: &u8| *own == sign || b" \t".contains(own);
    b"*-_".contains(&sign) && count >= 3 && line.iter().all(is_of_it)
}

/// Returns true if a line underlines the paragraph above it as a heading.
fn is_underline(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    b"=-".contains(&line[0]) && line.iter().all(|sign| *sign == line[0])
}
