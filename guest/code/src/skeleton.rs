//! Skeletons: an outline rendered as text within a budget.

use std::collections::HashSet;
use std::fmt;

use crate::limits::{
    LONG_FILE_LINES, PREVIEW_FLOOR, PREVIEW_PART, SENTENCE_LINES, SHOWN_DOC_CHARS,
    SHOWN_IMPORTS_CHARS, SHOWN_SIGNATURE_CHARS,
};
use crate::outline::Outline;
use crate::signature::cut_after;
use crate::symbol::{Import, Lines, Symbol, SymbolKind};
use crate::truncate::cut;

/// An outline rendered as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// One line for all imports, then one for each symbol: its lines, two blanks for each level,
    /// its decorators and its signature, and the first sentence of its comment after `//`. If
    /// anything was omitted, the last line says so. No final line end.
    ///
    /// ```text
    /// 4-5  imports std::collections::BTreeMap, std::{fmt, io::{self, Read}}
    /// 7-8  pub const NOTES: usize = 10_000  // Notes that a store holds at most.
    /// 12-18  pub struct Note<'a, T: Into<String>>  // A note.
    /// 15-16    pub text: &'a str  // The text, with `{` in it.
    /// 17    tags: Vec<(T, u8)>
    /// ```
    pub text: String,
    /// Omitted parts, in the form of `text`: symbols, and comments after the lines of theirs. Each
    /// line ends with a line end. Empty if every symbol and the first sentence of every comment is
    /// in `text`.
    pub rest: String,
    /// Number of symbols in `text`.
    pub shown: usize,
    /// Number of symbols in the outline.
    pub symbols: usize,
}

/// The subject of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowSubject {
    Imports,
    Symbol,
}

/// The visible part of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visibility {
    Hidden,
    /// All but the comment.
    Row,
    RowAndDoc,
}

/// The part of a row, each selected separately: at equal rank, a row comes before its comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RowPart {
    Row,
    Doc,
}

/// A line of a skeleton, which may be omitted.
#[derive(Debug)]
struct Row {
    subject: RowSubject,
    /// Line numbers, with which the text begins.
    range: String,
    /// Blanks after the range.
    indent: usize,
    text: String,
    doc: String,
    /// Rank; the largest is omitted first. Never less than that of the parent.
    rank: u8,
    doc_rank: u8,
    visibility: Visibility,
}

/// Ranks below this are definitions, above are comments.
const DOC_RANK: u8 = 10;

/// The unit of a budget.
#[derive(Clone, Copy, Debug)]
enum BudgetUnit {
    Bytes,
    Chars,
}

impl BudgetUnit {
    fn measure(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Chars => text.chars().count(),
        }
    }
}

/// The omissions of a skeleton, as its last line reports them.
struct Omission {
    has_imports: bool,
    symbols: usize,
    all_symbols: usize,
    docs: usize,
}

impl fmt::Display for Omission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.has_imports {
            parts.push("imports".to_owned());
        }
        if self.symbols > 0 {
            parts.push(format!(
                "{} of {} definitions",
                self.symbols, self.all_symbols
            ));
        }
        if self.docs > 0 {
            parts.push(format!("{} comments", self.docs));
        }
        write!(formatter, "... left out: {}", parts.join(", "))
    }
}

impl Outline {
    /// Renders the outline in at most `max_chars` characters.
    ///
    /// If it does not fit, parts are omitted in this order: comments of members, comments of other
    /// definitions, fields and variants, private members and nested types, private values, private
    /// definitions and macros, constants and variables, methods, and then the rest, each from the
    /// end of the file. Imports rank with the private values.
    pub fn skeleton(&self, max_chars: usize) -> Skeleton {
        self.within(max_chars, BudgetUnit::Chars)
    }

    /// Renders the outline in a size suitable for a file of `text_len` bytes: at most a tenth of
    /// them, in bytes. A file of less than 1 000 lines may have 1 500 bytes, but no more than half
    /// of its own size.
    pub fn preview(&self, text_len: usize) -> Skeleton {
        let part = text_len / PREVIEW_PART;
        let is_long = self.line_count as usize >= LONG_FILE_LINES;
        let floor = if is_long {
            0
        } else {
            PREVIEW_FLOOR.min(text_len / 2)
        };
        self.within(part.max(floor), BudgetUnit::Bytes)
    }

    fn within(&self, budget: usize, unit: BudgetUnit) -> Skeleton {
        let mut rows = self.rows();
        // Each row but the last has a line end.
        let whole: usize = rows.iter().map(|row| row.size(RowPart::Row, unit)).sum();
        let docs: usize = rows.iter().map(|row| row.size(RowPart::Doc, unit)).sum();
        if whole + docs <= budget.saturating_add(1) {
            for row in &mut rows {
                row.visibility = Visibility::RowAndDoc;
            }
        } else {
            // Room for the last line, which reports the omissions. Its length depends on the
            // parts that are omitted, and these depend on the room that is left. So the longest
            // possible line is assumed, in which everything is omitted.
            let note = unit.measure(&omission(&rows).to_string());
            choose(&mut rows, (budget + 1).saturating_sub(note + 1), unit);
            hide_within_hidden(&mut rows);
        }
        skeleton_of(&rows, budget, unit)
    }

