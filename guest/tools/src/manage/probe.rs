//! A probe file that is written, read, and removed again, to test whether writing works.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::TestStep;
use docent_corpus::corpus::Corpus;
use docent_text::content_hash::{ContentHash, HashedContent};
use docent_transaction::journal::{Change, FileOperation};
use docent_transaction::record::LineCounts;
use docent_transaction::undo::Target;
use docent_tree::disk::{WriteDirectory, WriteDisk};
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::limits::PROBES;
use crate::writing::path_state::PathState;
use crate::writing::refusal::refusal_error;
use crate::writing::root::WritableRoot;

/// The name of the tool in the history.
pub const TOOL: &str = "manage";

/// Content of the probe.
const CONTENT: &[u8] = b"docent tries out whether it can write here.\n";

/// Returns the result of each step; after a failed one only cleanup is run.
///
/// # Errors
/// `write-failed` if no name for a probe is available.
pub fn run<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
) -> Result<Vec<TestStep>, Error> {
    let path = free_path(corpus, root)?;
    let mut steps = Vec::new();
    let new = FileOperation::New {
        path: path.clone(),
        content: HashedContent::new(CONTENT.to_vec()),
    };
    let written = root.commit(TOOL, Some("test"), vec![one_line(new, (1, 0))], Vec::new());
    let id = written.as_ref().ok().and_then(|committed| committed.id);
    let is_written = note(&mut steps, "write", written.map(drop));
    if !is_written {
        return Ok(steps);
    }
    let read = match root.journal().current_content(&path) {
        Some(content) if content == CONTENT => Ok(()),
        _ => Err(probe_error("the probe does not read as it was written")),
    };
    note(&mut steps, "read", read);
    let is_undone = id.is_some_and(|id| note(&mut steps, "undo", undo(root, id)));
    // The probe is removed even if undoing failed, or if there is no history to undo. Only a
    // file with exactly the probe's content is deleted: if another program wrote to this name
    // meanwhile, its file stays.
    if !is_undone {
        let delete = FileOperation::Delete {
            path: path.clone(),
            expected: ContentHash::new(CONTENT).into(),
        };
        let removed = root.commit(
            TOOL,
            Some("test"),
            vec![one_line(delete, (0, 1))],
            Vec::new(),
        );
        note(&mut steps, "remove", removed.map(drop));
    }
    let gone = match PathState::resolve(corpus, root.chosen.index, &path)? {
        PathState::Free(_) => Ok(()),
        PathState::Taken(_) => Err(probe_error("the probe is still there")),
    };
    note(&mut steps, "gone", gone);
    Ok(steps)
}

/// Returns a path in the root that does not exist.
fn free_path<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
) -> Result<RelPath, Error> {
    for number in 1..=PROBES {
        let path = RelPath::parse(&format!("docent-probe-{number}.txt"))?;
        if let Ok(PathState::Free(path)) = PathState::resolve(corpus, root.chosen.index, &path) {
            return Ok(path);
        }
    }
    Err(probe_error(
        "files called `docent-probe-1.txt` and so on are in the way",
    ))
}

fn one_line(operation: FileOperation, (added, removed): (u32, u32)) -> Change {
    let lines = LineCounts { added, removed };
    Change { operation, lines }
}

fn undo<T: WriteDirectory>(root: &WritableRoot<T>, id: u64) -> Result<(), Error> {
    let journal = root.journal();
    let undone = journal.undo(Target::Id(id), TOOL, root.now_ms());
    undone
        .map(drop)
        .map_err(|error| refusal_error(&journal, error))
}

fn probe_error(message: &str) -> Error {
    refuse(ErrorCode::WriteFailed, message, "Tell the person.")
}

/// Records the result of a step, and returns true if it succeeded.
fn note(steps: &mut Vec<TestStep>, name: &str, outcome: Result<(), Error>) -> bool {
    let detail = outcome.err().map(|error| error.message);
    let passed = detail.is_none();
    steps.push(TestStep {
        name: name.to_owned(),
        passed,
        detail,
    });
    passed
}
