//! How what is measured is asked, without what answers.

use std::path::Path;

use serde_json::Value;

/// Calls `explore` and returns the text that a client of MCP is sent.
pub type Ask = Box<dyn FnMut(&Value) -> String>;

/// Returns what answers about the files below a directory.
pub type Open<'a> = &'a dyn Fn(&Path) -> Ask;

/// Asks `smart-search` and returns the paths of so many documents, best first.
pub type Search = Box<dyn FnMut(&str, usize) -> Vec<String>>;

/// Returns what answers with either about the files below a directory.
pub type OpenBoth<'a> = &'a dyn Fn(&Path) -> (Search, Ask);
