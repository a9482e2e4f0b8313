//! Identification of a plan that is not stored: a digest of the edits, and one of their effect on
//! the files.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::Edit;
use docent_text::content_hash::ContentHash;
use docent_tree::error::refuse;

use crate::change::planned::Planned;
use crate::change::request::{AtomicUnit, Options};

/// The two digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanId {
    edits: String,
    files: String,
}

impl PlanId {
    /// Returns the digests of a request to the root of this name, and of its effect.
    pub fn new(edits: &[Edit], options: &Options, root: &str, planned: &[Planned]) -> Self {
        let mut request = serde_json::to_string(edits).unwrap_or_default();
        // A zero byte separates the parts, which no path contains and JSON escapes. Without it
        // the path `ab` with the root `c` would have the same digest as `a` with `bc`.
        for part in [options.path.as_deref().unwrap_or_default(), root] {
            request.push('\0');
            request.push_str(part);
        }
        request.push_str(match options.unit {
            AtomicUnit::Call => "\0call",
            AtomicUnit::File => "\0file",
        });
        let mut files = String::new();
        for one in planned {
            let to = one.to().map_or("", |to| to.as_str());
            let hash = |hash: Option<ContentHash>| hash.map_or(String::new(), |h| h.to_string());
            let (old, new) = one.hashes();
            let (old, new) = (hash(old), hash(new));
            files.push_str(&format!("{}\0{to}\0{old}\0{new}\0", one.existing.path));
        }
        Self {
            edits: ContentHash::new(request.as_bytes()).short(),
            files: ContentHash::new(files.as_bytes()).short(),
        }
    }

    /// Returns the id in the form used by answers and requests.
    pub fn text(&self) -> String {
        format!("{}-{}", self.edits, self.files)
    }

    /// Refuses a plan that differs from the one shown before.
    ///
    /// # Errors
    /// `conflict`, with the information whether the edits or the files differ.
    pub fn expect(&self, sent: Option<&str>) -> Result<(), Error> {
        let Some(sent) = sent else { return Ok(()) };
        if sent == self.text() {
            return Ok(());
        }
        let is_ours = sent.strip_prefix(&self.edits).is_some();
        let what = if is_ours {
            "a file has changed since the dry run"
        } else {
            "these are not the edits of that dry run"
        };
        Err(refuse(
            ErrorCode::Conflict,
            // The message names the id that was sent, and never the valid one. The id is the
            // proof that its dry run was shown. A caller that reads it in an error could write
            // a plan that nobody has seen, in its next call.
            format!("`planId` is `{sent}`; expected that of the last dry run: {what}"),
            "Nothing was written. Send the edits without `dryRun` and `planId`, look at the \
             difference, and send them again with the id that comes with it.",
        ))
    }
}
