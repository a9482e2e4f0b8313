//! Lists: the kinds of their levels, and the lists that paragraphs refer to.

use super::fib::{DocTable, Fib};
use crate::docx::numbering::{Level, NumberForm, Numbering};
use crate::limits::{DOC_LISTS, LIST_LEVELS};
use crate::ole::{u16_at, u32_at};

/// Bytes of a kind of list, of a level of it without its texts, and of a list.
const KIND_BYTES: usize = 28;
const LEVEL_BYTES: usize = 28;
const LIST_BYTES: usize = 16;

/// Flags: a kind of list with one level, and an override with a number or a whole level.
const SIMPLE: u8 = 1;
const HAS_START: u32 = 1 << 4;
const HAS_LEVEL: u32 = 1 << 5;

/// Maximum characters in the template of a number that are used; Word allows 31.
const TEMPLATE_CHARACTERS: usize = 32;

/// Reads the lists from the stream of the tables.
pub fn read(fib: &Fib, tables: &[u8]) -> Numbering {
    let mut numbering = Numbering::default();
    read_kinds(fib, tables, &mut numbering);
    read_lists(fib, tables, &mut numbering);
    numbering
}

/// Reads the kinds of lists. Their levels follow all of them.
fn read_kinds(fib: &Fib, tables: &[u8], numbering: &mut Numbering) {
    let range = fib.table(DocTable::LIST_KINDS);
    if range.is_empty() {
        return;
    }
    let table = tables.get(range.start..).unwrap_or_default();
    let count = usize::from(u16_at(table, 0));
    let mut level_at = 2 + KIND_BYTES * count;
    for kind in table
        .get(2..)
        .unwrap_or_default()
        .chunks_exact(KIND_BYTES)
        .take(count)
    {
        let is_simple = kind[26] & SIMPLE != 0;
        let mut levels: [Level; LIST_LEVELS] = Default::default();
        let read = if is_simple { 1 } else { LIST_LEVELS };
        for level in levels.iter_mut().take(read) {
            let (found, end) = read_level(table, level_at);
            (*level, level_at) = (found, end);
        }
        if is_simple {
            let first = levels[0].clone();
            levels.fill(first);
        }
        numbering.add_kind(u32_at(kind, 0).to_string(), levels);
    }
}

/// Reads a level, and returns it with its end.
fn read_level(table: &[u8], at: usize) -> (Level, usize) {
    let level = table.get(at..).unwrap_or_default();
    let byte = |at: usize| level.get(at).copied().map_or(0, usize::from);
    let text_at = LEVEL_BYTES + byte(24) + byte(25);
    let length = usize::from(u16_at(level, text_at));
    let units = level.get(text_at + 2..).unwrap_or_default().chunks_exact(2);
    let units = units.take(length.min(TEMPLATE_CHARACTERS));
    let mut text = String::new();
    for c in char::decode_utf16(units.map(|unit| u16_at(unit, 0))).flatten() {
        match u32::from(c) {
            // The number of a level is in place of the character with its own number.
            number if (number as usize) < LIST_LEVELS => text.push_str(&format!("%{}", number + 1)),
            _ => text.push(c),
        }
    }
    let level = Level {
        number_form: number_form(byte(4)),
        start: u32_at(level, 0),
        text,
    };
    (level, at + text_at + 2 + 2 * length)
}

/// Returns the form of numbers with this code (MSONFC).
fn number_form(code: usize) -> NumberForm {
    match code {
        0 | 14 | 19 | 22 => NumberForm::Decimal,
        23 => NumberForm::Bullet,
        255 => NumberForm::None,
        _ => NumberForm::Other,
    }
}

/// Reads the lists, and then what each of them overrides.
fn read_lists(fib: &Fib, tables: &[u8], numbering: &mut Numbering) {
    let range = fib.table(DocTable::LISTS);
    let table = tables.get(range.start..range.end.min(tables.len()));
    let table = table.unwrap_or_default();
    let all = u32_at(table, 0) as usize;
    let mut override_at = all.saturating_mul(LIST_BYTES).saturating_add(4);
    let lists = table.get(4..).unwrap_or_default().chunks_exact(LIST_BYTES);
    for (index, list) in lists.take(all.min(DOC_LISTS)).enumerate() {
        let mut starts = [None; LIST_LEVELS];
        // A number that is not used comes before the overrides of each list.
        override_at = override_at.saturating_add(4);
        for _ in 0..list[12] {
            let Some(changed) = table.get(override_at..) else {
                break;
            };
            let flags = u32_at(changed, 4);
            let level = flags as usize & 0xF;
            override_at += 8;
            let mut start = u32_at(changed, 0);
            if flags & HAS_LEVEL != 0 {
                let (level, end) = read_level(table, override_at);
                (start, override_at) = (level.start, end);
            }
            if flags & HAS_START != 0
                && let Some(own) = starts.get_mut(level)
            {
                *own = Some(start);
            }
        }
        let kind = u32_at(list, 0).to_string();
        numbering.add_list((index + 1).to_string(), kind, starts);
    }
}
