//! `manage`: undo and maintenance of the effects of the tools that write.

mod conflict;
mod difference;
mod newest;
mod probe;
mod status;
mod vectors;

use docent_api::sections::SmartMode;
use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ManageAnswer, ManageCommand, ManageOptions, Operation};
use docent_corpus::corpus::Corpus;
use docent_transaction::error::Error as Refusal;
use docent_transaction::journal::Journal;
use docent_transaction::undo::{Direction, Target};
use docent_tree::disk::{WriteDirectory, WriteDisk};
use docent_tree::error::{check_range, refuse};
use docent_tree::path::RelPath;

use crate::limits::{HISTORY_LIMIT, HISTORY_LIMIT_DEFAULT, STATUS_EMBEDDER_MS};
use crate::manage::probe::TOOL;
use crate::paging::cursor::{self, Fingerprint};
use crate::semantic::ranker::SemanticRanker;
use crate::settings::ToolSettings;
use crate::writing::file::parse;
use crate::writing::recorded::operation;
use crate::writing::refusal::refusal_error;
use crate::writing::root::{SensitiveAccess, WritableRoot};
use crate::writing::shown::warnings;

/// Maximum number of damaged records listed in an answer.
const DAMAGED_TOLD: usize = 20;

/// Answer of `reindex` and `rebuild`.
const NO_INDEX: &str = "No index is kept on disk, so there is nothing to update: caches are compared with \
                        the files at each call.";

/// Options with the default for everything.
pub const NO_OPTIONS: ManageOptions = ManageOptions {
    target: None,
    limit: None,
    cursor: None,
    root: None,
};

/// Manages what was written; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; then nothing was written.
pub fn manage<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    command: ManageCommand,
    options: ManageOptions,
) -> Result<ManageAnswer, Error> {
    check(command, &options)?;
    let mut answer = ManageAnswer {
        root: None,
        command,
        version: None,
        roots: Vec::new(),
        operations: Vec::new(),
        next_cursor: None,
        steps: Vec::new(),
        model: None,
        vectors: None,
        message: None,
    };
    let requested = options.root.as_deref();
    match command {
        ManageCommand::Status => {
            answer.version = Some(env!("CARGO_PKG_VERSION").to_owned());
            let end = corpus.disk.monotonic_ms() + u64::from(STATUS_EMBEDDER_MS);
            let ranker = SemanticRanker::for_call(corpus, SmartMode::Semantic, end).ok();
            answer.roots = status::roots(corpus, settings, requested, ranker.as_ref())?;
            answer.model = ranker.map(|ranker| ranker.name().to_owned());
            return Ok(answer);
        }
        ManageCommand::Reindex | ManageCommand::Rebuild => {
            answer.root = corpus.choose_root(requested)?.shown;
            vectors::make(corpus, settings, &options, &mut answer)?;
            if answer.vectors.is_none() {
                answer.message = Some(NO_INDEX.to_owned());
            }
            return Ok(answer);
        }
        _ => {}
    }
    let root = WritableRoot::open(corpus, settings, requested, SensitiveAccess::NotRequested)?;
    root.recover()?;
    answer.root = root.chosen.shown.clone();
    match command {
        ManageCommand::Undo | ManageCommand::Redo => {
            take_back(&root, command, options.target.as_deref(), &mut answer)?;
        }
        ManageCommand::Test => answer.steps = probe::run(corpus, &root)?,
        _ => history(&root, &options, &mut answer)?,
    }
    Ok(answer)
}

/// Refuses arguments that belong to another command.
fn check(command: ManageCommand, options: &ManageOptions) -> Result<(), Error> {
    let is_history = command == ManageCommand::History;
    let is_index = matches!(command, ManageCommand::Reindex | ManageCommand::Rebuild);
    let is_undo = matches!(command, ManageCommand::Undo | ManageCommand::Redo);
    let (has_pages, takes_target) = (is_history || is_index, is_history || is_index || is_undo);
    let clash = [
        ("target", options.target.is_some() && !takes_target),
        ("limit", options.limit.is_some() && !is_history),
        ("cursor", options.cursor.is_some() && !has_pages),
    ];
    match clash.into_iter().find(|(_, clashes)| *clashes) {
        None => Ok(()),
        Some((name, _)) => Err(refuse(
            ErrorCode::InvalidRequest,
            format!("`{name}` is not used by this command; expected none"),
            "`target` goes with `undo`, `redo`, `history` and `reindex`, `cursor` with the last two, \
             `limit` with `history`.",
        )),
    }
}

fn take_back<T: WriteDirectory>(
    root: &WritableRoot<T>,
    command: ManageCommand,
    target: Option<&str>,
    answer: &mut ManageAnswer,
) -> Result<(), Error> {
    let path;
    let target = match target.map(|target| (number(target), target)) {
        None => Target::Latest,
        Some((Some(id), _)) => Target::Id(id),
        Some((None, text)) => {
            path = parse(text)?;
            Target::Path(&path)
        }
    };
    let journal = root.journal();
    let (done, direction) = if command == ManageCommand::Undo {
        (journal.undo(target, TOOL, root.now_ms()), Direction::Undo)
    } else {
        (journal.redo(target, TOOL, root.now_ms()), Direction::Redo)
    };
    let committed =
        done.map_err(|refusal| conflict::conflict_error(&journal, target, direction, refusal))?;
    answer.operations = vec![operation(&committed.record, false)];
    let warnings = warnings(&committed);
    answer.message = (!warnings.is_empty()).then(|| warnings.join("; "));
    Ok(())
}

