//! YAML by lines and indentation: documents, mappings, sequences, anchors, block scalars and flow
//! style. Also similar formats, such as `yarn.lock`.

use std::ops::Range;

use crate::entry::DataKind;
use crate::line::{LineSpan, end_of_line, strip_quotes};
use crate::path::PathStep;
use crate::scan::flow::{Dialect, flow, string_end};
use crate::writer::{EntryWriter, ValueSpan};

struct Yaml<'w, 't, 'v> {
    writer: &'w mut EntryWriter<'t, 'v>,
    text: &'t str,
    levels: Vec<OpenCollection>,
    /// Key or item that may continue on more lines.
    held: Option<PendingEntry<'t>>,
}

/// An open mapping or sequence.
struct OpenCollection {
    indent: usize,
    kind: DataKind,
    /// Depth in the writer, including it.
    depth: usize,
    /// Number of items.
    items: usize,
}

/// A key or an item whose value may continue on more lines, or be a mapping or a sequence.
struct PendingEntry<'t> {
    /// `None` at the top level.
    step: Option<PathStep<'t>>,
    indent: usize,
    start: usize,
    value: Range<usize>,
    form: ValueForm,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueForm {
    /// No value yet, or only an anchor.
    Open,
    /// A value that may continue on more lines.
    Plain,
    /// `|` or `>`: all deeper lines belong to it.
    Block,
}

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut yaml = Yaml {
        writer,
        text,
        levels: Vec::new(),
        held: None,
    };
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while let Some(line) = LineSpan::at(text, at) {
        at = yaml.line(line);
        if yaml.writer.is_over() {
            return;
        }
    }
    yaml.release(None);
}

impl<'t> Yaml<'_, 't, '_> {
    /// Processes a line with its continuation; returns the start of the next one.
    fn line(&mut self, line: LineSpan) -> usize {
        let (start, trimmed) = line.trim(self.text);
        if trimmed.is_empty() {
            return line.next;
        }
        let indent = start - line.start;
        if let Some(held) = &mut self.held
            && held.form == ValueForm::Block
            && indent > held.indent
        {
            held.value.end = start + trimmed.len();
            return line.next;
        }
        if trimmed.starts_with('#') {
            self.comment(start..start + trimmed.len());
            return line.next;
        }
        let is_mark = trimmed == "---" || trimmed == "..." || trimmed.starts_with("--- ");
        if indent == 0 && (is_mark || trimmed.starts_with('%')) {
            self.release(None);
            self.close_from(0);
            // The text of `--- # comment` and `--- value` would be in no entry otherwise.
            if !matches!(trimmed, "---" | "...") {
                self.writer.text(start..start + trimmed.len());
            }
            return line.next;
        }
        self.content(start, indent, line)
    }

    fn comment(&mut self, span: Range<usize>) {
        match &mut self.held {
            // In `a: # why⏎  b: 1` the comment comes before it is known that `a` is a mapping.
            // Entries are written in the order of the text, so the key is written first, as a
            // mapping. If nothing follows in it, it is closed as an empty one.
            Some(held) if held.form == ValueForm::Open && held.value.is_empty() => {
                let indent = held.indent;
                self.release(Some((indent + 1, DataKind::Text)));
            }
            _ => self.release(None),
        }
        self.writer.text(span);
    }

    /// Processes the content of a line from `at` on, which is in the column `column`.
    fn content(&mut self, mut at: usize, mut column: usize, line: LineSpan) -> usize {
        let base = at - column;
        // Each dash of `- - - a` is a list within the list before it. A line of ten thousand
        // dashes would be as many levels, so beyond the maximum the rest of the line is the
        // value of the last item.
        while is_dash(&self.text[at..line.end]) && self.levels.len() < crate::limits::LEVELS {
            self.enter(column, DataKind::List);
            let items = self.levels.last_mut().map_or(0, |level| {
                level.items += 1;
                level.items - 1
            });
            let after = &self.text[at + 1..line.end];
            let next = line.end - after.trim_start().len();
            self.held = Some(PendingEntry {
                step: Some(PathStep::item(items)),
                indent: column,
                start: at,
                value: next..next,
                form: ValueForm::Open,
            });
            at = next;
            if at >= line.end || self.text[at..line.end].starts_with('#') {
                return self.value(at, line);
            }
            column = at - base;
        }
        let text = &self.text[at..line.end];
        let Some((key, after)) = key(text) else {
            return self.without_key(at, column, line);
        };
        self.enter(column, DataKind::Table);
        let after = at + after;
        let next = line.end - self.text[after..line.end].trim_start().len();
        self.held = Some(PendingEntry {
            step: Some(PathStep::Key(key)),
            indent: column,
            start: at,
            value: next..next,
            form: ValueForm::Open,
        });
        self.value(next, line)
    }

