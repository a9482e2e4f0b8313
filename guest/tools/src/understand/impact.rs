//! References to a subject, and the links that would break without it.

use std::collections::BTreeSet;

use docent_api::understanding::{KnownBy, Reference, ReferenceEnd, ReferenceKind};
use docent_tree::disk::Disk;

use crate::lexical::mentions::{is_named, numbered_lines};
use crate::limits::{SHOWN_LINE_CHARS, USE_FILES};
use crate::understand::edges::{Edge, Edges};
use crate::understand::reader::TreeReader;
use crate::understand::tree::Tree;
use crate::writing::link_index::markup;

/// References to a subject.
#[derive(Default)]
pub struct SubjectImpact {
    /// The references, nearest first.
    pub references: Vec<Reference>,
    /// Sentence about the references that would break, or `None` if none would.
    pub breaks: Option<String>,
    /// True if the time did not suffice to search all files that may refer to it.
    pub is_cut: bool,
}

/// Returns the references to these files, or to one section of the only one, over at most `depth`
/// steps.
pub fn find_references<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    tree: &Tree,
    edges: &Edges,
    files: &[usize],
    section: Option<&str>,
    depth: u32,
) -> SubjectImpact {
    let own: BTreeSet<usize> = files.iter().copied().collect();
    let is_meant = |edge: &Edge| section.is_none_or(|id| edge.end.is_section(id));
    let mut impact = SubjectImpact::default();
    let mut direct = Vec::new();
    for reached in edges.graph.find_reaching(files, depth) {
        let edge = &edges.all[reached.reference.edge];
        // References to other sections of the same document do not concern this one.
        if reached.distance == 1 && !is_meant(edge) {
            continue;
        }
        if reached.distance == 1 {
            direct.push(edge);
        }
        // Beyond the first step only files are known. If `a.md` refers to `b.md`, and `b.md` to
        // this section, nothing tells that `a.md` refers to that part of `b.md`. So a section
        // has direct references only.
        if section.is_none() || reached.distance == 1 {
            let answer = edge.answer(tree, reached.distance);
            impact.references.push(answer);
        }
    }
    if section.is_some() {
        // The graph has no references of a file to itself, but `[above](#setup)` refers to a
        // section of its own document.
        let inner = edges.all.iter().filter(|edge| {
            own.contains(&edge.from) && edge.end.files() == [edge.from] && is_meant(edge)
        });
        for edge in inner {
            direct.push(edge);
            impact.references.push(edge.answer(tree, 1));
        }
    }
    impact.breaks = breaks(tree, &direct);
    if let ([file], None) = (files, section) {
        impact.is_cut = mentions(reader, tree, edges, *file, &mut impact.references);
    }
    impact
}

/// Returns the sentence about direct references that would break.
fn breaks(tree: &Tree, direct: &[&Edge]) -> Option<String> {
    let count = |is: &dyn Fn(&Edge) -> bool| {
        // A reference to a missing section is broken already, and cannot break again.
        let kept = direct.iter().filter(|edge| is(edge) && edge.end.is_there());
        let places = kept.clone().count();
        let files: BTreeSet<usize> = kept.map(|edge| edge.from).collect();
        (places, files.len())
    };
    let is_import = |edge: &Edge| edge.kind == ReferenceKind::Import;
    let (links, link_files) = count(&|edge| !is_import(edge));
    let (imports, import_files) = count(&is_import);
    // A move changes the links of text documents, and of no page or binary document.
    let (moved, _) =
        count(&|edge| !is_import(edge) && markup(&tree.files[edge.from].path).is_some());
    let told = |number: usize, one: &str, many: &str, files: usize| {
        let (told, of) = (
            count_phrase(number, one, many),
            count_phrase(files, "file", "files"),
        );
        format!("{told} in {of}")
    };
    let told_links = || told(links, "link", "links", link_files);
    let told_imports = || told(imports, "import", "imports", import_files);
    let all = match (links, imports) {
        (0, 0) => return None,
        (_, 0) => told_links(),
        (0, _) => told_imports(),
        _ => format!("{} and {}", told_links(), told_imports()),
    };
    Some(match (moved, links - moved, imports) {
        (0, ..) => format!("Moving, renaming or deleting it would break {all}."),
        (_, 0, 0) => format!("Deleting it would break {all}; moving it takes them along."),
        (_, 0, _) => format!(
            "Deleting it would break {all}; moving it takes the links along, and not the imports."
        ),
        _ => format!(
            "Deleting it would break {all}; moving it takes {} along, and not the others.",
            count_phrase(moved, "link", "links")
        ),
    })
}

/// Adds the lines that name a file without a link or import, and returns true if the time was over
/// before all files were searched.
fn mentions<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    tree: &Tree,
    edges: &Edges,
    file: usize,
    references: &mut Vec<Reference>,
) -> bool {
    let path = tree.files[file].path.as_str();
    let name = path.rsplit('/').next().unwrap_or(path);
    if !name.trim_matches('.').contains('.') {
        return false;
    }
    let is_called_so = |other: &str| other.rsplit('/').next() == Some(name);
    let others = tree.files.iter().filter(|other| is_called_so(&other.path));
    let is_unique = others.count() == 1;
    let known: BTreeSet<(usize, u32)> = edges
        .graph
        .to(file)
        .iter()
        .map(|reference| (reference.from, edges.all[reference.edge].line))
        .collect();
    let mut read = 0;
    for (other, one) in tree.files.iter().enumerate() {
        let may_hold = one.facts.as_ref().is_some_and(|facts| facts.may_hold(name));
        if other == file || !may_hold {
            continue;
        }
        read += 1;
        if read > USE_FILES || reader.is_over() {
            return true;
        }
        let Some(text) = reader.text(&one.path) else {
            continue;
        };
        for (number, line) in numbered_lines(&text) {
            if !known.contains(&(other, number)) && is_named(line, path, name, is_unique) {
                let kind = ReferenceKind::Mention;
                references.push(new_reference(
                    &one.path,
                    number,
                    line,
                    kind,
                    KnownBy::TextSearch,
                    path,
                ));
            }
        }
    }
    false
}

/// Returns a line of the file at `path` that refers to `to`.
pub fn new_reference(
    path: &str,
    line: u32,
    text: &str,
    kind: ReferenceKind,
    known_by: KnownBy,
    to: &str,
) -> Reference {
    Reference {
        path: path.to_owned(),
        line,
        text: match text.char_indices().nth(SHOWN_LINE_CHARS) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_owned(),
        },
        kind,
        known_by,
        end: ReferenceEnd::There,
        to: Some(to.to_owned()),
        candidates: Vec::new(),
        distance: 1,
        class: None,
    }
}

/// Returns a number with the noun it counts.
pub fn count_phrase(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
