//! Hints for correcting a refused edit.

use crate::error::{Condition, NotebookProblem, Reason, SectionProblem, Unfit, UnfitKind};
use crate::near_miss::{Damage, DifferenceKind, NearMiss};

impl Reason {
    /// Returns a hint, in one or two sentences. `sent` is the caller's name for the text that was
    /// to be found, such as `` `oldText` ``.
    pub fn hint(&self, sent: &str) -> String {
        let hint = match self {
            Self::Ambiguous(spots) => {
                let line = spots.shown.last().map_or(1, |spot| spot.line);
                return format!(
                    "Add a neighbouring line to {sent}, or send `line` with the one that is \
                     meant, such as {line}, or `occurrence` with 1 to {} or `all`.",
                    spots.count
                );
            }
            Self::Hunk { reason, .. } => return hunk_hint(reason),
            Self::EmptyText => "To add text use `insert`.",
            Self::NotFound(miss) => return near_miss_hint(miss, sent),
            Self::Elsewhere(condition, _) => condition_hint(*condition),
            Self::NoOccurrence { .. } | Self::OtherCount { .. } => "Send the intended number.",
            Self::Indentation { .. } => {
                return format!("Send {sent} as it is in the file, without `match`.");
            }
            Self::Stale(_) => "Base the edit on this text, and send its hash.",
            Self::NoLines { .. } => "Read the file again, and send lines that exist.",
            Self::NoSection { .. } => {
                "Send one of these headings. To add a section, send `op` `insert-after` with \
                 the section that it follows."
            }
            Self::SeveralSections { .. } => "Send one of these ids.",
            Self::Section(problem) => section_hint(problem),
            Self::Unfit(Unfit {
                kind: UnfitKind::Nul,
                ..
            }) => "Leave the NUL out.",
            Self::Unfit(_) => "Write it with characters that the encoding has.",
            Self::Damaged { .. } => "Edit the text next to them, in smaller pieces.",
            Self::AlreadyMade { .. } => {
                "If that is the change you meant, it is made; otherwise send the lines before and \
                 after it as context."
            }
            Self::NoContext => "Send a line or two of context, which begin with a blank.",
            Self::Overlap { .. } => "Make one edit of the two.",
            Self::Notebook(problem) => notebook_hint(*problem),
            Self::OwnLines(reason) => return reason.hint(sent),
        };
        hint.to_owned()
    }
}

fn notebook_hint(problem: NotebookProblem) -> &'static str {
    match problem {
        NotebookProblem::LineNumbers => {
            "Send `oldText` as it is shown, or `insert` with `at` `after-text` and an `anchor`."
        }
        NotebookProblem::Outside { .. } => {
            "Send `oldText` from one cell. Outputs and whole cells are edited in the file's own \
             lines."
        }
        NotebookProblem::Altered { .. } => {
            "Send `oldText` with the quotes and escapes of the file's own lines."
        }
        NotebookProblem::Mixed { .. } => "Send each kind in a call of its own.",
        NotebookProblem::NotJson => {
            "Send the source of a cell as it is shown; in the file's own lines escape quotes and \
             line breaks."
        }
    }
}

fn hunk_hint(reason: &Reason) -> String {
    let Reason::Ambiguous(spots) = reason else {
        return reason.hint("the old text of the hunk");
    };
    let line = spots.shown.last().map_or(1, |spot| spot.line);
    format!(
        "Send context lines that only one of them has, or begin the hunk with the line of the one \
         that is meant, such as `@@ -{line},… +{line},… @@` with the lines counted."
    )
}

fn condition_hint(condition: Condition) -> &'static str {
    match condition {
        Condition::Anchor => "Omit the `@@` line, or send one that is above the change.",
        Condition::FileStart => "Send the line before the change as context.",
        Condition::FileEnd => "Send the line after the change as context.",
        Condition::WholeLines => "Send the context lines whole, as they are in the file.",
        Condition::Within | Condition::Before | Condition::After => {
            "Send the condition as it is there, or leave it out."
        }
    }
}

fn near_miss_hint(miss: &NearMiss, sent: &str) -> String {
    if miss.is_made_by_others {
        return "Make one edit of them, or send this one in a call of its own.".to_owned();
    }
    if miss.done.is_some() {
        return format!(
            "If that is the change you meant, it is made; else send {sent} as it is in the file."
        );
    }
    match (
        miss.damage,
        miss.difference.as_ref().map(|difference| &difference.kind),
    ) {
        (Some(Damage::LineNumbers), _) => format!("Send {sent} without the line numbers."),
        (Some(Damage::Escapes), _) => "Send line breaks, tabs and quotes as themselves.".to_owned(),
        (None, Some(DifferenceKind::Blanks { .. } | DifferenceKind::TrailingBlanks { .. })) => {
            format!("Send {sent} as it is in the file, or `match` with `whitespace`.")
        }
        (None, Some(_)) => format!("Send {sent} as it is in the file."),
        (None, None) if !miss.regions.is_empty() && !miss.is_whole_file => {
            format!("Send {sent} as it is in the file.")
        }
        (None, None) => {
            "Nothing in the file is like it: read it again, or see whether another file is meant."
                .to_owned()
        }
    }
}

fn section_hint(problem: &SectionProblem) -> &'static str {
    match problem {
        SectionProblem::NoHeadings => "Edit it by text or by lines.",
        SectionProblem::Empty => "To empty a section use `replace`, to remove it `delete`.",
        SectionProblem::OtherHeading { .. } => {
            "Leave the heading out; to change it use `rename`, to add a section `insert-after`."
        }
        SectionProblem::SubsectionTwice { .. } | SectionProblem::SubsectionsStay { .. } => {
            "Send `includeSubsections`: true if they are meant too."
        }
        SectionProblem::LeavesOpen => "Close it in `content`.",
        SectionProblem::IsOpen => "Close it first, by an edit of its text.",
        SectionProblem::ChangesOthers => "Send complete content, or edit the text with `oldText`.",
        SectionProblem::NoHeading => {
            "Send the heading's text alone, without marks of a list or code before it."
        }
    }
}
