//! Workbooks in binary records: reading any file, and any records of a sheet, ends with Markdown of
//! headings and tables within the limit, or with an error.
#![no_main]

use docent_extract::fixtures::{
    Xls, biff, biff_cell, biff_number, biff_shared_cell, biff_shared_strings, biff_string,
    biff_style, named,
};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::{markdown, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

fn write_seeds() {
    let sheet = [
        biff_shared_cell(0, 0, 0),
        biff_number(0, 1, 1, 46_346.75),
        biff_cell(0x0204, 1, 0, 0, &biff_string("설정")),
        biff_cell(0x0006, 1, 1, 0, &[0, 0, 0, 0, 0, 0, 255, 255]),
        biff(0x0207, b"\x02\0\0ok"),
        biff(0x00BD, &[2, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0]),
        biff(0x005D, &[0x15, 0, 0x12, 0, 6, 0]),
        biff(0x01B6, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]),
        biff(0x003C, b"\0ab"),
    ];
    let old = [
        biff(0x0009, &[2, 0, 0x10, 0]),
        biff(0x0004, b"\0\0\0\0\0\0\0\x02hi"),
    ];
    let with_form = |form: u8, bytes: &[u8]| [&[form], bytes].concat();
    seeds::write([
        with_form(0, &named("rates.xls")),
        with_form(0, &old.concat()),
        with_form(1, &sheet.concat()),
        with_form(2, &sheet.concat()),
    ]);
}

/// Returns a file: the data itself, or one whose sheet, in Excel 97 or 5, is the data.
fn file(data: &[u8]) -> Vec<u8> {
    let Some((form, rest)) = data.split_first() else {
        return Vec::new();
    };
    let styles = [
        biff_style(0),
        biff_style(14),
        biff_style(22),
        biff_style(10),
    ]
    .concat();
    let workbook = match form {
        0 => return rest.to_vec(),
        1 => Xls::new(&[styles, biff_shared_strings(&["a | b", "설정"])]),
        _ => Xls::korean(&[styles]),
    };
    workbook.with("one", &[rest.to_vec()]).stream()
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Ok(text) = extract(Format::Xls, file(data), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // A truncated text may end within a line that has another meaning.
    if text.len() < LIMITS.text_bytes - 1024 {
        markdown::check(&text);
    }
});
