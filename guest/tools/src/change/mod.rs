//! `change`: edits of files, shown first, then written all or none.
//!
//! `form` (the form of an edit), `patch` (the effect of a diff, as a `task` for each file) and
//! `request` → `directories` (files in place of directories that move) → `files` (opened, and the
//! result of the edits of each, `planned`) → `links` (documents updated after a move, with `impact`
//! on links and `code` on importers and users of moved or deleted files and definitions, in the
//! sentences of `summary`) → `plan_id` → the answer of a dry run, or the transaction. `refusals`
//! explains how to correct an edit.

mod code;
mod directories;
mod files;
mod form;
mod impact;
mod links;
mod patch;
mod plan_id;
mod plan_memory;
mod planned;
mod refusals;
mod request;
mod summary;
mod task;

pub use plan_memory::PlanMemory;
pub use request::{NO_EDIT, NO_OPTIONS};

use std::collections::{BTreeMap, BTreeSet};

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ChangeAnswer, ChangeOptions, Edit, RefusedFile};
use docent_corpus::corpus::Corpus;
use docent_transaction::limits::TRANSACTION_BYTES;
use docent_tree::disk::{WriteDirectory, WriteDisk};
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::paths::request_paths;
use crate::settings::ToolSettings;
use crate::writing::file::{Existing, parse};
use crate::writing::root::WritableRoot;
use crate::writing::shown::{DiffRoom, warnings};
use directories::Moving;
use plan_id::PlanId;
use planned::{FileOutcome, Planned};
use refusals::EditRefusal;
use request::{AtomicUnit, ImpactReport, Mode, Options};

/// The name of the tool in the history.
const TOOL: &str = "change";

/// Edits files; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; then nothing was written.
pub fn change<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    edits: Vec<Edit>,
    options: ChangeOptions,
) -> Result<ChangeAnswer, Error> {
    let options = Options::new(options);
    let root = WritableRoot::open(corpus, settings, options.root.as_deref(), options.sensitive)?;
    // The order of these steps matters. The number of edits is checked before anything on the
    // disk is touched. Recovery comes before the first file is read: after a crash between two
    // renames of an earlier write, some files are old and some are new, and edits planned on
    // that mixture would be made for contents that recovery is about to replace. The expected
    // hashes are then compared with files that are complete.
    request::check_count(&edits)?;
    root.recover()?;
    let expected = check_expected(corpus, &root, &edits, &options)?;
    let Plans {
        mut planned,
        moving,
        refused,
    } = plan(corpus, &root, &edits, expected, &options)?;
    let impact = links::follow(corpus, &root, &options, &mut planned, &moving)?;
    check_together(&planned)?;
    let mut answer = ChangeAnswer {
        root: root.chosen.shown.clone(),
        applied: false,
        changed: planned.iter().any(|one| one.shown.changed),
        plan_id: None,
        undo_id: None,
        rollback_available: root.keeps_history(),
        files: Vec::new(),
        refused,
        impact: None,
        code: None,
        warnings: planned
            .iter_mut()
            .flat_map(|one| std::mem::take(&mut one.warnings))
            .collect(),
        hint: None,
    };
    answer.warnings.extend(moving.iter().map(Moving::warning));
    if let Some(mut impact) = impact {
        answer.warnings.append(&mut impact.warnings);
        if options.impact_report == ImpactReport::Include {
            answer.code = impact.take_code();
            answer.impact = impact.into_answer();
        }
    }
    // The id is computed after links were followed, so it covers the documents that only change
    // because of a move. If another document gains a link to the moved file between the dry run
    // and the write, the plan differs and is refused, and nothing is written that was not
    // shown.
    let id = PlanId::new(&edits, &options, &root.chosen.name, &planned);
    id.expect(options.plan_id.as_deref())?;
    match options.mode {
        Mode::DryRun if answer.changed => {
            let id = id.text();
            answer.hint = Some(format!(
                "To write exactly this, send `dryRun` false and `planId` `{id}` with `edits` `[]`, or \
                 with the same edits if it is no longer kept."
            ));
            answer.plan_id = Some(id);
        }
        Mode::DryRun => {}
        Mode::Apply => {
            if options.plan_id.is_some() {
                forget_shown(&mut planned, &mut answer);
            }
            apply(&root, &options, &mut planned, (&moving, &mut answer))?;
        }
    }
    let mut room = DiffRoom::default();
    answer.files = planned.into_iter().map(|one| one.shown).collect();
    for file in &mut answer.files {
        let (diff, is_cut) = room.fit(std::mem::take(&mut file.diff));
        (file.diff, file.diff_is_cut) = (diff, file.diff_is_cut || is_cut);
    }
    Ok(answer)
}

