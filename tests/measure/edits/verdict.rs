//! The verdict on an edit.

use crate::spoil::Task;

/// The result of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The file equals the commit's result.
    Right,
    /// The file is unchanged, and the right place is the first one shown.
    First,
    /// The file is unchanged, and the right place is shown after others.
    Shown,
    /// The file is unchanged, and the right place is not shown.
    Refused,
    /// The file has any other content.
    Wrong,
}

/// The number of each verdict.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    right: usize,
    first: usize,
    shown: usize,
    refused: usize,
    wrong: usize,
}

impl Verdict {
    /// Judges by the content afterwards; `shown` judges the answer of a refused edit.
    pub fn judge(task: &Task<'_>, now: &[u8], shown: impl FnOnce() -> Self) -> Self {
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
    /// Counts one verdict.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::First => self.first += 1,
            Verdict::Shown => self.shown += 1,
            Verdict::Refused => self.refused += 1,
            Verdict::Wrong => self.wrong += 1,
        }
    }

    /// Returns the sum of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            first: self.first + other.first,
            shown: self.shown + other.shown,
            refused: self.refused + other.refused,
            wrong: self.wrong + other.wrong,
        }
    }

    /// Returns the number of edits.
    pub const fn all(self) -> usize {
        self.right + self.first + self.shown + self.refused + self.wrong
    }

    /// Returns the number of edits made at a wrong place.
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

/// The header of the columns of [`Counts::row`], including the name.
pub const HEADER: &str = "\
    | | edits | made | refused, right place first | shown | not shown \
    | first of refused | wrong |\n\
    |---|---|---|---|---|---|---|---|";
