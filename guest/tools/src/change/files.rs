//! The files of a call: opening them, and applying the edits to each.

use std::collections::BTreeMap;

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{AppliedEdit, EditMatched, EditedPlace, LineRange};
use docent_corpus::corpus::Corpus;
use docent_corpus::foreign;
use docent_edit::diff::file_patch::Hunk;
use docent_edit::diff::write::{DiffNames, difference};
use docent_edit::notebook::plan_notebook;
use docent_edit::plan::{
    self, AppliedEdit as EditEffect, LineRange as PlanLines, Plan, RefusedEdit, plan,
};
use docent_edit::section::SectionOp;
use docent_edit::text_match::MatchKind;
use docent_text::content_hash::HashedContent;
use docent_text::lines::with_ends;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::WriteDisk;
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::path::RelPath;

use crate::change::planned::{FileOutcome, LinkPolicy, Planned};
use crate::change::refusals::EditRefusal;
use crate::change::task::{MoveSubject, MoveTarget, Task, TaskOp};
use crate::limits::{EDITED_PLACES, OPENED_BYTES};
use crate::writing::file::{Existing, is_hidden, is_writable};
use crate::writing::link_index::markup;
use crate::writing::path_state::{HiddenNames, PathState, exists};
use crate::writing::root::WritableRoot;
use crate::writing::whole::check_content;

/// A file and the tasks for it.
pub struct FileTasks<'e> {
    /// The file.
    pub existing: Existing,
    tasks: Vec<Task<'e>>,
}

/// Combined tasks of a file.
struct CombinedTasks<'e> {
    edits: Vec<(usize, plan::Edit<'e>)>,
    to: Option<RelPath>,
    file_links: LinkPolicy,
    section_links: LinkPolicy,
    is_with_directory: bool,
    refusals: Vec<EditRefusal>,
}

/// Opens the files of `tasks`, each once, whatever its spellings, in the order in which they are
/// named; returns refusals for the tasks whose files do not exist. Some have been `read` already.
pub fn open<'e, D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
    tasks: Vec<Task<'e>>,
    mut read: Vec<Existing>,
) -> (Vec<FileTasks<'e>>, Vec<EditRefusal>) {
    let mut files: Vec<FileTasks<'e>> = Vec::new();
    let mut by_path: BTreeMap<String, Result<usize, Error>> = BTreeMap::new();
    // One file can be requested under two spellings: `é` as one code point (NFC) or as `e` with
    // a combining accent (NFD), which is how some systems store it. Both open the same file. If
    // they were two entries, each with a part of the edits, the transaction would refuse the
    // path as named twice, so tasks are joined by the name on disk.
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    let mut bytes = 0;
    let mut refusals = Vec::new();
    for task in tasks {
        let asked = task.path.as_str().to_owned();
        let found = by_path.entry(asked).or_insert_with(|| {
            let existing = match &task.op {
                TaskOp::Create(text) => Existing::none(free(corpus, root, &task.path, text)?),
                _ => {
                    let is_it = |read: &Existing| read.path.as_str() == task.path.as_str();
                    match read.iter().position(is_it) {
                        Some(at) => read.swap_remove(at),
                        None => Existing::read(corpus, root, &task.path)?,
                    }
                }
            };
            if let Some(index) = by_name.get(existing.path.as_str()) {
                return Ok(*index);
            }
            bytes += existing.content.bytes().len();
            if bytes > OPENED_BYTES {
                return Err(too_much());
            }
            by_name.insert(existing.path.to_string(), files.len());
            files.push(FileTasks {
                existing,
                tasks: Vec::new(),
            });
            Ok(files.len() - 1)
        });
        match found {
            Ok(index) => {
                if let Some(file) = files.get_mut(*index) {
                    file.tasks.push(task);
                }
            }
            Err(error) => {
                let path = task.path.to_string();
                let error = no_file(&task.path, error.clone());
                refusals.push(EditRefusal::from_error(task.index, &path, error));
            }
        }
    }
    (files, refusals)
}

/// Returns the path of a file to be created.
fn free<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
    path: &RelPath,
    text: &str,
) -> Result<RelPath, Error> {
    is_writable(path, path.segments().next_back().unwrap_or_default())?;
    check_content(path, text)?;
    match PathState::resolve(corpus, root.chosen.index, path)? {
        PathState::Free(place) => Ok(place),
        PathState::Taken(place) => Err(exists(&place, "Send a diff of the existing file.")),
    }
}

