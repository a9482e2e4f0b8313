//! What the crate promises, tried from outside.
//!
//! - `links`: which links a document has, and the laws of their moves; `moves`: moves form by form;
//! - `leads`: where links lead by sites, labels and places;
//! - `imports`: where imports lead, language by language, and what holds of every tree;
//! - `linear`: that no text and no tree takes more time than its size is worth.

mod imports;
mod leads;
mod linear;
mod links;
mod moves;
