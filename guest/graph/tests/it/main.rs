//! What the crate promises, tried from outside.
//!
//! - `links`: which links a document has, and the laws of their moves; `moves`: moves form by form;
//! - `leads`: where links lead by sites, labels and places;
//! - `imports`: where imports lead, language by language, and what holds of every tree;
//! - `floods`: that what is known of a text stays in proportion to it.

mod dialects;
mod floods;
mod imports;
mod leads;
mod links;
mod moves;
mod readings;
