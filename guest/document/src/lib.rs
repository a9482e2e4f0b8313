//! One document: what it is by its name, its headings and sections, and what it says about itself.
//! It must never know a directory, another document or a tool.
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
pub mod parts;
pub mod sections;
pub mod toc;
