//! Bracketed values in JSON, YAML and TOML.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use crate::entry::DataKind;
use crate::line::{after_line_end, end_of_line, strip_quotes};
use crate::path::PathStep;
use crate::writer::{EntryWriter, ValueSpan};

/// The format of bracketed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// JSON with comments.
    Json,
    /// YAML flow style.
    Yaml,
    /// TOML inline tables and arrays.
    Toml,
}

/// A scanner of a bracketed value.
struct Flow<'w, 't, 'v> {
    writer: &'w mut EntryWriter<'t, 'v>,
    text: &'t str,
    dialect: Dialect,
    /// Steps to the outermost brackets.
    outer: &'w [PathStep<'t>],
    levels: Vec<FlowBracket<'t>>,
    /// Value or key being read.
    token: Option<Range<usize>>,
}

/// An open bracket.
struct FlowBracket<'t> {
    kind: DataKind,
    /// Its own key, or its index in a list; `None` for the outermost.
    step: Option<PathStep<'t>>,
    /// Start of its key.
    start: usize,
    /// Position of its bracket.
    bracket: usize,
    /// Annotation before its bracket: an anchor or a tag.
    note: &'t str,
    form: BracketState,
    /// In a table: the key that waits for its value.
    key: Option<(PathStep<'t>, Range<usize>)>,
    /// In a list: number of items so far.
    items: usize,
    /// In a list: the items on this line not written yet, and the index of the first one.
    run: Option<(usize, Range<usize>)>,
}

/// State of the entry of a bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketState {
    /// May be a single value on one line: `["a", "b"]`, `{}`.
    Undecided,
    /// A container, already written.
    Written,
    /// A container without a name.
    Nameless,
}

/// Scans the bracketed value whose opening bracket is at the end of `value`, after its annotation,
/// under these keys, which begin at `start`. Returns its end.
pub(super) fn flow<'t>(
    writer: &mut EntryWriter<'t, '_>,
    outer: &[PathStep<'t>],
    start: usize,
    value: Range<usize>,
    dialect: Dialect,
) -> usize {
    let text = writer.text;
    let bracket = value.end;
    // Beyond the maximum depth the brackets are one value, whatever is in them. Each level costs
    // memory here and a step in the path of every entry below it, so that a megabyte of `[`
    // would otherwise take time quadratic in its length.
    if writer.is_full() {
        let end = skip(text, bracket, dialect);
        writer.value(outer, &ValueSpan::new(start, value.start..end));
        return end;
    }
    let mut flow = Flow {
        writer,
        text,
        dialect,
        outer,
        levels: Vec::new(),
        token: None,
    };
    flow.push(None, start, value);
    flow.run(bracket + 1)
}

impl<'t> Flow<'_, 't, '_> {
    fn run(&mut self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(at).filter(|_| !self.writer.is_over()) {
            match byte {
                b'{' | b'[' => at = self.open(at),
                b'}' | b']' => {
                    at += 1;
                    self.close(at);
                    if self.levels.is_empty() {
                        return at;
                    }
                }
                b',' => {
                    self.finish();
                    at += 1;
                }
                b'\n' | b'\r' => {
                    self.end_line();
                    at += 1;
                }
                b' ' | b'\t' => at += 1,
                b':' | b'=' if self.is_separator(at) => {
                    self.take_key();
                    at += 1;
                }
                b'"' | b'\'' if self.token.is_none() => {
                    let end = string_end(self.text, at, self.dialect);
                    self.token = Some(at..end);
                    at = end;
                }
                _ => at = self.plain(at),
            }
        }
        while !self.levels.is_empty() {
            self.close(bytes.len());
        }
        bytes.len()
    }

    /// Consumes a comment, or text up to the next sign.
    fn plain(&mut self, at: usize) -> usize {
        let is_apart = at > 0 && matches!(self.text.as_bytes()[at - 1], b' ' | b'\t');
        let may_be_comment = self.token.is_none() || is_apart || self.dialect == Dialect::Toml;
        let comment = may_be_comment.then(|| comment_end(self.text, at, self.dialect));
        if let Some(end) = comment.flatten() {
            let level = self.levels.last();
            let waits =
                level.is_some_and(|level| level.kind == DataKind::Table && level.key.is_some());
            if waits && self.token.is_none() {
                // In `{"a": /* why */ 1}` the key waits for its value. Written now, the comment
                // would come before the entry that contains it, and lines would go back. So it
                // becomes part of the value.
                self.extend(at..end);
            } else {
                // Entries are written in the order of the text: first the value before the
                // comment, then the brackets as a container, then the items of the line, and
                // last the comment.
                self.finish();
                self.decide();
                self.flush();
                self.writer.text(at..end);
            }
            return end;
        }
        let rest = &self.text.as_bytes()[at + 1..];
        let is_sign = |byte: &u8| {
            matches!(
                byte,
                b'{' | b'}'
                    | b'['
                    | b']'
                    | b','
                    | b':'
                    | b'='
                    | b'\n'
                    | b'\r'
                    | b' '
                    | b'\t'
                    | b'/'
                    | b'#'
            )
        };
        let end = at + 1 + rest.iter().position(is_sign).unwrap_or(rest.len());
        self.extend(at..end);
        end
    }

