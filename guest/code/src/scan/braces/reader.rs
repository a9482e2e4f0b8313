//! The reader's state, and the scope of a statement.

use crate::code::Code;
use crate::declarations::Declarations;
use crate::symbol::SymbolKind;

/// A type whose members are being read.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) kind: SymbolKind,
    pub(super) name: String,
}

/// The scope of a statement.
#[derive(Clone, Debug)]
pub(super) struct StatementScope {
    /// Enclosing type; `None` at the top level and in namespaces.
    pub(super) owner: Option<Owner>,
    /// True if members are private by default.
    pub(super) is_private: bool,
    /// Number of enclosing types.
    pub(super) depth: usize,
}

impl StatementScope {
    pub(super) fn is_type(&self) -> bool {
        self.owner.is_some()
    }

    pub(super) fn is_interface(&self) -> bool {
        let owner = self.owner.as_ref();
        owner.is_some_and(|owner| owner.kind == SymbolKind::Interface)
    }
}

/// The reader's state in a text.
pub(super) struct BraceReader<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) declarations: Declarations,
    /// Number of symbols at all levels.
    pub(super) symbol_count: usize,
}
