//! What is said of an edit that cannot be made: what is wrong, what stands there instead, and what
//! to send.

mod difference;
mod hint;
mod message;

use crate::error::Reason;
use crate::limits::EXPLANATION_CHARS;
use crate::original::shortened;
use crate::plan::{Refused, Warning};

/// Characters of a path that are told: of a longer one there would be no room for the rest.
const PATH_CHARS: usize = 300;

impl Reason {
    /// Returns the code by which callers tell reasons apart.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) | Self::Elsewhere(..) | Self::AlreadyMade { .. } => "edit-not-found",
            Self::Ambiguous(_) => "edit-ambiguous",
            Self::Stale(_) => "conflict",
            Self::NoSection { .. } => "section-not-found",
            Self::SeveralSections { .. } => "section-ambiguous",
            Self::Hunk { reason, .. } => reason.code(),
            _ => "invalid-request",
        }
    }
}

impl Refused {
    /// Returns what is wrong with the edit, and what stands there instead, in at most `most`
    /// characters. `path` is that of the file.
    pub fn told(&self, path: &str, most: usize) -> String {
        let path = if path.chars().count() > PATH_CHARS {
            "a file"
        } else {
            path
        };
        let head = format!("edits[{}] in {path}: ", self.index);
        let room = most.saturating_sub(head.chars().count());
        format!("{head}{}", cut(&self.reason.message(), room))
    }

    /// Returns all that is said of the edit, at most 2 000 characters. `path` is that of the file;
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

/// Returns as many whole lines as there is room for.
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
    /// Returns what the caller should know, in lower case and without a full stop.
    pub fn message(&self) -> String {
        match self {
            Self::MostGoesAway { removed, of } => {
                format!("{removed} of the {of} lines of the file go away")
            }
            Self::DefinitionsStay(labels) => definitions_stay(labels),
            Self::MarkStays => {
                "the diff changes whether a byte order mark stands before the text, \
                                and that stays as it is"
                    .to_owned()
            }
            Self::EncodingUncertain(encoding) => format!(
                "too little is left in {encoding} for the encoding to be told from the file, which \
                 other programs may read otherwise"
            ),
        }
    }
}

/// Labels of definitions that are told.
const LABELS_TOLD: usize = 10;

fn definitions_stay(labels: &[String]) -> String {
    let told: Vec<String> = labels
        .iter()
        .take(LABELS_TOLD)
        .map(|label| format!("`{}`", shortened(label)))
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
