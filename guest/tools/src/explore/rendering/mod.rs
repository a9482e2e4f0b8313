//! The rendering: candidates become items with their texts, and a page of items becomes the answer
//! within its room.
//!
//! *Never:* a choice of files or their order, which are the selection's.

pub mod answer;
pub mod best;
pub mod code;
pub mod context;
pub mod data;
pub mod data_overview;
pub mod directory;
pub mod document;
pub mod further;
pub mod item;
pub mod literal;
pub mod page;
pub mod part;
pub mod picture;
mod preview;
pub mod render;
pub mod room;
pub mod short_file;
pub mod source;
pub mod text;
pub mod too_large;
