//! Refusals of edits that cannot be applied, with enough detail to correct all of them at once.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::RefusedFile;
use docent_edit::limits::EXPLANATION_CHARS;
use docent_edit::plan::{self, RefusedEdit};
use docent_text::sort::sort_by_key;
use docent_tree::archive::directory_name;
use docent_tree::error::{refuse, refuse_in_lines};

use crate::limits::{REASONS_LISTED, REASONS_SHOWN};

/// An edit that cannot be applied.
#[derive(Clone, Debug)]
pub struct EditRefusal {
    /// Its index in the request.
    pub index: usize,
    /// Path of its file, if known.
    pub path: String,
    /// The edit and its file, the error, and the text found instead.
    message: String,
    code: ErrorCode,
    hint: String,
}

impl EditRefusal {
    /// Returns the refusal of an edit because of an error in its file or in the request.
    pub fn from_error(index: usize, path: &str, error: Error) -> Self {
        let place = if path.is_empty() {
            format!("edits[{index}]")
        } else {
            format!("edits[{index}] in {path}")
        };
        Self {
            index,
            path: path.to_owned(),
            message: format!("{place}: {}", error.message),
            code: error.code,
            hint: error.hint,
        }
    }

    /// Returns the refusal of an edit because of the text of its file; `edits` are those of the
    /// file, each with its index in the request.
    pub fn from_edit(path: &str, refused: &RefusedEdit, edits: &[(usize, plan::Edit<'_>)]) -> Self {
        let is_insertion = edits
            .iter()
            .any(|(index, edit)| *index == refused.index && matches!(edit, plan::Edit::Insert(..)));
        let sent = if is_insertion {
            "`anchor`"
        } else {
            "`oldText`"
        };
        Self {
            index: refused.index,
            path: path.to_owned(),
            message: refused.summary(path, EXPLANATION_CHARS),
            code: code(refused.reason.code()),
            hint: refused.reason.hint(sent),
        }
    }
}

impl EditRefusal {
    /// Adds to the hint where the own lines of a notebook are read.
    #[must_use]
    pub fn with_own_lines(mut self) -> Self {
        let own = format!(
            " The file's own lines are in `{}`.",
            own_lines_path(&self.path)
        );
        self.hint.push_str(&own);
        self
    }
}

/// Returns the path under which the own lines of the notebook at `path` are read.
fn own_lines_path(path: &str) -> String {
    format!("{}/notebook.json", directory_name(path))
}

/// Returns the code of the contract with this name.
fn code(name: &str) -> ErrorCode {
    match name {
        "edit-not-found" => ErrorCode::EditNotFound,
        "edit-ambiguous" => ErrorCode::EditAmbiguous,
        "section-not-found" => ErrorCode::SectionNotFound,
        "section-ambiguous" => ErrorCode::SectionAmbiguous,
        "conflict" => ErrorCode::Conflict,
        _ => ErrorCode::InvalidRequest,
    }
}

fn name(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::EditNotFound => "edit-not-found",
        ErrorCode::EditAmbiguous => "edit-ambiguous",
        ErrorCode::SectionNotFound => "section-not-found",
        ErrorCode::SectionAmbiguous => "section-ambiguous",
        ErrorCode::Conflict => "conflict",
        ErrorCode::DocumentNotFound => "document-not-found",
        ErrorCode::DocumentExists => "document-exists",
        ErrorCode::Sensitive => "sensitive",
        ErrorCode::InvalidPath => "invalid-path",
        _ => "invalid-request",
    }
}

/// Returns the error of a call with edits that cannot be applied, so that nothing is written;
/// `count` is the number of its edits.
pub fn error(mut refusals: Vec<EditRefusal>, count: usize) -> Error {
    sort_by_key(&mut refusals, |refusal| refusal.index);
    let fine: Vec<usize> = (0..count)
        .filter(|index| refusals.iter().all(|refusal| refusal.index != *index))
        .collect();
    let Some(first) = refusals.first() else {
        return refuse(ErrorCode::InvalidRequest, "nothing can be done", "");
    };
    let (mut message, mut hint) = summarize(&refusals);
    message.push_str(&format!("\nNothing was written{}.", fine_ones(&fine)));
    if count > 1 {
        hint.push_str(" Then send all edits again.");
    }
    refuse_in_lines(first.code, &message, hint)
}

/// Returns the refusal of a file that was left unchanged while others were written.
pub fn refuse_file(path: &str, refusals: &[EditRefusal]) -> RefusedFile {
    let (message, hint) = summarize(refusals);
    let code = refusals
        .first()
        .map_or(ErrorCode::InvalidRequest, |first| first.code);
    let error = refuse_in_lines(code, &message, hint);
    RefusedFile {
        path: path.to_owned(),
        code,
        message: error.message,
        hint: error.hint,
    }
}

/// Returns the message and the hint.
fn summarize(refusals: &[EditRefusal]) -> (String, String) {
    if let [one] = refusals {
        return (one.message.clone(), one.hint.clone());
    }
    let mut lines = vec![format!("{} edits cannot be made", refusals.len())];
    for refusal in refusals.iter().take(REASONS_SHOWN) {
        lines.push(format!("[{}] {}", name(refusal.code), refusal.message));
        lines.push(format!("Hint: {}", refusal.hint));
    }
    let more = refusals.iter().skip(REASONS_SHOWN);
    let listed: Vec<String> = more
        .take(REASONS_LISTED)
        .map(|refusal| format!("edits[{}] ({})", refusal.index, name(refusal.code)))
        .collect();
    if !listed.is_empty() {
        let rest = refusals.len() - REASONS_SHOWN - listed.len();
        let rest = if rest > 0 {
            format!(" and {rest} more")
        } else {
            String::new()
        };
        lines.push(format!("As well: {}{rest}", listed.join(", ")));
    }
    (lines.join("\n"), "Fix each as its hint says.".to_owned())
}

fn fine_ones(fine: &[usize]) -> String {
    match fine {
        [] => String::new(),
        [one] => format!("; edits[{one}] is fine"),
        _ if fine.len() > REASONS_LISTED => "; the other edits are fine".to_owned(),
        _ => {
            let all: Vec<String> = fine.iter().map(usize::to_string).collect();
            format!("; edits {} are fine", all.join(", "))
        }
    }
}
