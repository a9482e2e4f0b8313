//! Presentations in binary records: reading any file, and any records, ends with Markdown within
//! the limit, or with an error.
#![no_main]

use docent_extract::fixtures::{
    Ppt, PptSlide, named, ppt_file, ppt_reference, ppt_save, ppt_style, ppt_table, ppt_text,
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
    let style = ppt_style(&[(3, 1, true), (3, 0, false)], 0, &[]);
    let outline = [ppt_text(0, "설정"), ppt_text(1, "ab\rcd"), style].concat();
    let table = ppt_table(&[&["a", "b"], &["c"]]);
    let shapes = [ppt_reference(13, 0), ppt_reference(14, 1), table].concat();
    let mut file = vec![0];
    file.extend(named("talk.ppt"));
    let slide = PptSlide {
        outline: outline.clone(),
        shapes: shapes.clone(),
        ..PptSlide::default()
    };
    let mut stream = vec![1];
    let mut records = Vec::new();
    let _ = ppt_save(&mut records, &Ppt::new(&[slide]).parts(), 0);
    stream.extend(records);
    let mut slide = vec![2];
    slide.extend(shapes);
    let mut texts = vec![3];
    texts.extend(outline);
    seeds::write([file, stream, slide, texts]);
}

/// Returns a file: the data itself, or one whose stream, shapes or texts are the data.
fn file(data: &[u8]) -> Vec<u8> {
    let Some((kind, data)) = data.split_first() else {
        return Vec::new();
    };
    let mut slide = PptSlide::default();
    match kind {
        0 => return data.to_vec(),
        1 => return ppt_file(data, u32::MAX),
        2 => {
            slide.outline = ppt_text(1, "a\rb");
            slide.shapes = data.to_vec();
        }
        _ => {
            slide.outline = data.to_vec();
            slide.shapes = [ppt_reference(13, 0), ppt_reference(14, 1)].concat();
        }
    }
    Ppt::new(&[slide]).file()
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Ok(text) = extract(Format::Ppt, file(data), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // A truncated text may end within a line that has another meaning.
    if text.len() < LIMITS.text_bytes - 1024 {
        markdown::check(&text);
    }
});