    /// Returns all rows, none of them selected.
    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        if !self.imports.is_empty() {
            rows.push(imports_row(&self.imports, self.imports_end));
        }
        for symbol in &self.symbols {
            add_symbol(symbol, 0, 0, &mut rows);
        }
        rows
    }
}

impl Row {
    /// Returns the cost of a part of the row.
    fn size(&self, part: RowPart, unit: BudgetUnit) -> usize {
        match part {
            RowPart::Row => unit.measure(&self.text) + 1,
            RowPart::Doc => unit.measure(&self.doc),
        }
    }

    fn is_symbol(&self) -> bool {
        self.subject == RowSubject::Symbol
    }

    /// Returns true if it has a comment that is not in the text.
    fn lacks_doc(&self) -> bool {
        !self.doc.is_empty() && self.visibility != Visibility::RowAndDoc
    }
}

/// Selects the parts that fit `room`, by rank and then in the order of the file.
fn choose(rows: &mut [Row], room: usize, unit: BudgetUnit) {
    let mut parts: Vec<(u8, usize, RowPart)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        parts.push((row.rank, index, RowPart::Row));
        if !row.doc.is_empty() {
            parts.push((row.doc_rank, index, RowPart::Doc));
        }
    }
    // By rank, then in the order of the file, and a row before its comment.
    parts.sort_unstable();
    let mut room = room;
    for (_, index, part) in parts {
        let row = &mut rows[index];
        let size = row.size(part, unit);
        // A part that does not fit is skipped, and smaller ones after it may still fit.
        if size > room {
            continue;
        }
        row.visibility = match (part, row.visibility) {
            (RowPart::Row, _) => Visibility::Row,
            (RowPart::Doc, Visibility::Row) => Visibility::RowAndDoc,
            // A comment without its row is useless.
            (RowPart::Doc, _) => continue,
        };
        room -= size;
    }
}

/// Hides the children of hidden rows: without their parent, they would seem to belong to the row
/// before.
fn hide_within_hidden(rows: &mut [Row]) {
    let mut hidden_indent = None;
    for row in rows {
        if hidden_indent.is_some_and(|hidden| row.indent > hidden) {
            row.visibility = Visibility::Hidden;
        } else {
            hidden_indent = (row.visibility == Visibility::Hidden).then_some(row.indent);
        }
    }
}

/// Counts the omitted parts of `rows`.
fn omission(rows: &[Row]) -> Omission {
    let symbols = || rows.iter().filter(|row| row.is_symbol());
    let is_hidden = |row: &&Row| row.visibility == Visibility::Hidden;
    Omission {
        has_imports: rows.iter().any(|row| !row.is_symbol() && is_hidden(&row)),
        symbols: symbols().filter(is_hidden).count(),
        all_symbols: symbols().count(),
        docs: rows.iter().filter(|row| row.lacks_doc()).count(),
    }
}

fn skeleton_of(rows: &[Row], budget: usize, unit: BudgetUnit) -> Skeleton {
    let (mut text, mut rest) = (String::new(), String::new());
    for row in rows {
        match row.visibility {
            Visibility::Hidden => {
                rest.push_str(&row.text);
                rest.push_str(&row.doc);
                rest.push('\n');
                continue;
            }
            Visibility::Row => text.push_str(&row.text),
            Visibility::RowAndDoc => {
                text.push_str(&row.text);
                text.push_str(&row.doc);
            }
        }
        if row.lacks_doc() {
            let (range, indent, doc) = (&row.range, row.indent, row.doc.trim_start());
            rest.push_str(&format!("{range}{:indent$}{doc}\n", ""));
        }
        text.push('\n');
    }
    // A signature may be empty, and the last row has no line end.
    text.truncate(text.trim_end().len());
    let omission = omission(rows);
    if !rest.is_empty() {
        let note = omission.to_string();
        let line_end = usize::from(!text.is_empty());
        // A budget may be too small for the note alone.
        if unit.measure(&text) + line_end + unit.measure(&note) <= budget {
            if line_end == 1 {
                text.push('\n');
            }
            text.push_str(&note);
        }
    }
    Skeleton {
        text,
        rest,
        shown: omission.all_symbols - omission.symbols,
        symbols: omission.all_symbols,
    }
}

/// Returns the rank of a symbol: the larger, the earlier it is omitted.
fn rank(symbol: &Symbol, is_nested: bool) -> u8 {
    use SymbolKind as K;
    // Fields before methods: there are more of them, and they say less about the purpose of a file.
    match symbol.kind {
        K::Field | K::Variant => 7,
        K::Constant | K::Variable if symbol.is_private => 5,
        K::Constant | K::Variable => 3,
        _ if symbol.is_private && is_nested => 6,
        _ if symbol.is_private || symbol.kind == K::Macro => 4,
        _ if is_nested => 2,
        _ => 0,
    }
}

