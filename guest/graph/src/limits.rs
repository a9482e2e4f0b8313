//! The limits of this crate: value, unit, and the reason for each.

/// Links of one document that are known: the largest list of links on the web has half as many.
pub const LINKS: usize = 100_000;

/// Passes over a graph after which its ranks are taken as they are. Each pass makes what is wrong
/// with them smaller by 0.85, and so 130 passes come to a thousandth of a millionth.
pub const PAGE_RANK_PASSES: u32 = 200;

/// How much all ranks together may still change in a pass that ends them.
pub const PAGE_RANK_PRECISION: f64 = 1e-9;
