//! Imports of Rust: modules in files of their own, `use`, and included files.
//!
//! These items are parsed from the tokens, including function bodies and macro arguments, which an
//! item parser skips. In macro arguments they are only likely to be items.

mod tree;

use std::collections::{BTreeMap, BTreeSet};

use crate::code::Code;
use crate::imports::collected::{Collected, plain_string};
use crate::imports::target::{ImportPath, ImportedName, InlineModule};
use crate::lexer::token::TokenKind;
use crate::limits::{ATTRIBUTE_TOKENS, IMPORT_PATH_BYTES, IMPORT_PATH_NAMES};
use crate::position::{TokenIndex, token_indices};
use crate::source::Source;
use tree::{name_at, use_tree};

pub(super) fn imports(code: &Code<'_>) -> Vec<ImportPath> {
    let mut reader = RustImports {
        out: Collected::new(code, Source::Parsed),
        within: Vec::new(),
        paths: Vec::new(),
        is_placed: false,
        macro_end: TokenIndex::FIRST,
        bound: BTreeMap::new(),
        declared: BTreeSet::new(),
    };
    let mut here = TokenIndex::FIRST;
    while here < code.end_token() && !reader.out.is_full() {
        here = reader.item(here).max(here + 1);
    }
    reader.with_known_beginnings()
}

/// The scope of a name: the path to the module in the file.
type ModuleScope = Vec<InlineModule>;

struct RustImports<'a> {
    out: Collected<'a>,
    /// Open modules of this file, each with the token after it.
    within: Vec<(InlineModule, TokenIndex)>,
    /// Paths of the attributes before the next item.
    paths: Vec<String>,
    /// True if one of them applies unconditionally.
    is_placed: bool,
    /// Token after the macro arguments being read.
    macro_end: TokenIndex,
    /// Path of each `use`, by the name that it binds.
    bound: BTreeMap<(ModuleScope, String), Vec<String>>,
    /// Modules and enumerations declared by the file.
    declared: BTreeSet<(ModuleScope, String)>,
}

