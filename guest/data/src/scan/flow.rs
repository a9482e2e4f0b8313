//! Values in brackets, in JSON, in YAML and in TOML.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use crate::line::{behind_end, end_of_line, unquoted};
use crate::writer::{Found, Writer};
use crate::{Kind, Step};

/// Whose brackets they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// JSON's, with comments.
    Json,
    /// YAML's.
    Yaml,
    /// TOML's.
    Toml,
}

/// A value in brackets, on the way through it.
struct Flow<'w, 't, 'v> {
    writer: &'w mut Writer<'t, 'v>,
    text: &'t str,
    dialect: Dialect,
    /// The steps to the outermost brackets.
    outer: &'w [Step<'t>],
    levels: Vec<Level<'t>>,
    /// The value or the key that is being read.
    token: Option<Range<usize>>,
}

/// Brackets that are open.
struct Level<'t> {
    kind: Kind,
    /// Its own key, or its place in a list; none of the outermost.
    step: Option<Step<'t>>,
    /// Where its key begins.
    start: usize,
    /// Where its bracket stands.
    bracket: usize,
    /// What stands before its bracket: an anchor or a tag.
    note: &'t str,
    form: Form,
    /// In a table: the key that waits for its value.
    key: Option<(Step<'t>, Range<usize>)>,
    /// In a list: how many items there were.
    items: usize,
    /// In a list: the items of this line that are not written yet, and the first one's number.
    run: Option<(usize, Range<usize>)>,
}

/// What has come of brackets so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// They may be one value on one line: `["a", "b"]`, `{}`.
    Undecided,
    /// They hold entries, and have been written themselves.
    Written,
    /// They hold entries, and there is nothing to call them.
    Nameless,
}

/// Writes the value in brackets whose first one stands at the end of `value`, behind what is said
/// of it, under these keys, which begin at `start`. Returns where it ends.
pub(super) fn flow<'t>(
    writer: &mut Writer<'t, '_>,
    outer: &[Step<'t>],
    start: usize,
    value: Range<usize>,
    dialect: Dialect,
) -> usize {
    let text = writer.text;
    let bracket = value.end;
    if writer.is_full() {
        let end = skip(text, bracket, dialect);
        writer.value(outer, &Found::new(start, value.start..end));
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

    /// Takes a comment, or what is no sign up to the next one.
    fn plain(&mut self, at: usize) -> usize {
        let is_apart = at > 0 && matches!(self.text.as_bytes()[at - 1], b' ' | b'\t');
        let may_be_comment = self.token.is_none() || is_apart || self.dialect == Dialect::Toml;
        let comment = may_be_comment.then(|| comment_end(self.text, at, self.dialect));
        if let Some(end) = comment.flatten() {
            let level = self.levels.last();
            let waits = level.is_some_and(|level| level.kind == Kind::Table && level.key.is_some());
            if waits && self.token.is_none() {
                // A comment before the value: what comes first is the key.
                self.extend(at..end);
            } else {
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

    /// Whether the sign at `at` stands between a key and its value.
    fn is_separator(&self, at: usize) -> bool {
        let sign = match self.dialect {
            Dialect::Toml => b'=',
            Dialect::Json | Dialect::Yaml => b':',
        };
        let level = self.levels.last();
        self.text.as_bytes()[at] == sign
            && self.token.is_some()
            && level.is_some_and(|level| level.kind == Kind::Table && level.key.is_none())
    }

    fn take_key(&mut self) {
        if let (Some(token), Some(level)) = (self.token.take(), self.levels.last_mut()) {
            let key = unquoted(&self.text[token.clone()]);
            level.key = Some((Step::Key(key), token));
        }
        self.decide();
    }

    /// Ends a value: at a comma, a bracket, a comment or the end of a line.
    fn finish(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        let token = self.token.take();
        if level.kind == Kind::List {
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
                self.writer.value(&[step], &Found::new(key.start, value));
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
        // A key may stand apart from its colon, and from its value.
        if level.kind == Kind::List || (level.key.is_some() && self.token.is_some()) {
            self.finish();
        }
        self.decide();
        self.flush();
    }

    /// Writes the innermost brackets as what holds entries.
    fn decide(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        if level.form != Form::Undecided {
            return;
        }
        let own = level.step;
        let steps = own.as_ref().map_or(self.outer, std::slice::from_ref);
        if steps.is_empty() {
            level.form = Form::Nameless;
            let note = level.start..level.bracket;
            if !note.is_empty() {
                self.writer.text(note);
            }
            return;
        }
        level.form = Form::Written;
        let behind = level.bracket + 1;
        let mut found = Found::new(level.start, behind..behind);
        found.note = level.note;
        self.writer.open(steps, level.kind, &found);
    }

    /// Writes the items of this line.
    fn flush(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        if let Some((first, span)) = level.run.take() {
            let last = level.items.saturating_sub(1).max(first);
            let found = Found::new(span.start, span);
            self.writer.value(&[Step::Items { first, last }], &found);
        }
    }

    fn open(&mut self, at: usize) -> usize {
        // What stands before it without a comma is a value of its own, but no key's.
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
            if level.kind == Kind::List {
                step = Some(Step::item(level.items));
            } else if let Some((key, span)) = level.key.take() {
                step = Some(key);
                start = span.start;
            } else {
                // A table in a table without a key is broken: it has no name of its own.
                step = Some(Step::Key(""));
            }
        }
        // `!tag {`: what stands before the bracket belongs to it.
        let note = self.token.take().map_or(at, |token| token.start);
        self.push(step, start.min(note), note..at);
        at + 1
    }

    fn push(&mut self, step: Option<Step<'t>>, start: usize, value: Range<usize>) {
        let bracket = value.end;
        let is_list = self.text.as_bytes()[bracket] == b'[';
        self.levels.push(Level {
            kind: if is_list { Kind::List } else { Kind::Table },
            step,
            start,
            bracket,
            note: self.text[value].trim(),
            form: Form::Undecided,
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
            Form::Undecided => {
                let mut found = Found::new(level.start, level.bracket..end);
                found.note = level.note;
                let own = level.step;
                let steps = own.as_ref().map_or(self.outer, std::slice::from_ref);
                self.writer.value(steps, &found);
            }
            Form::Written => {
                self.flush();
                self.writer.close();
            }
            Form::Nameless => self.flush(),
        }
        self.levels.pop();
        if let Some(level) = self.levels.last_mut()
            && level.kind == Kind::List
        {
            level.items += 1;
        }
    }
}

/// Returns where the brackets that open at `at` end, without a look at what they hold.
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
            // An apostrophe of YAML may stand within a word.
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

/// Returns where the comment that begins at `at` ends; none where none begins.
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

/// Returns where the string that begins at `at` ends, behind its quote. Where it has no end, it
/// ends with its line, or with the text where it may have several lines.
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
            // An escaped line end goes on with the next line.
            _ if bytes.get(next + 1) == Some(&b'\r') => from = behind_end(text, next + 1),
            _ => from = next + 2,
        }
    }
    // The escaped character may be a long one.
    bytes.len()
}

/// Returns where a string of TOML in three quotes ends.
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
            // Up to two quotes may stand before the three.
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
