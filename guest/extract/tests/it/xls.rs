//! Workbooks of Excel 2 to 2003.

use docent_extract::fixtures::mail::cp949;
use docent_extract::fixtures::{
    Xls, biff, biff_cell, biff_number, biff_shared_cell, biff_shared_strings, biff_string,
    biff_style, container, named,
};
use docent_extract::{Beyond, Failure, Format, Limits, detect, extract};

use crate::damage::check_cuts;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 16,
    unpacked_bytes: 1 << 22,
    beyond: Beyond::LeaveOut,
};

/// Records of BIFF5 and BIFF8.
const FORMAT: u16 = 0x041E;
const LABEL: u16 = 0x0204;
const RICH_LABEL: u16 = 0x00D6;
const TRUTH: u16 = 0x0205;
const FORMULA: u16 = 0x0006;
const RESULT: u16 = 0x0207;
const CONTINUE: u16 = 0x003C;
const BEGIN: u16 = 0x0809;
const END: u16 = 0x000A;

/// Result of a formula whose text is in the next record.
const TEXT_RESULT: [u8; 8] = [0, 0, 0, 0, 0, 0, 255, 255];

fn read(file: Vec<u8>) -> Result<String, Failure> {
    extract(Format::Xls, file, &LIMITS)
}

/// Asserts the text of a workbook with one sheet, with and without a container.
fn check(globals: &[Vec<u8>], sheet: &[Vec<u8>], expected: &str) {
    check_workbook(&Xls::new(globals).with("Sales", sheet), expected);
}

fn check_workbook(workbook: &Xls, expected: &str) {
    for file in [workbook.file(), workbook.stream()] {
        assert_eq!(detect("", &file, &LIMITS), Ok(Format::Xls));
        assert_eq!(read(file).as_deref(), Ok(expected));
    }
}

/// Asserts the text of a sheet without a workbook, whose records these are.
fn check_sheet(records: &[Vec<u8>], expected: Result<&str, Failure>) {
    let file = [records.concat(), biff(END, &[])].concat();
    assert_eq!(detect("", &file, &LIMITS), Ok(Format::Xls));
    assert_eq!(read(file), expected.map(str::to_owned));
}

#[test]
fn numbers_dates_truths_and_errors() {
    let mut code = 164u16.to_le_bytes().to_vec();
    code.extend(biff_string("yyyy\\-mm\\-dd hh:mm"));
    let globals = [
        biff(FORMAT, &code),
        biff_style(0),
        biff_style(14),
        biff_style(164),
        biff_style(10),
    ];
    let integer = |number: i32, scale: i32| (number << 2 | 2 | scale).to_le_bytes();
    let mut row = [2u16, 0].map(u16::to_le_bytes).concat();
    for (style, number) in [(0u16, integer(7, 0)), (3, integer(1234, 1))] {
        row.extend([&style.to_le_bytes()[..], &number].concat());
    }
    row.extend(1u16.to_le_bytes());
    let sheet = [
        biff_number(0, 0, 0, 2.5),
        biff_number(0, 1, 1, 46_346.0),
        biff_number(0, 2, 2, 46_346.75),
        biff_cell(0x027E, 1, 0, 0, &integer(-3, 1)),
        biff_cell(0x027E, 1, 1, 0, &0x3FF8_0000u32.to_le_bytes()),
        biff(0x00BD, &row),
        biff_cell(TRUTH, 3, 0, 0, &[1, 0]),
        biff_cell(TRUTH, 3, 1, 0, &[7, 1]),
        biff_cell(TRUTH, 3, 2, 0, &[99, 1]),
        biff_number(4, 0, 1, f64::NAN),
    ];
    let expected = "## Sales\n\n| 1 | 2.5 | 2026-11-20 | 2026-11-20 18:00 |\n| --- | --- | --- | --- |\n\
        | 2 | -0.03 | 1.5 |  |\n| 3 | 7 | 1234.00% |  |\n| 4 | TRUE | #DIV/0! | #N/A |\n\
        | 5 | #NUM! |  |  |\n";
    check(&globals, &sheet, expected);
    let first_1904 = biff(0x0022, &[1, 0]);
    let globals = [first_1904, biff_style(14)];
    let expected = "## Sales\n\n| 1 | 1904-01-02 |\n| --- | --- |\n";
    check(&globals, &[biff_number(0, 0, 0, 1.0)], expected);
}

