//! The request of a call: its options, and each edit in the form that the engine takes.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{
    ChangeOptions, Edit, EditMatch, ExpectedHash, InsertPlace, SectionOperation,
};
use docent_edit::find_text::{PlaceChoice, TextQuery};
use docent_edit::insert::InsertPosition;
use docent_edit::plan;
use docent_edit::section::{SectionEdit, SectionOp};
use docent_edit::view::Blanks;
use docent_tree::error::refuse;

use crate::change::form::{EditForm, form};
use crate::change::patch;
use crate::change::planned::LinkPolicy;
use crate::change::task::{MoveSubject, MoveTarget, Task, TaskOp};
use crate::limits::EDITS;
use crate::writing::file;
use crate::writing::root::SensitiveAccess;

/// An edit without fields, on which the fields of a caller are set.
pub const NO_EDIT: Edit = Edit {
    path: None,
    old_text: None,
    new_text: None,
    line: None,
    occurrence: None,
    expect_count: None,
    within: None,
    before: None,
    after: None,
    match_: None,
    insert: None,
    at: None,
    anchor: None,
    section: None,
    op: None,
    content: None,
    include_subsections: None,
    lines: None,
    hash: None,
    diff: None,
    move_: None,
    update_links: None,
};

/// Options with the default for everything.
pub const NO_OPTIONS: ChangeOptions = ChangeOptions {
    path: None,
    dry_run: None,
    plan_id: None,
    expect: None,
    transaction: None,
    impact: None,
    allow_sensitive: None,
    note: None,
    root: None,
};

/// The options of a call, each with its value.
pub struct Options {
    /// Default file for edits without a path.
    pub path: Option<String>,
    /// Dry run, or writing.
    pub mode: Mode,
    /// Expected plan id.
    pub plan_id: Option<String>,
    /// Expected content hashes of files.
    pub expect: Vec<ExpectedHash>,
    /// Unit that is written completely or not at all.
    pub unit: AtomicUnit,
    /// Report of the impact on links.
    pub impact_report: ImpactReport,
    /// Consent to sensitive files.
    pub sensitive: SensitiveAccess,
    /// Note of the caller for the record.
    pub note: Option<String>,
    /// The root.
    pub root: Option<String>,
}

/// Dry run, or writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is written.
    DryRun,
    /// The edits are written.
    Apply,
}

/// Unit that is written completely or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicUnit {
    /// All files of the call.
    Call,
    /// Each file.
    File,
}

/// Report of the impact on links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactReport {
    /// It is included.
    Include,
    /// It is omitted, and no file is searched for it.
    Omit,
}

impl Options {
    /// Returns the options with their defaults.
    pub fn new(options: ChangeOptions) -> Self {
        Self {
            path: options.path,
            mode: if options.dry_run == Some(false) {
                Mode::Apply
            } else {
                Mode::DryRun
            },
            plan_id: options.plan_id,
            expect: options.expect.unwrap_or_default(),
            unit: if options.transaction == Some(false) {
                AtomicUnit::File
            } else {
                AtomicUnit::Call
            },
            impact_report: if options.impact == Some(false) {
                ImpactReport::Omit
            } else {
                ImpactReport::Include
            },
            sensitive: if options.allow_sensitive == Some(true) {
                SensitiveAccess::Requested
            } else {
                SensitiveAccess::NotRequested
            },
            note: options.note,
            root: options.root,
        }
    }
}

/// Refuses a call with no edit or too many.
///
/// # Errors
/// `invalid-request`.
pub fn check_count(edits: &[Edit]) -> Result<(), Error> {
    if (1..=EDITS).contains(&edits.len()) {
        return Ok(());
    }
    let hint = if edits.is_empty() {
        "Send what to change, such as `path`, `oldText` and `newText`."
    } else {
        "Make several calls, each with some of the edits."
    };
    Err(refuse(
        ErrorCode::InvalidRequest,
        format!("`edits` holds {}; expected 1 to {EDITS}", edits.len()),
        hint,
    ))
}

/// Returns the tasks of an edit: one, or one for each file of a diff, whose paths `own_path`
/// converts to ones below the root.
///
/// # Errors
/// `invalid-request`, and `invalid-path`.
pub fn tasks<'e>(
    index: usize,
    edit: &'e Edit,
    default: Option<&str>,
    own_path: &dyn Fn(&str) -> Result<String, Error>,
) -> Result<Vec<Task<'e>>, Error> {
    let named = edit.path.as_deref().or(default);
    let file = || named.ok_or_else(no_path).and_then(file::parse);
    let (path, op) = match form(edit)? {
        EditForm::Text => (file()?, TaskOp::Edit(text_edit(edit)?)),
        EditForm::Insert => (file()?, TaskOp::Edit(insertion(edit)?)),
        EditForm::Section => (file()?, TaskOp::Edit(section_edit(edit)?)),
        EditForm::Lines => (file()?, TaskOp::Edit(lines_edit(edit))),
        EditForm::Diff => {
            let diff = edit.diff.as_deref().unwrap_or_default();
            return patch::tasks(index, diff, named, own_path);
        }
        EditForm::Move => {
            let from = named.ok_or_else(no_path)?;
            // It may be a directory.
            (
                file::parse_any(from)?,
                TaskOp::Move(move_target(edit, from)?),
            )
        }
    };
    Ok(vec![Task {
        index,
        path,
        op,
        warning: None,
    }])
}