    fn extend(&mut self, span: Range<usize>) {
        let start = self.token.as_ref().map_or(span.start, |token| token.start);
        self.token = Some(start..span.end);
    }

    /// Returns true if the sign at `at` separates a key from its value.
    fn is_separator(&self, at: usize) -> bool {
        let sign = match self.dialect {
            Dialect::Toml => b'=',
            Dialect::Json | Dialect::Yaml => b':',
        };
        let level = self.levels.last();
        self.text.as_bytes()[at] == sign
            && self.token.is_some()
            && level.is_some_and(|level| level.kind == DataKind::Table && level.key.is_none())
    }

    fn take_key(&mut self) {
        if let (Some(token), Some(level)) = (self.token.take(), self.levels.last_mut()) {
            let key = strip_quotes(&self.text[token.clone()]);
            level.key = Some((PathStep::Key(key), token));
        }
        self.decide();
    }

    /// Ends a value: at a comma, a bracket, a comment or the end of a line.
    fn finish(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        let token = self.token.take();
        if level.kind == DataKind::List {
            if let Some(token) = token {
                let run = level.run.get_or_insert((level.items, token.clone()));
                run.1.end = token.end;
                level.items += 1;
            }
            return;
        }
        match (level.key.take(), token) {
            (Some((step, key)), token) => {
                let value = token.unwrap_or(key.end..key.end);
                self.writer
                    .value(&[step], &ValueSpan::new(key.start, value));
            }
            (None, Some(token)) => {
                self.decide();
                self.writer.text(token);
            }
            (None, None) => {}
        }
    }

    fn end_line(&mut self) {
        let Some(level) = self.levels.last() else {
            return;
        };
        // In a table a line may end between key, colon and value: `{"a"⏎: 1}`. So it ends an
        // entry only if both are there. In a list it ends the run of items that share a line.
        if level.kind == DataKind::List || (level.key.is_some() && self.token.is_some()) {
            self.finish();
        }
        self.decide();
        self.flush();
    }

    /// Writes the innermost brackets as a container.
    fn decide(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        if level.form != BracketState::Undecided {
            return;
        }
        let own = level.step;
        let steps = own.as_ref().map_or(self.outer, std::slice::from_ref);
        if steps.is_empty() {
            level.form = BracketState::Nameless;
            let note = level.start..level.bracket;
            if !note.is_empty() {
                self.writer.text(note);
            }
            return;
        }
        level.form = BracketState::Written;
        let after = level.bracket + 1;
        let mut found = ValueSpan::new(level.start, after..after);
        found.note = level.note;
        self.writer.open(steps, level.kind, &found);
    }

    /// Writes the items on this line.
    fn flush(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        if let Some((first, span)) = level.run.take() {
            let last = level.items.saturating_sub(1).max(first);
            let found = ValueSpan::new(span.start, span);
            self.writer
                .value(&[PathStep::Items { first, last }], &found);
        }
    }

    fn open(&mut self, at: usize) -> usize {
        // The text before it without a comma is a value of its own without a key.
        if self.levels.last().is_some_and(|level| level.key.is_none()) {
            self.finish();
        }
        self.decide();
        self.flush();
        if self.writer.is_full() {
            let end = skip(self.text, at, self.dialect);
            self.extend(at..end);
            return end;
        }
        let (mut step, mut start) = (None, at);
        if let Some(level) = self.levels.last_mut() {
            if level.kind == DataKind::List {
                step = Some(PathStep::item(level.items));
            } else if let Some((key, span)) = level.key.take() {
                step = Some(key);
                start = span.start;
            } else {
                // `{ { "a": 1 } }` is invalid. The inner table has no name, but its entries are
                // written all the same.
                step = Some(PathStep::Key(""));
            }
        }
        // `!tag {`: the text before the bracket belongs to it.
        let note = self.token.take().map_or(at, |token| token.start);
        self.push(step, start.min(note), note..at);
        at + 1
    }

