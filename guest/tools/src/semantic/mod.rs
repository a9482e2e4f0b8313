//! Ranking by vectors beside the ranking by words: the embedded passages of documents, the order
//! fused from both, and the share of passages that have vectors.
//!
//! *Never:* a vector kept between calls, which the embedder does; a tool.

pub mod hybrid_ranking;
pub mod passage_counts;
pub mod ranker;
pub mod read_text;
