//! The commands, one in each file or folder.

pub mod call;
pub mod doctor;
pub mod edit;
pub mod embed;
pub mod explore;
pub mod find;
pub mod grep;
pub mod help;
pub mod history;
pub mod log;
pub mod query;
pub mod search;
pub mod setup;
pub mod summary;
pub mod tags;
pub mod token;
pub mod understand;
pub mod undo;