impl FileTasks<'_> {
    /// Plans the edits of the file.
    ///
    /// # Errors
    /// For edits that cannot be applied; then none is.
    pub fn plan<D: WriteDisk>(
        mut self,
        corpus: &mut Corpus<D>,
        root: &WritableRoot<D::Directory>,
    ) -> Result<Planned, Vec<EditRefusal>> {
        let warnings: Vec<String> = self
            .tasks
            .iter_mut()
            .filter_map(|task| task.warning.take())
            .collect();
        let is_whole = |task: &Task<'_>| matches!(task.op, TaskOp::Create(_) | TaskOp::Delete(_));
        let planned = if self.tasks.iter().any(is_whole) {
            self.whole()
        } else {
            self.plan_edits(corpus, root)
        };
        planned.map(|mut one| {
            one.warnings.extend(warnings);
            one
        })
    }

    /// Returns the file as changed by the one part of a patch that concerns all of it.
    fn whole(mut self) -> Result<Planned, Vec<EditRefusal>> {
        let path = self.existing.path.to_string();
        if let [_, second, ..] = &self.tasks[..] {
            return Err(vec![EditRefusal::from_error(
                second.index,
                &path,
                double_fate_error(),
            )]);
        }
        let Some(Task { index, op, .. }) = self.tasks.pop() else {
            return Ok(Planned::without_changes(self.existing));
        };
        match op {
            TaskOp::Create(text) => Ok(plan_creation(self.existing, index, text)),
            TaskOp::Delete(hunks) => plan_deletion(self.existing, index, hunks.as_deref()),
            _ => Ok(Planned::without_changes(self.existing)),
        }
    }

    /// Returns the file as changed by edits and moves.
    fn plan_edits<D: WriteDisk>(
        self,
        corpus: &mut Corpus<D>,
        root: &WritableRoot<D::Directory>,
    ) -> Result<Planned, Vec<EditRefusal>> {
        let path = self.existing.path.to_string();
        let CombinedTasks {
            edits,
            to,
            file_links,
            section_links,
            is_with_directory,
            mut refusals,
        } = self.combine(corpus, root);
        if edits.is_empty() {
            // Without edits the text is never decoded, so that a binary can be moved. The
            // borrow of the edits has to end before the file is consumed.
            drop(edits);
            return if refusals.is_empty() {
                let told = !is_with_directory && file_links == LinkPolicy::Stay;
                Ok(self.plan_move(to, file_links, told))
            } else {
                Err(refusals)
            };
        }
        let source = match self.existing.text() {
            Ok(source) => source,
            Err(error) => {
                let tasks = self.tasks.iter();
                let refusal =
                    |task: &Task<'_>| EditRefusal::from_error(task.index, &path, error.clone());
                return Err(tasks.map(refusal).collect());
            }
        };
        let name = self.existing.name.as_str();
        let markdown = self.existing.notebook_markdown(&mut corpus.store);
        let planned = match &markdown {
            Some(markdown) => plan_notebook(&source, name, markdown, &edits),
            None => plan(&source, name, &edits),
        };
        let plan = match planned {
            Ok(plan) if refusals.is_empty() => plan,
            Ok(_) => return Err(refusals),
            Err(refused) => {
                let told = |one: &RefusedEdit| {
                    let refusal = EditRefusal::from_edit(&path, one, &edits);
                    let is_notebook = markdown.is_some() && one.reason.refers_to_own_lines();
                    if is_notebook {
                        refusal.with_own_lines()
                    } else {
                        refusal
                    }
                };
                refusals.extend(refused.iter().map(told));
                return Err(refusals);
            }
        };
        if plan.bytes.len() > DOCUMENT_BYTES {
            let index = edits.first().map_or(0, |(index, _)| *index);
            return Err(vec![EditRefusal::from_error(
                index,
                &path,
                too_large(&plan),
            )]);
        }
        let names = match &to {
            Some(to) => DiffNames::Moved(&path, to.as_str()),
            None => DiffNames::Same(&path),
        };
        let difference = plan.difference(&source, names);
        let told = !is_with_directory && file_links == LinkPolicy::Stay;
        let warnings = warnings(&plan, &path, to.is_some(), told);
        let made = plan.edits.iter().map(apply_edit).collect();
        let content = plan
            .changed
            .then(|| self.existing.content.update(plan.bytes));
        drop(edits);
        let outcome = to.map_or(FileOutcome::Kept, FileOutcome::Moved);
        let mut one = Planned::new(self.existing, outcome, content, difference);
        one.shown.edits = made;
        (one.file_links, one.section_links) = (file_links, section_links);
        one.warnings = warnings;
        Ok(one)
    }

    /// Combines the tasks in the form that the engine takes.
    fn combine<'e, D: WriteDisk>(
        &'e self,
        corpus: &Corpus<D>,
        root: &WritableRoot<D::Directory>,
    ) -> CombinedTasks<'e> {
        let path = self.existing.path.as_str();
        let mut combined = CombinedTasks {
            edits: Vec::new(),
            to: None,
            file_links: LinkPolicy::Stay,
            section_links: LinkPolicy::Stay,
            is_with_directory: false,
            refusals: Vec::new(),
        };
        for Task { index, op, .. } in &self.tasks {
            let taken = match op {
                TaskOp::Move(..) if combined.to.is_some() => Err(double_move_error()),
                TaskOp::Move(target) => {
                    let place = self.destination(corpus, root, &target.path);
                    place.map(|place| combined.note(place, target))
                }
                TaskOp::Hunks(hunks) => {
                    combined.edits.push((*index, plan::Edit::Hunks(hunks)));
                    Ok(())
                }
                TaskOp::Edit(edit) => {
                    if let plan::Edit::Section(section) = edit
                        && section.op == SectionOp::Rename
                    {
                        combined.section_links = LinkPolicy::Follow;
                    }
                    combined.edits.push((*index, edit.clone()));
                    Ok(())
                }
                // A file that is created or deleted has exactly one task; `whole` handles it
                // and refuses any other one.
                TaskOp::Create(_) | TaskOp::Delete(_) => Ok(()),
            };
            if let Err(error) = taken {
                combined
                    .refusals
                    .push(EditRefusal::from_error(*index, path, error));
            }
        }
        combined
    }

    /// Returns the new path of the file.
    fn destination<D: WriteDisk>(
        &self,
        corpus: &Corpus<D>,
        root: &WritableRoot<D::Directory>,
        target: &RelPath,
    ) -> Result<RelPath, Error> {
        let extension = |path: &RelPath| path.segments().next_back().and_then(foreign::extension);
        if extension(target) != extension(&self.existing.path) {
            return Err(refuse(
                ErrorCode::UnsupportedFormat,
                format!("`{target}` names a file of another format; expected the same format"),
                "Keep the file name extension: moving converts nothing.",
            ));
        }
        // A hidden file may get another hidden name; a visible one must not become hidden,
        // because no search or listing would show it again. `.env.example` to `.env.sample` is
        // allowed, `notes.md` to `.notes.md` is not.
        let hidden = match is_hidden(&self.existing.path) {
            true => HiddenNames::Allowed,
            false => HiddenNames::Refused,
        };
        match PathState::resolve_with(corpus, root.chosen.index, target, hidden)? {
            PathState::Free(place) => Ok(place),
            PathState::Taken(place) => Err(exists(&place, "Give a path that does not exist.")),
        }
    }

    /// Returns the plan of a file that is at most moved, which need not be text; with a warning
    /// that links are not followed, if `told`.
    fn plan_move(mut self, to: Option<RelPath>, file_links: LinkPolicy, told: bool) -> Planned {
        // A directory that moves may hold thousands of files, and all of their contents would
        // be in memory until the write. Only files with links are needed again, to rewrite the
        // links. For the others the hash is enough: the transaction reads the file again and
        // compares it with the hash before it moves anything.
        if markup(&self.existing.name).is_none() {
            self.existing.forget();
        }
        let path = self.existing.path.to_string();
        let Some(to) = to else {
            return Planned::without_changes(self.existing);
        };
        let difference = difference(DiffNames::Moved(&path, to.as_str()), "", "");
        let mut one = Planned::new(self.existing, FileOutcome::Moved(to), None, difference);
        if told {
            one.warnings.push(links_stay(&path));
        }
        one.file_links = file_links;
        one
    }
}