    /// Processes a line without a key: a continuation of the value before it, or an item.
    fn without_key(&mut self, at: usize, column: usize, line: LineSpan) -> usize {
        match &mut self.held {
            Some(held) if column > held.indent && held.form != ValueForm::Open => {
                held.value.end = at + self.text[at..line.end].trim_end().len();
                line.next
            }
            Some(held) if column > held.indent => {
                if held.value.is_empty() {
                    held.value = at..at;
                }
                self.value(at, line)
            }
            _ => {
                self.release(None);
                self.close_from(column + 1);
                self.held = Some(PendingEntry {
                    step: None,
                    indent: column,
                    start: at,
                    value: at..at,
                    form: ValueForm::Plain,
                });
                self.value(at, line)
            }
        }
    }

    /// Reads the value of the held key, which begins at `at`.
    fn value(&mut self, at: usize, line: LineSpan) -> usize {
        let Some(held) = &mut self.held else {
            return line.next;
        };
        let value = self.text[at..line.end].trim_end();
        let core = without_properties(value);
        let core_at = at + value.len() - core.len();
        held.value.end = held.value.end.max(at + value.len());
        match core.as_bytes().first() {
            // Only an anchor, a tag or a comment: the value may follow.
            None | Some(b'#') => line.next,
            Some(b'|' | b'>') => {
                held.form = ValueForm::Block;
                line.next
            }
            // `{{ name }}` and `{% if a %}` are placeholders of templates, as in charts and
            // playbooks. As brackets they would be two nested mappings, and the rest of the line
            // a text beside them.
            Some(b'{' | b'[') if !core.starts_with("{{") && !core.starts_with("{%") => {
                self.in_brackets(core_at)
            }
            Some(b'"' | b'\'') => {
                held.form = ValueForm::Plain;
                let end = string_end(self.text, core_at, Dialect::Yaml);
                self.scan_quoted(end, line)
            }
            Some(_) => {
                held.form = ValueForm::Plain;
                line.next
            }
        }
    }

    /// Consumes the lines of a quoted string that ends at `end`, as long as they are deeper than
    /// its key: an unclosed quote must not consume the rest of the text.
    fn scan_quoted(&mut self, end: usize, first: LineSpan) -> usize {
        let Some(held) = &mut self.held else {
            return first.next;
        };
        let mut line = first;
        while end > line.end {
            let Some(next) = LineSpan::at(self.text, line.next) else {
                break;
            };
            let (start, trimmed) = next.trim(self.text);
            let is_deeper = start - next.start > held.indent || held.step.is_none();
            if !trimmed.is_empty() && !is_deeper {
                break;
            }
            line = next;
        }
        let until = line.start + self.text[line.start..line.end].trim_end().len();
        held.value.end = held.value.end.max(until);
        line.next
    }

    fn in_brackets(&mut self, bracket: usize) -> usize {
        let Some(held) = self.held.take() else {
            return bracket + 1;
        };
        let step = held.step;
        let steps = step.as_slice();
        let value = held.value.start..bracket;
        let end = flow(self.writer, steps, held.start, value, Dialect::Yaml);
        let end_of_line = end_of_line(self.text, end);
        let rest = self.text[end..end_of_line].trim_start();
        if !rest.trim_end().is_empty() {
            let start = end_of_line - rest.len();
            self.writer.text(start..start + rest.trim_end().len());
        }
        crate::line::after_line_end(self.text, end_of_line)
    }