fn no_path() -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        "no file is named; expected `path` in the edit or beside `edits`",
        "Name the file.",
    )
}

/// Returns the destination of a move from the path `from`.
fn move_target(edit: &Edit, from: &str) -> Result<MoveTarget, Error> {
    let to = edit.move_.as_deref().unwrap_or_default();
    let file_error = file::parse(from).and_then(|_| file::parse(to)).err();
    Ok(MoveTarget {
        path: file::parse_any(to)?,
        links: match edit.update_links {
            Some(false) => LinkPolicy::Stay,
            Some(true) | None => LinkPolicy::Follow,
        },
        subject: MoveSubject::FileOrDirectory(file_error),
    })
}

fn text_edit(edit: &Edit) -> Result<plan::Edit<'_>, Error> {
    let new = edit.new_text.as_deref().unwrap_or_default();
    let query = text_query(edit, edit.old_text.as_deref())?;
    Ok(plan::Edit::Text(query, new))
}

fn insertion(edit: &Edit) -> Result<plan::Edit<'_>, Error> {
    let text = edit.insert.as_deref().unwrap_or_default();
    let hash = edit.hash.as_deref().unwrap_or_default();
    Ok(plan::Edit::Insert(place(edit, hash)?, text))
}

fn section_edit(edit: &Edit) -> Result<plan::Edit<'_>, Error> {
    Ok(plan::Edit::Section(SectionEdit {
        address: edit.section.as_deref().unwrap_or_default(),
        op: operation(edit)?,
        content: edit.content.as_deref().unwrap_or_default(),
        include_subsections: edit.include_subsections == Some(true),
    }))
}

fn lines_edit(edit: &Edit) -> plan::Edit<'_> {
    let lines = edit.lines.map_or((0, 0), |lines| (lines.first, lines.last));
    let hash = edit.hash.as_deref().unwrap_or_default();
    plan::Edit::Lines(lines, hash, edit.new_text.as_deref().unwrap_or_default())
}

fn text_query<'e>(edit: &'e Edit, text: Option<&'e str>) -> Result<TextQuery<'e>, Error> {
    let expect_count = edit.expect_count;
    Ok(TextQuery {
        text: text.unwrap_or_default(),
        choice: choice(edit)?,
        expect_count: expect_count.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
        within: edit.within.as_deref(),
        before: edit.before.as_deref(),
        after: edit.after.as_deref(),
        blanks: match edit.match_ {
            Some(EditMatch::Whitespace) => Blanks::Collapsed,
            Some(EditMatch::Exact) | None => Blanks::Exact,
        },
    })
}

fn choice(edit: &Edit) -> Result<PlaceChoice, Error> {
    match (edit.line, edit.occurrence.as_deref()) {
        (Some(line), _) => Ok(PlaceChoice::NearLine(line)),
        (None, None) => Ok(PlaceChoice::Only),
        (None, Some("all")) => Ok(PlaceChoice::All),
        (None, Some(number)) => match number.parse() {
            Ok(number) if number > 0 => Ok(PlaceChoice::Nth(number)),
            _ => Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`occurrence` is `{number}`; expected a number from 1 on, or `all`"),
                "The first place of the text is 1.",
            )),
        },
    }
}

fn place<'e>(edit: &'e Edit, hash: &'e str) -> Result<InsertPosition<'e>, Error> {
    let line = edit.line.unwrap_or_default();
    let anchor = || text_query(edit, edit.anchor.as_deref());
    Ok(match edit.at {
        Some(InsertPlace::Start) => InsertPosition::Start,
        Some(InsertPlace::End) | None => InsertPosition::End,
        Some(InsertPlace::BeforeLine) => InsertPosition::BeforeLine(line, hash),
        Some(InsertPlace::AfterLine) => InsertPosition::AfterLine(line, hash),
        Some(InsertPlace::BeforeText) => InsertPosition::BeforeText(anchor()?),
        Some(InsertPlace::AfterText) => InsertPosition::AfterText(anchor()?),
    })
}

/// Returns the operation on a section: all but `delete` need a content.
fn operation(edit: &Edit) -> Result<SectionOp, Error> {
    let op = match edit.op {
        Some(SectionOperation::Replace) | None => SectionOp::Replace,
        Some(SectionOperation::Append) => SectionOp::Append,
        Some(SectionOperation::Prepend) => SectionOp::Prepend,
        Some(SectionOperation::InsertBefore) => SectionOp::InsertBefore,
        Some(SectionOperation::InsertAfter) => SectionOp::InsertAfter,
        Some(SectionOperation::Delete) => SectionOp::Delete,
        Some(SectionOperation::Rename) => SectionOp::Rename,
    };
    match (op == SectionOp::Delete, &edit.content) {
        (true, Some(_)) => Err(refuse(
            ErrorCode::InvalidRequest,
            "`content` and `op` `delete` clash: nothing takes the section's place",
            "Leave `content` out, or send `op` `replace`.",
        )),
        (false, None) => Err(refuse(
            ErrorCode::InvalidRequest,
            "`content` is missing; expected the text for the section",
            "Send `content`; to remove the section send `op` `delete`.",
        )),
        _ => Ok(op),
    }
}
