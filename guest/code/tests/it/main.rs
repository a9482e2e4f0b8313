//! Tests of the public interface.
//!
//! - `cases`: a file in each language, with its expected skeleton;
//! - `scanned`, `preprocessor`, `parsed`: snippets, each with a distinction to be made;
//! - `imports`: imports as data;
//! - `laws`: properties of every text;
//! - `complete`: completeness of the files, and the crate's place at the bottom.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

mod cases;
mod complete;
mod imports;
mod laws;
mod parsed;
mod preprocessor;
mod scanned;

use docent_code::{Language, outline};

/// Checks the skeleton of a program. Both may begin with an empty line and the skeleton end with
/// one, so that they can be written below each other.
fn check(language: Language, program: &str, skeleton: &str) {
    let program = program.strip_prefix('\n').unwrap_or(program);
    let shown = outline(language, program).skeleton(usize::MAX).text;
    assert_eq!(shown, skeleton.trim_matches('\n'), "{program}");
}
