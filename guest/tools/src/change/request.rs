//! What a call asks for: its options, and each edit as the engine takes it.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{
    ChangeOptions, Edit, EditMatch, ExpectedHash, InsertPlace, SectionOperation,
};
use docent_edit::diff::parse::Hunk;
use docent_edit::find_text::{Choice, Wanted};
use docent_edit::insert::At;
use docent_edit::plan;
use docent_edit::section::{Op, SectionEdit};
use docent_edit::view::Blanks;
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::change::form::{Form, form};
use crate::change::patch;
use crate::change::planned::Links;
use crate::limits::EDITS;
use crate::writing::file;
use crate::writing::root::Sensitive;

/// An edit that says nothing; what a caller says is set in its place.
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

/// Options that leave everything as it is by default.
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
    /// The file of edits that name none.
    pub path: Option<String>,
    /// Whether anything is to be written.
    pub mode: Mode,
    /// The plan that it has to be.
    pub plan_id: Option<String>,
    /// Contents that files have to have.
    pub expect: Vec<ExpectedHash>,
    /// What belongs together.
    pub unit: Unit,
    /// Whether what it means for links is told.
    pub telling: Telling,
    /// Whether sensitive files are asked for.
    pub sensitive: Sensitive,
    /// What the caller says of it.
    pub note: Option<String>,
    /// The root.
    pub root: Option<String>,
}

/// Whether anything is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is.
    DryRun,
    /// What the edits say is.
    Apply,
}

/// What is written as a whole, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// All files of the call.
    Call,
    /// Each file.
    File,
}

/// Whether what a call means for links is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// It is.
    Wanted,
    /// It is not, and nothing is looked at for it.
    Unwanted,
}

/// What one edit does to one file.
#[derive(Debug)]
pub struct Task {
    /// The edit's index in the request.
    pub index: usize,
    /// The file, as it is asked for.
    pub path: RelPath,
    /// What is done.
    pub deed: Deed,
    /// What of it is not done.
    pub warning: Option<String>,
}

/// What is done to a file.
#[derive(Debug)]
pub enum Deed {
    /// What the edit's own fields say.
    Edit(Form),
    /// A part of a diff is applied.
    Hunks(Vec<Hunk>),
    /// It gets another path.
    Move(Target),
    /// It is made, with this text.
    Create(String),
    /// It goes, if a part of a diff leaves nothing of it; without one, whatever it holds.
    Delete(Option<Vec<Hunk>>),
}

/// Where a file moves.
#[derive(Debug)]
pub struct Target {
    /// Its path afterwards.
    pub path: RelPath,
    /// What becomes of links.
    pub links: Links,
    /// Whether it moves with its directory, of which is told instead.
    pub is_with_directory: bool,
}

impl Task {
    /// Returns the move of one file of a directory that this task moves.
    pub fn of_file(&self, path: RelPath, to: RelPath, links: Links) -> Self {
        Self {
            index: self.index,
            path,
            deed: Deed::Move(Target {
                path: to,
                links,
                is_with_directory: true,
            }),
            warning: None,
        }
    }
}

