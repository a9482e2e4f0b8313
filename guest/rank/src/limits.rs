//! The limits of this crate: value, unit, and the reason for each.

/// Tokens that a part of a long section has, where it can be cut so: some paragraphs, so that what
/// answers comes without much that does not.
pub const PART_TOKENS: u32 = 400;

/// Thousandths of the best section's ranked score below which another one counts as not relevant:
/// it shares no more than common words with the query.
pub const RELEVANT_THOUSANDTHS: u32 = 250;

/// Tokens that it takes for one section beside headings and content: lines, part, score and fences.
pub const SECTION_FRAME_TOKENS: u32 = 34;

/// Sentences that a summary quotes.
pub const KEY_POINTS: usize = 10;

/// Characters of a sentence that a summary quotes; longer ones are no sentences to mark.
pub const KEY_POINT_CHARS: usize = 400;