impl RustImports<'_> {
    /// Reads the construct at `here`, and returns the token after it.
    fn item(&mut self, here: TokenIndex) -> TokenIndex {
        let code = self.out.code;
        while self.within.last().is_some_and(|(_, end)| here >= *end) {
            self.within.pop();
        }
        self.out.known_by = if here < self.macro_end {
            Source::Heuristic
        } else {
            Source::Parsed
        };
        match code.word(here) {
            // The body of a macro becomes code of the modules that call it, so its paths are not
            // imports of this file.
            "macro_rules" if code.is(here + 1, b'!') => return code.after(here + 3),
            "use" => return self.use_item(here + 1),
            "mod" => return self.module(here),
            "enum" if code.is_name(here + 1) => self.declare(name_at(code, here + 1).0),
            "extern" if code.word(here + 1) == "crate" => {
                let (name, after) = name_at(code, here + 2);
                self.add_use(here + 2, vec![name.to_owned()]);
                return after;
            }
            "include" | "include_str" | "include_bytes" => self.include(here),
            "#" => self.attribute(here),
            ";" | "{" | "}" => self.forget_attributes(),
            _ => {}
        }
        let is_call = code.is_name(here)
            && code.is(here + 1, b'!')
            && code.kind(here + 2) == Some(TokenKind::Open);
        if is_call {
            self.macro_end = self.macro_end.max(code.after(here + 2));
        }
        here + 1
    }

    fn scope(&self) -> ModuleScope {
        self.within.iter().map(|(inner, _)| inner.clone()).collect()
    }

    fn declare(&mut self, name: &str) {
        self.declared.insert((self.scope(), name.to_owned()));
    }

    fn forget_attributes(&mut self) {
        self.paths.clear();
        self.is_placed = false;
    }

    /// Records `#[path = "a.rs"]` and `#[cfg_attr(unix, path = "a.rs")]`.
    fn attribute(&mut self, sign: TokenIndex) {
        let code = self.out.code;
        if !code.is(sign + 1, b'[') {
            return;
        }
        let is_conditional = code.word(sign + 2) == "cfg_attr";
        if !is_conditional && code.word(sign + 2) != "path" {
            return;
        }
        let end = code.after(sign + 1).min(sign + ATTRIBUTE_TOKENS);
        for key in token_indices(sign + 2..end) {
            let path = plain_string(code.word(key + 2));
            if code.word(key) == "path" && code.is(key + 1, b'=') {
                let path = path.filter(|path| path.len() <= IMPORT_PATH_BYTES);
                self.paths.extend(path.map(str::to_owned));
                self.is_placed |= !is_conditional;
            }
        }
    }

    /// Reads `mod a;` or the head of `mod a { … }`.
    fn module(&mut self, keyword: TokenIndex) -> TokenIndex {
        let code = self.out.code;
        let (name, after) = name_at(code, keyword + 1);
        if name.is_empty() || name.len() > IMPORT_PATH_BYTES {
            return keyword + 1;
        }
        if code.is(after, b'{') {
            self.declare(name);
            let inner = InlineModule {
                name: name.to_owned(),
                path: self.paths.first().cloned(),
            };
            self.forget_attributes();
            // Deeper modules are treated as part of the enclosing one. Each import stores the
            // path of its modules, so that `mod a { use b; mod a { use b; …` without a limit
            // would take memory quadratic in the length of the text.
            if self.within.len() < IMPORT_PATH_NAMES {
                self.within.push((inner, code.after(after)));
            }
            return after + 1;
        }
        if !code.is(after, b';') {
            return after;
        }
        self.declare(name);
        let target = ImportedName::RustModule {
            name: name.to_owned(),
            within: self.scope(),
            paths: std::mem::take(&mut self.paths),
            is_placed: std::mem::take(&mut self.is_placed),
        };
        self.out.push(code.start(keyword), target);
        after
    }

    fn use_item(&mut self, first: TokenIndex) -> TokenIndex {
        let code = self.out.code;
        let mut leaves = Vec::new();
        let after = use_tree(code, first, &mut |leaf| leaves.push(leaf));
        for leaf in leaves {
            let bound = leaf.alias.or_else(|| leaf.path.last().cloned());
            // `use log::log;` binds `log` to a path that begins with `log`. If it were recorded,
            // that first name would be replaced by the path itself, and the import would become
            // `log::log::log`.
            if let Some(name) =
                bound.filter(|name| !leaf.is_glob && leaf.path.first() != Some(name))
            {
                let key = (self.scope(), name);
                self.bound.entry(key).or_insert_with(|| leaf.path.clone());
            }
            self.add_use(leaf.at, leaf.path);
        }
        after
    }

    fn add_use(&mut self, at: TokenIndex, path: Vec<String>) {
        let code = self.out.code;
        let length = path.iter().map(|name| name.len() + 2).sum::<usize>();
        if length <= IMPORT_PATH_BYTES && path.iter().any(|name| !name.is_empty()) {
            let within = self.scope();
            self.out
                .push(code.start(at), ImportedName::RustUse { path, within });
        }
    }

    fn include(&mut self, name: TokenIndex) {
        let code = self.out.code;
        let (open, literal) = (name + 2, name + 3);
        let is_call = code.is(name + 1, b'!') && code.kind(open) == Some(TokenKind::Open);
        let is_all = code.kind(literal + 1) == Some(TokenKind::Close) || code.is(literal + 1, b',');
        if is_call
            && is_all
            && let Some(path) = plain_string(code.word(literal))
        {
            let known_by = self.out.known_by;
            self.out.known_by = Source::Parsed;
            self.out
                .push_name(code.start(literal), path, ImportedName::File);
            self.out.known_by = known_by;
        }
    }

    /// Returns the imports, with the starts of paths resolved that the file declares or imports.
    fn with_known_beginnings(self) -> Vec<ImportPath> {
        let Self {
            out,
            bound,
            declared,
            ..
        } = self;
        let mut found = out.found;
        found.retain_mut(|import| {
            let ImportedName::RustUse { path, within } = &mut import.target else {
                return true;
            };
            let Some(first) = path.first().cloned() else {
                return false;
            };
            if matches!(first.as_str(), "crate" | "self" | "super" | "") {
                return true;
            }
            let key = (within.clone(), first);
            if declared.contains(&key) {
                path.insert(0, "self".to_owned());
            } else if let Some(whole) = bound.get(&key) {
                path.splice(..1, whole.iter().cloned());
                path.truncate(IMPORT_PATH_NAMES);
                let first = path.first().cloned().unwrap_or_default();
                if declared.contains(&(within.clone(), first)) {
                    path.insert(0, "self".to_owned());
                }
            } else {
                // A name in upper case that the file neither declares nor imports by name is a
                // type, such as `Kind` of `use super::*; use Kind::*;`. Crates and modules are
                // lower case, so it does not refer to a file, and as a crate it would be
                // reported as external.
                return !key.1.starts_with(char::is_uppercase);
            }
            true
        });
        found
    }
}
