//! Documents of Hangul in binary records: reading any file, and any records, ends with Markdown
//! within the limit, or with an error.
#![no_main]

use docent_extract::fixtures::{
    Hwp, hwp_control_character, hwp_list, hwp_numbering, hwp_paragraph, hwp_shape, hwp_words, named,
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
    let words = [hwp_words("설정"), hwp_control_character(11, b"tbl ")].concat();
    let section = [
        hwp_paragraph(0, 1, &words, &[]),
        hwp_list(2, &[0, 0, 1, 1]),
        hwp_paragraph(2, 0, &hwp_words("a"), &[]),
    ];
    let mut file = vec![0];
    file.extend(named("report.hwp"));
    let mut records = vec![1];
    records.extend(section.concat());
    seeds::write([file, records]);
}

/// Returns a file: the data itself, or one whose section is the data.
fn file(data: &[u8]) -> Vec<u8> {
    match data.split_first() {
        Some((0, file)) => file.to_vec(),
        Some((_, section)) => {
            let info = [
                hwp_numbering(&[("^1.", 0)]),
                hwp_shape(0, 0, 0),
                hwp_shape(1, 0, 0),
                hwp_shape(2, 1, 1),
                hwp_shape(3, 0, 1),
            ];
            Hwp::new(&info, &[section.to_vec()]).file()
        }
        None => Vec::new(),
    }
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Ok(text) = extract(Format::Hwp, file(data), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // A truncated text may end within a line that has another meaning.
    if text.len() < LIMITS.text_bytes - 1024 {
        markdown::check(&text);
    }
});