/// Adds the rows of a symbol and of its children. `outer_rank` is that of its parent, without which
/// it is not shown.
fn add_symbol(symbol: &Symbol, level: usize, outer_rank: u8, rows: &mut Vec<Row>) {
    let is_nested = level > 0;
    let rank = rank(symbol, is_nested).max(outer_rank);
    let range = match symbol.lines {
        Lines { first, last } if first == last => format!("{first}"),
        Lines { first, last } => format!("{first}-{last}"),
    };
    let indent = 2 + 2 * level;
    let signature = cut_after(&symbol.signature, &symbol.name, SHOWN_SIGNATURE_CHARS);
    // `@get("/") def index()`: lines above it in the file are put before it here.
    let decorators = &symbol.decorators;
    let blank = if decorators.is_empty() { "" } else { " " };
    let sentence = first_sentence(&symbol.doc);
    rows.push(Row {
        subject: RowSubject::Symbol,
        text: format!("{range}{:indent$}{decorators}{blank}{signature}", ""),
        range,
        indent,
        doc: if sentence.is_empty() {
            sentence
        } else {
            format!("  // {sentence}")
        },
        rank,
        doc_rank: DOC_RANK + u8::from(is_nested) + 2 * u8::from(symbol.is_private),
        visibility: Visibility::Hidden,
    });
    for child in &symbol.children {
        add_symbol(child, level + 1, rank, rows);
    }
}

/// Returns the first sentence of a comment, or its first paragraph if no sentence ends in it. Tags
/// such as `@param` are not part of it, except for the one that introduces it.
fn first_sentence(doc: &str) -> String {
    let mut sentence = String::new();
    for line in doc.lines().take(SENTENCE_LINES) {
        let line = line.trim();
        // Doxygen's tag for the wanted sentence.
        let brief = ["@brief ", "\\brief "];
        let brief = brief.iter().find_map(|tag| line.strip_prefix(tag));
        let line = brief.unwrap_or(line).trim_start();
        // End of the first paragraph.
        if line.is_empty() || is_tag(line) {
            break;
        }
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(line);
        // In bytes: more than the shown characters can have.
        if sentence.len() > 8 * SHOWN_DOC_CHARS || (line.ends_with('.') && !is_abbreviated(line)) {
            break;
        }
    }
    let end = sentence_end(&sentence);
    cut(sentence[..end].trim(), SHOWN_DOC_CHARS)
}

/// Returns true if a comment line is a tag: `@return`, `\\param`.
fn is_tag(line: &str) -> bool {
    line.strip_prefix(['@', '\\'])
        .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

/// Returns true if the full stop at the end of `text` belongs to an abbreviation.
fn is_abbreviated(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    ["e.g.", "i.e.", "vs.", "etc.", "cf."]
        .iter()
        .any(|abbreviation| word.eq_ignore_ascii_case(abbreviation))
}

/// Returns the end of the first sentence: after a full stop and before a blank, outside of code
/// spans.
fn sentence_end(text: &str) -> usize {
    let mut start = 0;
    while let Some(length) = text[start..].find(['`', '.']) {
        let after = start + length + 1;
        let sign = text.as_bytes()[after - 1];
        start = if sign == b'`' {
            // A backtick without a partner is text.
            after + text[after..].find('`').map_or(0, |close| close + 1)
        } else if text[after..].starts_with(' ') && !is_abbreviated(&text[..after]) {
            return after;
        } else {
            after
        };
    }
    text.len()
}

/// Returns the row of the imports: the lines of their first group, and the names of all.
fn imports_row(imports: &[Import], last: u32) -> Row {
    let first = imports.first().map_or(1, |import| import.lines.first);
    let range = if first >= last {
        format!("{first}")
    } else {
        format!("{first}-{last}")
    };
    let mut line = format!("{range}  imports ");
    let mut seen = HashSet::new();
    let modules = imports.iter().map(|import| import.module.as_str());
    let modules: Vec<&str> = modules.filter(|module| seen.insert(*module)).collect();
    let mut length = line.chars().count();
    for (index, module) in modules.iter().enumerate() {
        let sign = if index == 0 { "" } else { ", " };
        let more = format!("{sign}{module}");
        length += more.chars().count();
        // At least one is named, however long.
        if length > SHOWN_IMPORTS_CHARS && index > 0 {
            line.push_str(&format!(" and {} more", modules.len() - index));
            break;
        }
        line.push_str(&more);
    }
    Row {
        subject: RowSubject::Imports,
        range,
        indent: 2,
        text: line,
        doc: String::new(),
        // The definitions of a file are more informative than its imports.
        rank: 5,
        doc_rank: DOC_RANK,
        visibility: Visibility::Hidden,
    }
}
