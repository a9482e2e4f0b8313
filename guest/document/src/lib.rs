//! A single document: its format, headings, sections and metadata. *Never:* directories, other
//! documents or tools.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod about;
pub mod addresses;
pub mod dates;
pub mod definitions;
pub mod format;
pub mod front_matter;
pub mod headings;
mod inline_tags;
pub mod limits;
pub mod mdx;
pub mod metadata;
pub mod notebook;
pub mod parts;
pub mod picture;
mod section;
pub mod sections;
pub mod toc;