/// Removes from an answer the details that the dry run has shown: only the outcome of each file is
/// left.
fn forget_shown(planned: &mut [Planned], answer: &mut ChangeAnswer) {
    for one in planned {
        one.shown.diff.clear();
        one.shown.diff_is_cut = false;
        one.shown.edits.clear();
    }
    (answer.impact, answer.code) = (None, None);
    answer.warnings.clear();
}

/// Refuses a call made for other contents, and returns the files that were read for the check and
/// are edited.
fn check_expected<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
    edits: &[Edit],
    options: &Options,
) -> Result<Vec<Existing>, Error> {
    let named: BTreeSet<&str> = edits
        .iter()
        .filter_map(|edit| edit.path.as_deref().or(options.path.as_deref()))
        .collect();
    let mut kept = BTreeMap::new();
    for expected in &options.expect {
        let existing = Existing::read(corpus, root, &parse(&expected.path)?)?;
        existing.expect(Some(&expected.hash))?;
        // Only the files that this call edits are kept. `expect` may list many files whose
        // state the caller relies on without editing them. All of these together may not fit
        // into memory, and only their hashes matter.
        if named.contains(existing.path.as_str()) {
            kept.insert(existing.path.to_string(), existing);
        }
    }
    Ok(kept.into_values().collect())
}

/// Plans for the files of a call.
struct Plans {
    planned: Vec<Planned>,
    moving: Vec<Moving>,
    refused: Vec<RefusedFile>,
}

/// Plans the edits of each file, and, if each file is a unit of its own, returns the refusals of
/// the files whose edits cannot be applied.
fn plan<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    root: &WritableRoot<D::Directory>,
    edits: &[Edit],
    expected: Vec<Existing>,
    options: &Options,
) -> Result<Plans, Error> {
    let mut refusals = Vec::new();
    let mut tasks = Vec::new();
    let own_path = |text: &str| request_paths::in_root(corpus, &root.chosen.name, text);
    for (index, edit) in edits.iter().enumerate() {
        match request::tasks(index, edit, options.path.as_deref(), &own_path) {
            Ok(some) => tasks.extend(some),
            Err(error) => {
                let path = edit.path.as_deref().unwrap_or_default();
                refusals.push(EditRefusal::from_error(index, path, error));
            }
        }
    }
    // An error in the request itself is an error of the caller, and concerns all of its edits
    // even if each file is a unit of its own. It is reported before any file is opened, with
    // all edits that have one, so that a caller corrects them in one step.
    if !refusals.is_empty() {
        return Err(refusals::error(refusals, edits.len()));
    }
    let expanded = directories::expand(corpus, root, tasks);
    refusals.extend(expanded.refusals);
    let (opened, unopened) = files::open(corpus, root, expanded.tasks, expected);
    let mut planned = Vec::new();
    refusals.extend(unopened);
    for file in opened {
        match file.plan(corpus, root) {
            Ok(one) => planned.push(one),
            Err(several) => refusals.extend(several),
        }
    }
    let is_refused =
        !refusals.is_empty() && (options.unit == AtomicUnit::Call || planned.is_empty());
    if is_refused {
        return Err(in_plan(refusals::error(refusals, edits.len()), options));
    }
    Ok(Plans {
        planned,
        moving: expanded.moving,
        refused: by_file(&refusals),
    })
}

