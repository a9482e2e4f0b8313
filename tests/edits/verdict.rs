//! What became of an edit.

use crate::spoil::Task;

/// What became of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The file is what the commit made of it.
    Right,
    /// The file is as it was, and the right place is the first that is shown.
    First,
    /// The file is as it was, and the right place is shown behind others.
    Shown,
    /// The file is as it was, and the right place is not shown.
    Refused,
    /// The file is anything else.
    Wrong,
}

/// How often what became of edits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    right: usize,
    first: usize,
    shown: usize,
    refused: usize,
    wrong: usize,
}

impl Verdict {
    /// Judges by the file afterwards; `shown` is what the answer says of the place.
    pub fn of(task: &Task<'_>, now: &[u8], shown: impl FnOnce() -> Self) -> Self {
        if task.expected.as_deref().map(str::as_bytes) == Some(now) {
            Self::Right
        } else if now == task.file.as_bytes() {
            shown()
        } else {
            Self::Wrong
        }
    }
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::First => self.first += 1,
            Verdict::Shown => self.shown += 1,
            Verdict::Refused => self.refused += 1,
            Verdict::Wrong => self.wrong += 1,
        }
    }

    /// Adds up.
    pub fn and(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            first: self.first + other.first,
            shown: self.shown + other.shown,
            refused: self.refused + other.refused,
            wrong: self.wrong + other.wrong,
        }
    }

    /// How many there were.
    pub const fn all(self) -> usize {
        self.right + self.first + self.shown + self.refused + self.wrong
    }

    /// How many were made at a wrong place.
    pub const fn wrong(self) -> usize {
        self.wrong
    }

    /// Returns a row of a Markdown table, without its name.
    pub fn row(self) -> String {
        let refused = self.first + self.shown + self.refused;
        let share = if refused == 0 {
            "-".to_owned()
        } else {
            format!("{:.1} %", 100.0 * self.first as f64 / refused as f64)
        };
        format!(
            "{} | {} | {} | {} | {} | {share} | {} |",
            self.all(),
            self.right,
            self.first,
            self.shown,
            self.refused,
            self.wrong
        )
    }
}

/// The heads of the columns of [`Counts::row`], the name's as well.
pub const HEADER: &str = "\
    | | edits | made | refused, right place first | shown | not shown \
    | first of refused | wrong |\n\
    |---|---|---|---|---|---|---|---|";
