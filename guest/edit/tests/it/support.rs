//! Shared helpers: one edit of a text, and a reproducible source of random numbers.

use docent_edit::plan::{Edit, Plan, RefusedEdit, plan};
use docent_edit::source::Source;

/// Applies edits to a file.
pub fn planned(bytes: &[u8], name: &str, edits: &[Edit<'_>]) -> Result<Plan, Vec<RefusedEdit>> {
    let source = Source::decode(bytes).unwrap();
    let edits: Vec<(usize, Edit<'_>)> = edits.iter().cloned().enumerate().collect();
    plan(&source, name, &edits)
}

/// Applies one edit to a text.
pub fn edited(text: &str, name: &str, edit: &Edit<'_>) -> Result<String, String> {
    let plan = planned(text.as_bytes(), name, std::slice::from_ref(edit));
    plan.map(|plan| plan.text)
        .map_err(|refused| refused[0].reason.code().to_owned())
}

/// A generator of pseudo-random numbers.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }

    /// Returns one of several elements.
    pub fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}
