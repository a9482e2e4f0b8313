//! Occurrences of words and names in texts: the words of a query that a text contains, names as
//! whole words, similar words for a query without results, and similar names.
//!
//! *Never:* a ranking, a vector, a page.

pub mod identifier_matches;
pub mod mentions;
pub mod near_words;
pub mod similarity;
pub mod word_hits;