#[test]
fn strings_and_results_of_formulas() {
    let mut shared = vec![1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0];
    shared.extend(b"ab");
    // The rest is in the other width.
    let rest = biff(CONTINUE, &[1, 0x00, 0xAC, 0x01, 0xAC]);
    let globals = [biff(0x00FC, &shared), rest];
    // Fonts of two parts, then pronunciation.
    let mut rich = vec![2, 0, 12, 1, 0, 3, 0, 0, 0];
    rich.extend(b"hi\0\0\0\0xyz");
    let formula = |column: u16, result: [u8; 8]| biff_cell(FORMULA, 1, column, 0, &result);
    let sheet = [
        biff_shared_cell(0, 0, 0),
        biff_cell(LABEL, 0, 1, 0, &biff_string("값")),
        biff_cell(RICH_LABEL, 0, 2, 0, &rich),
        formula(0, TEXT_RESULT),
        biff(0x04BC, &[0; 8]),
        biff(RESULT, b"\x06\0\0one"),
        biff(CONTINUE, b"\0two"),
        formula(1, [2, 0, 15, 0, 0, 0, 255, 255]),
        formula(2, [1, 0, 0, 0, 0, 0, 255, 255]),
        formula(3, 0.25f64.to_le_bytes()),
        formula(4, [3, 0, 0, 0, 0, 0, 255, 255]),
    ];
    let expected = "## Sales\n\n| 1 | ab가각 | 값 | hi |  |\n| --- | --- | --- | --- | --- |\n\
        | 2 | onetwo | #VALUE! | FALSE | 0.25 |\n";
    check(&globals, &sheet, expected);
}

#[test]
fn strings_of_excel_5_in_their_code_page() {
    let words = cp949("똠방각하");
    let length = (words.len() as u16).to_le_bytes();
    let label = [&length[..], &words].concat();
    let rich = [&label[..], &[1, 0, 0]].concat();
    let code = cp949("yyyy\"년\" m\"월\"");
    let format = [&[200, 0, code.len() as u8], &code[..]].concat();
    let globals = [biff(FORMAT, &format), biff_style(0), biff_style(200)];
    let sheet = [
        biff_cell(LABEL, 0, 0, 0, &label),
        biff_cell(RICH_LABEL, 0, 1, 0, &rich),
        biff_number(0, 2, 1, 46_346.0),
    ];
    let workbook = Xls::korean(&globals).with("펲시", &sheet);
    let expected =
        "## 펲시\n\n| 1 | 똠방각하 | 똠방각하 | 2026-11-20 |\n| --- | --- | --- | --- |\n";
    check_workbook(&workbook, expected);
}

#[test]
fn sheets_of_excel_2() {
    let cell = |id: u16, column: u8, format: u8, value: &[u8]| {
        biff(id, &[&[0, 0, column, 0, 0, format, 0], value].concat())
    };
    let text_result = [&TEXT_RESULT[..], &[0, 0]].concat();
    let records = [
        biff(0x0009, &[2, 0, 0x10, 0]),
        biff(0x001E, b"\x07General"),
        biff(0x001E, b"\x08d/m/yyyy"),
        cell(0x0002, 0, 0, &[7, 0]),
        cell(0x0003, 1, 1, &46_346f64.to_le_bytes()),
        cell(0x0004, 2, 0, b"\x02hi"),
        cell(0x0005, 3, 0, &[1, 0]),
        cell(0x0006, 4, 0, &0.5f64.to_le_bytes()),
        cell(0x0006, 5, 0, &text_result),
        biff(0x0007, b"\x02ok"),
    ];
    let expected = "## Sheet1\n\n| 1 | 7 | 2026-11-20 | hi | TRUE | 0.5 | ok |\n\
        | --- | --- | --- | --- | --- | --- | --- |\n";
    check_sheet(&records, Ok(expected));
}

