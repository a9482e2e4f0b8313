//! Pages of an answer: the cursor of the next one, and the pages made of passages.
//!
//! *Never:* a file, a right; a cursor that the next call has to remember.

pub mod cursor;
pub mod passage_pages;
