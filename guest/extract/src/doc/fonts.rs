//! The fonts, which tell the encoding of text in Word 6 and the signs of symbol fonts.

use super::fib::{DocTable, Fib, WordFormat};
use crate::limits::DOC_FONTS;
use crate::ole::u16_at;
use crate::rtf::charset::FontTable;

/// Reads the fonts from the stream of the tables.
pub fn read(fib: &Fib, tables: &[u8]) -> FontTable {
    let range = fib.table(DocTable::FONTS);
    let table = tables.get(range.start..range.end.min(tables.len()));
    let table = table.unwrap_or_default();
    let mut fonts = FontTable::default();
    // Before the fonts is their number, or the length of the table in Word 6.
    let (mut rest, name_at) = match fib.format {
        WordFormat::Word97 => (table.get(4..).unwrap_or_default(), 39),
        WordFormat::Word6 => (table.get(2..).unwrap_or_default(), 5),
    };
    for number in 0..DOC_FONTS {
        let Some((length, behind)) = rest.split_first() else {
            break;
        };
        let length = usize::from(*length).min(behind.len());
        let (font, behind) = behind.split_at(length);
        rest = behind;
        fonts.begin(i32::try_from(number).unwrap_or_default());
        fonts.set_charset(font.get(3).copied().map(i32::from));
        let name = font.get(name_at..).unwrap_or_default();
        let name: Vec<u8> = match fib.format {
            // The names of symbol fonts, which alone matter, are in ASCII.
            WordFormat::Word97 => {
                let units = name.chunks_exact(2).map(|unit| u16_at(unit, 0));
                let units = units.take_while(|unit| *unit != 0);
                units.filter_map(|unit| u8::try_from(unit).ok()).collect()
            }
            WordFormat::Word6 => name.iter().copied().take_while(|byte| *byte != 0).collect(),
        };
        fonts.push_name(&name);
    }
    fonts
}
