//! Transitive callers of a definition: the functions that enclose its uses, the uses of these
//! functions, and so on.

use std::collections::BTreeSet;

use docent_api::understanding::{KnownBy, Reference, ReferenceKind, UseClass};
use docent_code::SymbolKind;
use docent_corpus::summary::FileSummary;
use docent_tree::disk::Disk;

use crate::lexical::mentions::{named_lines, numbered_lines};
use crate::limits::{CALLERS, USE_LINES};
use crate::understand::definitions::{Definition, each_symbol};
use crate::understand::edges::Edges;
use crate::understand::impact::{count_phrase, new_reference};
use crate::understand::reader::TreeReader;
use crate::understand::tree::Tree;
use crate::understand::use_classes::{Around, is_type};

/// Uses beyond those of the definition itself.
#[derive(Default)]
pub struct Callers {
    /// The lines that use callers, nearest first.
    pub references: Vec<Reference>,
    /// Lines that may use a caller or mean something else, by file; they are not followed.
    pub may_be: BTreeSet<(usize, u32)>,
    /// True if there are more callers than are followed, or the time was over.
    pub is_cut: bool,
}

impl Callers {
    /// Returns a sentence about the lines that were not followed, or `None` if all were.
    pub fn describe_unfollowed(&self) -> Option<String> {
        let may_be = (!self.may_be.is_empty()).then(|| {
            let lines = count_phrase(self.may_be.len(), "line", "lines");
            format!("Not followed: {lines} that may use a caller or mean something else.")
        });
        let cut = self.is_cut.then_some("Not all callers are followed.");
        match (may_be, cut) {
            (Some(may_be), Some(cut)) => Some(format!("{may_be} {cut}")),
            (may_be, cut) => may_be.or(cut.map(str::to_owned)),
        }
    }
}

/// Returns the uses of a definition's callers, starting from the lines that use the definition
/// itself, over at most `depth` steps.
pub fn callers<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    tree: &Tree,
    edges: &Edges,
    definition: &Definition,
    direct: &[&Reference],
    depth: u32,
) -> Callers {
    let mut known = BTreeSet::from([(definition.file, definition.name.clone())]);
    let mut callers = Callers::default();
    let places = direct
        .iter()
        .filter_map(|one| Some((tree.index(&one.path)?, one.line)));
    let mut level = find_enclosing(tree, places, &mut known);
    for distance in 2..=depth {
        if level.is_empty() {
            break;
        }
        callers.is_cut |= level.len() > CALLERS;
        level.truncate(CALLERS);
        let before = callers.references.len();
        let is_all = users(reader, tree, edges, &level, distance, &mut callers);
        callers.is_cut |= !is_all;
        let new = callers.references[before..].iter();
        let places = new.filter_map(|one| Some((tree.index(&one.path)?, one.line)));
        level = find_enclosing(tree, places, &mut known);
    }
    // If both `A.run` and `B.run` are callers, `a.run()` certainly uses the first and possibly
    // the second. It is followed as a use of `A.run`, so it must not be reported as not
    // followed because of `B.run`.
    for one in direct.iter().copied().chain(&callers.references) {
        if let Some(file) = tree.index(&one.path) {
            callers.may_be.remove(&(file, one.line));
        }
    }
    callers
}

/// Adds the lines that use these definitions, and returns true if all files were searched.
fn users<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    tree: &Tree,
    edges: &Edges,
    definitions: &[Definition],
    distance: u32,
    callers: &mut Callers,
) -> bool {
    let around: Vec<Around<'_>> = definitions
        .iter()
        .map(|one| Around::new(tree, edges, one))
        .collect();
    let may_use = |file: usize| {
        let facts = tree.files[file].facts.as_ref()?;
        let mut names = definitions.iter().map(Definition::own_name);
        names.any(|name| facts.may_hold(name)).then_some(file)
    };
    reader.each_text(&mut |path| may_use(tree.index(path)?), &mut |file, text| {
        let one = &tree.files[file];
        let Some(facts) = one.facts.as_deref() else {
            return true;
        };
        for (definition, around) in definitions.iter().zip(&around) {
            let held = named_lines(text, definition.own_name());
            if held.is_empty() {
                continue;
            }
            let classes = around.classes(file, facts, text);
            let to = format!("{}#{}", tree.files[definition.file].path, definition.name);
            for (number, line) in numbered_lines(text).filter(|(number, _)| held.contains(number)) {
                let class = match classes.get(&number).copied().flatten() {
                    // `enclosing` replaces a constructor by its type. Lines such as `Config(1)`
                    // and `Config { a }` call it; the parameter `config: &Config` only names the
                    // type.
                    Some(_) if is_type(definition.kind) && !is_call(line, definition) => continue,
                    Some(class @ (UseClass::Code | UseClass::Test)) => class,
                    // The line defines another item of the same name, and so is not a call.
                    Some(UseClass::MayBe) if is_definition(facts, definition, number) => continue,
                    Some(UseClass::MayBe) => {
                        // It may use another item of the same name. The function around it
                        // would then not be a caller, nor would any function that calls that
                        // one, and every step would add to the error.
                        callers.may_be.insert((file, number));
                        continue;
                    }
                    _ => continue,
                };
                let kind = ReferenceKind::Use;
                let reference =
                    new_reference(&one.path, number, line, kind, KnownBy::Heuristic, &to);
                callers.references.push(Reference {
                    class: Some(class),
                    distance,
                    ..reference
                });
            }
        }
        callers.references.len() < USE_LINES
    })
}

/// Returns true if a definition of the same name begins at a line.
fn is_definition(facts: &FileSummary, definition: &Definition, line: u32) -> bool {
    let mut is_it = false;
    each_symbol(Some(facts), |full, symbol| {
        let own = full.rsplit('.').next();
        is_it |= symbol.first == line && own == Some(definition.own_name());
    });
    is_it
}

/// Returns true if a line calls the constructor of a type.
fn is_call(line: &str, definition: &Definition) -> bool {
    let name = definition.own_name();
    let mut rests = line
        .match_indices(name)
        .map(|(at, _)| &line[at + name.len()..]);
    rests.any(|rest| rest.trim_start().starts_with(['(', '<', '{']))
}

/// Returns the functions that enclose these lines and are not known yet, each once; for a
/// constructor its type, by whose name it is called.
fn find_enclosing(
    tree: &Tree,
    places: impl Iterator<Item = (usize, u32)>,
    known: &mut BTreeSet<(usize, String)>,
) -> Vec<Definition> {
    let mut found = Vec::new();
    for (file, line) in places {
        let mut innermost: Option<Definition> = None;
        each_symbol(tree.files[file].facts.as_deref(), |full, symbol| {
            let is_called = matches!(
                symbol.kind,
                SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor
            );
            let is_around = (symbol.first..=symbol.last).contains(&line);
            let (name, kind) = match full.rsplit_once('.') {
                Some((owner, _)) if symbol.kind == SymbolKind::Constructor => {
                    (owner, SymbolKind::Class)
                }
                _ => (full, symbol.kind),
            };
            // Of the definitions around a line, the one that begins last is the innermost.
            if is_called && is_around {
                innermost = Some(Definition {
                    file,
                    name: name.to_owned(),
                    kind,
                    firsts: vec![symbol.first],
                });
            }
        });
        found.extend(innermost.filter(|one| known.insert((one.file, one.name.clone()))));
    }
    found
}
