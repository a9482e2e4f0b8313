//! A writable root, with its history and state.

use docent_api::types::{Error, ErrorCode};
use docent_corpus::corpus::Corpus;
use docent_transaction::journal::{Change, CommitOutcome, Journal, Request};
use docent_tree::disk::{WriteDirectory, WriteDisk, WriteFailure};
use docent_tree::door::Consent;
use docent_tree::error::refuse;
use docent_tree::locate::ChosenRoot;
use docent_tree::path::RelPath;
use docent_tree::write::Writable;

use crate::settings::ToolSettings;
use crate::writing::refusal::refusal_error;

/// A root that may be written to.
pub struct WritableRoot<T> {
    /// Name and index of the root.
    pub chosen: ChosenRoot,
    /// Consent to write sensitive files in it.
    pub consent: Consent,
    /// The root itself.
    pub directory: Writable<T>,
    state: Option<Writable<T>>,
    now_ms: i64,
}

/// Request of the caller for sensitive files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SensitiveAccess {
    /// They are requested.
    Requested,
    /// They are not requested.
    NotRequested,
}

impl<T: WriteDirectory> WritableRoot<T> {
    /// Opens the root of a request.
    ///
    /// # Errors
    /// `read-only` before anything is touched; those of [`Corpus::choose_root`]; `write-failed` if
    /// the root or its state cannot be opened.
    pub fn open<D: WriteDisk<Directory = T>>(
        corpus: &Corpus<D>,
        settings: &ToolSettings,
        requested: Option<&str>,
        sensitive: SensitiveAccess,
    ) -> Result<Self, Error> {
        // Writing sensitive files, such as `.env`, needs two consents that come from different
        // parties: the person lists the root in the settings, and the caller asks for it in
        // this call. The caller alone must not be able to obtain it, and a configured root must
        // not expose secrets to a call that did not mention them.
        let chosen = corpus.choose_root(requested)?;
        let is_granted = settings.sensitive_roots.contains(&chosen.name);
        let consent = if sensitive == SensitiveAccess::Requested && is_granted {
            Consent::Given
        } else {
            Consent::Withheld
        };
        let directory = Writable::root(&corpus.disk, chosen.index, consent)
            .map_err(|failure| open_error(&chosen.name, failure))?;
        let state = Writable::state(&corpus.disk, chosen.index)
            .map_err(|failure| open_error(&chosen.name, failure.into()))?;
        Ok(Self {
            chosen,
            consent,
            directory,
            state,
            now_ms: corpus.disk.unix_ms(),
        })
    }

    /// Returns the journal of the root.
    pub fn journal(&self) -> Journal<'_, T> {
        Journal::new(&self.directory, self.state.as_ref())
    }

    /// Returns true if changes to it can be undone.
    pub fn keeps_history(&self) -> bool {
        self.state.is_some()
    }

    /// Returns the time in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Recovers from an interrupted write, before anything is read.
    ///
    /// # Errors
    /// `conflict` if its journal is damaged; `write-failed`.
    pub fn recover(&self) -> Result<(), Error> {
        let recovered = self.journal().recover();
        recovered
            .map(drop)
            .map_err(|error| refusal_error(&self.journal(), error))
    }

    /// Commits all of `changes`, or none; then removes those of the directories `emptied` that are
    /// empty, in order.
    ///
    /// # Errors
    /// For a request that cannot be served; then nothing was written.
    pub fn commit(
        &self,
        tool: &str,
        note: Option<&str>,
        changes: Vec<Change>,
        emptied: Vec<RelPath>,
    ) -> Result<CommitOutcome, Error> {
        let request = Request {
            changes,
            emptied,
            tool: tool.to_owned(),
            note: note.unwrap_or_default().to_owned(),
            now_ms: self.now_ms,
        };
        let committed = self.journal().commit(request);
        committed.map_err(|error| refusal_error(&self.journal(), error))
    }
}

fn open_error(name: &str, failure: WriteFailure) -> Error {
    match failure {
        WriteFailure::ReadOnly => refuse(
            ErrorCode::ReadOnly,
            format!("root `{name}` is read-only; expected a writable root"),
            "Nothing was touched. Ask the person to grant it for writing, or name a writable root.",
        ),
        failure => refuse(
            ErrorCode::WriteFailed,
            format!("root `{name}`, or its history, cannot be opened: {failure}"),
            "Ask the person whether the granted directory was moved, deleted or locked.",
        ),
    }
}
