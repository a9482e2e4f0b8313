//! The blocks of MDX, line by line.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::mdx::script::{behind_brace, end_of_module, is_blank_behind};
use crate::mdx::tag::tag;
use crate::mdx::{Attribute, Mdx};

/// Columns further in at which Markdown, but not MDX, makes a line code.
const CODE_INDENT: usize = 4;

/// How often each byte may be read for tags and expressions that do not end: real texts have none,
/// and hostile ones would have each of theirs read to the end of the text.
const VAIN_READINGS: usize = 4;

/// A text while it is read.
pub struct Scanner<'t> {
    pub text: &'t str,
    pub out: Vec<u8>,
    pub attributes: Vec<Attribute>,
    pub expressions: Vec<Range<usize>>,
    components: BTreeSet<&'t str>,
    items: Vec<Item>,
    /// Bytes that may still be read in vain.
    allowance: usize,
}

/// An item of a list that is open.
#[derive(Clone, Copy)]
struct Item {
    /// The column that its content stands in.
    own: usize,
    /// The same in what is given to the parser.
    shown: usize,
}

/// A line that is not blank.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    /// Where its text begins.
    first: usize,
    /// Where it ends, before its line end.
    end: usize,
    /// The column that its text begins in.
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
            allowance: VAIN_READINGS * text.len(),
        }
    }

    pub fn read(mut self) -> Mdx<'t> {
        let mut at = 0;
        while at < self.text.len() {
            at = self.block(at);
        }
        Mdx {
            // Only whole characters are written over.
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

    /// Returns where the line behind the line end at `end` begins.
    fn behind(&self, end: usize) -> usize {
        match self.bytes()[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [] => end,
            _ => end + 1,
        }
    }

    /// Takes the block that begins with the line at `start`, and returns where the next one does.
    fn block(&mut self, start: usize) -> usize {
        let line = self.line(start);
        if line.first == line.end {
            return self.behind(line.end);
        }
        self.items.truncate(self.open_items(line.column));
        let shown = self.outdent(line);
        let Line { mut first, end, .. } = line;
        let (mut own, mut shown) = (line.column, shown);
        while let Some(marker) = marker(&self.bytes()[first..end]) {
            let behind = self.line(first + marker).first.min(end);
            let blanks = self.columns(own + marker, first + marker..behind);
            let width = marker + if behind == end { 1 } else { blanks };
            (own, shown) = (own + width, shown + width);
            self.items.push(Item { own, shown });
            first = behind;
            if first == end {
                return self.behind(end);
            }
        }
        if self.bytes()[first] == b'>' {
            return self.quote(first, end);
        }
        self.leaf(line, first)
    }

    /// Returns how many columns the blanks in `range` take, which begin in this column.
    fn columns(&self, from: usize, range: Range<usize>) -> usize {
        let mut column = from;
        for sign in &self.bytes()[range] {
            column += if *sign == b'\t' { 4 - column % 4 } else { 1 };
        }
        column - from
    }

    /// Returns how many of the open items a line in this column is part of.
    fn open_items(&self, column: usize) -> usize {
        let is_open = |item: &&Item| item.own <= column;
        self.items.iter().take_while(is_open).count()
    }

    /// Takes a block other than a list or a quote, whose text begins at `first`.
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
            return self.fenced(line.end, sign, length);
        }
        if is_heading(rest) {
            self.inline(first..line.end, true);
            return self.behind(line.end);
        }
        if is_rule(rest) {
            return self.behind(line.end);
        }
        if rest.starts_with(b"<!--") {
            return self.behind_remark(first);
        }
        match self.flow(first) {
            Some(end) => {
                self.put_out(first, end);
                self.behind(end)
            }
            None => self.paragraph(first, line.end),
        }
    }

    fn behind_remark(&self, first: usize) -> usize {
        let end = memchr::memmem::find(&self.bytes()[first..], b"-->");
        end.map_or(self.text.len(), |end| {
            self.behind(self.line(first + end).end)
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
            let end = ends.find(|end| is_blank_behind(bytes, start + end));
            end.map_or(bytes.len(), |end| start + end)
        });
        self.put_out(start, end);
        self.behind(end)
    }

    /// Takes a block of code whose first line ends at `end`.
    fn fenced(&mut self, end: usize, sign: u8, length: usize) -> usize {
        let mut at = self.behind(end);
        while at < self.text.len() {
            let line = self.line(at);
            if line.first < line.end {
                if self.open_items(line.column) < self.items.len() {
                    return at;
                }
                if closes(&self.bytes()[line.first..line.end], sign, length) {
                    self.outdent(line);
                    return self.behind(line.end);
                }
            }
            at = self.behind(line.end);
        }
        at
    }

    /// Takes the line of a quote whose mark stands at `first`, with the block of code that it may
    /// begin.
    fn quote(&mut self, first: usize, end: usize) -> usize {
        let inside = self.within_quote(first, end);
        let rest = &self.bytes()[inside..end];
        let next = self.behind(end);
        if let Some((sign, length)) = fence(rest) {
            let mut at = next;
            while at < self.text.len() {
                let line = self.line(at);
                if !self.bytes()[line.first..line.end].starts_with(b">") {
                    return at;
                }
                at = self.behind(line.end);
                let inside = self.within_quote(line.first, line.end);
                if closes(&self.bytes()[inside..line.end], sign, length) {
                    return at;
                }
            }
            return at;
        }
        match self.flow(inside).filter(|flow_end| *flow_end <= end) {
            Some(flow_end) => self.put_out(inside, flow_end),
            None => self.inline(inside..end, is_heading(rest)),
        }
        next
    }

    /// Returns where the text of a quote's line begins, behind its marks and those of lists.
    fn within_quote(&self, first: usize, end: usize) -> usize {
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
            let next = self.behind(end);
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
        self.behind(end)
    }

    /// Whether a line begins another block where a paragraph is open.
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

    /// Returns where a line or more of tags and expressions alone ends, before its line end.
    fn flow(&mut self, first: usize) -> Option<usize> {
        let (attributes, expressions) = (self.attributes.len(), self.expressions.len());
        let end = self.flow_end(first);
        // Told again by whoever takes it.
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

    /// Returns where the tag at `at` ends, having noted it.
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

    /// Returns where the expression at `at` ends, having noted it.
    pub fn expression(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.allowance == 0 {
            return None;
        }
        let behind = behind_brace(self.bytes(), at + 1, end);
        match behind {
            Some(behind) => self.expressions.push(at..behind),
            None => self.allowance = self.allowance.saturating_sub(end - at),
        }
        behind
    }

    /// Makes an empty quote of a block that Markdown does not know: that ends what is open there,
    /// and goes on in no line.
    fn put_out(&mut self, start: usize, end: usize) {
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

    /// Brings a line that Markdown would take for code back to the column where its block stands,
    /// by ending the line before it later, and returns the column that it stands in then.
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

/// Returns the length of the mark of a list's item that a line begins with.
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

/// Returns the sign and the length of the run that begins a block of code.
fn fence(line: &[u8]) -> Option<(u8, usize)> {
    let sign = *line.first().filter(|sign| b"`~".contains(sign))?;
    let length = line.iter().take_while(|own| **own == sign).count();
    let is_fence = length >= 3 && (sign == b'~' || !line[length..].contains(&b'`'));
    is_fence.then_some((sign, length))
}

/// Whether a line ends a block of code.
fn closes(line: &[u8], sign: u8, length: usize) -> bool {
    let run = line.iter().take_while(|own| **own == sign).count();
    run >= length && line[run..].iter().all(|sign| b" \t".contains(sign))
}

fn is_heading(line: &[u8]) -> bool {
    let level = line.iter().take_while(|sign| **sign == b'#').count();
    let is_apart = line.get(level).is_none_or(|sign| b" \t".contains(sign));
    (1..=6).contains(&level) && is_apart
}

/// Whether a line is a rule between texts.
fn is_rule(line: &[u8]) -> bool {
    let sign = line[0];
    let count = line.iter().filter(|own| **own == sign).count();
    let is_of_it = |own: &u8| *own == sign || b" \t".contains(own);
    b"*-_".contains(&sign) && count >= 3 && line.iter().all(is_of_it)
}

/// Whether a line makes a heading of the paragraph above it.
fn is_underline(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    b"=-".contains(&line[0]) && line.iter().all(|sign| *sign == line[0])
}
