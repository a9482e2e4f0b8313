//! An outline as text, within a budget.

use std::collections::HashSet;

use crate::code::{cut, cut_behind};
use crate::limits::{
    LONG_FILE_LINES, PREVIEW_FLOOR, PREVIEW_PART, SHOWN_DOC_CHARS, SHOWN_IMPORTS_CHARS,
    SHOWN_SIGNATURE_CHARS,
};
use crate::{Import, Lines, Outline, Symbol, SymbolKind};

/// An outline as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// One line for all imports, then one a symbol: its lines, and two blanks for each level before
    /// its signature, with the first sentence of its comment behind `//`. Where something was left
    /// out, the last line says what. No final line end.
    pub text: String,
    /// What was left out, in the form of `text`: symbols, and comments behind the lines of theirs.
    /// Each line ends with a line end. Empty where every symbol and the first sentence of every comment
    /// is in `text`.
    pub rest: String,
    /// How many symbols are in `text`.
    pub shown: usize,
    /// How many symbols the outline has.
    pub symbols: usize,
}

/// A line of a skeleton, which may be left out.
#[derive(Debug)]
struct Row {
    text: String,
    doc: String,
    /// What goes first has the largest number. Never less than the parent's.
    rank: u8,
    doc_rank: u8,
}

/// Ranks below this are definitions, above are comments.
const DOC_RANK: u8 = 10;

/// How a budget is counted.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Bytes,
    Chars,
}

impl Unit {
    fn of(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Chars => text.chars().count(),
        }
    }
}

impl Outline {
    /// Returns the outline as text of at most `max_chars` characters.
    ///
    /// What does not fit is left out in this order: comments of members, comments of other
    /// definitions, fields and variants, private members and nested types, private values, private
    /// definitions and macros, constants and variables, methods, and then the rest, each from the
    /// end of the file.
    pub fn skeleton(&self, max_chars: usize) -> Skeleton {
        self.within(max_chars, Unit::Chars)
    }

    /// Returns the outline as text of a size that suits a file of `text_len` bytes: at most a tenth
    /// of them, in bytes. A file of less than 1 000 lines may have 1 500 bytes, but no more than
    /// half of its own size.
    pub fn preview(&self, text_len: usize) -> Skeleton {
        let part = text_len / PREVIEW_PART;
        let is_long = self.line_count as usize >= LONG_FILE_LINES;
        let floor = if is_long {
            0
        } else {
            PREVIEW_FLOOR.min(text_len / 2)
        };
        self.within(part.max(floor), Unit::Bytes)
    }

    fn within(&self, budget: usize, unit: Unit) -> Skeleton {
        let mut rows = Vec::new();
        if !self.imports.is_empty() {
            rows.push(Row {
                text: imports_line(&self.imports, self.imports_end),
                doc: String::new(),
                rank: 0,
                doc_rank: DOC_RANK,
            });
        }
        let has_imports = rows.len();
        for symbol in &self.symbols {
            add(symbol, 0, 0, &mut rows);
        }
        let symbols = rows.len() - has_imports;
        let docs = rows.iter().filter(|row| !row.doc.is_empty()).count();
        let mut parts: Vec<(u8, usize, bool)> = Vec::new();
        let mut whole = 0;
        for (at, row) in rows.iter().enumerate() {
            parts.push((row.rank, at, false));
            whole += unit.of(&row.text) + 1;
            if !row.doc.is_empty() {
                parts.push((row.doc_rank, at, true));
                whole += unit.of(&row.doc);
            }
        }
        let all_fits = whole <= budget.saturating_add(1);
        let (mut with_row, mut with_doc) = (vec![all_fits; rows.len()], vec![all_fits; rows.len()]);
        if !all_fits {
            // Room for the last line, which says what is missing.
            let note = unit.of(&left_out(has_imports > 0, symbols, symbols, docs));
            let mut left = (budget + 1).saturating_sub(note + 1);
            parts.sort_unstable();
            for (_, at, is_doc) in parts {
                let row = &rows[at];
                let size = if is_doc {
                    unit.of(&row.doc)
                } else {
                    unit.of(&row.text) + 1
                };
                if size > left {
                    // A large one does not keep out what comes after it in its rank, but nothing
                    // is shown that stands in what is not.
                    continue;
                }
                let chosen = if is_doc {
                    with_row[at].then_some(&mut with_doc)
                } else {
                    Some(&mut with_row)
                };
                if let Some(chosen) = chosen {
                    chosen[at] = true;
                    left -= size;
                }
            }
        }
        self.text_of(&rows, has_imports, &mut with_row, &with_doc, budget, unit)
    }

