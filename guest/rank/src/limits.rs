//! The limits of this crate: value, unit, and the reason for each.

/// Target tokens of a part of a long section: some paragraphs, so that the answer comes without
/// much else.
pub const PART_TOKENS: u32 = 400;

/// Minimum score of a relevant section, in thousandths of the best section's ranked score: below,
/// it shares only common words with the query.
pub const RELEVANT_THOUSANDTHS: u32 = 250;

/// Maximum bytes of a document that is ranked as a whole: a note, or a page of a screen or two.
pub const ONE_PASSAGE_BYTES: usize = 8 << 10;

/// Approximate bytes of a passage by which a longer document is ranked: some paragraphs, as many
/// words as a note has. From half of it on, a heading begins the next passage.
pub const PASSAGE_BYTES: usize = 4 << 10;

/// Maximum passages of one document, because their number is stored in a byte. Beyond a megabyte,
/// passages are longer.
pub const PASSAGES: usize = 250;

/// Minimum tokens of a passage: the line above it.
pub const PASSAGE_TOKENS: u32 = 6;

/// Tokens of the part number of a section.
pub const PART_NAME_TOKENS: u32 = 10;

/// Maximum sections compared with those on a page, for duplicates: in a document with thousands of
/// similar length, all that have nearly its score.
pub const SAME_COMPARED: usize = 200;

/// Maximum other places of a text named in an answer; the rest are counted.
pub const SAME_PLACES: usize = 5;

/// Tokens of such a place beside its path: its lines, and separators.
pub const SAME_PLACE_TOKENS: u32 = 8;

/// Tokens of the sentence around such places, including the number of further ones.
pub const SAME_FRAME_TOKENS: u32 = 10;

/// Maximum sentences of a summary.
pub const KEY_POINTS: usize = 10;

/// Maximum characters of a sentence in a summary; longer ones are not key points.
pub const KEY_POINT_CHARS: usize = 400;

/// Consecutive words of a shingle, by which texts are compared.
pub const SHINGLE_WORDS: usize = 5;

/// Maximum bytes of a text that are compared: more than an answer shows of it.
pub const SHINGLE_BYTES: usize = 16 << 10;

/// Minimum share of common shingles of duplicates, in thousandths of all of theirs.
pub const SAME_THOUSANDTHS: usize = 800;

/// Minimum score of an item that is given with its text and not only named, in thousandths of the
/// best.
pub const NEAR_THOUSANDTHS: u32 = 600;

/// The constant k of reciprocal rank fusion: the larger, the less the first ranks count. Of 2 to 60
/// it did best on the evaluation's development half, with each of the models tried.
pub const FUSION_K: f64 = 10.0;

/// Target bytes of an embedded passage, some short sections or a part of a long one: about the
/// length that common models read well. In bytes, because English and Korean take about as many per
/// token, and a question splits hundreds of documents.
pub const EMBEDDED_BYTES: u32 = 800;

/// Maximum bytes of a part of a section, if otherwise an item, a row or a code block would be
/// split.
pub const EMBEDDED_MOST_BYTES: u32 = 1200;

/// Embedded bytes of each code block: its topic is in its first lines, and code takes a third of
/// the tokens of technical texts.
pub const EMBEDDED_CODE_BYTES: usize = 160;

/// Embedded bytes of the headings above a passage.
pub const EMBEDDED_HEADING_BYTES: usize = 200;

/// Maximum dimensions of a vector; the largest common models have as many.
pub const EMBEDDING_DIMENSIONS: usize = 4096;

/// Minimum and maximum input bytes of a model: below, a text says nothing; above, no passage is
/// longer.
pub const EMBEDDING_BYTES: (usize, usize) = (64, 8 << 10);

/// Maximum characters of a model's name.
pub const EMBEDDER_NAME_CHARS: usize = 100;

/// Maximum weight of the semantic order relative to the lexical one.
pub const EMBEDDER_WEIGHT: f64 = 100.0;
