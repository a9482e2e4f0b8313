//! Explanations of refused edits: the error, the current text, and a hint.
//!
//! ```text
//! [EDIT_NOT_FOUND] edits[0] in docs/a.md: the text is not there
//! Nearest (line 3; first difference in line 3, column 9: …):
//! 3| Run `npm ci` once.
//! Nothing was written; edits[1] is fine.
//! Hint: Send `oldText` as it is in the file.
//! ```
//!
//! With the current text in the message a caller can correct the edit without reading the file
//! again.

mod difference;
mod hint;
mod message;

use crate::error::{NotebookProblem, Reason};
use crate::limits::EXPLANATION_CHARS;
use crate::original::shorten;
use crate::plan::RefusedEdit;
use crate::warning::Warning;

/// Maximum characters of a path in an explanation. A longer path, of up to 4 096 bytes, would leave
/// no room for the rest.
const PATH_CHARS: usize = 300;

impl Reason {
    /// Returns the error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) | Self::Elsewhere(..) | Self::AlreadyMade { .. } => "edit-not-found",
            Self::Ambiguous(_) => "edit-ambiguous",
            Self::Stale(_) => "conflict",
            Self::NoSection { .. } => "section-not-found",
            Self::SeveralSections { .. } => "section-ambiguous",
            Self::Hunk { reason, .. } | Self::OwnLines(reason) => reason.code(),
            _ => "invalid-request",
        }
    }

    /// Returns true if the file is a notebook and its own lines help to correct the edit.
    pub fn refers_to_own_lines(&self) -> bool {
        match self {
            Self::NotFound(_) | Self::OwnLines(_) => true,
            Self::Notebook(problem) => !matches!(problem, NotebookProblem::LineNumbers),
            Self::Hunk { reason, .. } => reason.refers_to_own_lines(),
            _ => false,
        }
    }
}

impl RefusedEdit {
    /// Returns the error and the current text, in at most `most` characters. `path` is that of the
    /// file.
    pub fn summary(&self, path: &str, most: usize) -> String {
        let path = if path.chars().count() > PATH_CHARS {
            "a file"
        } else {
            path
        };
        let head = format!("edits[{}] in {path}: ", self.index);
        let room = most.saturating_sub(head.chars().count());
        format!("{head}{}", cut(&self.reason.message(), room))
    }

    /// Returns the complete explanation, at most 2 000 characters. `path` is that of the file;
    /// `fine` are the indexes of the edits that could be made.
    pub fn explain(&self, path: &str, fine: &[usize]) -> String {
        let code = self.reason.code().to_uppercase().replace('-', "_");
        let path = if path.chars().count() > PATH_CHARS {
            "a file"
        } else {
            path
        };
        let head = format!("[{code}] edits[{}] in {path}: ", self.index);
        let others = match fine {
            [] => String::new(),
            [one] => format!("; edits[{one}] is fine"),
            _ if fine.len() > 10 => "; the other edits are fine".to_owned(),
            _ => {
                let all: Vec<String> = fine.iter().map(usize::to_string).collect();
                format!("; edits {} are fine", all.join(", "))
            }
        };
        let tail = format!(
            "\nNothing was written{others}.\nHint: {}",
            self.reason.hint("`oldText`")
        );
        let room = EXPLANATION_CHARS.saturating_sub(head.chars().count() + tail.chars().count());
        format!("{head}{}{tail}", cut(&self.reason.message(), room))
    }
}

/// Truncates a text to as many whole lines as `room` characters hold, or within the first line if
/// that line alone is too long.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .nth(room.saturating_sub(2))
        .map_or(text.len(), |(end, _)| end);
    let whole = text[..end].rfind('\n').unwrap_or(end);
    format!("{}\n…", &text[..whole])
}

impl Warning {
    /// Returns the warning, in lower case and without a full stop.
    pub fn message(&self) -> String {
        match self {
            Self::MostGoesAway { removed, of } => {
                format!("{removed} of the {of} lines of the file go away")
            }
            Self::DefinitionsStay(labels) => definitions_stay(labels),
            Self::MarkStays => "the diff adds or removes a byte order mark, which edits \
                                leave as it is"
                .to_owned(),
            Self::EncodingUncertain(encoding) => format!(
                "too little text in {encoding} is left to detect the encoding, so other programs may \
                 read the file differently"
            ),
        }
    }
}

/// Maximum labels of definitions in a warning.
const LABELS_SHOWN: usize = 10;

fn definitions_stay(labels: &[String]) -> String {
    let told: Vec<String> = labels
        .iter()
        .take(LABELS_SHOWN)
        .map(|label| format!("`{}`", shorten(label)))
        .collect();
    let more = match labels.len() - told.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (what, is, stays) = match labels {
        [_] => ("the definition of", "is", "stays"),
        _ => ("the definitions of", "are", "stay"),
    };
    format!(
        "{what} {}{more}, which {is} used elsewhere, {stays} in the file",
        told.join(", ")
    )
}
