//! Workloads for the scanners of settings and data.

use std::ops::ControlFlow;

use docent_data::{DataFormat, Entry, Visitor, visit};

use crate::Case;

/// Bytes of the shorter and the longer text.
const BYTES: (usize, usize) = (50_000, 200_000);

const PIECES: [&str; 33] = [
    "[",
    "{",
    "{\"a\":",
    "a: \"",
    "a: '",
    "- ",
    "<a>",
    "<a x=\"",
    "a = \"\"\"\n",
    "[a]\n",
    "a {\n",
    "a=\\\n",
    "\"",
    "'",
    "/*",
    "a:\n ",
    "a: |\n",
    "a,\"",
    "FROM a AS b\n",
    "RUN <<E\n",
    "a: [\n",
    "a: &x\n",
    "#\n",
    "x ",
    ":",
    "\t",
    "1,",
    "{},",
    "a: {b: 1}\n",
    "</a>",
    "<!--",
    "\"a\":1,",
    "a: ''x\n",
];

struct Nothing;

impl Visitor for Nothing {
    fn entry(&mut self, _: &Entry<'_, '_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

pub fn cases() -> Vec<Case> {
    let pairs = PIECES.iter().flat_map(|piece| {
        let formats = DataFormat::ALL.into_iter();
        formats.map(move |format| (*piece, format))
    });
    let case = |(piece, format): (&'static str, DataFormat)| {
        Case::new(format!("{format:?}: {piece:?}"), BYTES, move |size| {
            let text = piece.repeat(size / piece.len());
            move || {
                let _ = visit(format, &text, &mut Nothing);
            }
        })
    };
    pairs.map(case).collect()
}
