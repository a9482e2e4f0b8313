//! What the crate promises, tried from outside.
//!
//! - `cases`: a file of each language, with the skeleton that a reader would write for it;
//! - `scanned`, `preprocessor`, `parsed`: snippets, each with what it is that has to be told apart;
//! - `imports`: what files import, as data;
//! - `laws`: what holds for every text;
//! - `complete`: that none of these is forgotten, and that the crate stays at the bottom.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

mod cases;
mod complete;
mod imports;
mod laws;
mod parsed;
mod preprocessor;
mod scanned;

use docent_code::{Language, outline};

/// Whether a program has this skeleton. Both may begin with an empty line and the skeleton end
/// with one, so that they can be written below each other.
fn check(language: Language, program: &str, skeleton: &str) {
    let program = program.strip_prefix('\n').unwrap_or(program);
    let shown = outline(language, program).skeleton(usize::MAX).text;
    assert_eq!(shown, skeleton.trim_matches('\n'), "{program}");
}
