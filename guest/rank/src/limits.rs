//! The limits of this crate: value, unit, and the reason for each.

/// Tokens that a part of a long section has, where it can be cut so: some paragraphs, so that what
/// answers comes without much that does not.
pub const PART_TOKENS: u32 = 400;

/// Thousandths of the best section's ranked score below which another one counts as not relevant:
/// it shares no more than common words with the query.
pub const RELEVANT_THOUSANDTHS: u32 = 250;

/// Bytes of a document that is ranked as a whole: a note, or a page of a screen or two.
pub const ONE_PASSAGE_BYTES: usize = 8 << 10;

/// Bytes of a passage by which a longer document is ranked, about: some paragraphs, as many words
/// as a note has. A heading begins the next one from half of it on.
pub const PASSAGE_BYTES: usize = 4 << 10;

/// Passages of one document, for their numbers are kept in a byte each. Beyond a megabyte they are
/// longer.
pub const PASSAGES: usize = 250;

/// Tokens that a passage takes at least: the line above it.
pub const PASSAGE_TOKENS: u32 = 6;

/// Tokens that say which part of a section it is.
pub const PART_NAME_TOKENS: u32 = 10;

/// Sections whose words are compared with those that a page gives: of a document with thousands of
/// like length, all that come near it in score.
pub const SAME_COMPARED: usize = 200;

/// Other places of a text that an answer names; the rest are counted.
pub const SAME_PLACES: usize = 5;

/// Tokens of such a place beside its path: its lines, and the signs between them.
pub const SAME_PLACE_TOKENS: u32 = 8;

/// Tokens of the sentence round such places, and of how many more there are.
pub const SAME_FRAME_TOKENS: u32 = 10;

/// Sentences that a summary quotes.
pub const KEY_POINTS: usize = 10;

/// Characters of a sentence that a summary quotes; longer ones are no sentences to mark.
pub const KEY_POINT_CHARS: usize = 400;

/// Words in a row by which texts are compared.
pub const SHINGLE_WORDS: usize = 5;

/// Bytes of a text that are compared with others: more than an answer shows of it.
pub const SHINGLE_BYTES: usize = 16 << 10;

/// Thousandths of all rows of words that two texts share which say the same.
pub const SAME_THOUSANDTHS: usize = 800;

/// Thousandths of the best score that an item needs to come with its text and not by name alone.
pub const NEAR_THOUSANDTHS: u32 = 600;

/// The constant of the fusion of two orders: the larger, the less the first places count. Of 2 to 60
/// it did best on the evaluation's development half, with each of the models tried.
pub const FUSION_K: f64 = 10.0;

/// Bytes of a passage that is embedded, be it some short sections or a part of a long one: about what
/// common models read well at once. In bytes, for of these English and Korean take about as many a
/// token, and a question cuts hundreds of documents.
pub const EMBEDDED_BYTES: u32 = 800;

/// Bytes of a part of a section where otherwise an item, a row or a block of code would be cut.
pub const EMBEDDED_MOST_BYTES: u32 = 1200;

/// Bytes of each block of code that are embedded: what it is about stands in its first lines, and
/// code takes a third of the tokens of technical texts.
pub const EMBEDDED_CODE_BYTES: usize = 160;

/// Bytes of the headings above a passage that are embedded with it.
pub const EMBEDDED_HEADING_BYTES: usize = 200;

/// Numbers of a vector at most; the largest common models have as many.
pub const EMBEDDING_DIMENSIONS: usize = 4096;

/// Least and most bytes that a model may read of a text: below, nothing is told; above, no passage
/// is longer.
pub const EMBEDDING_BYTES: (usize, usize) = (64, 8 << 10);

/// Characters of a model's name that answers show.
pub const EMBEDDER_NAME_CHARS: usize = 100;

/// What a model's order may weigh at most beside that by words.
pub const EMBEDDER_WEIGHT: f64 = 100.0;