#[test]
fn sheets_of_excel_3_to_5() {
    for (begin, style, format, formula) in [
        (0x0209, 0x0243, &b"\x08d/m/yyyy"[..], 0x0206),
        (0x0409, 0x0443, b"\0\0\x08d/m/yyyy", 0x0406),
    ] {
        let format_record = if begin == 0x0209 { 0x001E } else { FORMAT };
        let records = [
            biff(begin, &[0, 0, 0x10, 0, 0, 0]),
            biff(format_record, format),
            biff(style, &[5, 0, 0, 0]),
            biff_number(0, 0, 0, 46_346.0),
            biff_number(0, 1, 9, 1.0),
            biff_cell(LABEL, 0, 2, 0, b"\x02\0hi"),
            biff_cell(formula, 0, 3, 9, &0.5f64.to_le_bytes()),
        ];
        let expected = "## Sheet1\n\n| 1 | 2026-11-20 | 1 | hi | 0.5 |\n\
            | --- | --- | --- | --- | --- |\n";
        check_sheet(&records, Ok(expected));
    }
    let records = [
        biff(BEGIN, &[0, 5, 0x10, 0, 0, 0, 0, 0]),
        biff_style(14),
        biff_number(0, 0, 0, 46_346.0),
    ];
    let expected = "## Sheet1\n\n| 1 | 2026-11-20 |\n| --- | --- |\n";
    check_sheet(&records, Ok(expected));
}

#[test]
fn a_workbook_of_excel_4() {
    let words = cp949("뷁");
    let sheet = |name: &[u8], number: f64| {
        let begin = biff(0x0409, &[0, 0, 0x10, 0, 0, 0]);
        let label = biff_cell(LABEL, 0, 1, 0, &[&[2, 0], &words[..]].concat());
        let name = [&[0, 0, 0, 0, name.len() as u8], name].concat();
        [
            biff(0x008F, &name),
            begin,
            biff_number(0, 0, 0, number),
            label,
            biff(END, &[]),
        ]
        .concat()
    };
    let records = [
        biff(0x0409, &[0, 0, 0, 1, 0, 0]),
        biff(0x0042, &949u16.to_le_bytes()),
        sheet(b"one", 1.0),
        sheet(&words, 2.0),
    ];
    let expected = "## one\n\n| 1 | 1 | 뷁 |\n| --- | --- | --- |\n\n## 뷁\n\n\
        | 1 | 2 | 뷁 |\n| --- | --- | --- |\n";
    check_sheet(&records, Ok(expected));
}

#[test]
fn files_without_a_sheet_of_cells() {
    for (kind, name) in [
        ([0x20, 0], "a chart of Excel"),
        ([0x40, 0], "a macro sheet of Excel"),
        ([0, 1], "a workbook of Excel without sheets"),
    ] {
        let begin = biff(0x0409, &[0, 0, kind[0], kind[1], 0, 0]);
        check_sheet(&[begin], Err(Failure::Unsupported(name)));
    }
}

#[test]
fn kinds_of_sheets() {
    let sheet = [biff_number(0, 0, 0, 7.0)];
    let workbook = Xls::new(&[])
        .with_kind("Program", 0, 6, &[])
        .with_kind("Macros", 0, 1, &sheet)
        .with_kind("Figure", 0, 2, &[])
        .with_kind("Hidden", 1, 0, &sheet)
        .with_kind("Very hidden", 2, 2, &sheet)
        .with("Shown", &sheet);
    let expected = "## Figure\n\n## Shown\n\n| 1 | 7 |\n| --- | --- |\n\n\
        Left out: 2 hidden sheets, 1 macro sheet, 1 chart.\n";
    check_workbook(&workbook, expected);
}

#[test]
fn a_password() {
    let workbook = Xls::new(&[biff(0x002F, &[0; 6])]).with("one", &[]);
    assert_eq!(read(workbook.file()), Err(Failure::Encrypted));
}

