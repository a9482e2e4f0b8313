//! The plans shown most recently, so that a caller that wants to apply one need not send its edits
//! again.
//!
//! They are lost with the instance: an unknown plan is refused, never guessed.

use std::collections::VecDeque;

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ChangeOptions, Edit};
use docent_tree::error::refuse;

use crate::limits::{PLAN_BYTES, PLANS};

/// A call whose dry run was shown.
#[derive(Clone, Debug)]
struct KnownPlan {
    id: String,
    edits: Vec<Edit>,
    options: ChangeOptions,
}

/// The plans shown most recently, newest first.
#[derive(Debug, Default)]
pub struct PlanMemory {
    kept: VecDeque<KnownPlan>,
}

impl PlanMemory {
    /// Stores a call under the id of its plan, unless it is large.
    pub fn keep(&mut self, id: &str, edits: Vec<Edit>, options: ChangeOptions) {
        self.kept.retain(|plan| plan.id != id);
        // A plan is stored in memory, up to `PLANS` of them, and edits can contain whole files.
        // A larger plan is not stored. The caller sends its edits again with the id, which is
        // always valid; storing only saves the transfer.
        if serde_json::to_string(&edits).is_ok_and(|text| text.len() <= PLAN_BYTES) {
            self.kept.push_front(KnownPlan {
                id: id.to_owned(),
                edits,
                options,
            });
            self.kept.truncate(PLANS);
        }
    }

    /// Completes a call that names a plan and sends no edits: with its edits, root and path,
    /// expected content hashes and unit. Consent has to be given again each time.
    ///
    /// # Errors
    /// `conflict` for a plan that is not stored.
    pub fn complete(
        &self,
        edits: &mut Vec<Edit>,
        options: &mut ChangeOptions,
    ) -> Result<(), Error> {
        let Some(id) = options.plan_id.as_deref().filter(|_| edits.is_empty()) else {
            return Ok(());
        };
        let plan = self.kept.iter().find(|plan| plan.id == id).ok_or_else(|| {
            refuse(
                ErrorCode::Conflict,
                format!("the plan `{id}` is no longer kept; expected its edits with `planId`"),
                "Nothing was written. Send the edits of that dry run with `dryRun` false and the \
                 `planId`.",
            )
        })?;
        // The edits and every option that has an effect on the plan are restored, so that the
        // plan gets the same id. Consent to sensitive files is not: it is given for one call,
        // and a caller that received the id elsewhere must not inherit it. If consent is
        // missing, planning fails as it would have without a dry run.
        edits.clone_from(&plan.edits);
        let shown = plan.options.clone();
        options.root = options.root.take().or(shown.root);
        options.path = options.path.take().or(shown.path);
        options.expect = options.expect.take().or(shown.expect);
        options.transaction = options.transaction.or(shown.transaction);
        options.note = options.note.take().or(shown.note);
        Ok(())
    }
}