impl CombinedTasks<'_> {
    fn note(&mut self, place: RelPath, target: &MoveTarget) {
        self.to = Some(place);
        self.file_links = target.links;
        self.is_with_directory = matches!(target.subject, MoveSubject::DirectoryMember);
    }
}

/// Returns the plan of a file that edit `index` creates.
fn plan_creation(existing: Existing, index: usize, text: String) -> Planned {
    let count = saturating_u32(with_ends(&text).count());
    let difference = difference(DiffNames::Created(existing.path.as_str()), "", &text);
    let content = HashedContent::new(text.into_bytes());
    let mut one = Planned::new(existing, FileOutcome::Created, Some(content), difference);
    one.shown.edits = vec![whole_edit(index, 0, count)];
    one
}

/// Returns the plan of a file that edit `index` removes: `hunks` must leave nothing of it.
fn plan_deletion(
    existing: Existing,
    index: usize,
    hunks: Option<&[Hunk]>,
) -> Result<Planned, Vec<EditRefusal>> {
    let path = existing.path.as_str();
    let refusal = |error| vec![EditRefusal::from_error(index, path, error)];
    let source = existing.text().map_err(refusal)?;
    if let Some(hunks) = hunks {
        let edits = [(index, plan::Edit::Hunks(hunks))];
        let plan = plan(&source, &existing.name, &edits).map_err(|refused| {
            let told = |one: &RefusedEdit| EditRefusal::from_edit(path, one, &edits);
            refused.iter().map(told).collect::<Vec<_>>()
        })?;
        // Hunks are applied by lines, and the plan is empty even if only the end of the last
        // line differs. A diff states that end with `\ No newline at end of file`. A file whose
        // end differs is not the file that the author of the diff saw, and deleting it could
        // lose a line that was appended to the last one since.
        let is_ended = |text: &str| text.ends_with(['\n', '\r']);
        let is_said = hunks
            .last()
            .is_none_or(|hunk| is_ended(&hunk.old) == is_ended(source.text()));
        if !plan.text.is_empty() || !is_said {
            return Err(refusal(more_stands_there(&plan)));
        }
    }
    let difference = difference(DiffNames::Deleted(path), &source.text_with_mark(), "");
    let count = saturating_u32(with_ends(source.text()).count());
    let mut one = Planned::new(existing, FileOutcome::Deleted, None, difference);
    one.shown.edits = vec![whole_edit(index, count, 0)];
    Ok(one)
}

