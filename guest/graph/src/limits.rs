//! The limits of this crate: value, unit, and the reason for each.

/// Links of one document that are known: the largest list of links on the web has half as many.
pub const LINKS: usize = 100_000;
