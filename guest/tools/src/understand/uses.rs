//! Uses of a definition: every line of the root that contains its name, with the class of each.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::understanding::{KnownBy, Reference, ReferenceKind, UseClass};
use docent_tree::disk::Disk;

use crate::lexical::mentions::{named_lines, numbered_lines};
use crate::limits::{DEEP_DEPTH, USE_FILES, USE_LINES};
use crate::understand::callers::{Callers, callers};
use crate::understand::definitions::Definition;
use crate::understand::edges::Edges;
use crate::understand::impact::{SubjectImpact, count_phrase, new_reference};
use crate::understand::reader::TreeReader;
use crate::understand::tree::{SourceKind, Tree};
use crate::understand::use_classes::Around;

/// Order of the classes in answers.
const CLASSES: [UseClass; 5] = [
    UseClass::Code,
    UseClass::ReExport,
    UseClass::Test,
    UseClass::MayBe,
    UseClass::Text,
];

/// Returns the lines that contain the name of a definition, those that use it first; with the
/// `depth` of a deep request, followed by the uses of its callers.
pub fn find_uses<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    tree: &Tree,
    edges: &Edges,
    definition: &Definition,
    depth: u32,
) -> SubjectImpact {
    let name = definition.own_name();
    let around = Around::new(tree, edges, definition);
    let to = format!("{}#{}", tree.files[definition.file].path, definition.name);
    let mut by_class: [Vec<Reference>; 5] = Default::default();
    let mut impact = SubjectImpact::default();
    let (mut files, mut lines) = (0, 0);
    let is_all = reader.each_text(
        &mut |path| {
            let file = tree.index(path)?;
            let facts = tree.files[file].facts.as_ref();
            facts
                .is_none_or(|facts| facts.may_hold_anywhere(name))
                .then_some(file)
        },
        &mut |file, text| {
            let one = &tree.files[file];
            let held = named_lines(text, name);
            if held.is_empty() {
                return true;
            }
            (files, lines) = (files + 1, lines + held.len());
            let told = match (one.kind, one.facts.as_deref()) {
                (SourceKind::Code, Some(facts)) => around.classes(file, facts, text),
                _ => BTreeMap::new(),
            };
            for (number, line) in numbered_lines(text).filter(|(number, _)| held.contains(number)) {
                let Some(class) = told.get(&number).copied().unwrap_or(Some(UseClass::Text)) else {
                    continue;
                };
                let (kind, known_by) = match class {
                    UseClass::Text => (ReferenceKind::Mention, KnownBy::TextSearch),
                    UseClass::MayBe => (ReferenceKind::Use, KnownBy::TextSearch),
                    _ => (ReferenceKind::Use, KnownBy::Heuristic),
                };
                let reference = new_reference(&one.path, number, line, kind, known_by, &to);
                by_class[place(class)].push(Reference {
                    class: Some(class),
                    ..reference
                });
            }
            files < USE_FILES && lines < USE_LINES
        },
    );
    impact.is_cut = !is_all;
    let is_everything = is_all && tree.is_complete;
    impact.breaks = breaks(&by_class, is_everything);
    let [code, _, tests, ..] = &by_class;
    let direct: Vec<&Reference> = code.iter().chain(tests).collect();
    let callers = match depth {
        DEEP_DEPTH.. => callers(reader, tree, edges, definition, &direct, depth),
        _ => Callers::default(),
    };
    impact.references = by_class.into_iter().flatten().collect();
    impact.is_cut |= callers.is_cut && reader.is_over();
    if let Some(left) = callers.describe_unfollowed() {
        let told = impact.breaks.take();
        impact.breaks = Some(told.map_or(left.clone(), |told| format!("{told} {left}")));
    }
    impact.references.extend(callers.references);
    impact
}

fn place(class: UseClass) -> usize {
    let own = CLASSES.iter().position(|other| *other == class);
    own.unwrap_or(CLASSES.len() - 1)
}

/// Returns the sentence about uses that would break, and separately those that might.
fn breaks(by_class: &[Vec<Reference>; 5], is_everything: bool) -> Option<String> {
    let [code, re_exports, tests, may_be, _] = by_class;
    let told = |lists: &[&Vec<Reference>]| {
        let all = || lists.iter().copied().flatten();
        let files: BTreeSet<&str> = all().map(|one| one.path.as_str()).collect();
        let lines = all().count();
        (lines, count_phrase(files.len(), "file", "files"))
    };
    let (uses, use_files) = told(&[code, re_exports, tests]);
    let (others, other_files) = told(&[may_be]);
    let most = if is_everything { "up to" } else { "at least" };
    let would = format!(
        "Renamed or deleted, it would break {most} {} in {use_files}",
        count_phrase(uses, "line", "lines")
    );
    match (uses, others) {
        (0, 0) => None,
        (0, _) => Some(format!(
            "Renamed or deleted, it may break {} in {other_files}: their meaning is ambiguous.",
            count_phrase(others, "line", "lines")
        )),
        (_, 0) => Some(format!("{would}.")),
        (_, _) => Some(format!(
            "{would}, and perhaps {others} more in {other_files}."
        )),
    }
}