/// Returns an edit of all lines of a file.
fn whole_edit(index: usize, before: u32, after: u32) -> AppliedEdit {
    let lines = |last| LineRange { first: 1, last };
    AppliedEdit {
        index: saturating_u32(index),
        match_: EditMatched::Exact,
        places: vec![EditedPlace {
            before: lines(before),
            after: lines(after),
        }],
        more_places: 0,
    }
}

fn links_stay(path: &str) -> String {
    format!("links to `{path}` and in it are not rewritten")
}

/// Returns the error of an edit whose file does not exist, since edits do not create files.
fn no_file(path: &RelPath, error: Error) -> Error {
    if error.code != ErrorCode::DocumentNotFound {
        return error;
    }
    let hint = if is_hidden(path) {
        "Search for its path. Only the person can create a file whose name or directory begins \
         with a dot."
    } else {
        "Search for its path. Edits cannot create a file: write it as a whole."
    };
    Error {
        hint: hint.to_owned(),
        ..error
    }
}

fn double_move_error() -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        "another edit of the call moves the file as well; expected one `move`",
        "Send one of them.",
    )
}

fn double_fate_error() -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        "a diff creates or deletes the file, and another edit of the call changes it as well; \
         expected one of them",
        "Send one of them, or each in a call of its own.",
    )
}

/// Returns the error of a diff that removes a file but does not contain exactly its lines.
fn more_stands_there(plan: &Plan) -> Error {
    let what = match with_ends(&plan.text).count() {
        0 => "its last line ends differently from the diff".to_owned(),
        1 => "it has 1 line that is not in the diff".to_owned(),
        count => format!("it has {count} lines that are not in the diff"),
    };
    refuse(
        ErrorCode::Conflict,
        format!("the diff deletes the file, and {what}; expected the content in the diff"),
        "Read the file, check that it should still be deleted, and send a diff with all its lines, \
         each with a `-`.",
    )
}

fn too_much() -> Error {
    refuse(
        ErrorCode::LimitReached,
        format!("the files of the call have more than {OPENED_BYTES} bytes"),
        "Nothing was written. Make several calls, each with some of the files.",
    )
}

fn too_large(plan: &Plan) -> Error {
    refuse(
        ErrorCode::DocumentTooLarge,
        format!(
            "the file would have {} bytes; expected at most {DOCUMENT_BYTES}",
            plan.bytes.len()
        ),
        "A file of this size could no longer be read.",
    )
}

/// Returns the warnings for a plan.
fn warnings(plan: &Plan, path: &str, moves: bool, links_are_left: bool) -> Vec<String> {
    let of_plan = plan.warnings.iter();
    let mut warnings: Vec<String> = of_plan
        .map(|warning| format!("`{path}`: {}", warning.message()))
        .collect();
    if moves && links_are_left {
        warnings.push(links_stay(path));
    }
    if !moves && !plan.changed {
        warnings.push(format!(
            "`{path}` stays the same, because the edits change nothing"
        ));
    }
    warnings
}

fn apply_edit(edit: &EditEffect) -> AppliedEdit {
    let range = |lines: &PlanLines| LineRange {
        first: lines.first,
        last: lines.last,
    };
    let place = |(before, after): &(PlanLines, PlanLines)| EditedPlace {
        before: range(before),
        after: range(after),
    };
    AppliedEdit {
        index: saturating_u32(edit.index),
        match_: match edit.matched {
            MatchKind::Exact => EditMatched::Exact,
            MatchKind::LineEndings => EditMatched::LineEndings,
            MatchKind::Composed => EditMatched::Composed,
            MatchKind::Whitespace => EditMatched::Whitespace,
            MatchKind::Numbers => EditMatched::LineNumbers,
        },
        places: edit.places.iter().take(EDITED_PLACES).map(place).collect(),
        more_places: saturating_u32(edit.places.len().saturating_sub(EDITED_PLACES)),
    }
}