/// Returns the record of a link of cells: first and last row, first and last column.
fn link(cells: [u16; 4], flags: u32, fields: &[&[u8]]) -> Vec<u8> {
    let mut data = cells.map(u16::to_le_bytes).concat();
    data.extend([0; 16]);
    data.extend([2u32, flags].map(u32::to_le_bytes).concat());
    data.extend(fields.concat());
    biff(0x01B8, &data)
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Returns a string of a link.
fn link_string(text: &str) -> Vec<u8> {
    let bytes = utf16(&format!("{text}\0"));
    [&(bytes.len() as u32 / 2).to_le_bytes()[..], &bytes].concat()
}

#[test]
fn links_out_of_the_workbook() {
    let web_class = [&[0xE0, 0xC9, 0xEA, 0x79][..], &[0; 12]].concat();
    let file_class = [&[0x03, 0x03, 0, 0][..], &[0; 12]].concat();
    let url = utf16("https://example.org/a b\0");
    let url = [&(url.len() as u32).to_le_bytes()[..], &url].concat();
    let short = [&1u16.to_le_bytes()[..], &[5, 0, 0, 0], b"a\\b.c"].concat();
    let long = utf16("폴더\\글.hwp");
    let long_length = (long.len() as u32).to_le_bytes();
    let long = [&[9, 0, 0, 0], &long_length[..], &[3, 0], &long].concat();
    let no_name = [&[0, 0, 0, 0][..], &[0; 2]].concat();
    let place = link_string("Sheet1!A1");
    let text = |row: u16, column: u16| biff_shared_cell(row, column, 0);
    let sheet = [
        text(0, 0),
        text(0, 1),
        text(1, 0),
        text(2, 0),
        text(3, 0),
        text(4, 0),
        biff_number(5, 0, 0, 1.0),
        link([0, 0, 0, 1], 0x17, &[&link_string("x"), &web_class, &url]),
        link(
            [1, 1, 0, 0],
            0x0B,
            &[&file_class, &short, &[0; 24], &[0; 4], &place],
        ),
        link(
            [2, 2, 0, 0],
            0x01,
            &[&file_class, &no_name, &[0; 24], &long],
        ),
        link([3, 3, 0, 0], 0x08, &[&place]),
        link([4, 4, 0, 0], 0x101, &[&link_string("\\\\server\\share")]),
        link([5, 5, 0, 0], 0x01, &[&web_class, &[255; 4]]),
    ];
    let expected = "## Sales\n\n\
        | 1 | [words](https://example.org/a%20b) | [words](https://example.org/a%20b) |\n\
        | --- | --- | --- |\n\
        | 2 | [words](../a/b.c#Sheet1!A1) |  |\n\
        | 3 | [words](폴더/글.hwp) |  |\n\
        | 4 | words |  |\n\
        | 5 | [words](file://server/share) |  |\n\
        | 6 | 1 |  |\n";
    check(&[biff_shared_strings(&["words"])], &sheet, expected);
}

#[test]
fn objects_on_a_sheet() {
    let object = |kind: u8| biff(0x005D, &[0x15, 0, 0x12, 0, kind, 0]);
    let shape_text = |length: u8| biff(0x01B6, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, length, 0]);
    let sheet = [
        biff_number(0, 0, 0, 1.0),
        object(5),
        // The chart itself, with cells and texts of its own.
        biff(BEGIN, &[0, 6, 0x20, 0, 0, 0, 0, 0]),
        biff_number(9, 9, 0, 9.0),
        biff(END, &[]),
        object(8),
        object(6),
        shape_text(6),
        biff(CONTINUE, b"\0in a "),
        biff(CONTINUE, b"\0b"),
        biff(CONTINUE, &[0; 8]),
        object(25),
        shape_text(4),
        biff(CONTINUE, b"\0note"),
        biff(0x001C, &[0; 12]),
        biff(0x001C, &[255, 255, 0, 0, 1, 0]),
        biff_number(1, 0, 0, 2.0),
    ];
    let expected = "## Sales\n\n| 1 | 1 |\n| --- | --- |\n| 2 | 2 |\n\nin a b\n\n\
        Left out: 1 chart, 1 picture, 1 comment.\n";
    check(&[], &sheet, expected);
    let box_of_excel_5 = biff(0x005D, &[1, 0, 0, 0, 6, 0]);
    let workbook = Xls::korean(&[]).with("one", &[box_of_excel_5]);
    check_workbook(&workbook, "## one\n\nLeft out: 1 text box.\n");
}

