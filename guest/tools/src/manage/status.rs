//! Status of each root.

use docent_api::documents::RootRight;
use docent_api::types::Error;
use docent_api::writing::RootStatus;
use docent_corpus::corpus::Corpus;
use docent_text::saturating::saturating_u32;
use docent_transaction::error::Error as Refusal;
use docent_tree::disk::{WriteDirectory, WriteDisk};
use docent_tree::locate::default_root;

use crate::limits::CONFLICTS_SHOWN;
use crate::semantic::ranker::SemanticRanker;
use crate::settings::ToolSettings;
use crate::writing::recorded::operation;
use crate::writing::root::{SensitiveAccess, WritableRoot};

/// Returns the status of the root of this name, or of all; with the state of each in the embedder
/// from `ranker`.
///
/// # Errors
/// `not-granted` for an unknown name.
pub fn roots<D: WriteDisk>(
    corpus: &Corpus<D>,
    settings: &ToolSettings,
    requested: Option<&str>,
    ranker: Option<&SemanticRanker>,
) -> Result<Vec<RootStatus>, Error> {
    let granted = corpus.disk.roots();
    let default = default_root(&granted, settings.default_root.as_deref());
    let only = match requested {
        Some(_) => Some(corpus.choose_root(requested)?.index),
        None => {
            // If no root is granted at all, `status` is refused like every other tool instead
            // of returning an empty list, which could be taken for a healthy state.
            corpus.choose_root(None)?;
            None
        }
    };
    let mut roots = Vec::new();
    for (index, root) in granted.iter().enumerate() {
        if only.is_some_and(|only| only != index) {
            continue;
        }
        let mut status = RootStatus {
            name: root.name.clone(),
            right: if root.writable {
                RootRight::ReadWrite
            } else {
                RootRight::ReadOnly
            },
            is_default: index == default,
            keeps_history: false,
            operations: 0,
            kept_bytes: 0,
            journal_is_damaged: false,
            conflicts: Vec::new(),
            vectors: None,
        };
        status.vectors = ranker.map(|ranker| saturating_u32(ranker.count_known(&root.name)));
        let name = Some(root.name.as_str());
        if root.writable
            && let Ok(root) =
                WritableRoot::open(corpus, settings, name, SensitiveAccess::NotRequested)
        {
            fill(&root, &mut status);
        }
        roots.push(status);
    }
    Ok(roots)
}

/// Fills in the status of a root's journal. Unreadable parts are reported as empty.
fn fill<T: WriteDirectory>(root: &WritableRoot<T>, status: &mut RootStatus) {
    let journal = root.journal();
    status.journal_is_damaged = matches!(journal.recover(), Err(Refusal::DamagedJournal));
    status.keeps_history = root.keeps_history();
    let unresolved = journal.unresolved_operations().unwrap_or_default();
    let shown = unresolved.iter().take(CONFLICTS_SHOWN);
    status.conflicts = shown.map(|record| operation(record, false)).collect();
    if root.keeps_history() {
        let history = journal.history(None, usize::MAX).unwrap_or_default();
        status.operations = saturating_u32(history.operations.len());
        status.kept_bytes = journal.kept_bytes().unwrap_or_default();
    }
}