impl Options {
    /// Returns the options with their defaults.
    pub fn of(options: ChangeOptions) -> Self {
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
                Unit::File
            } else {
                Unit::Call
            },
            telling: if options.impact == Some(false) {
                Telling::Unwanted
            } else {
                Telling::Wanted
            },
            sensitive: if options.allow_sensitive == Some(true) {
                Sensitive::Asked
            } else {
                Sensitive::Unasked
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

/// Returns what an edit does: one task, or with a diff one for each of its files, whose paths
/// `own_path` returns as ones below the root.
///
/// # Errors
/// `invalid-request`, and `invalid-path`.
pub fn tasks(
    index: usize,
    edit: &Edit,
    default: Option<&str>,
    own_path: &dyn Fn(&str) -> Result<String, Error>,
) -> Result<Vec<Task>, Error> {
    let form = form(edit)?;
    let path = edit.path.as_deref().or(default);
    if form == Form::Diff {
        let diff = edit.diff.as_deref().unwrap_or_default();
        return patch::tasks(index, diff, path, own_path);
    }
    let Some(path) = path else {
        return Err(refuse(
            ErrorCode::InvalidRequest,
            "no file is named; expected `path` in the edit or beside `edits`",
            "Name the file.",
        ));
    };
    // What moves may be a directory.
    let parse = if form == Form::Move {
        file::parse_any
    } else {
        file::parse
    };
    let path = parse(path)?;
    let deed = match (form, &edit.move_) {
        (Form::Move, Some(to)) => {
            let links = match edit.update_links {
                Some(false) => Links::Stay,
                Some(true) | None => Links::Follow,
            };
            Deed::Move(Target {
                path: parse(to)?,
                links,
                is_with_directory: false,
            })
        }
        _ => {
            // Only to find out what is wrong with it, before any file is opened.
            as_edit(edit, form)?;
            Deed::Edit(form)
        }
    };
    Ok(vec![Task {
        index,
        path,
        deed,
        warning: None,
    }])
}

/// Returns an edit as the engine takes it; of a diff and a move there is nothing to take.
///
/// # Errors
/// `invalid-request` for an occurrence that is no number.
pub fn as_edit(edit: &Edit, form: Form) -> Result<plan::Edit<'_>, Error> {
    let new = edit.new_text.as_deref().unwrap_or_default();
    let content = edit.content.as_deref().unwrap_or_default();
    let hash = edit.hash.as_deref().unwrap_or_default();
    Ok(match form {
        Form::Text => plan::Edit::Text(wanted(edit, edit.old_text.as_deref())?, new),
        Form::Insert => {
            let text = edit.insert.as_deref().unwrap_or_default();
            plan::Edit::Insert(place(edit, hash)?, text)
        }
        Form::Section => plan::Edit::Section(SectionEdit {
            address: edit.section.as_deref().unwrap_or_default(),
            op: operation(edit)?,
            content,
            include_subsections: edit.include_subsections == Some(true),
        }),
        Form::Lines => {
            let lines = edit.lines.map_or((0, 0), |lines| (lines.first, lines.last));
            plan::Edit::Lines(lines, hash, new)
        }
        Form::Diff | Form::Move => plan::Edit::Hunks(&[]),
    })
}

fn wanted<'e>(edit: &'e Edit, text: Option<&'e str>) -> Result<Wanted<'e>, Error> {
    let expect_count = edit.expect_count;
    Ok(Wanted {
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

fn choice(edit: &Edit) -> Result<Choice, Error> {
    match (edit.line, edit.occurrence.as_deref()) {
        (Some(line), _) => Ok(Choice::NearLine(line)),
        (None, None) => Ok(Choice::Only),
        (None, Some("all")) => Ok(Choice::All),
        (None, Some(number)) => match number.parse() {
            Ok(number) if number > 0 => Ok(Choice::Nth(number)),
            _ => Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`occurrence` is `{number}`; expected a number from 1 on, or `all`"),
                "The first place of the text is 1.",
            )),
        },
    }
}

fn place<'e>(edit: &'e Edit, hash: &'e str) -> Result<At<'e>, Error> {
    let line = edit.line.unwrap_or_default();
    let anchor = || wanted(edit, edit.anchor.as_deref());
    Ok(match edit.at {
        Some(InsertPlace::Start) => At::Start,
        Some(InsertPlace::End) | None => At::End,
        Some(InsertPlace::BeforeLine) => At::BeforeLine(line, hash),
        Some(InsertPlace::AfterLine) => At::AfterLine(line, hash),
        Some(InsertPlace::BeforeText) => At::BeforeText(anchor()?),
        Some(InsertPlace::AfterText) => At::AfterText(anchor()?),
    })
}

/// Returns what is done to a section: all but `delete` need a content.
fn operation(edit: &Edit) -> Result<Op, Error> {
    let op = match edit.op {
        Some(SectionOperation::Replace) | None => Op::Replace,
        Some(SectionOperation::Append) => Op::Append,
        Some(SectionOperation::Prepend) => Op::Prepend,
        Some(SectionOperation::InsertBefore) => Op::InsertBefore,
        Some(SectionOperation::InsertAfter) => Op::InsertAfter,
        Some(SectionOperation::Delete) => Op::Delete,
        Some(SectionOperation::Rename) => Op::Rename,
    };
    match (op == Op::Delete, &edit.content) {
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
