//! The interfaces through which the evaluation asks, independent of the implementation that
//! answers.

use std::path::Path;

use serde_json::Value;

/// Calls `explore` and returns the text that an MCP client gets.
pub type Ask = Box<dyn FnMut(&Value) -> String>;

/// Opens a directory, and returns the function that answers about its files.
pub type Open<'a> = &'a dyn Fn(&Path) -> Ask;

/// Asks `smart-search` and returns the paths of up to the given number of documents, best first.
pub type Search = Box<dyn FnMut(&str, usize) -> Vec<String>>;

/// Opens a directory, and returns both functions for its files.
pub type OpenBoth<'a> = &'a dyn Fn(&Path) -> (Search, Ask);
