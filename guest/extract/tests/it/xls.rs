//! Workbooks of Excel 97 to 2003.

use docent_extract::fixtures::{biff, container, xls_stream};
use docent_extract::{Beyond, Failure, Format, Limits, detect, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 16,
    unpacked_bytes: 1 << 22,
    beyond: Beyond::LeaveOut,
};

/// Returns global records: a date as style 1, and a string split between two records.
fn globals() -> Vec<u8> {
    let mut strings = vec![1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0];
    strings.extend(b"ab");
    let plain = biff(0x00E0, &[0; 20]);
    let date = biff(0x00E0, &[0, 0, 14, 0]);
    let more = biff(0x003C, &[1, 0x00, 0xAC, 0x01, 0xAC]);
    [plain, date, biff(0x00FC, &strings), more].concat()
}

fn sheet() -> Vec<u8> {
    let mut date = vec![0, 0, 1, 0, 1, 0];
    date.extend(46_346f64.to_le_bytes());
    let formula = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0];
    [
        biff(0x00FD, &[0; 10]),
        biff(0x0203, &date),
        biff(0x0006, &formula),
        biff(0x0207, b"\x02\0\0ok"),
        biff(0x0205, &[1, 0, 1, 0, 0, 0, 7, 1]),
        biff(
            0x00BD,
            &[2, 0, 255, 255, 0, 0, 6, 0, 0, 0, 0, 0, 10, 0, 0, 0, 1, 0],
        ),
    ]
    .concat()
}

#[test]
fn cells_of_a_workbook() {
    let stream = xls_stream(&globals(), 0, &sheet());
    let expected =
        "## Sales\n\n| 1 | ab가각 | 2026-11-20 |\n| --- | --- | --- |\n| 2 | ok | #DIV/0! |\n";
    for file in [container(&[("Workbook", &stream)]), stream] {
        assert_eq!(detect("", &file, &LIMITS), Ok(Format::Xls));
        assert_eq!(extract(Format::Xls, file, &LIMITS).as_deref(), Ok(expected));
    }
}

#[test]
fn hidden_sheets_are_counted() {
    let text = extract(Format::Xls, xls_stream(&globals(), 1, &sheet()), &LIMITS);
    let text = text.unwrap_or_default();
    assert!(
        text.contains("1 hidden sheet") && !text.contains("ok"),
        "{text}"
    );
}

#[test]
fn a_password() {
    let file = xls_stream(&biff(0x002F, &[0; 6]), 0, &[]);
    let read = extract(Format::Xls, file, &LIMITS);
    assert_eq!(read, Err(Failure::Encrypted));
}

#[test]
fn cut_at_every_length() {
    let file = xls_stream(&globals(), 0, &sheet());
    for length in 0..file.len() {
        let _ = extract(Format::Xls, file[..length].to_vec(), &LIMITS);
    }
}