/// Returns the number of a target, or `None` if it is a path.
fn number(target: &str) -> Option<u64> {
    let is_number = target.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| target.parse().ok()).flatten()
}

fn history<T: WriteDirectory>(
    root: &WritableRoot<T>,
    options: &ManageOptions,
    answer: &mut ManageAnswer,
) -> Result<(), Error> {
    let limit =
        check_range("limit", options.limit, HISTORY_LIMIT)?.unwrap_or(HISTORY_LIMIT_DEFAULT);
    let target = options.target.as_deref();
    if let Some(id) = target.and_then(number) {
        answer.operations = vec![one(root, id)?];
        return Ok(());
    }
    let path = target.map(parse).transpose()?;
    let fingerprint = Fingerprint::new("manage-history")
        .with(&root.chosen.name)
        .with_optional(path.as_ref().map(RelPath::as_str));
    let mut before = None;
    if let Some(cursor) = &options.cursor {
        let place = cursor::decode(fingerprint, cursor)?;
        before = Some(number(&place).ok_or_else(cursor::invalid_cursor)?);
    }
    if !root.keeps_history() {
        answer.message = Some("This host keeps no history: nothing can be undone.".to_owned());
        return Ok(());
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let Listed {
        operations,
        next,
        damaged,
    } = page(&root.journal(), before, limit, path.as_ref())?;
    answer.operations = operations;
    answer.message = damage_note(&damaged);
    answer.next_cursor = next.map(|next| cursor::encode(fingerprint, &next.to_string()));
    Ok(())
}

/// Returns the operation with a number, with the differences it made to the texts of its files.
///
/// # Errors
/// `change-not-found` if there is no such operation, or no history.
fn one<T: WriteDirectory>(root: &WritableRoot<T>, id: u64) -> Result<Operation, Error> {
    let journal = root.journal();
    let page = journal.history(id.checked_add(1), 1);
    let page = page.map_err(|error| refusal_error(&journal, error))?;
    if page.damaged.contains(&id) {
        return Err(refusal_error(&journal, Refusal::DamagedRecord(id)));
    }
    let mut found = page.operations.into_iter();
    let one = found.find(|one| one.record.id == id);
    let one = one.ok_or_else(|| refusal_error(&journal, Refusal::UnknownOperation(id)))?;
    let mut shown = operation(&one.record, one.is_undone);
    difference::add(root, &one.record, &mut shown);
    Ok(shown)
}

/// Returns a note about changes whose records cannot be read.
fn damage_note(numbers: &[u64]) -> Option<String> {
    let told: Vec<String> = numbers
        .iter()
        .take(DAMAGED_TOLD)
        .map(u64::to_string)
        .collect();
    let more = match numbers.len() - told.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (what, whose) = match numbers {
        [] => return None,
        [_] => ("The record of change", "was"),
        _ => ("The records of changes", "were"),
    };
    Some(format!(
        "{what} {}{more} cannot be read: {whose} effect is not known.",
        told.join(", ")
    ))
}

/// A page of the history.
struct Listed {
    operations: Vec<Operation>,
    /// Number before which the next page begins, or `None` if there is none.
    next: Option<u64>,
    /// Numbers of the records that cannot be read.
    damaged: Vec<u64>,
}

/// Returns up to `limit` operations before number `before`, of the file at `path` if one is given.
fn page<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    before: Option<u64>,
    limit: usize,
    path: Option<&RelPath>,
) -> Result<Listed, Error> {
    // For a single file all records are read, since only a record names its files: there is no
    // index by path. The history is limited to a thousand changes, so this is bounded.
    let most = if path.is_some() { usize::MAX } else { limit };
    let page = journal
        .history(before, most)
        .map_err(|error| refusal_error(journal, error))?;
    let is_about = |operation: &docent_transaction::history::HistoryEntry| {
        let is_it = |own: &RelPath| path.is_some_and(|path| path.as_str() == own.as_str());
        let mut entries = operation.record.entries.iter();
        path.is_none()
            || entries.any(|entry| {
                is_it(entry.action.path()) || entry.action.destination().is_some_and(is_it)
            })
    };
    let mut about: Vec<_> = page.operations.into_iter().filter(is_about).collect();
    let mut next = page.next;
    if about.len() > limit {
        about.truncate(limit);
        next = about.last().map(|last| last.record.id);
    }
    let shown = about
        .iter()
        .map(|one| operation(&one.record, one.is_undone))
        .collect();
    Ok(Listed {
        operations: shown,
        next,
        damaged: page.damaged,
    })
}