#[test]
fn damage_is_named() {
    let sheet = [biff_shared_cell(0, 0, 0), biff_number(1, 0, 0, 1.0)];
    let globals = [biff_shared_strings(&["words"])];
    let workbook = Xls::new(&globals).with("one", &sheet).with("two", &sheet);
    check_cuts(Format::Xls, &workbook.stream());
    // The directory of the container names more bytes than there are.
    let filler = [biff(0xFFFF, &[0; 8000])];
    let long = Xls::new(&globals).with("one", &sheet).with("two", &filler);
    let file = container(&[("Other", b""), ("Workbook", &long.stream())]);
    check_cuts(Format::Xls, &file[..file.len() - 512]);
    let expected = "Damaged: parts of this document could not be read.\n\n## one\n\n\
        | 1 | words |\n| --- | --- |\n| 2 | 1 |\n\n## two\n";
    // The offset of the second sheet is not that of a sheet.
    let mut stream = workbook.stream();
    let name = stream
        .windows(8)
        .position(|bytes| bytes == b"\x03\x01t\0w\0o\0");
    let at = name.unwrap_or_default() - 6;
    stream[at] ^= 1;
    assert_eq!(read(stream).as_deref(), Ok(expected));
    // A shared string is missing.
    let sheet = [biff_shared_cell(0, 0, 0), biff_shared_cell(1, 0, 1)];
    let read = read(Xls::new(&globals).with("one", &sheet).stream()).unwrap_or_default();
    assert!(read.starts_with("Damaged: "), "{read}");
}

#[test]
fn sheets_at_the_same_offset() {
    let cells: Vec<Vec<u8>> = (0..2_000).map(|row| biff_number(row, 0, 0, 1.0)).collect();
    let begin = biff(BEGIN, &[0, 6, 5, 0, 0, 0, 0, 0]);
    let end = biff(END, &[]);
    let at = (begin.len() + 2_000 * 14 + end.len()) as u32;
    let bound = [&at.to_le_bytes()[..], &[0, 0, 2, 0], b"ab"].concat();
    let stream = [
        begin,
        biff(0x0085, &bound).repeat(2_000),
        end.clone(),
        biff(BEGIN, &[0, 6, 0x10, 0, 0, 0, 0, 0]),
        cells.concat(),
        end,
    ];
    let limits = Limits {
        text_bytes: 1 << 24,
        ..LIMITS
    };
    let text = extract(Format::Xls, stream.concat(), &limits).unwrap_or_default();
    assert!(text.starts_with("Damaged: "));
    // Only the first ones were read.
    assert!(text.lines().count() < 30_000);
}

#[test]
fn sheets_of_excel_4_at_the_same_offset() {
    let sheet = [
        biff(0x0409, &[0, 0, 0x10, 0, 0, 0]),
        biff(FORMAT, &[0; 3]).repeat(20_000),
    ];
    let begin = biff(0x0409, &[0, 0, 0, 1, 0, 0]);
    let end = biff(END, &[]);
    let at = (begin.len() + 2_000 * 12 + end.len()) as u32;
    let bound = biff(0x0085, &[&at.to_le_bytes()[..], &[0; 4]].concat());
    let stream = [begin, bound.repeat(2_000), end, sheet.concat()].concat();
    assert_eq!(read(stream), Err(Failure::Malformed));
}

#[test]
fn more_text_than_there_is_room() {
    // All cells name one string, and all links lead to one address.
    let words = "가".repeat(30_000);
    let mut sheet: Vec<Vec<u8>> = (0..60_000).map(|row| biff_shared_cell(row, 0, 0)).collect();
    let address = link_string(&"a".repeat(4_000));
    sheet.extend(vec![link([0, 65_535, 0, 255], 0x101, &[&address]); 500]);
    let workbook = Xls::new(&[biff_shared_strings(&[&words])]).with("one", &sheet);
    let text = read(workbook.stream()).unwrap_or_default();
    assert!(text.len() <= LIMITS.text_bytes && text.starts_with("## one"));
    let limits = Limits {
        beyond: Beyond::Refuse,
        ..LIMITS
    };
    let refused = extract(Format::Xls, workbook.file(), &limits);
    assert_eq!(refused, Err(Failure::TooLarge));
}

#[test]
fn too_many_strings_and_sheets() {
    let empty = biff(CONTINUE, &[0; 8_190]);
    let strings = [biff(0x00FC, &[0; 8]), empty.repeat(3_200)];
    let workbook = Xls::new(&strings).with("one", &[]);
    assert_eq!(read(workbook.stream()), Err(Failure::TooLarge));
    let sheets = vec![biff(0x0085, &[0; 8]); 70_000];
    let workbook = Xls::new(&sheets).with("one", &[]);
    assert_eq!(read(workbook.stream()), Err(Failure::TooLarge));
}

#[test]
fn every_number_may_be_any_other() {
    let file = named("rates.xls");
    for at in 0..file.len() {
        for number in [0, 1, 0x7F, 0xFF] {
            let mut changed = file.clone();
            changed[at] = number;
            let _ = read(changed);
        }
    }
}
