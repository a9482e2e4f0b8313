//! The direction of a change.

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupAction {
    Add,
    Remove,
}