    /// Writes the held key: as a container if an entry of the given kind follows in the given
    /// column, else with its value.
    fn release(&mut self, next: Option<(usize, DataKind)>) {
        let Some(held) = self.held.take() else {
            return;
        };
        let holds_more = next.is_some_and(|(column, kind)| {
            // The dashes of a list may be right below its key.
            let is_below = column == held.indent
                && kind == DataKind::List
                && matches!(held.step, Some(PathStep::Key(_)));
            held.form == ValueForm::Open && (column > held.indent || is_below)
        });
        let Some(step) = held.step else {
            match self.levels.is_empty() {
                true => self
                    .writer
                    .value(&[], &ValueSpan::new(held.start, held.value)),
                // A line without a key in a mapping, such as half of a merge conflict, is not
                // the value of any key.
                false => self.writer.text(held.start..held.value.end),
            }
            return;
        };
        let found = ValueSpan::new(held.start, held.value);
        if !holds_more || self.writer.is_full() {
            self.writer.value(&[step], &found);
            return;
        }
        let kind = next.map_or(DataKind::Table, |(_, kind)| kind);
        let kind = if kind == DataKind::Text {
            DataKind::Table
        } else {
            kind
        };
        self.writer.open(&[step], kind, &found);
    }

    /// Enters a key or an item in this column: closes the levels that end before it, and opens a
    /// new one.
    fn enter(&mut self, column: usize, kind: DataKind) {
        let depth = self.writer.depth();
        self.release(Some((column, kind)));
        let is_opened = self.writer.depth() > depth;
        let is_same = |level: &OpenCollection| {
            level.indent == column && (level.kind == kind || kind == DataKind::Table)
        };
        if !is_opened {
            // Deeper levels end here. A list may be in the column of its key, `key:⏎- a⏎other:`,
            // and it ends at the next key in that column; an item in that column belongs to it.
            while self.levels.last().is_some_and(|level| {
                level.indent > column
                    || (level.indent == column
                        && level.kind == DataKind::List
                        && kind == DataKind::Table)
            }) {
                self.pop();
            }
            if let Some(level) = self.levels.last().filter(|level| is_same(level)) {
                // A key followed only by a comment may have been opened without children.
                self.writer.close_to(level.depth);
                return;
            }
        }
        self.levels.push(OpenCollection {
            indent: column,
            kind,
            depth: self.writer.depth(),
            items: 0,
        });
    }

    /// Closes the levels in this column or deeper.
    fn close_from(&mut self, column: usize) {
        while self
            .levels
            .last()
            .is_some_and(|level| level.indent >= column)
        {
            self.pop();
        }
    }

    fn pop(&mut self) {
        self.levels.pop();
        let depth = self.levels.last().map_or(0, |level| level.depth);
        self.writer.close_to(depth);
    }
}

/// Returns true if a text begins with the dash of an item.
fn is_dash(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'-') && bytes.next().is_none_or(|byte| matches!(byte, b' ' | b'\t'))
}

/// Returns the key at the start of a text, and the possible start of its value.
fn key(text: &str) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let quoted = match bytes.first()? {
        b'"' | b'\'' => string_end(text, 0, Dialect::Yaml),
        // Brackets are values; `? ` begins a complex key.
        b'{' | b'[' | b'|' | b'>' | b'#' | b'%' => return None,
        _ => 0,
    };
    if quoted > 0 {
        let after = text.len() - text[quoted..].trim_start().len();
        if bytes.get(after) == Some(&b':') {
            return Some((strip_quotes(&text[..quoted]), after + 1));
        }
    }
    // The keys of `yarn.lock` are lists of quoted names: `"a@^1", "a@^2":`. Without a colon
    // directly after the first string, the first colon before a blank decides.
    let mut from = quoted;
    while let Some(colon) = memchr::memchr2(b':', b'#', &bytes[from..]).map(|at| from + at) {
        let is_before_blank = bytes
            .get(colon + 1)
            .is_none_or(|byte| byte.is_ascii_whitespace());
        if bytes[colon] == b'#' {
            if colon > 0 && bytes[colon - 1].is_ascii_whitespace() {
                return None;
            }
        } else if is_before_blank {
            let key = text[..colon].trim_end();
            let key = key.strip_prefix("? ").unwrap_or(key).trim_start();
            return Some((strip_quotes(key), colon + 1));
        }
        from = colon + 1;
    }
    None
}

