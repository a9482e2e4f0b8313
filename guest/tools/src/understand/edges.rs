//! What each file refers to, and where that leads by the names and places of the tree.

use docent_api::understanding::{
    KnownBy, Reference as ReferenceAnswer, ReferenceCounts, ReferenceEnd, ReferenceKind,
};
use docent_corpus::facts::{Content, DocumentFacts};
use docent_document::headings::heading::one_line;
use docent_document::sections::slug;
use docent_graph::graph::{Graph, Reference};
use docent_graph::lead::{Lead, lead};
use docent_graph::link::{Link, LinkKind};

use crate::understand::tree::Tree;

/// A reference of one file.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The file that refers.
    pub from: usize,
    /// The line.
    pub line: u32,
    /// The reference as it is written.
    pub text: String,
    /// What kind it is.
    pub kind: ReferenceKind,
    /// How it is known.
    pub known_by: KnownBy,
    /// Where it leads.
    pub end: End,
}

/// Where a reference leads.
#[derive(Clone, Debug)]
pub enum End {
    /// To a file, and a section of it.
    File(usize, Option<String>),
    /// To a directory.
    Directory(String),
    /// To another site or package.
    External,
    /// To a path where nothing is.
    NoFile(String),
    /// To a section that a file does not have.
    NoSection(usize, String),
    /// To one of these files.
    Several(Vec<String>),
    /// Out of the root.
    Outside,
    /// To what cannot be told: a template, a hidden file, a page that a program makes.
    Unknown,
}

/// All references of a tree.
pub struct Edges {
    /// In the order of files and lines.
    pub all: Vec<Edge>,
    /// The files and those of the references that lead to one.
    pub graph: Graph,
}

impl Edges {
    /// Returns the references of all files of a tree.
    pub fn of(tree: &Tree) -> Self {
        let mut all = Vec::new();
        for (from, file) in tree.files.iter().enumerate() {
            let Some(facts) = &file.facts else { continue };
            match &facts.content {
                Content::Document(document) => links(tree, from, document, &mut all),
                Content::Code(_) | Content::Other => {}
            }
        }
        let references = all.iter().enumerate().filter_map(|(edge, one)| {
            let to = one.end.file()?;
            let from = one.from;
            Some(Reference { from, to, edge })
        });
        Self {
            graph: Graph::new(tree.files.len(), references),
            all,
        }
    }

    /// Returns how many there are of each kind.
    pub fn counts(&self) -> ReferenceCounts {
        let count = |is: &dyn Fn(&Edge) -> bool| {
            docent_text::saturating::saturating_u32(self.all.iter().filter(|edge| is(edge)).count())
        };
        ReferenceCounts {
            resolved: count(&|edge| edge.end.is_there()),
            external: count(&|edge| matches!(edge.end, End::External)),
            broken: count(&|edge| edge.end.is_broken()),
            parsed: count(&|edge| edge.known_by == KnownBy::Parsed),
            heuristic: count(&|edge| edge.known_by == KnownBy::Heuristic),
        }
    }
}

fn links(tree: &Tree, from: usize, document: &DocumentFacts, all: &mut Vec<Edge>) {
    for link in &document.links.links {
        // Of a reference the definition is told: that is what leads somewhere.
        if link.kind == LinkKind::Use {
            continue;
        }
        all.push(Edge {
            from,
            line: link.line,
            text: one_line(&link.target),
            kind: kind(link.kind),
            known_by: KnownBy::Parsed,
            end: end(tree, from, link),
        });
    }
}

fn kind(kind: LinkKind) -> ReferenceKind {
    match kind {
        LinkKind::Image | LinkKind::Embed => ReferenceKind::Embed,
        LinkKind::File => ReferenceKind::Include,
        _ => ReferenceKind::Link,
    }
}

fn end(tree: &Tree, from: usize, link: &Link) -> End {
    let lead = lead(link, &tree.files[from].path, &tree.names);
    match lead {
        Lead::External => End::External,
        Lead::Outside => End::Outside,
        Lead::Several(paths) => End::Several(paths),
        Lead::Unknown => End::Unknown,
        // What is hidden is not known to be missing.
        Lead::Missing(place) if is_hidden(&place.path) => End::Unknown,
        Lead::Missing(place) => End::NoFile(place.path),
        Lead::There(place) => {
            let Some(file) = tree.index(&place.path) else {
                return End::Directory(place.path);
            };
            let facts = tree.files[file].facts.as_ref();
            let is_in = match facts.map(|facts| &facts.content) {
                Some(Content::Document(target)) => place.is_in(&target.links.anchors),
                _ => true,
            };
            match place.fragment {
                Some(fragment) if !is_in => End::NoSection(file, fragment),
                fragment => End::File(file, fragment),
            }
        }
    }
}

/// Whether a path leads over a hidden file or directory, which no walk comes to.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.'))
}

impl End {
    /// Returns the file that it leads to, also where the section is not there.
    pub fn file(&self) -> Option<usize> {
        match self {
            Self::File(file, _) | Self::NoSection(file, _) => Some(*file),
            _ => None,
        }
    }

    /// Whether it leads to something of the tree.
    pub fn is_there(&self) -> bool {
        matches!(self, Self::File(..) | Self::Directory(_))
    }

    /// Whether it leads to nothing, or to one of several.
    pub fn is_broken(&self) -> bool {
        matches!(
            self,
            Self::NoFile(_) | Self::NoSection(..) | Self::Several(_)
        )
    }

    /// Whether it leads to the section of this id.
    pub fn is_section(&self, id: &str) -> bool {
        let Self::File(_, Some(fragment)) = self else {
            return false;
        };
        // A wikilink names headings.
        let heading = fragment.rsplit('#').next().unwrap_or(fragment);
        fragment == id || fragment.to_lowercase() == id || slug(heading.trim()) == id
    }
}

impl Edge {
    /// Returns the reference as answers show it.
    pub fn answer(&self, tree: &Tree, distance: u32) -> ReferenceAnswer {
        let at = |file: usize, fragment: &str| format!("{}#{fragment}", tree.files[file].path);
        let (end, to, candidates) = match &self.end {
            End::File(file, None) => {
                let path = tree.files[*file].path.clone();
                (ReferenceEnd::There, Some(path), Vec::new())
            }
            End::File(file, Some(fragment)) => {
                (ReferenceEnd::There, Some(at(*file, fragment)), Vec::new())
            }
            End::Directory(path) => (ReferenceEnd::There, Some(format!("{path}/")), Vec::new()),
            End::External => (ReferenceEnd::External, None, Vec::new()),
            End::NoFile(path) => (ReferenceEnd::NoFile, Some(path.clone()), Vec::new()),
            End::NoSection(file, fragment) => {
                (ReferenceEnd::NoSection, Some(at(*file, fragment)), Vec::new())
            }
            End::Several(paths) => (ReferenceEnd::Several, None, paths.clone()),
            End::Outside => (ReferenceEnd::Outside, None, Vec::new()),
            End::Unknown => (ReferenceEnd::Unknown, None, Vec::new()),
        };
        ReferenceAnswer {
            path: tree.files[self.from].path.clone(),
            line: self.line,
            text: self.text.clone(),
            kind: self.kind,
            known_by: self.known_by,
            end,
            to,
            candidates,
            distance,
        }
    }
}