    fn push(&mut self, step: Option<PathStep<'t>>, start: usize, value: Range<usize>) {
        let bracket = value.end;
        let is_list = self.text.as_bytes()[bracket] == b'[';
        self.levels.push(FlowBracket {
            kind: if is_list {
                DataKind::List
            } else {
                DataKind::Table
            },
            step,
            start,
            bracket,
            note: self.text[value].trim(),
            form: BracketState::Undecided,
            key: None,
            items: 0,
            run: None,
        });
    }

    /// Closes the innermost brackets, which end before `end`.
    fn close(&mut self, end: usize) {
        self.finish();
        let Some(level) = self.levels.last() else {
            return;
        };
        match level.form {
            BracketState::Undecided => {
                let mut found = ValueSpan::new(level.start, level.bracket..end);
                found.note = level.note;
                let own = level.step;
                let steps = own.as_ref().map_or(self.outer, std::slice::from_ref);
                self.writer.value(steps, &found);
            }
            BracketState::Written => {
                self.flush();
                self.writer.close();
            }
            BracketState::Nameless => self.flush(),
        }
        self.levels.pop();
        if let Some(level) = self.levels.last_mut()
            && level.kind == DataKind::List
        {
            level.items += 1;
        }
    }
}

/// Returns the end of the brackets that open at `at`, ignoring their content.
fn skip(text: &str, mut at: usize, dialect: Dialect) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            // Only double quotes are strings here. In YAML an apostrophe may be within a word,
            // `[don't, b]`, and if it began a string, the brackets would not end before the next
            // one. A bracket between single quotes counts instead, which is less frequent and
            // ends the value a little early or late.
            b'"' => {
                at = string_end(text, at, dialect);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns the end of the comment that begins at `at`, or `None` if none does.
pub(super) fn comment_end(text: &str, at: usize, dialect: Dialect) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    match dialect {
        Dialect::Json if rest.starts_with(b"//") => Some(end_of_line(text, at)),
        Dialect::Json if rest.starts_with(b"/*") => {
            let end = memmem::find(&rest[2..], b"*/").map(|end| at + 2 + end + 2);
            Some(end.unwrap_or(text.len()))
        }
        Dialect::Yaml | Dialect::Toml if rest.starts_with(b"#") => Some(end_of_line(text, at)),
        _ => None,
    }
}

/// Returns the end of the string that begins at `at`, after its quote. An unclosed string ends with
/// its line, or with the text if it may span lines.
pub(super) fn string_end(text: &str, at: usize, dialect: Dialect) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    if dialect == Dialect::Toml && bytes[at..].starts_with(&[quote; 3]) {
        return long_string_end(text, at, quote);
    }
    let has_escapes = quote == b'"' || dialect == Dialect::Json;
    let mut from = at + 1;
    while let Some(rest) = bytes.get(from..) {
        let escape = if has_escapes { b'\\' } else { quote };
        let next = match dialect {
            // Strings of YAML may continue on further lines, and its scanner limits them by
            // indentation. In JSON and TOML they may not: a string whose quote is missing ends
            // with its line, so that the lines after it are still read as entries.
            Dialect::Yaml if has_escapes => memchr::memchr2(quote, escape, rest),
            Dialect::Yaml => memchr(quote, rest),
            Dialect::Json | Dialect::Toml => memchr3(quote, escape, b'\n', rest),
        };
        let Some(next) = next.map(|next| from + next) else {
            break;
        };
        match bytes[next] {
            byte if byte == quote => {
                let is_doubled = !has_escapes && dialect == Dialect::Yaml;
                if !(is_doubled && bytes.get(next + 1) == Some(&quote)) {
                    return next + 1;
                }
                from = next + 2;
            }
            b'\n' => return next,
            // An escaped line end continues the string on the next line, as in JSON5. CR LF is
            // skipped as a whole.
            _ if bytes.get(next + 1) == Some(&b'\r') => from = after_line_end(text, next + 1),
            _ => from = next + 2,
        }
    }
    // An escape at the end may have led beyond the text or into a character of several bytes.
    // The end of the text is a valid position all the same.
    bytes.len()
}

/// Returns the end of a TOML string in triple quotes.
fn long_string_end(text: &str, at: usize, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut from = at + 3;
    while let Some(rest) = bytes.get(from..) {
        let next = match quote {
            b'"' => memchr::memchr2(quote, b'\\', rest),
            _ => memchr(quote, rest),
        };
        let Some(next) = next.map(|next| from + next) else {
            break;
        };
        if bytes[next] == b'\\' {
            from = next + 2;
        } else if bytes[next..].starts_with(&[quote; 3]) {
            // Up to two quotes may precede the closing three.
            let quotes = bytes[next..]
                .iter()
                .take(5)
                .take_while(|byte| **byte == quote);
            return next + quotes.count();
        } else {
            from = next + 1;
        }
    }
    bytes.len()
}