/// Strips the anchor and the tag of a value.
fn without_properties(value: &str) -> &str {
    let mut rest = value;
    while rest.starts_with(['&', '!']) {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest = rest[end..].trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn workflow() {
        let text = "name: CI\non:\n  push:\n    branches: [main, 'v*']\n  pull_request:\n\njobs:\n  # Tests.\n  test:\n    runs-on: ${{ matrix.os }}\n    strategy:\n      matrix: {os: [ubuntu, macos], rust: stable}\n    steps:\n    - uses: actions/checkout@v4\n    - name: Test\n      run: |\n        # all\n        cargo test --all\n\n        cargo doc\n      env:\n        RUSTFLAGS: -D warnings # strict\n    - run: echo done\n  lint:\n    needs: test\n";
        check(
            DataFormat::Yaml,
            text,
            &[
                "1 name = CI",
                "2 on:",
                "3 on.push:",
                "4 on.push.branches = [main, 'v*']",
                "5 on.pull_request",
                "7 jobs:",
                "8 # Tests.",
                "9 jobs.test:",
                "10 jobs.test.runs-on = ${{ matrix.os }}",
                "11 jobs.test.strategy:",
                "12 jobs.test.strategy.matrix:",
                "12 jobs.test.strategy.matrix.os = [ubuntu, macos]",
                "12 jobs.test.strategy.matrix.rust = stable",
                "13 jobs.test.steps:",
                "14 jobs.test.steps[0]:",
                "14 jobs.test.steps[0].uses = actions/checkout@v4",
                "15 jobs.test.steps[1]:",
                "15 jobs.test.steps[1].name = Test",
                "16-20 jobs.test.steps[1].run = | # all cargo test --all cargo doc",
                "21 jobs.test.steps[1].env:",
                "22 jobs.test.steps[1].env.RUSTFLAGS = -D warnings # strict",
                "23 jobs.test.steps[2]:",
                "23 jobs.test.steps[2].run = echo done",
                "24 jobs.lint:",
                "25 jobs.lint.needs = test",
            ],
        );
    }

    #[test]
    fn several_documents() {
        let text = "apiVersion: v1\nkind: Service\nspec:\n  ports:\n    - port: 80\n      name: http\n---\n# Second.\nkind: Deployment\nspec:\n  replicas: 3\n...\n";
        check(
            DataFormat::Yaml,
            text,
            &[
                "1 apiVersion = v1",
                "2 kind = Service",
                "3 spec:",
                "4 spec.ports:",
                "5 spec.ports[0]:",
                "5 spec.ports[0].port = 80",
                "6 spec.ports[0].name = http",
                "8 # Second.",
                "9 kind = Deployment",
                "10 spec:",
                "11 spec.replicas = 3",
            ],
        );
    }

    #[test]
    fn anchors_and_values_of_several_lines() {
        let text = "x-base: &base\n  image: \"app:1\"\n  restart: always\nservices:\n  웹:\n    <<: *base\n    command: npm\n      run start\n    title: 'one\n      two'\n    \"quoted key\": !!str 1\n  empty:\n  # Nothing yet.\nlist:\n  - - a\n    - b\n  -\n    c: 1\n";
        check(
            DataFormat::Yaml,
            text,
            &[
                "1 x-base: &base",
                "2 x-base.image = \"app:1\"",
                "3 x-base.restart = always",
                "4 services:",
                "5 services.웹:",
                "6 services.웹.<< = *base",
                "7-8 services.웹.command = npm run start",
                "9-10 services.웹.title = 'one two'",
                "11 services.웹.\"quoted key\" = !!str 1",
                "12 services.empty:",
                "13 # Nothing yet.",
                "14 list:",
                "15 list[0]:",
                "15 list[0][0] = a",
                "16 list[0][1] = b",
                "17 list[1]:",
                "18 list[1].c = 1",
            ],
        );
    }

    #[test]
    fn brackets_over_lines() {
        let text = "a: {b: 1,\n  c: [x,\n    y]} # end\nd: 2\n";
        check(
            DataFormat::Yaml,
            text,
            &[
                "1 a:",
                "1 a.b = 1",
                "2 a.c:",
                "2 a.c[0] = x",
                "3 a.c[1] = y",
                "3 # end",
                "4 d = 2",
            ],
        );
    }

    #[test]
    fn broken_input_is_text() {
        check(
            DataFormat::Yaml,
            "a: \"no end\nb: 1\n\tc: 2\nstray\nd: {{ template }}\n{{- if x }}\ne: 3\n",
            &[
                "1 a = \"no end",
                "2 b = 1",
                "3 c = 2",
                "4 stray",
                "5 d = {{ template }}",
                "6 {{- if x }}",
                "7 e = 3",
            ],
        );
    }
}
