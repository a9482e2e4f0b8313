//! Notebooks: reading any file ends with Markdown within the limit, or with an error, and no cell
//! continues in the next one.
#![no_main]

use docent_extract::fixtures::{Notebook, code, json_string, named};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::seeds;
use libfuzzer_sys::fuzz_target;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

/// Heading of the last cell.
const LAST: &str = "last cell";

/// Outputs of every kind.
const OUTPUTS: [&str; 4] = [
    r#"{"output_type": "stream", "name": "stderr", "text": ["a\r\n", "b"]}"#,
    r#"{"output_type": "display_data", "data": {"text/plain": "x", "image/png": "AA"}}"#,
    r##"{"output_type": "display_data", "data": {"text/markdown": ["# x"], "text/html": "y"}}"##,
    r#"{"output_type": "error", "ename": "E", "traceback": ["\u001b[0;31mE\u001b[0m"]}"#,
];

fn write_seeds() {
    let outputs = OUTPUTS.map(|output| Notebook::default().cell(&code("x", output)).file());
    let version_3 = br#"{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "a"}]}]}"#;
    let texts = ["- ```\n  a\n  ```\nb\n~~~", "<!-- a\n\n<pre>"].map(str::to_owned);
    let files = outputs
        .into_iter()
        .chain([named("sums.ipynb"), version_3.to_vec()]);
    seeds::write(files.chain(texts.map(String::into_bytes)));
}

/// Checks that the heading behind a cell of Markdown is one, outside of any other block.
fn check_cell(source: &str) {
    let file = Notebook::default()
        .markdown(source)
        .cell(&format!(
            r#"{{"cell_type": "heading", "level": 1, "source": {}}}"#,
            json_string(LAST)
        ))
        .file();
    let Ok(text) = extract(Format::Ipynb, file, &LIMITS) else {
        return;
    };
    let (mut depth, mut is_last) = (0, false);
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => is_last = depth == 0,
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => depth += 1,
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth -= 1,
            Event::Text(words) if is_last && words.as_ref() == LAST => return,
            _ => {}
        }
    }
    panic!("{text}");
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    if let Ok(source) = std::str::from_utf8(data)
        && source.len() < LIMITS.text_bytes / 2
    {
        check_cell(source);
    }
    let Ok(text) = extract(Format::Ipynb, data.to_vec(), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
});
