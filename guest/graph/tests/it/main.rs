//! Tests of the crate's promises from outside.
//!
//! - `links`: the links of a document, and the laws of moves; `moves`: moves syntax by syntax;
//! - `resolutions`: resolution of links by sites, labels and anchors;
//! - `imports`: resolution of imports, language by language, and the laws of every tree;
//! - `floods`: the facts about a text stay in proportion to it.

mod dialects;
mod floods;
mod imports;
mod links;
mod moves;
mod readings;
mod resolutions;
