//! Definitions by their names, in all files of a tree.

use std::collections::BTreeSet;

use docent_code::SymbolKind;
use docent_corpus::summary::{Content, FileSummary, SymbolSummary};

use crate::lexical::similarity::nearest;
use crate::limits::NEAREST_SYMBOLS;
use crate::understand::tree::Tree;

/// A definition, or several with one name in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its file.
    pub file: usize,
    /// Its qualified name: the names of the enclosing definitions and its own, separated by dots.
    pub name: String,
    /// Kind of the definition.
    pub kind: SymbolKind,
    /// The first lines of this definition and of others with the same name.
    pub firsts: Vec<u32>,
}

impl Definition {
    /// Returns its own name.
    pub fn own_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// Returns the type of which it is a method, field or variant, or `None` if it is not a member.
    pub fn owner(&self) -> Option<&str> {
        let is_member = matches!(
            self.kind,
            SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Field | SymbolKind::Variant
        );
        let above = self.name.rsplit('.').nth(1);
        above.filter(|_| is_member)
    }

    /// Returns true if a definition of a file with this qualified name is this one.
    pub fn is(&self, file: usize, full: &str) -> bool {
        self.file == file && self.name == full
    }
}

/// Returns the definitions with the name `name`, qualified or not, in the files for which
/// `is_asked` is true, in the order of paths; case is ignored if none has exactly this name.
pub fn find(tree: &Tree, name: &str, is_asked: impl Fn(&str) -> bool) -> Vec<Definition> {
    let exact = find_matching(tree, &is_asked, |full| ends_with(full, name));
    if !exact.is_empty() {
        return exact;
    }
    let lower = name.to_lowercase();
    find_matching(tree, &is_asked, |full| {
        ends_with(&full.to_lowercase(), &lower)
    })
}

fn ends_with(full: &str, name: &str) -> bool {
    full.strip_suffix(name)
        .is_some_and(|above| above.is_empty() || above.ends_with('.'))
}

fn find_matching(
    tree: &Tree,
    is_asked: &impl Fn(&str) -> bool,
    is_it: impl Fn(&str) -> bool,
) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    for (file, one) in tree.files.iter().enumerate() {
        if !is_asked(&one.path) {
            continue;
        }
        each_symbol(one.facts.as_deref(), |full, symbol| {
            // An implementation of a type is not its definition.
            if symbol.kind == SymbolKind::Impl || symbol.kind == SymbolKind::Block || !is_it(full) {
                return;
            }
            match found.last_mut() {
                Some(last) if last.file == file && last.name == full => {
                    last.firsts.push(symbol.first);
                }
                _ => found.push(Definition {
                    file,
                    name: full.to_owned(),
                    kind: symbol.kind,
                    firsts: vec![symbol.first],
                }),
            }
        });
    }
    found
}

/// Passes each definition of a file with its qualified name to `give`.
pub fn each_symbol(facts: Option<&FileSummary>, mut give: impl FnMut(&str, &SymbolSummary)) {
    let Some(Content::Code(code)) = facts.map(|facts| &facts.content) else {
        return;
    };
    let mut names: Vec<String> = Vec::new();
    for symbol in &code.symbols {
        names.truncate(symbol.depth as usize);
        let own = bare(&symbol.name);
        let full = match names.last() {
            Some(above) => format!("{above}.{own}"),
            None => own,
        };
        give(&full, symbol);
        names.push(full);
    }
}

/// Returns the name of a definition without type arguments, separated by dots.
pub fn bare(name: &str) -> String {
    let mut bare = String::new();
    let mut open = 0u32;
    for c in name.chars() {
        match c {
            '<' => open += 1,
            '>' => open = open.saturating_sub(1),
            c if open == 0 => bare.push(c),
            _ => {}
        }
    }
    // The name of an operator such as `<` consists of these characters only.
    if bare.is_empty() {
        return name.to_owned();
    }
    bare.replace("::", ".")
}

/// Returns the names most similar to one that does not exist.
pub fn nearest_names(tree: &Tree, name: &str) -> Vec<String> {
    let mut names = BTreeSet::new();
    for file in &tree.files {
        each_symbol(file.facts.as_deref(), |full, symbol| {
            if !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Block) {
                names.insert(full.to_owned());
            }
        });
    }
    let names: Vec<String> = names.into_iter().collect();
    let wanted = name.rsplit('.').next().unwrap_or(name);
    let own = names
        .iter()
        .map(|full| full.rsplit('.').next().unwrap_or(full));
    let indices = nearest(wanted, own, NEAREST_SYMBOLS);
    indices
        .into_iter()
        .map(|index| names[index].clone())
        .collect()
}
