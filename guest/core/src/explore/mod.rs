//! Finding and reading in one call: a subject becomes two lists of candidates, a candidate an item
//! with a text, and a page of items is cut to a budget of characters.

pub mod candidate;
pub mod code;
pub mod cursor;
pub mod deadline;
pub mod directory;
pub mod document;
pub mod expand;
pub mod kinds;
pub mod known;
pub mod pack;
pub mod page;
pub mod render;
pub mod request;
pub mod scope;
pub mod search;
pub mod text;
pub mod tour;
