//! The tree of a `use`.

use crate::code::Code;
use crate::limits::IMPORT_PATH_NAMES;
use crate::position::TokenIndex;

/// A leaf of a `use` tree.
pub(super) struct Leaf {
    /// Token of its last name.
    pub(super) at: TokenIndex,
    /// Names from the root of the tree; the first is empty if it begins with `::`.
    pub(super) path: Vec<String>,
    /// Name that it binds.
    pub(super) alias: Option<String>,
    /// True for a glob import.
    pub(super) is_glob: bool,
}

/// Returns the name at a token, and the token after it: the name of `r#type` is `type`.
pub(super) fn name_at<'a>(code: &Code<'a>, first: TokenIndex) -> (&'a str, TokenIndex) {
    let is_raw = code.word(first) == "r" && code.is(first + 1, b'#') && code.touches_next(first);
    let name = first + if is_raw { 2 } else { 0 };
    let word = code.word(name);
    if !code.is_name(name) {
        return ("", first);
    }
    (word.strip_prefix("r#").unwrap_or(word), name + 1)
}

/// Emits each leaf of the tree that begins at `first`; returns the token after the tree. Invalid
/// syntax ends the tree.
pub(super) fn use_tree(
    code: &Code<'_>,
    first: TokenIndex,
    take: &mut dyn FnMut(Leaf),
) -> TokenIndex {
    let mut reader = UseTreeReader {
        code,
        outer: Vec::new(),
        path: Vec::new(),
        last: None,
        alias: None,
        is_glob: false,
    };
    let mut here = first;
    while here < code.end_token() && !code.is(here, b';') {
        let Some(next) = reader.step(here, take) else {
            return here;
        };
        here = next;
    }
    reader.end_leaf(take);
    here
}

struct UseTreeReader<'a> {
    code: &'a Code<'a>,
    /// Number of names before each open brace.
    outer: Vec<usize>,
    path: Vec<String>,
    /// Token of the last name; `None` after an emitted leaf.
    last: Option<TokenIndex>,
    alias: Option<String>,
    is_glob: bool,
}

impl UseTreeReader<'_> {
    /// Reads one token or a few; returns `None` on invalid syntax.
    fn step(&mut self, here: TokenIndex, take: &mut dyn FnMut(Leaf)) -> Option<TokenIndex> {
        // Each leaf is a copy of its whole path. Names and braces are limited, so that
        // `use a::{a::{a::{…` takes memory in proportion to its length: beyond the limit the
        // tree ends as if it were invalid.
        let code = self.code;
        let before = self.outer.last().copied().unwrap_or(0);
        match code.word(here) {
            ":" if code.is(here + 1, b':') => {
                if self.path.is_empty() {
                    self.path.push(String::new());
                }
                Some(here + 2)
            }
            "{" if self.outer.len() < IMPORT_PATH_NAMES => {
                self.outer.push(self.path.len());
                self.last = None;
                Some(here + 1)
            }
            "}" => {
                self.end_leaf(take);
                self.outer.pop()?;
                Some(here + 1)
            }
            "," => {
                self.end_leaf(take);
                self.path.truncate(before);
                Some(here + 1)
            }
            "*" => {
                self.is_glob = true;
                self.last = Some(here);
                Some(here + 1)
            }
            "as" => {
                let (name, after) = name_at(code, here + 1);
                self.alias = Some(name.to_owned());
                Some(after.max(here + 1))
            }
            _ => {
                let (name, after) = name_at(code, here);
                if name.is_empty() || self.path.len() >= IMPORT_PATH_NAMES {
                    return None;
                }
                // `a::{self, b}`
                if name != "self" || self.path.is_empty() {
                    self.path.push(name.to_owned());
                }
                self.last = Some(here);
                Some(after)
            }
        }
    }

    fn end_leaf(&mut self, take: &mut dyn FnMut(Leaf)) {
        let alias = self.alias.take();
        let is_glob = std::mem::take(&mut self.is_glob);
        if let Some(at) = self.last.take() {
            take(Leaf {
                at,
                path: self.path.clone(),
                alias,
                is_glob,
            });
        }
        let before = self.outer.last().copied().unwrap_or(0);
        self.path.truncate(before);
    }
}
