//! What docent knows about documents: request → validate → plan → walk → match → rank → page →
//! respond. No I/O of its own: files come through [`disk`].
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod disk;