    fn text_of(
        &self,
        rows: &[Row],
        has_imports: usize,
        with_row: &mut [bool],
        with_doc: &[bool],
        budget: usize,
        unit: Unit,
    ) -> Skeleton {
        let mut text = String::new();
        let mut rest = String::new();
        let (mut shown, mut missing_docs) = (0, 0);
        let mut hidden_level = usize::MAX;
        for (at, row) in rows.iter().enumerate() {
            let level = level(&row.text);
            if level > hidden_level {
                with_row[at] = false;
            } else {
                hidden_level = if with_row[at] { usize::MAX } else { level };
            }
            let has_doc = with_row[at] && with_doc[at];
            missing_docs += usize::from(!row.doc.is_empty() && !has_doc);
            if !with_row[at] {
                rest.push_str(&row.text);
                rest.push_str(&row.doc);
                rest.push('\n');
                continue;
            }
            if !row.doc.is_empty() && !has_doc {
                let range = row.text.split(' ').next().unwrap_or_default();
                rest.push_str(&format!("{range}{:level$}{}\n", "", row.doc.trim_start()));
            }
            shown += usize::from(at >= has_imports);
            text.push_str(&row.text);
            if has_doc {
                text.push_str(&row.doc);
            }
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        let symbols = rows.len() - has_imports;
        if !rest.is_empty() {
            let no_imports = has_imports > 0 && !with_row[0];
            let note = left_out(no_imports, symbols - shown, symbols, missing_docs);
            let line_end = usize::from(!text.is_empty());
            if unit.of(&text) + line_end + unit.of(&note) <= budget {
                if line_end == 1 {
                    text.push('\n');
                }
                text.push_str(&note);
            }
        }
        Skeleton {
            text,
            rest,
            shown,
            symbols,
        }
    }
}

fn left_out(imports: bool, missing: usize, symbols: usize, docs: usize) -> String {
    let mut parts = Vec::new();
    if imports {
        parts.push("imports".to_owned());
    }
    if missing > 0 {
        parts.push(format!("{missing} of {symbols} definitions"));
    }
    if docs > 0 {
        parts.push(format!("{docs} comments"));
    }
    format!("... left out: {}", parts.join(", "))
}

/// Returns the level of a row: how many blanks stand behind its range, in twos.
fn level(row: &str) -> usize {
    let rest = row.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
    rest.len() - rest.trim_start_matches(' ').len()
}

fn add(symbol: &Symbol, level: usize, outer: u8, rows: &mut Vec<Row>) {
    use SymbolKind as K;
    let is_nested = level > 0;
    let own = match symbol.kind {
        K::Field | K::Variant => 7,
        K::Constant | K::Variable if symbol.is_private => 5,
        K::Constant | K::Variable => 3,
        _ if symbol.is_private && is_nested => 6,
        _ if symbol.is_private || symbol.kind == K::Macro => 4,
        K::Method | K::Constructor if is_nested => 2,
        _ if is_nested => 2,
        _ => 0,
    };
    let rank = own.max(outer);
    let range = match symbol.lines {
        Lines { first, last } if first == last => format!("{first}"),
        Lines { first, last } => format!("{first}-{last}"),
    };
    let sentence = first_sentence(&symbol.doc);
    rows.push(Row {
        text: format!(
            "{range}  {:indent$}{}",
            "",
            cut_behind(&symbol.signature, &symbol.name, SHOWN_SIGNATURE_CHARS),
            indent = 2 * level
        ),
        doc: if sentence.is_empty() {
            sentence
        } else {
            format!("  // {sentence}")
        },
        rank,
        doc_rank: DOC_RANK + u8::from(is_nested) + 2 * u8::from(symbol.is_private),
    });
    for child in &symbol.children {
        add(child, level + 1, rank, rows);
    }
}

/// Returns the first sentence of a comment, or its first paragraph where none ends before. Tags such
/// as `@param` are no part of it, but for the one that says that it follows.
fn first_sentence(doc: &str) -> String {
    let mut sentence = String::new();
    for line in doc.lines().take(8) {
        let line = line.trim();
        let brief = ["@brief ", "\\brief "];
        let brief = brief.iter().find_map(|tag| line.strip_prefix(tag));
        let line = brief.unwrap_or(line).trim_start();
        if line.is_empty() || is_tag(line) {
            break;
        }
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(line);
        if sentence.len() > 8 * SHOWN_DOC_CHARS || (line.ends_with('.') && !is_abbreviated(line)) {
            break;
        }
    }
    let end = sentence_end(&sentence);
    cut(sentence[..end].trim(), SHOWN_DOC_CHARS)
}

/// Whether a line of a comment is a tag of its own: `@return`, `\\param`.
fn is_tag(line: &str) -> bool {
    line.strip_prefix(['@', '\\'])
        .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

/// Whether the full stop at the end of `text` belongs to a word.
fn is_abbreviated(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    ["e.g.", "i.e.", "vs.", "etc.", "cf."]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// Returns where the first sentence ends: behind a full stop and before a blank, not in a piece of
/// code.
fn sentence_end(text: &str) -> usize {
    let mut at = 0;
    while let Some(found) = text[at..].find(['`', '.']) {
        let behind = at + found + 1;
        if text[behind - 1..].starts_with('`') {
            // A sign without a partner is just a sign.
            at = behind + text[behind..].find('`').map_or(0, |close| close + 1);
        } else if text[behind..].starts_with(' ') && !is_abbreviated(&text[..behind]) {
            return behind;
        } else {
            at = behind;
        }
    }
    text.len()
}

/// Returns the row of the imports: the lines of the first group of them, and what all name.
fn imports_line(imports: &[Import], last: u32) -> String {
    let first = imports.first().map_or(1, |import| import.lines.first);
    let mut line = if first >= last {
        format!("{first}  imports ")
    } else {
        format!("{first}-{last}  imports ")
    };
    let mut known = HashSet::new();
    let modules = imports.iter().map(|import| import.module.as_str());
    let modules: Vec<&str> = modules.filter(|module| known.insert(*module)).collect();
    let mut length = line.chars().count();
    for (at, module) in modules.iter().enumerate() {
        let sign = if at == 0 { "" } else { ", " };
        let more = format!("{sign}{module}");
        length += more.chars().count();
        if length > SHOWN_IMPORTS_CHARS && at > 0 {
            line.push_str(&format!(" and {} more", modules.len() - at));
            break;
        }
        line.push_str(&more);
    }
    line
}