/// With a plan, an edit that no longer fits means that the file has changed.
fn in_plan(error: Error, options: &Options) -> Error {
    if options.plan_id.is_none() {
        return error;
    }
    Error {
        code: ErrorCode::Conflict,
        message: format!("it differs from the dry run: {}", error.message),
        hint: error.hint,
    }
}

/// Refuses effects that two files of a call cannot both have, and limits exceeded by all of them
/// together.
fn check_together(planned: &[Planned]) -> Result<(), Error> {
    let mut targets = BTreeSet::new();
    let is_new =
        |one: &&Planned| matches!(one.outcome, FileOutcome::Moved(_) | FileOutcome::Created);
    for to in planned
        .iter()
        .filter(is_new)
        .filter_map(Planned::path_after)
    {
        if !targets.insert(to.as_str()) {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!("two files have the target `{to}`; expected one each"),
                "Nothing was written. Give each file a path of its own.",
            ));
        }
    }
    let bytes: usize = planned.iter().map(Planned::bytes).sum();
    if bytes > TRANSACTION_BYTES {
        return Err(refuse(
            ErrorCode::DocumentTooLarge,
            format!("the files have {bytes} bytes; expected at most {TRANSACTION_BYTES}"),
            "Nothing was written. Make several calls, each with some of the files.",
        ));
    }
    Ok(())
}

/// Returns the refusals of each file whose edits were refused.
fn by_file(refusals: &[EditRefusal]) -> Vec<RefusedFile> {
    let mut paths: Vec<&str> = Vec::new();
    for refusal in refusals {
        if !paths.contains(&refusal.path.as_str()) {
            paths.push(&refusal.path);
        }
    }
    let of = |path: &str| {
        let own = refusals.iter().filter(|refusal| refusal.path == path);
        refusals::refuse_file(path, &own.cloned().collect::<Vec<_>>())
    };
    paths.into_iter().map(of).collect()
}

fn apply<T: WriteDirectory>(
    root: &WritableRoot<T>,
    options: &Options,
    planned: &mut [Planned],
    (moving, answer): (&[Moving], &mut ChangeAnswer),
) -> Result<(), Error> {
    let mut indexes = Vec::new();
    let mut changes = Vec::new();
    for (index, one) in planned.iter_mut().enumerate() {
        if let Some(change) = one.change() {
            indexes.push(index);
            changes.push(change);
        }
    }
    let note = options.note.as_deref();
    let emptied = moving.iter().flat_map(|moving| moving.emptied.clone());
    let emptied: Vec<RelPath> = emptied.collect();
    match options.unit {
        _ if changes.is_empty() => {}
        AtomicUnit::Call => {
            let committed = root.commit(TOOL, note, changes, emptied)?;
            answer.undo_id = committed.id.map(|id| id.to_string());
            answer.warnings.extend(warnings(&committed));
            for (entry, index) in indexes.into_iter().enumerate() {
                planned[index].shown.applied = !committed.record.is_in_conflict(entry);
            }
        }
        AtomicUnit::File => {
            for (index, change) in indexes.into_iter().zip(changes) {
                let shown = &mut planned[index].shown;
                match root.commit(TOOL, note, vec![change], emptied.clone()) {
                    Ok(committed) => {
                        shown.undo_id = committed.id.map(|id| id.to_string());
                        shown.applied = !committed.record.is_in_conflict(0);
                        answer.warnings.extend(warnings(&committed));
                    }
                    Err(error) => answer.refused.push(RefusedFile {
                        path: shown.path.clone(),
                        code: error.code,
                        message: error.message,
                        hint: error.hint,
                    }),
                }
            }
        }
    }
    answer.applied = planned.iter().any(|one| one.shown.applied);
    Ok(())
}
